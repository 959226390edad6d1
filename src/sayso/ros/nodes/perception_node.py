"""Cameras and joints in; the scene and the truth of its predicates out."""

from __future__ import annotations

import logging
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.ports import SceneSegmenter
from sayso.core.scene import Scene
from sayso.core.symbols import SymbolicState
from sayso.learning.skills import store
from sayso.learning.skills.symbols import looks
from sayso.perception.appearance import Appearances, appearances_of
from sayso.perception.scene_perception import ScenePerception
from sayso.robots.loading import load_robot
from sayso.ros.nodes.scene_publisher import FrameLoop, ScenePublisher
from sayso.ros.robot.camera_frames import CameraConfig, CameraFrames
from sayso.ros.robot.detection_topics import detection_topics
from sayso.ros.robot.frame_sync import Parts
from sayso.ros.robot.joint_history import JointHistory
from sayso.ros.runtime import runner
from sayso.ros.runtime.grounding_params import GroundingConfig
from sayso.ros.runtime.libraries import LibraryConfig, load_folder, load_library
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.params import declare, param

log = logging.getLogger(__name__)
SIMULATOR = "simulator_segmentation"


@dataclass(frozen=True)
class PerceptionConfig(LibraryConfig, CameraConfig, GroundingConfig):
    """Parameters of the node `perception`."""

    cameras: tuple[str, ...] = param(
        ("left", "right"), "cameras whose frames are fused; all of them must be alive"
    )
    segmenter: str = param(
        "rgbd", f"what finds objects in a frame; {SIMULATOR} is the simulator's own, not vision"
    )
    appearances: str = param(
        "", "what things look like: tabletop (also if empty), shapes, or a YAML file's path"
    )
    robot: str = param("panda", "profile of the robot: one of SaySo's, or a file with a slash")
    kinematics: str = param("mujoco", "backend that tells the pose of its tool")
    self_filter: str = param("links", "what takes the robot's own pixels out of the frames")
    frame: str = param("world", "frame of the scene: the arm's base, z up")
    slop_s: float = param(
        0.01, "how far apart the stamps of colour and depth of one frame may be [s]", 0.0, 0.5
    )
    skew_s: float = param(
        0.2, "how far apart the cameras' frames behind one scene may be [s]", 0.0, 5.0
    )
    camera_period_s: float = param(
        0.25, "at which frames are due; without two of them a camera is silent [s]", 0.01, 60.0
    )
    silent_s: float = param(
        3.0, "wall time without any frame after which all cameras count as silent [s]", 0.2, 60.0
    )


class PerceptionNode(Node):
    """Publishes `/scene`, `/symbolic_state`, `/scene_graph`, `/scene_markers` and detections;
    answers about the scene.

    Perception runs in a thread of its own, always on the newest frames. While a camera is
    silent nothing is published, so that whoever needs the scene sees that it is stale.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("perception", **kwargs)
        self.config = declare(self, PerceptionConfig)
        self._robot = load_robot(self.config.robot)
        kinematics = registry.create("kinematics", self.config.kinematics, robot=self._robot)
        self._joints = JointHistory(self, self._robot, kinematics)
        self._looks = appearances_of(self.config.appearances)
        self._taught_looks = self._known_looks = self._looks
        self._takes_looks = "appearances" in registry.options("segmenter", self.config.segmenter)
        self._perception = ScenePerception(
            self._segmenter(self._looks),
            registry.create("self_filter", self.config.self_filter, robot=self._robot),
            appearances=self._looks,
        )
        self._cameras = CameraFrames(
            self,
            self.config.topics_of(self.config.cameras),
            frame=self.config.frame,
            segmentation=self.config.segmenter == SIMULATOR,
            slop_s=self.config.slop_s,
            skew_s=self.config.skew_s,
        )
        self.silent: Mapping[str, str] = {}
        """Cameras that are silent now, and what is missing."""
        self._loop = FrameLoop(self)
        self._connect()
        self._thread = threading.Thread(
            target=self._loop.run, args=(self._cameras, self._perceive), name="perception"
        )
        self._thread.start()
        self._life = SignOfLife(self)

    def _segmenter(self, looks: Appearances) -> SceneSegmenter:
        """One that knows what things look like; an outside one need not take such a table."""
        options = {"appearances": looks} if self._takes_looks else {}
        made: SceneSegmenter = registry.create("segmenter", self.config.segmenter, **options)
        return made

    def _load(self, folder: Path) -> Library:
        """A library; the things of taught skills are known by what was shown of them."""
        known = dict(self._looks)
        for skill in store.read_all(folder).values():
            known |= looks(skill)
        if known != self._taught_looks:
            self._taught_looks = known
        return load_folder(folder)

    def _connect(self) -> None:
        any_time = ReentrantCallbackGroup()
        c = self.config
        self._detections = detection_topics(self, c.cameras)
        self._scenes = ScenePublisher(
            self, load_library(c.library), c.segmenter, c.frame, c.settings, self._present
        )
        c.take_over(self, self._scenes.take_over, self._load)
        # A clock that never stops: with simulated time a dead world would also stop the check.
        self.create_timer(
            min(self.config.silent_s / 4, self.config.camera_period_s),
            self._check_silence,
            clock=Clock(clock_type=ClockType.STEADY_TIME),
            callback_group=any_time,
        )

    # -- perception ------------------------------------------------------------------------

    def _perceive(self, parts: Mapping[str, tuple[int, Parts]]) -> None:
        if (known := self._taught_looks) is not self._known_looks:
            self._known_looks = known  # at once: what cannot be loaded is not at each frame
            self._perception.know(known, self._segmenter(known) if self._takes_looks else None)
        frames = [self._cameras.convert(c, stamp, p) for c, (stamp, p) in parts.items()]
        robot = self._joints.at(max(f.stamp_s for f in frames))
        seen = self._perception.observe(frames, robot)
        self._scenes.publish(self._scenes.with_pictures(seen, frames))
        named = (self._cameras.optical_frame(c, p) for c, (_, p) in parts.items())
        self._detections.tell(seen, zip(frames, named, strict=True))

    def _check_silence(self) -> None:
        silent = self._silent()
        for camera in silent.keys() - self.silent.keys():
            self.get_logger().warning(
                f"camera '{camera}' is silent: {silent[camera]}; no scene is published "
                "until it is back. Check its driver and cable."
            )
        for camera in self.silent.keys() - silent.keys():
            self.get_logger().info(f"camera '{camera}' is back.")
        self.silent = silent
        told = (f"camera '{c}' is silent: {why}" for c, why in sorted(silent.items()))
        self._life.tell("; ".join(told) or self._loop.trouble)

    def _silent(self) -> Mapping[str, str]:
        return self._cameras.silent(self.config.silent_s, self.config.camera_period_s)

    # -- services --------------------------------------------------------------------------

    def _present(self) -> tuple[Scene, SymbolicState]:
        """Raises STALE if it is not seen, nor again within a time: some frames come late."""
        patience_s = self.config.silent_s
        newest = self._scenes.newest(patience_s, patience_s, seen=lambda: not self._silent())
        if newest is None:
            reasons = [f"camera '{c}': {why}" for c, why in self._silent().items()]
            why = "; ".join(reasons) or self._loop.trouble or "yet"
            raise SaySoError(
                Code.STALE,
                f"the scene is not seen at present ({why}).",
                hint="check the cameras, /joint_states and /tf.",
            )
        return newest

    def destroy_node(self) -> None:
        self._cameras.end()
        self._thread.join()
        super().destroy_node()


def main() -> None:
    runner.main(PerceptionNode)
