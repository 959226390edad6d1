"""Waiting at rest for readings that may be acted on, by two clocks, so that it always ends."""

from __future__ import annotations

from sayso.core.clock import Clock, SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.skills.senses import Senses

WAITED_FOR = frozenset({Code.STALE, Code.NODE_UNAVAILABLE})
"""What may pass by itself: readings come again, a part was only slow to show that it lives."""
_SLOWER = 2.0
"""Simulated time may be so much slower than the steady clock."""


class Patience:
    """How long a motion waits at rest.

    Args:
        limit_s: on the robot's clock. On a steady clock, for one that stands still or is set
            back, it is twice as long.
    """

    def __init__(self, senses: Senses, limit_s: float, steady: Clock | None = None) -> None:
        self._senses = senses
        self._limit_s = limit_s
        self._steady = steady or SteadyClock()
        self.renew()

    def renew(self) -> None:
        """The motion went on."""
        self._since_s, self._steady_since_s = self._senses.now_s(), self._steady.now_s()

    def bear(self, error: SaySoError) -> None:
        """Raises the error unless it may pass and there is time left for that."""
        waited_s = self._senses.now_s() - self._since_s
        steady_s = self._steady.now_s() - self._steady_since_s
        late = waited_s > self._limit_s or steady_s > _SLOWER * self._limit_s
        if late or error.code not in WAITED_FOR:
            raise error
