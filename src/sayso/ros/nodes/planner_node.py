"""Answer requests for plans; nothing leaves here that the independent validator refuses."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from sayso_ros.srv import PlanTask

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.logic.progression import progression_of
from sayso.planning.navigation.handling import drives
from sayso.planning.problem import PlanLimits, PlanningProblem, TaskPlanner, observed_problem
from sayso.planning.validate import validate
from sayso.ros.messages.conversions import plan_to_msg, state_from_msg
from sayso.ros.messages.progress import stated
from sayso.ros.messages.specifications import grounded_formula
from sayso.ros.runtime import boundary, runner
from sayso.ros.runtime.libraries import LibraryConfig, load_library, load_operators
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.model_params import ModelConfig
from sayso.ros.runtime.params import declare, param


@dataclass(frozen=True)
class PlannerConfig(LibraryConfig, ModelConfig):
    """Parameters of the node `planner`."""

    planner: str = param(
        "portfolio",
        "task planner: search, fast_downward, portfolio, in_the_now[portfolio], which also plans "
        "for what is looked at right before an action, or one that begins with words: "
        "retrieved[portfolio], next_action[portfolio], whole_plan[portfolio], program[portfolio]",
    )
    plans: str = param("", "folder of the plans that were kept, for those that begin with words")
    embedder: str = param("character_ngrams", "says which words are alike")
    path_planner: str = param(
        "grid", "of the way of each leg of a tour: grid, fmt_star or ompl_fmt"
    )

    def task_planner(self) -> TaskPlanner:
        """Raises CONFIG for a planner that lacks an option."""
        known: Mapping[str, Callable[[], object]] = {
            "plans": lambda: self.plans,
            "embedder": lambda: registry.create("embedder", self.embedder),
            "model": self.access.connect,
        }
        taken = registry.options("planner", self.planner)
        given = {name: make() for name, make in known.items() if name in taken}
        if not self.plans:
            given.pop("plans", None)
        planner: TaskPlanner = registry.create("planner", self.planner, **given)
        return planner


class PlannerNode(Node):
    """Serves `plan_task`, and `plan_tour` where an operator of its library drives."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("planner", **kwargs)
        config = declare(self, PlannerConfig)
        self._library = load_library(config.library)
        self._planner = config.task_planner()
        self._closed = False
        self.create_service(PlanTask, "plan_task", self._plan)
        config.take_over(self, self._take_over, load_operators)
        if any(map(drives, self._library.operators.values())):
            # Imported on use: maps and ways load much of scipy, and on a table nothing drives.
            from sayso.ros.task.tours import TourService

            paths = registry.create("path_planner", config.path_planner)
            self._tours = TourService(self, self._library, paths)
        self._life = SignOfLife(self)

    def _plan(self, request: PlanTask.Request, response: PlanTask.Response) -> PlanTask.Response:
        def work(out: PlanTask.Response) -> None:
            if request.timeout_s <= 0:
                raise SaySoError(Code.INVALID, "timeout_s must be more than 0.")
            problem = self._problem(request)
            plan = self._planner.solve(problem, PlanLimits(request.timeout_s, lambda: self._closed))
            validate(plan, problem)
            out.plan = plan_to_msg(plan)

        return boundary.answer("planner", response, work)

    def _take_over(self, library: Library) -> None:
        self._library = library

    def _problem(self, request: PlanTask.Request) -> PlanningProblem:
        state = state_from_msg(request.state)
        formula = grounded_formula(request.specification)
        task = progression_of(formula, predicates=self._library.predicates)
        return observed_problem(
            self._library,
            state,
            task,
            stated(request.clause_states, task),
            avoid=frozenset((step.operator_name, tuple(step.args)) for step in request.avoid),
            words=request.specification.instruction,
        )

    def wind_down(self) -> None:
        """End a search under way, so that its caller still gets an answer."""
        self._closed = True


def main() -> None:
    runner.main(PlannerNode, wind_down=PlannerNode.wind_down)
