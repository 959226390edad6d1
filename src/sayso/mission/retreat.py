"""Where to step when somebody comes who must not be come near to."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sayso.core.base_limits import DEFAULT_BASE, BaseLimits
from sayso.core.geometry import Array
from sayso.mission.forecast import Coming
from sayso.planning.navigation.grid import Mask
from sayso.skills.driving import StraightState

DIRECTIONS = 16
STEPS_M = (0.4, 0.8, 1.2, 1.8, 2.4)
HORIZON_S = 4.0
"""Whoever comes is taken to go on as now for so long."""
WORTH_M = 0.1
"""Less than this more of distance is not worth a step."""
_SAMPLES = 13
_SPACING_M = 0.1
_FALLS_M = 0.005
_SPEED_SHARE = 0.9
"""Of what the base can: the rest is left to whoever keeps it on its line."""


@dataclass(frozen=True)
class Sidestep:
    """A straight line in any direction without turning, from rest to rest; see `DrivenMotion`."""

    start: StraightState
    to: tuple[float, float]
    limits: BaseLimits = DEFAULT_BASE

    @property
    def way_m(self) -> float:
        """Its length."""
        return math.hypot(self.to[0] - self.start.x, self.to[1] - self.start.y)

    @property
    def duration_s(self) -> float:
        return sum(_phases_s(self.way_m, self.limits))

    def at(self, t: float, /) -> StraightState:
        gone, speed = gone_after(np.array(t), self.way_m, self.limits)
        share = 0.0 if self.way_m == 0 else float(gone) / self.way_m
        dx, dy = self.to[0] - self.start.x, self.to[1] - self.start.y
        off = math.atan2(dy, dx) - self.start.yaw
        return StraightState(
            self.start.x + share * dx,
            self.start.y + share * dy,
            self.start.yaw,
            float(speed) * math.cos(off),
            float(speed) * math.sin(off),
        )


def gone_after(times_s: Array, way_m: float, limits: BaseLimits) -> tuple[Array, Array]:
    """Way and speed at some times, from rest to rest, as fast as a step may be."""
    faster_s, steady_s, _ = _phases_s(way_m, limits)
    early = np.clip(times_s, 0.0, faster_s)
    steady = np.clip(times_s - faster_s, 0.0, steady_s)
    late = np.clip(times_s - faster_s - steady_s, 0.0, faster_s)
    a, top = limits.acceleration_m_s2, limits.acceleration_m_s2 * faster_s
    way = a * early**2 / 2 + top * steady + top * late - a * late**2 / 2
    return way, a * (early - late)


def _phases_s(way_m: float, limits: BaseLimits) -> tuple[float, float, float]:
    """For how long a step speeds up, keeps its speed and slows down."""
    acceleration = limits.acceleration_m_s2
    top = min(_SPEED_SHARE * limits.speed_m_s, math.sqrt(acceleration * way_m))
    if top == 0.0:
        return 0.0, 0.0, 0.0
    faster_s = top / acceleration
    return faster_s, max(way_m / top - faster_s, 0.0), faster_s


def step_away(
    here: tuple[float, float],
    coming: Sequence[Coming],
    fits: Callable[[Array], Mask],
    allowed: Callable[[tuple[float, float]], bool] = lambda _: True,
    limits: BaseLimits = DEFAULT_BASE,
) -> tuple[float, float] | None:
    """The end of the straight step that keeps the most distance.

    Along it the distance to where each of them is now does not fall. Should they go on as they do,
    the least distance up to `HORIZON_S` is larger than if the robot stayed. Off those who stand
    the shortest step is enough.

    Args:
        here: x, y of the base [m, frame `map`].
        fits: whether the base has room, for (N, 2) places.
        allowed: whether it may be at a place.
        limits: of the base.

    Returns:
        x, y [m]; None where no step helps.
    """
    if not coming:
        return None
    times: Array = np.linspace(0.0, HORIZON_S, _SAMPLES, dtype=np.float64)
    origin = np.asarray(here)
    stay_m = _least_m(coming, np.repeat(origin[None], _SAMPLES, axis=0), times)
    still = not any(c.velocity.any() for c in coming)
    steps: list[tuple[float, float, tuple[float, float]]] = []
    for way_m in STEPS_M:
        for turn in np.arange(DIRECTIONS) * math.tau / DIRECTIONS:
            ahead = np.array([math.cos(turn), math.sin(turn)])
            line = origin + np.arange(_SPACING_M, way_m + 1e-6, _SPACING_M)[:, None] * ahead
            if _falls(coming, np.vstack([origin, line])) or not fits(line).all():
                continue
            gone, _ = gone_after(times, way_m, limits)
            least_m = _least_m(coming, origin + gone[:, None] * ahead, times)
            end_m = _least_m(coming, line[-1:], times[-1:])
            x, y = (float(v) for v in line[-1])
            if still and end_m > stay_m + WORTH_M:
                steps.append((-way_m, round(end_m, 1), (x, y)))
            elif least_m > stay_m + WORTH_M:
                steps.append((round(least_m, 1), -way_m, (x, y)))
    for *_, end in sorted(steps, reverse=True):
        if allowed(end):
            return end
    return None


def _least_m(coming: Sequence[Coming], places: Array, times_s: Array) -> float:
    return min(float(c.distance_m(places, times_s).min()) for c in coming)


def _falls(coming: Sequence[Coming], line: Array) -> bool:
    """Whether the distance to where somebody is now falls anywhere along a line."""
    still = np.zeros(len(line))
    return any(bool((np.diff(c.distance_m(line, still)) < -_FALLS_M).any()) for c in coming)
