"""A mobile robot's state at the time of a frame, from `/joint_states` and `/tf`."""

from __future__ import annotations

from rclpy.node import Node

from sayso.adapters import registry
from sayso.core.geometry import Pose
from sayso.core.scene import RobotState
from sayso.robots.profile import RobotProfile
from sayso.ros.robot.joint_history import JointHistory
from sayso.ros.robot.mobile_frames import BaseLocalisation, MobileFrames


class MobileRobotState:
    """Listens to joints and frames; asked from one thread at a time."""

    def __init__(
        self, node: Node, frames: MobileFrames, robot: RobotProfile, kinematics: str
    ) -> None:
        self._localisation = BaseLocalisation(node, frames)
        arm = registry.create("kinematics", kinematics, robot=robot)
        self._joints = JointHistory(node, robot, arm)

    def at(self, stamp_s: float) -> tuple[RobotState, Pose]:
        """The state nearest to a time, and the pose of what the arm stands on; in the map.

        Raises:
            SaySoError: STALE where no whole joint reading, or no frame of the base, is known.
        """
        robot = self._joints.at(stamp_s)
        located = self._localisation.in_scene(robot)
        return located, located.gripper @ robot.gripper.inverse()
