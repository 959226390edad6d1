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

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Literal, Protocol

from sayso.core.errors import SaySoError
from sayso.language import controlled_english
from sayso.language.controlled_english import Refuse
from sayso.language.edits import Steps, moved, replaced, without
from sayso.language.entities import Entity, Group, same_thing
from sayso.language.events import MAX_STEPS, AnyOrder, Event, State, achieve, too_long
from sayso.language.events import Sequence as InOrder
from sayso.language.lexicon import Lexicon
from sayso.language.meaning import Edit, Named, Pronoun, Thing
from sayso.language.references import Discourse
from sayso.language.sentences import Task
from sayso.language.tokens import STOPS, Token, tokenize
from sayso.logic.english import describe
from sayso.logic.formula import (
    COLORS,
    SIZES,
    Formula,
    Quantifier,
    Referent,
    Relation,
    conjunction,
    propositions,
    referents_of,
)
from sayso.logic.scope import scoped
from sayso.logic.specification import Specification

_OPENINGS = tuple(
    tuple(words.split())
    for words in (
        "no", "nope", "wrong", "sorry", "actually", "i meant", "i mean", "i said", "rather", "but",
        "wait", "that is wrong",
    )
)  # fmt: skip
_RANK = ("any", "described", "not but", "first", "order", "left out", "instead")


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


def addition(words: str, spec: Specification, lexicon: Lexicon) -> Literal["rule", "step", ""]:
    """Whether words add a rule or a further step to a task; "" where they change it."""
    mentioned = referents_of(spec.formula, landmarks=True)
    with suppress(SaySoError):
        task = controlled_english.read(words, lexicon, mentioned)
        if _is_further(task):
            return "step" if task.course.has_steps else "rule"
    return ""


def is_edit(words: str, lexicon: Lexicon) -> bool:
    """Whether words change a task by their form: "not the plate", "No, put ..."; "no block may be
    on the plate" adds to it."""
    spoken = tokenize(words)
    tokens = _without_opening(spoken)
    opening = spoken[: len(spoken) - len(tokens)]
    if any(t.is_mark for t in opening):
        return True
    with suppress(SaySoError):
        if opening:
            controlled_english.read(words, lexicon)
        return not opening and bool(
            controlled_english.parse(tokens, lexicon, Refuse(words, tokens), "edit")
        )
    return bool(opening)


def _is_further(task: Task) -> bool:
    return task.openings[:1] in (("then",), ("also",)) or not task.course.has_steps


class _Correction:
    def __init__(
        self, spec: Specification, words: str, lexicon: Lexicon, seen: Seen | None
    ) -> None:
        self._spec = spec
        self._seen = seen
        self._words = words
        self._lexicon = lexicon
        self._tokens = _without_opening(tokenize(words))
        self._refuse = Refuse(words, self._tokens)
        self._mentioned = referents_of(spec.formula, landmarks=True)
        self._discourse = Discourse(lexicon, self._refuse)
        self._unread: SaySoError | None = None
        self._discourse.item_before = tuple(Group((Entity(r),)) for r in self._mentioned)

    def result(self) -> Specification:
        if not any(not t.is_mark for t in self._tokens):
            raise self._refuse(
                (0, 0),
                "nothing is corrected.",
                hint="say what you meant, or the whole instruction.",
            )
        edit = self._read()
        formula = self._named() or (None if edit is None else self._edited(edit))
        if formula is None:
            return self._anew()
        return replace(self._spec, formula=scoped(formula), version=self._spec.version + 1)

    def _read(self) -> Edit | None:
        """The edit that the words say; None where they are none."""
        tokens = tuple(replace(t, text=",") if t.text in STOPS else t for t in self._tokens)
        while tokens and tokens[-1].is_mark:
            tokens = tokens[:-1]
        try:
            readings = controlled_english.parse(tokens, self._lexicon, self._refuse, "edit")
        except SaySoError as error:
            self._unread = error
            return None
        edits = [e for e in readings if isinstance(e, Edit)]
        if self._seen is None or self._seen.asked is None:
            edits = [e for e in edits if e.kind not in ("any", "described")]
        if not edits:
            return None
        return min(edits, key=lambda e: (readings[e], _RANK.index(e.kind)))

    def _edited(self, edit: Edit) -> Formula | None:
        seen = self._seen
        match edit.kind:
            case "any" | "described":
                return self._answer(edit)
            case "left out":
                return self._left_out(edit)
            case "order":
                return self._in_order(edit)
            case "first":
                return self._reordered(self._referent(edit.new), edit.at)
            case "not but":
                assert edit.old is not None
                old = self._known(self._referent(edit.old), edit.old)
                return replaced(self._spec.formula, old, self._referent(edit.new))
        new = edit.new
        if isinstance(new, Thing) and new.determiner in ("the other", "another", "any other"):
            return None if seen is None else self._other_thing(seen, new)
        if isinstance(new, Pronoun) and new.kind in ("the other", "another"):
            one = Thing("the other", at=new.at)
            return None if seen is None else self._other_thing(seen, one)
        if isinstance(new, Thing) and not new.noun and (one_in := self._one_in_doubt()) is not None:
            thing = Referent(one_in.noun, new.attributes, self._relations(new))
            return replaced(self._spec.formula, one_in, self._merged(one_in, thing))
        if isinstance(new, Thing) and not new.determiner and self._lexicon.unknown(new.noun):
            return None
        referent = self._referent(new)
        return replaced(self._spec.formula, self._only_other(referent, edit.at), referent)

    # -- another thing -------------------------------------------------------------------

    def _referent(self, thing: Named | None) -> Referent:
        assert thing is not None
        entity = self._discourse.one(thing, "goal").entities[0]
        kinds: dict[str, Quantifier] = {"all": "all", "some": "a"}
        kind = entity.quantity.kind if entity.quantity else "the"
        if kind not in ("the", *kinds) or entity.apart:
            raise self._refuse(
                getattr(thing, "at", (0, 1)), "a number of things cannot be put in its place.",
                hint="say the whole instruction again.",
            )  # fmt: skip
        return replace(entity.referent, quantifier=kinds.get(kind, "the"))

    def _relations(self, thing: Thing | Edit) -> tuple[Relation, ...]:
        return tuple(self._discourse.relation(r, thing.at) for r in thing.relations)

    def _known(self, thing: Referent, said: Named) -> Referent:
        for referent in self._mentioned:
            if replace(referent, quantifier="the") == replace(thing, quantifier="the"):
                return referent
        same = [r for r in same_thing(thing, self._mentioned) if r in self._mentioned]
        if len(same) == 1:
            return same[0]
        raise self._refusal(
            f"{describe(thing)} is not part of the task.", getattr(said, "at", (0, 1))
        )

    def _only_other(self, new: Referent, at: tuple[int, int]) -> Referent:
        others = [r for r in self._mentioned if self._alike(r, new) and r != new]
        if len(others) == 1:
            return others[0]
        cause = "several things" if others else "nothing"
        raise self._refusal(
            f"{cause} in the task could be meant instead of {describe(new)}.",
            at,
            hint="say 'not the ..., the ...'.",
        )

    def _refusal(self, cause: str, at: tuple[int, int], hint: str = "") -> SaySoError:
        return self._refuse(at, cause, hint=hint, choices=map(describe, self._mentioned))

    # -- which one is meant --------------------------------------------------------------

    def _alike(self, one: Referent, other: Referent) -> bool:
        if one.noun == other.noun:
            return True
        return self._seen is not None and self._seen.alike(one.noun, other.noun)

    def _named(self) -> Formula | None:
        """A name that was listed, as an answer to the question which one is meant."""
        seen = self._seen
        if seen is None or seen.asked is None:
            return None
        words = (t.text.removeprefix("#") for t in self._tokens if not t.is_mark)
        name = "_".join(words).removeprefix("the_")
        if name not in seen.names:
            return None
        thing = seen.named(name)
        return None if thing is None else replaced(self._spec.formula, seen.asked, thing)

    def _answer(self, edit: Edit) -> Formula | None:
        """An answer to the question which one is meant; None if nothing was asked."""
        seen = self._seen
        asked = seen.asked if seen is not None else None
        if asked is None:
            return None
        if edit.kind == "any":
            return replaced(self._spec.formula, asked, replace(asked, quantifier="a"))
        attributes = tuple(sorted(set(edit.adjectives)))
        new = Referent(asked.noun, attributes, self._relations(edit))
        return replaced(self._spec.formula, asked, self._merged(asked, new))

    def _one_in_doubt(self) -> Referent | None:
        """What "the one ..." or "the green one" stands for, where that is clear."""
        if self._seen is None:
            return None
        doubtful = self._seen.doubtful
        return self._seen.asked or (doubtful[0] if len(doubtful) == 1 else None)

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

    def _other_thing(self, seen: Seen, thing: Thing) -> Formula:
        """ "the other sofa": not the one that was chosen."""
        if not thing.noun:
            if len(seen.doubtful) != 1:
                raise self._refusal("it is not clear what 'one' stands for.", thing.at)
            old = seen.doubtful[0]
            wanted = Referent(old.noun, thing.attributes, self._relations(thing))
            return replaced(self._spec.formula, old, seen.other(old, wanted))
        wanted = Referent(thing.noun, thing.attributes, self._relations(thing))
        fitting = [r for r in self._mentioned if self._alike(r, wanted)]
        if len(fitting) != 1:
            cause = "several things" if fitting else "nothing"
            raise self._refusal(f"{cause} in the task could be meant by that.", thing.at)
        return replaced(self._spec.formula, fitting[0], seen.other(fitting[0], wanted))

    # -- steps and rules -----------------------------------------------------------------

    def _reordered(self, thing: Referent, at: tuple[int, int]) -> Formula:
        """The step about the thing first, the others after it in their order."""
        task = Steps.of(self._spec.formula)
        steps, rest, ordered = task.steps, task.rest, task.ordered
        about = [s for s in steps if any(p.args[:1] == (thing,) for p in propositions(s))]
        if len(about) != 1 or len(steps) < 2:
            raise self._refusal(
                f"it is not clear which step with {describe(thing)} should go first.",
                at,
                hint="say the whole instruction in the new order.",
            )
        others = tuple(State(s) for s in steps if s is not about[0])
        after: Event = InOrder(others) if ordered else AnyOrder(others)
        return conjunction(achieve(InOrder((State(about[0]), after))), *rest)

    def _in_order(self, edit: Edit) -> Formula:
        """A step after or before another one."""
        assert edit.old is not None
        pivot = self._known(self._referent(edit.old), edit.old)
        subject = None if edit.new is None else self._known(self._referent(edit.new), edit.new)
        return self._clear(
            lambda: moved(self._spec.formula, pivot, subject, after=edit.order == "after"), edit
        )

    def _left_out(self, edit: Edit) -> Formula:
        """ "never mind the cat": no step and no rule is about it."""
        assert edit.old is not None
        thing = self._known(self._referent(edit.old), edit.old)
        return self._clear(lambda: without(self._spec.formula, thing), edit)

    def _clear(self, change: Callable[[], Formula], edit: Edit) -> Formula:
        """The edited formula; a refusal points at the words."""
        try:
            return change()
        except SaySoError as error:
            raise self._refusal(error.message, edit.at, error.hint) from error

    def _anew(self) -> Specification:
        """A rule or a further step is added to the task; anything else replaces it."""
        start = self._tokens[0].start
        text = " " * start + self._words[start:]
        try:
            task = controlled_english.read(text, self._lexicon, self._mentioned)
        except SaySoError as error:
            raise self._further(error) from None
        opening = task.openings[0] if task.openings else ""
        version = self._spec.version + 1
        told = controlled_english.assumed(task)
        if opening == "then":
            formula = self._extended(task)
        elif _is_further(task):
            formula = conjunction(self._spec.formula, task.formula())
        else:
            return replace(
                self._spec, instruction=self._words, formula=task.formula(), version=version,
                assumptions=told, asked=None,
            )  # fmt: skip
        assumptions = tuple(dict.fromkeys((*self._spec.assumptions, *told)))
        return replace(self._spec, formula=formula, version=version, assumptions=assumptions)

    def _further(self, error: SaySoError) -> SaySoError:
        """Of what is wrong with the words as an instruction and as an edit, what comes later."""
        edit = self._unread
        if edit is None or edit.span is None or error.span is None:
            return error
        return edit if edit.span.start > error.span.start else error

    def _extended(self, added: Task) -> Formula:
        """One more step at the end."""
        old = Steps.of(self._spec.formula)
        if not old.ordered or old.endless:
            raise self._refusal(
                "it is not clear after which step this comes.", (0, len(self._tokens)),
                hint="say the whole instruction again.",
            )  # fmt: skip
        event = InOrder((*(State(s) for s in old.steps), *added.course.event().events))
        if too_long(event):
            raise self._refusal(f"a task has at most {MAX_STEPS} steps.", (0, len(self._tokens)))
        return conjunction(
            added.course.close(conjunction(achieve(event), *added.course.rules)), *old.rest
        )


def _without_opening(tokens: Sequence[Token]) -> tuple[Token, ...]:
    """The words after "no" and its like."""
    left = tuple(tokens)
    while True:
        while left and left[0].is_mark:
            left = left[1:]
        words = tuple(t.text for t in left)
        found = [o for o in _OPENINGS if words[: len(o)] == o]
        if not found:
            return left
        left = left[len(max(found, key=len)) :]
