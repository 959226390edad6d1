"""Plans whose first action has what it needs in the now: exact places, looked at just before it.

Where something stands in the way of a sliding door is known once all else is as it will be, so that
planning ahead ignores it. Once such an action comes first, what stands against it becomes something
to be achieved before, and so on for what then comes first (Kaelbling and Lozano-Perez,
"Hierarchical task and motion planning in the now", ICRA 2011).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from itertools import permutations

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Cancelled
from sayso.core.symbols import Action, Literal, Operator, Plan
from sayso.planning.problem import PlanningProblem, TaskPlanner, never_cancelled
from sayso.planning.relevance import about_all
from sayso.planning.words import fact, joined


@dataclass(frozen=True)
class InTheNowPlanner:
    """Another planner's plans, begun with what their first action needs in the now."""

    inner: TaskPlanner

    def solve(
        self,
        problem: PlanningProblem,
        *,
        timeout_s: float = 10.0,
        cancelled: Cancelled = never_cancelled,
    ) -> Plan:
        """Raises as `TaskPlanner`; NO_PLAN names what is in the way and cannot be taken away."""
        operators = {o.name: o for o in problem.domain.operators}
        promoted: frozenset[str] = frozenset()
        against: tuple[Literal, ...] = ()
        while True:
            try:
                wanted = _with_promoted(problem, promoted)
                plan = self.inner.solve(wanted, timeout_s=timeout_s, cancelled=cancelled)
            except SaySoError as error:
                if error.code is Code.NO_PLAN and against:
                    raise _in_the_way(against, problem) from error
                raise
            plan = about_all(plan, problem)
            if not plan.steps:
                return plan
            first = plan.actions[0]
            unmet = unmet_in_the_now(operators[first.name], first, problem)
            if not unmet or first.name in promoted:
                return plan
            promoted, against = promoted | {first.name}, unmet


def unmet_in_the_now(
    operator: Operator, action: Action, problem: PlanningProblem
) -> tuple[Literal, ...]:
    """What an action needs in the now and does not have; an atom that is not known counts as
    had, and is looked at when its turn comes."""
    needed = ground_in_the_now(operator, action.args, problem.objects)
    return tuple(x for x in needed if _fails(x, problem))


def _fails(literal: Literal, problem: PlanningProblem) -> bool:
    if literal.atom in problem.unknown:
        return False
    return (literal.atom in problem.initial) != literal.positive


def ground_in_the_now(
    operator: Operator, args: Iterable[str], objects: Iterable[str]
) -> tuple[Literal, ...]:
    """What an operator needs in the now of these things; free variables stand for every other."""
    binding = dict(zip(operator.parameters, args, strict=True))
    found = []
    for literal in sorted(operator.in_the_now):
        ground = literal.substitute(binding)
        free = list(dict.fromkeys(a for a in ground.atom.args if a.startswith("?")))
        others = [o for o in objects if o not in ground.atom.args]
        for chosen in permutations(others, len(free)):
            found.append(ground.substitute(dict(zip(free, chosen, strict=True))))
    return tuple(found)


def _with_promoted(problem: PlanningProblem, promoted: frozenset[str]) -> PlanningProblem:
    """The problem, in which some operators need beforehand what they need in the now."""
    operators = tuple(
        _promoted(o, problem.objects) if o.name in promoted else o for o in problem.domain.operators
    )
    return replace(problem, domain=replace(problem.domain, operators=operators))


def _promoted(operator: Operator, objects: Iterable[str]) -> Operator:
    """The operator, needing beforehand what it needs in the now, of every thing there is."""
    objects = tuple(objects)
    needed = ground_in_the_now(operator, operator.parameters, objects)
    return replace(operator, preconditions=operator.preconditions | frozenset(needed))


def _in_the_way(against: Iterable[Literal], problem: PlanningProblem) -> SaySoError:
    facts = joined(
        fact(Literal(x.atom, not x.positive), problem.predicates) for x in sorted(against)
    )
    return SaySoError(
        Code.NO_PLAN,
        f"{facts}, and nothing that is known takes it away.",
        hint="make room there, or teach how to.",
    )
