"""Commands to the simulated robot: the topics and actions that its profile's drivers speak to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from geometry_msgs.msg import Twist, TwistStamped
from rclpy.node import Node
from trajectory_msgs.msg import JointTrajectory

from sayso.robots.profile import RobotProfile
from sayso.ros.robot.controllers import (
    Actuated,
    Command,
    GripperController,
    TrajectoryController,
    window_from_msg,
)
from sayso.skills.settings import DEFAULTS
from sayso.worlds.pacing import Schedule

Due = list[tuple[Schedule, Callable[[], None]]]
"""What is to be done how often."""
MONITOR_RATE_HZ = 50.0
"""At which controllers look how far their goals are."""


def offer_drivers(node: Node, world: Actuated, command: Command) -> Due:
    """Take commands for arm and hand as the profile says; what is to be done how often for it."""
    arm, hand = world.profile.drivers.arm, world.profile.drivers.hand
    controllers: list[TrajectoryController | GripperController] = []
    if arm.kind == "follow_joint_trajectory":
        controllers.append(TrajectoryController(node, arm.name, world, command))
    else:
        _listen(node, arm.name, command, lambda message: move_arm(world, message))
    if hand.kind == "gripper_command":
        controllers.append(GripperController(node, hand.name, world, command))
    else:
        _listen(node, hand.name, command, lambda message: move_gripper(world, message))
    return [(Schedule(MONITOR_RATE_HZ), controller.look) for controller in controllers]


def _listen(node: Node, name: str, command: Command, obey: Callable[[Any], None]) -> None:
    def take(message: Any) -> None:
        command(lambda: obey(message))

    node.create_subscription(JointTrajectory, name, take, 10)


def offer_base(
    node: Node, robot: RobotProfile, drive: Callable[[float, float, float], None]
) -> None:
    """Take velocities for the base as the profile says, where they are heard."""
    base = robot.drivers.base
    stamped = base.kind == "twist_stamped"

    def take(message: Any) -> None:
        twist = message.twist if stamped else message
        drive(twist.linear.x, twist.linear.y, twist.angular.z)

    node.create_subscription(TwistStamped if stamped else Twist, base.name, take, 10)


def move_arm(world: Actuated, msg: Any) -> None:
    """Carry out a `JointTrajectory` for the arm. Raises INVALID as `window_from_msg` does."""
    world.stream(window_from_msg(msg, world.profile.joint_names))


def move_gripper(world: Actuated, msg: Any) -> None:
    """Carry out a `JointTrajectory` for the hand's first finger joint, which says no force.

    Raises INVALID as `window_from_msg` does.
    """
    window = window_from_msg(msg, world.profile.finger_names[:1])
    width_m = world.profile.hand.width(float(window.positions[-1, 0]))
    world.grip(width_m, DEFAULTS.grip_force_n)
