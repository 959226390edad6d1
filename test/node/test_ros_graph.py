"""The private graph of a test leaves nothing behind for the next one."""

from __future__ import annotations

import gc
import threading
from contextlib import suppress
from pathlib import Path
from typing import Any

from rclpy.action import ActionClient, ActionServer
from rclpy.action.server import ServerGoalHandle
from rclpy.node import Node
from sayso_ros.action import Practise
from std_msgs.msg import String

from support.ros_graph import WAIT_S, Graph, SlowToGather


class _Acting(Node):
    """A node that its own action refers to, so that only the collector could free it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("acting", **kwargs)
        self.server = ActionServer(self, Practise, "practise", self._practise)

    def _practise(self, _: ServerGoalHandle) -> Practise.Result:
        return Practise.Result()


def _with_an_action(graph: Graph) -> tuple[_Acting, ActionClient]:
    acting = graph.add(_Acting)
    client = ActionClient(graph.tester, Practise, "practise")
    assert client.wait_for_server(WAIT_S)
    return acting, client


def _sockets() -> int:
    """How many this process holds: a DDS participant has some for as long as it lives."""
    held = 0
    for descriptor in Path("/proc/self/fd").iterdir():
        with suppress(FileNotFoundError):  # the one that this listing is read through
            held += str(descriptor.readlink()).startswith("socket:")
    return held


def test_a_closed_graph_is_gone_before_anything_is_collected(domain):
    gc.collect()
    gc.disable()
    try:
        left = []
        for _ in range(3):  # the first of a process also opens what the process keeps
            graph = Graph(domain)
            _with_an_action(graph)
            graph.close()
            left.append(_sockets())
        assert left[1] == left[2]
    finally:
        gc.enable()


def test_a_removed_node_takes_its_actions_along(graph):
    acting, client = _with_an_action(graph)
    graph.remove(acting)
    graph.wait_until(lambda: not client.server_is_ready(), "the action is gone")


def test_a_node_is_not_taken_away_from_under_the_thread_that_spins_it(graph):
    node = graph.add(Node, "passing")
    node.create_subscription(String, "words", print, 1)
    removed = threading.Event()
    slow = SlowToGather(removed)
    graph.tester.add_waitable(slow)
    graph.tester.create_timer(0.01, lambda: None)
    assert slow.gathering.wait(WAIT_S)
    graph.remove(node)
    removed.set()
    graph.wait_until(lambda: "passing" not in graph.tester.get_node_names(), "the others are spun")
