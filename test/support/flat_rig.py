"""The simulated flat as senses and drivers in one process, for tests of the mobile skills alone.

`TruthSenses` makes scenes from the simulator's TRUTH plus noise: it stands in for perception,
which has tests of its own.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from sayso.adapters import registry
from sayso.adapters.planners.ompl_motion import OmplMotionPlanner
from sayso.core.errors import SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.library import builtin_path, load
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.evaluation.flat_run.known_boxes import tops, true_floor
from sayso.planning.navigation.base_motion import drive
from sayso.planning.navigation.headings import Footing
from sayso.planning.navigation.nearness import Footprint
from sayso.planning.navigation.paths import GridPlanner, PathQuestion
from sayso.planning.navigation.walls import walls_around
from sayso.robots.kinematics import ArmKinematics
from sayso.skills.arm import Arm
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import MotionGate
from sayso.skills.mobile import MobileWork
from sayso.skills.poses import upright
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.simulated_base import SimulatedBase
from sayso.worlds.stepped_senses import Pace, SteppedSenses

PACE = Pace(period_s=0.25, delay_s=0.0, step_s=0.01)
FAR_SIGMA_M, NEAR_SIGMA_M, NEAR_M = 0.01, 0.004, 1.2
LARGE_M = 0.3


class TruthSenses(SteppedSenses):
    """The truth plus noise.

    Things farther than 1.2 m from the base are off by 1 cm, nearer ones by 4 mm, anew in every
    scene. Large things have points on the tops of their solid parts, as depth cameras see them.
    """

    def __init__(self, world: FlatWorld, seed: int = 0) -> None:
        super().__init__(world, self._observe, PACE)
        self._rng = np.random.default_rng(seed)
        self._tops = {i.name: tops(i) for i in world.scene.items if max(i.size) >= LARGE_M}
        self._small = {i.name for i in world.scene.items if i.movable}

    def _observe(self) -> Scene:
        robot = self.robot()
        objects = tuple(self._seen(o, robot) for o in self.world.truth())
        return Scene(self.now_s(), objects, robot, frame="map")

    def _seen(self, obj: SceneObject, robot: RobotState) -> SceneObject:
        base = np.array(self.world.true_base().position)
        near = np.linalg.norm((obj.position - base)[:2]) < NEAR_M
        noise = (NEAR_SIGMA_M if near else FAR_SIGMA_M) * self._rng.standard_normal(3)
        x, y, z = (float(v) for v in obj.position + noise * (1, 1, 0.5))
        local = self._tops.get(obj.name, np.zeros((0, 3)))
        points = Pose((x, y, z), obj.orientation).transform(local).astype(np.float32)
        hand = self.world.profile.hand
        closed = 0.004 < robot.gripper_width_m < hand.width_m - 0.003 and obj.name in self._small
        carried = closed and obj.distance_to(self._tool()) < 0.02 + hand.fingertip_m
        return replace(obj, position=(x, y, z), points=points, carried=carried)

    def _tool(self) -> Array:
        base, believed = self.world.true_base(), self.world.robot_state()
        return np.array((base @ believed.base.inverse() @ believed.gripper).position)


def _outline(item) -> Footprint:
    pose = upright(item.position, item.yaw)
    return Footprint.of(
        SceneObject(item.name, item.category, "", pose.position, item.size, pose.orientation)
    )


class GridWays:
    """`skills.stands.Ways` over the true floor, without anything forbidden."""

    def __init__(self, scene: FlatScene) -> None:
        self._grid = true_floor(scene)
        self._free = self._grid.standable()
        self._things = [_outline(item) for item in scene.items]

    def fits(self, places: Array, yaws: Array) -> Array:
        return Footing(self._grid, (1.10, 0.50)).fits(places, yaws)

    def walls(self, place: tuple[float, float], reach_m: float) -> Array:
        return walls_around(self._grid, self._things, place, reach_m)

    def way(
        self, start: tuple[float, float], goals: Array, yaws: Array | None = None
    ) -> Array | None:
        goal = np.zeros(self._grid.shape, bool)
        for x, y in goals:
            try:
                goal[self._grid.cell_at((x, y))] = True
            except SaySoError:  # outside of the map
                continue
        free = self._free.copy()
        free[self._grid.cell_at(start)] = True
        try:
            path = GridPlanner().find(PathQuestion(free, self._grid.cell_at(start), goal))
        except SaySoError:  # there is none
            return None
        return path * self._grid.resolution_m + np.array(self._grid.origin)


def build(world: FlatWorld, seed: int = 0, driver=None):
    """Senses, gate (closed), executor and ways over a flat.

    Args:
        driver: of arm, hand and base; by default the world's own.
    """
    senses = TruthSenses(world, seed)
    robot = world.profile.mobile_robot()
    kinematics = ArmKinematics(world.profile)
    gate = MotionGate(
        driver or world,
        kinematics,
        robot.gate_limits(),
        base=driver or SimulatedBase(world),
        drive_limits=robot.drive_limits(),
        mount=robot.mount,
    )
    library = load(builtin_path("flat"))
    skills = partial(registry.create, "mobile_skill")
    settings = world.profile.mobile_settings()
    arm = Arm(kinematics, OmplMotionPlanner(world.profile), gate, senses, settings.arm)
    work = MobileWork(arm, robot, drive, settings, capabilities=world.profile.capabilities)
    executor = SkillExecutor(work, library, skills)
    return senses, gate, executor, GridWays(world.scene)
