"""What the robot's own cameras show it of a simulated flat: found, followed and mapped."""

from __future__ import annotations

from dataclasses import replace

from sayso.adapters import registry
from sayso.core.geometry import Pose
from sayso.core.library import builtin_path, load
from sayso.core.ports import InstanceFinder, RgbdFrame
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.perception.flat.devices import with_devices
from sayso.perception.flat.live import LiveFlat
from sayso.perception.flat.memory import FrameMemory
from sayso.perception.flat.settings import LookSettings
from sayso.perception.mapping import Mapper
from sayso.perception.pictures import PictureTruths
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.worlds.flat.devices import reported
from sayso.worlds.flat.flat_world import FlatWorld

WATCHED = ("table", "counter", "sofa", "chair", "bed", "cabinet", "bookshelf", "person", "cat")
"""Kinds that are watched whatever a task is about: what the arm may meet, who may walk in."""
FRONT, GRIPPER = "front", "gripper"
_STOWED_RAD = 0.1


class CameraSight:
    """`robot.Sight` from rendered pictures, and from what the building says of its devices.

    The hand's camera is used while the arm is not folded; folded, it looks at the robot.

    Args:
        finder: of things in pictures; "simulator" is the simulator's own segmentation.
        memory, mapper: of a tour made before.
    """

    def __init__(
        self,
        world: FlatWorld,
        finder: InstanceFinder | None = None,
        memory: FrameMemory | None = None,
        mapper: Mapper | None = None,
    ) -> None:
        self._world = world
        self.memory = memory or FrameMemory()
        self.mapper = mapper or Mapper()
        finder = finder or registry.create("instance_finder", "simulator")
        library = load(builtin_path("flat"))
        look = LookSettings(living=library.vocabulary.living)
        self.live = LiveFlat(self.memory, finder, look)
        self._pictures = PictureTruths(library)
        self._own = registry.create("self_filter", "links", robot=world.profile)
        self._grid: OccupancyGrid | None = None

    def look(self) -> Scene:
        robot = self._world.robot_state()
        cameras = (FRONT, GRIPPER) if self._reaching(robot) else (FRONT,)
        frames = [self._world.render(camera, instances=True) for camera in cameras]
        for frame in frames:
            self._take(frame, robot)
        seen = self.live.scene(self._world.time_s, robot)
        devices = with_devices(seen, reported(self._world), self.live.watched)
        scene = self._pictures.decide(devices, frames)
        self.mapper.follow(scene.objects)
        return scene

    def look_for(self, nouns: frozenset[str]) -> None:
        self.live.watch((*WATCHED, *sorted(nouns)))

    def keep(self, names: frozenset[str]) -> None:
        self.live.keep(names)

    def grid(self) -> OccupancyGrid:
        if self._grid is None:
            plan = self.mapper.floor_plan()
            self._grid = OccupancyGrid(plan.cells, plan.origin, plan.resolution_m)
        return self._grid

    def _take(self, frame: RgbdFrame, robot: RobotState) -> None:
        base = robot.base or Pose()
        frame = self._without_arm(frame, base @ self._world.base.mount, robot)
        self.live.see(frame, robot)
        if frame.camera == FRONT:
            self.mapper.add(frame, self._moving(robot), base)
            self._grid = None

    def _moving(self, robot: RobotState) -> tuple[SceneObject, ...]:
        scene = self.live.scene(self._world.time_s, robot)
        return tuple(o for o in scene.objects if o.living or o.carried)

    def _without_arm(self, frame: RgbdFrame, arm: Pose, robot: RobotState) -> RgbdFrame:
        away = arm.inverse()
        local = replace(robot, gripper=away @ robot.gripper)
        own: RgbdFrame = self._own(replace(frame, pose=away @ frame.pose), local)
        return replace(own, pose=frame.pose)

    def _reaching(self, robot: RobotState) -> bool:
        pairs = zip(robot.joint_positions, self._world.base.stowed[0], strict=True)
        return max(abs(q - s) for q, s in pairs) > _STOWED_RAD
