"""How robots are commanded over ROS: the drivers that a profile names (`robots.profile.Drivers`).

Each is made with the node that commands, for arm and hand the robot's profile, and the name of its
channel, which is a topic or an action.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np
from builtin_interfaces.msg import Duration
from control_msgs.action import FollowJointTrajectory, GripperCommand
from geometry_msgs.msg import Twist, TwistStamped
from rclpy.node import Node
from std_msgs.msg import Header
from trajectory_msgs.msg import JointTrajectory, JointTrajectoryPoint

from sayso.adapters import registry
from sayso.core.geometry import Array
from sayso.core.ports import BaseDriver, JointWindow
from sayso.robots.profile import RobotProfile
from sayso.ros.robot.goals import GoalSender
from sayso.skills.trajectory import braking

BASE_FRAME = "base_link"


class ArmChannel(Protocol):
    """Takes an arm's motions; methods as in `core.ports.ArmDriver`."""

    def stream(self, window: JointWindow) -> None: ...

    def hold(self) -> None: ...

    def require_obeyed(self) -> None: ...


class HandChannel(Protocol):
    """Takes a hand's motions; methods as in `core.ports.ArmDriver`."""

    def grip(self, width_m: float, force_n: float) -> None: ...

    def hold_grip(self, width_m: float) -> None: ...

    def require_obeyed(self) -> None: ...


class RosArmDriver:
    """Arm and hand over the drivers that the robot's profile names (`core.ports.ArmDriver`)."""

    def __init__(self, node: Node, robot: RobotProfile) -> None:
        arm, hand = robot.drivers.arm, robot.drivers.hand
        self._arm: ArmChannel = registry.create(
            "arm_driver", arm.kind, node=node, robot=robot, channel=arm.name
        )
        self._hand: HandChannel = registry.create(
            "hand_driver", hand.kind, node=node, robot=robot, channel=hand.name
        )
        self.stream, self.hold = self._arm.stream, self._arm.hold
        self.grip, self.hold_grip = self._hand.grip, self._hand.hold_grip

    def require_obeyed(self) -> None:
        self._arm.require_obeyed()
        self._hand.require_obeyed()


def base_driver(node: Node, robot: RobotProfile) -> BaseDriver:
    """The driver of the robot's base that its profile names."""
    base = robot.drivers.base
    driver: BaseDriver = registry.create("base_driver", base.kind, node=node, channel=base.name)
    return driver


# -- the arm ---------------------------------------------------------------------------------


class _Way:
    """What an arm was last sent, and how it comes to rest from there."""

    def __init__(self, node: Node, robot: RobotProfile) -> None:
        self._deceleration = robot.acceleration_limits
        self._clock = node.get_clock()
        self._sent: tuple[JointWindow, float] | None = None

    def note(self, window: JointWindow) -> None:
        self._sent = window, self._now_s()

    def to_rest(self) -> JointWindow | None:
        """None while nothing was sent: then there is nothing to stop."""
        if self._sent is None:
            return None
        window, sent_s = self._sent
        return braking(window, self._now_s() - sent_s, self._deceleration)

    def _now_s(self) -> float:
        return float(self._clock.now().nanoseconds * 1e-9)


class TrajectoryTopic:
    """An arm that takes `JointTrajectory` messages on a topic, and does not tell what becomes of
    them.

    A stop is a trajectory to where the joints can be at rest: an empty one is refused by
    ros2_control's joint_trajectory_controller.
    """

    def __init__(self, node: Node, robot: RobotProfile, channel: str) -> None:
        self._names = robot.joint_names
        self._way = _Way(node, robot)
        self._commands = node.create_publisher(JointTrajectory, channel, 1)

    def stream(self, window: JointWindow) -> None:
        self._way.note(window)
        message = trajectory_to_msg(self._names, window.times_s, window.positions)
        self._commands.publish(message)

    def hold(self) -> None:
        if (window := self._way.to_rest()) is not None:
            self.stream(window)

    def require_obeyed(self) -> None:
        """A topic tells nothing."""


class TrajectoryAction:
    """An arm behind a `FollowJointTrajectory` action, as ros2_control's controller offers it.

    Each window is a goal that takes the place of the one before; a stop is one that leads to where
    the joints can be at rest. Where that is rejected, what is under way is cancelled.
    """

    def __init__(self, node: Node, robot: RobotProfile, channel: str) -> None:
        self._names = robot.joint_names
        self._way = _Way(node, robot)
        self._goals = GoalSender(node, FollowJointTrajectory, channel, _broken_off)

    def stream(self, window: JointWindow) -> None:
        self._way.note(window)
        self._goals.send(self._goal(window))

    def hold(self) -> None:
        window = self._way.to_rest()
        self._goals.stop(None if window is None else self._goal(window))
        if window is not None:
            self._way.note(window)

    def require_obeyed(self) -> None:
        self._goals.require_well()

    def _goal(self, window: JointWindow) -> Any:
        """Its first point, which is now, is left out: the controller goes on from where it is.

        With speeds it passes the others smoothly; at the last one it must rest.
        """
        times_s, positions = window.times_s, window.positions
        if len(times_s) == 1:
            message = trajectory_to_msg(self._names, times_s, positions)
            return FollowJointTrajectory.Goal(trajectory=message)
        speeds = np.gradient(positions, times_s, axis=0)
        speeds[-1] = 0.0
        message = trajectory_to_msg(self._names, times_s[1:], positions[1:], speeds[1:])
        return FollowJointTrajectory.Goal(trajectory=message)


_BROKEN_OFF = {
    FollowJointTrajectory.Result.INVALID_GOAL: "the goal is invalid",
    FollowJointTrajectory.Result.INVALID_JOINTS: "the goal's joints are not the controller's",
    FollowJointTrajectory.Result.OLD_HEADER_TIMESTAMP: "the goal is too old",
    FollowJointTrajectory.Result.PATH_TOLERANCE_VIOLATED: "a joint left its path",
    FollowJointTrajectory.Result.GOAL_TOLERANCE_VIOLATED: "a joint did not come to its goal",
}


def _broken_off(result: Any, replaced: bool) -> str | None:
    """Goals that are replaced are aborted too, as invalid."""
    if replaced and result.error_code in (result.INVALID_GOAL, result.SUCCESSFUL):
        return None
    what = _BROKEN_OFF.get(result.error_code, "the motion was broken off")
    return f"{what} ({result.error_string})" if result.error_string else what


def trajectory_to_msg(
    joints: Sequence[str], times_s: Array, positions: Array, velocities: Array | None = None
) -> JointTrajectory:
    """A trajectory without efforts, which position controllers refuse.

    Args:
        times_s: (N,) from the moment it is received.
        positions, velocities: (N, J) [rad], [rad/s].
    """
    points = [
        JointTrajectoryPoint(positions=row, time_from_start=_duration(time_s))
        for time_s, row in zip(times_s, positions.tolist(), strict=True)
    ]
    if velocities is not None:
        for point, row in zip(points, velocities.tolist(), strict=True):
            point.velocities = row
    return JointTrajectory(joint_names=list(joints), points=points)


def _duration(seconds: float) -> Duration:
    whole, nano = divmod(round(float(seconds) * 1e9), 10**9)
    return Duration(sec=whole, nanosec=nano)


# -- the hand --------------------------------------------------------------------------------


class GripperTopic:
    """A hand whose first finger joint takes `JointTrajectory` messages on a topic.

    Such messages say no force: the hand presses with its own. Nothing tells what becomes of them.
    """

    def __init__(self, node: Node, robot: RobotProfile, channel: str) -> None:
        self._hand, self._joint = robot.hand, robot.finger_names[0]
        self._commands = node.create_publisher(JointTrajectory, channel, 1)

    def grip(self, width_m: float, force_n: float) -> None:
        self.hold_grip(width_m)

    def hold_grip(self, width_m: float) -> None:
        positions = np.array([[self._hand.position(width_m)]])
        self._commands.publish(trajectory_to_msg([self._joint], np.zeros(1), positions))

    def require_obeyed(self) -> None:
        """A topic tells nothing."""


class GripperAction:
    """A hand behind a `GripperCommand` action: position of its first finger joint, force [N].

    Moving fingers are stopped by cancelling. Fingers that stall hold something: no failure.
    """

    def __init__(self, node: Node, robot: RobotProfile, channel: str) -> None:
        self._hand = robot.hand
        self._goals = GoalSender(node, GripperCommand, channel, _gave_up)

    def grip(self, width_m: float, force_n: float) -> None:
        goal = GripperCommand.Goal()
        goal.command.position = self._hand.position(width_m)
        goal.command.max_effort = float(force_n)
        self._goals.send(goal, afresh=True)

    def hold_grip(self, width_m: float) -> None:
        self._goals.stop()

    def require_obeyed(self) -> None:
        self._goals.require_well()


def _gave_up(result: Any, replaced: bool) -> str | None:
    if replaced or result.stalled or result.reached_goal:
        return None
    return f"the fingers were given up on at {result.position:.3f}, neither stalled nor there"


# -- the base --------------------------------------------------------------------------------


class TwistTopic:
    """A base that takes `Twist` messages, in its own frame (`core.ports.BaseDriver`).

    The robot must come to rest by itself when no command follows within about half a second.
    """

    def __init__(self, node: Node, channel: str) -> None:
        self._commands = node.create_publisher(Twist, channel, 1)

    def drive(self, forward_m_s: float, left_m_s: float, turn_rad_s: float) -> None:
        self._commands.publish(_twist(forward_m_s, left_m_s, turn_rad_s))

    def halt(self) -> None:
        self.drive(0.0, 0.0, 0.0)


class TwistStampedTopic:
    """As `TwistTopic`, with `TwistStamped` messages, as ros2_control's bases take them."""

    def __init__(self, node: Node, channel: str) -> None:
        self._clock = node.get_clock()
        self._commands = node.create_publisher(TwistStamped, channel, 1)

    def drive(self, forward_m_s: float, left_m_s: float, turn_rad_s: float) -> None:
        stamp = Header(stamp=self._clock.now().to_msg(), frame_id=BASE_FRAME)
        twist = _twist(forward_m_s, left_m_s, turn_rad_s)
        self._commands.publish(TwistStamped(header=stamp, twist=twist))

    def halt(self) -> None:
        self.drive(0.0, 0.0, 0.0)


def _twist(forward_m_s: float, left_m_s: float, turn_rad_s: float) -> Twist:
    message = Twist()
    message.linear.x, message.linear.y = forward_m_s, left_m_s
    message.angular.z = turn_rad_s
    return message
