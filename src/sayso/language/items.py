"""Items of a sentence: actions, rules, remarks, and what goes before, after or with them."""

from __future__ import annotations

from collections.abc import Sequence as Seq
from dataclasses import dataclass, replace

from sayso.core.errors import Code, SaySoError
from sayso.language import meaning as m
from sayso.language.acts import Acts
from sayso.language.arrangements import Arrangements
from sayso.language.asked import asks_for, held_back
from sayso.language.course import Course, brought
from sayso.language.ellipsis import is_there
from sayso.language.entities import UnfitReadingError
from sayso.language.events import Event, Guarded, Sequence, State, contains_patrol, negation
from sayso.language.remarks import tell
from sayso.language.rules import Rules
from sayso.language.standing import Standing
from sayso.language.steps import Done
from sayso.language.thing_makers import names_none
from sayso.logic.formula import Always, Formula, conjunction, propositions


@dataclass(frozen=True)
class Items:
    """Makes steps of items; rules are added to the course."""

    course: Course

    @property
    def standing(self) -> Standing:
        return Standing(self.course)

    @property
    def acts(self) -> Acts:
        return Acts(self.course)

    def item(self, item: m.Item) -> list[Done]:
        """What an item asks for; nothing for a rule, which is added."""
        if not isinstance(item, m.RULES):
            self.course.refuse_after_waiting()
        if not isinstance(item, m.LedItem):
            self.course.discourse.begin_item()
        match item:
            case m.Act(until=m.Remark()):
                waiting = self.acts.act(replace(item, until=None))
                self._wait(item.at, after=waiting)
                return waiting
            case m.Act():
                return self.acts.act(item)
            case m.Goal(state, count):
                self._refuse_passing(item)
                formula = self.course.clauses.condition(state, "goal")
                if item.final and count is None and self._lasts(formula):
                    self.course.note_end(formula)
                    return []
                return self.acts.counted(Done(State(formula), (formula,)), count, False, item.at)
            case m.Patrol():
                return self.acts.patrol(item)
            case m.Swap():
                return [Done(Arrangements(self.course.clauses).swapped(item))]
            case m.PutBack():
                return [Done(Arrangements(self.course.clauses).put_back(item))]
            case m.PutWhere():
                return [Done(Arrangements(self.course.clauses).put_where(item))]
            case m.Tower():
                return [Done(Arrangements(self.course.clauses).stacked(item))]
            case m.Layers():
                if item.told and self.course.has_steps:
                    raise self.course.refuse(
                        item.at, "it is not clear whether this tells of what was said before.",
                        hint="say 'build a tower ..., with ...'.",
                    )  # fmt: skip
                return [Done(Arrangements(self.course.clauses).layered(item))]
            case m.Empty():
                done = Done(Arrangements(self.course.clauses).emptied(item))
                self.course.discourse.named_unknown |= bool(item.all)  # "..., and put it in there"
                return [done]
            case m.HoldUntil():
                return [self.acts.held_until(item)]
            case m.LedItem():
                return self._led_item(item)
            case m.LeftOut():
                self._leave_out(item)
                return []
            case m.Reversal():
                raise self.course.refuse(
                    item.at, "it is not clear what this takes the place of.", hint="say it in full."
                )
            case m.Remark():
                self.remark(item)
                return []
            case _:
                self.standing.add(item)
                return []

    def _lasts(self, state: Formula) -> bool:
        """Whether a state of the end is one that stays so by itself."""
        return all(p.predicate in self.course.lasting for p in propositions(state))

    def _refuse_passing(self, goal: m.Goal) -> None:
        """Raises NOT_UNDERSTOOD for "make sure that the mug is not touched": what passes by itself
        is not to be so once, but never, or not at the end."""
        lasting = self.course.lasting
        for state in goal.state.states:
            fact = state.state if isinstance(state, m.NotState) else state
            denied = isinstance(state, m.NotState)
            if isinstance(fact, m.Fact) and fact.predicate not in lasting:
                denied ^= not fact.positive or any(map(names_none, fact.things))
            elif isinstance(fact, m.ActState):
                denied ^= not fact.positive
            if denied and not (isinstance(fact, m.Fact) and fact.predicate in lasting):
                raise UnfitReadingError(
                    Code.NOT_UNDERSTOOD,
                    "it is not clear whether this must never be so, or not at the end.",
                    hint="say 'never ...', or what is to be so at the end.",
                    span=self.course.refuse(goal.at, "").span,
                )  # fmt: skip

    def _led_item(self, item: m.LedItem) -> list[Done]:
        self.course.discourse.begin_item()
        if isinstance(item.then, m.RULES):
            limit = m.Bound("while", item.other, at=item.at)
            during = item.kind == "while"
            if during and Rules(self.course.clauses).takes_time(limit):
                self.standing.add(self._limited_by(item.then, limit))
                return []
            if during:
                Rules(self.course.clauses).refuse_on_some_way(limit)
            condition = self.course.clauses.occasion(item.other)
            if item.kind == "before":
                raise self.course.refuse(
                    item.at,
                    "a rule after 'before ...' is not understood.",
                    hint="say 'never ... before ...'.",
                )
            after, meanwhile = (None, condition) if during else (condition, None)
            self.standing.add(item.then, after=after, during=meanwhile)
            return []
        if item.kind == "while":
            raise self.course.refuse(
                item.at, "'while' goes with a rule.", hint="say 'keep ... while ...'."
            )
        if item.kind == "when":
            condition = self.course.clauses.occasion(item.other)
            if not asks_for(self.course.steps, condition):
                raise self.course.refuse(
                    item.at,
                    "it is not clear in which order this comes.",
                    hint="begin a new sentence.",
                )
            led: Event = self.acts.once_reached(condition)
        elif item.kind == "only after":
            awaited = self.course.clauses.occasion(item.other)
            done = asks_for(self.course.asked, awaited)
            led = self.acts.once_reached(awaited) if done else self.acts.one_by_one(awaited)
        else:
            led, any_of = self.acts.sub_of_any(item.other)
        then = self.item(item.then)
        late = then[0].states or brought(then[0].event) if then else ()
        if not then or (item.kind == "only after" and not late):
            raise self.course.refuse(
                item.at, "it is not clear what comes then.", hint="say one step."
            )
        if item.kind == "only after":
            self.course.not_until(late, State(awaited))
        if item.kind == "before":
            return [Done(held_back(then[0].event, led, any_of))]
        return [Done(Sequence((led, then[0].event)))]

    def _leave_out(self, item: m.LeftOut) -> None:
        """ "skip the bed": what was asked for of it is taken back; else it is not gone to."""
        course, discourse = self.course, self.course.discourse
        if not all(isinstance(t, m.Thing) for t in item.things.members):
            raise course.refuse(item.at, "it is not clear what is left out.", hint="name it.")
        entities = discourse.copy().group(item.things, "condition").entities
        found = [course.leave_out(discourse.known(e, item.at), item.at) for e in entities]
        if any(found) and not all(found):
            raise course.refuse(
                item.at, "not all of these were asked for.", hint="say it of one thing."
            )
        if found and all(found):
            if not (course.has_steps or course.pending):
                raise course.refuse(item.at, "nothing would be left to do.", hint="say what is.")
            return
        if course.correcting or item.of_asked:
            raise course.refuse(
                item.at, "nothing was asked for of this.", hint="say 'never ...' to forbid it."
            )
        if not item.lightly:
            self.standing.add(m.Avoid(item.things, at=item.at))

    def _limited_by(self, rule: m.Rule, limit: m.Bound) -> m.Rule:
        """ "while you take the mug to the sofa, never ...": as if that were said last."""
        named = not any(isinstance(p, m.Pronoun) for p in m.parts(rule))
        if isinstance(rule, m.LIMITED) and rule.limit is None and named:
            return replace(rule, limit=limit)
        raise self.course.refuse(
            limit.at, "it is not clear how long this holds.", hint="say 'never ... until ...'."
        )

    def remark(self, remark: m.Remark) -> None:
        """Takes in what asks for nothing. Raises NOT_UNDERSTOOD if it refers to nothing."""
        if remark.kind in ("aside", m.COURTESY, m.ANY_COLOR):
            return
        if remark.kind == m.CHOICE:
            self.course.refuse_free_order(remark.at)
            return
        if remark.kind == m.ANY_ORDER:
            self.course.free_order(remark.at)
            return
        if remark.kind == m.IN_ORDER:
            self.course.require_order(remark.at)
            return
        if remark.kind == "permission":
            raise self.course.refuse(
                remark.at, "this is allowed, so it is not clear whether it is to be done.",
                hint="leave out 'you may' if it is to be done, or else all of this.",
            )  # fmt: skip
        if remark.kind == "no duty":
            raise self.course.refuse(
                remark.at, "this need not be done, but it is not said that it must not.",
                hint="leave it out, or say 'never ...'.",
            )  # fmt: skip
        if remark.kind == "waiting for":
            raise self.course.refuse(
                remark.at, "waiting until something is so is nothing that can be planned.",
                hint="say 'as soon as ..., ...' of what is to be done then.",
            )  # fmt: skip
        if remark.kind == "waiting":
            self._wait(remark.at)
            return
        self.course.discourse.begin_item()
        tell(self.course.discourse, remark)
        self.course.clauses.last = None

    def _wait(self, at: m.At, after: Seq[Done] = ()) -> None:
        """ "... and wait there": nothing more is done, so nothing may come before or after it."""
        self.course.waited = self.course.refuse(
            at, "how long to wait cannot be said, so nothing can come after it.",
            hint="leave the waiting out, or say what is done 'as soon as' something is so.",
        )  # fmt: skip
        if not (after or self.course.pending or self.course.has_steps):
            raise self.course.waited

    def modified(
        self, done: list[Done], joiners: set[str], modifier: m.Modifier, mode: str
    ) -> Done:
        """What limits the steps of a group so far."""
        if not done:
            raise self.course.refuse(
                modifier.at, f"'{modifier.kind}' has no step to go with.", hint="say what to do."
            )
        told_there = any(isinstance(p, m.Do) and is_there(p) for p in m.parts(modifier.other))
        if told_there:
            self.course.clauses.there = None  # where that was put, not where this is done
        if done[1:] and joiners <= {"and", "comma"} and self._waits_for_others(done, modifier):
            last = self.modified(done[-1:], set(), modifier, mode)
            return self.course.combined([*done[:-1], last], joiners, modifier.at)
        whole = self.course.combined(done, joiners, modifier.at)
        self.course.discourse.begin_clause()
        match modifier.kind:
            case "before" | "after":
                return self._beside_other(whole, modifier, told_there=told_there)
            case "only after":
                return self._only_after(whole, modifier)
            case "without" | "avoiding":
                return self._guarded(whole, self._forbidden_meanwhile(modifier))
            case "while":
                assert modifier.other is not None
                if not isinstance(whole.event, State):
                    raise self.course.refuse(modifier.at, "'while' goes with a single step.")
                held = self.course.clauses.occasion(modifier.other)
                return Done(State(conjunction(whole.event.formula, held)))
            case "first of all":
                if done[1:]:
                    self._refuse_first(done, modifier)
            case "first":
                self._refuse_first(done, modifier)
                self.course.put_first = bool(self.course.steps)
                return whole
            case "only once":
                once = m.Count("exactly", 1, modifier.at)
                return self.acts.counted(whole, once, False, modifier.at)[0]
        self.course.put_first = True
        return whole

    def _beside_other(self, whole: Done, modifier: m.Modifier, *, told_there: bool) -> Done:
        """Steps before or after another one."""
        assert modifier.other is not None
        if modifier.kind == "before":
            return Done(held_back(whole.event, *self.acts.sub_of_any(modifier.other)))
        if told_there:
            reached = self.acts.once_reached(self.course.clauses.occasion(modifier.other))
            return Done(Sequence((reached, whole.event)))
        return Done(Sequence((self.acts.sub(modifier.other), whole.event)))

    def _only_after(self, whole: Done, modifier: m.Modifier) -> Done:
        """A step with the rule that it does not come about before something is so."""
        assert modifier.other is not None
        brings = isinstance(modifier.other, m.Several) and not whole.states
        states = whole.states or brought(whole.event)
        if brings or not states:
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, "'only after' goes with a single step.",
                hint="say 'only after ... is ...'.",
                span=self.course.refuse(modifier.at, "").span,
            )  # fmt: skip
        limit = self.course.clauses.occasion(modifier.other)
        self.course.not_until(states, State(limit))
        return replace(whole, ruled=True)

    def _forbidden_meanwhile(self, modifier: m.Modifier) -> Formula:
        """What must hold until the steps are done: "without ...", "avoiding ..."."""
        rules = Rules(self.course.clauses)
        if modifier.kind == "avoiding":
            assert modifier.things is not None
            return conjunction(*rules.states(m.Avoid(modifier.things, None, modifier.at)))
        assert modifier.forbidden is not None
        if any(map(rules.lets_go, modifier.forbidden.members)):
            raise self.course.refuse(
                modifier.at, "it is not clear from when on this holds.",
                hint="say 'while holding ...'.",
            )  # fmt: skip
        rules.refuse_not_all(modifier.forbidden)
        return conjunction(*self.course.clauses.forbidden(modifier.forbidden, negation))

    def _refuse_first(self, done: list[Done], modifier: m.Modifier) -> None:
        """Raises NOT_UNDERSTOOD where it is not clear what comes first, or before what."""
        if done[1:]:
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, "it is not clear what of this comes first.",
                hint="name it first.", span=self.course.refuse(modifier.at, "").span,
            )  # fmt: skip
        if len(self.course.steps) > 1:
            raise self.course.refuse(
                modifier.at, "'first' comes after other steps.", hint="name it first."
            )

    def _waits_for_others(self, done: list[Done], modifier: m.Modifier) -> bool:
        """ "put the mug in the drawer and shut it only after the mug is in it": what the last step
        waits for is what the others ask for."""
        if modifier.kind not in ("only after", "after") or modifier.other is None:
            return False
        aside = replace(self.course.clauses, discourse=self.course.discourse.copy())
        aside.discourse.begin_clause()
        try:
            limit = aside.occasion(modifier.other)
        except SaySoError:
            return False
        return asks_for([d.event for d in done[:-1]], limit)

    def _guarded(self, done: Done, guard: Formula) -> Done:
        """What holds until the steps are done; of a patrol, which has no end, throughout."""
        if contains_patrol(done.event):
            self.course.rules += (Always(guard),)
            return done
        return Done(Guarded(done.event, guard))
