"""The simulated table as senses and arm driver in one process, for tests and benchmarks.

With `perceive=False` scenes are built from the simulator's truth: for tests of skills alone.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np

from sayso.adapters import registry
from sayso.adapters.planners.ompl_motion import OmplMotionPlanner
from sayso.adapters.vision.self_filter import RobotSelfFilter
from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.scene import RobotState, Scene
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


class SimRig:
    """`skills.senses.Senses` over a `TableWorld`; notes what the robot touched."""

    def __init__(self, world: TableWorld, *, perceive: bool = False) -> None:
        self.world = world
        self.touched: set[str] = set()
        self.on_step = lambda: None
        self._perceive = perceive
        own = RobotSelfFilter(world.profile)
        self._perception = ScenePerception(RgbdSegmenter(), own) if perceive else None
        self._scene: Scene | None = None
        self._next_frame_s = self.now_s()

    def scene(self) -> Scene:
        if self._scene is None:
            self._scene = self._observe()
        return self._scene

    def scene_after(self, stamp_s: float, timeout_s: float) -> Scene:
        self.wait(1.1 * CAMERA_PERIOD_S)
        if not self._perceive:
            self._scene = self._observe()
        if self._scene.stamp_s <= stamp_s:
            raise SaySoError(Code.STALE, "no new scene.")
        return self._scene

    def robot(self) -> RobotState:
        return self.world.robot_state()

    def now_s(self) -> float:
        return self.world.time_s

    def wait(self, duration_s: float) -> None:
        for _ in range(max(1, round(duration_s / STEP_S))):
            self.world.step(STEP_S)
            self.touched |= self.world.contacts()
            self.on_step()
            if self._perceive and self.now_s() >= self._next_frame_s:
                self._scene = self._observe()
                self._next_frame_s += CAMERA_PERIOD_S

    def _observe(self) -> Scene:
        robot = self.robot()
        if self._perceive:
            frames = [self.world.render(c) for c in ("left", "right")]
            return self._perception.observe(frames, robot)
        return Scene(self.now_s(), tuple(self._true_objects(robot)), robot)

    def _true_objects(self, robot: RobotState):
        closed = 0.003 < robot.gripper_width_m < robot.gripper_max_width_m - 0.002
        for obj in self.world.truth():
            near = np.linalg.norm(np.subtract(obj.position, robot.gripper.position)) < 0.05
            yield replace(obj, carried=closed and near and obj.category == "block")


def build(world: TableWorld, **options):
    """A rig, its gate (closed) and the skill executor over it."""
    rig = SimRig(world, **options)
    profile = world.profile
    kinematics = ArmKinematics(profile)
    gate = MotionGate(world, kinematics, profile.gate_limits())
    library = load(builtin_path())
    planner, settings = OmplMotionPlanner(profile), profile.skill_settings()
    skills = partial(registry.create, "arm_skill")
    arm = Arm(kinematics, planner, gate, rig, settings)
    return (
        rig,
        gate,
        SkillExecutor(ArmWork(arm, capabilities=profile.capabilities), library, skills),
    )
