"""The robot of the simulated flat in one process: senses that step physics, gate and skills."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

import numpy as np

from sayso.adapters import registry
from sayso.adapters.planners.ompl_motion import OmplMotionPlanner
from sayso.core.geometry import Array
from sayso.core.library import Library
from sayso.core.ports import Navigator
from sayso.core.scene import Scene
from sayso.mission.laser_obstacles import Sweep, sweep_of
from sayso.planning.navigation.base_motion import BaseMotion, drive
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.headings import Footing
from sayso.robots.kinematics import ArmKinematics
from sayso.skills.arm import Arm
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import MotionGate
from sayso.skills.mobile import MobileWork
from sayso.skills.skill import Skills
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.robot import LASER_MOUNT
from sayso.worlds.flat.sensing import laser_angles
from sayso.worlds.flat.simulated_base import SimulatedBase
from sayso.worlds.stepped_senses import SteppedSenses

_DUE_S = 1e-6
_STALE_S = 5.0
SKILLS: Skills = partial(registry.create, "mobile_skill")
SWEEP_S = 0.1


class Sight(Protocol):
    """What makes scenes and maps of a flat."""

    def look(self) -> Scene:
        """What the cameras see now."""

    def look_for(self, nouns: frozenset[str]) -> None:
        """Watch these kinds of things from now on."""

    def keep(self, names: frozenset[str]) -> None:
        """Things that stay known at their last place though they are not seen there any more."""

    def grid(self) -> OccupancyGrid:
        """The floor, with what was seen up to the newest look."""


class Laser:
    """The laser of the simulated robot, which turns at a steady rate."""

    def __init__(self, world: FlatWorld) -> None:
        self._world = world
        self._newest: Sweep | None = None

    def sweep(self) -> Sweep:
        """The newest; a new one when the one before is `SWEEP_S` old."""
        now_s = self._world.time_s
        if self._newest is None or now_s - self._newest.stamp_s >= SWEEP_S - _DUE_S:
            base, scan = self._world.localisation(), self._world.scan()
            self._newest = sweep_of(
                now_s,
                base,
                base @ LASER_MOUNT,
                laser_angles(),
                np.asarray(scan.ranges, float),
                self._world.profile.require_base().footprint_m,
            )
        return self._newest


@dataclass(frozen=True)
class FlatRobot:
    """Everything that a task in a flat is carried out with.

    Attributes:
        navigates: whether a navigator leads it along legs that are free.
    """

    senses: SteppedSenses
    gate: MotionGate
    skills: SkillExecutor
    sight: Sight
    library: Library
    laser: Callable[[], Sweep]
    navigates: bool = False

    def grid(self) -> OccupancyGrid:
        """The newest map."""
        return self.sight.grid()

    def newest_grid(self) -> OccupancyGrid:
        """The map with what was seen up to now. Raises STALE where nothing is seen."""
        self.senses.scene_after(self.senses.now_s(), _STALE_S)
        return self.sight.grid()

    def sweep(self) -> Sweep:
        """The laser's newest sweep."""
        return self.laser()

    def motion_along(
        self,
        path: Array,
        yaw: float,
        *,
        face: tuple[float, float] | None = None,
    ) -> BaseMotion:
        """A path over time, the base turning only where it has room."""
        return drive(
            path,
            yaw,
            self.gate.base_limits,
            face=face,
            footing=Footing(self.sight.grid(), self.gate.footprint_m),
        )


def robot_of(
    world: FlatWorld,
    senses: SteppedSenses,
    sight: Sight,
    library: Library,
    seed: int = 0,
    skills: Skills = SKILLS,
    navigator: Navigator | None = None,
) -> FlatRobot:
    """The robot in a world; its gate is closed.

    Args:
        seed: of random choices in planning the arm's motions.
        skills: what it can do.
        navigator: leads it along legs that are free; None: they are driven as planned.
    """
    profile = world.profile
    kinematics, body = ArmKinematics(profile), profile.mobile_robot()
    gate = MotionGate(
        world,
        kinematics,
        body.gate_limits(),
        base=SimulatedBase(world),
        drive_limits=body.drive_limits(),
        mount=body.mount,
    )

    def motion_along(
        path: Array, yaw: float, *, face: tuple[float, float] | None = None
    ) -> BaseMotion:
        return robot.motion_along(path, yaw, face=face)

    planner = OmplMotionPlanner(profile, seed=seed)
    settings = profile.mobile_settings()
    arm = Arm(kinematics, planner, gate, senses, settings.arm)
    executor = SkillExecutor(
        MobileWork(
            arm,
            body,
            motion_along,
            settings,
            world,
            navigator,
            capabilities=profile.capabilities,
        ),
        library,
        skills,
    )
    led = navigator is not None
    robot = FlatRobot(senses, gate, executor, sight, library, Laser(world).sweep, led)
    return robot
