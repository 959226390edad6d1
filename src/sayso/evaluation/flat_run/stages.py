"""The pipeline's stages for the mobile robot of the simulated flat, in one process.

Everything is real but the transport: words are read, things found, tours planned and checked,
every motion passes the gate, and what came about is known from observation alone. How the robot
goes about its task is `mission`, as over ROS.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Plan, SymbolicState
from sayso.evaluation.flat_run.robot import FlatRobot
from sayso.logic.monitor import Progress
from sayso.mission.stages import PlanRequest, ReportSkill
from sayso.mission.tour_execution import PersonChannel, TourExecution
from sayso.planning.navigation.itinerary import Outset, Tour
from sayso.planning.navigation.paths import GRID, PathPlanner
from sayso.planning.navigation.tour import plan_tour
from sayso.planning.problem import PlanningProblem
from sayso.reporting.events import Understanding
from sayso.skills.conditions import Condition, fresh_scene, task_conditions
from sayso.worlds.stepped_stages import SteppedStages

FRESH_S = 1.0
"""Age at which a scene is too old to move by."""


def _solve(outset: Outset, _: Scene) -> Tour:
    return plan_tour(outset)


class FlatStages(SteppedStages):
    """The stages of one task, to which the person says yes: tours in place of plans from operators.

    Args:
        channel: to the person while the robot moves.
        planner: of the way of each leg of a tour.
        before: called with each action before it is carried out.

    Attributes:
        execution: what goes about the task; None before it is watched.
    """

    def __init__(
        self,
        robot: FlatRobot,
        channel: PersonChannel,
        planner: PathPlanner = GRID,
        before: Callable[[Action], None] = lambda _: None,
    ) -> None:
        super().__init__(robot.senses, robot.library)
        self._before = before
        self.execution: TourExecution | None = None
        self._robot = robot
        self._channel = channel
        self._path_planner = planner

    def look_for(self, nouns: frozenset[str]) -> Scene:
        self._robot.sight.look_for(nouns)
        if nouns:
            self.look()
        return self.scene

    def take_state(self, state: SymbolicState) -> None:
        super().take_state(state)
        if self.execution is not None:
            self.execution.observe(state)

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        self.execution = None
        state, progress = super().watch(understanding)
        self.execution = TourExecution(
            self._robot,
            self.task_watch.monitor,
            self.library,
            self.task_watch.would_violate,
            self._conditions,
            self._channel,
            self._path_planner,
            self._robot.navigates,
        )
        self._robot.sight.keep(frozenset(self.execution.avoided))
        self.execution.observe(state)
        return state, progress

    def cancelled(self) -> bool:
        execution = self.execution
        return self._channel.cancelled() if execution is None else execution.cancelled()

    def possible_violations(self) -> tuple[str, ...]:
        return () if self.execution is None else self.execution.possible_violations()

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        execution = self._require()
        execution.prepare()
        return execution.plan(_solve, request.excluded)

    def remaining(self, request: PlanRequest) -> PlanningProblem | None:
        """None: a tour is more than a matter of operators."""
        return None

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        self._before(action)
        return self._require().execute(action, step, started)

    def _conditions(self) -> Sequence[Condition]:
        watched = task_conditions(self.task_watch, self._senses)
        return fresh_scene(self._senses, FRESH_S), *watched

    def _require(self) -> TourExecution:
        if self.execution is None:
            raise SaySoError(Code.GATE_CLOSED, "no task is being watched.")
        return self.execution
