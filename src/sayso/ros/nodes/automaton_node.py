"""Compile a task's specification and tell, at every observed state, where it stands."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass
from typing import Any

from rclpy.callback_groups import MutuallyExclusiveCallbackGroup
from rclpy.node import Node
from sayso_ros.msg import SkillEvent, TaskProgress
from sayso_ros.msg import SymbolicState as SymbolicStateMsg
from sayso_ros.srv import CompileTask

from sayso.core.library import Library
from sayso.core.symbols import SymbolicState
from sayso.logic.formula import Formula, clauses, conjunction
from sayso.logic.monitor import Monitor
from sayso.logic.progression import Progression, progression_of
from sayso.logic.shown import shown, words_of
from sayso.ros.messages.conversions import header, state_from_msg, time_from_msg
from sayso.ros.messages.progress import progress_to_msg
from sayso.ros.messages.qos import LATCHED
from sayso.ros.messages.specifications import grounded_formula
from sayso.ros.runtime import boundary, runner
from sayso.ros.runtime.libraries import LibraryConfig, load_library, load_operators
from sayso.ros.runtime.liveliness import SignOfLife
from sayso.ros.runtime.params import declare, param


@dataclass(frozen=True)
class AutomatonConfig(LibraryConfig):
    """Parameters of the node `automaton`."""

    fresh_s: float = param(
        1.5, "wall time for which the last state counts as the task's first step [s]", 0.0, 60.0
    )


class AutomatonNode(Node):
    """Serves `compile_task`; publishes the latched `/task_progress` at every symbolic state.

    Without a task the progress has an empty task id: a heartbeat all the same.
    """

    def __init__(self, **kwargs: Any) -> None:
        super().__init__("automaton", **kwargs)
        self._config = declare(self, AutomatonConfig)
        self._take_over(load_library(self._config.library))
        self._config.take_over(self, self._take_over, load_operators)
        self._task: Monitor | None = None
        self._task_id = ""
        self._newest: tuple[SymbolicState, float] | None = None
        self._lock = threading.Lock()
        self._progress = self.create_publisher(TaskProgress, "task_progress", LATCHED)
        for kind, topic, take, depth in (
            (SymbolicStateMsg, "symbolic_state", self._observe, 10),
            (SkillEvent, "skill_events", self._note_skill, 100),
        ):
            self.create_subscription(kind, topic, boundary.receiving(topic, take), depth)
        # A large formula must not hold up the heartbeat.
        group = MutuallyExclusiveCallbackGroup()
        self.create_service(CompileTask, "compile_task", self._compile, callback_group=group)
        self._life = SignOfLife(self)

    def _take_over(self, library: Library) -> None:
        self._predicates = library.predicates

    def _observe(self, msg: SymbolicStateMsg) -> None:
        state = state_from_msg(msg)
        with self._lock:
            self._newest = (state, time.monotonic())
            self._publish(state)

    def _note_skill(self, event: SkillEvent) -> None:
        with self._lock:
            if self._task is not None and event.phase == SkillEvent.FINISHED:
                self._task.skill_finished(time_from_msg(event.header.stamp))

    def _compile(
        self, request: CompileTask.Request, response: CompileTask.Response
    ) -> CompileTask.Response:
        def work(out: CompileTask.Response) -> None:
            if not request.specification.grounded_formula:
                self._watch(None)
                return
            formula = grounded_formula(request.specification)
            known = self._extended(request.task_id, formula)
            task = known or progression_of(formula, self._predicates)
            out.states = sum(a.automaton.states for a in shown(task))
            out.english = "\n".join(words_of(task, self._predicates))
            if known is None:
                self._watch(Monitor(task, self._predicates), request.task_id)

        return boundary.answer("automaton", response, work)

    def _extended(self, task_id: str, formula: Formula) -> Progression | None:
        """The task that is watched, with further obligations that are watched from now on.

        None if the formula is not that of this task with something at its end.
        """
        with self._lock:
            if self._task is None or task_id != self._task_id:
                return None
            old, new = clauses(self._task.task.formula), clauses(formula)
            if len(new) == len(old) or new[: len(old)] != old:
                return None
            self._task.extend(conjunction(*new[len(old) :]))
            return self._task.task

    def _watch(self, task: Monitor | None, task_id: str = "") -> None:
        """From now on follow this task; a state observed just now is its first step."""
        with self._lock:
            self._task, self._task_id = task, task_id
            if self._newest and time.monotonic() - self._newest[1] <= self._config.fresh_s:
                self._publish(self._newest[0])

    def _publish(self, state: SymbolicState) -> None:
        if self._task is None:
            self._progress.publish(TaskProgress(header=header(state.stamp_s)))
            return
        progress = self._task.follow(state)
        self._progress.publish(progress_to_msg(progress, self._task_id, state.stamp_s))


def main() -> None:
    runner.main(AutomatonNode, threads=2)
