"""A mobile manipulator over ROS, as a task in a flat needs it (`mission.mobile_robot`)."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.mission.laser_obstacles import Sweep
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.ros.robot.floor_map import FloorMap
from sayso.ros.robot.laser import Laser
from sayso.ros.robot.senses import RosSenses
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import MotionGate


@dataclass(frozen=True)
class MobileBody:
    """Senses, gate, skills, map and laser of one robot.

    Attributes:
        laser: None for a robot without one.
    """

    senses: RosSenses
    gate: MotionGate
    skills: SkillExecutor
    floor: FloorMap
    laser: Laser | None

    def grid(self) -> OccupancyGrid:
        """The newest map. Raises STALE without one."""
        return self.floor.grid()

    def newest_grid(self) -> OccupancyGrid:
        """The map with what was seen up to now. Raises STALE where it does not come."""
        self.floor.wait_after(self.senses.now_s())
        return self.floor.grid()

    def sweep(self) -> Sweep | None:
        """The laser's newest sweep; None without one. Raises STALE where none came yet."""
        return None if self.laser is None else self.laser.sweep()
