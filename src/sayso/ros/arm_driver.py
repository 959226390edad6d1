"""The actuating port over ROS: what any trajectory-following arm and gripper accept."""

from __future__ import annotations

from builtin_interfaces.msg import Duration
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from sayso.core.ports import JointWindow
from sayso.robots.profile import RobotProfile


class RosArmDriver:
    """Publishes `JointTrajectory` for the arm and the gripper (`core.ports.ArmDriver`).

    The gripper's joint is the first of the profile's fingers; effort is the force [N].
    An empty trajectory means: stop and hold.
    """

    def __init__(self, node: Node, robot: RobotProfile) -> None:
        self._robot = robot
        self._names = list(robot.joint_names)
        self._arm = node.create_publisher(JointTrajectory, "arm/joint_trajectory", 1)
        self._gripper = node.create_publisher(JointTrajectory, "gripper/joint_trajectory", 1)

    def stream(self, window: JointWindow) -> None:
        points = [
            JointTrajectoryPoint(positions=[float(q) for q in joints], time_from_start=_duration(t))
            for t, joints in zip(window.times_s, window.positions, strict=True)
        ]
        self._arm.publish(JointTrajectory(joint_names=self._names, points=points))

    def hold(self) -> None:
        self._arm.publish(JointTrajectory(joint_names=self._names))

    def grip(self, width_m: float, force_n: float) -> None:
        point = JointTrajectoryPoint(
            positions=[self._robot.hand.position(width_m)],
            effort=[force_n],
            time_from_start=Duration(),
        )
        self._gripper.publish(
            JointTrajectory(joint_names=[self._robot.finger_names[0]], points=[point])
        )


def _duration(seconds: float) -> Duration:
    whole, nano = divmod(round(float(seconds) * 1e9), 10**9)
    return Duration(sec=whole, nanosec=nano)
