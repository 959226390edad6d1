"""Paths of the base over time, within its limits of speed and acceleration."""

from __future__ import annotations

import math
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate, pairwise
from typing import Literal

import numpy as np

from sayso.core.base_limits import BaseLimits
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.planning.navigation.headings import Footing, Headed, headings_along

Manner = Literal["turn_then_drive", "turn_while_driving"]


@dataclass(frozen=True)
class BaseState:
    """Where the base is and how it moves.

    Attributes:
        x, y: of its centre [m, frame `map`]; yaw: its heading [rad], 0 along x.
        forward_m_s, left_m_s, turn_rad_s: its velocity in its own frame, as `cmd_vel` has it.
    """

    x: float
    y: float
    yaw: float
    forward_m_s: float = 0.0
    left_m_s: float = 0.0
    turn_rad_s: float = 0.0


@dataclass(frozen=True)
class _Ramp:
    """From rest to rest over a distance: speed up, hold, slow down; symmetric in time."""

    distance: float
    speed: float
    acceleration: float

    @property
    def _top(self) -> float:
        return min(self.speed, math.sqrt(self.distance * self.acceleration))

    @property
    def duration(self) -> float:
        if not self.distance:
            return 0.0
        return self.distance / self._top + self._top / self.acceleration

    def at(self, t: float) -> tuple[float, float]:
        """Distance and speed at a time."""
        rising = self._top / self.acceleration
        if t >= self.duration:
            return self.distance, 0.0
        if t < rising:
            return self.acceleration * t * t / 2, self.acceleration * t
        if (left := self.duration - t) < rising:
            return self.distance - self.acceleration * left * left / 2, self.acceleration * left
        return self._top * (t - rising / 2), self._top


@dataclass(frozen=True)
class _Piece:
    """A straight line and a turn at the same time; the quicker one is slowed to the other."""

    start: BaseState
    dx: float
    dy: float
    turn: float
    limits: BaseLimits

    @property
    def length(self) -> float:
        return math.hypot(self.dx, self.dy)

    @cached_property
    def ramps(self) -> tuple[_Ramp, _Ramp]:
        """Of the line and of the turn."""
        limits = self.limits
        return (
            _Ramp(self.length, limits.speed_m_s, limits.acceleration_m_s2),
            _Ramp(abs(self.turn), limits.turn_rad_s, limits.turn_acceleration_rad_s2),
        )

    @property
    def duration(self) -> float:
        return max(ramp.duration for ramp in self.ramps)

    def at(self, t: float) -> BaseState:
        """The state `t` seconds after the piece began."""
        (gone, speed), (turned, rate) = (
            (0.0, 0.0) if not ramp.distance else self._slowed(ramp, t) for ramp in self.ramps
        )
        ux, uy = (self.dx / self.length, self.dy / self.length) if self.length else (0.0, 0.0)
        yaw = wrapped(self.start.yaw + math.copysign(turned, self.turn))
        cos, sin = math.cos(yaw), math.sin(yaw)
        return BaseState(
            self.start.x + ux * gone,
            self.start.y + uy * gone,
            yaw,
            speed * (cos * ux + sin * uy),
            speed * (cos * uy - sin * ux),
            math.copysign(rate, self.turn) if rate else 0.0,
        )

    def _slowed(self, ramp: _Ramp, t: float) -> tuple[float, float]:
        share = ramp.duration / self.duration
        distance, speed = ramp.at(t * share)
        return distance, speed * share


@dataclass(frozen=True)
class BaseMotion:
    """A path over time; it begins and ends at rest, and rests at every corner."""

    pieces: tuple[_Piece, ...]
    start: BaseState

    @cached_property
    def _begins(self) -> tuple[float, ...]:
        return tuple(accumulate((p.duration for p in self.pieces), initial=0.0))

    @property
    def duration_s(self) -> float:
        """How long it takes."""
        return self._begins[-1]

    def at(self, t: float) -> BaseState:
        """The state at a time [s] since the start; at rest before and after."""
        if not self.pieces or t <= 0:
            return self.start
        index = min(bisect_right(self._begins, t), len(self.pieces)) - 1
        return self.pieces[index].at(t - self._begins[index])

    def sampled(self, period_s: float) -> tuple[BaseState, ...]:
        """The states every `period_s`, the last one at rest at the end."""
        steps = math.ceil(self.duration_s / period_s)
        return tuple(self.at(min(i * period_s, self.duration_s)) for i in range(steps + 1))


def drive(
    path: Array,
    yaw: float,
    limits: BaseLimits | None = None,
    manner: Manner = "turn_then_drive",
    face: tuple[float, float] | None = None,
    footing: Footing | None = None,
) -> BaseMotion:
    """The motion along a path, never off it.

    Args:
        path: (N, 2) corners x, y [m].
        yaw: the heading at its start [rad].
        manner: turn on the spot before each leg, as a unicycle has to, or during it, as a base
            can that moves sideways too.
        face: the point to look at when it is over; by default it looks where it drove.
        footing: the floor; with it the headings are chosen such that the whole footprint stays
            on free floor, whatever the manner.

    Raises:
        SaySoError: INVALID for a path that is no list of finite points; UNREACHABLE where the
            base has no room to turn on its way.
    """
    if path.ndim != 2 or path.shape[1] != 2 or not len(path) or not np.isfinite(path).all():
        raise SaySoError(Code.INVALID, "a path needs finite points (x, y).")
    limits = limits or BaseLimits()
    now = start = BaseState(float(path[0, 0]), float(path[0, 1]), wrapped(yaw))
    pieces: list[_Piece] = []

    def add(dx: float, dy: float, heading: float) -> None:
        nonlocal now
        turn = wrapped(heading - now.yaw)
        parts = [(0.0, 0.0, turn), (dx, dy, 0.0)]
        for x, y, angle in [(dx, dy, turn)] if manner == "turn_while_driving" else parts:
            if x or y or angle:
                pieces.append(_Piece(now, x, y, angle, limits))
                now = BaseState(now.x + x, now.y + y, wrapped(now.yaw + angle))

    if footing is not None:
        return _headed(headings_along(path, start.yaw, footing, face), start, limits)
    for _, (x, y) in pairwise(path.tolist()):
        dx, dy = x - now.x, y - now.y
        if math.hypot(dx, dy) > 1e-9:
            add(dx, dy, math.atan2(dy, dx))
    if face is not None and face != (now.x, now.y):
        add(0.0, 0.0, math.atan2(face[1] - now.y, face[0] - now.x))
    return BaseMotion(tuple(pieces), start)


def _headed(places: list[Headed], start: BaseState, limits: BaseLimits) -> BaseMotion:
    """From place to place, each with its heading."""
    pieces = []
    for (x, y, yaw), (then_x, then_y, then_yaw) in pairwise(places):
        piece = _Piece(
            BaseState(x, y, yaw), then_x - x, then_y - y, wrapped(then_yaw - yaw), limits
        )
        if piece.length > 1e-9 or piece.turn:
            pieces.append(piece)
    return BaseMotion(tuple(pieces), start)


def wrapped(angle: float) -> float:
    """The same angle from -pi to pi."""
    return math.remainder(angle, math.tau)
