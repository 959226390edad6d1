"""The robot's joints at the time of a frame."""

from __future__ import annotations

from collections import deque
from typing import Any

from rclpy.node import Node
from sensor_msgs.msg import JointState

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Kinematics
from sayso.core.scene import RobotState
from sayso.robots.profile import RobotProfile
from sayso.ros.messages.joints import JointReadings, WholeReading, robot_state
from sayso.ros.messages.qos import SENSOR
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.streams import streams_of


class JointHistory:
    """Listens on the topics of joints that the robot's profile names.

    Asked from one thread at a time, which alone uses the kinematics.
    """

    def __init__(self, node: Node, robot: RobotProfile, kinematics: Kinematics) -> None:
        self._robot, self._kinematics = robot, kinematics
        self._whole: deque[WholeReading] = deque(maxlen=200)
        self._readings = JointReadings(robot)
        streams = streams_of(node)
        for topic in robot.drivers.joint_states:
            take = receiving(topic, self._take)
            node.create_subscription(JointState, topic, take, SENSOR, callback_group=streams)

    def at(self, stamp_s: float) -> RobotState:
        """The robot's state nearest to a time. Raises STALE while no whole reading was told."""
        readings = self._whole.copy()
        if not readings:
            topics = " and ".join(f"/{t}" for t in self._robot.drivers.joint_states)
            raise SaySoError(
                Code.STALE,
                "no joint state of the whole arm and hand was received.",
                hint=f"check {topics} and the parameter robot.",
            )
        nearest = min(readings, key=lambda reading: abs(reading.stamp_s - stamp_s))
        return robot_state(nearest, self._kinematics, self._robot)

    def _take(self, message: Any) -> None:
        if (reading := self._readings.take(message)) is not None:
            self._whole.append(reading)
