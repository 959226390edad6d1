"""The frames of a recorded tour, with the poses that they were taken from."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import cv2
import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.frames import FrameTree
from sayso.core.geometry import Pose
from sayso.core.ports import Intrinsics, RgbdFrame
from sayso.ros.bags.rosbag import read_bag, recorded_topics
from sayso.ros.messages.conversions import time_from_msg
from sayso.ros.messages.images import (
    depth_from_msg,
    image_from_msg,
    intrinsics_from_msg,
    rgb_from_msg,
)
from sayso.ros.robot.camera_frames import COLOR, DEPTH, LABELS, SEGMENTATION
from sayso.ros.robot.frame_sync import FrameSync, Parts

_TRANSFORMS = ("/tf", "/tf_static")
_LABELS = f"/{LABELS}"


@dataclass(frozen=True)
class TourTopics:
    """Names in a tour's bag.

    Attributes:
        camera: whose `/camera/NAME/...` are read; colour may be there as JPEGs alone.
        frame, base: of the map and of the robot's base.
        slop_s: how far the stamps of one frame's colour and depth may differ.
        segmentation: whether the *simulator's own* segmentation is read too.
        namespace: of the robot's nodes.
    """

    camera: str = "front"
    frame: str = "map"
    base: str = "base_link"
    slop_s: float = 0.01
    segmentation: bool = False
    namespace: str = ""

    @property
    def color(self) -> str:
        return f"/camera/{self.camera}/color/image_raw"

    @property
    def jpeg(self) -> str:
        return f"{self.color}/compressed"

    @property
    def depth(self) -> str:
        return f"/camera/{self.camera}/depth/image_raw"

    @property
    def ids(self) -> str:
        return f"/world/segmentation/{self.camera}"

    @property
    def calibration(self) -> str:
        return f"/camera/{self.camera}/color/camera_info"


def read_tour(bag: Path, topics: TourTopics) -> Iterator[tuple[RgbdFrame, Pose]]:
    """All frames in order, each with the pose of the base; those taken where localisation was
    silent are left out.

    Raises:
        SaySoError: CORRUPT if it is no whole bag; INVALID where it lacks what a map is made of,
            or no frame has a pose.
    """
    color = _check(bag, topics)
    told = _Told(bag, topics)
    lost: SaySoError | None = None
    given = 0
    for stamp_ns, parts in _frames(bag, topics, color):
        try:
            found = told.frame(stamp_ns * 1e-9, parts)
        except SaySoError as error:
            if error.code is not Code.STALE:
                raise
            lost = error
            continue
        given += 1
        yield found
    if not given:
        raise _useless(bag, str(lost) if lost else "its colour and depth never belong together.")


class _Told:
    """What a bag tells beside pictures: where everything was, and how the camera sees."""

    def __init__(self, bag: Path, topics: TourTopics) -> None:
        self._topics = topics
        self._tree = FrameTree(math.inf)
        self._labels: Mapping[int, str] = {}
        self._calibration: Intrinsics | None = None
        for item in read_bag(bag, {*_TRANSFORMS, topics.calibration, _LABELS}, topics.namespace):
            if item.topic in _TRANSFORMS:
                self._place(item.message, item.topic == _TRANSFORMS[1])
            elif item.topic == _LABELS:
                labels = json.loads(item.message.data)
                self._labels = {int(number): label for number, label in labels.items()}
            elif self._calibration is None:
                self._calibration = intrinsics_from_msg(item.message)

    def frame(self, stamp_s: float, parts: Parts) -> tuple[RgbdFrame, Pose]:
        """A frame from its parts, and the base. Raises STALE where the robot was is not told."""
        t = self._topics
        optical = parts[COLOR].header.frame_id or f"{t.camera}_optical_frame"
        pose, base = (self._tree.lookup(t.frame, name, stamp_s) for name in (optical, t.base))
        if self._calibration is None:
            raise SaySoError(Code.STALE, f"camera '{t.camera}' has sent no calibration.")
        seen = SEGMENTATION in parts
        frame = RgbdFrame(
            t.camera,
            stamp_s,
            _rgb(parts[COLOR]),
            depth_from_msg(parts[DEPTH]),
            self._calibration,
            pose,
            image_from_msg(parts[SEGMENTATION]) if seen else None,
            self._labels if seen else {},
        )
        return frame, base

    def _place(self, message: Any, static: bool) -> None:
        for t in message.transforms:
            p, q = t.transform.translation, t.transform.rotation
            pose = Pose((p.x, p.y, p.z), (q.x, q.y, q.z, q.w))
            stamp_s = time_from_msg(t.header.stamp)
            self._tree.insert(t.header.frame_id, t.child_frame_id, pose, stamp_s, static)


def _check(bag: Path, topics: TourTopics) -> str:
    """The topic of the colour pictures; raises INVALID for a bag that lacks something."""
    held = recorded_topics(bag, topics.namespace)
    for what, names in (
        ("depth", {topics.depth}),
        ("colour", {topics.color, topics.jpeg}),
        ("calibration", {topics.calibration}),
        ("transforms", set(_TRANSFORMS)),
        ("segmentation", {topics.ids} if topics.segmentation else held),
    ):
        if not held & names:
            raise _useless(bag, f"it holds no {what} ({' or '.join(sorted(names))}).")
    return topics.color if topics.color in held else topics.jpeg


def _frames(bag: Path, topics: TourTopics, color: str) -> Iterator[tuple[int, Parts]]:
    part_of = {color: COLOR, topics.depth: DEPTH}
    if topics.segmentation:
        part_of[topics.ids] = SEGMENTATION
    camera = topics.camera
    sync = FrameSync((camera,), tuple(part_of.values()), topics.slop_s, 0.0, 0.0)
    for item in read_bag(bag, part_of.keys(), topics.namespace):
        stamp = item.message.header.stamp
        stamp_ns = int(stamp.sec) * 10**9 + int(stamp.nanosec)
        sync.add(camera, part_of[item.topic], stamp_ns, item.message, 0.0)
        if (taken := sync.take()) is not None:
            yield taken[camera]


def _rgb(message: Any) -> npt.NDArray[np.uint8]:
    if not hasattr(message, "format"):
        return rgb_from_msg(message)
    pixels = cv2.imdecode(np.asarray(message.data, np.uint8), cv2.IMREAD_COLOR)
    if pixels is None:
        raise SaySoError(Code.CORRUPT, "a compressed picture of the tour cannot be read.")
    return np.asarray(pixels[..., ::-1])


def _useless(bag: Path, why: str) -> SaySoError:
    return SaySoError(
        Code.INVALID,
        f"no map can be made of {bag}: {why}",
        hint="record the tour with depth, colour, camera_info, /tf and /tf_static.",
    )
