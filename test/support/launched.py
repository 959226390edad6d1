"""The shipped launch file running as processes of its own, and a person talking to them."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from rclpy.context import Context
from sayso_ros.action import PerformTask
from sayso_ros.msg import Feedback, Scene
from sayso_ros.srv import PerturbWorld, ResetWorld

from sayso.reporting.events import Event
from sayso.ros.task.demo_command import nodes_beside, recorder_reads
from sayso.ros.task.task_client import TaskClient
from support.ros_graph import Graph, free_domain

START_S, TASK_S, END_S = 90.0, 400.0, 60.0
_SHARED = ("interpreter", "automaton", "planner", "executor", "recorder")
PARTS = {
    "demo.launch.xml": ("world", "perception", *_SHARED),
    "flat.launch.xml": ("flat_world", "flat_perception", "mapper", *_SHARED),
}


class Launched:
    """The nodes of a launch file, a test node beside them, and a client."""

    def __init__(
        self, folder: Path, domain: int, launch_file: str, arguments: dict[str, str]
    ) -> None:
        self.folder = folder
        self._parts = set(PARTS[launch_file])
        self._log = (folder / "nodes.log").open("wb")
        given = [f"{k}:={v}" for k, v in {"run_folder": str(folder), **arguments}.items()]
        self.environment = {**os.environ, "ROS_DOMAIN_ID": str(domain)}
        self.process = subprocess.Popen(
            [
                sys.executable,
                "-m",
                "sayso.ros.launch.launch_runner",
                "sayso_ros",
                launch_file,
                *given,
            ],
            env=self.environment,
            stdout=self._log,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        self.namespace = arguments.get("namespace", "")
        self.graph = Graph(domain)
        self._context = Context()
        self._context.init(domain_id=domain)
        self.client = TaskClient(self._context, namespace=self.namespace)

    def wait_ready(self) -> None:
        assert self.client.ready(START_S), self.log()
        beside = self.client.node
        self.graph.wait_until(lambda: self._parts <= nodes_beside(beside), "all nodes are there")
        self.graph.wait_until(lambda: recorder_reads(beside), "the recorder records")
        self.graph.listen(Scene, self.client.node.resolve_topic_name("scene")).wait()

    def perform(
        self,
        instruction: str,
        on_event: Callable[[Event], None] = lambda _: None,
        answer: Callable[[str], tuple[int, str]] = lambda _: (Feedback.CONFIRM, ""),
        ask: bool = False,
    ) -> tuple[PerformTask.Result, list[Event]]:
        """The result and all events."""
        events: list[Event] = []

        def listen(event: Event) -> None:
            events.append(event)
            on_event(event)

        result = self.client.perform(
            instruction,
            confirm=PerformTask.Goal.ASK if ask else PerformTask.Goal.AUTO,
            listener=listen,
            answer=answer,
            timeout_s=TASK_S,
        )
        return result, events

    def reset(self, seed: int) -> None:
        """A new layout; SIMULATION ONLY."""
        status = self.graph.call(ResetWorld, "/world/reset", ResetWorld.Request(seed=seed)).status
        assert status.code == 0, status
        scenes = self.graph.listen(Scene, "/scene")
        first = scenes.wait()
        # Longer than the tracker needs to forget what is not there any more.
        scenes.wait(lambda m: _stamp_s(m) > _stamp_s(first) + 2.0)

    def perturb(self, kind: int, target: str, position: Any = None) -> None:
        request = PerturbWorld.Request(kind=kind, target=target)
        if position is not None:
            request.position = position
        status = self.graph.call(PerturbWorld, "/world/perturb", request).status
        assert status.code == 0, status

    def end(self) -> int:
        """Ctrl-C to the launch; its exit code."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGINT)
        return self.process.wait(END_S)

    def log(self) -> str:
        return (self.folder / "nodes.log").read_text(errors="replace")[-5000:]

    def close(self) -> None:
        try:
            self.end()
        finally:
            if self.process.poll() is None:
                os.killpg(self.process.pid, signal.SIGKILL)
            self._log.close()
            self.graph.close()
            self._context.try_shutdown()


def _stamp_s(message: Any) -> float:
    return float(message.header.stamp.sec + message.header.stamp.nanosec * 1e-9)


@contextmanager
def launched(
    folder: Path, launch_file: str = "demo.launch.xml", **arguments: str
) -> Iterator[Launched]:
    """Everything started and ready; ended whatever happens."""
    with free_domain() as domain, launched_in(domain, folder, launch_file, **arguments) as nodes:
        yield nodes


@contextmanager
def launched_in(
    domain: int, folder: Path, launch_file: str, **arguments: str
) -> Iterator[Launched]:
    """The same in a ROS domain that others may be in as well."""
    nodes = Launched(folder, domain, launch_file, arguments)
    try:
        with nodes.client:
            nodes.wait_ready()
            yield nodes
    finally:
        nodes.close()
