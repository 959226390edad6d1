"""How a base drives by what a navigator commands: what of it is sent, and how far that leads.

A navigator controls the base itself, so there is no motion to follow: from command to command it is
open where the base goes. Sent is at most what the base's limits and the newest scene allow, on the
same arc. Foreseen is the arc up to where the base would come to rest if nothing more were sent.
"""

from __future__ import annotations

import math
from collections import deque

import numpy as np

from sayso.core.geometry import Array, Pose
from sayso.skills.driving import RADIAN_M, DriveLimits, Velocity, wrapped
from sayso.skills.poses import upright, yaw_of

_STEP_S = 0.02
_APART_M = 0.2
"""So far apart are the places on an arc that are asked about: less than the base is wide."""
_SHOWS_M, _FOLLOWS = 0.5, 0.2
"""After so much commanded way it shows whether the base follows: by a fifth of it at least."""
_KEPT_S = 5.0


class Steering:
    """One drive by a navigator's commands.

    Args:
        period_s: between commands.
    """

    def __init__(self, limits: DriveLimits, period_s: float) -> None:
        self._limits, self._period_s = limits, period_s
        self._sent: Array = np.zeros(3)
        self._reckoned: Array = np.zeros(3)  # where what was sent leads from where the drive began
        self._past: deque[tuple[Array, Array]] = deque(maxlen=math.ceil(_KEPT_S / period_s))

    @property
    def moving(self) -> bool:
        """Whether the last command was to move."""
        return bool(self._sent.any())

    def next(self, wanted: Velocity, unseen_s: float) -> Velocity:
        """What to send of a command: it may slow down at once, and speed up as the limits say.

        Args:
            wanted: finite.
            unseen_s: age of the newest scene.
        """
        limits = self._limits.base
        speed_m_s, turn_rad_s = math.hypot(*wanted[:2]), abs(wanted[2])
        fastest = min(limits.speed_m_s, self._limits.fastest_m_s(unseen_s))
        share = min(1.0, fastest / max(speed_m_s, 1e-9), limits.turn_rad_s / max(turn_rad_s, 1e-9))
        velocity = 0.999 * share * np.asarray(wanted)
        velocity[:2] = _sped_up(
            self._sent[:2], velocity[:2], limits.acceleration_m_s2 * self._period_s
        )
        velocity[2:] = _sped_up(
            self._sent[2:], velocity[2:], limits.turn_acceleration_rad_s2 * self._period_s
        )
        forward, left, turn = (float(v) for v in velocity)
        return forward, left, turn

    def ahead(self, base: Pose, velocity: Velocity) -> tuple[Pose, ...]:
        """Where the base will be, farthest last, if it is stopped after the next piece.

        Until a command takes effect it goes on as before; then it goes at the velocity for a
        period, and slows down.
        """
        limits, then = self._limits, np.asarray(velocity)
        slowing_s = max(
            math.hypot(*velocity[:2]) / limits.base.brake_m_s2,
            abs(velocity[2]) / limits.base.brake_rad_s2,
        )
        late_s = limits.delay_s + self._period_s
        times = np.arange(0.0, late_s + slowing_s + _STEP_S, _STEP_S)
        braked = np.maximum(times - late_s, 0.0)[:, None]
        brakes = np.array([limits.base.brake_m_s2] * 2 + [limits.base.brake_rad_s2])
        speeds = np.array([max(math.hypot(*velocity[:2]), 1e-9)] * 2 + [max(abs(then[2]), 1e-9)])
        slowed = then * np.maximum(1.0 - braked * brakes / speeds, 0.0)
        going = np.where((times < limits.delay_s)[:, None], self._sent, slowed)
        x, y, _ = base.position
        places = _integrated(np.array([x, y, yaw_of(base)]), going)
        return tuple(upright((float(x), float(y), 0.0), float(yaw)) for x, y, yaw in _apart(places))

    def note(self, velocity: Velocity, base: Pose) -> None:
        """This was sent, with the base seen there."""
        x, y, _ = base.position
        self._past.append((self._reckoned.copy(), np.array([x, y, yaw_of(base)])))
        sent = np.asarray(velocity)[None].repeat(max(1, round(self._period_s / _STEP_S)), axis=0)
        self._reckoned = _integrated(self._reckoned, sent, self._period_s / len(sent))[-1]
        self._sent = np.asarray(velocity)

    def rest(self) -> None:
        """The base was told to come to rest."""
        self._sent = np.zeros(3)
        self._past.clear()

    def astray(self, base: Pose) -> str | None:
        """Why the base counts as blocked, or None."""
        x, y, _ = base.position
        here = np.array([x, y, yaw_of(base)])
        for reckoned, seen in reversed(self._past):
            if (wanted_m := _way_m(reckoned, self._reckoned)) >= _SHOWS_M:
                if (gone_m := _way_m(seen, here)) < _FOLLOWS * wanted_m:
                    return f"the base does not follow: it went {gone_m:.2f} of {wanted_m:.2f} m"
                return None
        return None


def _sped_up(before: Array, wanted: Array, most: float) -> Array:
    """(D,) a wanted velocity, or what of it can be sped up to from before."""
    speed = float(np.linalg.norm(wanted))
    if speed < 1e-9:
        return np.zeros_like(wanted)
    along = wanted / speed
    return np.asarray(along * min(speed, max(float(before @ along), 0.0) + most))


def _integrated(start: Array, velocities: Array, step_s: float = _STEP_S) -> Array:
    """(N, 3) x, y, yaw after each of (N, 3) velocities in the base's frame, from a place (3,)."""
    yaw = start[2] + np.cumsum(velocities[:, 2]) * step_s
    middle = yaw - velocities[:, 2] * step_s / 2
    c, s = np.cos(middle), np.sin(middle)
    forward, left = velocities[:, 0], velocities[:, 1]
    moves = np.stack([c * forward - s * left, s * forward + c * left], axis=1) * step_s
    return np.column_stack([start[:2] + np.cumsum(moves, axis=0), yaw])


def _apart(places: Array) -> Array:
    """(M, 3) of places (N, 3) the last one, and those before it that are a way from the next.

    What is hardly a way from the start is left out: the base is about there already.
    """
    gone = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(places[:, :2], axis=0), axis=1))]
    before = np.arange(gone[-1] - _APART_M, _APART_M / 2, -_APART_M)[::-1]
    return np.vstack([places[np.searchsorted(gone, before)], places[-1:]])


def _way_m(a: Array, b: Array) -> float:
    """Between two places (3,), turns included."""
    return math.hypot(*(b - a)[:2]) + RADIAN_M * abs(wrapped(float(b[2] - a[2])))
