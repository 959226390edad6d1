"""The clock of a motion under way, which may slow down, rest and pick up speed again."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

_PICK_UP_S = 1.0
"""After a rest a motion takes this long to be as fast as it was."""
_FASTER = 0.05
"""So much of its own speed a motion that goes slower picks up with each piece."""


@dataclass
class MotionClock:
    """Which time of its own a motion has come to; after a rest it picks up speed.

    Attributes:
        seen_s: of the senses' clock, when it was last advanced.
        time_s: of the motion.
        rested: whether nothing was sent last.
        resumed_s: when it went on after its last rest.
        pace: how fast it may go, 0 to 1.
    """

    seen_s: float
    time_s: float = field(default=0.0)
    rested: bool = False
    resumed_s: float = -math.inf
    pace: float = 1.0

    @property
    def rate(self) -> float:
        """How fast the motion's time goes on, 0 to 1."""
        return min(self.pace, (self.seen_s - self.resumed_s) / _PICK_UP_S)

    def keep_pace(self, pace: float) -> None:
        """Go on no faster than that; slower at once, faster little by little."""
        self.pace = min(pace, self.pace + _FASTER)

    def advance(self, now_s: float, horizon_s: float) -> None:
        """Time goes on, but not past the end of the piece that the driver has."""
        gone_s = min(max(now_s - self.seen_s, 0.0), horizon_s)
        self.seen_s = now_s
        self.time_s += self.rate * gone_s

    def rest(self, time_s: float) -> None:
        """Nothing was sent: the motion stays at a time."""
        self.time_s, self.rested = time_s, True

    def resume(self, time_s: float, now_s: float) -> None:
        """Go on from a time of the motion, from rest."""
        self.time_s, self.resumed_s, self.rested = time_s, now_s, False
