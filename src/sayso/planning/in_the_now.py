"""Plans whose first action has what it needs in the now: exact places, looked at just before it.

Where something stands in the way of a sliding door is known once all else is as it will be, so that
planning ahead ignores it. Once such an action comes first, what stands against it becomes something
to be achieved before, and so on for what then comes first (Kaelbling and Lozano-Perez,
"Hierarchical task and motion planning in the now", ICRA 2011). What a later action will lack as far
as is known now is achieved before as well, if a plan for that is found.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Literal, Operator, Plan, of_others
from sayso.planning.problem import PlanLimits, PlanningProblem, TaskPlanner
from sayso.planning.relevance import about_all
from sayso.planning.words import fact, joined


@dataclass(frozen=True)
class InTheNowPlanner:
    """Another planner's plans, begun with what their first action needs in the now.

    Whoever acts looks at what each action needs (`Action.needs`) when its turn comes, and plans
    anew where it is not so.
    """

    inner: TaskPlanner

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        """Raises as `TaskPlanner`; NO_PLAN names what is in the way and cannot be taken away."""
        promoted: frozenset[str] = frozenset()
        against: tuple[Literal, ...] = ()
        begun: Plan | None = None  # its first action has what it needs
        while True:
            try:
                plan = self.inner.solve(_with_promoted(problem, promoted), limits)
            except SaySoError as error:
                if begun is not None and error.code in (Code.NO_PLAN, Code.PLAN_TIMEOUT):
                    return begun
                if error.code is Code.NO_PLAN and against:
                    raise _in_the_way(against, problem) from error
                raise
            plan = about_all(plan, problem)
            lacking = next(_lacking(plan, problem, promoted), None)
            if lacking is None:
                return plan
            number, action, unmet = lacking
            if number > 0:
                begun = begun or plan
            else:
                against = unmet
            promoted |= {action.name}


def _lacking(
    plan: Plan, problem: PlanningProblem, promoted: frozenset[str]
) -> Iterator[tuple[int, Action, tuple[Literal, ...]]]:
    """Actions that will not have what they need in the now, each with its place in the plan; an
    atom that is not known counts as had, and is looked at when its turn comes."""
    state, unknown = problem.initial, problem.unknown
    for number, action in enumerate(plan.actions):
        needed = sorted(action.needs(problem.objects) - action.preconditions)
        unmet = tuple(
            x for x in needed if x.atom not in unknown and (x.atom in state) != x.positive
        )
        if unmet and action.name not in promoted:
            yield number, action, unmet
        state, unknown = (state - action.delete) | action.add, unknown - action.add - action.delete


def _with_promoted(problem: PlanningProblem, promoted: frozenset[str]) -> PlanningProblem:
    """The problem, in which some operators need beforehand what they need in the now."""
    operators = tuple(
        _promoted(o, problem.objects) if o.name in promoted else o for o in problem.domain.operators
    )
    return replace(problem, domain=replace(problem.domain, operators=operators))


def _promoted(operator: Operator, objects: Iterable[str]) -> Operator:
    """The operator, needing beforehand what it needs in the now, of every thing there is."""
    names = tuple(objects)
    needed = (of_others(x, names, operator.parameters) for x in operator.in_the_now)
    return replace(operator, preconditions=operator.preconditions.union(*needed))


def _in_the_way(against: Iterable[Literal], problem: PlanningProblem) -> SaySoError:
    facts = joined(
        fact(Literal(x.atom, not x.positive), problem.predicates) for x in sorted(against)
    )
    return SaySoError(
        Code.NO_PLAN,
        f"{facts}, and nothing that is known takes it away.",
        hint="make room there, or teach how to.",
    )
