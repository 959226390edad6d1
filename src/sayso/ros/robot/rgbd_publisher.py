"""What a camera with depth publishes, wherever its pictures are from."""

from __future__ import annotations

from array import array

import cv2
import numpy as np
import numpy.typing as npt
from rclpy.node import Node
from rclpy.publisher import Publisher
from rclpy.qos import QoSProfile
from sensor_msgs.msg import CameraInfo, CompressedImage, Image
from std_msgs.msg import Header

from sayso.core.ports import RgbdFrame
from sayso.ros.messages.conversions import header
from sayso.ros.messages.images import depth_to_msg, image_to_msg, intrinsics_to_msg

IMAGES = QoSProfile(depth=2)


class RgbdPublisher:
    """Topics of one camera: colour, as JPEG too, its calibration, depth."""

    def __init__(self, node: Node, name: str, jpeg_quality: int) -> None:
        self.name = name
        self._quality = jpeg_quality
        color = f"camera/{name}/color"
        self._color = node.create_publisher(Image, f"{color}/image_raw", IMAGES)
        self._jpeg = node.create_publisher(CompressedImage, f"{color}/image_raw/compressed", IMAGES)
        self._info = node.create_publisher(CameraInfo, f"{color}/camera_info", IMAGES)
        self._depth = node.create_publisher(Image, f"camera/{name}/depth/image_raw", IMAGES)

    @property
    def wanted(self) -> bool:
        """Whether somebody listens."""
        return any(map(heard, (self._color, self._jpeg, self._depth)))

    def publish(self, frame: RgbdFrame) -> Header:
        """Those parts of a frame that somebody listens to; the header that they carry."""
        stamp = header(frame.stamp_s, optical_frame(self.name))
        self._info.publish(intrinsics_to_msg(frame.intrinsics, stamp))
        if heard(self._color):
            self._color.publish(image_to_msg(frame.rgb, "rgb8", stamp))
        if heard(self._depth):
            self._depth.publish(depth_to_msg(frame.depth_m, stamp))
        if heard(self._jpeg):
            self._jpeg.publish(jpeg(frame.rgb, self._quality, stamp))
        return stamp


def optical_frame(camera: str) -> str:
    """The frame of its pictures."""
    return f"{camera}_optical_frame"


def jpeg(rgb: npt.NDArray[np.uint8], quality: int, stamp: Header) -> CompressedImage:
    """An (H, W, 3) image as JPEG."""
    options = [cv2.IMWRITE_JPEG_QUALITY, quality]
    _, data = cv2.imencode(".jpg", cv2.cvtColor(rgb, cv2.COLOR_RGB2BGR), options)
    return CompressedImage(header=stamp, format="jpeg", data=array("B", data.tobytes()))


def heard(publisher: Publisher) -> bool:
    """Whether anybody subscribed."""
    return bool(publisher.get_subscription_count() > 0)
