"""Simulated time, followed on a thread of its own."""

from __future__ import annotations

import rclpy
from rclpy.executors import SingleThreadedExecutor
from rclpy.node import Node
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.time_source import CLOCK_TOPIC
from rosgraph_msgs.msg import Clock

from sayso.ros.runtime.spinning import SpinningThread

_NEWEST = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)


class ClockThread:
    """Hears `/clock` for a node that follows simulated time; does nothing for any other.

    A node of rclpy hears it among all else that it waits for, and gathers all that anew after
    each message: about a millisecond of work, fifty times for every simulated second. rclcpp has
    a thread for it (`use_clock_thread`), rclpy none; so the subscription goes to a hidden node
    that waits for nothing else.
    """

    def __init__(self, node: Node) -> None:
        self._hidden: Node | None = None
        time_source = node._time_source
        if time_source._clock_sub is None:
            return
        node.destroy_subscription(time_source._clock_sub)
        self._hidden = rclpy.create_node(
            f"_{node.get_name()}_clock",
            namespace=node.get_namespace(),
            context=node.context,
            use_global_arguments=False,  # with them it would be given the other node's name
            enable_rosout=False,
            start_parameter_services=False,
        )
        topic = node.resolve_topic_name(CLOCK_TOPIC)
        time_source._clock_sub = self._hidden.create_subscription(
            Clock, topic, time_source.clock_callback, _NEWEST
        )
        executor = SingleThreadedExecutor(context=node.context)
        executor.add_node(self._hidden)
        self._spinning = SpinningThread(executor, node.context)
        self._spinning.start()

    def stop(self) -> None:
        """From now on time stands still."""
        if self._hidden is not None:
            self._spinning.stop()
            self._hidden.destroy_node()
            self._hidden = None
