"""Waits that always end: on the robot's clock, and on a steady one that nobody sets."""

from __future__ import annotations

from sayso.core.clock import Clock, SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.skills.senses import Senses

WAITED_FOR = frozenset({Code.STALE, Code.NODE_UNAVAILABLE})
"""What may pass by itself: readings come again, a part was only slow to show that it lives."""
SLOWEST = 10.0
"""A second of simulated time may take so many of the steady clock's."""
_REST_SLOWEST = 1.25
"""The same while the robot rests for want of readings: people are told soon what is missing."""
_BACK_S = 3.0
"""Within this time a node that seems to have ended must be back: a busy machine looks like that."""


class Timeout:
    """A stretch of the robot's time; a clock that is set back does not make it longer.

    Args:
        limit_s: on the robot's clock.
        slowest: seconds of the steady clock for each of these, at most.
    """

    def __init__(
        self, senses: Senses, limit_s: float, slowest: float = SLOWEST, steady: Clock | None = None
    ) -> None:
        self._senses = senses
        self._left_s = limit_s
        self._seen_s = senses.now_s()
        self._steady = steady or SteadyClock()
        self._end_s = self._steady.now_s() + slowest * limit_s

    @property
    def over(self) -> bool:
        before_s, self._seen_s = self._seen_s, self._senses.now_s()
        self._left_s -= max(self._seen_s - before_s, 0.0)
        return self._left_s <= 0 or self._steady.now_s() >= self._end_s


class GracePeriod:
    """How long a motion waits at rest for readings that may be acted on.

    Args:
        limit_s: on the robot's clock; shorter, on either clock, for a node that ended.
    """

    def __init__(self, senses: Senses, limit_s: float, steady: Clock | None = None) -> None:
        self._senses = senses
        self._limit_s = limit_s
        self._steady = steady
        self.renew()

    def renew(self) -> None:
        """The motion went on."""
        self._left = Timeout(self._senses, self._limit_s, _REST_SLOWEST, self._steady)
        self._back = Timeout(self._senses, _BACK_S, 1.0, self._steady)

    def tolerate(self, error: SaySoError) -> None:
        """Raises the error unless it may pass and there is time left for that."""
        left = self._back if error.code is Code.NODE_UNAVAILABLE else self._left
        if error.code not in WAITED_FOR or left.over:
            raise error
