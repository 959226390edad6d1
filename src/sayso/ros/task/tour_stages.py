"""The pipeline's stages for a mobile robot in a flat: tours instead of plans from operators.

How the robot goes about its task is `mission`, as in one process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check, Plan, SymbolicState
from sayso.logic.monitor import Progress
from sayso.mission.stages import PlanRequest, ReportSkill
from sayso.mission.tour_execution import PersonChannel, TourExecution
from sayso.mission.tour_planning import Planned, Solve
from sayso.planning.navigation.itinerary import Outset, Tour
from sayso.planning.navigation.paths import GRID, PathPlanner
from sayso.reporting.events import Understanding
from sayso.ros.robot.mobile_body import MobileBody
from sayso.ros.task.task_stages import SCENE_TIMEOUT_S, TaskContext, TaskStages
from sayso.ros.task.tour_view import TourView


@dataclass(frozen=True)
class Mobile:
    """What a mobile robot has beside what every executor has.

    Attributes:
        solve: plans tours.
        planner: of the ways that are made anew under way.
        navigates: whether a navigator leads it along legs that are free.
    """

    body: MobileBody
    solve: Solve
    view: TourView
    planner: PathPlanner = GRID
    navigates: bool = False


class TourStages(TaskStages):
    """One task of a mobile robot.

    Args:
        mobile: the robot's own parts.
        planned: told of every tour, for pictures.
    """

    def __init__(
        self, mobile: Mobile, planned: Callable[[Planned], None], context: TaskContext
    ) -> None:
        super().__init__(context)
        self._mobile = mobile
        self._planned = planned
        self._execution: TourExecution | None = None
        mobile.body.skills.use(context.library)

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        # Things that the reading was the first to ask for are not in the states of before.
        state = self._senses.state_after(self._senses.now_s(), SCENE_TIMEOUT_S)
        self._senses.state_after(state.stamp_s, SCENE_TIMEOUT_S)
        state, progress = super().watch(understanding)
        self._execution = TourExecution(
            self._mobile.body,
            self._require().monitor,
            self._library,
            self._runner.would_violate,
            self._runner.conditions,
            PersonChannel(self._phase, self._cancelled),
            self._mobile.planner,
            self._mobile.navigates,
        )
        self._runner.also(self._execution, state)
        return state, progress

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        execution = self._watched()
        execution.prepare()
        took_s = 0.0

        def timed(outset: Outset, scene: Scene) -> Tour:
            nonlocal took_s  # of the last try alone: between two the robot may wait
            started_s = time.monotonic()
            tour = self._mobile.solve(outset, scene)
            took_s = time.monotonic() - started_s
            return tour

        plan = replace(execution.plan(timed, request.excluded), time_s=took_s)
        if (planned := execution.task.planned) is not None:
            self._planned(planned)
            self._mobile.view.show_tour(planned, self._senses.now_s())
        return plan

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        execution = self._watched()
        if (planned := execution.task.planned) is not None:
            self._mobile.view.show_leg(planned, step, self._senses.now_s())
        try:
            return execution.execute(action, step, started)
        finally:
            self._runner.finished()

    def cancelled(self) -> bool:
        return super().cancelled() if self._execution is None else self._execution.cancelled()

    def possible_violations(self) -> tuple[str, ...]:
        return () if self._execution is None else self._execution.possible_violations()

    def _watched(self) -> TourExecution:
        if self._execution is None:
            raise SaySoError(Code.GATE_CLOSED, "no task is being watched.")
        return self._execution
