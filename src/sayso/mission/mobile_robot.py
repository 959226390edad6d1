"""What a task in a flat among things that move needs of a robot."""

from __future__ import annotations

from typing import Protocol

from sayso.mission.laser_obstacles import Sweep
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import MotionGate
from sayso.skills.senses import Senses


class MobileRobot(Protocol):
    """A mobile manipulator; everything that it moves passes its gate."""

    @property
    def senses(self) -> Senses: ...

    @property
    def gate(self) -> MotionGate: ...

    @property
    def skills(self) -> SkillExecutor: ...

    def grid(self) -> OccupancyGrid:
        """The newest map of the floor. Raises STALE without one."""

    def newest_grid(self) -> OccupancyGrid:
        """The map with what was seen up to now. Raises STALE where it does not come."""

    def sweep(self) -> Sweep | None:
        """The laser's newest sweep; None for a robot without one.

        Raises:
            SaySoError: STALE where there is a laser, but it has not told anything yet.
        """
