"""The arm of the simulated table in one process: senses that step physics, gate and skills."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from sayso.adapters import registry
from sayso.adapters.planners.ompl_motion import OmplMotionPlanner
from sayso.adapters.vision.self_filter import RobotSelfFilter
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, builtin_path, load
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.perception.rgbd_segmenter import RgbdSegmenter
from sayso.perception.scene_perception import ScenePerception
from sayso.robots.kinematics import ArmKinematics
from sayso.skills.arm import Arm
from sayso.skills.arm_skills import ArmWork
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import MotionGate
from sayso.worlds.table.table_world import TableWorld

STEP_S = 0.01
CAMERA_PERIOD_S = 0.25


class TableSenses:
    """`skills.senses.Senses` over a table whose time passes in `wait`.

    Args:
        perceive: see through the cameras; else scenes are the simulator's truth, for tests of
            skills alone.

    Attributes:
        touched: what the robot touched so far, for judging only.
        on_step: called after each step of the clock.
        on_scene: told of each scene.
    """

    def __init__(self, world: TableWorld, *, perceive: bool = False) -> None:
        self.world = world
        self.touched: set[str] = set()
        self.on_step: Callable[[], None] = lambda: None
        self.on_scene: Callable[[Scene], None] = lambda _: None
        own = RobotSelfFilter(world.profile)
        self._perception = ScenePerception(RgbdSegmenter(), own) if perceive else None
        self._scene: Scene | None = None
        self._next_frame_s = self.now_s()

    def scene(self) -> Scene:
        return self._scene or self._observe()

    def scene_after(self, stamp_s: float, timeout_s: float) -> Scene:
        self.wait(1.1 * CAMERA_PERIOD_S)
        scene = self.scene() if self._perception else self._observe()
        if scene.stamp_s <= stamp_s:
            raise SaySoError(Code.STALE, "no new scene.")
        return scene

    def robot(self) -> RobotState:
        return self.world.robot_state()

    def now_s(self) -> float:
        return self.world.time_s

    def wait(self, duration_s: float) -> None:
        for _ in range(max(1, round(duration_s / STEP_S))):
            self.world.step(STEP_S)
            self.touched |= self.world.contacts()
            self.on_step()
            if self._perception and self.now_s() >= self._next_frame_s:
                self._observe()
                self._next_frame_s += CAMERA_PERIOD_S

    def _observe(self) -> Scene:
        robot = self.robot()
        if self._perception:
            frames = [self.world.render(c) for c in ("left", "right")]
            self._scene = self._perception.observe(frames, robot)
        else:
            self._scene = true_scene(self.world)
        self.on_scene(self._scene)
        return self._scene


def true_scene(world: TableWorld) -> Scene:
    """What is really there; blocks between the closed fingers are carried."""
    robot = world.robot_state()
    return Scene(world.time_s, tuple(_true_objects(world, robot)), robot)


def _true_objects(world: TableWorld, robot: RobotState) -> Iterator[SceneObject]:
    closed = 0.003 < robot.gripper_width_m < robot.gripper_max_width_m - 0.002
    for obj in world.truth():
        near = np.linalg.norm(np.subtract(obj.position, robot.gripper.position)) < 0.05
        yield replace(obj, carried=bool(closed and near and obj.category == "block"))


def build(
    world: TableWorld, *, perceive: bool = False, library: Library | None = None
) -> tuple[TableSenses, MotionGate, SkillExecutor]:
    """The senses, the gate (closed) and the executor of the arm at a table."""
    senses, profile = TableSenses(world, perceive=perceive), world.profile
    kinematics = ArmKinematics(profile)
    gate = MotionGate(world, kinematics, profile.gate_limits())
    settings = profile.skill_settings()
    arm = Arm(kinematics, OmplMotionPlanner(profile), gate, senses, settings)
    skills = partial(registry.create, "arm_skill")
    work = ArmWork(arm, capabilities=profile.capabilities)
    return senses, gate, SkillExecutor(work, library or load(builtin_path()), skills)
