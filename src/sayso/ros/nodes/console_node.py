"""Serve the console: a page in the browser for the person at the robot."""

from __future__ import annotations

import argparse
import json
import threading
import time
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.clock import Clock, ClockType
from rclpy.node import Node
from rclpy.parameter import Parameter
from rich.console import Console
from sayso_ros.msg import GateState, Scene, TaskEvent
from sensor_msgs.msg import CompressedImage
from std_msgs.msg import String

from sayso.ros.console.access import Address
from sayso.ros.console.automaton_picture import AutomatonPicture
from sayso.ros.console.board import Board
from sayso.ros.console.page_actions import page_actions
from sayso.ros.console.page_server import PageServer
from sayso.ros.console.page_state import TaskState, after, answered, gate_data, scene_data
from sayso.ros.console.run_history import run_routes
from sayso.ros.console.showing import Guiding, Showing, ShowingConfig
from sayso.ros.console.taught_skills import taught_routes
from sayso.ros.messages.conversions import scene_from_msg
from sayso.ros.messages.qos import EVENTS, LATCHED, NEWEST, SENSOR
from sayso.ros.messages.task_events import event_from_msg
from sayso.ros.runtime import runner
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.params import declare, param
from sayso.ros.task.running_goals import RunningGoals
from sayso.ros.task.task_client import TaskClient

LOOK_S = 0.5
THREADS = 3
GATE, SCENE = "gate", "scene"
GATE_SILENT_S = 2.0
"""The gate tells ten times in a second how it is: after so long nobody can stop the robot by us."""
SILENT_S = 5.0
"""After so long what a camera or perception showed is old, and told to be."""


@dataclass(frozen=True)
class ConsoleConfig:
    """Parameters of the node `console`."""

    cameras: tuple[str, ...] = param(
        ("overview", "left", "right", "wrist", "front", "gripper"),
        "cameras to show, of those that send JPEGs",
    )
    address: str = param("127.0.0.1", "of the page; another one than this machine's own needs TLS")
    port: int = param(8765, "of the page; 0: any that is free", low=0, high=65535)
    certificate: str = param("", "PEM file, for TLS")
    key: str = param("", "PEM file of the certificate's key")
    runs: str = param("runs", "folder whose runs can be looked at")
    taught: str = param(
        "~/.local/state/sayso/taught", "folder of the library that has what was shown"
    )
    shown: str = param("", "folder in which what is shown at the page is kept; empty: nothing is")
    robot: str = param("panda", "profile of the robot: one of SaySo's, or a file with a slash")
    shown_cameras: tuple[str, ...] = param(
        ("overview", "left"), "cameras whose pictures are kept with what is shown"
    )


class ConsoleNode(Node):
    """ROS callbacks only store what the page shows; a client does what the person wants."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("console", **kwargs)
        self._config = declare(self, ConsoleConfig)
        c = self._config
        address = Address(c.address, c.port, c.certificate, c.key)
        self.board = Board()
        self._task, self._lock = TaskState(), threading.Lock()
        self._automaton = AutomatonPicture()
        self._heard_s: dict[str, float] = {}
        self._open = ExitStack()
        self._client = TaskClient(self.context, "console_client", self.get_namespace())
        goals = RunningGoals(self._client.node)
        actions = page_actions(self._client, goals, self._asked, self._answered, self._is_under_way)
        self._show("task", self._task.data())
        self._show(GATE, None)
        guiding = Guiding(self._client, self._show)
        kept = Path(c.shown).expanduser() if c.shown else None
        config = ShowingConfig(kept, c.robot, c.shown_cameras)
        showing = Showing(self, guiding, config, self._show)
        self._open.callback(showing.close)
        read = run_routes(Path(c.runs).expanduser()) + taught_routes(Path(c.taught).expanduser())
        self._server = PageServer(
            address,
            self.board,
            {**actions, **showing.actions()},
            guiding,
            (*read, *showing.routes()),
        )
        self._open.enter_context(self._client)
        self._open.callback(guiding.close)  # while the client can still tell the executor
        self._subscribe()
        self.get_logger().info(f"console: {self.url}")

    @property
    def url(self) -> str:
        """The whole address of the page, which lets its reader in."""
        return self._server.url

    def _subscribe(self) -> None:
        for camera in self._config.cameras:
            self._show_camera(camera)
        topics: tuple[tuple[type, str, Any, Any], ...] = (
            (TaskEvent, "task_events", self._note, EVENTS),
            (GateState, "gate_state", self._gate, NEWEST),
            (Scene, "scene", self._scene, NEWEST),
            (String, "scene_graph", self._graph, LATCHED),
        )
        for kind, topic, take, qos in topics:
            group = MutuallyExclusiveCallbackGroup()
            self.create_subscription(kind, topic, receiving(topic, take), qos, callback_group=group)
        steady = Clock(clock_type=ClockType.STEADY_TIME)
        self.create_timer(LOOK_S, self._look, clock=steady)

    def _show_camera(self, camera: str) -> None:
        def show(message: CompressedImage) -> None:
            part = f"camera/{camera}"
            self._heard(part)
            self.board.put(part, bytes(message.data))

        self.create_subscription(
            CompressedImage,
            f"camera/{camera}/color/image_raw/compressed",
            show,
            SENSOR,
            callback_group=MutuallyExclusiveCallbackGroup(),
        )

    def _show(self, part: str, value: Any) -> None:
        self.board.put(part, json.dumps(value, allow_nan=False))

    def _heard(self, part: str) -> None:
        self._heard_s[part] = time.monotonic()

    def _note(self, message: TaskEvent) -> None:
        event = event_from_msg(message)
        with self._lock:
            self._task = after(self._task, event, message.task_id)
            self._show("task", self._task.data())
        self._automaton.follow(event)
        self._show("automaton", self._automaton.svg)

    def _asked(self) -> str:
        return self._task.id if self._task.question else ""

    def _is_under_way(self) -> bool:
        return self._task.under_way

    def _answered(self, task_id: str) -> None:
        with self._lock:
            self._task = answered(self._task, task_id)
            self._show("task", self._task.data())

    def _gate(self, message: GateState) -> None:
        self._heard(GATE)
        self._show(GATE, gate_data(message.open, message.reasons))

    def _scene(self, message: Scene) -> None:
        self._heard(SCENE)
        self._show(SCENE, scene_data(scene_from_msg(message)))

    def _graph(self, message: String) -> None:
        self._show("graph", message.data)

    def _look(self) -> None:
        """Tell what is silent; where the executor is, no button reaches the robot."""
        now_s = time.monotonic()
        ages_s = {part: now_s - heard_s for part, heard_s in list(self._heard_s.items())}
        if ages_s.pop(GATE, 0.0) > GATE_SILENT_S:
            self._show(GATE, None)
        self._show("silent", sorted(part for part, age_s in ages_s.items() if age_s > SILENT_S))

    def destroy_node(self) -> None:
        self._server.close()
        self._open.close()
        super().destroy_node()


def serve(options: argparse.Namespace, console: Console) -> int:
    """`sayso console`: the page beside nodes that run already, until Ctrl-C."""
    names = ("address", "port", "certificate", "key", "runs", "taught", "shown", "robot")
    given = [Parameter(n, value=getattr(options, n)) for n in names]

    def started() -> ConsoleNode:
        node = ConsoleNode(namespace=options.namespace, parameter_overrides=given)
        console.print(f"Console: {node.url}", highlight=False, markup=False)
        return node

    return runner.run(started, THREADS)


def main() -> None:
    runner.main(ConsoleNode, THREADS)
