"""How the gate drives a base along a motion: feedback on its observed pose, and foresight.

The command is the motion's own velocity plus a share of the distance to where the base should be
by now. Foreseen is where the base would come to rest along the motion if it were stopped after
the next piece: it goes on for the time until a stop takes effect and then needs v^2 / 2a.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol, TypeAlias

import numpy as np

from sayso.core.base_limits import DEFAULT_BASE, BaseLimits
from sayso.core.geometry import Array, Pose
from sayso.skills.poses import upright, yaw_of

Velocity: TypeAlias = tuple[float, float, float]
"""Forward, left [m/s] and turn [rad/s] in the base's frame."""

_AHEAD_S = 0.05
_COASTING_S = 2.0
"""For so long a base may coast when it is told to rest."""
RADIAN_M = 0.5
"""A turn by a radian counts like so much of a way."""


class DrivenState(Protocol):
    """Where the base should be at some time, and how fast."""

    @property
    def x(self) -> float: ...
    @property
    def y(self) -> float: ...
    @property
    def yaw(self) -> float: ...
    @property
    def forward_m_s(self) -> float: ...
    @property
    def left_m_s(self) -> float: ...
    @property
    def turn_rad_s(self) -> float: ...


class DrivenMotion(Protocol):
    """A path of the base over time, in the scene's frame, at rest at both ends."""

    @property
    def duration_s(self) -> float: ...

    def at(self, t: float, /) -> DrivenState:
        """The state `t` seconds after the start; that of the ends before and after."""


class MotionAlong(Protocol):
    """A path (N, 2) over time, from a heading; at its end it may turn to face a point."""

    def __call__(
        self, path: Array, yaw: float, *, face: tuple[float, float] | None = None
    ) -> DrivenMotion: ...


@dataclass(frozen=True)
class DriveLimits:
    """Bounds of driving that hold whatever was authorised.

    Attributes:
        base: largest commands, and with what the base surely slows down.
        footprint_m: length and width of the base; None of an arm that stands still.
        delay_s: from a base pose's exposure until a stop that it causes takes effect.
        astray_m, astray_rad: this far from where it should be, or should have been `delay_s`
            ago, the base counts as blocked.
        arrived_m, arrived_rad: this near to its goal a motion has ended.
        patience_s: how long the base may take for that after the motion's own time.
        stale_patience_s: how long the base waits at rest for fresh observations.
        silent_s: how long the base waits at rest for a navigator to command something.
        unseen_m: the base goes slower where it could not rest within so much of a way of what
            the cameras showed last: where pictures come late.
        correction: share of the distance to where it should be that is made up in a second.
        trust: weight of a new base pose against those before, 0 to 1; poses are noisy.
        stowed: joint configurations [rad] in which the arm may be while the base drives; empty
            where it may be as it likes.
        stowed_rad: how near to one of them.
    """

    base: BaseLimits = DEFAULT_BASE
    footprint_m: tuple[float, float] | None = None
    delay_s: float = 0.15
    astray_m: float = 0.15
    astray_rad: float = 0.25
    arrived_m: float = 0.015
    arrived_rad: float = 0.015
    patience_s: float = 2.0
    stale_patience_s: float = 3.0
    silent_s: float = 10.0
    unseen_m: float = 1.2
    correction: float = 1.5
    trust: float = 0.3
    stowed: tuple[tuple[float, ...], ...] = ()
    stowed_rad: float = 0.1

    def fastest_m_s(self, unseen_s: float) -> float:
        """How fast the base may drive, by how old the newest scene is.

        At speed v the base goes `v * t + v^2 / 2a` from the exposure of what it goes by until it
        rests, t being the scene's age and the time until a stop takes effect; see `unseen_m`.
        """
        late_s, brake = max(unseen_s, 0.0) + self.delay_s, self.base.brake_m_s2
        return math.sqrt((brake * late_s) ** 2 + 2 * brake * self.unseen_m) - brake * late_s


DEFAULT_DRIVING = DriveLimits()


class Tracker:
    """Follows one motion; remembers how far the base is from where it should be."""

    def __init__(self, motion: DrivenMotion, limits: DriveLimits) -> None:
        self._motion = motion
        self._limits = limits
        self._error: Array | None = None  # x, y [m] and yaw [rad], of the base less the motion

    def observe(self, base: Pose, time_s: float) -> None:
        """Take in where the base is seen at a time of the motion."""
        state = self._motion.at(time_s)
        x, y, _ = base.position
        error = np.array([x - state.x, y - state.y, wrapped(yaw_of(base) - state.yaw)])
        old = self._error
        self._error = error if old is None else old + self._limits.trust * (error - old)

    def resume(self, base: Pose, time_s: float) -> float:
        """The motion's time from which it goes on after a rest: where it comes nearest to the
        base, soon after the time at which it was left."""
        self._error = None
        times = time_s + np.arange(0.0, _COASTING_S, 0.05)
        (x, y, _), yaw = base.position, yaw_of(base)
        off = [
            math.hypot(s.x - x, s.y - y) + RADIAN_M * abs(wrapped(s.yaw - yaw))
            for s in map(self._motion.at, times)
        ]
        return float(times[int(np.argmin(off))])

    @property
    def error(self) -> Array:
        """(3,) the smoothed distance of the base from the motion: x, y [m] and yaw [rad]."""
        return np.zeros(3) if self._error is None else self._error

    def astray(self, time_s: float) -> str | None:
        """Why the base counts as blocked, or None.

        It may be as late as a command takes to have effect: at speed that is far behind.
        """
        limits = self._limits
        off, turned = self._apart(time_s, 0.0)
        behind_s = np.arange(0.0, limits.delay_s + 1e-9, _AHEAD_S)
        apart = (self._apart(time_s, float(b)) for b in behind_s)  # mostly the first will do
        if not any(o <= limits.astray_m and t <= limits.astray_rad for o, t in apart):
            where = f"it is {off:.2f} m and {turned:.2f} rad from its path"
            return f"the base does not follow: {where}"
        if time_s > self._motion.duration_s + limits.patience_s:
            return f"the base does not follow: it rests {off:.2f} m from its goal"
        return None

    def _apart(self, time_s: float, behind_s: float) -> tuple[float, float]:
        """How far the base is from where it should have been a while before [m, rad]."""
        now, then = self._motion.at(time_s), self._motion.at(max(time_s - behind_s, 0.0))
        x, y, yaw = self.error + np.array([now.x - then.x, now.y - then.y, now.yaw - then.yaw])
        return math.hypot(x, y), abs(wrapped(float(yaw)))

    def arrived(self, time_s: float) -> bool:
        """Whether the motion is over and the base is where it leads."""
        near = np.hypot(*self.error[:2]) < self._limits.arrived_m
        return bool(
            time_s >= self._motion.duration_s
            and near
            and abs(self.error[2]) < self._limits.arrived_rad
        )

    def velocity(self, time_s: float, rate: float = 1.0) -> Velocity:
        """What to command now, within the limits.

        Args:
            rate: how fast the motion's time goes on.
        """
        state, limits = self._motion.at(time_s), self._limits
        yaw = state.yaw + self.error[2]
        c, s = math.cos(yaw), math.sin(yaw)
        back = -limits.correction * self.error
        forward = rate * state.forward_m_s + c * back[0] + s * back[1]
        left = rate * state.left_m_s - s * back[0] + c * back[1]
        slower = min(1.0, limits.base.speed_m_s / max(math.hypot(forward, left), 1e-9))
        turn = float(
            np.clip(
                rate * state.turn_rad_s + back[2], -limits.base.turn_rad_s, limits.base.turn_rad_s
            )
        )
        return (0.999 * slower * float(forward), 0.999 * slower * float(left), turn)

    def pace(self, time_s: float, unseen_s: float) -> float:
        """How fast the motion may go, of its own speed, 0 to 1, by how old the newest scene is."""
        state, fastest = self._motion.at(time_s), self._limits.fastest_m_s(unseen_s)
        return min(1.0, fastest / max(math.hypot(state.forward_m_s, state.left_m_s), 1e-9))

    def resting_place(self, time_s: float, piece_s: float) -> Pose:
        """Where the base would come to rest if it were stopped after the next piece."""
        now, limits = self._motion.at(time_s), self._limits
        speed, turn = math.hypot(now.forward_m_s, now.left_m_s), abs(now.turn_rad_s)
        late_s = limits.delay_s + piece_s
        way = speed * late_s + speed**2 / (2 * limits.base.brake_m_s2)
        angle = turn * late_s + turn**2 / (2 * limits.base.brake_rad_s2)
        ahead_s = late_s
        while time_s + ahead_s < self._motion.duration_s:
            then = self._motion.at(time_s + ahead_s)
            gone = math.hypot(then.x - now.x, then.y - now.y)
            if gone >= way and abs(wrapped(then.yaw - now.yaw)) >= angle:
                break
            ahead_s += _AHEAD_S
        then = self._motion.at(time_s + ahead_s)
        x, y, yaw = (float(v) for v in np.array([then.x, then.y, then.yaw]) + self.error)
        return upright((x, y, 0.0), yaw)


def wrapped(angle: float) -> float:
    """The same angle from -pi to pi [rad]."""
    return math.remainder(angle, math.tau)


@dataclass(frozen=True)
class StraightState:
    """Where the base should be on a straight line; see `DrivenState`."""

    x: float
    y: float
    yaw: float
    forward_m_s: float = 0.0
    left_m_s: float = 0.0
    turn_rad_s: float = 0.0


@dataclass(frozen=True)
class Straight:
    """Straight ahead, or back where `way_m` is negative, from rest to rest, without turning.

    It speeds up for half of the way and slows down for the rest.
    """

    start: StraightState
    way_m: float
    acceleration_m_s2: float = 0.4

    @property
    def duration_s(self) -> float:
        return 2 * math.sqrt(abs(self.way_m) / self.acceleration_m_s2)

    def at(self, t: float, /) -> StraightState:
        half = self.duration_s / 2
        since = min(max(t, 0.0), 2 * half)
        early = min(since, half)
        late = since - early
        speed = self.acceleration_m_s2 * (early - late)
        gone = self.acceleration_m_s2 * (early**2 / 2 + half * late - late**2 / 2)
        sign = math.copysign(1.0, self.way_m)
        start = self.start
        x = start.x + sign * gone * math.cos(start.yaw)
        y = start.y + sign * gone * math.sin(start.yaw)
        return StraightState(x, y, start.yaw, sign * speed)
