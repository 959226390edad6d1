"""The picture of a task's automaton with the way taken so far, while the task goes on."""

from __future__ import annotations

from sayso.core.errors import SaySoError
from sayso.logic.drawing import picture_of
from sayso.logic.joint import States
from sayso.logic.progression import Progression, progression_of
from sayso.reporting.events import Event, EventKind, Understanding


class AutomatonPicture:
    """Follows a task by its events.

    Attributes:
        svg: the picture; empty where there is none, as of a reading that is not clear yet.
    """

    def __init__(self) -> None:
        self.svg = ""
        self._task: Progression | None = None
        self._taken: list[States] = []

    def follow(self, event: Event) -> None:
        """Draw anew where the event changes the picture."""
        if event.kind is EventKind.INSTRUCTION:
            self._task, self._taken = None, []
        elif event.understanding is not None:
            self._task, self._taken = _task_of(event.understanding), []
        elif event.progress is None or self._stays(event.progress.states):
            return
        else:
            self._taken.append(event.progress.states)
        self.svg = "" if self._task is None else picture_of(self._task, self._taken)

    def _stays(self, states: States) -> bool:
        if self._task is None or len(states) != len(self._task.parts):
            return True  # of another task than the one that is drawn
        return bool(self._taken) and self._taken[-1] == states


def _task_of(understanding: Understanding) -> Progression | None:
    if understanding.trouble is not None:
        return None
    try:
        return progression_of(understanding.specification.formula)
    except SaySoError:
        return None  # a contradiction, for example: the result says so
