"""A mobile robot of the simulated flat that drives by its own localisation and maps as it goes."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np

from sayso.core.base_limits import BaseLimits
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import RgbdFrame
from sayso.perception.mapping import Mapper
from sayso.planning.navigation.base_motion import BaseMotion, drive, wrapped
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.worlds.flat.flat_world import FlatWorld

PERIOD_S = 0.05
GAIN_PER_S = 2.0
LIMITS = BaseLimits(0.6, 0.6, 0.8, 1.2)
OFF_M = 0.35


class FlatRover:
    """A `Surveyor` over `FlatWorld`, for tests and benchmarks: nothing guards its motion.

    Args:
        rate_hz: frames of the front camera.
        look_s: between the frames of a turn on the spot.
        seen: gets each frame with the base's pose.
        instances: whether frames carry the simulator's own segmentation, for scoring.
    """

    def __init__(
        self,
        world: FlatWorld,
        mapper: Mapper | None = None,
        *,
        rate_hz: float = 2.0,
        seen: Callable[[RgbdFrame, Pose], None] = lambda _frame, _base: None,
        instances: bool = False,
    ) -> None:
        self.world, self.mapper = world, mapper or Mapper()
        self.driven_m = 0.0
        self.touched: set[str] = set()
        self._period_s, self._seen, self._instances = 1 / rate_hz, seen, instances
        self._next_s = world.time_s

    def floor(self) -> OccupancyGrid:
        plan = self.mapper.floor_plan()
        return OccupancyGrid(plan.cells, plan.origin, plan.resolution_m)

    def position(self) -> tuple[float, float]:
        x, y, _ = self.world.localisation().position
        return x, y

    def yaw(self) -> float:
        _, _, z, w = self.world.localisation().orientation
        return 2 * math.atan2(z, w)

    def drive(self, path: Array) -> None:
        self._follow(drive(path, self.yaw(), LIMITS))

    def look_around(self) -> None:
        here = np.asarray([self.position()])
        for _ in range(3):
            yaw = self.yaw() + 2 * math.pi / 3
            x, y = self.position()
            ahead = (x + math.cos(yaw), y + math.sin(yaw))
            self._follow(drive(here, self.yaw(), LIMITS, face=ahead))

    def _follow(self, motion: BaseMotion) -> None:
        """Drive along a motion by what localisation says; EXECUTION where the base hangs."""
        started_s, before = self.world.time_s, self.world.true_base().position
        while (t := self.world.time_s - started_s) < motion.duration_s + 0.5:
            self._piece(motion, t)
            after = self.world.true_base().position
            self.driven_m += math.dist(before, after)
            before = after
        self.world.hold()

    def _piece(self, motion: BaseMotion, t: float) -> None:
        want = motion.at(t)
        (x, y), yaw = self.position(), self.yaw()
        dx, dy = want.x - x, want.y - y
        if math.hypot(dx, dy) > OFF_M:
            self.world.hold()
            raise SaySoError(Code.EXECUTION, "the base does not follow: something holds it.")
        cos, sin = math.cos(yaw), math.sin(yaw)
        self.world.drive(
            want.forward_m_s + GAIN_PER_S * (cos * dx + sin * dy),
            want.left_m_s + GAIN_PER_S * (cos * dy - sin * dx),
            want.turn_rad_s + GAIN_PER_S * wrapped(want.yaw - yaw),
        )
        self.world.step(PERIOD_S)
        self.touched |= self.world.contacts()
        if self.world.time_s >= self._next_s:
            self._next_s = self.world.time_s + self._period_s
            self.look()

    def look(self) -> None:
        """Map what the front camera sees now."""
        frame = self.world.render("front", instances=self._instances)
        base = self.world.localisation()
        self.mapper.add(frame, base=base)
        self._seen(frame, base)
