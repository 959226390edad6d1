"""Instructions to formulas: how sentences make one task.

A `Task` grows sentence by sentence. `course.py` joins the steps, `groups.py`, `items.py`, `acts.py`
and `conditionals.py` find them in a sentence. What a clause asks for is worked out in
`clauses.py`, what it forbids in `rules.py`.
"""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace

from sayso.core.errors import SaySoError
from sayso.language import exact
from sayso.language import meaning as m
from sayso.language.acts import Acts
from sayso.language.asked import held_back
from sayso.language.clauses import Clauses
from sayso.language.conditionals import Conditionals
from sayso.language.corrected import UnclearCorrectionError, UnfitCorrectionError
from sayso.language.course import END, Course
from sayso.language.doubts import refuse_unclear
from sayso.language.entities import Entity, Group, Refuse, UnclearRoleError
from sayso.language.events import AnyOrder, Sequence
from sayso.language.groups import FORBIDDEN_TOO, Groups
from sayso.language.items import Items
from sayso.language.lexicon import Lexicon
from sayso.language.mending import Mending
from sayso.language.orders import AS_ORDER
from sayso.language.references import Discourse
from sayso.language.standing import Standing
from sayso.language.steps import Done
from sayso.logic.formula import Formula, Or, Referent

_CORRECTING = (m.AS_CORRECTION, m.AS_SECOND_THOUGHT)
_BESIDE = (".", "then", "also", "after that")
"""How a sentence begins that says one thing more."""
_MIXED = "it is not clear how this goes with what was said before."


@dataclass
class Task:
    """What was asked for so far.

    Attributes:
        openings: how each sentence began: "then", "also", ...
        statements: sentences in the exact wording.
        manners: verbs that say more than what is asked for.
        earlier: the task before the last sentence, and that sentence: what comes may correct it.
        aside: the words that ask for nothing, as they were said.
        ended_first: whether what was said first is of the time "when you are done".
    """

    course: Course
    openings: tuple[str, ...] = ()
    statements: tuple[exact.Statement, ...] = ()
    aside: tuple[str, ...] = ()
    manners: tuple[str, ...] = ()
    earlier: tuple[Task, m.Sentence] | None = None
    ended_first: bool = False

    @staticmethod
    def begin(lexicon: Lexicon, refuse: Refuse, mentioned: Seq[Referent] = ()) -> Task:
        """An empty task; pronouns at its start may stand for what is `mentioned`."""
        discourse = Discourse(lexicon, refuse)
        discourse.item_before = tuple(Group((Entity(r),)) for r in mentioned)
        return Task(Course(Clauses(lexicon, discourse)))

    def copy(self, refuse: Refuse) -> Task:
        discourse = self.course.discourse.copy()
        discourse.refuse = refuse
        clauses = replace(self.course.clauses, discourse=discourse)
        return replace(self, course=replace(self.course, clauses=clauses))

    @property
    def _groups(self) -> Groups:
        return Groups(self.course)

    def _require_before(self, at: m.At) -> None:
        """Refuse to follow what was never said: "once it is put away, ..."."""
        if not self.openings and not self.course.discourse.item_before:
            raise self.course.refuse(
                at, "it is not clear what is to be done before that.", hint="say it first."
            )

    # -- sentences -----------------------------------------------------------------------

    def add(self, sentence: m.Sentence) -> None:
        """One more sentence. Raises NOT_UNDERSTOOD pointing at the words at fault."""
        try:
            sentence = self._mending.sentence(sentence)
        except UnfitCorrectionError:
            unclear = self._unclear_correction(sentence.at)
            raise UnclearRoleError(unclear.code, unclear.message, span=unclear.span) from None
        except UnclearCorrectionError:
            raise self._unclear_correction(sentence.at) from None
        if sentence.opening in _CORRECTING and self.openings and self._takes_back(sentence):
            return
        if sentence.opening == AS_ORDER:
            self._put_in_order(sentence)
            return
        before = self.copy(self.course.refuse)
        self._add(sentence)
        self.earlier = (before, sentence)

    @property
    def _mending(self) -> Mending:
        return Mending(self.course.lexicon)

    def _unclear_correction(self, at: m.At) -> SaySoError:
        return self.course.refuse(
            at, "it is not clear what this takes the place of.", hint="say it in full."
        )

    def _takes_back(self, sentence: m.Sentence) -> bool:
        """Whether a sentence corrects the one before, which is done then. Raises NOT_UNDERSTOOD
        where it is not clear how."""
        if self.earlier is None:
            raise self._unclear_correction(sentence.at)
        before, last = self.earlier
        try:
            mended = self._mending.of_before(last, sentence)
        except UnclearCorrectionError:
            raise self._unclear_correction(sentence.at) from None
        if mended is None:
            return False
        self._say_instead(before, mended, sentence.at)
        return True

    def _put_in_order(self, sentence: m.Sentence) -> None:
        """Raises NOT_UNDERSTOOD where it is not clear which step before comes first, or last."""
        if self.earlier is None:
            raise self._unclear_order(sentence.at)
        before, last = self.earlier
        try:
            ordered = self._mending.in_order(last, sentence)
        except UnclearCorrectionError:
            raise self._unclear_order(sentence.at) from None
        self._say_instead(before, ordered, sentence.at)

    def _unclear_order(self, at: m.At) -> SaySoError:
        return self.course.refuse(
            at, "it is not clear of which steps this is the order.", hint="say '..., then ...'."
        )

    def _say_instead(self, before: Task, said: m.Sentence, at: m.At) -> None:
        """The task as if a sentence was said after one before; errors point at other words."""
        refuse = self.course.refuse
        task = before.copy(lambda _, *args, **more: refuse(at, *args, **more))
        try:
            task.add(said)
        finally:
            task.course.discourse.refuse = refuse
        self.course, self.earlier = task.course, task.earlier
        self.openings = task.openings

    def _after_rules(self, at: m.At) -> str:
        """ "Instead ..." of what was forbidden is one more sentence; of a step it is another."""
        conditional = isinstance(self.course.rules[-1], Or) if self.course.rules else False
        if self.course.has_steps or not self.course.last_rule or conditional:
            raise self.course.refuse(
                at, "it is not clear what this is done instead of.", hint="say 'instead of ...'."
            )
        return "."

    def _add(self, sentence: m.Sentence) -> None:
        mode = sentence.opening or "."
        if mode == "instead":
            mode = self._after_rules(sentence.at)
        self.course.correcting = mode if mode in _CORRECTING and self.openings else ""
        if mode in _CORRECTING and not self.openings:
            mode = "."  # there is nothing yet that it could take the place of
        if self.statements:
            raise self.course.refuse(sentence.at, _MIXED, hint="say all of it in one way.")
        refuse_unclear(sentence, self.course.refuse)
        mode = self._placed(mode, sentence.at)
        self.openings += (mode if sentence.opening else "",)
        match sentence.body:
            case None:
                raise self.course.refuse(
                    END, "the instruction ends too early.", hint="say what is to be done."
                )
            case m.Chain():
                self._leave_verb(sentence.body.first)
                self._groups.chain(sentence.body, mode)
            case m.Unordered(then):
                self._unordered(then, mode)
            case m.Led(kind, other, then):
                self._led(kind, other, then, mode)
            case m.Conditional():
                if mode in ("before", "at first"):
                    Conditionals(self.course).add(replace(sentence.body, ahead=mode), ".")
                elif mode in (".", "then", "also"):
                    Conditionals(self.course).add(sentence.body, mode)
                else:
                    raise self.course.refuse(sentence.at, _MIXED, hint="give the whole task anew.")
        match sentence.more:
            case m.Chain():
                self._groups.chain(sentence.more, "also")
            case m.Conditional():
                Conditionals(self.course).add(sentence.more, sentence.joined)
        for remark in sentence.told:
            if remark.kind == m.IN_ORDER:
                self.course.require_order(remark.at)

    def _placed(self, mode: str, at: m.At) -> str:
        """How a sentence is joined that may begin with "when that is done", or "when you are done".
        Raises NOT_UNDERSTOOD where it is not clear what comes before it."""
        if self.ended_first:
            raise self.course.refuse(
                at, "it is not clear whether this comes before what is said of the end.",
                hint="say first what comes first.",
            )  # fmt: skip
        if mode == "when finished" and not (self.openings or self.course.discourse.item_before):
            self.ended_first = True
            return "."
        if mode in ("when done", "when finished"):
            self._require_before(at)
            return "then"
        return mode

    def _leave_verb(self, first: m.Item) -> None:
        """A sentence without a verb takes that of the one before only where it goes with it, and
        never that of a rule. Raises NOT_UNDERSTOOD where it may be forbidden, too."""
        if not isinstance(first, m.Act) or not isinstance(first.what, m.Shared):
            return
        named = first.what.things.members if first.what.things is not None else ()
        if first.what.tails and any(getattr(t, "determiner", "") == "that" for t in named):
            raise self.course.refuse(  # "that mug on the desk ...": which one it is, more likely
                first.at, "it is not clear whether this is to be so, or says which one is meant.",
                hint="begin with a verb.",
            )  # fmt: skip
        continues = self.course.clauses.continues(first.what)
        if self.course.last_rule and (continues or not first.what.tails):
            raise self.course.refuse(
                first.at,
                FORBIDDEN_TOO,
                hint="begin with a verb.",
            )
        if not continues:
            self.course.clauses.last = None

    def state(self, statement: exact.Statement, at: m.At) -> None:
        """One more sentence in the exact wording. Raises NOT_UNDERSTOOD after another one."""
        if self.openings:
            raise self.course.refuse(at, _MIXED, hint="say all of it in one way.")
        self.statements += (statement,)

    def _unordered(self, chain: m.Chain, mode: str) -> None:
        items = [chain.first, *(link.item for link in chain.rest if link.item is not None)]
        modes = {link.joiner for link in chain.rest} - {"comma", "and"}
        events = [d for item in items for d in Items(self.course).item(item)]
        if modes or len(events) < 2:
            raise self.course.refuse(chain.at, "'in any order' needs several steps.")
        if any(isinstance(item, m.Act) and item.marker for item in items):
            raise self.course.refuse(chain.at, "'either' and 'both' join what comes after them.")
        self.course.join(Done(AnyOrder(tuple(d.event for d in events))), mode, chain.at)

    def _led(self, kind: str, other: m.Occasion, then: m.Chain, mode: str) -> None:
        """ "before X, A, then B" and "after X, A, then B": with the first group."""
        if isinstance(then.first, m.RULES):
            if mode not in _BESIDE:
                raise self.course.refuse(then.at, _MIXED, hint="say the rule in its own sentence.")
            self._led_rule(kind, other, then, mode)
            return
        if all(isinstance(i, m.Remark | None) for i in (then.first, *(r.item for r in then.rest))):
            raise self.course.refuse(
                then.at, f"it is not clear what comes {kind} this.", hint="say what is to be done."
            )
        for item in (then.first, *(link.item for link in then.rest)):
            self._groups.refuse_counted(item, kind, then.at)
        self.course.discourse.begin_item()
        if kind == "before":
            groups = self._groups.groups(then, mode)
            led, any_of = Acts(self.course).sub_of_any(other)
            event = self._groups.combined_group(groups[0][1], then.at)
            self.course.join(Done(held_back(event.event, led, any_of)), mode, then.at)
            for group_mode, links in groups[1:]:
                self._groups.group(group_mode, links, then.at, more=True)
            return
        led = Acts(self.course).sub(other)
        groups = self._groups.groups(then, mode)
        event = self._groups.combined_group(groups[0][1], then.at)
        self.course.join(Done(Sequence((led, event.event))), mode, then.at)
        for group_mode, links in groups[1:]:
            self._groups.group(group_mode, links, then.at, more=True)

    def _led_rule(self, kind: str, other: m.Occasion, then: m.Chain, mode: str) -> None:
        if kind == "before":
            raise self.course.refuse(
                then.at, "a rule after 'before ...' is not understood.",
                hint="say 'never ... before ...'.",
            )  # fmt: skip
        self.course.discourse.begin_item()
        after = self.course.clauses.occasion(other)
        assert isinstance(then.first, m.RULES)
        Standing(self.course).add(then.first, after=after)
        if then.rest:
            rest = m.Chain(then.rest[0].item or then.first, then.rest[1:], at=then.at)
            self._groups.chain(rest, then.rest[0].joiner or "and")

    def formula(self) -> Formula:
        """The task's meaning. Raises NOT_UNDERSTOOD where something is missing or too long."""
        if self.statements:
            return exact.the_task(self.statements)
        if len(self.course.discourse.listed) > 1 and not self.course.discourse.list_used:
            raise self.course.refuse((0, 1), "what there is was named for nothing.")
        return self.course.formula()
