"""Errors that carry a code, the cause, the valid choices and the next step.

Every failure that a person can meet is a `SaySoError`. Node boundaries turn it
into a `Status` message whose constants equal `Code` (a test keeps them equal).
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum
from typing import TYPE_CHECKING

if TYPE_CHECKING:  # symbols raise these errors
    from sayso.core.symbols import Check


class Code(IntEnum):
    """What became of a request. The values are those of `msg/Status.msg`."""

    OK = 0
    ALREADY_SATISFIED = 1
    CANCELLED = 2
    UNKNOWN = 3

    NOT_UNDERSTOOD = 10
    UNKNOWN_OBJECT = 11
    AMBIGUOUS = 12
    NOT_CONFIRMED = 13

    CONTRADICTION = 20

    NO_PLAN = 30
    PLAN_TIMEOUT = 31
    UNSUPPORTED = 32
    PLAN_INVALID = 33

    PRECONDITION = 40
    UNREACHABLE = 41
    EXECUTION = 42
    POSTCONDITION = 43
    OBJECT_LOST = 44

    VETO = 50
    GATE_CLOSED = 51
    STALE = 52
    LIMIT = 53
    STOPPED = 54
    VIOLATED = 55

    MODEL_UNAVAILABLE = 60
    MODEL_TIMEOUT = 61
    MODEL_REPLY = 62

    CONFIG = 70
    MISSING_DEPENDENCY = 71
    NODE_UNAVAILABLE = 72
    BUSY = 73
    INVALID = 74

    CORRUPT = 80


SUCCESS_CODES = frozenset({Code.OK, Code.ALREADY_SATISFIED})


@dataclass(frozen=True)
class Span:
    """The words of a text that an error points at: `text[start:end]`."""

    start: int
    end: int


class SaySoError(Exception):
    """A named failure.

    Args:
        code: what kind of failure it is.
        message: the cause, one sentence, for a person.
        hint: the next step for the person.
        choices: the valid choices, where there are such.
        span: the words of the instruction at fault, where there are such.
        stage: the pipeline stage that failed, filled in by the pipeline if empty.
        checks: of an action, the conditions or effects that were not observed to hold.
    """

    def __init__(
        self,
        code: Code,
        message: str,
        *,
        hint: str = "",
        choices: Iterable[str] = (),
        span: Span | None = None,
        stage: str = "",
        checks: Iterable[Check] = (),
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.hint = hint
        self.choices = tuple(choices)
        self.span = span
        self.stage = stage
        self.checks = tuple(checks)

    def __str__(self) -> str:
        text = f"{self.code.name}: {self.message}"
        if self.choices:
            text += f" Valid: {', '.join(self.choices)}."
        if self.hint:
            text += f" Next: {self.hint}"
        return text

    def pointed_at(self, text: str) -> str:
        """The text with a line of carets under the words at fault, or '' without a span."""
        if self.span is None:
            return ""
        width = max(1, self.span.end - self.span.start)
        return f"{text}\n{' ' * self.span.start}{'^' * width}"


class SkillLackingError(SaySoError):
    """A task takes a skill that nobody taught yet.

    Args:
        skill: in words, such as "hang the blue mug on the rack", or what is true after it.
        tried: whether it was taught, but failed with the things as they stood.
    """

    def __init__(
        self,
        skill: str,
        message: str,
        *,
        code: Code = Code.UNSUPPORTED,
        hint: str = "",
        choices: Iterable[str] = (),
        span: Span | None = None,
        tried: bool = False,
    ) -> None:
        super().__init__(code, message, hint=hint, choices=choices, span=span)
        self.skill = skill
        self.tried = tried
