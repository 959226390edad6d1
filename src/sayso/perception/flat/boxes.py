"""Upright boxes around what several sightings of one thing show."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.spatial import cKDTree

from sayso.core.geometry import Array, Vector3
from sayso.core.scene import SceneObject
from sayso.perception.flat.sightings import Sighting
from sayso.perception.recognition import yaw_of
from sayso.perception.shapes import fit_by_edges, inner_range, thin

_SMALL_M = 0.45  # things with a smaller diagonal are measured from close by only
_USED = 24
_NEARER = 1.5  # sightings from farther than this many times the nearest are not measured from
_NEAR_ENOUGH_M = 3.0
_ROUNDS = 2
_PULL_M = 0.10
_FLOOR_M = 0.12
_TRIM = 0.7  # percent
_POINTS = 4000
_BELOW_RIM = 0.85  # share of its height up to which the side of what is round is looked at
_ROUND = 0.04  # median distance from the circle, in radii: a corner's two sides have twice as much
_AS_WIDE = (0.9, 1.3)  # its diameter, as a share of what shows
_LEAST_ARC = 1.8  # [rad]
_LEAST_ROUND = 40


@dataclass(frozen=True)
class UprightBox:
    """Centre, extent along its own axes [m], and yaw [rad]."""

    centre: Vector3
    size: Vector3
    yaw: float

    @staticmethod
    def of(thing: SceneObject) -> UprightBox:
        """The box of an upright thing."""
        return UprightBox(thing.position, thing.size, yaw_of(thing.orientation))

    @property
    def low_z(self) -> float:
        return self.centre[2] - self.size[2] / 2

    @property
    def high_z(self) -> float:
        return self.centre[2] + self.size[2] / 2

    def volume(self) -> float:
        """[m3]"""
        return float(np.prod(self.size))

    def holds(self, points: Array, margin_m: float = 0.0) -> Array:
        """(N,) bool: which of (N, 3) points lie inside, or within a margin."""
        local = self.local(points)
        return np.asarray((np.abs(local) <= np.asarray(self.size) / 2 + margin_m).all(axis=1))

    def local(self, points: Array) -> Array:
        """(N, 3) points in the box's own axes, from its centre."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        d = points - np.asarray(self.centre)
        return np.column_stack([c * d[:, 0] + s * d[:, 1], c * d[:, 1] - s * d[:, 0], d[:, 2]])

    def moved_to_hold(self, points: Array) -> UprightBox:
        """The box moved over the floor no farther than it takes to hold (N, 3) points.

        A few strays are ignored; the points spread no wider than the box.
        """
        local, half = self.local(points), np.asarray(self.size) / 2
        step = np.zeros(2)
        for axis in (0, 1):
            low, high = inner_range(local[:, axis], _TRIM)
            step[axis] = max(high - half[axis], 0.0) - max(-half[axis] - low, 0.0)
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        x, y = np.array([[c, -s], [s, c]]) @ step + self.centre[:2]
        return UprightBox((float(x), float(y), self.centre[2]), self.size, self.yaw)

    def grid(self, steps: int = 6) -> Array:
        """(steps^3, 3) points spread through the box."""
        ticks = (np.arange(steps) + 0.5) / steps - 0.5
        local = np.stack(np.meshgrid(ticks, ticks, ticks), axis=-1).reshape(-1, 3)
        local = local * np.asarray(self.size)
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        turned = np.column_stack(
            [c * local[:, 0] - s * local[:, 1], s * local[:, 0] + c * local[:, 1], local[:, 2]]
        )
        return np.asarray(turned + np.asarray(self.centre))


def measure(seen: Sequence[Sighting]) -> tuple[UprightBox, Array]:
    """The box around a thing, and the surface points (N, 3) that it was measured from."""
    best = measured_from(seen)
    points = np.concatenate(aligned([s.points for s in best]))
    return fit_box(points), thin(points, _POINTS)


def measured_from(seen: Sequence[Sighting]) -> list[Sighting]:
    """The sightings that tell best how large a thing is and where: near ones, whole ones first."""
    nearest = min(s.distance_m for s in seen)
    small = max(s.diagonal_m for s in seen) < _SMALL_M
    limit = _NEARER * nearest if small else max(_NEAR_ENOUGH_M, _NEARER * nearest)
    near = [s for s in seen if s.distance_m <= limit]
    if small and any(not s.cut for s in near):
        near = [s for s in near if not s.cut]
    return sorted(near, key=lambda s: s.distance_m)[:_USED]


def fit_box(points: Array) -> UprightBox:
    """A small upright box along (N, 3) points, N >= 1, that ignores a few strays."""
    foot = fit_by_edges(points[:, :2])
    low, high = (float(v) for v in inner_range(points[:, 2], _TRIM))
    if low < _FLOOR_M:
        low = 0.0
    least = 0.005
    high = max(high, low + least)
    size = (max(foot.length, least), max(foot.width, least), high - low)
    return UprightBox((*foot.centre, (low + high) / 2), size, foot.yaw)


def fit_round(points: Array, box: UprightBox) -> UprightBox | None:
    """The upright box of what is round seen from above, such as a can; None of what is not.

    Args:
        points: (N, 3) that one view shows of it.
        box: around them, from `fit_box`.

    A view shows the near side alone, of which a box would be too shallow and too near. A circle
    through it, fitted by algebraic least squares (Kasa 1976), has its middle where the thing's is.
    The points below the upper rim are used: those on top lie inside of the circle.
    """
    side = points[points[:, 2] < box.low_z + _BELOW_RIM * box.size[2]][:, :2]
    if len(side) < _LEAST_ROUND:
        return None
    middle = side.mean(axis=0)
    near = side - middle
    terms = np.column_stack([2 * near, np.ones(len(near))])
    (x, y, rest), *_ = np.linalg.lstsq(terms, (near**2).sum(axis=1), rcond=None)
    radius = float(np.sqrt(max(rest + x * x + y * y, 0.0)))
    spokes = near - (x, y)
    off = np.abs(np.linalg.norm(spokes, axis=1) - radius)
    wide = 2 * radius / max(box.size[:2])
    if not (np.median(off) < _ROUND * radius and _AS_WIDE[0] < wide < _AS_WIDE[1]):
        return None
    if _arc(spokes) < _LEAST_ARC:
        return None
    centre = (float(middle[0] + x), float(middle[1] + y), box.centre[2])
    return UprightBox(centre, (2 * radius, 2 * radius, box.size[2]), 0.0)


def _arc(spokes: Array) -> float:
    """The angle [rad] that directions (N, 2) span, but for a few strays."""
    angles = np.sort(np.arctan2(spokes[:, 1], spokes[:, 0]))
    gaps = np.diff(np.append(angles, angles[0] + 2 * np.pi))
    around = np.roll(angles, -1 - int(gaps.argmax()))
    turned = np.unwrap(around)
    low, high = np.quantile(turned, [0.02, 0.98])
    return float(high - low)


def aligned(clouds: Sequence[Array]) -> list[Array]:
    """The clouds (N, 3), each shifted to fit the others: each frame's pose is off by a little.

    A few rounds of the translational part of iterative closest points (Besl and McKay 1992),
    every cloud against all others; what all have in common stays.
    """
    if len(clouds) < 2:
        return list(clouds)
    shifted = [np.array(c) for c in clouds]
    moved = np.zeros((len(clouds), 3))
    for _ in range(_ROUNDS):
        everything = np.concatenate(shifted)
        owner = np.repeat(np.arange(len(shifted)), [len(c) for c in shifted])
        tree = cKDTree(everything)
        steps = np.array([_step(tree, everything, owner, i, c) for i, c in enumerate(shifted)])
        steps -= steps.mean(axis=0)
        moved += steps
        shifted = [c + s for c, s in zip(shifted, steps, strict=True)]
    return [c - moved.mean(axis=0) for c in shifted]


def _step(tree: cKDTree, everything: Array, owner: Array, own: int, cloud: Array) -> Array:
    """The middle offset from a cloud's points to the nearest ones of other clouds."""
    few = thin(cloud, 200)
    distance, index = tree.query(few, k=8, distance_upper_bound=_PULL_M)
    found = np.isfinite(distance)
    others = found & (owner[np.where(found, index, 0)] != own)
    has = others.any(axis=1)
    if has.sum() < 5:
        return np.zeros(3)
    # All near neighbours of other clouds, averaged: their noise averages out as well.
    weight = others[has].astype(float)
    near = everything[np.where(found[has], index[has], 0)]
    target = (near * weight[..., None]).sum(axis=1) / weight.sum(axis=1, keepdims=True)
    return np.asarray(np.median(target - few[has], axis=0))
