"""Corrections in words: small, honest edits of a specification, or a whole new instruction.

    correction  = ["no" | "actually" | ...] edit
    edit        = "not" THING "," THING      another thing in its place, everywhere
                | THING ("not" | "instead of") THING
                | THING ["instead"]           in place of the only other thing of that kind
                | ["the"] "other" THING       the only other thing of the kind that is seen
                | "the one" DESCRIPTION       of the thing in question, or the only one in doubt
                | DESCRIPTION | NAME | "any"  an answer to the question which one is meant
                | THING "first"               that step goes first
                | [THING] ("after" | "before") THING ["," "not" ("before" | "after")]
                | "never mind" THING          no step and no rule about it
                | RULE                        a further rule
                | "then" STEPS | "also" STEPS a further step, at the end or at any time
                | INSTRUCTION                 the whole task anew

Nothing is edited when it is not clear what is meant: the correction is refused.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Protocol

from sayso.core.errors import SaySoError

from sayso.language.edits import Steps, moved, replaced, without
from sayso.language.events import MAX_STEPS, AnyOrder, Event, Sequence, State, achieve, too_long
from sayso.language.flat.things import same_thing
from sayso.language.lexicon import THEN, Lexicon
from sayso.language.phrases import Group
from sayso.language.tokens import Cursor
from sayso.logic.english import describe
from sayso.logic.formula import (
    COLORS,
    SIZES,
    Formula,
    Referent,
    conjunction,
    propositions,
    referents_of,
)
from sayso.logic.specification import Specification

_OPENINGS = (
    "no", "nope", "wrong", "sorry", "actually", "i meant", "i mean", "i said", "rather", "but",
)  # fmt: skip
_INSTEAD_OF = ("not", "instead of", "rather than")


_NEVER_MIND = (
    "never mind", "never mind about", "forget", "forget about", "leave out", "skip",
)  # fmt: skip
_OTHER = ("the other", "another", "a different", "other", "some other", "any other")
_ANY = (
    "any", "either", "any one", "any of them", "either one", "either of them", "whichever",
    "any one of them", "one of them", "it does not matter",
)  # fmt: skip


class Seen(Protocol):
    """What the scene says about the referents of a reading.

    Attributes:
        question: what the person was asked about the reading; '' if nothing.
        asked: the referent in question, or None.
        ambiguous: whether several things fit it, rather than none.
        names: of the things that it could be.
        doubtful: referents of whose kind the scene has several.
    """

    @property
    def question(self) -> str: ...
    @property
    def asked(self) -> Referent | None: ...
    @property
    def ambiguous(self) -> bool: ...
    @property
    def names(self) -> tuple[str, ...]: ...
    @property
    def doubtful(self) -> tuple[Referent, ...]: ...

    def alike(self, noun: str, other: str) -> bool:
        """Whether two nouns name the same kind of thing."""

    def other(self, mentioned: Referent, wanted: Referent) -> Referent:
        """A description of the only thing that fits `wanted` and is not the one `mentioned`.

        Raises AMBIGUOUS with what they are if there are several, UNKNOWN_OBJECT if there is none.
        """

    def named(self, name: str) -> Referent | None:
        """A description that only the thing of this name fits; None if there is none."""


def correct(
    spec: Specification, words: str, lexicon: Lexicon, seen: Seen | None = None
) -> Specification:
    """The next version of a specification.

    Raises:
        SaySoError: NOT_UNDERSTOOD with the span of the words (of the correction) at fault;
            AMBIGUOUS or UNKNOWN_OBJECT where "the other ..." is not one thing.
    """
    result = _Correction(spec, words, lexicon, seen).result()
    if result.instruction != spec.instruction:
        return replace(result, corrections=())  # a whole new instruction
    return replace(result, corrections=(*spec.corrections, words))


class _Correction:
    def __init__(
        self, spec: Specification, words: str, lexicon: Lexicon, seen: Seen | None
    ) -> None:
        self._spec = spec
        self._seen = seen
        self._words = words
        self._lexicon = lexicon
        self._cursor = Cursor(words)
        self._things = dialects.noun_phrases(self._cursor, lexicon)
        self._mentioned = referents_of(spec.formula, landmarks=True)
        self._things.remember(Group((r,)) for r in self._mentioned)

    def result(self) -> Specification:
        cursor = self._cursor
        while cursor.take(*_OPENINGS, ","):
            pass
        if cursor.ended:
            raise cursor.error(
                "nothing is corrected.", hint="say what you meant, or the whole instruction."
            )
        edited = self._edit()
        return self._anew() if edited is None else self._edited(edited)

    def _edit(self) -> Formula | None:
        """The edited formula; None where the words are none of the edits."""
        cursor = self._cursor
        if (answer := self._answer()) is not None:
            return answer
        if cursor.take(*_NEVER_MIND):
            return self._left_out()
        if cursor.at("not"):
            return self._not_this_but_that()
        if self._seen and cursor.at(*_OTHER):
            return self._other_thing(self._seen)
        if cursor.at("after", "before"):
            return self._order_alone()
        if (one := self._one_in_doubt()) is not None:
            return self._described_anew(one)
        if self._things.starts():
            return self._thing()
        if cursor.at(*THEN, "also"):
            return self._extended(at_end=cursor.take(*THEN, "also") != "also")
        return None

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
        return replaced(self._spec.formula, old, new)

    def _thing(self) -> Formula:
        """What begins with a thing."""
        cursor = self._cursor
        new = self._things.one()
        if cursor.take("first"):
            self._end()
            return self._reordered(new)
        if cursor.at("after", "before"):
            return self._in_order(self._known(new, 0))
        cursor.take(",")
        if cursor.take(*_INSTEAD_OF):
            start = cursor.position
            old = self._known(self._things.one(), start)
        else:
            cursor.take("instead")
            old = self._only_other(new)
        self._end()
        return replaced(self._spec.formula, old, new)

    def _known(self, thing: Referent, start: int) -> Referent:
        for referent in self._mentioned:
            if replace(referent, quantifier="the") == replace(thing, quantifier="the"):
                return referent
        same = [r for r in same_thing(thing, self._mentioned) if r in self._mentioned]
        if len(same) == 1:
            return same[0]
        raise self._refusal(f"{describe(thing)} is not part of the task.", start)

    def _only_other(self, new: Referent) -> Referent:
        others = [r for r in self._mentioned if self._alike(r, new) and r != new]
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

    # -- which one is meant --------------------------------------------------------------

    def _alike(self, one: Referent, other: Referent) -> bool:
        if one.noun == other.noun:
            return True
        return self._seen is not None and self._seen.alike(one.noun, other.noun)

    def _answer(self) -> Formula | None:
        """An answer to the question which one is meant; None if the words are something else."""
        seen, cursor = self._seen, self._cursor
        if seen is None or seen.asked is None:
            return None
        start, formula = cursor.position, self._spec.formula
        name = "_".join(t.text for t in cursor.tokens[start:] if not t.is_mark)
        if name.removeprefix("the_") in seen.names:
            thing = seen.named(name.removeprefix("the_"))
            return None if thing is None else replaced(formula, seen.asked, thing)
        if cursor.take(*_ANY):
            if self._at_end():
                return replaced(formula, seen.asked, replace(seen.asked, quantifier="a"))
            cursor.position = start
        self._things.on_describes = True
        attributes, relations = self._things.description()
        if (attributes or relations) and self._at_end():
            new = Referent(seen.asked.noun, attributes, relations)
            return replaced(formula, seen.asked, self._merged(seen.asked, new))
        cursor.position = start
        return None

    def _at_end(self) -> bool:
        while self._cursor.take(".", "!", ",", "please"):
            pass
        return self._cursor.ended

    def _one_in_doubt(self) -> Referent | None:
        """What "the one ..." or "the green one" stands for, where that is clear."""
        if self._seen is None or not self._says_one():
            return None
        doubtful = self._seen.doubtful
        return self._seen.asked or (doubtful[0] if len(doubtful) == 1 else None)

    def _says_one(self) -> bool:
        words = [t.text for t in self._cursor.tokens[self._cursor.position :]]
        adjectives = (*COLORS, *SIZES, "the", "large", "little")
        return next((w for w in words if w not in adjectives), "") == "one" and words[0] != "one"

    def _described_anew(self, old: Referent) -> Formula:
        self._things.remember((Group((old,)),))
        self._things.on_describes = True
        new = self._things.one()
        self._cursor.take("instead")
        self._end()
        return replaced(self._spec.formula, old, self._merged(old, new))

    def _merged(self, old: Referent, new: Referent) -> Referent:
        """What tells several things in question apart adds to the description; else it is new."""
        if not (self._seen and self._seen.asked == old and self._seen.ambiguous):
            return replace(old, attributes=new.attributes, relations=new.relations)
        relations = tuple(dict.fromkeys((*old.relations, *new.relations)))
        attributes: tuple[str, ...] = ()
        for kind in (COLORS, SIZES):
            said = tuple(a for a in new.attributes if a in kind)
            attributes += said or tuple(a for a in old.attributes if a in kind)
        return replace(old, attributes=tuple(sorted(attributes)), relations=relations)

    def _other_thing(self, seen: Seen) -> Formula:
        """ "the other sofa": not the one that was chosen."""
        start = self._cursor.position
        self._cursor.take(*_OTHER)
        if self._cursor.take("one"):
            old = self._the_doubtful(seen, start)
            wanted = Referent(old.noun, *self._things.description())
        else:
            wanted = replace(self._things.one(), quantifier="the")
            fitting = [r for r in self._mentioned if self._alike(r, wanted)]
            if len(fitting) != 1:
                cause = "several things" if fitting else "nothing"
                raise self._refusal(f"{cause} in the task could be meant by that.", start)
            old = fitting[0]
        self._cursor.take("instead")
        self._end()
        return replaced(self._spec.formula, old, seen.other(old, wanted))

    def _the_doubtful(self, seen: Seen, start: int) -> Referent:
        if len(seen.doubtful) != 1:
            raise self._refusal("it is not clear what 'one' stands for.", start)
        return seen.doubtful[0]

    # -- steps and rules -----------------------------------------------------------------

    def _reordered(self, thing: Referent) -> Formula:
        """The step about the thing first, the others after it in their order."""
        task = Steps.of(self._spec.formula)
        steps, rest, ordered = task.steps, task.rest, task.ordered
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

    def _order_alone(self) -> Formula | None:
        """ "after the fridge, not before"; None if this begins a whole instruction."""
        start = self._cursor.position
        if self._things.starts(ahead=1):
            self._pivot()
            if self._at_end():
                self._cursor.position = start
                return self._in_order(None)
        self._cursor.position = start
        return None

    def _in_order(self, subject: Referent | None) -> Formula:
        """A step after or before another one."""
        start = self._cursor.position
        pivot, after = self._pivot()
        self._end()
        known = self._known(pivot, start)
        return self._clear(lambda: moved(self._spec.formula, known, subject, after=after), start)

    def _pivot(self) -> tuple[Referent, bool]:
        cursor = self._cursor
        after = cursor.take("after", "before") == "after"
        pivot = self._things.one()
        while cursor.take(",", "and", "but"):
            pass
        if cursor.take("not"):
            cursor.need("before" if after else "after", after="'not'")
            cursor.take("it", "that", "this")
        return pivot, after

    def _left_out(self) -> Formula:
        """ "never mind the cat": no step and no rule is about it."""
        start = self._cursor.position
        thing = self._known(self._things.one(), start)
        self._end()
        return self._clear(lambda: without(self._spec.formula, thing), start)

    def _clear(self, edit: Callable[[], Formula], start: int) -> Formula:
        """The edited formula; a refusal points at the words from token `start`."""
        try:
            return edit()
        except SaySoError as error:
            raise self._refusal(error.message, start, error.hint) from error

    def _extended(self, *, at_end: bool) -> Formula:
        added = self._sentences()
        event, rules = added.parts()
        old = self._spec.formula
        if not at_end:
            return conjunction(old, achieve(event), *rules)
        task = Steps.of(old)
        steps, rest = task.steps, task.rest
        if not task.ordered or task.endless:
            raise self._refusal(
                "it is not clear after which step this comes.",
                0,
                hint="say the whole instruction again.",
            )
        extended = Sequence((*(State(s) for s in steps), *event.events))
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
