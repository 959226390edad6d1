"""RGB-D frames of several cameras from their topics, always the newest, and who is silent."""

from __future__ import annotations

import itertools
import json
import threading
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import CameraInfo, Image
from std_msgs.msg import String

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Intrinsics, RgbdFrame
from sayso.ros.messages.images import (
    depth_from_msg,
    image_from_msg,
    intrinsics_from_msg,
    rgb_from_msg,
)
from sayso.ros.messages.qos import LATCHED, MISSED_PERIODS, SENSOR
from sayso.ros.robot.frame_sync import FrameSync, Parts
from sayso.ros.robot.transforms import transforms_heard_by
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.params import param
from sayso.ros.runtime.streams import streams_of

COLOR, DEPTH, SEGMENTATION = "color", "depth", "segmentation"
LABELS = "world/segmentation/labels"


@dataclass(frozen=True)
class CameraConfig:
    """Parameters of nodes that see: where cameras are heard.

    Each list of topics has one for all cameras, in which {camera} stands for the camera's name, or
    one for each camera.
    """

    color_topics: tuple[str, ...] = param(
        ("camera/{camera}/color/image_raw",), "colour images; one for all cameras, or one for each"
    )
    depth_topics: tuple[str, ...] = param(
        ("camera/{camera}/depth/image_raw",), "depth aligned to colour; likewise"
    )
    info_topics: tuple[str, ...] = param(
        ("camera/{camera}/color/camera_info",), "calibration of the colour images; likewise"
    )
    rectified: bool = param(
        False, "whether images are rectified: then P of the calibration counts, else K (REP 104)"
    )

    def topics_of(self, cameras: Sequence[str]) -> Mapping[str, CameraTopics]:
        """By camera. Raises CONFIG for a list of another length."""
        color = _named("color_topics", self.color_topics, cameras)
        depth = _named("depth_topics", self.depth_topics, cameras)
        info = _named("info_topics", self.info_topics, cameras)
        return {c: CameraTopics(color[c], depth[c], info[c], self.rectified) for c in cameras}


def _named(name: str, topics: Sequence[str], cameras: Sequence[str]) -> Mapping[str, str]:
    if len(topics) not in (1, len(cameras)):
        raise SaySoError(
            Code.CONFIG,
            f"{name} has {len(topics)} topics for {len(cameras)} cameras.",
            hint="give one for all cameras, with {camera} in it, or one for each.",
        )
    each = zip(cameras, itertools.cycle(topics), strict=False)
    return {camera: topic.replace("{camera}", camera) for camera, topic in each}


@dataclass(frozen=True)
class CameraTopics:
    """Where one camera is heard, and whether its images are rectified."""

    color: str
    depth: str
    info: str
    rectified: bool


class CameraFrames:
    """Subscribes to colour, depth and calibration of each camera.

    Args:
        cameras: where each is heard.
        frame: the scene's frame, in which the cameras' poses are given.
        segmentation: also wait for the *simulator's own* segmentation.
        slop_s, skew_s: as in `FrameSync`.
    """

    def __init__(
        self,
        node: Node,
        cameras: Mapping[str, CameraTopics],
        *,
        frame: str,
        segmentation: bool,
        slop_s: float,
        skew_s: float,
    ) -> None:
        self._node = node
        self._scene_frame = frame
        self._transforms = transforms_heard_by(node)
        self._intrinsics: dict[str, Intrinsics | SaySoError] = {}
        self._labels: Mapping[int, str] = {}
        self._changed = threading.Condition()
        self._closed = False
        self._parts = (COLOR, DEPTH, SEGMENTATION) if segmentation else (COLOR, DEPTH)
        self._topics = cameras
        self._sync = FrameSync(tuple(cameras), self._parts, slop_s, skew_s, self._now_s())
        self._received_s, self._begun = time.monotonic(), False
        for camera in cameras:
            self._subscribe(camera)
        if segmentation:
            node.create_subscription(String, LABELS, receiving(LABELS, self._take_labels), LATCHED)

    def wait(self) -> Mapping[str, tuple[int, Parts]] | None:
        """The newest set of frames, as messages, once there is a new one; None after `end`."""
        with self._changed:
            while not self._closed:
                if (parts := self._sync.take()) is not None:
                    return parts
                self._changed.wait()
        return None

    def end(self) -> None:
        """Release who waits."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def silent(self, timeout_s: float, period_s: float | None = None) -> Mapping[str, str]:
        """Silent cameras, and what is missing of them.

        Args:
            timeout_s: wall time without a frame of any camera after which all are silent.
            period_s: at which each camera's frames are due, on the node's clock; one is silent
                when two are missed. None: when there was none for `timeout_s`.
        """
        due = period_s is not None and self._begun  # drivers take a while to start
        patience_s = MISSED_PERIODS * (period_s or 0.0) if due else timeout_s
        with self._changed:
            stalled = time.monotonic() - self._received_s > timeout_s
            return self._sync.silent(self._now_s(), -1.0 if stalled else patience_s)

    def _now_s(self) -> float:
        return float(self._node.get_clock().now().nanoseconds * 1e-9)

    def convert(self, camera: str, stamp_ns: int, parts: Parts) -> RgbdFrame:
        """A frame from its messages, with where its camera was then: waits for that.

        Raises:
            SaySoError: STALE without calibration or transform, INVALID for unusable images.
        """
        stamp_s, optical_frame = stamp_ns * 1e-9, self.optical_frame(camera, parts)
        return RgbdFrame(
            camera=camera,
            stamp_s=stamp_s,
            rgb=rgb_from_msg(parts[COLOR]),
            depth_m=depth_from_msg(parts[DEPTH]),
            intrinsics=self._calibration(camera),
            pose=self._transforms.lookup_between(self._scene_frame, optical_frame, stamp_s),
            instances=image_from_msg(parts[SEGMENTATION]) if SEGMENTATION in parts else None,
            instance_labels=self._labels,
        )

    @staticmethod
    def optical_frame(camera: str, parts: Parts) -> str:
        """The name of the frame that a camera's pictures are taken in."""
        return parts[COLOR].header.frame_id or f"{camera}_optical_frame"

    def _subscribe(self, camera: str) -> None:
        streams = streams_of(self._node)
        heard = self._topics[camera]
        topics = {
            COLOR: heard.color,
            DEPTH: heard.depth,
            SEGMENTATION: f"world/segmentation/{camera}",
        }
        for part in self._parts:
            self._node.create_subscription(
                Image, topics[part], self._taker(camera, part), SENSOR, callback_group=streams
            )
        self._node.create_subscription(
            CameraInfo,
            heard.info,
            lambda msg: self._take_calibration(camera, msg),
            SENSOR,
            callback_group=streams,
        )

    def _taker(self, camera: str, part: str) -> Any:
        def take(msg: Image) -> None:
            stamp_ns = msg.header.stamp.sec * 10**9 + msg.header.stamp.nanosec
            with self._changed:
                self._sync.add(camera, part, stamp_ns, msg, self._now_s())
                self._received_s, self._begun = time.monotonic(), True
                self._changed.notify_all()

        return take

    def _take_calibration(self, camera: str, msg: CameraInfo) -> None:
        try:
            rectified = self._topics[camera].rectified
            self._intrinsics[camera] = intrinsics_from_msg(msg, rectified=rectified)
        except SaySoError as error:
            self._intrinsics[camera] = error  # told to whoever needs it

    def _calibration(self, camera: str) -> Intrinsics:
        known = self._intrinsics.get(camera)
        if known is None:
            raise SaySoError(
                Code.STALE,
                f"camera '{camera}' has sent no calibration.",
                hint=f"check /{self._topics[camera].info}.",
            )
        if isinstance(known, SaySoError):
            raise known
        return known

    def _take_labels(self, msg: String) -> None:
        self._labels = {int(number): label for number, label in json.loads(msg.data).items()}
