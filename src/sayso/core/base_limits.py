"""How fast a mobile base may drive and turn."""

from __future__ import annotations

import math
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError


@dataclass(frozen=True)
class BaseLimits:
    """Largest speeds and accelerations of a base.

    Attributes:
        brake_m_s2, brake_rad_s2: with what it surely slows down; on it rests what the monitor's
            forecast takes for the way that is left before it stands.
    """

    speed_m_s: float = 1.0
    acceleration_m_s2: float = 1.0
    turn_rad_s: float = 1.0
    turn_acceleration_rad_s2: float = 2.0
    brake_m_s2: float = 1.2
    brake_rad_s2: float = 2.5

    def __post_init__(self) -> None:
        """Raises INVALID for a limit that is not above zero."""
        for name, limit in vars(self).items():
            if not (math.isfinite(limit) and limit > 0):
                raise SaySoError(
                    Code.INVALID, f"the base's {name} must be more than 0, not {limit}."
                )

    def within(self, other: BaseLimits) -> BaseLimits:
        """The lower of both, limit by limit."""
        pairs = zip(vars(self).values(), vars(other).values(), strict=True)
        return BaseLimits(*(min(a, b) for a, b in pairs))


DEFAULT_BASE = BaseLimits()
