"""What a person does at the console's page, done by a client of the running nodes."""

from __future__ import annotations

import threading
import uuid
from collections.abc import Callable, Mapping
from typing import Any

from sayso_ros.action import PerformTask
from sayso_ros.msg import Feedback

from sayso.core.errors import Code, SaySoError
from sayso.ros.console.page_server import PageAction
from sayso.ros.task.client_command import holder
from sayso.ros.task.running_goals import RunningGoals
from sayso.ros.task.task_client import TaskClient

LONGEST_WORDS = 2000
REPORT_S = 30.0
"""How long what was said waits for the report of the task before."""
_ANSWERS = {"yes": Feedback.CONFIRM, "no": Feedback.REJECT, "correction": Feedback.CORRECTION}


def page_actions(
    client: TaskClient,
    goals: RunningGoals,
    asked: Callable[[], str],
    answered: Callable[[str], None],
    under_way: Callable[[], bool],
) -> Mapping[str, PageAction]:
    """By the name that the page calls them.

    Args:
        goals: those of the executor.
        asked: the task that waits for an answer; "" if none does.
        answered: told of a task whose question was answered.
        under_way: whether a task is.
    """

    answering = threading.Lock()

    def perform(given: Mapping[str, str]) -> Mapping[str, Any]:
        words = _said(given, "instruction")
        task_id = uuid.uuid4().hex[:8]
        _begin(client, goals, words, task_id, under_way)
        return {"task": task_id}

    def answer(given: Mapping[str, str]) -> Mapping[str, Any]:
        kind, task_id = given.get("answer", ""), given.get("task", "")
        if kind not in _ANSWERS:
            raise SaySoError(Code.INVALID, f"'{kind}' is no answer.", choices=_ANSWERS)
        text = _said(given, "words") if kind == "correction" else ""
        with answering:  # of two people only the first is heard
            _require_asked(task_id, asked())
            client.give_feedback(_ANSWERS[kind], text, task_id)
            answered(task_id)
        return {}

    def stop(_: Mapping[str, str]) -> Mapping[str, Any]:
        return {"token": client.stop("stopped at the console", holder())}

    def release(_: Mapping[str, str]) -> Mapping[str, Any]:
        return {"released": list(client.release("", holder()))}

    def undo_lesson(_: Mapping[str, str]) -> Mapping[str, Any]:
        return {"undone": client.undo_lesson()}

    done = (perform, answer, stop, release, undo_lesson)
    return {action.__name__: action for action in done}


def _begin(
    client: TaskClient,
    goals: RunningGoals,
    words: str,
    task_id: str,
    under_way: Callable[[], bool],
) -> None:
    """Send an instruction, after the report of the task that has just ended was written.

    Raises BUSY while a task is under way, or where the report takes too long; NODE_UNAVAILABLE.
    """
    while True:
        ended = goals.ended
        try:
            client.begin(words, PerformTask.Goal.ASK, task_id)
            return
        except SaySoError as error:
            busy = error.code is Code.BUSY and not under_way()
            if not busy or not goals.wait_for_end(ended, REPORT_S):
                raise


def _require_asked(task_id: str, asking: str) -> None:
    """Raises INVALID for an answer to what is not asked."""
    if not task_id or task_id != asking:
        raise SaySoError(
            Code.INVALID,
            "this question is not asked any more.",
            hint="look at what the page shows now.",
        )


def _said(given: Mapping[str, str], name: str) -> str:
    """Words of a person. Raises INVALID for none, or too many."""
    words = given.get(name, "").strip()
    if not words:
        raise SaySoError(Code.INVALID, "nothing was said.", hint="type it in words.")
    if len(words) > LONGEST_WORDS:
        text = f"these are {len(words)} characters; at most {LONGEST_WORDS} are read."
        raise SaySoError(Code.INVALID, text, hint="say it shorter, or in several tasks.")
    return words
