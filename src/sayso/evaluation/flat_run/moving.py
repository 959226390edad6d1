"""Driving and looking around through the motion gate, for a tour of the flat or a search in it."""

from __future__ import annotations

import math

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import Cancelled
from sayso.evaluation.flat_run.robot import FlatRobot
from sayso.planning.navigation.base_motion import BaseLimits, drive
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.headings import Footing
from sayso.skills.poses import yaw_of

LIMITS = BaseLimits(speed_m_s=0.6, acceleration_m_s2=0.6, turn_rad_s=0.8)
"""Slower than on a task: what stands in the way is not known yet."""
TURNS = 3
_STALE_S = 5.0
_HEADINGS = 12


class GatedSurveyor:
    """`exploration.Surveyor` whose every motion passes the gate, which must be authorised."""

    def __init__(self, robot: FlatRobot, cancelled: Cancelled = lambda: False) -> None:
        self._robot = robot
        self._cancelled = cancelled

    def floor(self) -> OccupancyGrid:
        """The map with what was seen up to now."""
        senses = self._robot.senses
        senses.scene_after(senses.now_s(), _STALE_S)
        return self._robot.sight.grid()

    def position(self) -> tuple[float, float]:
        x, y, _ = self._base().position
        return x, y

    def drive(self, path: Array) -> None:
        robot, yaw = self._robot, yaw_of(self._base())
        motion = robot.motion_along(path, yaw, limits=LIMITS)
        robot.gate.drive(motion, robot.senses, self._cancelled)

    def look_around(self) -> None:
        for _ in range(TURNS):
            base = self._base()
            (x, y, _), yaw = base.position, yaw_of(base) + math.tau / TURNS
            ahead = (x + math.cos(yaw), y + math.sin(yaw))
            motion = drive(np.array([[x, y]]), yaw_of(base), LIMITS, face=ahead)
            self._robot.gate.drive(motion, self._robot.senses, self._cancelled)

    def can_turn(self) -> bool:
        """Whether the whole base has room to turn on the spot."""
        headings = np.arange(_HEADINGS) * math.pi / _HEADINGS
        here = np.repeat([self.position()], _HEADINGS, axis=0)
        return bool(Footing(self._robot.sight.grid()).fits(here, headings).all())

    def _base(self) -> Pose:
        base = self._robot.senses.robot().base
        if base is None:
            raise SaySoError(Code.STALE, "it is not known where the robot is.")
        return base
