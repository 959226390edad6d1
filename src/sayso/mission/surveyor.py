"""Driving and looking around through the motion gate, for a tour of the flat or a search in it."""

from __future__ import annotations

import math

import numpy as np

from sayso.core.base_limits import BaseLimits
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import Cancelled
from sayso.mission.mobile_robot import MobileRobot
from sayso.planning.navigation.base_motion import drive, wrapped
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.headings import Footing
from sayso.skills.poses import yaw_of
from sayso.skills.timeouts import Timeout

_CAREFUL = BaseLimits(speed_m_s=0.6, acceleration_m_s2=0.6, turn_rad_s=0.8)
"""Slower than on a task: what stands in the way is not known yet."""
TURNS = 3
TURN_M = 0.65
"""The corners of the base sweep a disc of this radius, a cell included, when it turns."""
IN_VIEW_RAD = 0.4
"""So far off its heading the robot's front camera surely shows what is on the floor."""
REST_S = 2.0
_PAUSE_S, _STILL_M = 0.25, 0.04
_HEADINGS = 12
_ALL_AROUND = np.arange(_HEADINGS) * math.pi / _HEADINGS


class GatedSurveyor:
    """`exploration.Surveyor` whose every motion passes the gate, which must be authorised."""

    def __init__(self, robot: MobileRobot, cancelled: Cancelled = lambda: False) -> None:
        self._robot = robot
        self._cancelled = cancelled

    @property
    def _limits(self) -> BaseLimits:
        return _CAREFUL.within(self._robot.gate.base_limits)

    def floor(self) -> OccupancyGrid:
        """The map with what was seen up to now."""
        return self._robot.newest_grid()

    def position(self) -> tuple[float, float]:
        x, y, _ = self._base().position
        return x, y

    def drive(self, path: Array) -> None:
        footing = Footing(self._robot.grid(), self._robot.gate.footprint_m)
        motion = drive(path, yaw_of(self._base()), self._limits, footing=footing)
        self._robot.gate.drive(motion, self._robot.senses, self._cancelled)

    def look_around(self) -> None:
        for _ in range(TURNS):
            yaw = yaw_of(self._base()) + math.tau / TURNS
            x, y = self.position()
            self.face((x + math.cos(yaw), y + math.sin(yaw)))

    def face(self, place: tuple[float, float]) -> None:
        """Turn on the spot towards a place (x, y) [m, frame `map`]."""
        here = np.array([self.position()])
        motion = drive(here, yaw_of(self._base()), self._limits, face=place)
        self._robot.gate.drive(motion, self._robot.senses, self._cancelled)

    def can_turn(
        self, grid: OccupancyGrid | None = None, at: tuple[float, float] | None = None
    ) -> bool:
        """Whether the whole base has room to turn on the spot.

        Args:
            grid: the floor; by default the newest map.
            at: where it stands (x, y) [m]; by default where it is.
        """
        return self._turns(grid or self._robot.grid(), at or self.position(), _ALL_AROUND)

    def can_face(self, place: tuple[float, float], grid: OccupancyGrid) -> bool:
        """Whether it has room to turn until a place is in view."""
        (x, y), yaw = self.position(), yaw_of(self._base())
        way = wrapped(math.atan2(place[1] - y, place[0] - x) - yaw)
        turn = math.copysign(max(0.0, abs(way) - IN_VIEW_RAD), way)
        return self._turns(grid, (x, y), yaw + turn * np.arange(_HEADINGS + 1) / _HEADINGS)

    def look_at(self, place: tuple[float, float]) -> None:
        """Turn on the spot as far as is needed to have a place in view."""
        (x, y), yaw = self.position(), yaw_of(self._base())
        way = wrapped(math.atan2(place[1] - y, place[0] - x) - yaw)
        if abs(way) > IN_VIEW_RAD:
            end = yaw + math.copysign(abs(way) - IN_VIEW_RAD, way)
            self.face((x + math.cos(end), y + math.sin(end)))

    def come_to_rest(self) -> None:
        """Wait until the base stands, for a while at most."""
        senses = self._robot.senses
        timeout, before = Timeout(senses, REST_S), np.asarray(self.position())
        while not timeout.over:
            senses.wait(_PAUSE_S)
            here = np.asarray(self.position())
            if float(np.linalg.norm(here - before)) < _STILL_M:
                return
            before = here

    def _turns(self, grid: OccupancyGrid, at: tuple[float, float], headings: Array) -> bool:
        if float(grid.clearance_m[grid.cell_at(at)]) > TURN_M:
            return True
        here = np.repeat([at], len(headings), axis=0)
        footing = Footing(grid, self._robot.gate.footprint_m)
        return bool(footing.fits(here, headings).all())

    def _base(self) -> Pose:
        base = self._robot.senses.robot().base
        if base is None:
            raise SaySoError(Code.STALE, "it is not known where the robot is.")
        return base
