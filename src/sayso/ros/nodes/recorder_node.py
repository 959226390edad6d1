"""Record the topics of a run to a bag that is always closed whole."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any

from rclpy.node import Node
from rosbags.interfaces import Qos
from sayso_ros.msg import TaskEvent

from sayso.core.errors import SaySoError
from sayso.reporting.events import Event, EventKind
from sayso.reporting.report import REPORT, Picture, RunReport, new_run_folder
from sayso.ros.bags.rosbag import IN_RUN_FOLDER, BagWriter
from sayso.ros.messages.message_types import message_class
from sayso.ros.messages.qos import EVENTS, adapted_qos, qos_to_bag
from sayso.ros.messages.task_events import event_from_msg
from sayso.ros.runtime import runner
from sayso.ros.runtime.boundary import receiving
from sayso.ros.runtime.libraries import load_library
from sayso.ros.runtime.liveliness import ENDED_S, EXECUTOR, Parts, SignOfLife, executor_ended
from sayso.ros.runtime.params import declare, param
from sayso.ros.runtime.streams import streams_of

TOPICS = (
    "camera/*/compressed",
    "camera/*/camera_info",
    "joint_states",
    "robot_description",
    "arm/joint_trajectory",
    "gripper/joint_trajectory",
    "cmd_vel",
    "odom",
    "tf",
    "tf_static",
    "clock",
    "scene",
    "symbolic_state",
    "task_progress",
    "task_events",
    "skill_events",
    "gate_state",
    "devices",
    "map",
    "tour_markers",
    "task_progression_map",
    "feedback",
    "learning",
    "library",
    "world/ground_truth",
)


@dataclass(frozen=True)
class RecorderConfig:
    """Parameters of the node `recorder`."""

    run_folder: str = param(
        "", "run folder, in which the bag becomes the folder bag; empty: runs/DATE_TIME"
    )
    topics: tuple[str, ...] = param(
        TOPICS,
        "names of topics to record, in the node's namespace or with /; * stands for anything",
    )
    compress: bool = param(True, "zstd compression inside the bag")
    look_period_s: float = param(0.25, "how often to look for new topics [s]", low=0.05, high=10.0)


@dataclass(frozen=True)
class OpenTask:
    """A task without a result so far.

    Attributes:
        folder: of its report; None where none is written.
    """

    id: str
    folder: Path | None
    events: list[Event] = field(default_factory=list)


class RecorderNode(Node):
    """Subscribes, unparsed, to every wanted topic as soon as somebody publishes it.

    Where the executor ends in mid-task, it completes the report from what it recorded of it.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("recorder", **kwargs)
        self._config = declare(self, RecorderConfig)
        self._recorded: set[str] = set()
        self._refused: set[str] = set()
        self._writer = BagWriter(bag_folder(self._config.run_folder), self._config.compress)
        self._parts = Parts(self, (EXECUTOR,))
        self._open: OpenTask | None = None
        take = receiving("task_events", self._take_event)
        self.create_subscription(TaskEvent, "task_events", take, EVENTS)
        self._timer = self.create_timer(self._config.look_period_s, self._look)
        self._look()
        self.get_logger().info(f"recording to {self._writer.folder}")
        self._life = SignOfLife(self)

    @property
    def folder(self) -> Path:
        """The bag's folder."""
        return self._writer.folder

    @property
    def recorded(self) -> frozenset[str]:
        """The topics subscribed to so far."""
        return frozenset(self._recorded)

    def _take_event(self, message: TaskEvent) -> None:
        event = event_from_msg(message)
        if event.kind is EventKind.INSTRUCTION:
            self._open = OpenTask(message.task_id, self._own(message.run_folder))
        if self._open is not None and self._open.id == message.task_id:
            self._open.events.append(event)
            if event.kind is EventKind.RESULT:
                self._open = None

    def _own(self, run_folder: str) -> Path | None:
        """The folder of a task that an event names; None for one that is not of this run."""
        run, named = self._writer.folder.parent.resolve(), Path(run_folder).resolve()
        if not run_folder:
            return None
        if not named.is_relative_to(run):
            self.get_logger().warning(f"{named} is not below {run}: nothing is written there.")
            return None
        return named

    def _complete(self, grace_s: float) -> None:
        """Where the executor ended in mid-task, nobody else tells how the task did."""
        task = self._open
        if task is None or self._parts.ended((EXECUTOR,), grace_s) is None:
            return
        self._open = None
        error = executor_ended()
        elapsed_s = task.events[-1].elapsed_s
        task.events.append(
            Event(
                EventKind.RESULT,
                "execute",
                elapsed_s,
                error.message,
                code=error.code,
                hint=error.hint,
            )
        )
        if task.folder is not None and task.folder.is_dir():
            _complete_report(task.folder, task.events)
            self.get_logger().warning(f"the report in {task.folder} was completed: {error.message}")

    @property
    def open_events(self) -> tuple[Event, ...]:
        """What happened so far in the task that runs; nothing where none does."""
        return () if self._open is None else tuple(self._open.events)

    def _look(self) -> None:
        self._complete(ENDED_S)
        for topic, types in self.get_topic_names_and_types():
            new = topic not in self._recorded and topic not in self._refused
            if new and wanted(topic, self._config.topics, self.get_namespace()):
                self._subscribe(topic, types[0])

    def _subscribe(self, topic: str, msgtype: str) -> None:
        publishers = self.get_publishers_info_by_topic(topic)
        if not publishers:
            return
        try:
            kind = message_class(msgtype)
        except SaySoError as error:
            self._refused.add(topic)
            self.get_logger().warning(f"{topic} is not recorded: {error}")
            return
        offered = tuple(qos_to_bag(p.qos_profile) for p in publishers)
        qos = adapted_qos([p.qos_profile for p in publishers])
        self.create_subscription(
            kind,
            topic,
            self._recorder(topic, msgtype, offered),
            qos,
            callback_group=streams_of(self),
            raw=True,
        )
        self._recorded.add(topic)

    def _recorder(self, topic: str, msgtype: str, offered: tuple[Qos, ...]) -> Any:
        def record(data: bytes) -> None:
            self._writer.write(topic, msgtype, time.time_ns(), bytes(data), offered)

        return record

    def _take_rest(self) -> None:
        """On a busy machine much has arrived by then that nobody has looked at."""
        for subscription in self.subscriptions:
            with subscription.handle:
                while taken := subscription.handle.take_message(
                    subscription.msg_type, subscription.raw
                ):
                    subscription.callback(taken[0])

    def destroy_node(self) -> None:
        """Finish the report where nobody else does, the bag, then the node, which nothing spins."""
        self._take_rest()
        self._complete(0.0)
        try:
            self._writer.close()
        except SaySoError as error:
            self.get_logger().error(str(error))
        super().destroy_node()


def _complete_report(folder: Path, events: Sequence[Event]) -> None:
    """Write the report of a task that nobody else will complete, from all that happened in it.

    Settings and pictures stay those of the report that is there, if any.
    """
    file = folder / REPORT
    before = json.loads(file.read_text()) if file.exists() else {}
    settings = before.get("settings", {})
    name = settings.get("executor", {}).get("library", "")
    predicates = load_library(name).predicates if name else {}
    pictures = [Picture(**p) for p in before.get("pictures", [])]
    RunReport(settings, predicates, list(events), pictures).write(folder)


def bag_folder(run_folder: str) -> Path:
    """`bag` in the run's folder, or in a new one in `runs`, named by date and time."""
    folder = Path(run_folder).expanduser() if run_folder else new_run_folder()
    return folder / IN_RUN_FOLDER


def wanted(topic: str, patterns: Sequence[str], namespace: str = "/") -> bool:
    """Whether a topic's name fits one of the patterns, which are names in the namespace or full."""
    prefix = namespace.rstrip("/")
    full = (p if p.startswith("/") else f"{prefix}/{p}" for p in patterns)
    return any(fnmatchcase(topic, pattern) for pattern in full)


def main() -> None:
    runner.main(RecorderNode, threads=1)
