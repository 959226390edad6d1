"""The pipeline's stages for a mobile robot in a flat: tours instead of plans from operators."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Check, Plan, SymbolicState
from sayso.events import Understanding
from sayso.logic.monitor import Progress, Verdict
from sayso.pipeline import ReportSkill
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.ros.floor_map import FloorMap
from sayso.ros.task_stages import SCENE_TIMEOUT_S, TaskContext, TaskStages
from sayso.ros.tour_view import TourView
from sayso.skills.gate import Condition, Request
from sayso.skills.mobile import MobileSkillExecutor
from sayso.touring import Planned, Solve, TourTask

BODY_RADIUS_M = 0.25
"""What is nearer to the base's middle than this is in its way, whatever its heading."""
ON_THE_SPOT_M = 0.05
"""Less of a way is none: the base turns, or comes to rest."""


@dataclass(frozen=True)
class Mobile:
    """What a mobile robot has beside what every executor has.

    Attributes:
        solve: plans tours.
    """

    skills: MobileSkillExecutor
    floor: FloorMap
    solve: Solve
    view: TourView


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
        self._task: TourTask | None = None

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        formula = understanding.specification.formula
        self._task = TourTask(formula, self._library.predicates)
        # Things that the reading was the first to ask for are not in the states of before.
        state = self._senses.state_after(self._senses.now_s(), SCENE_TIMEOUT_S)
        self._senses.state_after(state.stamp_s, SCENE_TIMEOUT_S)
        state, progress = super().watch(understanding)
        self._runner.also(self._task, state)
        return state, self._unending(progress)

    def observe(self) -> tuple[SymbolicState, Progress]:
        state, progress = super().observe()
        return state, self._unending(progress)

    def plan(
        self,
        understanding: Understanding,
        state: SymbolicState,
        progress: Progress,
        excluded: frozenset[Action],
    ) -> Plan:
        task, grid = self._watched(), self._mobile.floor.grid()
        out_of_reach = frozenset(a.args[0] for a in excluded if a.name == "pick")
        started_s = time.monotonic()
        plan = task.plan(self._senses.scene(), grid, self._mobile.solve, out_of_reach)
        plan = replace(plan, time_s=time.monotonic() - started_s)
        if task.planned is not None:
            self._planned(task.planned)
            self._mobile.view.show_tour(task.planned, self._senses.now_s())
        return plan

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        task, grid, scene = self._watched(), self._mobile.floor.grid(), self._senses.scene()
        path = task.path(step, scene, grid) if action.skill == "go" else None
        if task.planned is not None:
            self._mobile.view.show_leg(task.planned, step, self._senses.now_s())
        ways = task.ways(scene, grid)
        return self._runner.carry_out(
            lambda avoid: self._mobile.skills.execute(
                action,
                path,
                ways,
                avoid,
                started=started,
                phase=self._phase,
                cancelled=self._cancelled,
            ),
            way_is_free(self._mobile.floor.grid),
        )

    def _watched(self) -> TourTask:
        if self._task is None:
            raise SaySoError(Code.GATE_CLOSED, "no task is being watched.")
        return self._task

    def _unending(self, progress: Progress) -> Progress:
        """A mission that goes on and on is never done, whatever the trace so far is worth."""
        endless = self._task is not None and self._task.endless
        if endless and progress.verdict is Verdict.SATISFIED:
            return replace(progress, verdict=Verdict.POSSIBLE)
        return progress


def way_is_free(grid: Callable[[], OccupancyGrid]) -> Condition:
    """Nothing was seen to stand where the base would come to rest."""

    def blocked(request: Request) -> str | None:
        now, then = request.robot.base, request.predicted.base
        if now is None or then is None or now.position == then.position:
            return None
        floor = grid()
        x, y, _ = then.position
        gone_m = float(np.hypot(x - now.position[0], y - now.position[1]))
        if gone_m < ON_THE_SPOT_M or floor.clearance_m[floor.cell_at((x, y))] > BODY_RADIUS_M:
            return None
        return f"something stands in the way at ({x:.1f}, {y:.1f})"

    return Condition("the way is free", blocked, Code.EXECUTION, "it is planned around.")
