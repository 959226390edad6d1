"""The simulated joint controller: follows streamed windows within the arm's limits."""

from __future__ import annotations

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import JointWindow


class JointServo:
    """A reference that moves along the newest window, never faster than the joints may.

    It holds the last point when a window ends. `brake` brings the reference to rest along
    its present direction, each joint within its acceleration limit.
    """

    def __init__(self, start: Array, velocity_limits: Array, acceleration_limits: Array) -> None:
        self._position = np.array(start, dtype=float)
        self._velocity = np.zeros_like(self._position)
        self._v_max = velocity_limits
        self._a_max = acceleration_limits
        self._window: JointWindow | None = None
        self._since_s = 0.0
        self._braking: Array | None = None

    @property
    def position(self) -> Array:
        return np.array(self._position)

    def follow(self, window: JointWindow) -> None:
        """Take a new window, counted from now. Raises INVALID for a malformed one."""
        self._window = _checked(window, len(self._position))
        self._since_s = 0.0
        self._braking = None

    def brake(self) -> None:
        """Forget the window and come to rest."""
        if self._window is None:
            return
        self._window = None
        duration = float(np.max(np.abs(self._velocity) / self._a_max))
        self._braking = self._velocity / duration if duration > 0 else None

    def step(self, dt_s: float) -> tuple[Array, Array]:
        """Advance; the reference position (J,) [rad] and velocity (J,) [rad/s]."""
        if self._window is not None:
            self._since_s += dt_s
            self._move_to(_interpolate(self._window, self._since_s), dt_s)
        elif self._braking is not None:
            slower = self._velocity - self._braking * dt_s
            done = np.dot(slower, self._braking) <= 0
            self._velocity = np.zeros_like(slower) if done else slower
            self._position += self._velocity * dt_s
            self._braking = None if done else self._braking
        else:
            self._velocity = np.zeros_like(self._velocity)
        return self._position, self._velocity

    def _move_to(self, target: Array, dt_s: float) -> None:
        limit = self._v_max * dt_s
        step = np.clip(target - self._position, -limit, limit)
        self._position = self._position + step
        self._velocity = step / dt_s


def _interpolate(window: JointWindow, t: float) -> Array:
    times, points = window.times_s, window.positions
    i = int(np.searchsorted(times, t))
    if i == 0 or i >= len(times):
        return np.asarray(points[min(i, len(times) - 1)])
    share = (t - times[i - 1]) / (times[i] - times[i - 1])
    return np.asarray(points[i - 1] + share * (points[i] - points[i - 1]))


def _checked(window: JointWindow, joints: int) -> JointWindow:
    times = np.asarray(window.times_s, dtype=float)
    points = np.asarray(window.positions, dtype=float)
    if times.ndim != 1 or points.shape != (len(times), joints) or not len(times):
        raise SaySoError(Code.INVALID, f"a joint window needs N times and (N, {joints}) positions.")
    if not (np.isfinite(times).all() and np.isfinite(points).all()):
        raise SaySoError(Code.INVALID, "a joint window has values that are not finite.")
    if np.any(np.diff(times) <= 0):
        raise SaySoError(Code.INVALID, "a joint window's times must increase.")
    return JointWindow(times, points)
