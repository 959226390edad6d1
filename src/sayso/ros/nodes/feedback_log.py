"""A file of what people said, one JSON object a line, never losing an accepted line."""

from __future__ import annotations

import json
import os
import threading
from enum import IntEnum
from pathlib import Path
from typing import Any

from sayso.core.errors import Code, SaySoError


class FeedbackKind(IntEnum):
    """Values equal those of `msg/Feedback.msg`."""

    OTHER = 0
    CONFIRM = 1
    REJECT = 2
    CORRECTION = 3
    EXPLANATION = 4


_NEEDS_TEXT = (FeedbackKind.OTHER, FeedbackKind.CORRECTION, FeedbackKind.EXPLANATION)


def check_feedback(kind: int, text: str, task_id: str) -> FeedbackKind:
    """The kind.

    Raises INVALID for an unknown kind, no words where words are the point, or a confirmation that
    does not name what it confirms.
    """
    if kind not in FeedbackKind.__members__.values():
        raise SaySoError(
            Code.INVALID,
            f"there is no feedback of kind {kind}.",
            choices=(f"{k.value} ({k.name})" for k in FeedbackKind),
        )
    if kind in _NEEDS_TEXT and not text.strip():
        raise SaySoError(
            Code.INVALID, f"{FeedbackKind(kind).name} without words.", hint="fill in the text."
        )
    if kind == FeedbackKind.CONFIRM and not task_id:
        raise SaySoError(
            Code.INVALID,
            "a confirmation that does not name what it confirms.",
            hint="fill in the task_id of the question, from /task_events or /learning.",
        )
    return FeedbackKind(kind)


class FeedbackLog:
    """Appends to a file and returns only when the line is on the disk.

    Raises:
        SaySoError: CONFIG if the file cannot be opened for appending.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._lock = threading.Lock()
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._file = path.open("ab", buffering=0)
        except OSError as error:
            raise SaySoError(
                Code.CONFIG,
                f"the feedback file {path} cannot be written: {error.strerror}.",
                hint="set the parameter log_file to a writable path.",
            ) from error

    def append(self, feedback: Any) -> None:
        """Write a `Feedback` message (or what has its fields) and force it to the disk."""
        entry = {
            "stamp_s": feedback.stamp.sec + feedback.stamp.nanosec * 1e-9,
            "task_id": feedback.task_id,
            "kind": FeedbackKind(feedback.kind).name,
            "text": feedback.text,
        }
        line = json.dumps(entry, ensure_ascii=False).encode() + b"\n"
        with self._lock:
            self._file.write(line)
            os.fsync(self._file.fileno())

    def close(self) -> None:
        self._file.close()
