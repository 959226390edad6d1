"""Repair by bridges: the shortest sequences of actions after which a plan's steps can be taken.

The plan, which a person or a model may have had reasons for, is kept; what does not work of it is
changed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Atom, Literal, Plan, PlanStep
from sayso.planning.achieving import Situation, achieve
from sayso.planning.coherence import fleeting, serves
from sayso.planning.problem import PlanningProblem
from sayso.planning.repair import BrokenPlan, Meant, Proposal, effects_of, is_done, is_over
from sayso.planning.words import fact, joined

MOST_INSERTED = 30
"""Steps that a bridge may add to a plan."""


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
            is_done(action, self.at, self.problem) or self._adds_nothing(rest)
        )
        if done and (is_over(action, lacking, self.problem) or not self._lead_to(needs, rest)):
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
