"""The mapping tour over ROS: drives through the motion gate, with the mapper's map."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from rclpy.node import Node
from sayso_ros.action import MapFlat
from sayso_ros.srv import MapFolder

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import Cancelled
from sayso.planning.navigation.base_motion import BaseLimits, BaseMotion, drive
from sayso.planning.navigation.exploration import Exploration, explore
from sayso.planning.navigation.grid import FREE, OccupancyGrid
from sayso.planning.navigation.headings import Footing
from sayso.ros.calls import call
from sayso.ros.conversions import raise_unless_ok
from sayso.ros.floor_map import MAP_TIMEOUT_S, FloorMap
from sayso.ros.robots import MobileManipulator
from sayso.ros.ros_senses import RosSenses
from sayso.ros.tour_stages import way_is_free
from sayso.skills.gate import Condition, MotionGate, Request
from sayso.skills.poses import yaw_of

LIMITS = BaseLimits(speed_m_s=0.6, acceleration_m_s2=0.6, turn_rad_s=0.8)
"""Slower than on a tour: what stands in the way is not known yet."""
TURNS = 3
MAP_FRESH_S = 3.0
SAVE_TIMEOUT_S = 60.0


class GatedSurveyor:
    """`exploration.Surveyor` whose every motion passes the gate, which must be authorised."""

    def __init__(
        self, gate: MotionGate, senses: RosSenses, floor: FloorMap, cancelled: Cancelled
    ) -> None:
        self._gate = gate
        self._senses = senses
        self._floor = floor
        self._cancelled = cancelled

    def floor(self) -> OccupancyGrid:
        """The map with what was seen up to now."""
        self._floor.wait_after(self._senses.now_s())
        return self._floor.grid()

    def position(self) -> tuple[float, float]:
        x, y, _ = self._base().position
        return x, y

    def drive(self, path: Array) -> None:
        footing = Footing(self._floor.grid())
        self._follow(drive(path, yaw_of(self._base()), LIMITS, footing=footing))

    def look_around(self) -> None:
        for _ in range(TURNS):
            base = self._base()
            (x, y, _), yaw = base.position, yaw_of(base) + math.tau / TURNS
            ahead = (x + math.cos(yaw), y + math.sin(yaw))
            self._follow(drive(np.array([[x, y]]), yaw_of(base), LIMITS, face=ahead))

    def _follow(self, motion: BaseMotion) -> None:
        self._gate.drive(motion, self._senses, self._cancelled)

    def _base(self) -> Pose:
        base = self._senses.robot().base
        if base is None:
            raise SaySoError(Code.STALE, "it is not known where the robot is.")
        return base


class FlatSurvey:
    """Carries out `MapFlat` goals for the executor."""

    def __init__(self, node: Node, robot: MobileManipulator) -> None:
        self._robot = robot
        self._save = node.create_client(MapFolder, "save_map")

    def run(
        self,
        folder: str,
        result: MapFlat.Result,
        told: Callable[[MapFlat.Feedback], None],
        cancelled: Cancelled,
    ) -> None:
        """Explore and save; fills the result. Raises as `explore`, and what saving raises."""
        robot, floor = self._robot, self._robot.mobile.floor
        surveyor = GatedSurveyor(robot.gate, robot.senses, floor, cancelled)

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

        robot.senses.wait_for_robot(MAP_TIMEOUT_S)
        floor.wait_after(0.0)
        with robot.gate.authorised(self._conditions()):
            robot.mobile.skills.stow(cancelled)
            result.whole = explore(surveyor, cancelled=cancelled, told=tell).whole
        saved = call(self._save, MapFolder.Request(folder=folder), SAVE_TIMEOUT_S)
        if saved.status.code == Code.INVALID.value and not folder:
            return  # no folder was named anywhere: the map is kept by the mapper alone
        raise_unless_ok(saved.status)
        result.folder, result.frames = saved.folder, saved.frames

    def _conditions(self) -> tuple[Condition, ...]:
        floor, senses = self._robot.mobile.floor, self._robot.senses

        def map_is_old(_: Request) -> str | None:
            age_s = senses.now_s() - floor.stamp_s
            return f"the newest map is {age_s:.1f} s old" if age_s > MAP_FRESH_S else None

        return (
            Condition("fresh map", map_is_old, Code.STALE, "see whether the mapper runs."),
            way_is_free(floor.grid),
        )
