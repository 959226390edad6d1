"""Topics on which perception tells other nodes what it sees, in messages that they know."""

from __future__ import annotations

from collections.abc import Iterable
from types import ModuleType
from typing import Protocol

from rclpy.node import Node

from sayso.core.ports import RgbdFrame
from sayso.core.scene import Scene
from sayso.ros.messages.qos import NEWEST

DETECTIONS = "detections"


class DetectionTopics(Protocol):
    """Takes what was seen; `tell` may be called from any thread."""

    def tell(self, scene: Scene, frames: Iterable[tuple[RgbdFrame, str]]) -> None:
        """Publish it to whoever listens.

        Args:
            frames: that the scene was seen in, each with the name of its optical frame.
        """


def detection_topics(node: Node, cameras: Iterable[str]) -> DetectionTopics:
    """`detections` (vision_msgs/Detection3DArray) and, of each camera, `camera/NAME/detections`
    (vision_msgs/Detection2DArray); nothing where vision_msgs is not installed."""
    try:
        from sayso.ros.messages import detections
    except ModuleNotFoundError as error:
        if str(error.name).split(".")[0] != "vision_msgs":
            raise
        node.get_logger().debug("vision_msgs is not installed: no detections are published.")
        return _Untold()
    return _Told(node, cameras, detections)


class _Untold:
    def tell(self, scene: Scene, frames: Iterable[tuple[RgbdFrame, str]]) -> None:
        """Nobody could hear it."""


class _Told:
    def __init__(self, node: Node, cameras: Iterable[str], detections: ModuleType) -> None:
        self._of, make = detections, node.create_publisher
        self._all = make(detections.Detection3DArray, DETECTIONS, NEWEST)
        self._cameras = {
            camera: make(detections.Detection2DArray, f"camera/{camera}/{DETECTIONS}", NEWEST)
            for camera in cameras
        }

    def tell(self, scene: Scene, frames: Iterable[tuple[RgbdFrame, str]]) -> None:
        if self._all.get_subscription_count():
            self._all.publish(self._of.detections_3d(scene))
        for frame, optical_frame in frames:
            publisher = self._cameras[frame.camera]
            if publisher.get_subscription_count():
                publisher.publish(self._of.detections_2d(scene, frame, optical_frame))
