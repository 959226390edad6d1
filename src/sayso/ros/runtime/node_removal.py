"""End a node within a process that goes on."""

from __future__ import annotations

from rclpy.action import ActionClient, ActionServer
from rclpy.node import Node


def end(node: Node) -> None:
    """Destroy a node with its actions, which `Node.destroy_node` leaves alone.

    An action that is left keeps its node on the graph until Python happens to collect it. Whoever
    comes next finds services of which one half is gone, and those never count as available.
    """
    for waitable in list(node.waitables):
        if isinstance(waitable, ActionClient | ActionServer):
            waitable.destroy()
    node.destroy_node()
