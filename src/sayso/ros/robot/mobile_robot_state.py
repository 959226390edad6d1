"""A mobile robot's state at the time of a frame, from `/joint_states` and `/tf`."""

from __future__ import annotations

from collections import deque

from rclpy.node import Node
from sensor_msgs.msg import JointState

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import RobotState
from sayso.robots.profile import RobotProfile
from sayso.ros.messages.conversions import time_from_msg
from sayso.ros.messages.joints import robot_state
from sayso.ros.messages.qos import SENSOR
from sayso.ros.robot.mobile_frames import BaseLocalisation, MobileFrames
from sayso.ros.runtime.boundary import receiving

JOINTS = "joint_states"


class MobileRobotState:
    """Listens to joints and frames; asked from one thread at a time."""

    def __init__(
        self, node: Node, frames: MobileFrames, robot: RobotProfile, kinematics: str
    ) -> None:
        self._localisation = BaseLocalisation(node, frames)
        self._kinematics = registry.create("kinematics", kinematics, robot=robot)
        self._robot = robot
        self._readings: deque[JointState] = deque(maxlen=200)
        take = receiving(JOINTS, self._readings.append)
        node.create_subscription(JointState, JOINTS, take, SENSOR)

    def at(self, stamp_s: float) -> tuple[RobotState, Pose]:
        """The state nearest to a time, and the pose of what the arm stands on; in the map.

        Raises:
            SaySoError: STALE where no whole joint reading, or no frame of the base, is known.
        """

        def apart(reading: JointState) -> float:
            return abs(time_from_msg(reading.header.stamp) - stamp_s)

        for reading in sorted(self._readings.copy(), key=apart):
            robot = robot_state(reading, self._kinematics, self._robot)
            if robot is not None:
                located = self._localisation.in_scene(robot)
                return located, located.gripper @ robot.gripper.inverse()
        raise SaySoError(
            Code.STALE,
            "no joint state of the whole arm and hand was received.",
            hint="check /joint_states and the parameter robot.",
        )
