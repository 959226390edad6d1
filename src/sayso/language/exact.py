"""The exact wording of formulas, in which tasks are read back, as formulas again.

`sayso.logic.english` words a formula, the last part of `english.grammar` reads these words, and
the makers here build the formula from what it labels. `the_task` joins the sentences.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.language.events import at_least, at_most
from sayso.language.meaning import At
from sayso.language.nouns import Noun, nth_from
from sayso.logic.english import plural
from sayso.logic.formula import (
    ALL,
    SOME,
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
    conjunction,
    walk,
    with_children,
)

MAX_TIMES = 20


@dataclass(frozen=True)
class Statement:
    """One sentence of a task in its exact wording.

    Attributes:
        operator: "whole" for a formula of its own; the others need the sentence before or after:
            first | after | later, awaited | until then.
    """

    operator: str
    formula: Formula


@dataclass(frozen=True, order=True)
class Mention(Variable):
    """ "that second red block": the thing of the nearest quantifier around it that names such."""

    thing: Referent
    nth: int


@dataclass(frozen=True, order=True)
class InPlace(Variable):
    """ "every red block", "some red block" within a clause."""

    domain: Referent
    quantity: Quantity


@dataclass(frozen=True)
class Domain:
    """ "for at least 2 second red blocks left of the mug other than that red block".

    Attributes:
        nth: which of several of this description, from 1.
        several: whether the noun was said in the plural.
    """

    quantity: Quantity
    described: Described
    nth: int
    apart: tuple[Term, ...]
    several: bool

    @property
    def thing(self) -> Referent:
        """The description, its noun in the singular as far as that is known."""
        noun = self.described.noun
        if not self.several or noun.plural:
            return self.described.thing
        return replace(self.described.thing, noun=noun.perhaps or noun.text)

    def names(self, mention: Mention) -> bool:
        """Whether "that ..." means such a thing."""
        own, said = self.described.thing, mention.thing
        if (self.nth, own.attributes) != (mention.nth, said.attributes):
            return False
        if not self.several:
            return own.noun == said.noun
        noun = self.described.noun
        return plural(said.noun) == (plural(noun.text) if noun.plural else noun.text)


def the_task(statements: Sequence[Statement]) -> Formula:
    """What sentences in the exact wording ask for together.

    Raises:
        SaySoError: NOT_UNDERSTOOD where one of them lacks the sentence that belongs to it, or
            speaks of "that ..." without naming it.
    """
    found: list[Formula] = []
    waiting = list(reversed(statements))
    while waiting:
        one = waiting.pop()
        match one.operator:
            case "whole":
                found.append(one.formula)
            case "first" if waiting and waiting[-1].operator in ("after", "later"):
                found.append(Eventually(_staged(one.formula, waiting)))
            case "awaited" if waiting and waiting[-1].operator == "until then":
                found.append(Until(waiting.pop().formula, one.formula))
            case _:
                raise _incomplete("this sentence lacks one that belongs to it.")
    formula = conjunction(*found)
    for mention in _mentions(formula):
        raise _incomplete(f"'{mention}' stands for nothing.")
    return formula


def _staged(formula: Formula, waiting: list[Statement]) -> Formula:
    """A stage and those after it: "First ...", "After that ...", "At a later step ..."."""
    if not waiting or waiting[-1].operator not in ("after", "later"):
        return formula
    after = waiting.pop()
    rest: Formula = Eventually(_staged(after.formula, waiting))
    return conjunction(formula, Next(rest) if after.operator == "later" else rest)


def _incomplete(message: str) -> SaySoError:
    return SaySoError(
        Code.NOT_UNDERSTOOD, message, hint="say it in full, as it is read back, or in other words."
    )


# -- things -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Described:
    """A description, and its noun as it was said."""

    thing: Referent
    noun: Noun


def _described(
    _at: At, name: Noun, adjectives: tuple[str, ...] = (),
    relations: tuple[Relation, ...] = (),
) -> Described:  # fmt: skip
    attributes = tuple(sorted(set(adjectives)))
    own = tuple(_of_own_kind(r, name.text, attributes) for r in relations)
    return Described(Referent(name.text, attributes, own), name)


def _of_own_kind(relation: Relation, noun: str, attributes: tuple[str, ...]) -> Relation:
    """ "the block third from the left": of the blocks."""
    others = tuple(
        o if o.noun else replace(o, noun=noun, attributes=attributes) for o in relation.others
    )
    return replace(relation, others=others)


def _known(_at: At, thing: Described) -> Referent | None:
    return None if thing.noun.plural else thing.thing


def _landmark(_at: At, article: str = "", **parts: Any) -> Referent | None:
    thing = _known(_at, _described(_at, **parts))
    if thing is None or not (article or thing.number):
        return None
    return replace(thing, quantifier=article or "a")  # type: ignore[arg-type]


def _mention(_at: At, thing: Described, nth: int = 1) -> Mention | None:
    return None if thing.noun.plural else Mention(f"that {thing.thing}", thing.thing, nth)


def _in_place(_at: At, kind: str, thing: Described) -> InPlace | None:
    quantity = ALL if kind == "all" else SOME
    return None if thing.noun.plural else InPlace(f"{kind} {thing.thing}", thing.thing, quantity)


def _relation(_at: At, kind: str, to: Referent, other: Referent | None = None) -> Relation:
    return Relation(kind, (to,) if other is None else (to, other))


def _nothing_there(_at: At, kind: str, of: Described | None = None) -> Relation:
    """ "with nothing on it", "with no block in it"."""
    thing = Referent("thing") if of is None else of.thing
    return Relation(kind, (replace(thing, quantifier="no"),))


def _nth_from(_at: At, kind: str, nth: int) -> Relation | None:
    return nth_from(kind, nth, "", ())


def _domain(
    _at: At, quantity: Quantity, domain: Described, nth: int = 1, apart: tuple[Term, ...] = ()
) -> Domain | None:
    several = quantity.is_plural
    if domain.noun.plural and not several:
        return None
    return Domain(quantity, domain, nth, apart, several)


def _quantified(_at: At, things: Domain, of: Formula) -> Formula:
    """The thing that "that block" is in the body gets a name."""
    named = next((m for m in _mentions(of) if things.names(m)), None)
    domain = things.thing if named is None else replace(things.thing, noun=named.thing.noun)
    variable = Variable(f"x{1 + _depth(of)}")
    body = of if named is None else _substituted(of, named, variable)
    return Quantified(things.quantity, variable, domain, body, things.apart)


def _depth(formula: Formula) -> int:
    own = isinstance(formula, Quantified)
    return own + max((_depth(c) for c in children(formula)), default=0)


def _mentions(formula: Formula) -> Iterator[Mention]:
    """What "that ..." stands for nothing yet."""
    for part in walk(formula):
        terms: tuple[Term, ...] = ()
        if isinstance(part, Prop):
            terms = part.args
        elif isinstance(part, Quantified):
            terms = part.apart_from
        yield from (t for t in terms if isinstance(t, Mention))


def _substituted(formula: Formula, mention: Mention, variable: Variable) -> Formula:
    def term(t: Term) -> Term:
        return variable if t == mention else t

    if isinstance(formula, Prop):
        return Prop(formula.predicate, tuple(map(term, formula.args)))
    parts = [_substituted(c, mention, variable) for c in children(formula)]
    changed = with_children(formula, parts)
    if isinstance(changed, Quantified):
        return replace(changed, apart_from=tuple(map(term, changed.apart_from)))
    return changed


# -- formulas -----------------------------------------------------------------------------


def _literal(_at: At, predicate: str, holds: str, **things: Term) -> Formula | None:
    """A clause about things; "every block" in it only where nothing else could be meant."""
    args = tuple(things[f"a{i}"] for i in range(len(things)))
    places = [a for a in args if isinstance(a, InPlace)]
    if not places:
        prop = Prop(predicate, args)
        return prop if holds == "yes" else Not(prop)
    if len(places) > 1 or holds == "no" or any(isinstance(a, Mention) for a in args):
        return None
    place, variable = places[0], Variable("x1")
    prop = Prop(predicate, tuple(variable if a == place else a for a in args))
    return Quantified(place.quantity, variable, place.domain, prop)


def _one(kind: type[Any]) -> Callable[..., Formula]:
    return lambda _at, of: kind(of)


def _two(kind: type[Any]) -> Callable[..., Formula]:
    return lambda _at, first, second: kind(first, second)


def _joined(kind: type[And] | type[Or]) -> Callable[..., Formula]:
    return lambda _at, of, more: kind((of, *more))


def _times(_at: At, limit: Quantity, of: Formula) -> Formula | None:
    least = 2 if limit.kind == "at least" else 1
    if not least <= limit.number <= MAX_TIMES:
        return None
    return (at_least if limit.kind == "at least" else at_most)(of, limit.number)


def _quantity(_at: At, kind: str, number: int = 1) -> Quantity:
    if kind == "all":
        return Quantity("all", there=number if number > 1 else 0)
    return Quantity(kind, number)  # type: ignore[arg-type]


def _statement(_at: At, operator: str = "whole", of: Formula = Top()) -> Statement:  # noqa: B008
    return Statement(operator, of)


def _apart(_at: At, first: Term, more: tuple[Term, ...] = ()) -> tuple[Term, ...]:
    return (first, *more)


MAKERS: Mapping[str, Callable[..., Any]] = {
    "Statement": _statement, "Literal": _literal, "Quantified": _quantified, "Times": _times,
    "Negated": _one(Not), "Sometime": _one(Eventually), "Throughout": _one(Always),
    "AtNext": _one(Next), "IfNext": _one(WeakNext), "Both": _joined(And), "OneOf": _joined(Or),
    "Awaited": _two(Until), "Released": _two(Release),
    "Implied": lambda _at, first, second: Or((Not(first), second)),
    "AgainAndAgain": lambda _at, of: Always(Eventually(of)),
    "Anything": lambda _at: Top(), "Impossible": lambda _at: Bottom(),
    "Quantity": _quantity, "Domain": _domain, "Apart": _apart, "Known": _known,
    "InPlace": _in_place, "Mention": _mention, "Described": _described,
    "NothingThere": _nothing_there, "NthFrom": _nth_from, "ExactRelation": _relation,
    "ExactLandmark": _landmark,
}  # fmt: skip
"""What the arrows of the exact wording name."""
