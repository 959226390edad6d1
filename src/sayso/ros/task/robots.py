"""What the executor needs of a robot: an arm that stands still, or one on a mobile base."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Protocol

from rclpy.node import Node
from sayso_ros.srv import PlanTour

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.library import Library
from sayso.core.ports import Navigator
from sayso.core.scene import Scene
from sayso.core.symbols import Action
from sayso.mission.stages import Stages
from sayso.mission.tour_planning import Planned
from sayso.planning.navigation.base_motion import BaseMotion, drive
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.headings import Footing
from sayso.planning.navigation.itinerary import Outset, Tour
from sayso.robots.loading import load_robot
from sayso.ros.robot.building import RosBuilding
from sayso.ros.robot.drivers import RosArmDriver, base_driver
from sayso.ros.robot.floor_map import FloorMap
from sayso.ros.robot.laser import Laser
from sayso.ros.robot.mobile_body import MobileBody
from sayso.ros.robot.mobile_frames import BaseLocalisation, MobileFrames
from sayso.ros.robot.senses import RosSenses
from sayso.ros.runtime.calls import call
from sayso.ros.task.skill_goal import SkillGoalStages
from sayso.ros.task.task_stages import SCENE_TIMEOUT_S, ArmStages, TaskContext
from sayso.ros.task.tour_stages import Mobile, TourStages
from sayso.ros.task.tour_view import TourView
from sayso.ros.task.tours import SERVICE, request_for, tour_from_msg
from sayso.skills.arm import Arm
from sayso.skills.arm_skills import ArmWork
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import MotionGate
from sayso.skills.mobile import MobileWork
from sayso.skills.skill import Skills

OWN = "own"
ShowTour = Callable[[Planned], None]


class Robot(Protocol):
    """A robot's senses, its gate, and how it goes about a task."""

    @property
    def senses(self) -> RosSenses: ...

    @property
    def gate(self) -> MotionGate: ...

    @property
    def skills(self) -> SkillExecutor: ...

    @property
    def arm(self) -> SkillExecutor | None:
        """Of a robot that can practise."""

    @property
    def mobile(self) -> Mobile | None:
        """What drives through a flat; None for a robot that stands still."""

    def stages(self, context: TaskContext, planned: ShowTour) -> Stages:
        """Of one task; `planned` is told of every tour."""

    def skill_stages(self, action: Action, context: TaskContext) -> Stages:
        """Of a single skill. Raises UNSUPPORTED where tasks have none."""

    def surroundings(self) -> tuple[OccupancyGrid, Scene] | None:
        """The map and what is seen from now on; None without a map. Raises STALE."""


@dataclass(frozen=True)
class StandingArm:
    """An arm on a table."""

    senses: RosSenses
    gate: MotionGate
    arm: SkillExecutor
    mobile: None = None

    @property
    def skills(self) -> SkillExecutor:
        return self.arm

    def stages(self, context: TaskContext, planned: ShowTour) -> Stages:
        return ArmStages(self.arm, context)

    def skill_stages(self, action: Action, context: TaskContext) -> Stages:
        return SkillGoalStages(action, self.arm, context)

    def surroundings(self) -> None:
        return None


@dataclass(frozen=True)
class MobileManipulator:
    """An arm on a base that drives through a flat."""

    senses: RosSenses
    gate: MotionGate
    mobile: Mobile
    arm: None = None

    @property
    def skills(self) -> SkillExecutor:
        return self.mobile.body.skills

    def stages(self, context: TaskContext, planned: ShowTour) -> Stages:
        return TourStages(self.mobile, planned, context)

    def skill_stages(self, action: Action, context: TaskContext) -> Stages:
        raise SaySoError(
            Code.UNSUPPORTED,
            "a mobile robot carries out skills only within a task.",
            hint="say it as an instruction to /perform_task.",
        )

    def surroundings(self) -> tuple[OccupancyGrid, Scene]:
        # Things that a reading was the first to ask for are not in the scenes of before.
        scene = self.senses.scene_after(self.senses.now_s(), SCENE_TIMEOUT_S)
        return self.mobile.body.grid(), scene


@dataclass(frozen=True)
class RobotParts:
    """Backends by name.

    Attributes:
        robot: a profile's name, or a file with a slash.
        seed: of random choices in motion planning.
        plan_timeout_s: for the next tour.
        laser: the topic of a mobile robot's laser; empty for one without.
        path_planner: of a mobile robot's ways.
        navigator: leads a mobile robot along legs that are free; OWN: they are driven as planned.
        grasps: the registry's `grasp_finder` of an arm that stands still.
    """

    robot: str
    kinematics: str
    motion_planner: str
    seed: int
    plan_timeout_s: Callable[[], float]
    laser: str = ""
    path_planner: str = "grid"
    navigator: str = OWN
    grasps: str = "geometric"


def robot_of(node: Node, parts: RobotParts, library: Library, arm_skills: Skills) -> Robot:
    """The robot that the executor's parameters name.

    Args:
        arm_skills: makes the skills of an arm that stands still.
    """
    profile = load_robot(parts.robot)
    kinematics = registry.create("kinematics", parts.kinematics, robot=profile)
    kind, name = "motion_planner", parts.motion_planner
    asks = {"node": node} if "node" in registry.options(kind, name) else {}
    planner = registry.create(kind, name, robot=profile, seed=parts.seed, **asks)
    driver = RosArmDriver(node, profile)
    if profile.base is None:
        senses = RosSenses(node, profile, kinematics)
        gate = MotionGate(driver, kinematics, profile.gate_limits())
        arm = Arm(kinematics, planner, gate, senses, profile.skill_settings())
        kind, name = "grasp_finder", parts.grasps
        shown = {"taught": arm_skills} if "taught" in registry.options(kind, name) else {}
        finder = registry.create(kind, name, **shown)
        work = ArmWork(arm, capabilities=profile.capabilities, finder=finder)
        skills = SkillExecutor(work, library, arm_skills)
        return StandingArm(senses, gate, skills)
    shape = profile.mobile_robot()
    where = BaseLocalisation(node, MobileFrames(arm=profile.frames.base))
    senses = RosSenses(node, profile, kinematics, where)
    gate = MotionGate(
        driver,
        kinematics,
        shape.gate_limits(),
        base=base_driver(node, profile),
        drive_limits=shape.drive_limits(),
        mount=shape.mount,
    )
    floor = FloorMap(node, meanwhile=senses.require_wanted)
    senses.occupied = floor.occupied

    def motion_along(
        path: Array, yaw: float, *, face: tuple[float, float] | None = None
    ) -> BaseMotion:
        footing = Footing(floor.grid(), shape.footprint_m)
        return drive(path, yaw, shape.limits, face=face, footing=footing)

    settings, building = profile.mobile_settings(), RosBuilding(node, senses.require_wanted)
    arm = Arm(kinematics, planner, gate, senses, settings.arm)
    can = profile.capabilities
    navigator = _navigator(node, parts.navigator)
    driven = MobileWork(arm, shape, motion_along, settings, building, navigator, capabilities=can)
    executor = SkillExecutor(driven, library, partial(registry.create, "mobile_skill"))
    client = node.create_client(PlanTour, SERVICE)

    def solve(outset: Outset, scene: Scene) -> Tour:
        timeout_s, meanwhile = parts.plan_timeout_s(), senses.requiring("planner")
        request = request_for(outset, scene, timeout_s)
        return tour_from_msg(call(client, request, timeout_s + 10.0, meanwhile), outset)

    paths = registry.create("path_planner", parts.path_planner)
    laser = Laser(node, where, parts.laser, shape.footprint_m) if parts.laser else None
    body = MobileBody(senses, gate, executor, floor, laser)
    mobile = Mobile(body, solve, TourView(node), paths, navigates=navigator is not None)
    return MobileManipulator(senses, gate, mobile)


def _navigator(node: Node, name: str) -> Navigator | None:
    """None for SaySo's own driving. Raises CONFIG with the valid names, MISSING_DEPENDENCY."""
    if name == OWN:
        return None
    if name not in (known := registry.names("navigator")):
        raise SaySoError(Code.CONFIG, f"there is no navigator '{name}'.", choices=(OWN, *known))
    navigator: Navigator = registry.create("navigator", name, node=node)
    return navigator
