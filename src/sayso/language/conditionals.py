"""Steps and rules that depend on a condition: "if", "unless", "when", "whenever"."""

from __future__ import annotations

from dataclasses import dataclass, replace

from sayso.core.errors import Code
from sayso.language import meaning as m
from sayso.language.asked import asks_for, outcomes
from sayso.language.chain_makers import RUN_ON
from sayso.language.course import Course
from sayso.language.ellipsis import is_there
from sayso.language.entities import Group, UnfitReadingError, waits
from sayso.language.events import Conditioned, Event, Sequence, State, negation
from sayso.language.everything import ANYTHING
from sayso.language.groups import ENDED, Groups
from sayso.language.limits import is_done_before
from sayso.language.orders import AT_FIRST
from sayso.language.standing import Standing
from sayso.language.steps import Done, OnCondition
from sayso.language.thing_makers import says_none
from sayso.logic.formula import (
    SOME,
    Always,
    Eventually,
    Formula,
    Quantified,
    Top,
    Until,
    conjunction,
    disjunction,
    propositions,
    walk,
)


@dataclass(frozen=True)
class Conditionals:
    """Adds what depends on a condition to the course."""

    course: Course

    @property
    def groups(self) -> Groups:
        return Groups(self.course)

    @property
    def standing(self) -> Standing:
        return Standing(self.course)

    def add(self, body: m.Conditional, mode: str) -> None:
        """ "If C, A, otherwise B": the state at the beginning decides; "whenever": each step."""
        if mode == "then":
            self.course.place_conditioned(body.at)
        follows = mode == "then" and bool(self.course.steps)
        self._add(body, mode)
        if follows:
            self.course.place_conditioned(body.at, follows=True)

    def _add(self, body: m.Conditional, mode: str) -> None:
        kind = body.case.kind
        self.course.refuse_after_waiting()
        compared = self.course.discourse.condition_before
        self.course.discourse.begin_item()
        self._refuse_unclear_head(body)
        if kind in ("when", "while") and not isinstance(body.then.first, m.RULES):
            self._when(body, mode)
            return
        occasion = body.case.condition
        if body.case.at[0] > body.then.at[0]:
            self._conditioned(body)
            return
        clauses = self.course.clauses
        said_before = clauses.last
        condition = self._said(occasion, compared)
        about = self.course.discourse.here[:1]
        there = clauses.there
        clauses.last = said_before  # the verb of a condition asks for nothing
        self.course.discourse.forget_indefinite()
        if any(map(self._is_something, m.parts(occasion))):
            self.course.discourse.named_unknown = True  # "it" may be that, or where it is
        event_like = isinstance(occasion, m.Several)
        if isinstance(body.then.first, m.RULES) and (kind == "when" or event_like):
            self._rules_from(body, condition)
            return
        self._refuse_unclear_occasion(body)
        self._depending(body, negation(condition) if kind == "unless" else condition)
        names = (d.things for d in m.parts(body.then) if isinstance(d, m.Do) and d.things)
        clauses.there_if = there, clauses.there
        clauses.put_if = any(not isinstance(t, m.Pronoun) for n in names for t in n.members)
        self.course.discourse.condition_before = about

    def _refuse_unclear_head(self, body: m.Conditional) -> None:
        kind, rules = body.case.kind, isinstance(body.then.first, m.RULES)
        first = any(link.joiner in AT_FIRST for link in body.then.rest)
        if kind in ("when", "while") and not rules and first:
            raise self.course.refuse(  # "when you have the mug, bring it, and take it first"
                body.then.at, "it is not clear before what this comes.", hint="say 'before ...'."
            )
        if kind == "whenever" and rules:
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, "a rule holds while a condition does, not ever after.",
                span=self.course.refuse(body.at, "").span,
            )  # fmt: skip

    def _refuse_unclear_occasion(self, body: m.Conditional) -> None:
        occasion = body.case.condition
        event_like = isinstance(occasion, m.Several)
        if event_like and body.case.kind == "if":
            raise self.course.refuse(
                body.at, "it is not clear when this is asked for.",
                hint="say 'if the ... is ...', or 'after ...ing'.",
            )  # fmt: skip
        told = event_like or is_done_before(occasion)
        if body.case.kind == "whenever" and told and _is_wished_state(body.then.first):
            raise self.course.refuse(
                body.then.at, "it is not clear whether this must be so then, or come about later.",
                hint="say 'close it' of what is to be done, or 'while ..., ... must be ...'.",
            )  # fmt: skip
        self._refuse_open_ended(body)
        self._refuse_instead(body)
        self._refuse_said_again(body)

    def _depending(self, body: m.Conditional, condition: Formula) -> None:
        """What is asked for in the one case, and in the other one."""
        discourse = self.course.discourse
        mentioned = discourse.mentioned()
        discourse.untrue = body.case.kind == "unless"
        meanings = self._meanings(body)
        discourse.untrue = False
        every_time = body.case.kind == "whenever"
        self._decide(condition, meanings, every_time=every_time)
        self._place(body)
        if body.otherwise is not None:
            self._refuse_first(body.otherwise)
            discourse.go_back_to(mentioned)
            self._case(negation(condition), self._consequence(body.otherwise),
                       every_time=every_time)  # fmt: skip

    def _said(self, occasion: m.Occasion, compared: tuple[Group, ...]) -> Formula:
        """The condition, in the light of what the one before was about."""
        self._contrast(occasion)
        discourse = self.course.discourse
        discourse.compared = compared
        condition = self.course.clauses.occasion(occasion)
        discourse.compared = ()
        return condition

    def _place(self, body: m.Conditional) -> None:
        """ "Put the mug in the drawer. If that is closed, open it first": before the step that was
        said before; "... close it afterwards": after it."""
        course, first = self.course, body.then.first
        rest = [link for link in body.then.rest if not _is_aside(link)]
        modified = [link.modifier.kind for link in rest if link.modifier is not None]
        before = len(rest) == 1 and modified == ["first"] and bool(course.steps)
        if isinstance(first, m.Act) and first.marker == "afterwards" and not rest and course.steps:
            course.place_conditioned(body.at)
        if not body.ahead and not before:
            return
        unclear = before and len(course.steps) > 1
        every_time = body.case.kind == "whenever"
        if unclear or every_time or not course.steps or course.tasks or course.alternatives:
            raise course.refuse(
                body.then.at, "it is not clear before what this comes.", hint="say 'before ...'."
            )
        *others, latest = course.conditioned
        if body.ahead == "before doing" and self._not_until(latest):
            return
        place = 0 if body.ahead == "at first" else len(course.steps) - 1
        course.conditioned = (*others, replace(latest, place=place))
        course.place_conditioned(body.at)

    def _not_until(self, said: OnCondition) -> bool:
        """Makes the step before wait for what depends on a condition, "before you do so"; False
        where that is not one state."""
        course, event = self.course, said.event
        later = outcomes(course.steps[-1])
        if event is None or len(later) != 1:
            return False
        first = event.event
        while isinstance(first, Sequence) and len(first.events) == 1:
            first = first.events[0]
        if not isinstance(first, State):
            return False
        state = conjunction(first.formula, Eventually(later[0]))
        waits_for = Until(negation(later[0]), state)
        course.conditioned = tuple(c for c in course.conditioned if c is not said)
        course.rules = tuple(r for r in course.rules if r is not said.rule)
        course.rules += (disjunction(negation(event.condition), waits_for),)
        return True

    def _is_something(self, part: object) -> bool:
        """Whether what is so is so of something unnamed: "if there is something on the plate"."""
        if isinstance(part, m.Fact) and not part.positive:
            said = (s for s, p, _ in self.course.lexicon.vocabulary.states if p == part.predicate)
            return any("something" in s.split() for s in said)
        if not isinstance(part, m.Thing) or part.noun not in ("thing", ANYTHING):
            return False
        return part.determiner in ("some", "any", "certain")

    def _contrast(self, occasion: m.Occasion) -> None:
        """ "If X is at P, put it on Q, but if it is not there, ...": at P."""
        clauses = self.course.clauses
        place, behind = clauses.there_if
        states = occasion.states if isinstance(occasion, m.Condition) else ()
        about = [s for s in states if isinstance(s, m.ActState) and is_there(s.act)]
        if about and place is not None and clauses.put_if:
            raise self.course.refuse(
                about[0].act.at, "it is not clear which thing is meant.", hint="name the thing."
            )
        if place is None or clauses.there != behind or place == behind:
            return
        if about and not all(s.positive for s in about):
            clauses.there = place
        elif about:
            raise self.course.refuse(
                about[0].act.at, "it is not clear where 'there' is.", hint="name the place."
            )

    def _refuse_open_ended(self, body: m.Conditional) -> None:
        """ "if the drawer is shut, open it, then put the mug in it": the mug is put there in any
        case, or only in that one."""
        once = body.case.kind in ("if", "unless") and body.otherwise is None
        if once and any(link.joiner.removeprefix(RUN_ON) in ENDED for link in body.then.rest):
            raise self.course.refuse(
                body.then.at, "it is not clear whether all of this depends on the condition.",
                hint="join it by 'and' if it does, or else begin a new sentence.",
            )  # fmt: skip

    def _refuse_said_again(self, body: m.Conditional) -> None:
        """ "if it is not open, open it; if it is not, ...": that again, or the other case."""
        condition = body.case.condition
        states = condition.states if isinstance(condition, m.Condition) else ()
        denied = body.case.kind == "unless" or not all(map(_is_positive, states))
        unclear = {
            "not": denied,
            "not it": denied or len(states) > 1,
            "so it": not denied or len(states) > 1,
            "not they": denied or not any(_is_plural(s) for s in states),
        }
        if unclear.get(body.joiner, False):
            assert body.otherwise is not None
            raise self.course.refuse(
                body.otherwise.at, "it is not clear in which case this is to be done.",
                hint="say 'otherwise ...', or the condition in full.",
            )  # fmt: skip

    def _refuse_instead(self, body: m.Conditional) -> None:
        """ "touch the mug; if it is on the tray, the plate instead": then not the mug."""
        said = (body.then.first, *(link.item for link in body.then.rest))
        instead = any(isinstance(i, m.Act) and i.marker == "instead" for i in said)
        if instead and self.course.has_steps:
            raise self.course.refuse(
                body.then.at, "it is not clear what this is done instead of.",
                hint="say 'if ..., ..., otherwise ...'.",
            )  # fmt: skip

    def _refuse_first(self, otherwise: m.Chain) -> None:
        """ "put the mug on it, otherwise clear it first": and then put the mug on it."""
        modifiers = (link.modifier for link in otherwise.rest)
        first = otherwise.begins or any(x is not None and x.kind == "first" for x in modifiers)
        if first and all(link.item is None for link in otherwise.rest):
            raise self.course.refuse(
                otherwise.at, "it is not clear what comes after this.", hint="say what comes then."
            )

    def _conditioned(self, body: m.Conditional) -> None:
        """ "A if C": said in the other order."""
        kind = body.case.kind
        first = body.then.first
        if (isinstance(first, m.RULES) or _forbids(first)) and not body.then.rest:
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, "it is not clear whether this holds only at the beginning.",
                hint="say 'if ..., ...', or 'never ... while ...'.",
                span=self.course.refuse(body.case.at, "").span,
            )  # fmt: skip
        only = isinstance(first, m.Act) and first.only
        if only or isinstance(body.case.condition, m.Several):
            raise self.course.refuse(
                body.at, "it is not clear when this has to be done.",
                hint="say 'if ..., ...', or 'do not ... unless ...'.",
            )  # fmt: skip
        if any(link.joiner and link.item for link in body.then.rest):
            raise self.course.refuse(
                body.case.at, "it is not clear whether all of this depends on the condition.",
                hint="say 'if ...' first, or that step in a sentence of its own.",
            )  # fmt: skip
        meanings = self._meanings(body)
        self.course.discourse.begin_clause()
        condition = self.course.clauses.occasion(body.case.condition)
        condition = negation(condition) if kind == "unless" else condition
        self._decide(condition, meanings, every_time=kind == "whenever")
        self._place(body)
        if body.otherwise is not None:
            self._refuse_first(body.otherwise)
            self._case(negation(condition), self._consequence(body.otherwise),
                       every_time=kind == "whenever")  # fmt: skip

    def _rules_from(self, body: m.Conditional, condition: Formula) -> None:
        first = body.then.first
        assert isinstance(first, m.RULES)
        self.standing.add(first, after=condition)
        if body.then.rest:
            link = body.then.rest[0]
            if link.item is None:
                raise self.course.refuse(body.at, "it is not clear what this belongs to.")
            self.groups.chain(m.Chain(link.item, body.then.rest[1:], at=body.at), link.joiner)

    def _when(self, body: m.Conditional, mode: str) -> None:
        """ "When C, A": after C if that is asked for, and "once you have done C, A" asks for it;
        else A follows whenever C comes."""
        condition = self.course.clauses.occasion(body.case.condition)
        asked = asks_for(self.course.steps, condition)
        if not asked and _tells_of_acts(body.case.condition):
            self._refuse_all_at_once(condition, body.at)
        if asked or _is_accomplished(body.case):
            groups = self.groups.groups(body.then, mode)
            event = self.groups.combined_group(groups[0][1], body.at)
            led = self.groups.items.acts.once_reached(condition)
            mode = "then" if asked else mode
            self.course.join(Done(Sequence((led, event.event))), mode, body.at)
            for group_mode, links in groups[1:]:
                self.groups.group(group_mode, links, body.at, more=True)
            return
        self.course.discourse.forget_indefinite()
        consequence = self._consequence(body.then)
        if consequence.formula == Eventually(condition):
            raise self.course.refuse(
                body.then.at, "this is so by then, so it is not clear what is asked for.",
                hint="say 'keep ...' or 'never ...' of what is to stay so.",
            )  # fmt: skip
        self._case(condition, consequence, every_time=True)

    def _refuse_all_at_once(self, condition: Formula, at: m.At) -> None:
        """ "when you have visited both desks": one after the other, which no single step shows."""
        passing = [p for p in propositions(condition) if p.predicate not in self.course.lasting]
        if passing and any(isinstance(f, Quantified) and f.quantity != SOME
                           for f in walk(condition)):  # fmt: skip
            raise self.course.refuse(
                at,
                "it is not clear whether all of these are meant at once.",
                hint="say 'after ...', or name one of them.",
            )

    def _meanings(self, body: m.Conditional) -> tuple[_Meaning, _Meaning]:
        """What is asked for where a condition holds, and where it does not: after "only if" that
        nothing of it comes about."""
        inner, before = self._inner(body.then)
        if body.case.kind == "only if" and body.otherwise is not None:
            return _meaning(inner, before), _Meaning(Top())
        if body.case.kind != "only if":
            return _meaning(inner, before), _Meaning(Top())
        if _is_wished_state(body.then.first):
            raise self.course.refuse(
                body.then.at, "it is not clear whether this must be so then, or may not be so "
                "otherwise.", hint="say 'if ..., ...', or 'never ... unless ...'.",
            )  # fmt: skip
        some = any(waits(e) for e in inner.discourse.made[before:])
        event = inner.event()
        if inner.rules or some or not outcomes(event):
            raise self.course.refuse(
                body.at, "it is not clear what is to be done where that is not so.",
                hint="say 'if ...', or 'do not ... unless ...'.",
            )  # fmt: skip
        never = conjunction(*(Always(negation(s)) for s in outcomes(event)))
        return _meaning(inner, before), _Meaning(inner.close(never, before))

    def _consequence(self, chain: m.Chain) -> _Meaning:
        """Steps and rules by themselves, taken out of the task's own."""
        return _meaning(*self._inner(chain))

    def _inner(self, chain: m.Chain) -> tuple[Course, int]:
        """Steps and rules apart from the task's own, and how many things were named before."""
        rules = [link.item for link in chain.rest if isinstance(link.item, m.RULES)]
        inner = Course(self.course.clauses, waiting=self.course.waiting)
        inner.discourse.begin_item()
        before = len(inner.discourse.made)
        Groups(inner).chain(chain, ".")
        kept = all(isinstance(r, m.Keep) for r in rules) and not inner.rules  # "and leave it open"
        if rules and isinstance(chain.first, m.Act) and not kept:
            raise self.course.refuse(
                chain.at, "it is not clear whether this is forbidden in any case.",
                hint="say the prohibition in a sentence of its own, or first.",
            )  # fmt: skip
        if inner.patrols:
            raise self.course.refuse(
                chain.at, "a patrol has no end, so it cannot depend on something."
            )
        inner.end_task()
        return inner, before

    def _decide(
        self, condition: Formula, meanings: tuple[_Meaning, _Meaning], *, every_time: bool
    ) -> None:
        self._case(condition, meanings[0], every_time=every_time)
        if meanings[1].formula != Top():
            self._case(negation(condition), meanings[1], every_time=every_time)

    def _case(self, condition: Formula, meaning: _Meaning, *, every_time: bool) -> None:
        implication = disjunction(negation(condition), meaning.formula)
        if every_time:
            self.course.rules += (Always(implication),)
        else:
            event = None if meaning.event is None else Conditioned(condition, meaning.event)
            self.course.depend(implication, event)
        self.course.last_rule = True


@dataclass(frozen=True)
class _Meaning:
    """What depends on a condition.

    Attributes:
        event: the same as a step; None if it is none, since it holds throughout or names something
            of which it is not yet known what it is.
    """

    formula: Formula
    event: Event | None = None


def _meaning(inner: Course, before: int) -> _Meaning:
    formula = inner.formula(before)
    plain = not inner.rules and not any(waits(e) for e in inner.discourse.made[before:])
    return _Meaning(formula, inner.event() if plain else None)


def _is_wished_state(item: m.Item) -> bool:
    """ "the drawer must be closed", other than "close it" or "it must be put in the drawer"."""
    if isinstance(item, m.Goal):
        return not item.bare
    act = item.what if isinstance(item, m.Act) else None
    return isinstance(act, m.Do) and act.form == m.WISHED and not act.tails


def _tells_of_acts(occasion: m.Occasion) -> bool:
    """ "you have visited the sofa", rather than "you are near the sofa"."""
    states = occasion.states if isinstance(occasion, m.Condition) else ()
    return isinstance(occasion, m.Several) or any(isinstance(s, m.ActState) for s in states)


def _is_accomplished(case: m.Case) -> bool:
    """ "once you have put it away", which the robot has to do itself; not "once you have it"."""
    return case.kind == "when" and is_done_before(case.condition)


def _is_positive(state: object) -> bool:
    return isinstance(state, m.Fact | m.ActState) and state.positive


def _is_plural(state: object) -> bool:
    """ "the blocks are open", "the mug and the plate are on it"."""
    return any(
        len(part.members) > 1 or any(getattr(t, "plural", True) for t in part.members)
        for part in m.parts(state)
        if isinstance(part, m.Things)
    )


def _forbids(item: m.Item) -> bool:
    """ "at most one block should be in the bowl", "no block on the plate": rules, though they read
    like goals."""
    parts = tuple(m.parts(item))
    numbers = (t.determiner for t in parts if isinstance(t, m.Thing))
    most = any(isinstance(n, m.NumberOf) and n.limit == "at most" for n in numbers)
    return most or any(says_none(p) for p in parts if isinstance(p, m.Things))


def _is_aside(link: m.Link) -> bool:
    """Whether it only tells something, such as a reason: "... first, because I am tired"."""
    return isinstance(link.item, m.Remark) and link.item.kind == "aside"
