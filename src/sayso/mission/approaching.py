"""Whether somebody who moves comes too near: the one forecast of it."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sayso.core.geometry import Array
from sayso.planning.navigation.nearness import NEAR_M, Footprint
from sayso.skills.mover_settings import MOVERS, MoverSettings

_SAMPLES = 6


@dataclass(frozen=True)
class Coming:
    """Somebody to keep off, and where they are going [m/s]."""

    outline: Footprint
    velocity: Array

    def distance_m(self, places: Array, times_s: Array) -> Array:
        """(...,) from places (..., 2) at those times."""
        gone = np.asarray(times_s)[..., None] * self.velocity
        at = np.asarray(places) - gone
        return self.outline.distance_m(at[..., 0], at[..., 1])

    def nears(
        self, here: tuple[float, float], within_s: float, settings: MoverSettings = MOVERS
    ) -> bool:
        """Whether they come nearer, and too near, to a robot that stays here."""
        times = np.linspace(0.0, within_s, _SAMPLES, dtype=np.float64)
        apart = self.distance_m(np.repeat([here], _SAMPLES, axis=0), times)
        too_near_m = min(NEAR_M + settings.spare_m, float(apart[0]) - settings.nearer_m)
        return float(apart.min()) < too_near_m
