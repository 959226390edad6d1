"""Repairs of a plan that met a failure: what to do instead of the rest of it.

The repairers here know operators alone, and no model: `Replan`
looks at what remains of the task and forgets the plan; `LeaveOut` and `Bridge` keep the plan, which
a person or a model may have had reasons for, and change what does not work of it. Whoever takes a
proposal has it validated.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain, islice
from math import inf
from typing import Protocol, TypeAlias

from sayso.core.errors import Code, SaySoError, SkillLackingError
from sayso.core.failure import Failure
from sayso.core.symbols import Action, Atom, Literal, Plan, PlanStep, SymbolicState
from sayso.logic.monitor import prop_atom
from sayso.planning.achieving import Situation, achieve
from sayso.planning.coherence import About, fleeting, serves, things_of, unlikely
from sayso.planning.problem import PlanningProblem
from sayso.planning.words import fact, joined

MOST_INSERTED = 30
"""Steps that a bridge may add to a plan."""
MOST_ORDERS = 12
"""Orders of a plan that are bridged for comparison."""
Steps: TypeAlias = tuple[PlanStep, ...]
Meant: TypeAlias = Callable[[Steps], Steps]
"""Each step of a plan as the action that it is from the present state on."""


@dataclass(frozen=True)
class BrokenPlan:
    """A plan in which a step failed, and the world as it was observed after that.

    Attributes:
        rest: what was still to be done; the step that failed comes first.
        problem: the observed state, all that remains of the task, and what may be used.
        done: what was carried out of the plan before.
        seen: what was observed before each of these, and now; empty where nobody kept it.
    """

    failure: Failure
    rest: tuple[PlanStep, ...]
    problem: PlanningProblem
    done: tuple[Action, ...] = ()
    seen: tuple[SymbolicState, ...] = ()

    def needs(self, action: Action) -> frozenset[Literal]:
        """What an action needs beforehand; of the one that could not begin what it lacked, too,
        which may be about the now."""
        failure = self.failure
        if failure.code is not Code.PRECONDITION or action != failure.action:
            return action.preconditions
        return action.preconditions.union(failure.literals)


@dataclass(frozen=True)
class Proposal:
    """What to do from here on in place of the rest of a plan.

    Attributes:
        reason: why, a clause in English.
        keeps_plan: whether it is the plan still, mended.
        looks: whether it only finds out what is to be known before the failure can be judged.
    """

    steps: tuple[PlanStep, ...]
    reason: str
    keeps_plan: bool = False
    looks: bool = False


class Repairer(Protocol):
    """Proposes how to go on.

    Attributes:
        name: what it is called in reports.
    """

    name: str

    def propose(self, broken: BrokenPlan) -> Proposal:
        """What to do instead.

        Raises:
            SaySoError: NO_PLAN or another of `NO_PROPOSAL` where it knows nothing, saying why.
        """
        ...


NO_PROPOSAL = frozenset(
    {
        Code.NO_PLAN,
        Code.PLAN_TIMEOUT,
        Code.PLAN_INVALID,
        Code.UNSUPPORTED,
        Code.NOT_UNDERSTOOD,
        Code.MODEL_UNAVAILABLE,
        Code.MODEL_TIMEOUT,
        Code.MODEL_REPLY,
    }
)
"""After these the next repairer is asked; others, such as CANCELLED or STALE, end the task."""


class Replan:
    """A new plan for what remains of the task.

    Args:
        solve: a planner's, for the problem.
    """

    name = "replan"

    def __init__(self, solve: Callable[[PlanningProblem], Plan]) -> None:
        self._solve = solve

    def propose(self, broken: BrokenPlan) -> Proposal:
        plan = self._solve(broken.problem)
        return Proposal(plan.steps, f"a new plan by {plan.planner} for what remains of the task")


class LeaveOut:
    """The rest of the plan without the step that failed, where that has its effect already.

    One that lacks something else than what its own effects end is not for this repairer: a clean
    plate far away is not washed, and whoever says "wash it" may mean the washing. Nor is one that
    may have been said too early: "close it, put that in, open it" of what was shut before the plan;
    nor one that is pointless, if hindsight knows what was forgotten.
    """

    name = "leave out"

    def propose(self, broken: BrokenPlan) -> Proposal:
        action, problem = broken.failure.action, broken.problem
        at = Situation.of(problem)
        if not _is_done(action, at, problem):
            raise SaySoError(Code.NO_PLAN, f"{action} does not have all of its effects already.")
        lacking = at.lacks(broken.needs(action))
        if not _is_over(action, lacking, problem):
            raise SaySoError(Code.NO_PLAN, f"{action} was not refused because of its effects.")
        if (ends := _said_too_early(action, lacking, broken)) is not None:
            text = f"{action} may be meant after {ends}, which ends what it would bring about."
            raise SaySoError(Code.NO_PLAN, text)
        if is_pointless(broken):
            text = f"{action} is only said where what it ends was to be brought about before."
            raise SaySoError(Code.NO_PLAN, text)
        reason = f"all that {action} would bring about holds already"
        return Proposal(broken.rest[1:], reason, keeps_plan=True)


class Reorder:
    """The rest of the plan in another order, in which all of its steps can be taken.

    The step that failed changes places with a later one, or else comes after some later ones, or
    else one of these before it; of several such orders that can be taken the one with the fewest
    steps that serve nothing, as one that walks away at the end; then the one in which most steps
    about the same things follow one another.
    Where the plan is all that is known of the task, and a later step of it brings about what the
    one that failed lacks, an order will do, too, in which less has to be bridged than in this one,
    unless the bridge does what failed once more than was said.

    Args:
        meant: of the steps of a plan.
        about: what a step says that it is about.
    """

    name = "reorder"

    def __init__(self, meant: Meant = lambda steps: steps, about: About = things_of) -> None:
        self._meant, self._about = meant, about

    def propose(self, broken: BrokenPlan) -> Proposal:
        """Raises NO_PLAN where the step lacked nothing that is known: it may be tried again."""
        if not Situation.of(broken.problem).lacks(broken.needs(broken.failure.action)):
            raise SaySoError(Code.NO_PLAN, f"{broken.failure.action} lacked nothing that is known.")
        for orders in _orders(broken.rest):
            able = ((o, s) for o in orders if _can_be_taken(s := self._meant(o.steps), broken))
            best = min(
                able,
                key=lambda found: unlikely(found[1], broken.problem, self._about),
                default=None,
            )
            if best is not None:
                order, steps = best
                return Proposal(steps, order.reason, keeps_plan=True)
        return self._bridged(broken)

    def _bridged(self, broken: BrokenPlan) -> Proposal:
        """Raises NO_PLAN where no order needs fewer changes than this one."""
        problem = broken.problem
        at = Situation.of(problem)
        lacking = at.lacks(broken.needs(broken.failure.action))
        brought = [n for n, s in enumerate(broken.rest) if n and effects_of(s.action) & lacking]
        best, least = None, inf
        if brought and problem.task.is_done(at.states):
            orders = (o for o in chain(*_orders(broken.rest)) if o.number >= brought[0])
            least, _ = _bridge(broken, self._meant)
            for order in islice(orders, MOST_ORDERS):
                rest = self._meant(order.steps)
                changes, mended = _bridge(replace(broken, rest=rest), self._meant)
                if mended is not None and changes < least and not _said_again(broken, mended):
                    least, best = changes, (order, mended)
        if best is None:
            raise SaySoError(Code.NO_PLAN, "the steps can be taken in no other order.")
        order, mended = best
        return replace(mended, reason=f"{order.reason}; {mended.reason}")


@dataclass(frozen=True)
class _Order:
    """The steps of a plan in another order.

    Attributes:
        number: where the first of them comes now, or the step before it came.
    """

    steps: Steps
    number: int
    reason: str


def _orders(rest: Steps) -> Iterator[Iterator[_Order]]:
    """First those in which the first step changes places with another, then those in which it
    comes later, then those in which another comes sooner."""
    first, *later = rest
    numbered = tuple(enumerate(later, start=1))
    yield (
        _Order(
            (step, *later[: n - 1], first, *later[n:]), n,
            f"{first.action} and {step.action} change places",
        )
        for n, step in numbered
    )  # fmt: skip
    yield (
        _Order((*later[:n], first, *later[n:]), n, f"{first.action} comes after {step.action}")
        for n, step in numbered
    )
    yield (
        _Order(
            (step, first, *later[: n - 1], *later[n:]), n,
            f"{step.action} comes before {first.action}",
        )
        for n, step in numbered
    )  # fmt: skip


def _bridge(broken: BrokenPlan, meant: Meant) -> tuple[float, Proposal | None]:
    """A bridge over a plan, with how many steps it adds or leaves out; None where none is found."""
    try:
        mended = Bridge(meant=meant).propose(broken)
    except SaySoError as error:
        if error.code is not Code.NO_PLAN:
            raise
        return inf, None
    was, now = (Counter(s.action for s in steps) for steps in (broken.rest, mended.steps))
    return ((was - now) + (now - was)).total(), mended


def _said_again(broken: BrokenPlan, mended: Proposal) -> bool:
    """Whether the step that failed is done more often than the plan says, in whatever way."""
    failed = broken.failure.action

    def times(steps: Steps) -> int:
        actions = (s.action for s in steps)
        return sum((a.skill, a.args[:1]) == (failed.skill, failed.args[:1]) for a in actions)

    return times(mended.steps) > times(broken.rest)


class Bridge:
    """The rest of the plan, with the shortest sequences that give its steps what they lack.

    What the steps before have reached, and the plan does not undo itself, holds at the end. A step
    that is to be avoided is replaced by another way to its effects, and one whose effects hold when
    its turn comes is left out. Where the task wants more than the plan does, a planner adds it.

    Args:
        solve: a planner's; without one, a plan that stops short of the task's end has no bridge.
        meant: of the steps of a plan: after what was added a later one may be another action.
    """

    name = "bridge"

    def __init__(
        self,
        solve: Callable[[PlanningProblem], Plan] | None = None,
        meant: Meant = lambda steps: steps,
    ) -> None:
        self._solve, self._meant = solve, meant

    def propose(self, broken: BrokenPlan) -> Proposal:
        way = _Way(broken.problem, Situation.of(broken.problem), _reached(broken))
        rest = broken.rest
        first = bool(rest) and rest[0].action == broken.failure.action
        while rest:
            step, before = rest[0], len(way.steps)
            needs = broken.needs(step.action) if first else step.action.preconditions
            way.take(rest, needs, first=first)
            rest, first = rest[1:], False
            if rest and way.steps[before:] != [step]:
                rest = self._meant((*way.steps, *rest))[len(way.steps) :]
        way.restore([step.action for step in broken.rest])
        self._complete(way)
        reason = "; ".join(way.reasons) or "nothing is lacking, so that it may be tried again"
        return Proposal(tuple(way.steps), reason, keeps_plan=True)

    def _complete(self, way: _Way) -> None:
        """The task's remainder, where the plan does not see to it."""
        problem, at = way.problem, way.at
        if problem.task.is_done(at.states):
            return
        if self._solve is None:
            raise SaySoError(Code.NO_PLAN, "the rest of the plan would not complete the task.")
        onward = replace(problem, initial=at.true, unknown=at.unknown, states=at.states)
        way.steps += self._solve(onward).steps
        way.reasons.append("then the task's remainder")


class LearnSkill:
    """Tells which skill is lacking, where nothing that is known brings about what failed.

    It has no proposal of its own: the next skill has to be taught first.
    """

    name = "learn skill"

    def propose(self, broken: BrokenPlan) -> Proposal:
        """Raises `SkillLackingError`, or NO_PLAN where known actions would do."""
        at, operators = Situation.of(broken.problem), broken.problem.domain.operators
        made = {(a.predicate, True) for op in operators for a in op.add}
        made |= {(a.predicate, False) for op in operators for a in op.delete}
        lacking = sorted(
            x
            for x in at.lacks(broken.needs(broken.failure.action))
            if (x.atom.predicate, x.positive) not in made
            and set(x.atom.args) <= set(broken.problem.objects)  # else it is lost, not lacking
        )
        if not lacking:
            raise SaySoError(Code.NO_PLAN, "known actions bring about each thing that is lacking.")
        facts = joined(fact(x, broken.problem.predicates) for x in lacking)
        raise SkillLackingError(
            facts,
            f"no known action brings about that {facts}, which {broken.failure.action} needs.",
            hint=f"teach a skill after which {facts}, or see to it by hand and ask again.",
        )


def model_free(
    solve: Callable[[PlanningProblem], Plan],
    *,
    keep_plan: bool,
    meant: Meant = lambda steps: steps,
) -> tuple[Repairer, ...]:
    """The repairers in the order in which they are asked.

    Args:
        keep_plan: for a plan that came from words: its intent is kept where that will do.
        meant: of the steps of a plan.
    """
    if keep_plan:
        return LeaveOut(), Reorder(meant), Bridge(solve, meant), Replan(solve), LearnSkill()
    return Replan(solve), LeaveOut(), Bridge(), LearnSkill()


@dataclass
class _Way:
    """A plan under repair, as far as it goes.

    Attributes:
        at: where its steps lead.
        kept: what has to hold in the end.
        reasons: of each change, clauses in English.
    """

    problem: PlanningProblem
    at: Situation
    kept: frozenset[Literal]
    steps: list[PlanStep] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)
    inserted: int = 0

    def take(self, rest: Sequence[PlanStep], needs: frozenset[Literal], *, first: bool) -> None:
        """One step of the plan: as it is, with what it lacks before it, or not at all.

        What the steps after it need is left as it is, where that can be.

        Args:
            needs: of the step.

        Raises:
            SaySoError: NO_PLAN where it cannot be had.
        """
        action = rest[0].action
        avoided = (action.name, action.args) in self.problem.avoid
        lacking = self.at.lacks(needs)
        done = (lacking or avoided or first) and (
            _is_done(action, self.at, self.problem) or self._adds_nothing(rest)
        )
        if done and (_is_over(action, lacking, self.problem) or not self._lead_to(needs, rest)):
            self.reasons.append(f"{action} is left out, since it has its effects already")
            return
        if avoided:
            added = frozenset(map(Literal, action.add))
            why = f"{action} is to be avoided, but it is wanted that"
            self._bridge(added or effects_of(action), why, rest)
            return
        if lacking and not done:
            self._bridge(needs, f"{action} needs that", rest)
        self._append(rest[0])

    def _adds_nothing(self, rest: Sequence[PlanStep]) -> bool:
        """Whether a step would bring about what passes alone, of which nothing that does not hold
        is needed later: who sits on the couch need not walk there."""
        action, true = rest[0].action, self.at.true
        holds = {a for a in action.add & true if set(action.args[:1]) & set(a.args)}
        passing = fleeting(self.problem).issuperset(a.predicate for a in action.add)
        missing = replace(action, add=action.add - true)
        return bool(holds) and passing and not serves(missing, (s.action for s in rest[1:]))

    def _lead_to(self, needs: frozenset[Literal], rest: Sequence[PlanStep]) -> bool:
        """Bridges to a step that can be done without, if that undoes nothing that was reached."""
        undone = {Literal(x.atom, not x.positive) for x in needs} & self.kept
        wanted = needs | self.kept
        way = None if undone else achieve(wanted, self.at, self.problem, thorough=False)
        if way is None:
            return False
        self._insert(way, needs, f"{rest[0].action} needs that")
        return True

    def restore(self, said: Sequence[Action]) -> None:
        """What was reached before, where it does not hold any more and goes with what the rest of
        the plan, as it was said, has brought about."""
        lost = self.at.lacks(self.kept)
        if not lost:
            return
        wanted = self.kept | _brought(said, self.at, self.problem, self.problem.initial)
        why = f"{self._said(lost)} was reached before"
        if (way := achieve(wanted, self.at, self.problem, thorough=False)) is None:
            self.reasons.append(f"{why}, and does not go with what the plan leads to")
        else:
            self._insert(way, self.kept, f"{why} and is to stay:")

    def _bridge(self, wanted: Iterable[Literal], why: str, rest: Sequence[PlanStep] = ()) -> None:
        goal = frozenset(wanted)
        lacking = self._said(self.at.lacks(goal))
        clash = {Literal(x.atom, not x.positive) for x in goal}
        kept = goal | (self.kept - clash)
        besides = (kept | (self._needed(rest) - clash), kept, goal)
        ways = (
            achieve(g, self.at, self.problem, thorough=g == goal) for g in dict.fromkeys(besides)
        )
        way = next((w for w in ways if w is not None), None)
        if way is None:
            raise SaySoError(Code.NO_PLAN, f"no sequence of known actions achieves that {lacking}.")
        self._insert(way, goal, why)

    def _insert(self, way: Sequence[Action], goal: frozenset[Literal], why: str) -> None:
        lacking = self._said(self.at.lacks(goal))
        if self.inserted + len(way) > MOST_INSERTED:
            raise SaySoError(Code.NO_PLAN, f"no sequence of known actions achieves that {lacking}.")
        self.inserted += len(way)
        self.reasons.append(f"{', '.join(map(str, way)) or 'nothing'} so that {lacking}")
        for action in way:
            self._append(PlanStep(action, f"{why} {lacking}"))

    def _needed(self, rest: Iterable[PlanStep]) -> frozenset[Literal]:
        """What steps need that holds now, and that none of those before them changes."""
        needed: set[Literal] = set()
        passing, changed = fleeting(self.problem), set[Atom]()
        for step in rest:
            needed |= {x for x in step.action.preconditions if x.atom not in changed}
            changed |= step.action.add | step.action.delete
        return frozenset(x for x in needed if x.atom.predicate not in passing and self.at.holds(x))

    def _append(self, step: PlanStep) -> None:
        self.steps.append(step)
        self.at = self.at.after(step.action, self.problem.task)

    def _said(self, literals: Iterable[Literal]) -> str:
        return joined(fact(x, self.problem.predicates) for x in sorted(literals))


def _can_be_taken(steps: Iterable[PlanStep], broken: BrokenPlan) -> bool:
    """Whether all of some steps can be taken one after the other."""
    problem = broken.problem
    at = Situation.of(problem)
    for action in (step.action for step in steps):
        if at.lacks(broken.needs(action)) or (action.name, action.args) in problem.avoid:
            return False
        at = at.after(action, problem.task)
    return True


def effects_of(action: Action) -> frozenset[Literal]:
    """What holds after an action by its doing."""
    added = {Literal(a) for a in action.add}
    return frozenset(added | {Literal(a, False) for a in action.delete - action.add})


def _is_done(action: Action, at: Situation, problem: PlanningProblem) -> bool:
    """Whether an action would change nothing, nor show meanwhile what the task speaks of."""
    effects = effects_of(action)
    shown = action.during.intersection(map(prop_atom, problem.task.propositions))
    return bool(effects) and not shown and not at.lacks(effects)


def _is_over(action: Action, lacking: frozenset[Literal], problem: PlanningProblem) -> bool:
    """Whether an action that has its effects lacks something because of them, or nothing at all."""
    ended = {Literal(x.atom, not x.positive) for x in effects_of(action)}
    avoided = (action.name, action.args) in problem.avoid
    return avoided or not lacking or bool(lacking & ended)


def _said_too_early(
    action: Action, lacking: frozenset[Literal], broken: BrokenPlan
) -> Action | None:
    """A later step that ends those effects of an action because of which it lacks something, if
    the plan has not brought these about."""
    effects = effects_of(action)
    over = frozenset(x for x in lacking if Literal(x.atom, not x.positive) in effects)
    held = {Literal(x.atom, not x.positive) for x in over}
    if any(effects_of(a) & held for a in broken.done):
        return None
    return next((s.action for s in broken.rest[1:] if effects_of(s.action) & over), None)


def is_pointless(broken: BrokenPlan) -> bool:
    """Whether the step that failed would end what never held since the plan began.

    Nobody says so, unless they forgot to say what brings it about, or do not know how things stand.
    """
    action = broken.failure.action
    ended = {Literal(x.atom, not x.positive) for x in effects_of(action)}
    over = ended & Situation.of(broken.problem).lacks(broken.needs(action))
    seen = broken.seen if broken.done else ()
    return bool(over and seen) and not any(state.holds(x) for state in seen for x in over)


def _reached(broken: BrokenPlan) -> frozenset[Literal]:
    """What was brought about before, still holds, and is not undone by the rest of the plan."""
    used = {a for step in broken.rest for a in step.action.delete - step.action.add}
    before = broken.seen[0].true_atoms() if broken.seen else ()
    brought = _brought(broken.done, Situation.of(broken.problem), broken.problem, before)
    return frozenset(x for x in brought if x.atom not in used)


def _brought(
    actions: Iterable[Action], at: Situation, problem: PlanningProblem, before: Iterable[Atom]
) -> frozenset[Literal]:
    """What some actions brought about one after the other, and still holds.

    What some action ends of all things alike, such as being near, is passing, and left out; so is
    what is about no thing and held before, such as a hand that is free again.
    """
    brought, given = frozenset[Literal](), {Literal(a) for a in before if not a.args}
    for action in actions:
        undone = {Literal(x.atom, not x.positive) for x in effects_of(action)}
        given |= {x for x in undone - brought if x.positive and not x.atom.args}
        brought = (brought - undone) | ({Literal(a) for a in action.add} - given)
    passing = fleeting(problem)
    return frozenset(x for x in brought if at.holds(x) and x.atom.predicate not in passing)
