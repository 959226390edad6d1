"""Formulas and descriptions read back in plain English.

Each operator has one wording and what is nested inside another operator stands in brackets,
so two formulas with the same wording have the same meaning, and the words can be said back: the
last part of `language/english.grammar` reads them. Only these differences are not told: the
grouping of conjuncts, And and Or of fewer than two members (read as what they mean), an object's
name `red_block` against the referent "the red block", and a description in an argument that is
not yet `scoped` against its quantifier.

What a quantifier speaks of is named by its description: "For each red block: at all times the
robot does not touch that red block." A second thing of the same description is "that second red
block". Where the thing occurs in a single clause, that clause has it in place: "every block is in
the bowl", "some block is in the bowl".
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from itertools import chain, count

from sayso.core.predicates import Predicate
from sayso.core.symbols import in_words
from sayso.logic.formula import (
    SIZES,
    SO_MANY,
    Always,
    And,
    Bottom,
    Eventually,
    Formula,
    Next,
    Not,
    Or,
    Prop,
    Quantified,
    Quantity,
    Referent,
    Relation,
    Release,
    Term,
    Top,
    Until,
    Variable,
    WeakNext,
    children,
    clauses,
    walk,
    with_children,
)
from sayso.logic.scope import only_forbids, scoped
from sayso.logic.specification import GroundedSpecification

_COMPARATOR_WORDS: Mapping[str, str] = {
    "isbetween": "between {} and {}",
    "isabove": "above {}",
    "isbelow": "below {}",
    "isleftof": "left of {}",
    "isrightof": "right of {}",
    "isnextto": "next to {}",
    "isinfrontof": "in front of {}",
    "isbehind": "behind {}",
    "isin": "inside {}",
    "contains": "with {} in it",
    "isbiggerthan": "bigger than {}",
    "issmallerthan": "smaller than {}",
    "isnearest": "nearest to {}",
    "isfarthest": "farthest from {}",
}
_THERE: Mapping[str, str] = {"isbelow": "on it", "contains": "in it"}
"""Where nothing is of which a thing is below, or which it contains."""
Predicates = Mapping[str, Predicate]


_TAIL = re.compile(r" (?=(?:of|with|about) )")
"""Where what belongs to a name begins: "cup of tea"."""


def plural(noun: str) -> str:
    """The plural of a noun by the usual rules: "shelves", "cups of tea", "scissors"."""
    head, *tail = _TAIL.split(noun, maxsplit=1)
    return " ".join((_plural(head), *tail))


def _plural(noun: str) -> str:
    if noun.endswith("s") and not noun.endswith(("ss", "us")):
        return noun  # scissors
    if noun.endswith(("s", "x", "sh", "ch")):
        return noun + "es"
    if noun.endswith("y") and noun[-2:-1] not in "aeiou":
        return noun[:-1] + "ies"
    return noun[:-1] + "ves" if noun.endswith(("lf", "af")) else noun + "s"


class Phrase(str):
    """Words that stand for a thing as they are, in the place of an object's name."""

    __slots__ = ()


ORDINALS = ("second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
"""What tells several things of one description apart; after them come "10th" and so on."""


def describe(term: Term) -> str:
    """A referent, a variable or an object's name in words: "the red block left of the mug"."""
    if isinstance(term, Phrase):
        return str(term)
    if not isinstance(term, Referent):
        return in_words(str(term))
    sizes = [a for a in term.attributes if a in SIZES]
    others = [a for a in term.attributes if a not in SIZES]
    words = " ".join((*sizes, *others, term.noun))
    relations = " and ".join(map(_relation, term.relations))
    return " ".join(filter(None, (_article(term, words), words, relations)))


def _article(referent: Referent, words: str) -> str:
    if referent.quantifier == "a" and referent.number:
        return ""  # "soda 1" and "soda 2" are told apart by their numbers
    if referent.quantifier == "a":
        return "an" if words[:1] in "aeiou" else "a"
    if referent.quantifier == "no":
        return "no"
    return "every" if referent.quantifier == "all" else "the"


def _relation(relation: Relation) -> str:
    first = relation.others[0]
    if first.quantifier == "no":
        things = "nothing" if first == Referent("thing", quantifier="no") else describe(first)
        beside = _COMPARATOR_WORDS[relation.comparator].format("it", "it")
        return f"with {things} {_THERE.get(relation.comparator, beside)}"
    if first.quantifier in SO_MANY:
        side = {"isrightof": "left", "isleftof": "right"}[relation.comparator]
        return f"{ORDINALS[SO_MANY[first.quantifier] - 1]} from the {side}"
    others = (f"({describe(o)})" if o.relations else describe(o) for o in relation.others)
    return _COMPARATOR_WORDS[relation.comparator].format(*others)


def clause(prop: Prop, predicates: Predicates, positive: bool = True) -> str:
    """A proposition, or its negation, in words: "the red block is on the plate".

    A predicate without English is read as its name with the arguments in brackets.
    """
    args = [describe(a) for a in prop.args]
    known = predicates.get(prop.predicate)
    english = known and (known.english if positive else known.english_not)
    if english:
        return english.format(*args)
    return f"{'' if positive else 'not '}{prop.predicate}({', '.join(args)})"


def phrase(formula: Formula, predicates: Predicates) -> str:
    """A condition's wording, without a capital or a full stop."""
    return _Reader(predicates).phrase(formula)


def read_back(formula: Formula, predicates: Predicates) -> str:
    """What a task asks for, one sentence or more for each top-level conjunct.

    Args:
        predicates: by name, for their English clauses.
    """
    return " ".join(_Reader(predicates).conjunct(c) for c in clauses(formula))


def covered(grounded: GroundedSpecification) -> str:
    """Thing by thing, what the quantified descriptions of a specification stand for."""
    formula = scoped(grounded.specification.formula)
    sentences: dict[str, None] = {}
    for part in clauses(formula):
        for inner in walk(part):
            if isinstance(inner, Quantified) and inner.quantity.kind == "all":
                sentences[_covered(inner, grounded, later=only_forbids(part))] = None
    return " ".join(sentences)


def _covered(formula: Quantified, grounded: GroundedSpecification, *, later: bool) -> str:
    """One description, and whether what comes later counts too."""
    domain = describe(replace(formula.domain, quantifier="the")).removeprefix("the ")
    left_out = {n for t in formula.apart_from for n in _names(t, grounded)}
    names = [n for n in grounded.grounding.get(formula.domain, ()) if n not in left_out]
    if not names:
        return f"No {domain} is seen now; each that turns up counts."
    things = _joined_by_and([in_words(n) for n in names])
    rest = ", and each that turns up later" if later else ""
    return f"Each {domain}: {things}{rest}."


def _names(term: Term, grounded: GroundedSpecification) -> tuple[str, ...]:
    if isinstance(term, Referent):
        return grounded.grounding.get(term, ())
    return () if isinstance(term, Variable) else (term,)


class _Reader:
    """Words for formulas; `start` says that the formula is about the whole trace."""

    def __init__(self, predicates: Predicates) -> None:
        self.predicates = predicates

    def conjunct(self, formula: Formula) -> str:
        match formula:
            case Top():
                return "Nothing is asked."
            case Bottom():
                return "The impossible is asked."
            case Eventually() | Not(Eventually()) if (counted := times(formula)) is not None:
                return f"{_capital(counted.words)}: {self.phrase(counted.state)}."
            case Eventually(a):
                return self.sequence(a, "At some point", "First make this true")
            case Always(Eventually(a)):
                return f"Again and again, until it is stopped: {self.phrase(a)}."
            case Always(a):
                return f"At all times: {self.phrase(a)}."
            case Until(left, right):
                return (
                    f"This must come true: {self.phrase(right)}. Until then: {self.phrase(left)}."
                )
            case Release(left, right):
                return f"Up to and including when {self.part(left)}, or to the end:" + (
                    f" {self.phrase(right)}."
                )
            case Next(a):
                return f"There is a second step, and at it: {self.phrase(a)}."
            case WeakNext(a):
                return f"If there is a second step, at it: {self.phrase(a)}."
            case Quantified() if not _in_place(formula):
                head, body = self.quantified(formula)
                return f"{_capital(head)}: {self.phrase(body, start=True)}."
            case _:
                return _capital(self.phrase(formula, start=True)) + "."

    def sequence(self, body: Formula, alone: str, first: str) -> str:
        """`F(a & F(b))` as one sentence for each stage."""
        stages, after = _stages(body)
        if after is None:
            return f"{alone}: {self.phrase(body)}."
        head = self.phrase(stages[0]) if len(stages) == 1 else self.joined(stages, " and ")
        if isinstance(after, Next):
            lead, after = "At a later step", after.arg
        else:
            lead = "After that (or at the same time)"
        assert isinstance(after, Eventually)
        return f"{first}: {head}. {self.sequence(after.arg, lead, lead)}"

    def part(self, formula: Formula, start: bool = False) -> str:
        """The wording inside another operator."""
        words = self.phrase(formula, start)
        simple = _is_literal(formula) or isinstance(formula, Top | Bottom)
        return words if simple and not start else f"({words})"

    def joined(self, formulas: tuple[Formula, ...], word: str, start: bool = False) -> str:
        return word.join(self.part(f, start) for f in formulas)

    def quantified(self, formula: Quantified) -> tuple[str, Formula]:
        """What a quantifier speaks of, and its body with that in the variable's places."""
        name = _unused_name(formula)
        domain = replace(formula.domain, quantifier="the")
        if formula.quantity.is_plural:
            domain = replace(domain, noun=plural(domain.noun))
        words = name.removesuffix(bare_words(formula.domain))
        words += describe(domain).removeprefix("the ")
        apart = _joined_by_and([describe(t) for t in formula.apart_from])
        other = f" other than {apart}" if apart else ""
        body = _named(formula.body, formula.variable, f"that {name}")
        return f"for {_quantity(formula.quantity)} {words}{other}", body

    def phrase(self, formula: Formula, start: bool = False) -> str:
        """The wording on its own."""
        since = "" if start else " from then on"
        match formula:
            case Quantified() if _in_place(formula):
                word = "every" if formula.quantity.kind == "all" else "some"
                thing = describe(replace(formula.domain, quantifier="the"))
                named = _named(
                    formula.body, formula.variable, f"{word} {thing.removeprefix('the ')}"
                )
                return self.phrase(named, start)
            case Quantified():
                head, body = self.quantified(formula)
                return f"{head}: {self.phrase(body, start)}"
            case Top():
                return "anything goes"
            case Bottom():
                return "the impossible happens"
            case Prop() | Not(Prop()):
                return ("at the start " if start else "") + self.literal(formula)
            case Eventually() | Not(Eventually()) if (counted := times(formula)) is not None:
                return f"{counted.words}{since} {self.part(counted.state)}"
            case Not(a):
                return f"it is not true that {self.part(a, start)}"
            case And((a,)) | Or((a,)):
                return self.phrase(a, start)
            case And(()) | Or(()):
                return self.phrase(Top() if isinstance(formula, And) else Bottom())
            case And(args):
                return self.joined(args, " and ", start)
            case Or((Not(a), b)):
                return f"if {self.part(a, start)}, then {self.part(b, start)}"
            case Or(args):
                return f"either {self.joined(args, ' or ', start)}"
            case Eventually(a):
                return f"at some point{since} {self.part(a)}"
            case Always(a):
                return f"at all times{since} {self.part(a)}"
            case Until(left, right):
                return f"{self.part(left)} until {self.part(right)}, which must come"
            case Release(left, right):
                return f"{self.part(right)} up to and including when {self.part(left)}" + (
                    ", or to the end"
                )
            case Next(a):
                return f"there is a next step, and at it {self.part(a)}"
            case WeakNext(a):
                return f"if there is a next step, at it {self.part(a)}"

    def literal(self, formula: Formula) -> str:
        if isinstance(formula, Prop):
            return clause(formula, self.predicates)
        assert isinstance(formula, Not) and isinstance(formula.arg, Prop)
        return clause(formula.arg, self.predicates, positive=False)


@dataclass(frozen=True)
class Times:
    """How many separate times a state is to be true, or may be at most."""

    state: Formula
    number: int
    at_most: bool

    @property
    def words(self) -> str:
        limit = "at most" if self.at_most else "at least"
        return f"{limit} {self.number} separate time{'' if self.number == 1 else 's'}"


def times(formula: Formula) -> Times | None:
    """Of `F(s & F(!s & F(s)))` and its like that it counts how often s becomes true."""
    if isinstance(formula, Not):
        more = times(formula.arg)
        if more is None or more.at_most:
            return None
        return Times(more.state, more.number - 1, at_most=True)
    stages = _alternating(formula)
    state = stages[-1]
    opposite = state.arg if isinstance(state, Not) else Not(state)
    expected = [state if i % 2 == 0 else opposite for i in range(len(stages))]
    if len(stages) < 3 or len(stages) % 2 == 0 or stages != expected:
        return None
    return Times(state, (len(stages) + 1) // 2, at_most=False)


def _alternating(formula: Formula) -> list[Formula]:
    """What has to be true one after the other: [a, b, c] of `F(a & F(b & F(c)))`."""
    found: list[Formula] = []
    rest: Formula | None = formula
    while isinstance(rest, Eventually):
        stages, rest = _stages(rest.arg)
        found.append(stages[0] if len(stages) == 1 else And(stages))
    return [*found, rest] if rest is not None else found


def _in_place(formula: Quantified) -> bool:
    """Whether the body is one clause that may name the thing itself: "every block is open"."""
    body = formula.body
    return (
        formula.quantity.kind in ("all", "some")
        and not formula.quantity.there
        and not formula.apart_from
        and isinstance(body, Prop)
        and body.args.count(formula.variable) == 1
        and not any(isinstance(a, Phrase) for a in body.args)
    )


def _quantity(quantity: Quantity) -> str:
    if quantity.there:
        return f"each of the {quantity.there}"
    return {"all": "each", "only": "the only"}.get(quantity.kind, str(quantity))


def bare_words(referent: Referent) -> str:
    """Attributes and noun alone: what later mentions of the thing repeat."""
    return describe(replace(referent, relations=(), quantifier="the")).removeprefix("the ")


def _unused_name(formula: Quantified) -> str:
    """What the thing is called: its bare description, numbered if that is taken already."""
    bare = bare_words(formula.domain)
    terms = [a for f in walk(formula.body) if isinstance(f, Prop) for a in f.args]
    taken = {str(t) for t in (*terms, *formula.apart_from) if isinstance(t, Phrase)}
    further = (f"{n}th" for n in count(len(ORDINALS) + 2))
    names = (bare, *(f"{o} {bare}" for o in ORDINALS)), (f"{o} {bare}" for o in further)
    return next(n for n in chain(*names) if f"that {n}" not in taken)


def _named(formula: Formula, variable: Variable, words: str) -> Formula:
    """The formula with the variable's places taken by words."""

    def term(t: Term) -> Term:
        return Phrase(words) if t == variable else t

    match formula:
        case Prop(predicate, args):
            return Prop(predicate, tuple(map(term, args)))
        case Quantified():
            apart = tuple(map(term, formula.apart_from))
            own = formula.variable == variable
            body = formula.body if own else _named(formula.body, variable, words)
            return replace(formula, body=body, apart_from=apart)
        case _:
            return with_children(formula, [_named(c, variable, words) for c in children(formula)])


def _joined_by_and(words: list[str]) -> str:
    return " and ".join(words) if len(words) < 3 else f"{', '.join(words[:-1])} and {words[-1]}"


def _is_literal(formula: Formula) -> bool:
    return isinstance(formula.arg if isinstance(formula, Not) else formula, Prop)


def _stages(body: Formula) -> tuple[tuple[Formula, ...], Formula | None]:
    """What an "at some point" asks for first, and the "at some point" that comes after it."""
    if isinstance(body, And) and len(body.args) > 1:
        *first, last = body.args
        if isinstance(last.arg if isinstance(last, Next) else last, Eventually):
            return tuple(first), last
    return (body,), None


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]
