"""Cameras and localisation in; the scene of a flat and the truth of its predicates out."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from sayso_ros.msg import TaskEvent
from sayso_ros.srv import LookFor

from sayso.adapters.vision.finders import SIMULATOR
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.scene import RobotState, Scene
from sayso.core.symbols import SymbolicState
from sayso.logic.analysis import forbidden
from sayso.logic.text import parse
from sayso.perception.flat.devices import with_devices
from sayso.perception.flat.live import LiveFlat
from sayso.perception.flat.memory import FrameMemory
from sayso.perception.flat.settings import LookSettings
from sayso.perception.flat_map import FRAMES
from sayso.robots.loading import load_robot
from sayso.ros.messages.conversions import scene_to_msg
from sayso.ros.messages.markers import scene_markers
from sayso.ros.messages.qos import EVENTS
from sayso.ros.nodes.scene_publisher import FrameLoop, ScenePublisher
from sayso.ros.robot.building import DeviceReports
from sayso.ros.robot.camera_frames import CameraConfig, CameraFrames
from sayso.ros.robot.detection_topics import detection_topics
from sayso.ros.robot.floor_map import FloorMap
from sayso.ros.robot.frame_sync import Parts
from sayso.ros.robot.mobile_frames import MobileFrames
from sayso.ros.robot.mobile_robot_state import MobileRobotState
from sayso.ros.robot.self_pixels import SelfPixels
from sayso.ros.runtime import boundary, runner
from sayso.ros.runtime.finder_params import FinderConfig
from sayso.ros.runtime.grounding_params import GroundingConfig
from sayso.ros.runtime.libraries import LibraryConfig, load_folder, load_library
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.params import declare, param

log = logging.getLogger(__name__)
LETTER_M = 0.12


@dataclass(frozen=True)
class FlatPerceptionConfig(CameraConfig, FinderConfig, GroundingConfig, LibraryConfig):
    """Parameters of the node `flat_perception`."""

    cameras: tuple[str, ...] = param(("front", "gripper"), "RGB-D cameras on the robot")
    watched: tuple[str, ...] = param(
        ("table", "counter", "sofa", "chair", "bed", "cabinet", "bookshelf", "person", "cat"),
        "kinds that are watched whatever a task is about: what the arm may meet, who may walk in",
    )
    map_folder: str = param("", "of a map made before, whose pictures things are looked for in")
    library: str = param("flat", "library shipped with SaySo by name, or a folder with a slash")
    robot: str = param(
        "mobile_panda", "profile of the robot: one of SaySo's, or a file with a slash"
    )
    kinematics: str = param("mujoco", "backend that tells the pose of its tool")
    self_filter: str = param("links", "what takes the arm's own pixels out; empty: nothing")
    frame: str = param("map", "frame of the scene; z up, the floor at 0")
    base_frame: str = param("base_link", "of the robot's base")
    slop_s: float = param(
        0.01, "how far apart the stamps of colour and depth of one frame may be [s]", 0.0, 0.5
    )
    camera_period_s: float = param(
        0.5, "at which frames are due; without two of them a camera is silent [s]", 0.01, 60.0
    )
    devices_fresh_s: float = param(
        3.0, "age from which on what the building said of its devices is unknown [s]", 0.1, 60.0
    )
    silent_s: float = param(
        3.0, "wall time without a frame after which the scene counts as unseen [s]", 0.2, 60.0
    )


STEADY = ClockType.STEADY_TIME


class FlatPerceptionNode(Node):
    """Publishes `/scene`, `/symbolic_state`, `/scene_graph`, `/scene_markers` and detections; looks
    for things on demand.

    While a camera is silent no scene is published.

    Each camera's frames are taken in as they come, in a thread of its own. Pictures of the
    mapping tour, saved ones or those seen since the start, are searched when a kind of thing is
    first asked for; from then on that kind is watched.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("flat_perception", **kwargs)
        self.config = declare(self, FlatPerceptionConfig)
        library = load_library(self.config.library)
        # First, so that a network that cannot be loaded is told at once.
        finder = self.config.make_finder()
        living = library.vocabulary.living
        self._live = LiveFlat(self._memory(), finder, LookSettings(living=living))
        self._lock = threading.Lock()
        self._loop = FrameLoop(self)
        self._silent: frozenset[str] = frozenset()
        robot, kinematics = load_robot(self.config.robot), self.config.kinematics
        frames = MobileFrames(robot.frames.base, self.config.frame, self.config.base_frame)
        self._robot = MobileRobotState(self, frames, robot, kinematics)
        self._own = SelfPixels(self, robot, self.config.self_filter, kinematics)
        fresh_s = self.config.devices_fresh_s
        self._devices = DeviceReports(self, library.vocabulary, fresh_s)
        self._floor = FloorMap(self)
        self._connect(library)
        self._threads = [
            threading.Thread(
                target=self._loop.run, args=(frames, partial(self._perceive, camera)), name=camera
            )
            for camera, frames in self._frames_of_cameras().items()
        ]
        for thread in self._threads:
            thread.start()
        self._life = SignOfLife(self)
        # A clock that never stops: with simulated time a dead world would also stop the check.
        self.create_timer(
            self.config.camera_period_s, self._check_silence, clock=Clock(clock_type=STEADY)
        )

    def _memory(self) -> FrameMemory:
        folder = Path(self.config.map_folder).expanduser() / FRAMES
        if self.config.map_folder and folder.exists():
            return FrameMemory.load(folder)
        return FrameMemory()

    def _frames_of_cameras(self) -> Mapping[str, CameraFrames]:
        self._cameras = {
            camera: CameraFrames(
                self,
                {camera: topics},
                frame=self.config.frame,
                segmentation=self.config.finder == SIMULATOR,
                slop_s=self.config.slop_s,
                skew_s=0.0,
            )
            for camera, topics in self.config.topics_of(self.config.cameras).items()
        }
        return self._cameras

    def _connect(self, library: Library) -> None:
        c, draw = self.config, partial(scene_markers, letter_m=LETTER_M)
        self._scenes = ScenePublisher(
            self, library, c.finder, c.frame, c.settings, self._present, draw
        )
        self._detections = detection_topics(self, c.cameras)
        take = boundary.receiving("/task_events", self._take_event)
        self.create_subscription(TaskEvent, "task_events", take, EVENTS)
        group = ReentrantCallbackGroup()
        self.create_service(LookFor, "look_for", self._look_for, callback_group=group)
        c.take_over(self, self._take_over, load_folder)

    def _take_over(self, library: Library) -> None:
        """From the next scene on its predicates are evaluated, and its devices known."""
        self._devices.take_over(library.vocabulary)
        self._scenes.take_over(library)

    # -- perception ------------------------------------------------------------------------

    def _perceive(self, camera: str, parts: Mapping[str, tuple[int, Parts]]) -> None:
        frame = self._cameras[camera].convert(camera, *parts[camera])
        robot, arm = self._robot.at(frame.stamp_s)
        if self.config.self_filter:
            frame = self._own.without(frame, arm)
        with self._lock:
            self._live.see(frame, robot)
            scene = self._scenes.with_pictures(self._scene(frame.stamp_s, robot), (frame,))
        if not self._silent:
            self._scenes.publish(scene)
            optical_frame = self._cameras[camera].optical_frame(camera, parts[camera][1])
            self._detections.tell(scene, [(frame, optical_frame)])

    def _scene(self, stamp_s: float, robot: RobotState) -> Scene:
        """What is seen, what the map shows, and what the building says of devices that are looked
        for."""
        seen = replace(self._live.scene(stamp_s, robot), occupied=self._floor.occupied())
        return with_devices(seen, self._devices.at(stamp_s), self._live.watched)

    def _check_silence(self) -> None:
        period_s, timeout_s = self.config.camera_period_s, self.config.silent_s
        found = {c: f.silent(timeout_s, period_s).get(c) for c, f in self._cameras.items()}
        silent = {c: missing for c, missing in found.items() if missing}
        told = "; ".join(f"camera '{c}' is silent: {why}" for c, why in sorted(silent.items()))
        self._silent = frozenset(silent)
        self._life.tell(told or self._loop.trouble)

    def _take_event(self, event: TaskEvent) -> None:
        """What a task forbids to come near stays known where it was last seen."""
        if event.kind != TaskEvent.SPECIFICATION or not event.specification.grounded_formula:
            return
        formula = parse(event.specification.grounded_formula, grounded=True)
        with self._lock:
            self._live.keep(str(a) for prop in forbidden(formula) for a in prop.args)

    # -- services --------------------------------------------------------------------------

    def _present(self) -> tuple[Scene, SymbolicState]:
        """Waits for a while: no frame is taken in while the tour's pictures are searched."""

        newest = self._scenes.newest(self.config.silent_s, wait_s=self.config.silent_s)
        if newest is None:
            raise SaySoError(
                Code.STALE,
                f"the flat is not seen at present ({self._loop.trouble or 'no frames come'}).",
                hint="check the cameras, /joint_states and /tf.",
            )
        return newest

    def _look_for(self, request: LookFor.Request, response: LookFor.Response) -> LookFor.Response:
        def work(out: LookFor.Response) -> None:
            scene, _ = self._present()
            with self._lock:
                self._live.watch((*self.config.watched, *request.nouns))
                scene = self._scene(scene.stamp_s, scene.robot)
            out.scene = scene_to_msg(scene, self.config.finder)

        return boundary.answer("perception", response, work)

    def destroy_node(self) -> None:
        for frames in self._cameras.values():
            frames.end()
        for thread in self._threads:
            thread.join()
        super().destroy_node()


def main() -> None:
    runner.main(FlatPerceptionNode, threads=3)
