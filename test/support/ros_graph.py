"""A private ROS graph for each test: its own domain, its nodes spun in the background."""

from __future__ import annotations

import socket
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from typing import Any, TypeVar

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from rclpy.callback_groups import ReentrantCallbackGroup
from rclpy.context import Context
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile
from rclpy.timer import Timer
from rclpy.waitable import NumberOfEntities, Waitable

from sayso.ros.runtime.node_removal import end
from sayso.ros.runtime.spinning import SpinningThread

T = TypeVar("T")
WAIT_S = 60.0
"""An upper bound for what must happen; discovery alone has been seen to take 3 s."""


class Inbox:
    """Messages received on a topic, oldest first."""

    def __init__(self) -> None:
        self.messages: list[Any] = []
        self._changed = threading.Condition()

    def put(self, message: Any) -> None:
        with self._changed:
            self.messages.append(message)
            self._changed.notify_all()

    def wait(self, fits: Callable[[Any], bool] = lambda _: True, timeout_s: float = WAIT_S) -> Any:
        """The first message that fits; fails the test if none comes."""
        with self._changed:
            if not self._changed.wait_for(lambda: any(map(fits, self.messages)), timeout_s):
                pytest.fail(f"no such message within {timeout_s} s; got {self.messages[-3:]}")
            return next(m for m in self.messages if fits(m))

    def clear(self) -> None:
        with self._changed:
            self.messages.clear()


class SlowToGather(Waitable):
    """Once, what an executor waits on is gathered only when something has happened, or nothing."""

    def __init__(self, happened: threading.Event) -> None:
        super().__init__(ReentrantCallbackGroup())
        self.gathering, self._happened = threading.Event(), happened

    def get_num_entities(self) -> NumberOfEntities:
        if not self.gathering.is_set():
            self.gathering.set()
            self._happened.wait(0.5)
        return NumberOfEntities()

    def is_ready(self, wait_set: Any) -> bool:
        return False

    def add_to_wait_set(self, wait_set: Any) -> None:
        pass

    def __enter__(self) -> None:
        pass

    def __exit__(self, *_: object) -> None:
        pass


class _Spinner(MultiThreadedExecutor):
    """Runs what is due between two waits: what rclpy waits on must not be destroyed under it."""

    def __init__(self, context: Context) -> None:
        super().__init__(num_threads=4, context=context)
        self._due: SimpleQueue[tuple[Callable[[], None], threading.Event]] = SimpleQueue()

    def between_waits(self, act: Callable[[], None]) -> None:
        done = threading.Event()
        self._due.put((act, done))
        self.create_task(lambda: None)  # so that the thread that spins looks up
        if not done.wait(WAIT_S):
            pytest.fail("the graph is not spun any more")

    def spin_once(self, timeout_sec: float | None = None) -> None:
        super().spin_once(timeout_sec)
        while not self._due.empty():
            act, done = self._due.get()
            act()
            done.set()


class Graph:
    """Nodes of one test on their own ROS domain."""

    def __init__(self, domain: int) -> None:
        self.domain = domain
        self.context = Context()
        self.context.init(domain_id=domain)
        self.executor = _Spinner(self.context)
        self._nodes: list[Node] = []
        self._ends: list[Exception | None] = []
        self._spinning = SpinningThread(self.executor, self.context, self._ends.append)
        self.tester = self.add(Node, "tester")
        self._spinning.start()

    def add(self, make: Callable[..., T], *args: Any, **parameters: Any) -> T:
        """A node of this graph, given these parameters."""
        overrides = [Parameter(k, value=v) for k, v in parameters.items()]
        node: Any = make(*args, context=self.context, parameter_overrides=overrides)
        self._nodes.append(node)
        self.executor.add_node(node)
        return node

    def remove(self, node: Any) -> None:
        """End one node, as if its process ended."""
        self._nodes.remove(node)
        self.executor.remove_node(node)
        self.executor.between_waits(lambda: end(node))

    def listen(self, kind: type, topic: str, qos: QoSProfile | int = 100) -> Inbox:
        inbox = Inbox()
        self.tester.create_subscription(kind, topic, inbox.put, qos)
        return inbox

    def publisher(self, kind: type, topic: str, qos: QoSProfile | int = 10, peers: int = 1) -> Any:
        """A publisher that is known to so many subscribers."""
        publisher = self.tester.create_publisher(kind, topic, qos)
        self.wait_until(lambda: publisher.get_subscription_count() >= peers, f"{topic} is read")
        return publisher

    def wait_until(
        self, condition: Callable[[], bool], what: str, timeout_s: float = WAIT_S
    ) -> None:
        """Look again at every tick of the clock until it holds; fails the test in the end."""
        done = threading.Event()
        timers: list[Timer] = []

        def look() -> None:
            if timers and condition():
                # Only from its own callback: a timer that is cancelled while it is being taken
                # ends the thread that spins.
                timers.pop().cancel()
                done.set()

        timers.append(self.tester.create_timer(0.02, look))
        if not done.wait(timeout_s):
            pytest.fail(f"not within {timeout_s} s: {what}")

    def call(self, kind: type, name: str, request: Any) -> Any:
        """The answer of a service."""
        client = self.tester.create_client(kind, name)
        assert client.wait_for_service(timeout_sec=WAIT_S), f"nobody offers {name}"
        done = threading.Event()
        future = client.call_async(request)
        future.add_done_callback(lambda _: done.set())
        assert done.wait(WAIT_S), f"no answer from {name}"
        return future.result()

    def close(self) -> None:
        for node in self._nodes:
            if wind_down := getattr(node, "wind_down", None):
                wind_down()
        self._spinning.stop()
        for node in self._nodes:
            end(node)
        self.context.try_shutdown()
        if defect := next(filter(None, self._ends), None):
            raise defect


@contextmanager
def free_domain() -> Iterator[int]:
    """A ROS domain id that no other test on this machine uses, held through a TCP port."""
    for candidate in range(10, 100):
        with socket.socket() as lock:
            try:
                lock.bind(("127.0.0.1", 21100 + candidate))
            except OSError:
                continue
            yield candidate
            return
    pytest.fail("no free ROS domain on this machine")
