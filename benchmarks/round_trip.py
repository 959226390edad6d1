"""Round trips between processes: SaySo's services and messages against bare rclpy.

Each row is measured in the same run between the same two processes. `ratio` is SaySo over the
reference: what conversion, checking and status cost on top of the middleware.

    python benchmarks/round_trip.py [--count 200]
"""

from __future__ import annotations

import argparse
import multiprocessing as mp
import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any

import numpy as np
import rclpy
from rclpy.executors import ExternalShutdownException, SingleThreadedExecutor
from rclpy.node import Node
from sayso_ros.msg import Feedback, SymbolicState, TaskProgress
from sayso_ros.srv import GiveFeedback
from sensor_msgs.msg import Image
from std_msgs.msg import String
from std_srvs.srv import Trigger

from sayso.core import symbols
from sayso.core.symbols import Atom
from sayso.ros.messages.conversions import header, state_from_msg, state_to_msg
from sayso.ros.messages.images import image_to_msg
from sayso.ros.nodes.automaton_node import AutomatonNode
from sayso.ros.runtime import boundary

WAIT_S = 20.0


class Echo(Node):
    """The other process: answers every kind of ping."""

    def __init__(self) -> None:
        super().__init__("echo")
        self.create_service(Trigger, "bare", lambda _, response: response)
        self.create_service(GiveFeedback, "checked", self._checked)
        self._echoes("text", String, lambda m: m)
        self._echoes("state", SymbolicState, lambda m: state_to_msg(state_from_msg(m)))
        self._echoes("raw_state", SymbolicState, lambda m: m)
        self._echoes("image", Image, lambda m: String(data=str(m.header.stamp.nanosec)), String)

    def _echoes(
        self, name: str, kind: type, work: Callable[[Any], Any], reply: type | None = None
    ) -> None:
        publisher = self.create_publisher(reply or kind, f"{name}_back", 5)
        self.create_subscription(kind, name, lambda m: publisher.publish(work(m)), 5)

    @staticmethod
    def _checked(_: Any, response: Any) -> Any:
        return boundary.answer("bench", response, lambda _: None)


def serve(domain: str) -> None:
    os.environ["ROS_DOMAIN_ID"] = domain
    rclpy.init()
    executor = SingleThreadedExecutor()
    executor.add_node(Echo())
    automaton = AutomatonNode()
    executor.add_node(automaton)
    with suppress(KeyboardInterrupt, ExternalShutdownException):
        executor.spin()


class Pinger:
    """This process: sends, waits for the answer, takes the time."""

    def __init__(self) -> None:
        self.node = Node("ping")
        self._executor = SingleThreadedExecutor()
        self._executor.add_node(self.node)
        self._thread = threading.Thread(target=self._executor.spin, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self._executor.shutdown(timeout_sec=5.0)
        self._thread.join()

    def topic(self, name: str, message: Any, count: int, back: str, kind: type) -> list[float]:
        arrived = threading.Event()
        self.node.create_subscription(kind, back, lambda _: arrived.set(), 5)
        publisher = self.node.create_publisher(type(message), name, 5)
        end_s = time.monotonic() + WAIT_S
        while not (publisher.get_subscription_count() and self.node.count_publishers(back)):
            if time.monotonic() > end_s:
                raise SystemExit(f"nobody answers on {name}")
            arrived.wait(0.05)
        return [self._once(lambda: publisher.publish(message), arrived) for _ in range(count)]

    def service(self, name: str, kind: type, request: Any, count: int) -> list[float]:
        client = self.node.create_client(kind, name)
        if not client.wait_for_service(timeout_sec=WAIT_S):
            raise SystemExit(f"nobody offers {name}")
        arrived = threading.Event()

        def send() -> None:
            client.call_async(request).add_done_callback(lambda _: arrived.set())

        return [self._once(send, arrived) for _ in range(count)]

    @staticmethod
    def _once(send: Callable[[], None], arrived: threading.Event) -> float:
        arrived.clear()
        started_s = time.perf_counter()
        send()
        if not arrived.wait(WAIT_S):
            raise SystemExit("no answer")
        return (time.perf_counter() - started_s) * 1e3


def scene_sized_state() -> SymbolicState:
    """12 objects and every pair of two binary predicates among them, as in a full scene."""
    names = tuple(f"object_{i}" for i in range(12))
    pairs = [(a, b) for a in names for b in names if a != b]
    truths = {Atom(p, pair): bool(i % 3) for p in ("on", "in") for i, pair in enumerate(pairs)}
    return state_to_msg(symbols.SymbolicState(1.0, names, truths))


def measure(ping: Pinger, count: int) -> list[tuple[str, list[float], list[float]]]:
    """Rows of (what, SaySo's times, the reference's times) in milliseconds."""
    rgb = np.zeros((480, 640, 3), np.uint8)
    image = image_to_msg(rgb, "rgb8", header(1.0))
    text = ping.topic("text", String(data="x"), count, "text_back", String)
    bare = ping.service("bare", Trigger, Trigger.Request(), count)
    feedback = GiveFeedback.Request(feedback=Feedback(kind=1))
    checked = ping.service("checked", GiveFeedback, feedback, count)
    state = scene_sized_state()
    raw = ping.topic("raw_state", state, count, "raw_state_back", SymbolicState)
    converted = ping.topic("state", state, count, "state_back", SymbolicState)
    progress = ping.topic("/symbolic_state", state, count, "/task_progress", TaskProgress)
    picture = ping.topic("image", image, count, "image_back", String)
    return [
        ("service with status (reference: bare service)", checked, bare),
        ("symbolic state there and back, converted (reference: unconverted)", converted, raw),
        ("symbolic state to task progress (reference: bare text)", progress, text),
        ("colour image 640x480, text back (reference: bare text)", picture, text),
    ]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    options.add_argument("--count", type=int, default=200, help="round trips of each kind")
    count = options.parse_args().count
    domain = os.environ.setdefault("ROS_DOMAIN_ID", "87")
    server = mp.get_context("spawn").Process(target=serve, args=(domain,), daemon=True)
    server.start()
    rclpy.init()
    ping = Pinger()
    rows = measure(ping, count)
    ping.close()
    print(f"{'round trip [ms]':66} {'p50':>7} {'p95':>7} {'ref p50':>8} {'ratio':>6}")
    for what, times, reference in rows:
        p50, p95 = np.percentile(times, [50, 95])
        ref = float(np.percentile(reference, 50))
        print(f"{what:66} {p50:7.2f} {p95:7.2f} {ref:8.2f} {p50 / ref:6.2f}")
    server.terminate()
    rclpy.try_shutdown()


if __name__ == "__main__":
    main()
