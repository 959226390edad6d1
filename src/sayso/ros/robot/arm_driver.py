"""The actuating port over ROS: what any trajectory-following arm and gripper accept."""

from __future__ import annotations

from builtin_interfaces.msg import Duration
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from sayso.core.ports import JointWindow
from sayso.robots.profile import RobotProfile
from sayso.skills.trajectory import braking


class RosArmDriver:
    """Publishes `JointTrajectory` for the arm and the gripper (`core.ports.ArmDriver`).

    A stop is a trajectory to where the joints can be at rest: an empty one is refused by
    ros2_control's joint_trajectory_controller. While nothing was sent there is nothing to stop.
    The gripper's joint is the first of the profile's fingers; effort is the force [N], and none
    where the fingers are stopped.
    """

    def __init__(self, node: Node, robot: RobotProfile) -> None:
        self._robot = robot
        self._names = list(robot.joint_names)
        self._deceleration = robot.acceleration_limits
        self._clock = node.get_clock()
        self._sent: tuple[JointWindow, float] | None = None
        self._arm = node.create_publisher(JointTrajectory, "arm/joint_trajectory", 1)
        self._gripper = node.create_publisher(JointTrajectory, "gripper/joint_trajectory", 1)

    def stream(self, window: JointWindow) -> None:
        points = [
            JointTrajectoryPoint(positions=[float(q) for q in joints], time_from_start=_duration(t))
            for t, joints in zip(window.times_s, window.positions, strict=True)
        ]
        self._sent = window, self._now_s()
        self._arm.publish(JointTrajectory(joint_names=self._names, points=points))

    def hold(self) -> None:
        if self._sent is not None:
            window, sent_s = self._sent
            self.stream(braking(window, self._now_s() - sent_s, self._deceleration))

    def grip(self, width_m: float, force_n: float) -> None:
        self._move_fingers(width_m, [force_n])

    def hold_grip(self, width_m: float) -> None:
        self._move_fingers(width_m, [])

    def _move_fingers(self, width_m: float, effort: list[float]) -> None:
        point = JointTrajectoryPoint(
            positions=[self._robot.hand.position(width_m)],
            effort=effort,
            time_from_start=Duration(),
        )
        joint = self._robot.finger_names[0]
        self._gripper.publish(JointTrajectory(joint_names=[joint], points=[point]))

    def _now_s(self) -> float:
        return float(self._clock.now().nanoseconds * 1e-9)


def _duration(seconds: float) -> Duration:
    whole, nano = divmod(round(float(seconds) * 1e9), 10**9)
    return Duration(sec=whole, nanosec=nano)
