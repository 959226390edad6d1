"""The robot's own pixels taken out of frames, wherever its base stands."""

from __future__ import annotations

from collections import deque
from dataclasses import replace
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState

from sayso.adapters import registry
from sayso.core.geometry import Pose
from sayso.core.ports import RgbdFrame
from sayso.robots.profile import RobotProfile
from sayso.ros.messages.conversions import time_from_msg
from sayso.ros.messages.joints import robot_state
from sayso.ros.messages.qos import SENSOR
from sayso.ros.runtime.boundary import receiving

JOINTS = "joint_states"


class SelfPixels:
    """Listens to the arm's joints.

    Args:
        self_filter, kinematics: backends by name; an empty filter leaves frames as they are.
    """

    def __init__(self, node: Node, robot: RobotProfile, self_filter: str, kinematics: str) -> None:
        self._filter: Any = None
        self._readings: deque[JointState] = deque(maxlen=200)
        if self_filter:
            self._filter = registry.create("self_filter", self_filter, robot=robot)
            self._kinematics = registry.create("kinematics", kinematics, robot=robot)
            self._robot = robot
            take = receiving(JOINTS, self._readings.append)
            node.create_subscription(JointState, JOINTS, take, SENSOR)

    def without(self, frame: RgbdFrame, arm: Pose) -> RgbdFrame:
        """The frame without depth where it shows the robot.

        Args:
            arm: of the arm's base, in the frame's own frame of reference.

        While no joints are told the frame stays as it is: then the arm does not move either.
        """
        readings = self._readings.copy()
        if self._filter is None or not readings:
            return frame
        nearest = min(readings, key=lambda m: abs(time_from_msg(m.header.stamp) - frame.stamp_s))
        robot = robot_state(nearest, self._kinematics, self._robot)
        if robot is None:
            return frame
        own: RgbdFrame = self._filter(replace(frame, pose=arm.inverse() @ frame.pose), robot)
        return replace(own, pose=frame.pose)
