"""A robot that asks and a person who answers, both by topics; nothing that is said gets lost."""

from __future__ import annotations

import threading
import time
import uuid
from collections.abc import Callable
from dataclasses import dataclass

from sayso_ros.msg import Feedback, LearningEvent

from sayso.core.errors import Code, SaySoError

_LOOK_S = 0.1


@dataclass(frozen=True)
class Heard:
    """What a person said.

    Attributes:
        kind: of `Feedback`.
    """

    kind: int
    text: str


class Conversation:
    """Asks on one topic, hears on another.

    Args:
        tell: publishes a message.
        cancelled: whether nobody waits for answers any more.

    What is said without being asked is kept until somebody takes it with `unasked`.
    """

    def __init__(
        self, tell: Callable[[LearningEvent], None], cancelled: Callable[[], bool]
    ) -> None:
        self._tell = tell
        self._cancelled = cancelled
        self._changed = threading.Condition()
        self._unasked: list[Heard] = []
        self._question = ""
        self._asked: set[str] = set()
        self._answer: Heard | None = None

    def hear(self, message: Feedback) -> None:
        """Take what was said: an answer to what is asked now, or words to be kept."""
        heard = Heard(int(message.kind), message.text)
        with self._changed:
            waited = bool(self._question) and self._answer is None
            # A confirmation names what it confirms: it must not count for another question.
            named = heard.kind != Feedback.CONFIRM or bool(message.task_id)
            if waited and named and message.task_id in ("", self._question):
                self._answer = heard
            elif message.task_id in ("", *self._asked) and heard.text.strip():
                self._unasked.append(heard)
            self._changed.notify_all()

    def unasked(self) -> list[Heard]:
        """What was said since without being asked, oldest first."""
        with self._changed:
            taken, self._unasked = self._unasked, []
            return taken

    def ask(self, question: LearningEvent, timeout_s: float) -> Heard | None:
        """The answer; None for none in time. Raises CANCELLED."""
        question.id = uuid.uuid4().hex[:8]
        with self._changed:
            self._question, self._answer = question.id, None
            self._asked.add(question.id)
        self._tell(question)
        try:
            return self._wait(time.monotonic() + timeout_s)
        finally:
            with self._changed:
                self._question = ""

    def _wait(self, end_s: float) -> Heard | None:
        with self._changed:
            while self._answer is None and time.monotonic() < end_s:
                if self._cancelled():
                    raise SaySoError(Code.CANCELLED, "the task was cancelled.")
                self._changed.wait(_LOOK_S)
            return self._answer
