"""Driving and looking around through the motion gate, for a tour of the flat or a search in it."""

from __future__ import annotations

import math

import numpy as np

from sayso.care.robot import CarefulRobot
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import Cancelled
from sayso.planning.navigation.base_motion import BaseLimits, drive
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.headings import Footing
from sayso.skills.poses import yaw_of

LIMITS = BaseLimits(speed_m_s=0.6, acceleration_m_s2=0.6, turn_rad_s=0.8)
"""Slower than on a task: what stands in the way is not known yet."""
TURNS = 3
_HEADINGS = 12


class GatedSurveyor:
    """`exploration.Surveyor` whose every motion passes the gate, which must be authorised."""

    def __init__(self, robot: CarefulRobot, cancelled: Cancelled = lambda: False) -> None:
        self._robot = robot
        self._cancelled = cancelled

    def floor(self) -> OccupancyGrid:
        """The map with what was seen up to now."""
        return self._robot.newest_grid()

    def position(self) -> tuple[float, float]:
        x, y, _ = self._base().position
        return x, y

    def drive(self, path: Array) -> None:
        footing = Footing(self._robot.grid())
        motion = drive(path, yaw_of(self._base()), LIMITS, footing=footing)
        self._robot.gate.drive(motion, self._robot.senses, self._cancelled)

    def look_around(self) -> None:
        for _ in range(TURNS):
            yaw = yaw_of(self._base()) + math.tau / TURNS
            x, y = self.position()
            self.face((x + math.cos(yaw), y + math.sin(yaw)))

    def face(self, place: tuple[float, float]) -> None:
        """Turn on the spot towards a place (x, y) [m, frame `map`]."""
        here = np.array([self.position()])
        motion = drive(here, yaw_of(self._base()), LIMITS, face=place)
        self._robot.gate.drive(motion, self._robot.senses, self._cancelled)

    def can_turn(self, grid: OccupancyGrid | None = None) -> bool:
        """Whether the whole base has room to turn on the spot, by default on the newest map."""
        headings = np.arange(_HEADINGS) * math.pi / _HEADINGS
        here = np.repeat([self.position()], _HEADINGS, axis=0)
        return bool(Footing(grid or self._robot.grid()).fits(here, headings).all())

    def _base(self) -> Pose:
        base = self._robot.senses.robot().base
        if base is None:
            raise SaySoError(Code.STALE, "it is not known where the robot is.")
        return base
