"""A node's process: one clear line for a wrong configuration, a clean end for a signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from ipaddress import IPv4Address
from pathlib import Path

import pytest
from builtin_interfaces.msg import Time
from rclpy.context import Context
from rclpy.event_handler import SubscriptionEventCallbacks
from rclpy.executors import MultiThreadedExecutor
from rclpy.node import Node
from rclpy.parameter import Parameter
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rosgraph_msgs.msg import Clock
from std_msgs.msg import String

from sayso.ros.launch import launch_file, launch_runner
from sayso.ros.runtime.runner import CONFIG_EXIT
from sayso.ros.runtime.spinning import SpinningThread
from sayso.ros.runtime.streams import StreamThread, streams_of


def start(
    domain: int, node: str, *arguments: str, environment: Mapping[str, str] = os.environ
) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", f"from sayso.ros.nodes.{node}_node import main; main()"]
    return subprocess.Popen(
        [*command, "--ros-args", *arguments],
        env={**environment, "ROS_DOMAIN_ID": str(domain)},
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_misspelt_parameter_ends_it_with_the_valid_names(domain: int) -> None:
    process = start(domain, "planner", "-p", "plannner:=search")
    _, said = process.communicate(timeout=30)
    assert process.returncode == CONFIG_EXIT
    valid = said.partition("Valid: ")[2].partition(".")[0].split(", ")
    assert "plannner" in said and {"library", "follow", "planner"} <= set(valid)
    assert "Traceback" not in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(graph, number: int) -> None:
    process = start(graph.domain, "automaton")
    try:
        graph.wait_until(lambda: graph.tester.count_publishers("/task_progress") > 0, "it runs")
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Traceback" not in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_while_it_is_imported_ends_it_quietly(domain: int, number: int) -> None:
    command = [sys.executable, "-X", "importtime", "-c"]
    process = subprocess.Popen(
        [*command, "from sayso.ros.nodes.start import planner; planner()"],
        env={**os.environ, "ROS_DOMAIN_ID": str(domain)},
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        next(line for line in process.stderr if line.endswith("sayso.core.errors\n"))
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Traceback" not in said
    assert "sayso.ros.nodes.planner_node" not in said, "it was imported whole before the signal"


def test_signals_that_go_on_until_it_has_ended_leave_no_failure(graph) -> None:
    process = start(graph.domain, "feedback")
    try:
        graph.wait_until(lambda: graph.tester.count_publishers("/feedback") > 0, "it runs")
        graph.wait_until(lambda: signalled(process), "it ends")
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Traceback" not in said


def signalled(process: subprocess.Popen[str]) -> bool:
    """Whether it has ended; if not, it is asked to."""
    process.send_signal(signal.SIGINT)
    process.send_signal(signal.SIGTERM)
    return process.poll() is not None


def test_simulated_time_is_followed_though_the_node_does_not_spin(graph) -> None:
    node = Node(
        "busy", context=graph.context, parameter_overrides=[Parameter("use_sim_time", value=True)]
    )
    streams = StreamThread(node, lambda _: None)
    publisher = graph.tester.create_publisher(Clock, "/clock", 10)

    def told(seconds: int) -> bool:
        publisher.publish(Clock(clock=Time(sec=seconds)))
        return bool(node.get_clock().now().nanoseconds == seconds * 10**9)

    try:
        graph.wait_until(lambda: told(7), "time is followed")
        graph.wait_until(lambda: told(8), "time goes on")
    finally:
        streams.stop()
        node.destroy_node()


@pytest.fixture
def streaming(graph) -> Iterator[tuple[Node, StreamThread, list[Exception | None]]]:
    """A node whose streams are taken, and what its thread ended with."""
    node, ends = Node("streaming", context=graph.context), []
    streams = StreamThread(node, ends.append)
    yield node, streams, ends
    streams.stop()
    node.destroy_node()


def listen(node: Node, topic: str, take: Callable[[String], None]) -> None:
    node.create_subscription(String, topic, take, 10, callback_group=streams_of(node))


def test_what_streams_in_is_taken_on_one_thread_though_the_node_does_not_spin(
    graph, streaming
) -> None:
    node, streams, ends = streaming
    took: list[tuple[str, str]] = []
    heard = {n: graph.tester.create_publisher(String, n, 10) for n in ("first", "second")}
    for name, publisher in heard.items():  # the second one comes while the first is waited for
        listen(node, name, lambda m: took.append((m.data, threading.current_thread().name)))
        graph.wait_until(lambda p=publisher: p.get_subscription_count() == 1, "it is heard")
        publisher.publish(String(data=name))
        graph.wait_until(lambda n=name: (n, "streams") in took, "it is taken")
    streams.stop()
    assert ends == [None]
    heard["first"].publish(String(data="late"))
    assert "late" not in [data for data, _ in took]


def test_a_node_that_spins_leaves_its_streams_to_their_thread(graph, streaming) -> None:
    node, *_ = streaming
    took: list[tuple[str, str]] = []
    publisher = graph.tester.create_publisher(String, "often", 10)
    listen(node, "often", lambda m: took.append((m.data, threading.current_thread().name)))
    graph.executor.add_node(node)
    graph.wait_until(lambda: publisher.get_subscription_count() == 1, "it is heard")
    for number in range(20):
        publisher.publish(String(data=str(number)))
        graph.wait_until(lambda n=number: len(took) > n, "it is taken")
    graph.executor.remove_node(node)
    assert took == [(str(n), "streams") for n in range(20)]


def test_that_nobody_offers_a_stream_as_it_is_wanted_is_told(graph, streaming) -> None:
    node, *_ = streaming
    told: list[str] = []
    node.create_subscription(
        String,
        "often",
        lambda _: None,
        QoSProfile(depth=1, reliability=ReliabilityPolicy.RELIABLE),
        callback_group=streams_of(node),
        event_callbacks=SubscriptionEventCallbacks(
            incompatible_qos=lambda _: told.append(threading.current_thread().name)
        ),
    )
    offered = QoSProfile(depth=1, reliability=ReliabilityPolicy.BEST_EFFORT)
    graph.tester.create_publisher(String, "often", offered)
    graph.wait_until(lambda: told, "it is told")
    assert set(told) == {"streams"}


def test_an_executor_waits_for_nothing_that_each_message_of_a_stream_wakes(streaming) -> None:
    node, *_ = streaming
    listen(node, "often", lambda _: None)
    streams = streams_of(node)
    (subscription,) = streams.subscriptions
    assert subscription.event_handlers
    assert not any(map(streams.can_execute, [subscription, *subscription.event_handlers]))


def test_a_stream_is_waited_for_once_its_subscription_is_whole(graph) -> None:
    """Events of its quality join the group while they are being made."""
    streams = streams_of(graph.tester)
    seen: list[list[object]] = []
    streams.changed = lambda: seen.append(
        [event for s in streams.subscriptions for event in s.event_handlers]
    )
    listen(graph.tester, "often", lambda _: None)
    streams.changed = None
    assert len(seen) == 1 and seen[0]


def test_without_a_thread_of_their_own_streams_are_taken_as_anything_else(graph) -> None:
    took: list[str] = []
    publisher = graph.tester.create_publisher(String, "often", 10)
    listen(graph.tester, "often", lambda m: took.append(m.data))
    graph.wait_until(lambda: publisher.get_subscription_count() == 1, "it is heard")
    publisher.publish(String(data="x"))
    graph.wait_until(lambda: took == ["x"], "it is taken")


def test_a_defect_in_what_takes_a_stream_is_told(graph, streaming) -> None:
    node, _, ends = streaming

    def fail(_: String) -> None:
        raise ValueError("no such thing")

    publisher = graph.tester.create_publisher(String, "often", 10)
    listen(node, "often", fail)
    graph.wait_until(lambda: publisher.get_subscription_count() == 1, "it is heard")
    publisher.publish(String())
    graph.wait_until(lambda: ends, "the thread has ended")
    assert str(ends[0]) == "no such thing"


def test_streams_end_with_their_context(domain: int) -> None:
    context = Context()
    context.init(domain_id=domain)
    node, ended = Node("streaming", context=context), threading.Event()
    streams = StreamThread(node, lambda _: ended.set())
    context.try_shutdown()
    assert ended.wait(20)
    streams.stop()


def test_an_executor_that_is_stopped_ends_its_thread_and_its_callbacks_first(graph) -> None:
    node = Node("busy", context=graph.context)
    executor = MultiThreadedExecutor(2, context=graph.context)
    executor.add_node(node)
    defects: list[Exception | None] = []
    spinning = SpinningThread(executor, graph.context, defects.append)
    begun, stopping, done = threading.Event(), threading.Event(), threading.Event()

    def work() -> None:
        begun.set()
        stopping.wait(20)
        node.get_clock().now()
        done.set()

    node.create_timer(0.001, work)
    spinning.start()
    assert begun.wait(20)
    threading.Timer(0.2, stopping.set).start()
    spinning.stop()
    assert done.is_set(), "the callback came to its end"
    assert defects == [None]
    node.destroy_node()


def test_nodes_of_the_launch_files_keep_to_the_loopback_address(graph, tmp_path) -> None:
    nobodys = {
        name: value
        for name, value in os.environ.items()
        if name not in ("FASTRTPS_DEFAULT_PROFILES_FILE", "ROS_AUTOMATIC_DISCOVERY_RANGE")
    }
    path = launch_runner.find_launch_file("sayso_ros", "robot.launch.xml", nobodys)
    (launched,) = (n for n in launch_file.read(path, {}, nobodys) if n.name == "feedback")
    process = start(graph.domain, "feedback", environment={**nobodys, **launched.environment})
    try:
        graph.wait_until(lambda: graph.tester.count_publishers("/feedback") > 0, "it runs")
        addresses = udp_addresses(process.pid)
    finally:
        process.kill()
        process.communicate()
    assert addresses
    assert all(a.is_loopback or a.is_multicast for a in addresses), addresses


def udp_addresses(pid: int) -> set[IPv4Address]:
    """What the UDP sockets of a process are bound to."""
    held = {link.readlink().name for link in Path(f"/proc/{pid}/fd").iterdir()}
    rows = [line.split() for line in Path(f"/proc/{pid}/net/udp").read_text().splitlines()[1:]]
    return {
        IPv4Address(bytes.fromhex(row[1].split(":")[0])[::-1])
        for row in rows
        if f"socket:[{row[9]}]" in held
    }


def test_nodes_that_need_no_scipy_do_not_wait_for_it() -> None:
    """It takes a third of their start, and a launched robot starts them all at once."""
    nodes = ("world", "driver", "planner", "recorder", "automaton", "interpreter")
    imports = ", ".join(f"sayso.ros.nodes.{name}_node" for name in nodes)
    code = f"import sys, {imports}; sys.exit('scipy' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0


def test_neither_a_demo_nor_its_planner_waits_for_what_writes_pddl() -> None:
    imports = "sayso.ros.task.demo_command, sayso.adapters.planners.portfolio"
    code = f"import sys, {imports}; sys.exit('unified_planning' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
