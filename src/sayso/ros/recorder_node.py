"""Record the topics of a run to a bag that is always closed whole."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from importlib import import_module
from pathlib import Path
from typing import Any

from rclpy.node import Node
from rosbags.interfaces import Qos

from sayso.core.errors import Code, SaySoError
from sayso.report import new_run_folder
from sayso.ros import runner
from sayso.ros.bags import BagWriter
from sayso.ros.params import declare, param
from sayso.ros.qos import adapted_qos, qos_to_bag

TOPICS = (
    "/camera/*/compressed",
    "/camera/*/camera_info",
    "/joint_states",
    "/arm/joint_trajectory",
    "/gripper/joint_trajectory",
    "/cmd_vel",
    "/odom",
    "/tf",
    "/tf_static",
    "/clock",
    "/scene",
    "/symbolic_state",
    "/task_progress",
    "/task_events",
    "/skill_events",
    "/gate_state",
    "/map",
    "/tour_markers",
    "/tpsm",
    "/feedback",
    "/learning",
    "/library",
    "/world/ground_truth",
)


@dataclass(frozen=True)
class RecorderConfig:
    """Parameters of the node `recorder`."""

    run_folder: str = param(
        "", "run folder, in which the bag becomes the folder bag; empty: runs/DATE_TIME"
    )
    topics: tuple[str, ...] = param(TOPICS, "names of topics to record; * stands for anything")
    compress: bool = param(True, "zstd compression inside the bag")
    look_period_s: float = param(0.25, "how often to look for new topics [s]", low=0.05, high=10.0)


class RecorderNode(Node):
    """Subscribes, unparsed, to every wanted topic as soon as somebody publishes it."""

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("recorder", **kwargs)
        self._config = declare(self, RecorderConfig)
        self._recorded: set[str] = set()
        self._refused: set[str] = set()
        self._writer = BagWriter(bag_folder(self._config.run_folder), self._config.compress)
        self._timer = self.create_timer(self._config.look_period_s, self._look)
        self._look()
        self.get_logger().info(f"recording to {self._writer.folder}")

    @property
    def folder(self) -> Path:
        """The bag's folder."""
        return self._writer.folder

    @property
    def recorded(self) -> frozenset[str]:
        """The topics subscribed to so far."""
        return frozenset(self._recorded)

    def _look(self) -> None:
        for topic, types in self.get_topic_names_and_types():
            new = topic not in self._recorded and topic not in self._refused
            if new and wanted(topic, self._config.topics):
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
            kind, topic, self._recorder(topic, msgtype, offered), qos, raw=True
        )
        self._recorded.add(topic)

    def _recorder(self, topic: str, msgtype: str, offered: tuple[Qos, ...]) -> Any:
        def record(data: bytes) -> None:
            self._writer.write(topic, msgtype, time.time_ns(), bytes(data), offered)

        return record

    def destroy_node(self) -> None:
        """Finish the bag, then the node."""
        try:
            self._writer.close()
        except SaySoError as error:
            self.get_logger().error(str(error))
        super().destroy_node()


def bag_folder(run_folder: str) -> Path:
    """`bag` in the run's folder, or in a new one in `runs`, named by date and time."""
    folder = Path(run_folder).expanduser() if run_folder else new_run_folder()
    return folder / "bag"


def wanted(topic: str, patterns: Sequence[str]) -> bool:
    """Whether a topic's name fits one of the patterns."""
    return any(fnmatchcase(topic, pattern) for pattern in patterns)


def message_class(msgtype: str) -> type:
    """The class of `package/msg/Name`. Raises MISSING_DEPENDENCY if it is not built."""
    package, _, name = msgtype.split("/")
    try:
        found: type = getattr(import_module(f"{package}.msg"), name)
    except (ImportError, AttributeError) as error:
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            f"the type {msgtype} is not installed.",
            hint=f"build or install the ROS package {package}.",
        ) from error
    return found


def main() -> None:
    runner.main(RecorderNode, threads=1)
