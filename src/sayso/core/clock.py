"""Time as a port, so that algorithms can be run on simulated or recorded time."""

from __future__ import annotations

import math
import time
from typing import Protocol

AHEAD_S = 0.2
"""A stamp may be so far ahead: clocks of two computers, or time that is told after a reading."""


def untimely(stamp_s: float, now_s: float, fresh_s: float) -> str | None:
    """Why nothing may be done by a reading with this stamp, such as "is 2.0 s old", or None.

    Args:
        fresh_s: age at which a reading is too old.
    """
    age_s = now_s - stamp_s
    if not math.isfinite(age_s):
        return "has a stamp that is not a time"
    if age_s < -AHEAD_S:
        return f"is stamped {-age_s:.1f} s in the future"
    return f"is {age_s:.1f} s old" if age_s > fresh_s else None


class Clock(Protocol):
    """Seconds since some fixed origin; never goes back."""

    def now_s(self) -> float: ...


class SteadyClock:
    """Wall-clock seconds that only go forward."""

    def now_s(self) -> float:
        return time.monotonic()


class ProcessorClock:
    """Seconds of processor time that this process was given."""

    def now_s(self) -> float:
        return time.process_time()
