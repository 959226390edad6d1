"""Setpoints that a policy streams to an arm, and how the arm comes to rest where none follows.

With each setpoint the driver gets the way from where its command is to the setpoint, and from
there on to where the joints can be at rest. So an arm that hears nothing more, for whatever
reason, brakes by itself, over places that were checked before they were sent.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import JointWindow
from sayso.core.scene import RobotState, Scene
from sayso.skills.trajectory import MotionLimits

LATE_SHARE = 0.5
"""Of a period: a setpoint that takes longer comes too late. What is left of the period is at least
this much, so that joints are sped up by no more than twice what was meant."""
RATES_HZ = (10.0, 50.0)
"""How often setpoints may come, at least and at most."""
BRAKE_SHARE = 0.5
"""Of the joints' acceleration limits, for braking: a driver must be able to follow it."""
_STEP_S = 0.02
_AT_REST_S = 1e-3
"""What can be braked within this is at rest."""
_ROUNDING = 1e-6


@dataclass(frozen=True)
class Observation:
    """What a policy is asked for a setpoint with.

    Attributes:
        now_s: when it is asked, on the clock of stamps.
        scene, robot: the newest.
        command: (J,) where the arm is told to be now [rad].
        velocity: (J,) at which that moves [rad/s].
        period_s: between setpoints.
    """

    now_s: float
    scene: Scene
    robot: RobotState
    command: Array
    velocity: Array
    period_s: float

    def towards(self, goal: Array, limits: MotionLimits) -> Array:
        """The setpoint (J,) on the way to rest at a goal (J,), as fast as the limits allow."""
        offset = goal - self.command
        braking = np.sqrt(2 * BRAKE_SHARE * limits.acceleration * np.abs(offset))
        fastest = np.minimum(np.minimum(limits.velocity, braking), np.abs(offset) / self.period_s)
        most = limits.acceleration * self.period_s
        change = np.clip(np.sign(offset) * fastest - self.velocity, -most, most)
        return np.asarray(self.command + (self.velocity + change) * self.period_s)

    def nearly(self, setpoint: Array, limits: MotionLimits) -> Array:
        """A setpoint (J,), or as near to it as the joints can be in a period."""
        most = limits.acceleration * self.period_s
        wanted = (setpoint - self.command) / self.period_s
        change = np.clip(wanted - self.velocity, -most, most)
        return np.asarray(self.command + (self.velocity + change) * self.period_s)


Policy = Callable[[Observation], Array | None]
"""Where the joints (J,) [rad] shall be one period later; None where it is done."""


@dataclass(frozen=True)
class Piece:
    """What is sent with a setpoint.

    Attributes:
        window: from where the command is, over the setpoint, to rest.
        path: (3, J) the same as corners.
    """

    window: JointWindow
    path: Array


class SetpointStream:
    """Follows what was sent; tells what is to be sent with the next setpoint, or why not.

    Args:
        start: (J,) where the arm rests [rad].
        limits: of the joints.
        period_s: between setpoints.
        now_s: the time.

    Attributes:
        sent_s: when the newest piece was sent.

    Raises:
        SaySoError: LIMIT for a period outside of `RATES_HZ`.
    """

    def __init__(self, start: Array, limits: MotionLimits, period_s: float, now_s: float) -> None:
        slowest_hz, fastest_hz = RATES_HZ
        if not 1 / fastest_hz <= period_s <= 1 / slowest_hz:
            raise SaySoError(
                Code.LIMIT,
                f"a setpoint every {period_s:.3f} s cannot be streamed.",
                hint=f"stream {slowest_hz:.0f} to {fastest_hz:.0f} of them in a second.",
            )
        self.period_s = period_s
        self._limits = limits
        self._window = JointWindow(np.zeros(1), np.array([start], dtype=float))
        self.sent_s = now_s

    @property
    def rest(self) -> Array:
        """(J,) where the arm comes to rest if nothing more is sent."""
        return np.asarray(self._window.positions[-1])

    def command(self, now_s: float) -> Array:
        """(J,) where the arm is told to be at a time."""
        return self._at(max(now_s - self.sent_s, 0.0))

    def velocity(self, now_s: float) -> Array:
        """(J,) at which that moves [rad/s]."""
        since_s, times_s = max(now_s - self.sent_s, 0.0), self._window.times_s
        if since_s >= times_s[-1]:
            return np.zeros_like(self.rest)
        i = int(np.searchsorted(times_s, since_s, side="right"))
        gone = self._window.positions[i] - self._window.positions[i - 1]
        return np.asarray(gone / (times_s[i] - times_s[i - 1]))

    def piece(self, setpoint: Array, now_s: float, asked_s: float) -> Piece:
        """What is to be sent at a time, so that the arm is at the setpoint one period after it was
        asked for: it is to go on as fast as it goes, however long the answer took.

        Raises:
            SaySoError: LIMIT for what is no setpoint, and for one that the joints cannot be at in
                time.
        """
        begin = self.command(now_s)
        point = np.asarray(setpoint, dtype=float)
        if point.shape != begin.shape or not np.isfinite(point).all():
            text = f"the policy gave no setpoint of {len(begin)} finite joint positions."
            raise SaySoError(Code.LIMIT, text)
        lead_s = max(asked_s + self.period_s - now_s, (1.0 - LATE_SHARE) * self.period_s)
        speed = (point - begin) / lead_s
        self._require_possible(speed, self.velocity(now_s))
        brake_s = float(np.max(np.abs(speed) / (BRAKE_SHARE * self._limits.acceleration)))
        after_s = np.linspace(0.0, brake_s, int(np.ceil(brake_s / _STEP_S)) + 1)[1:]
        if brake_s < _AT_REST_S:
            after_s = after_s[:0]
        slowing = after_s - after_s**2 / (2 * max(brake_s, _AT_REST_S))
        times_s = np.concatenate([[0.0, lead_s], lead_s + after_s])
        tail = point + slowing[:, None] * speed
        window = JointWindow(times_s, np.vstack([begin, point, tail]))
        return Piece(window, np.array([begin, point, window.positions[-1]]))

    def note(self, piece: Piece, now_s: float) -> None:
        """A piece was sent."""
        self._window, self.sent_s = piece.window, now_s

    def _at(self, since_s: float) -> Array:
        columns = self._window.positions.T
        return np.array([np.interp(since_s, self._window.times_s, c) for c in columns])

    def _require_possible(self, speed: Array, before: Array) -> None:
        over = np.abs(speed) - self._limits.velocity
        if over.max() > _ROUNDING:
            joint = int(over.argmax())
            text = f"a setpoint asks a joint to turn at {abs(speed[joint]):.1f} rad/s"
            limit = f"{self._limits.velocity[joint]:.1f} rad/s"
            raise SaySoError(Code.LIMIT, f"{text}; it can do {limit}.")
        gain = np.abs(speed - before) / self.period_s
        if (gain - self._limits.acceleration).max() > _ROUNDING:
            joint = int((gain - self._limits.acceleration).argmax())
            text = f"a setpoint asks a joint to gain {gain[joint]:.1f} rad/s in a second"
            limit = f"{self._limits.acceleration[joint]:.1f}"
            raise SaySoError(Code.LIMIT, f"{text}; it can do {limit}.")
