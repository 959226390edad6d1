"""A navigator without ROS: drives straight to its goal by where the base is."""

from __future__ import annotations

import math
from collections.abc import Callable

from sayso.core.errors import SaySoError
from sayso.core.geometry import Pose
from sayso.skills.driving import Velocity, wrapped
from sayso.skills.poses import yaw_of

THERE_M = 0.2


class Leading:
    """`core.ports.Navigator` that turns towards its goal and drives on, at so much a second.

    Attributes:
        goals: that it was given, in turn.
        ended: how often it was told to give up.
        commands: gives other commands, where given.
        failure: what it gives up for.
        over: it says that the base is there, wherever it is.
    """

    def __init__(self, where: Callable[[], Pose], speed_m_s: float = 0.5) -> None:
        self._where, self._speed = where, speed_m_s
        self.goals: list[Pose] = []
        self.ended = 0
        self.commands: Callable[[], Velocity | None] | None = None
        self.failure: SaySoError | None = None
        self.over = False

    def begin(self, goal: Pose) -> None:
        self.goals.append(goal)

    def end(self) -> None:
        self.ended += 1

    def arrived(self) -> bool:
        if self.failure is not None:
            raise self.failure
        return self.over or self._left()[0] < THERE_M

    def command(self) -> Velocity | None:
        if self.commands is not None:
            return self.commands()
        _, aside = self._left()
        turn = max(-0.8, min(0.8, 2.0 * aside))
        return (self._speed * max(0.0, math.cos(aside)) if abs(aside) < 1.0 else 0.0, 0.0, turn)

    def _left(self) -> tuple[float, float]:
        """How far the goal is [m], and in which direction off the heading [rad]."""
        here, goal = self._where(), self.goals[-1]
        dx, dy = (b - a for a, b in zip(here.position[:2], goal.position[:2], strict=True))
        return math.hypot(dx, dy), wrapped(math.atan2(dy, dx) - yaw_of(here))
