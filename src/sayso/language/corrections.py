"""Corrections in words: small, honest edits of a specification, or a whole new instruction.

    correction  = ["no" | "actually" | ...] edit
    edit        = "not" THING "," THING      another thing in its place, everywhere
                | THING ("not" | "instead of") THING
                | THING ["instead"]           in place of the only other thing of that kind
                | THING "first"               that step goes first
                | RULE                        a further rule
                | "then" STEPS | "also" STEPS a further step, at the end or at any time
                | INSTRUCTION                 the whole task anew

Nothing is edited when it is not clear what is meant: the correction is refused.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import replace

from sayso.core.errors import SaySoError
from sayso.language import dialects
from sayso.language.events import MAX_STEPS, AnyOrder, Event, Sequence, State, achieve, too_long
from sayso.language.lexicon import THEN, Lexicon
from sayso.language.phrases import Group
from sayso.language.tokens import Cursor
from sayso.logic.english import describe
from sayso.logic.formula import (
    And,
    Eventually,
    Formula,
    Prop,
    Referent,
    Relation,
    Term,
    conjunction,
    map_propositions,
    propositions,
)
from sayso.logic.specification import Specification

_OPENINGS = (
    "no", "nope", "wrong", "sorry", "actually", "i meant", "i mean", "i said", "rather", "but",
)  # fmt: skip
_INSTEAD_OF = ("not", "instead of", "rather than")


def correct(spec: Specification, words: str, lexicon: Lexicon) -> Specification:
    """The next version of a specification.

    Raises:
        SaySoError: NOT_UNDERSTOOD with the span of the words (of the correction) at fault.
    """
    return _Correction(spec, words, lexicon).result()


class _Correction:
    def __init__(self, spec: Specification, words: str, lexicon: Lexicon) -> None:
        self._spec = spec
        self._words = words
        self._lexicon = lexicon
        self._cursor = Cursor(words)
        self._things = dialects.noun_phrases(self._cursor, lexicon)
        self._mentioned = _referents(spec.formula)
        self._things.remember(Group((r,)) for r in self._mentioned)

    def result(self) -> Specification:
        cursor = self._cursor
        while cursor.take(*_OPENINGS, ","):
            pass
        if cursor.ended:
            raise cursor.error(
                "nothing is corrected.", hint="say what you meant, or the whole instruction."
            )
        if cursor.at("not"):
            return self._edited(self._not_this_but_that())
        if self._things.starts():
            return self._edited(self._thing())
        if cursor.at(*THEN, "also"):
            return self._edited(self._extended(at_end=cursor.take(*THEN, "also") != "also"))
        return self._anew()

    def _edited(self, formula: Formula) -> Specification:
        return replace(self._spec, formula=formula, version=self._spec.version + 1)

    # -- another thing -------------------------------------------------------------------

    def _not_this_but_that(self) -> Formula:
        """ "not the red block, the green one"."""
        self._cursor.take("not")
        start = self._cursor.position
        old = self._known(self._things.one(), start)
        while self._cursor.take(",", "but", "."):
            pass
        new = self._things.one()
        self._end()
        return _replaced(self._spec.formula, old, new)

    def _thing(self) -> Formula:
        """What begins with a thing."""
        cursor = self._cursor
        new = self._things.one()
        if cursor.take("first"):
            self._end()
            return self._reordered(new)
        cursor.take(",")
        if cursor.take(*_INSTEAD_OF):
            start = cursor.position
            old = self._known(self._things.one(), start)
        else:
            cursor.take("instead")
            old = self._only_other(new)
        self._end()
        return _replaced(self._spec.formula, old, new)

    def _known(self, thing: Referent, start: int) -> Referent:
        for referent in self._mentioned:
            if replace(referent, quantifier="the") == replace(thing, quantifier="the"):
                return referent
        raise self._refusal(f"{describe(thing)} is not part of the task.", start)

    def _only_other(self, new: Referent) -> Referent:
        others = [r for r in self._mentioned if r.noun == new.noun and r != new]
        if len(others) == 1:
            return others[0]
        cause = "several things" if others else "nothing"
        raise self._refusal(
            f"{cause} in the task could be meant instead of {describe(new)}.",
            0,
            hint="say 'not the ..., the ...'.",
        )

    def _refusal(self, cause: str, start: int, hint: str = "") -> SaySoError:
        return self._cursor.error(
            cause, hint=hint, choices=map(describe, self._mentioned), start=start
        )

    def _end(self) -> None:
        while self._cursor.take(".", "!", ",", "please"):
            pass
        if not self._cursor.ended:
            raise self._cursor.unexpected(("first", "instead", "not the ..."))

    # -- steps and rules -----------------------------------------------------------------

    def _reordered(self, thing: Referent) -> Formula:
        """The step about the thing first, the others after it in their order."""
        steps, rest, ordered = _steps(self._spec.formula)
        about = [s for s in steps if any(p.args[:1] == (thing,) for p in propositions(s))]
        if len(about) != 1 or len(steps) < 2:
            raise self._refusal(
                f"it is not clear which step with {describe(thing)} should go first.",
                0,
                hint="say the whole instruction in the new order.",
            )
        others = tuple(State(s) for s in steps if s is not about[0])
        after: Event = Sequence(others) if ordered else AnyOrder(others)
        return conjunction(achieve(Sequence((State(about[0]), after))), *rest)

    def _extended(self, *, at_end: bool) -> Formula:
        added = self._sentences()
        event, rules = added.parts()
        old = self._spec.formula
        if not at_end:
            return conjunction(old, achieve(event), *rules)
        steps, rest, ordered = _steps(old)
        if not ordered:
            raise self._refusal(
                "it is not clear after which step this comes.",
                0,
                hint="say the whole instruction again.",
            )
        extended = Sequence((*(State(s) for s in steps), event))
        if too_long(extended):
            raise self._refusal(f"a task has at most {MAX_STEPS} steps.", 0)
        return conjunction(achieve(extended), *rest, *rules)

    def _anew(self) -> Specification:
        """A rule is added to the task; anything else replaces it."""
        event, rules = self._sentences().parts()
        version = self._spec.version + 1
        if event == Sequence(()):
            formula = conjunction(self._spec.formula, *rules)
            return replace(self._spec, formula=formula, version=version)
        formula = conjunction(achieve(event), *rules)
        return replace(self._spec, instruction=self._words, formula=formula, version=version)

    def _sentences(self) -> dialects.Reader:
        """A parser for the words from here on, whose spans are those of the whole words."""
        if self._cursor.ended:
            raise self._cursor.unexpected(("put", "open", "never"))
        start = self._cursor.tokens[self._cursor.position].start
        text = " " * start + self._words[start:]
        return dialects.sentences(text, self._lexicon, self._mentioned)


def _steps(formula: Formula) -> tuple[tuple[Formula, ...], tuple[Formula, ...], bool]:
    """The steps of a task, its other conjuncts, and whether the steps are in an order.

    `F(a & F(b)) & G(c)` has the steps a, b in order and the rest `G(c)`; `F(a) & F(b)` has the
    steps a, b in no order; so has `F(a & b)`, whose steps are to hold at the same time.
    """
    members = formula.args if isinstance(formula, And) else (formula,)
    tasks = [m.arg for m in members if isinstance(m, Eventually)]
    rest = tuple(m for m in members if not isinstance(m, Eventually))
    if len(tasks) != 1:
        return tuple(tasks), rest, False
    steps = _spine(tasks[0])
    if len(steps) == 1 and isinstance(steps[0], And):
        return steps[0].args, rest, True
    return steps, rest, True


def _spine(body: Formula) -> tuple[Formula, ...]:
    if isinstance(body, And) and isinstance(body.args[-1], Eventually):
        return (conjunction(*body.args[:-1]), *_spine(body.args[-1].arg))
    return (body,)


def _replaced(formula: Formula, old: Referent, new: Referent) -> Formula:
    def change(prop: Prop) -> Formula:
        return Prop(prop.predicate, tuple(_term(a, old, new) for a in prop.args))

    return map_propositions(formula, change)


def _term(term: Term, old: Referent, new: Referent) -> Term:
    if isinstance(term, str) or term == old:
        return new if term == old else term
    return _inside(term, old, new)


def _inside(referent: Referent, old: Referent, new: Referent) -> Referent:
    relations = tuple(
        Relation(r.comparator, tuple(new if o == old else _inside(o, old, new) for o in r.others))
        for r in referent.relations
    )
    return replace(referent, relations=relations)


def _referents(formula: Formula) -> Seq[Referent]:
    """All referents of a formula, landmarks too, in order of appearance."""
    found: dict[Referent, None] = {}

    def visit(referent: Referent) -> None:
        found[referent] = None
        for relation in referent.relations:
            for other in relation.others:
                visit(other)

    for prop in propositions(formula):
        for arg in prop.args:
            if isinstance(arg, Referent):
                visit(arg)
    return tuple(found)
