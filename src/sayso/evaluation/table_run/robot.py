"""The arm of the simulated table in one process: senses, gate and skills."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from sayso.adapters import registry
from sayso.adapters.planners.ompl_motion import OmplMotionPlanner
from sayso.adapters.vision.self_filter import RobotSelfFilter
from sayso.core.library import Library, builtin_path, load
from sayso.core.ports import SceneSegmenter
from sayso.core.scene import Scene
from sayso.core.symbols import Action, Check
from sayso.mission.stages import ReportSkill
from sayso.perception.appearance import Appearances
from sayso.perception.pictures import PictureTruths
from sayso.perception.rgbd_segmenter import RgbdSegmenter
from sayso.perception.scene_perception import ScenePerception
from sayso.robots.kinematics import ArmKinematics
from sayso.skills.arm import Arm
from sayso.skills.arm_skills import ArmWork
from sayso.skills.conditions import fresh_scene, task_conditions
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import MotionGate
from sayso.skills.grasps import Geometric, GraspFinder
from sayso.skills.skill import Skills
from sayso.skills.watch import TaskWatch
from sayso.worlds.stepped_senses import Pace, SteppedSenses
from sayso.worlds.table.table_world import TableWorld

PACE = Pace(period_s=0.25, delay_s=0.0, step_s=0.01)
FRESH_S = 1.5
"""Age at which a scene is too old to move by."""


class TableArm(NamedTuple):
    """What an arm at a table in one process is worked with; the gate is closed between skills."""

    senses: SteppedSenses
    gate: MotionGate
    executor: SkillExecutor

    def carry_out(
        self, action: Action, watch: TaskWatch, avoid: frozenset[str], started: ReportSkill
    ) -> tuple[Check, ...]:
        """Raises as `SkillExecutor.execute`."""
        conditions = (fresh_scene(self.senses, FRESH_S), *task_conditions(watch, self.senses))
        with self.gate.authorised(conditions):
            return self.executor.execute(
                action, avoid, started=started, forbids=watch.would_violate
            )


def build(
    world: TableWorld,
    *,
    perceive: bool = False,
    library: Library | None = None,
    look: Callable[[], Scene] | None = None,
    skills: Skills | None = None,
    finder: GraspFinder | None = None,
) -> TableArm:
    """The arm at a table.

    Args:
        perceive: see through the cameras; else scenes are the simulator's truth, for tests of
            skills alone.
        look: in place of these two, such as `through_cameras` with another segmenter.
        skills: makes the skills by their names; by default those of the registry.
        finder: says where things can be taken; by default by their shapes.
    """
    profile = world.profile
    if look is None:
        look = through_cameras(world, library=library) if perceive else world.true_scene
    senses = SteppedSenses(world, look, PACE)
    kinematics = ArmKinematics(profile)
    gate = MotionGate(world, kinematics, profile.gate_limits())
    settings = profile.skill_settings()
    arm = Arm(kinematics, OmplMotionPlanner(profile), gate, senses, settings)
    skills = skills or partial(registry.create, "arm_skill")
    work = ArmWork(arm, capabilities=profile.capabilities, finder=finder or Geometric())
    executor = SkillExecutor(work, library or load(builtin_path()), skills)
    return TableArm(senses, gate, executor)


def through_cameras(
    world: TableWorld,
    segmenter: SceneSegmenter | None = None,
    appearances: Appearances | None = None,
    *,
    instances: bool = False,
    library: Library | None = None,
) -> Callable[[], Scene]:
    """Looks at the table with its two cameras.

    Args:
        library: whose predicates may ask for pictures; by default that of the table.
        instances: give the segmenter the simulator's own segmentation.
    """
    own = RobotSelfFilter(world.profile)
    perception = ScenePerception(segmenter or RgbdSegmenter(), own, appearances=appearances)
    pictures = PictureTruths(library or load(builtin_path()))

    def look() -> Scene:
        frames = [world.render(c, instances=instances) for c in ("left", "right")]
        return pictures.decide(perception.observe(frames, world.robot_state()), frames)

    return look
