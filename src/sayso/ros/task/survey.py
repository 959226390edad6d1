"""The mapping tour over ROS: drives through the motion gate, with the mapper's map."""

from __future__ import annotations

from collections.abc import Callable

from rclpy.client import Client
from rclpy.node import Node
from sayso_ros.action import MapFlat
from sayso_ros.srv import MapFolder

from sayso.core.clock import untimely
from sayso.core.errors import Code
from sayso.core.ports import Cancelled
from sayso.mission.gate_conditions import way_is_free
from sayso.mission.surveyor import GatedSurveyor
from sayso.planning.navigation.exploration import Exploration, explore
from sayso.planning.navigation.grid import FREE
from sayso.ros.messages.conversions import raise_unless_ok
from sayso.ros.robot.floor_map import MAP_TIMEOUT_S
from sayso.ros.runtime.calls import call
from sayso.ros.task.robots import Robot
from sayso.ros.task.skill_runner import live
from sayso.ros.task.tour_stages import Mobile
from sayso.skills.conditions import Condition, Request

MAP_FRESH_S = 3.0
SAVE_TIMEOUT_S = 60.0


class FlatSurvey:
    """Carries out `MapFlat` goals for the executor."""

    def __init__(self, node: Node, robot: Robot, mobile: Mobile) -> None:
        self._robot = robot
        self._body = mobile.body
        self._save = node.create_client(MapFolder, "save_map")
        self._check = node.create_client(MapFolder, "check_map_folder")

    def run(
        self,
        folder: str,
        result: MapFlat.Result,
        told: Callable[[MapFlat.Feedback], None],
        cancelled: Cancelled,
    ) -> None:
        """Explore and save; fills the result.

        Raises as `explore` and what saving raises; before anything moves where it cannot be saved.
        """
        robot, body = self._robot, self._body
        surveyor, floor = GatedSurveyor(body, cancelled), body.floor

        def tell(tour: Exploration) -> None:
            grid = floor.grid()
            area_m2 = float((grid.cells == FREE).sum()) * grid.resolution_m**2
            result.length_m = float(tour.length_m)
            told(
                MapFlat.Feedback(
                    phase="looking around",
                    views=len(tour.views),
                    length_m=float(tour.length_m),
                    area_m2=area_m2,
                )
            )

        kept = self._asked(self._check, folder).folder  # empty: by the mapper alone
        robot.senses.wait_for_robot(MAP_TIMEOUT_S)
        floor.wait_after(0.0)
        with robot.gate.authorised(self._conditions()):
            body.skills.go_home(cancelled=cancelled)
            result.whole = explore(surveyor, cancelled=cancelled, on_view=tell).whole
        if kept:
            saved = self._asked(self._save, folder)
            result.folder, result.frames = saved.folder, saved.frames

    def _asked(self, service: Client, folder: str) -> MapFolder.Response:
        """What the mapper answers. Raises what it refuses."""
        request = MapFolder.Request(folder=folder)
        answer = call(service, request, SAVE_TIMEOUT_S, self._robot.senses.requiring("mapper"))
        raise_unless_ok(answer.status)
        return answer

    def _conditions(self) -> tuple[Condition, ...]:
        floor, senses = self._body.floor, self._robot.senses

        def map_is_old(_: Request) -> str | None:
            trouble = untimely(floor.stamp_s, senses.now_s(), MAP_FRESH_S)
            return None if trouble is None else f"the newest map {trouble}"

        return (
            *live(senses),
            Condition("fresh map", map_is_old, Code.STALE, "see whether the mapper runs."),
            way_is_free(floor.grid),
        )
