"""A plan of before for words of now: the one kept for the most alike words, fitted to the scene.

After Veloso, "Planning and Learning by Analogical Reasoning" (1994): what a plan was for says which
of today's things play the parts of those of then; steps that cannot be taken today, or that nothing
comes of, are left out; a planner sees to what is lacking.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from pathlib import Path

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Embedder
from sayso.core.symbols import Action, Literal, Operator, Plan, PlanStep
from sayso.planning.achieving import Situation, achieve
from sayso.planning.explain import explained
from sayso.planning.plan_library import KeptPlan, PlanLibrary, roles
from sayso.planning.problem import RETRIEVED, PlanLimits, PlanningProblem, TaskPlanner
from sayso.planning.repair import NO_PROPOSAL
from sayso.planning.validate import validate

MOST_TRIED = 5
"""Plans, and ways of fitting one, that are tried for a task."""


class RetrievalPlanner:
    """A task planner that begins with the plans of before.

    Args:
        inner: plans what no kept plan sees to, and all where there is none.
        plans: folder of the plans that are kept; see `PlanLibrary`.
        embedder: says which words are alike.
    """

    def __init__(self, inner: TaskPlanner, plans: Path | str, embedder: Embedder) -> None:
        self._plans = PlanLibrary(plans)
        self._embedder = embedder
        self._inner = inner

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        """See `problem.TaskPlanner`; CORRUPT for a file among the plans that holds none."""

        def solve(what: PlanningProblem) -> Plan:
            return self._inner.solve(what, limits)

        for kept in self._plans.alike(problem.words, self._embedder)[:MOST_TRIED]:
            try:
                return fitted(kept, problem, solve)
            except SaySoError as error:
                if error.code not in NO_PROPOSAL:
                    raise
        return solve(problem)


def fitted(
    kept: KeptPlan, problem: PlanningProblem, solve: Callable[[PlanningProblem], Plan]
) -> Plan:
    """A kept plan about today's things, which does all of a task.

    Raises:
        SaySoError: NO_PLAN where the plan was for something else, or nothing comes of it; what the
            planner raises, and the validator.
    """
    for parts in islice(roles(kept, problem.task.formula), MOST_TRIED):
        begun = _that_can_begin(_about(kept, parts, problem), problem)
        at, more = _end(begun, problem), tuple[Action, ...]()
        if not problem.task.is_done(at.states):
            left = replace(problem, initial=at.true, unknown=at.unknown, states=at.states)
            more = solve(left).actions
        actions = _needed((*begun, *more), problem)
        if not set(begun).isdisjoint(actions):
            steps = tuple(map(PlanStep, actions))
            cost = sum(a.cost for a in actions)
            plan = explained(Plan(steps, RETRIEVED, cost, from_words=True), problem)
            validate(plan, problem)
            return plan
    raise SaySoError(Code.NO_PLAN, f"nothing comes of the plan for '{kept.words}' here.")


def _about(
    kept: KeptPlan, parts: Mapping[str, str], problem: PlanningProblem
) -> Iterator[tuple[Operator, tuple[str, ...]]]:
    """The steps about today's things, without those about what there is nothing like."""
    operators = {o.name: o for o in problem.domain.operators}
    found = dict(parts)
    for step in kept.steps:
        for name in step.args:
            kind = kept.categories.get(name, "")
            if name not in found and (other := _like(name, kind, found.values(), problem)):
                found[name] = other
        operator = operators.get(step.predicate)
        if operator is not None and all(name in found for name in step.args):
            yield operator, tuple(found[name] for name in step.args)


def _like(name: str, category: str, taken: Collection[str], problem: PlanningProblem) -> str | None:
    """A thing that plays no part yet: the same, or the last one of its category."""
    free = [o for o in problem.objects if o not in taken]
    if name in free:
        return name
    same = (o for o in reversed(free) if category and problem.categories.get(o) == category)
    return next(same, None)


def _that_can_begin(
    steps: Iterable[tuple[Operator, tuple[str, ...]]], problem: PlanningProblem
) -> list[Action]:
    """Those steps that can be taken in their turn, or others that do the same."""
    at, found = Situation.of(problem), list[Action]()
    for operator, args in steps:
        if len(args) != len(operator.parameters) or not problem.may_take(operator, args):
            continue
        action: Action | None = operator.ground(*args, objects=problem.objects)
        if action is not None and (at.lacks(action.preconditions) or _avoided(action, problem)):
            same = achieve(map(Literal, action.add), at, problem)
            action = same[0] if same and len(same) == 1 else None
        if action is None:
            continue
        after = at.after(action, problem.task)
        if problem.task.can_go_on(after.states):
            found.append(action)
            at = after
    return found


def _avoided(action: Action, problem: PlanningProblem) -> bool:
    return (action.name, action.args) in problem.avoid


def _needed(actions: Sequence[Action], problem: PlanningProblem) -> tuple[Action, ...]:
    """The actions without those that the task can do without.

    Each in turn is left out with all that cannot be done without it, and stays out if the task is
    done still ("action elimination", Nakhost and Mueller, ICAPS 2010).
    """
    kept = list(actions)
    number = 0
    while number < len(kept):
        fewer = _without(kept, number, problem)
        if problem.task.is_done(_end(fewer, problem).states):
            kept = fewer
        else:
            number += 1
    return tuple(kept)


def _without(actions: Sequence[Action], number: int, problem: PlanningProblem) -> list[Action]:
    """The actions but one, and those that lack something then."""
    at, left = Situation.of(problem), list[Action]()
    for i, action in enumerate(actions):
        if i != number and not at.lacks(action.preconditions):
            left.append(action)
            at = at.after(action, problem.task)
    return left


def _end(actions: Iterable[Action], problem: PlanningProblem) -> Situation:
    at = Situation.of(problem)
    for action in actions:
        at = at.after(action, problem.task)
    return at
