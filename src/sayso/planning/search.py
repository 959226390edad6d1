"""The in-process task planner: complete, deterministic, no start-up cost."""

from __future__ import annotations

import logging
from dataclasses import dataclass, field

from sayso.core.clock import Clock, SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Cancelled
from sayso.core.symbols import Plan, PlanStep
from sayso.planning.diagnose import no_plan
from sayso.planning.explain import explained
from sayso.planning.problem import PlanLimits, PlanningProblem
from sayso.planning.product import ExhaustedError, Path, Product, solve

logger = logging.getLogger(__name__)


@dataclass
class Budget:
    """Ends a search that was cancelled or has run out of time; called once per expansion.

    Args:
        most_expansions: ends it by its work instead, however long that takes.
    """

    clock: Clock
    timeout_s: float
    cancelled: Cancelled
    most_expansions: int | None = None
    expansions: int = 0
    _end_s: float = field(init=False)

    def __post_init__(self) -> None:
        self._end_s = self.clock.now_s() + self.timeout_s

    def __call__(self) -> None:
        self.expansions += 1
        if self.cancelled():
            raise SaySoError(Code.CANCELLED, "planning was cancelled.")
        if self.most_expansions is None:
            over, bound = self.clock.now_s() > self._end_s, f"{self.timeout_s:g} s"
        else:
            over = self.expansions > self.most_expansions
            bound = f"{self.most_expansions} states"
        if over:
            raise SaySoError(
                Code.PLAN_TIMEOUT,
                f"no plan was found within {bound}, and none was ruled out.",
                hint="allow more time, or ask for less at once.",
            )


class SearchPlanner:
    """Searches the product of symbolic states and states of the specification in this process.

    The plan is a cheapest one where that is proven early, else the first one found.

    Args:
        reasons: whether to find out why where there is no plan, which can take longer than to prove
            that there is none.
        most_expansions: bounds a search by the states that it looks into and not by time, so that
            what is found is the same on a busy machine.
    """

    def __init__(
        self,
        clock: Clock | None = None,
        *,
        reasons: bool = True,
        most_expansions: int | None = None,
    ) -> None:
        self._clock = clock or SteadyClock()
        self._reasons = reasons
        self._most_expansions = most_expansions

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        """See `problem.TaskPlanner`."""
        started_s = self._clock.now_s()
        budget = Budget(self._clock, limits.timeout_s, limits.cancelled, self._most_expansions)
        product = Product.of(problem)
        try:
            path = solve(product, budget)
        except ExhaustedError:
            if self._reasons:
                raise no_plan(problem, budget) from None
            raise SaySoError(Code.NO_PLAN, "there is no plan for this task.") from None
        finally:
            logger.debug("%d expansions", budget.expansions)
        return explained(
            self._plan(problem, product, path, self._clock.now_s() - started_s), problem
        )

    def _plan(self, problem: PlanningProblem, product: Product, path: Path, time_s: float) -> Plan:
        actions = [product.task.actions[i] for i in path]
        steps = tuple(
            PlanStep(problem.domain.operator(a.name).ground(*a.args, objects=problem.objects))
            for a in actions
        )
        return Plan(steps, "search", product.cost(path), time_s)
