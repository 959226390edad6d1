"""Bounds on motion that hold whatever was authorised."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.geometry import Vector3


@dataclass(frozen=True)
class GateLimits:
    """Bounds that hold whatever was authorised.

    Attributes:
        low, high: corners of the box in which the tool centre point must stay, in the frame of
            the arm's foot [m].
        velocity_rad_s: per joint.
        force_n, width_m: of the fingers.
        foresight_s: how far ahead conditions see the robot.
        horizon_s: how much is sent at once; the arm rests this long after the last window.
        period_s: time between windows.
        fresh_s: age at which a joint reading is too old to move by.
        lag_rad: distance between a joint and its command at which the arm counts as blocked.
        arrived_rad: this near to its goal a motion has ended.
        missed_rad: farther from it a second later, the arm counts as blocked.
    """

    low: Vector3 = (-0.3, -0.85, -0.01)
    high: Vector3 = (0.9, 0.85, 1.1)
    velocity_rad_s: float = 2.7
    force_n: float = 80.0
    width_m: float = 0.08
    foresight_s: float = 0.3
    horizon_s: float = 0.4
    period_s: float = 0.05
    fresh_s: float = 0.3
    lag_rad: float = 0.3
    arrived_rad: float = 0.01
    missed_rad: float = 0.05
