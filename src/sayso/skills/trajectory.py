"""Joint paths given times: as fast as velocity and acceleration limits allow, corners blended.

A path of straight joint-space segments gets parabolic blends at its corners (within a given
deviation), which makes it once differentiable with piecewise constant curvature. Along the
path the speed is then the largest that the limits allow, found by a forward and a backward
pass (the phase-plane method: Bobrow, Dubowsky and Gibson 1985; blends as in Kunz and Stilman,
"Time-Optimal Trajectory Generation for Path Following with Bounded Acceleration and Velocity",
RSS 2012, with parabolas for their circles). Half of the acceleration limit is kept for the
curvature of the blends, so that the sum with the acceleration along the path stays within it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sayso.core.ports import JointWindow

Array = npt.NDArray[np.float64]

_CURVATURE_SHARE = 0.5
_GRID_RAD = 0.02
_SAMPLE_S = 0.01
_BRAKE_STEP_S = 0.02
_LEAST_S = 0.001
"""Less than this is left of no motion: arms are commanded a thousand times a second at most, and
the times of a message, which are whole nanoseconds, have to differ."""


@dataclass(frozen=True)
class MotionLimits:
    """Joint limits for timing a path: [rad/s] and [rad/s^2], (J,) each."""

    velocity: Array
    acceleration: Array

    def scaled(self, share: float) -> MotionLimits:
        """This share (0 < share <= 1) of the limits."""
        return MotionLimits(self.velocity * share, self.acceleration * share)


@dataclass(frozen=True)
class Trajectory:
    """Joint positions over time, at rest at both ends.

    Attributes:
        times_s: (N,) evenly spaced from 0.
        positions: (N, J) [rad].
    """

    times_s: Array
    positions: Array

    @property
    def duration_s(self) -> float:
        return float(self.times_s[-1])

    def at(self, time_s: float) -> Array:
        """(J,) positions at a time; those of the ends before and after."""
        step = self.times_s[1]
        place = min(max(time_s / step, 0.0), len(self.times_s) - 1.0)
        i = min(int(place), len(self.times_s) - 2)
        share = place - i
        return np.asarray((1 - share) * self.positions[i] + share * self.positions[i + 1])

    def window(self, start_s: float, horizon_s: float, step_s: float = 0.05) -> JointWindow:
        """What lies between two times, as a piece to stream."""
        times: Array = np.arange(0.0, horizon_s + 1e-9, step_s, dtype=float)
        return JointWindow(times, np.array([self.at(start_s + float(t)) for t in times]))


def braking(window: JointWindow, since_s: float, deceleration: Array) -> JointWindow:
    """The way on along a window, slower and slower, to where the joints can be at rest.

    At its end at the latest, where they would rest anyway; so nothing is passed that the window
    does not pass.

    Args:
        since_s: how long ago the window was sent.
        deceleration: of each joint, at most (J,) [rad/s^2].
    """
    begin_s = min(max(since_s, 0.0), float(window.times_s[-1]))
    left_s = float(window.times_s[-1]) - begin_s
    if left_s < _LEAST_S or len(window.positions) == 1:
        return JointWindow(np.array([_BRAKE_STEP_S]), window.positions[-1:])
    speeds = np.abs(np.diff(window.positions, axis=0)) / np.diff(window.times_s)[:, None]
    ahead = window.times_s[1:] > begin_s
    needed_s = float((speeds[ahead] / deceleration).max())
    duration_s = min(max(needed_s, _BRAKE_STEP_S), 2 * left_s)
    steps = math.ceil(duration_s / _BRAKE_STEP_S)
    times = np.linspace(0.0, duration_s, steps + 1, dtype=np.float64)
    gone = begin_s + times - times**2 / (2 * duration_s)
    columns = [np.interp(gone, window.times_s, joint) for joint in window.positions.T]
    return JointWindow(times, np.column_stack(columns))


def timed(path: Array, limits: MotionLimits, *, deviation_rad: float = 0.02) -> Trajectory:
    """The fastest run along a path (N, J), from rest to rest, through its first and last point.

    Corners are passed within `deviation_rad`, measured as a length in joint space.
    """
    pieces = _pieces(_distinct(np.asarray(path, dtype=float)), deviation_rad)
    if not pieces:
        return _resting(path[-1])
    lengths, tangents, curvatures, starts = _grid(pieces)
    speeds = _speeds(lengths, tangents, curvatures, limits)
    return _sampled(path[-1], lengths, tangents, curvatures, starts, speeds)


def remaining(path: Array, here: Array) -> Array:
    """The path (M, J) from a configuration near the path (N, J) to its end.

    The nearest of the path's straight pieces tells how far it was followed.
    """
    starts, steps = path[:-1], np.diff(path, axis=0)
    lengths = np.maximum(np.sum(steps * steps, axis=1), 1e-12)
    shares = np.clip(np.sum((here - starts) * steps, axis=1) / lengths, 0.0, 1.0)
    off = np.linalg.norm(starts + shares[:, None] * steps - here, axis=1)
    return np.concatenate([here[None], path[int(np.argmin(off)) + 1 :]])


@dataclass(frozen=True)
class _Piece:
    """A stretch q(s) = start + tangent s + curvature s^2 / 2 for 0 <= s <= length."""

    start: Array
    tangent: Array
    curvature: Array
    length: float


def _resting(joints: Array) -> Trajectory:
    return Trajectory(np.array([0.0, _SAMPLE_S]), np.array([joints, joints], dtype=float))


def _distinct(path: Array) -> Array:
    """The path without points that repeat the one before."""
    moved = np.linalg.norm(np.diff(path, axis=0), axis=1) > 1e-6
    kept: Array = path[np.concatenate([[True], moved])]
    if len(kept) > 1:
        kept[-1] = path[-1]
    return kept


def _pieces(path: Array, deviation_rad: float) -> list[_Piece]:
    steps = np.diff(path, axis=0)
    lengths = np.linalg.norm(steps, axis=1)
    ways = steps / np.maximum(lengths, 1e-12)[:, None]
    cuts = np.zeros(len(path))  # how far before and after a corner its blend reaches
    for i in range(1, len(path) - 1):
        turn = float(np.linalg.norm(ways[i] - ways[i - 1]))
        room = 0.5 * min(lengths[i - 1], lengths[i])
        cuts[i] = min(room, 4 * deviation_rad / max(turn, 1e-9))
    pieces = []
    for i, length in enumerate(lengths):
        straight = length - cuts[i] - cuts[i + 1]
        start = path[i] + ways[i] * cuts[i]
        if straight > 1e-12:
            pieces.append(_Piece(start, ways[i], np.zeros_like(start), straight))
        if i + 1 < len(lengths):
            reach = cuts[i + 1]
            bend = (ways[i + 1] - ways[i]) / (2 * reach)
            pieces.append(_Piece(path[i + 1] - ways[i] * reach, ways[i], bend, 2 * reach))
    return pieces


def _grid(pieces: list[_Piece]) -> tuple[Array, Array, Array, Array]:
    """Cells of the path: lengths (M,), tangents (M, 2, J) at both ends, curvatures (M, J) and
    starting positions (M, J)."""
    lengths, tangents, curvatures, starts = [], [], [], []
    for piece in pieces:
        count = max(2, int(np.ceil(piece.length / _GRID_RAD)))
        size = piece.length / count
        for s in np.arange(count) * size:
            lengths.append(size)
            ends = [
                piece.tangent + piece.curvature * s,
                piece.tangent + piece.curvature * (s + size),
            ]
            tangents.append(ends)
            curvatures.append(piece.curvature)
            starts.append(piece.start + piece.tangent * s + piece.curvature * s * s / 2)
    return np.array(lengths), np.array(tangents), np.array(curvatures), np.array(starts)


def _speeds(lengths: Array, tangents: Array, curvatures: Array, limits: MotionLimits) -> Array:
    """(M + 1,) path speeds at the cells' ends."""
    steepest = np.maximum(np.abs(tangents).max(axis=1), 1e-9)
    fastest = (limits.velocity / steepest).min(axis=1) ** 2
    bend = np.maximum(np.abs(curvatures), 1e-9)
    bent = (_CURVATURE_SHARE * limits.acceleration / bend).min(axis=1)
    cap = np.minimum(fastest, bent)
    gain = ((1 - _CURVATURE_SHARE) * limits.acceleration / steepest).min(axis=1)
    squares = np.minimum(np.append(cap, np.inf), np.append(np.inf, cap))
    squares[0] = squares[-1] = 0.0
    for i in range(len(lengths)):
        squares[i + 1] = min(squares[i + 1], squares[i] + 2 * gain[i] * lengths[i])
    for i in reversed(range(len(lengths))):
        squares[i] = min(squares[i], squares[i + 1] + 2 * gain[i] * lengths[i])
    return np.asarray(np.sqrt(squares))


def _sampled(
    goal: Array, lengths: Array, tangents: Array, curvatures: Array, starts: Array, speeds: Array
) -> Trajectory:
    """Even samples; inside a cell the path speed changes at a constant rate."""
    durations = 2 * lengths / (speeds[:-1] + speeds[1:])
    rates = (speeds[1:] - speeds[:-1]) / durations
    begins = np.concatenate([[0.0], np.cumsum(durations)])
    count = int(np.ceil(begins[-1] / _SAMPLE_S)) + 1
    # The last interval would be cut short: run a little slower instead, which keeps all limits.
    times = np.linspace(0.0, begins[-1], count)
    cell = np.clip(np.searchsorted(begins, times, side="right") - 1, 0, len(lengths) - 1)
    local = times - begins[cell]
    s = speeds[cell] * local + rates[cell] * local**2 / 2
    positions = (
        starts[cell] + tangents[cell, 0] * s[:, None] + curvatures[cell] * (s**2)[:, None] / 2
    )
    positions[-1] = goal
    return Trajectory(_SAMPLE_S * np.arange(count, dtype=np.float64), positions)
