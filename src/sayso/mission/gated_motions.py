"""The motions of a task in a flat: each passes the gate, under all conditions of the task."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Cancelled
from sayso.mission.mobile_robot import MobileRobot
from sayso.mission.retreat import Sidestep
from sayso.skills.conditions import Condition
from sayso.skills.driving import Straight

_HARMLESS = frozenset({Code.EXECUTION, Code.VETO, Code.LIMIT, Code.UNREACHABLE})
"""Failures of a motion that only was to help."""


@dataclass(frozen=True)
class GatedMotions:
    """Opens the gate for a task.

    Attributes:
        conditions: what the gate asks; told whether what is unknown is only left.
        cancelled: whether the task is to end.
    """

    robot: MobileRobot
    conditions: Callable[[bool], Sequence[Condition]]
    cancelled: Cancelled

    def goes_on(self) -> bool:
        """Whether the task is not to end. Raises STOPPED while a stop is latched."""
        self.robot.gate.require_running()
        return not self.cancelled()

    @contextmanager
    def authorised(self, *more: Condition, leaving: bool = False) -> Iterator[None]:
        """The gate open under these conditions and `more`."""
        with self.robot.gate.authorised((*self.conditions(leaving), *more)):
            yield

    @contextmanager
    def open(self, *more: Condition, leaving: bool = False) -> Iterator[None]:
        """The gate open, and the arm folded."""
        with self.authorised(leaving=leaving):
            self.robot.skills.go_home(cancelled=self.cancelled)
        with self.authorised(*more, leaving=leaving):
            yield

    def attempt(self, motion: Callable[[], None], *more: Condition) -> bool:
        """Move, if that can be; whether it was done. Raises what a harmless failure is not."""
        try:
            with self.open(*more, leaving=True):
                motion()
        except SaySoError as error:
            if error.code not in _HARMLESS:
                raise
            return False
        return True

    def drive(self, motion: Straight | Sidestep) -> None:
        """Drive the base while the gate is open. Raises as `MotionGate.drive`."""
        self.robot.gate.drive(motion, self.robot.senses, self.cancelled)
