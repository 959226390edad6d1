"""Tasks of the 2D kitchen carried out with the true domain, step by step."""

from __future__ import annotations

from collections.abc import Iterator

from sayso.core.library import parse_literal
from sayso.core.predicates import symbolic_state
from sayso.core.symbols import Action, SymbolicState
from sayso.logic.progression import Progression
from sayso.logic.text import parse
from sayso.planning.problem import PlanLimits, observed_problem
from sayso.planning.search import SearchPlanner
from sayso.worlds.kitchen2d.tasks import Task
from sayso.worlds.kitchen2d.true import call_of, true_library
from sayso.worlds.kitchen2d.world import Kitchen2D


def state_of(kitchen: Kitchen2D, domain: str) -> SymbolicState:
    return symbolic_state(kitchen.observe(), true_library(domain).predicates)


def reached(task: Task, state: SymbolicState) -> bool:
    return all(state.holds(parse_literal(g)) for g in task.goal)


def carry_out(task: Task, kitchen: Kitchen2D) -> Iterator[tuple[Action, bool, SymbolicState]]:
    """Each action of a plan, whether the world says it worked, and the state after it."""
    start = state_of(kitchen, task.domain)
    wanted = Progression.of(parse(f"F({' & '.join(task.goal)})", grounded=True))
    plan = SearchPlanner().solve(
        observed_problem(true_library(task.domain), start, wanted, None), PlanLimits(60.0)
    )
    for action in plan.actions:
        worked = kitchen.act(*call_of(action)).reached
        yield action, worked, state_of(kitchen, task.domain)
        if not worked:
            return
