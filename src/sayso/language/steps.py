"""What was asked for so far: steps in their order, rules beside them, and changes of both."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field, replace

from sayso.core.errors import Code, SaySoError
from sayso.language import meaning as m
from sayso.language.asked import outcomes, shares_state
from sayso.language.clauses import Clauses
from sayso.language.entities import Entity, Refuse, same_thing
from sayso.language.events import (
    Again,
    Conditioned,
    Either,
    Event,
    Guarded,
    Holds,
    Sequence,
    State,
    achieve,
    negation,
)
from sayso.language.everything import ANYTHING
from sayso.language.lexicon import Lexicon
from sayso.language.limits import of_each, until_each
from sayso.language.references import Discourse
from sayso.language.taking_back import Takes, UnclearLeftoverError, all_but, handles, without
from sayso.logic.formula import (
    Always,
    And,
    Eventually,
    Formula,
    Or,
    Quantified,
    Referent,
    Until,
    conjunction,
    conjuncts,
    disjunction,
    propositions,
)


@dataclass(frozen=True)
class Done:
    """What a clause asks for.

    Attributes:
        states: the formulas of its single states, for rules about their order.
        unordered: the label of its action if all things are named, so that "and" between two
            alike leaves the order open.
        ruled: whether a rule gives its place in the order.
        latest: the last of several clauses with commas between them, which "that" stands for.
    """

    event: Event
    states: tuple[Formula, ...] = ()
    unordered: str = ""
    ruled: bool = False
    latest: Event | None = None


@dataclass(frozen=True)
class OnCondition:
    """What depends on a condition, as a rule beside the steps.

    Attributes:
        event: the same as a step; None if it cannot be one.
        place: how many steps were asked for before it.
    """

    rule: Formula
    event: Conditioned | None
    place: int


@dataclass
class Steps:
    """The steps that were asked for so far, and the rules that hold throughout.

    Attributes:
        pending: what the items before asked for of the group that is being read.
        put_first: whether the group is to come before all others.
        waiting: pairs of states of which one waits for the other.
        unplaced: why nothing may be done besides what has no place in the order.
        waited: why nothing may come after "wait there"; it asks for nothing only at the end.
        meanwhile: during what something is forbidden, and what is said where nothing asks for it.
        rows: the steps that were listed with commas only.
        ordered: whether words put the steps in their order.
        correcting: how the sentence that is read says what was said in error; '' if it does not.
        conditioned: what depends on a condition and has no place in the order yet.
    """

    clauses: Clauses
    tasks: tuple[Event, ...] = ()
    alternatives: tuple[Event, ...] = ()
    steps: tuple[Event, ...] = ()
    rules: tuple[Formula, ...] = ()
    patrols: tuple[Again, ...] = ()
    last: Done | None = None
    last_joined: Done | None = None
    last_rule: bool = False
    put_first: bool = False
    pending: list[Done] = field(default_factory=list)
    either: bool = False
    closed: bool = False
    inserted: bool = False
    patrolled: bool = False
    waiting: frozenset[tuple[Formula, Formula]] = frozenset()
    unplaced: SaySoError | None = None
    waited: SaySoError | None = None
    meanwhile: tuple[tuple[Formula, SaySoError], ...] = ()
    rows: tuple[Event, ...] = ()
    ordered: bool = False
    correcting: str = ""
    conditioned: tuple[OnCondition, ...] = ()

    @property
    def discourse(self) -> Discourse:
        return self.clauses.discourse

    @property
    def lexicon(self) -> Lexicon:
        return self.clauses.lexicon

    @property
    def lasting(self) -> frozenset[str]:
        return self.lexicon.vocabulary.lasting

    @property
    def refuse(self) -> Refuse:
        return self.discourse.refuse

    @property
    def has_steps(self) -> bool:
        """Whether anything is asked for but rules."""
        return bool(self.steps or self.tasks or self.alternatives or self.patrols)

    @property
    def is_ordered(self) -> bool:
        """Whether some of what is asked for is to be done after another part of it."""
        steps = (*self.tasks, *self.steps)
        return len(steps) > 1 or any(isinstance(s, Sequence) and s.events[1:] for s in steps)

    def still_asked(self) -> Formula:
        """All that is to be done so far, in whatever order."""
        return conjunction(*map(achieve, self._asked()))

    def _asked(self) -> tuple[Event, ...]:
        return (*self.tasks, *self.alternatives, *self.steps, *(d.event for d in self.pending))

    @property
    def asked(self) -> tuple[Event, ...]:
        """The steps so far, with those of the group that is being read."""
        return (*self.steps, *(d.event for d in self.pending))

    # -- what is taken back --------------------------------------------------------------

    def leave_out(self, entity: Entity, at: m.At) -> bool:
        """Takes back what was asked for of a thing; False if that is nothing. Of "all the blocks"
        it is made an exception. Raises NOT_UNDERSTOOD where it is not clear what is left."""
        if entity.variable is not None:
            return False
        asked = [a for e in self._asked() for p in propositions(achieve(e)) for a in p.args]
        things = [t for t in dict.fromkeys(asked) if isinstance(t, Referent)]
        same = [t for t in same_thing(entity.referent, things) if t in things]
        if len(same) > 1:
            raise self.refuse(at, "it is not clear which one this is.", hint="describe it.")
        if same:
            return self.take_back(handles(same[0]), at)
        before = self._asked()
        self.except_for(entity)
        return self._asked() != before

    def except_for(self, entity: Entity) -> None:
        """Makes a thing an exception from all of a kind of which something was asked."""
        if entity.variable is None:
            thing = entity.referent
            types = self.lexicon.vocabulary.types_of(thing.noun) or ()
            self._change(lambda events: all_but(events, thing, {thing.noun, ANYTHING, *types}))

    def take_back(self, takes: Takes, at: m.At) -> bool:
        """Takes back the steps that ask for something; False if none does. Raises like
        `leave_out`."""
        try:
            kept = (e for e in (*self.tasks, *self.alternatives, *self.patrols))
            unclear = without(kept, takes) != (*self.tasks, *self.alternatives, *self.patrols)
            waits = [r for r in self.rules if not isinstance(r, Always)]
            unclear |= any(takes(p) for r in waits for p in propositions(r))
            if not unclear:
                return self._change(lambda events: without(events, takes))
        except UnclearLeftoverError:
            pass
        raise self.refuse(
            at, "it is not clear what is left of the task without this.",
            hint="give the whole instruction anew.",
        )  # fmt: skip

    def _change(self, change: Callable[[Seq[Event]], tuple[Event, ...]]) -> bool:
        before = self._asked()
        self.steps = change(self.steps)
        self.tasks = change(self.tasks)
        changed = ((d, change((d.event,))) for d in self.pending)
        self.pending[:] = [
            d if events == (d.event,) else Done(events[0]) for d, events in changed if events
        ]
        if self._asked() == before:
            return False
        self.last = self.last_joined = None
        self.clauses.last = self.clauses.there = None
        self.discourse.held = None
        return True

    # -- rules about steps ---------------------------------------------------------------

    def hold_from(self, step: Event, rule: Holds) -> None:
        """Makes a rule hold from the last time on that a step is done."""
        for i, done in reversed(list(enumerate(self.pending))):
            if done.event == step:
                self.pending[i] = replace(done, event=Sequence((step, rule)), unordered="")
                return
        last = len(self.steps) - self.steps[::-1].index(step)
        self.steps = (*self.steps[:last], rule, *self.steps[last:])

    def guard_way(self, guard: Formula) -> bool:
        """Makes a state hold until all steps so far are done; False if one needs its contrary."""
        way = self.asked
        if self.patrolled or not way or any(shares_state(s, guard) for s in way[:-1]):
            return False  # a leg begins where it must not be
        self.steps = tuple(Sequence((Guarded(s, guard),)) for s in self.steps)
        self.pending[:] = [Done(Sequence((Guarded(d.event, guard),))) for d in self.pending]
        return True

    def guard_leg(self, place: Formula | None, guard: Formula) -> bool:
        """Makes a state hold until the step at a place (None: the last step) is done."""
        if place is None and self.patrolled:
            return False
        for i in reversed(range(len(self.pending))):
            step = self.pending[i].event
            if place is None or step == State(place):
                before = self.pending[i - 1].event if i else (*self.steps, None)[-2:][0]
                if before is not None and shares_state(before, guard):
                    return False  # it begins where it must not be
                self.pending[i] = Done(Sequence((Guarded(step, guard),)))
                return True
        steps = list(self.steps)
        for i in reversed(range(len(steps))):
            if place is None or steps[i] == State(place):
                if i and shares_state(steps[i - 1], guard):
                    return False  # it begins where it must not be
                steps[i] = Sequence((Guarded(steps[i], guard),))
                self.steps = tuple(steps)
                return True
        return False

    def note_end(self, state: Formula) -> None:
        """A state is to be so at the end, whatever is done before."""
        self.rules += (Eventually(Always(state)),)
        self.last_rule = True

    def not_until(self, states: Seq[Formula], limit: Event) -> None:
        """Adds the rule that none of the states comes about before all steps of another event.

        Of several things none: "put every block ... only after" is about each of them.
        """
        single = [s for s in states if not isinstance(s, Quantified)]
        rules = [self._not_until(conjunction(*map(negation, single)), limit)] if single else []
        for state in states:
            if isinstance(state, Quantified):
                rules.append(of_each(state, lambda s: self._not_until(negation(s), limit)))
        self.note_waiting(rules)
        self.rules += tuple(rules)

    def not_until_state(self, absent: Formula, state: Formula) -> Formula:
        """That something stays absent until a state, or throughout."""
        return self._not_until(absent, State(state))

    def _not_until(self, absent: Formula, limit: Event) -> Formula:
        if isinstance(limit, Either) and all(len(outcomes(e)) == 1 for e in limit.events):
            # "bring either, and not before that ...": once one of them is there
            limit = State(disjunction(*(s for e in limit.events for s in outcomes(e))))
        if not isinstance(limit, State):
            return Or((Always(absent), achieve(limit, guard=absent)))
        return until_each(
            limit.formula, self.lasting, lambda s: Or((Always(absent), Until(absent, s)))
        )

    def note_waiting(self, rules: Seq[Formula]) -> None:
        """CONTRADICTION where each of two states has to wait for the other."""
        for rule in rules:
            match rule:
                case Or((Always(_), Until(absent, limit))):
                    limits = _awaited(limit)
                    for state in (negation(a) for a in conjuncts(absent)):
                        if state in limits or any((one, state) in self.waiting for one in limits):
                            raise SaySoError(
                                Code.CONTRADICTION,
                                "each of two states is to come about before the other.",
                                hint="leave out one of the two.",
                            )
                        self.waiting |= {(state, one) for one in limits}


def _awaited(limit: Formula) -> tuple[Formula, ...]:
    """The states of a limit: of "taken, then placed" the one and the other."""
    match limit:
        case And((*states, Until(_, later))):
            return (*states, *_awaited(later))
    return (limit,)
