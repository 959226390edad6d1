"""A task in one process as a bag, which `sayso replay` judges like those of the nodes."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from types import TracebackType
from typing import Any

from rclpy.serialization import serialize_message
from sayso_ros.msg import GroundTruth

from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import SymbolicState
from sayso.logic.monitor import Progress
from sayso.reporting.events import Event, EventKind
from sayso.ros.bags.rosbag import BagWriter
from sayso.ros.messages.conversions import header, object_to_msg, scene_to_msg, state_to_msg
from sayso.ros.messages.progress import progress_to_msg
from sayso.ros.messages.task_events import event_to_msg, skill_to_msg

_S = 10**9


class TaskBag:
    """Records what the nodes would publish of a task. Close it in every case.

    Each reading of the words is a task of its own, as to the automaton node.

    Args:
        folder: must not exist yet.
        now_s: on the clock of the scenes' stamps.

    Raises:
        SaySoError: as `BagWriter`.
    """

    def __init__(self, folder: Path, now_s: Callable[[], float]) -> None:
        self._writer = BagWriter(folder)
        self._now_s = now_s
        self._readings = 0

    def listen(self, event: Event) -> None:
        """Something happened in the task."""
        now_s = self._now_s()
        self._readings += event.kind is EventKind.SPECIFICATION
        self._put("/task_events", event_to_msg(event, self._task, now_s), now_s)
        if event.skill is not None:
            self._put("/skill_events", skill_to_msg(event.skill, self._task, now_s), now_s)

    def observed(
        self,
        scene: Scene,
        state: SymbolicState,
        progress: Progress,
        truth: Iterable[SceneObject] = (),
    ) -> None:
        """A scene while the task is watched, what is so in it, and where the task stands then.

        Args:
            truth: the simulator's true things, for judging alone; none of a robot's.
        """
        now_s, stamp_s = self._now_s(), scene.stamp_s
        if objects := [object_to_msg(o) for o in truth]:
            told = GroundTruth(header=header(now_s, scene.frame), objects=objects)
            self._put("/world/ground_truth", told, now_s)
        self._put("/scene", scene_to_msg(scene, "in process"), now_s)
        self._put("/symbolic_state", state_to_msg(state, scene.frame), now_s)
        self._put("/task_progress", progress_to_msg(progress, self._task, stamp_s), now_s)

    def close(self) -> None:
        """Raises as `BagWriter.close`."""
        self._writer.close()

    def __enter__(self) -> TaskBag:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    @property
    def _task(self) -> str:
        return f"reading_{self._readings}"

    def _put(self, topic: str, message: Any, now_s: float) -> None:
        package = type(message).__module__.partition(".")[0]
        name = f"{package}/msg/{type(message).__name__}"
        self._writer.write(topic, name, round(now_s * _S), serialize_message(message))
