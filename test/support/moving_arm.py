"""An arm over a block and a plate, as joints, perception and a camera would tell of it."""

from __future__ import annotations

import io
import threading
from typing import Any

import numpy as np
from PIL import Image
from sayso_ros.msg import Scene as SceneMsg
from sensor_msgs.msg import CompressedImage, JointState

from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.robots.loading import load_robot
from sayso.ros.messages.conversions import header, scene_to_msg
from sayso.ros.messages.qos import NEWEST, SENSOR
from support.demonstrations import START

PANDA = load_robot("panda")
CLOUD = np.zeros((5, 3), np.float32)


class MovingArm:
    """It turns about its foot, and the scene is seen again and again, unless it is `blind`; once
    it is told to close, its fingers go until 2 cm are between them."""

    def __init__(self, graph: Any) -> None:
        self._node = graph.tester
        self._joints = self._node.create_publisher(JointState, "/joint_states", 10)
        self._scenes = self._node.create_publisher(SceneMsg, "/scene", NEWEST)
        self._camera = self._node.create_publisher(
            CompressedImage, "/camera/left/color/image_raw/compressed", SENSOR
        )
        self.blind = threading.Event()
        self.closing = threading.Event()
        self.turned_rad, self._finger_m = 0.0, 0.04
        self._node.create_timer(0.02, self._move)
        self._node.create_timer(0.1, self._look)

    def now_s(self) -> float:
        return self._node.get_clock().now().nanoseconds * 1e-9

    def _move(self) -> None:
        self.turned_rad += 0.001
        if self.closing.is_set():
            self._finger_m = max(self._finger_m - 0.002, 0.01)
        joints = [PANDA.home[0] + self.turned_rad, *PANDA.home[1:], self._finger_m]
        names = [*PANDA.joint_names, PANDA.finger_names[0]]
        self._joints.publish(JointState(header=header(self.now_s()), name=names, position=joints))

    def _look(self) -> None:
        things = tuple(
            SceneObject(n, n, "", (0.5, y, 0.02), (0.05, 0.05, 0.04), points=CLOUD)
            for n, y in (("block", 0.1), ("plate", -0.1))
        )
        robot = RobotState(self.now_s(), gripper=START)
        if not self.blind.is_set():
            self._scenes.publish(scene_to_msg(Scene(self.now_s(), things, robot), "base"))
        picture = io.BytesIO()
        Image.new("RGB", (4, 3)).save(picture, "JPEG")
        self._camera.publish(CompressedImage(data=picture.getvalue()))
