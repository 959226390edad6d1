"""A person who guides the arm by buttons to hang a mug on a rack, by what a page shows them.

They see the things' points, where the gripper is, how it is turned and how wide open; no true
shapes, no contacts. They hold buttons for as long as they think it takes, look, and correct.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from sayso.core.geometry import Array

_FAR_OUTSIDE_M, _OUTSIDE_M, _INSIDE_M, _PART_M = 0.095, 0.055, -0.005, 0.03
"""From a peg's middle: where its loop begins and ends, and in what parts it goes."""
_REACH_M = 0.35, 0.65
"""So near and far from its foot the arm puts things with ease."""
_GRASP_DEEP_M, _WALL_M = 0.018, 0.0025
_ABOVE_M, _LOWER_M = 0.10, 0.008
"""So far above what it takes the hand goes about; and so far it lets a loop down on its peg."""
_HANDLE_FROM_M, _BAR_M = 0.007, 0.009
"""What stands out of a mug's rim farther than this is its handle; a handle is so thick."""
_FOOT_M, _PEGS_FROM_M, _POST_M, _PEG_M = 0.04, 0.12, 0.025, 0.003
"""Heights of a rack's foot and pegs, widths of its post, and of a peg, seen mostly from above."""
_ROUGH_M, _FINE_M, _TURN_RAD = 0.012, 0.003, 0.02
_GAP_RAD, _FEWEST = 0.4, 4
"""Between two pegs; fewer points are no peg."""
_LONGEST_S, _TELLING_S = 6.0, 0.05
"""So long a button is held before they look again; what shorter presses did tells no speed."""
_LEAST, _MOST = 0.4, 2.0
"""By so much a speed that they believed in may change at once."""


@dataclass(frozen=True)
class Gripper:
    """As the page shows it.

    Attributes:
        place: (4,) x, y, z [m], and how it is turned about z [rad], 0 as fingers close along y.
        width_m: between the fingers.
    """

    place: Array
    width_m: float


@dataclass(frozen=True)
class Goal:
    """Where the hand shall be.

    Attributes:
        place: (4,) as `Gripper.place`.
        off_m: so far off is near enough.
        fingers: what they do there: 1 opens, -1 closes.
        width_m: at which opening fingers are let go.
    """

    place: Array
    off_m: float = _ROUGH_M
    fingers: int = 0
    width_m: float = 0.08


@dataclass(frozen=True)
class Mug:
    """A mug as its points show it: rim and handle.

    Attributes:
        middle: (3,) of the rim's circle.
        radius_m: of the rim.
        out: (2,) the way the handle stands out.
        loop: (3,) the middle of the handle's loop, from the rim's middle.
    """

    middle: Array
    radius_m: float
    out: Array
    loop: Array

    @classmethod
    def of(cls, points: Array) -> Mug:
        top = float(np.percentile(points[:, 2], 99))
        rim = _within(points, top - 0.008, top + 0.01)[:, :2]
        middle, _ = circle(rim)
        radius = float(np.percentile(np.linalg.norm(rim - middle, axis=1), 90))
        far = np.linalg.norm(points[:, :2] - middle, axis=1)
        handle = points[far > radius + _HANDLE_FROM_M]
        out = handle[:, :2].mean(axis=0) - middle
        out = out / np.linalg.norm(out)
        reach = float(np.percentile((handle[:, :2] - middle) @ out, 98))
        seen = float(np.mean(np.percentile(handle[:, 2], [2, 98])))
        low = float(np.percentile(points[:, 2], 1))
        height = (
            seen + (low + top) / 2
        ) / 2  # of a handle seen from above the lower part is hidden
        across = (radius + reach - _BAR_M) / 2
        return cls(np.array([*middle, top]), radius, out, np.array([*(across * out), height - top]))


def pegs(points: Array) -> list[tuple[Array, Array]]:
    """The pegs of a rack: the middle of each, and its way outwards."""
    low = float(points[:, 2].min())
    shaft = _within(points, low + _FOOT_M, low + _PEGS_FROM_M)
    post = (shaft[:, :2].min(axis=0) + shaft[:, :2].max(axis=0)) / 2
    off = points[:, :2] - post
    free = points[(np.linalg.norm(off, axis=1) > _POST_M) & (points[:, 2] > low + _PEGS_FROM_M)]
    angles = np.arctan2(*(free[:, :2] - post).T[::-1])
    order = np.argsort(angles)
    free, angles = free[order], angles[order]
    begins = np.flatnonzero(np.diff(angles, prepend=angles[-1] - 2 * np.pi) > _GAP_RAD)
    parts = np.split(free, begins[begins > 0])
    if not begins.size or begins[0] != 0:  # the first goes on behind the last
        parts = [np.concatenate([parts[-1], parts[0]]), *parts[1:-1]]
    return [_peg(part, post) for part in parts if len(part) > _FEWEST]


def _peg(points: Array, post: Array) -> tuple[Array, Array]:
    far = np.linalg.norm(points[:, :2] - post, axis=1)
    slope, height = np.polyfit(far, points[:, 2], 1)
    along = (points[:, :2] - post).mean(axis=0)
    along = along / np.linalg.norm(along)
    middle = (_POST_M * 0.5 + float(far.max())) / 2
    way = np.array([*along, slope])
    at = slope * middle + height - _PEG_M
    return np.array([*(post + middle * along), at]), way / np.linalg.norm(way)


@dataclass(frozen=True)
class Taking:
    """How a mug is taken to be hung on a peg.

    Attributes:
        goals: of the hand, until the mug is lifted and turned as it shall hang.
        peg: (3,) its middle.
        along: (3,) its way outwards.
    """

    goals: tuple[Goal, ...]
    peg: Array
    along: Array


def taking(mug_points: Array, rack_points: Array, hand: Array) -> Taking:
    """How the mug is taken by its rim, opposite the handle, for the peg that takes the least turn.

    Args:
        mug_points, rack_points: (N, 3) as they stand.
        hand: (4,) where it is.
    """
    mug = Mug.of(mug_points)
    ways = [
        _taking(mug, peg, along, hand, around, half)
        for peg, along in pegs(rack_points)
        for around in (-1, 1)
        for half in (0.0, np.pi)
    ]
    return min(ways, key=lambda way: way[0])[1]


def giving(mug_points: Array, taking: Taking, hand: Array) -> list[Goal]:
    """How the handle's loop is led over the peg from its tip, and let down on it.

    Args:
        mug_points: (N, 3) of the mug in the hand: it may have shifted as the fingers closed.
        hand: (4,) where it is.
    """
    mug = Mug.of(mug_points)
    held = mug.middle + mug.loop - hand[:3]
    steps = 1 + round((_OUTSIDE_M - _INSIDE_M) / _PART_M)
    off = (_FAR_OUTSIDE_M, *np.linspace(_OUTSIDE_M, _INSIDE_M, steps))
    spots = [taking.peg + s * taking.along - held for s in off]
    low = spots[-1] - [0.0, 0.0, _LOWER_M]
    up = spots[-1] + [0.0, 0.0, _ABOVE_M]
    over = np.array([*hand[:2], max(float(hand[2]), float(spots[0][2]))])
    return [
        Goal(np.array([*over, hand[3]])),
        *(Goal(np.array([*s, hand[3]]), _FINE_M) for s in spots),
        Goal(np.array([*low, hand[3]]), _FINE_M, 1, 0.05),
        Goal(np.array([*up, hand[3]])),
    ]


def _taking(
    mug: Mug, peg: Array, along: Array, hand: Array, around: int, half: float
) -> tuple[float, Taking]:
    """The cost of one way, and that way: the handle on this side of a peg."""
    rim = mug.middle.copy()
    rim[:2] -= (mug.radius_m - _WALL_M) * mug.out
    rim[2] -= _GRASP_DEEP_M
    turned = np.arctan2(mug.out[1], mug.out[0])
    take = _wrapped(turned - np.pi / 2 + half)
    turn = _wrapped(np.arctan2(along[1], along[0]) + around * np.pi / 2 - turned)
    held = _about_z(turn) @ (mug.middle + mug.loop - rim)  # the loop, from the hand
    spot = peg + _OUTSIDE_M * along - held
    up = np.array([0.0, 0.0, _ABOVE_M])
    lifted = np.array([*rim[:2], max(rim[2] + _ABOVE_M, float(spot[2]) + 0.02)])
    goals = (
        Goal(np.array([*hand[:3], take]), 1.0),
        Goal(np.array([*(rim + up), take]), _FINE_M, 1, 0.065),
        Goal(np.array([*rim, take]), _FINE_M, -1, 0.0),
        Goal(np.array([*lifted, take])),
        Goal(np.array([*lifted, take + turn])),
    )
    reach = float(np.linalg.norm(spot[:2]))
    near, far = _REACH_M
    cost = abs(take) + abs(take + turn) + 10 * max(0.0, reach - far, near - reach)
    return cost, Taking(goals, peg, along)


@dataclass
class Presses:
    """How long to hold which buttons: first at the speed they believe in, then as they saw it go.

    Attributes:
        speeds: (4,) of each axis while its button is held [m/s, rad/s].
    """

    speeds: Array

    def towards(self, goal: Goal, now: Array) -> Array:
        """(4,) seconds to hold each axis' button, negative for the one that goes back; all zero
        where it is near enough."""
        left = left_to(goal.place, now)
        near = np.array([goal.off_m] * 3 + [_TURN_RAD])
        held: Array = np.where(np.abs(left) < near, 0.0, left / self.speeds)
        return np.clip(held, -_LONGEST_S, _LONGEST_S)

    def saw(self, before: Array, held_s: Array, now: Array) -> None:
        """Where the hand came to by holding buttons for so long."""
        gone, told = left_to(now, before), np.abs(held_s) > _TELLING_S
        seen = np.where(told, gone / np.where(told, held_s, 1.0), self.speeds)
        mean = 0.5 * (self.speeds + seen)
        self.speeds = np.clip(mean, _LEAST * self.speeds, _MOST * self.speeds)


def left_to(goal: Array, now: Array) -> Array:
    """(4,) what is left from here to there, turns by the shorter way."""
    left: Array = goal - now
    left[3] = _wrapped(left[3])
    return left


def gripper_of(shown: Mapping[str, Any]) -> Gripper:
    """Of a scene as the page has it."""
    gripper = shown["gripper"]
    return Gripper(np.array([*gripper["at"], gripper["turned"]]), float(gripper["width"]))


def points_of(shown: Mapping[str, Any], kind: str) -> Array:
    """(N, 3) of the only thing of a kind that the page shows."""
    return np.array(next(t["points"] for t in shown["things"] if kind in t["name"]))


def circle(points: Array) -> tuple[Array, float]:
    """Middle and radius of the circle nearest (N, 2) points (Kasa's fit)."""
    rows = np.column_stack([2 * points, np.ones(len(points))])
    x, y, c = np.linalg.lstsq(rows, (points**2).sum(axis=1), rcond=None)[0]
    return np.array([x, y]), float(np.sqrt(c + x * x + y * y))


def _within(points: Array, low: float, high: float) -> Array:
    return points[(points[:, 2] > low) & (points[:, 2] < high)]


def _about_z(turn: float) -> Array:
    c, s = np.cos(turn), np.sin(turn)
    return np.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]])


def _wrapped(angle: float) -> float:
    return float((angle + np.pi) % (2 * np.pi) - np.pi)
