"""The robot's own pixels taken out of frames, wherever its base stands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from rclpy.node import Node

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import RgbdFrame
from sayso.robots.profile import RobotProfile
from sayso.ros.robot.joint_history import JointHistory


class SelfPixels:
    """Listens to the arm's joints.

    Args:
        self_filter, kinematics: backends by name; an empty filter leaves frames as they are.
    """

    def __init__(self, node: Node, robot: RobotProfile, self_filter: str, kinematics: str) -> None:
        self._filter: Any = None
        if self_filter:
            self._filter = registry.create("self_filter", self_filter, robot=robot)
            arm = registry.create("kinematics", kinematics, robot=robot)
            self._joints = JointHistory(node, robot, arm)

    def without(self, frame: RgbdFrame, arm: Pose) -> RgbdFrame:
        """The frame without depth where it shows the robot.

        Args:
            arm: of the arm's base, in the frame's own frame of reference.

        While no joints are told the frame stays as it is: then the arm does not move either.
        """
        if self._filter is None:
            return frame
        try:
            robot = self._joints.at(frame.stamp_s)
        except SaySoError as error:
            if error.code is not Code.STALE:
                raise
            return frame
        own: RgbdFrame = self._filter(replace(frame, pose=arm.inverse() @ frame.pose), robot)
        return replace(own, pose=frame.pose)
