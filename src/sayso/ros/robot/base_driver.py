"""The base's actuating port over ROS: what any velocity-driven base accepts."""

from __future__ import annotations

from geometry_msgs.msg import Twist
from rclpy.node import Node


class RosBaseDriver:
    """Publishes `Twist` in the base's frame (`core.ports.BaseDriver`).

    The robot must come to rest by itself when no command follows within about half a second.
    """

    def __init__(self, node: Node, topic: str = "cmd_vel") -> None:
        self._commands = node.create_publisher(Twist, topic, 1)

    def drive(self, forward_m_s: float, left_m_s: float, turn_rad_s: float) -> None:
        message = Twist()
        message.linear.x, message.linear.y = forward_m_s, left_m_s
        message.angular.z = turn_rad_s
        self._commands.publish(message)

    def halt(self) -> None:
        self._commands.publish(Twist())
