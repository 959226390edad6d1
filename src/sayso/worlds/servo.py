"""The simulated joint controller: follows streamed windows within the arm's limits."""

from __future__ import annotations

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import JointWindow

_BRAKE_SHARE = 0.7
"""Of the acceleration limit, for braking into a target: the rest is for being late."""
_CATCH_UP_S, _ACCELERATE_S = 0.04, 0.01
"""In which a gentle servo makes up for what is left of a small error of position, and of speed."""


class JointServo:
    """A reference that moves along the newest window within velocity and acceleration limits.

    A window whose points jump is caught up with as fast as the limits allow. A window that
    ends at speed is left in time to stop at its last point, which is then held: no joint goes
    beyond where the rest of the window goes. `brake` brings the reference to rest along its
    present direction.
    """

    def __init__(
        self,
        start: Array,
        velocity_limits: Array,
        acceleration_limits: Array,
        *,
        gentle: bool = False,
    ) -> None:
        """`gentle`: small errors are made up for little by little. What does so at once jolts the
        arm with each window, and what slanted jaws hold out of them; it follows more closely."""
        self._position = np.array(start, dtype=float)
        self._velocity = np.zeros_like(self._position)
        self._v_max = velocity_limits
        self._a_max = acceleration_limits
        self._window: JointWindow | None = None
        self._highest: Array = np.zeros((1, len(self._position)))
        self._lowest = self._highest
        self._since_s = 0.0
        self._braking: Array | None = None
        self._gentle = gentle

    @property
    def position(self) -> Array:
        return np.array(self._position)

    def follow(self, window: JointWindow) -> None:
        """Take a new window, counted from now. Raises INVALID for a malformed one."""
        self._window = _checked(window, len(self._position))
        backwards = self._window.positions[::-1]
        self._highest = np.maximum.accumulate(backwards)[::-1]
        self._lowest = np.minimum.accumulate(backwards)[::-1]
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
            target, velocity = _interpolate(self._window, self._since_s)
            self._chase(target, velocity, self._speeds_within_window(), dt_s)
        elif self._braking is not None:
            slower = self._velocity - self._braking * dt_s
            done = np.dot(slower, self._braking) <= 0
            self._velocity = np.zeros_like(slower) if done else slower
            self._position += self._velocity * dt_s
            self._braking = None if done else self._braking
        else:
            self._velocity = np.zeros_like(self._velocity)
        return self._position, self._velocity

    def _speeds_within_window(self) -> tuple[Array, Array]:
        """Lowest and highest velocity from which the rest of the window is not overshot."""
        times = self._window.times_s if self._window is not None else np.zeros(1)
        rest = min(int(np.searchsorted(times, self._since_s)), len(times) - 1)
        down = np.maximum(0.0, self._position - self._lowest[rest])
        up = np.maximum(0.0, self._highest[rest] - self._position)
        return -self._braking_speed(down), self._braking_speed(up)

    def _braking_speed(self, distance: Array) -> Array:
        """From which the reference comes to rest within a distance."""
        return np.asarray(np.sqrt(2 * _BRAKE_SHARE * self._a_max * distance))

    def _chase(
        self, target: Array, target_velocity: Array, within: tuple[Array, Array], dt_s: float
    ) -> None:
        """One step towards a moving target, slow enough to brake when there."""
        error = target - target_velocity * dt_s - self._position
        catch_up_s, accelerate_s = (_CATCH_UP_S, _ACCELERATE_S) if self._gentle else (dt_s, dt_s)
        closing = np.minimum(np.abs(error) / catch_up_s, self._braking_speed(np.abs(error)))
        wanted = np.clip(target_velocity + np.sign(error) * closing, -self._v_max, self._v_max)
        wanted = np.clip(wanted, *within)
        change = self._a_max * dt_s
        gently = (wanted - self._velocity) * min(1.0, dt_s / accelerate_s)
        gently = np.clip(self._velocity + gently, *within) - self._velocity
        self._velocity = self._velocity + np.clip(gently, -change, change)
        self._position = self._position + self._velocity * dt_s


def _interpolate(window: JointWindow, t: float) -> tuple[Array, Array]:
    """Position and velocity at a time; at rest before the first and after the last point."""
    times, points = window.times_s, window.positions
    i = int(np.searchsorted(times, t))
    if i == 0 or i >= len(times):
        edge = points[min(i, len(times) - 1)]
        return np.asarray(edge), np.zeros_like(edge)
    slope = (points[i] - points[i - 1]) / (times[i] - times[i - 1])
    return np.asarray(points[i - 1] + slope * (t - times[i - 1])), np.asarray(slope)


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
