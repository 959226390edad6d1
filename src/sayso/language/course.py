"""The course of a task: what is to happen, joined step by step, and the rules beside it."""

from __future__ import annotations

from collections.abc import Callable
from collections.abc import Sequence as Seq
from dataclasses import dataclass, field, replace

from sayso.core.errors import Code, SaySoError
from sayso.language import meaning as m
from sayso.language.asked import is_taken_singly, outcomes, shares_state
from sayso.language.clauses import Clauses
from sayso.language.entities import Entity, Refuse, UnclearRoleError, same_thing, waits
from sayso.language.events import (
    MAX_STEPS,
    Again,
    AnyOrder,
    Conditioned,
    Each,
    Either,
    Event,
    Guarded,
    Holds,
    Sequence,
    State,
    achieve,
    achieve_by_cases,
    negation,
    together,
    too_long,
)
from sayso.language.everything import ANYTHING
from sayso.language.lexicon import MAX_NAMED, Lexicon
from sayso.language.limits import of_each, until_each
from sayso.language.references import Discourse
from sayso.language.taking_back import Takes, UnclearLeftoverError, all_but, handles, without
from sayso.logic.formula import (
    ALL,
    Always,
    And,
    Eventually,
    Formula,
    Or,
    Prop,
    Quantified,
    Referent,
    Until,
    Variable,
    conjunction,
    conjuncts,
    map_referents,
    propositions,
    referents_of,
)
from sayso.logic.scope import bound_at_the_end, stands_outside

END = (10_000, 10_000)
_ORDERING = ("then", "at last")
"""How something is joined that comes after all that was said before."""
_SPEAKER = Referent("speaker")


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
class Course:
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

    # -- joining -------------------------------------------------------------------------

    def join(self, done: Done, mode: str, at: m.At) -> None:
        """One more step. Raises NOT_UNDERSTOOD where it is not clear where it belongs."""
        again = isinstance(done.event, Sequence) and any(
            isinstance(e, Again) for e in done.event.events
        )
        if again:
            self._join_patrol(mode, at)
            return
        if contains_patrol(done.event):
            raise self.refuse(
                at,
                "it is not clear how this goes with what is repeated.",
                hint="say 'patrol ...' in a sentence of its own.",
            )
        if mode == "also":
            self.end_task()
        self._refuse_unclear(mode, at)
        if mode in _ORDERING:
            self.place_conditioned(at)
        if self.patrolled:
            raise self.refuse(
                at, "a patrol has no end, so nothing comes after it.",
                hint="say it before the patrol, or 'in addition ...' if it has no order.",
            )  # fmt: skip
        match mode:
            case "or" | "alternatively":
                self._alternative(done, mode, at)
            case "before":
                self._insert(done, len(self.steps) - 1, at)
            case "at first":
                self.place_conditioned(at)
                self._insert(done, 0, at)
            case "only then":
                states = done.states or _brought(done.event)
                if self.last_joined is None or not states:
                    raise self.refuse(at, "'only then' goes between two single steps.")
                self.not_until(states, self.last_joined.latest or self.last_joined.event)
                self.steps += (done.event,)
            case m.AS_SECOND_THOUGHT | m.AS_CORRECTION:
                raise UnclearRoleError(
                    Code.NOT_UNDERSTOOD,
                    "it is not clear whether this takes the place of what was said before.",
                    hint="give the whole instruction anew.", span=self.refuse(at, "").span,
                )  # fmt: skip
            case _:
                if self.steps and is_taken_singly(self.steps[-1], done.event):
                    self.steps = self.steps[:-1]
                self.steps += (done.event,)
        self.ordered |= mode not in (".", "also")
        self.rows += (done.event,) if done.latest is not None else ()
        self.last_joined = done
        self.last = done
        self.last_rule = False

    def free_order(self, at: m.At) -> None:
        """The steps so far in any order, where nothing but the order of the sentences, or of a
        list, told it. Raises NOT_UNDERSTOOD elsewhere."""
        steps = [e for s in self.steps for e in (_listed(s) if s in self.rows else (s,))]
        plain = all(isinstance(e, State | AnyOrder | Each) for s in steps for e in _listed(s))
        kept = self.ordered or self.pending or self.tasks or self.alternatives or self.inserted
        if kept or not plain or len(steps) < 2:
            raise self.refuse(
                at, "it is not clear the order of what this leaves open.",
                hint="say 'in any order' right after the things or the steps.",
            )  # fmt: skip
        self.steps, self.rows = (AnyOrder(tuple(steps)),), ()

    def require_order(self, at: m.At) -> None:
        """Raises NOT_UNDERSTOOD for "do them in that order" where the steps so far are read in
        none."""
        if not all(map(_has_order, (*self.steps, *(d.event for d in self.pending)))):
            raise self.refuse(
                at, "it is not clear in which order what was said before is meant.",
                hint="say 'in that order' right after the things or the steps.",
            )  # fmt: skip

    def refuse_free_order(self, at: m.At) -> None:
        """Raises NOT_UNDERSTOOD for "whichever you like" where only the order could be chosen."""
        several = len(self.steps) + len(self.pending) > 1 or any(s in self.rows for s in self.steps)
        chosen = any(e.quantity not in (None, ALL) for e in self.discourse.made)
        events = (*self.steps, *(d.event for d in self.pending))
        if several and not (chosen or self.alternatives or any(map(_leaves_open, events))):
            raise self.refuse(
                at, "it is not clear whether this leaves the order open.",
                hint="say 'in any order', or leave it out.",
            )  # fmt: skip

    def _join_patrol(self, mode: str, at: m.At) -> None:
        if mode not in (".", "then", "also", "at last") or self.either:
            raise self.refuse(
                at,
                "it is not clear how this goes with what was said before.",
                hint="say 'patrol ...' of what is to be repeated.",
            )
        self.patrolled = True
        self.last = None
        self.clauses.last = None

    def depend(self, rule: Formula, event: Conditioned | None) -> None:
        """A rule for the case that a condition holds at the start; a step, too, where words put
        it in an order with others."""
        self.rules += (rule,)
        self.conditioned += (OnCondition(rule, event, len(self.steps)),)

    def place_conditioned(self, at: m.At, *, follows: bool = False) -> None:
        """Makes steps of what depends on conditions, in the order said.

        Args:
            follows: whether it comes after what depends on other conditions right before it.

        Raises:
            SaySoError: NOT_UNDERSTOOD where that is no step.
        """
        steps = list(self.steps)
        for said in reversed(self.conditioned):
            if said.event is None or self.alternatives:
                raise self.refuse(
                    at, "it is not clear in which order this and what depends on a condition are "
                    "meant.", hint="say 'after ...' or 'before ...' what.",
                )  # fmt: skip
            steps.insert(said.place, replace(said.event, follows=follows))
        placed = [c.rule for c in self.conditioned]
        self.rules = tuple(r for r in self.rules if not any(r is p for p in placed))
        self.steps, self.conditioned = tuple(steps), ()

    def _refuse_unclear(self, mode: str, at: m.At) -> None:
        depends = bool(self.conditioned) and self.conditioned[-1].place == len(self.steps)
        if mode in ("only then", "before") and depends:
            raise self.refuse(
                at, "it is not clear whether this is of what depends on a condition, too.",
                hint="say 'after ...' or 'before ...' what.",
            )  # fmt: skip
        if self.closed and mode in ("then", ".", "only then", "before"):
            raise self.refuse(
                at, "it is not clear whether this follows both alternatives.",
                hint="say the alternatives with 'either ..., or ...' at the end.",
            )  # fmt: skip
        if self.inserted and mode not in ("at last", "also", "at first", "before"):
            raise self.refuse(
                at, "it is not clear whether this comes at the end.",
                hint="say 'after all that ...', or give the steps in their order.",
            )  # fmt: skip

    def _alternative(self, done: Done, mode: str, at: m.At) -> None:
        if not self.steps:
            raise self.refuse(at, "there is nothing to be an alternative to.")
        if mode == "or" and not self.either:
            raise self.refuse(
                at, "it is not clear what the alternative is to.",
                hint="say 'either ..., or ...' or 'alternatively'.",
            )  # fmt: skip
        self.closed = mode == "alternatively" or self.either
        self.either = False
        self.alternatives += (Sequence(self.steps),)
        self.steps = (done.event,)

    def _insert(self, done: Done, index: int, at: m.At) -> None:
        if not self.steps or self.tasks or self.alternatives or (self.last and self.last.ruled):
            raise self.refuse(at, "it is not clear before what this comes.")
        self.steps = (*self.steps[:index], done.event, *self.steps[index:])
        self.inserted = True

    # -- steps said together -------------------------------------------------------------

    def combined(
        self, done: list[Done], joiners: set[str], at: m.At, order: str = "", marker: str = ""
    ) -> Done:
        """What steps ask for that are joined by "and", "or" or commas."""
        kinds = joiners - {"comma"}
        if (
            order in ("any", "all free")
            and len(done) == 1
            and not isinstance(done[0].event, AnyOrder | Each)
            and not _of_all(done[0].event)
        ):
            raise self.refuse(at, "'in any order' needs several steps.")
        if len(kinds) > 1:
            raise self.refuse(
                at, "'and' and 'or' are mixed, so it is not clear what belongs together.",
                hint="use a new sentence or 'then' for one of them.",
            )  # fmt: skip
        if len(done) == 1:
            return done[0]
        if "or" in kinds and marker == "both":
            raise self.refuse(at, "'both' needs 'and' after it.")
        if "or" in kinds:
            return Done(one_of([d.event for d in done]))
        if order == "all said" or (order == "said" and len(done[-1].states) < 2):
            return Done(Sequence(tuple(d.event for d in done)))
        if order in ("any", "all free"):
            return Done(AnyOrder(tuple(d.event for d in done)))
        if any(d.ruled for d in done):
            return Done(AnyOrder(tuple(d.event for d in done)), ruled=True)
        if "and" in kinds:
            return Done(self.conjoined(done), (), _alike(done))
        return Done(Sequence(tuple(d.event for d in done)), latest=done[-1].event)

    def conjoined(self, done: list[Done]) -> Event:
        """What steps with "and" between them ask for."""
        if len(done) == 1:
            return done[0].event
        if _alike(done):
            return AnyOrder(tuple(d.event for d in done))
        return together([d.event for d in done], self.lasting)

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

    # -- rules about steps ---------------------------------------------------------------

    def hold_from(self, step: Event, rule: Holds) -> None:
        """Makes a rule hold from the last time on that a step is done."""
        for i, done in reversed(list(enumerate(self.pending))):
            if done.event == step:
                self.pending[i] = replace(done, event=Sequence((step, rule)), unordered="")
                return
        last = len(self.steps) - self.steps[::-1].index(step)
        self.steps = (*self.steps[:last], rule, *self.steps[last:])

    @property
    def asked(self) -> tuple[Event, ...]:
        """The steps so far, with those of the group that is being read."""
        return (*self.steps, *(d.event for d in self.pending))

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

    def _not_until(self, absent: Formula, limit: Event) -> Formula:
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

    def refuse_after_waiting(self) -> None:
        """Raises NOT_UNDERSTOOD after "wait there"."""
        if self.waited is not None:
            raise self.waited

    # -- the whole -----------------------------------------------------------------------

    def end_task(self) -> None:
        """What comes next is another task, done at any time."""
        if self.either:
            raise self.refuse((0, 1), "'either' needs 'or' after it.")
        if self.steps and isinstance(last := self.steps[-1], Guarded):
            self.steps = (*self.steps[:-1], last.event)  # at the very end, it holds throughout
            self.rules += (Always(last.guard),)
        task: Event = Sequence(self.steps)
        if self.alternatives:
            task = Either((*self.alternatives, task))
        if self.steps:
            self.tasks += (task,)
        self.steps, self.alternatives, self.closed = (), (), False
        self.conditioned = ()
        self.last, self.last_joined, self.inserted, self.patrolled = None, None, False, False

    def event(self) -> Sequence:
        """All that is to happen; ends the task."""
        self.end_task()
        if len(self.tasks) > 1:
            return Sequence((AnyOrder(self.tasks), *self.patrols))
        task = self.tasks[0] if self.tasks else Sequence(())
        return Sequence((*(task.events if isinstance(task, Sequence) else (task,)), *self.patrols))

    @property
    def has_steps(self) -> bool:
        """Whether anything is asked for but rules."""
        return bool(self.steps or self.tasks or self.alternatives or self.patrols)

    def formula(self, since: int = 0) -> Formula:
        """What was asked for, with the things bound that were named from the `since`-th on."""
        if self.unplaced is not None and self.has_steps:
            raise self.unplaced
        self._ask_for_meanwhile()
        event = self.event()
        if not event.events and not self.rules:
            raise self.refuse(
                END, "nothing is asked for.", hint="say what is to be done, or what is to be so.",
                choices=list(self.lexicon.verbs)[:MAX_NAMED],
            )  # fmt: skip
        if too_long(event):
            raise self.refuse(
                (0, 0), f"more than {MAX_STEPS} steps, or too many orders of them, are asked for "
                "at once.", hint="give the task in parts.",
            )  # fmt: skip
        return self.close(conjunction(achieve_by_cases(event), *self.rules), since)

    def _ask_for_meanwhile(self) -> None:
        """What something is forbidden during is to be done where nothing else is; raises
        NOT_UNDERSTOOD where nothing asks for it, but for something else."""
        wanted = set(propositions(conjunction(self.still_asked(), *map(achieve, self.patrols))))
        left = [(w, e) for w, e in self.meanwhile if not wanted.issuperset(propositions(w))]
        for what, unclear in left:
            if self.has_steps or len(left) > 1 or any(_variables(p) for p in propositions(what)):
                raise unclear
        self.steps += tuple(State(what) for what, _ in left)

    def close(self, formula: Formula, since: int = 0) -> Formula:
        """The formula with the things bound that were named from the `since`-th on."""
        formula = self._with_speaker(formula)
        waiting = [e.unbound for e in self.discourse.made[since:] if waits(e)]
        lasting = self.lasting
        formula = bound_at_the_end(formula, [u for u in waiting if u is not None], lasting)
        counted = [(v, v) for e in self.discourse.made[since:] if (v := e.variable)]
        for own, of in (*self.discourse.own, *counted):
            if stands_outside(formula, own, of):
                raise self.refuse(
                    END, "it is not clear whether it is the same one for each of them.",
                    hint="name the thing, or say it for each place.",
                )  # fmt: skip
        return map_referents(formula, self.discourse.located)

    def _with_speaker(self, formula: Formula) -> Formula:
        if _SPEAKER not in referents_of(formula):
            return formula
        speaker = self.discourse.speaker
        if speaker is None or speaker.variable is not None:
            raise self.refuse((0, 1), "where you are is not known.", hint="say 'I am by the ...'.")
        return map_referents(formula, lambda r: speaker.referent if r == _SPEAKER else r)


def _brought(event: Event) -> tuple[Formula, ...]:
    """Where a thing is that is taken and brought somewhere; nothing for other steps."""
    steps = event.events if isinstance(event, Sequence) else ()
    return outcomes(event) if steps and all(isinstance(e, State) for e in steps) else ()


def _of_all(event: Event) -> bool:
    """Whether a step is one of all things of a kind: "all blocks on the plate, in any order"."""
    all_of = event.formula if isinstance(event, State) else None
    return isinstance(all_of, Quantified) and all_of.quantity == ALL


def _variables(prop: Prop) -> bool:
    return any(isinstance(a, Variable) for a in prop.args)


def end_of(event: Event) -> Formula | None:
    """The state with which steps end, if that is one."""
    while isinstance(event, Sequence) and event.events:
        event = event.events[-1]
    return event.formula if isinstance(event, State) else None


def contains_patrol(event: Event) -> bool:
    """Whether anything in it is done again and again."""
    match event:
        case Again():
            return True
        case Sequence(events) | AnyOrder(events) | Either(events):
            return any(map(contains_patrol, events))
        case Guarded(inner, _):
            return contains_patrol(inner)
    return False


def _listed(event: Event) -> tuple[Event, ...]:
    return event.events if isinstance(event, Sequence) else (event,)


def _leaves_open(event: Event) -> bool:
    """Whether a thing, a step or an order may be chosen in it."""
    match event:
        case Sequence(events):
            return any(map(_leaves_open, events))
        case Guarded(inner, _):
            return _leaves_open(inner)
        case State(formula):
            return isinstance(formula, Or)
    return isinstance(event, AnyOrder | Either | Each)


def _has_order(event: Event) -> bool:
    """Whether its parts come one after the other, if it has several."""
    match event:
        case Sequence(events) | Either(events):
            return all(map(_has_order, events))
        case Guarded(inner, _):
            return _has_order(inner)
        case State(formula):
            return not isinstance(formula, And)
    return not isinstance(event, AnyOrder | Each)


def one_of(events: list[Event]) -> Event:
    """One event, or alternatives."""
    return events[0] if len(events) == 1 else Either(tuple(events))


def _awaited(limit: Formula) -> tuple[Formula, ...]:
    """The states of a limit: of "taken, then placed" the one and the other."""
    match limit:
        case And((*states, Until(_, later))):
            return (*states, *_awaited(later))
    return (limit,)


def _alike(done: Seq[Done]) -> str:
    labels = {d.unordered for d in done}
    return next(iter(labels)) if len(labels) == 1 else ""
