"""What happens in a task, as values: for the terminal, the report and the ROS topic."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import IntEnum
from typing import Any

from sayso.core.clock import Clock
from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Check, Plan
from sayso.logic.monitor import Progress
from sayso.logic.specification import GroundedSpecification


@dataclass(frozen=True)
class Understanding:
    """A specification with its objects, and its meaning read back in English.

    Attributes:
        structure: the conditions on the way to the task's end, in English.
        trouble: AMBIGUOUS or UNKNOWN_OBJECT, where the words are clear but not which things
            they mean, NOT_UNDERSTOOD of some words, or CONTRADICTION of what can never be
            fulfilled: a question to the person. But for a contradiction the formula is not
            grounded then.
    """

    specification: GroundedSpecification
    english: str
    structure: tuple[str, ...] = ()
    trouble: SaySoError | None = None


@dataclass(frozen=True)
class SkillReport:
    """A skill that began (`finished` False, checks are preconditions) or ended (effects)."""

    action: Action
    step: int
    attempt: int
    finished: bool
    checks: tuple[Check, ...] = ()
    code: Code = Code.OK
    message: str = ""


class EventKind(IntEnum):
    """Values equal those of `msg/TaskEvent.msg`."""

    MESSAGE = 0
    INSTRUCTION = 1
    SPECIFICATION = 2
    QUESTION = 3
    PLAN = 4
    SKILL = 5
    PROGRESS = 6
    RESULT = 7


@dataclass(frozen=True)
class Event:
    """One thing that happened; only the field of its kind is filled.

    A plan of stage "recover" is what a repairer proposed after a failure, empty if it knew nothing;
    `text` says why, and the code is OK where the proposal was taken. A message of that stage with
    another code says why there is no plan, where no skill failed.

    Attributes:
        stage: the pipeline stage it belongs to.
        elapsed_s: time since the task began.
        hint, choices: with an error code, the next step and the valid choices.
    """

    kind: EventKind
    stage: str
    elapsed_s: float
    text: str = ""
    understanding: Understanding | None = None
    plan: Plan | None = None
    skill: SkillReport | None = None
    progress: Progress | None = None
    code: Code = Code.OK
    hint: str = ""
    choices: tuple[str, ...] = ()

    @property
    def is_repair(self) -> bool:
        """Whether it tells what a repairer proposed."""
        return self.kind is EventKind.PLAN and self.stage == "recover"

    @property
    def is_trouble(self) -> bool:
        """Whether it tells why there is no plan, before a repairer is asked."""
        told = self.kind is EventKind.MESSAGE and self.stage == "recover"
        return told and self.code is not Code.OK


Listener = Callable[[Event], None]


class EventEmitter:
    """Tells a listener what happens in a task, and how long after the first.

    Attributes:
        stage: the stage under way.
    """

    def __init__(self, listener: Listener, clock: Clock) -> None:
        self.stage = "interpret"
        self._listener = listener
        self._clock = clock
        self._started_s: float | None = None

    def emit(self, kind: EventKind, stage: str, text: str = "", **fields: Any) -> None:
        """Tell one thing; `fields` are those of `Event`."""
        now_s = self._clock.now_s()
        if self._started_s is None:
            self._started_s = now_s
        self._listener(Event(kind, stage, now_s - self._started_s, text, **fields))
