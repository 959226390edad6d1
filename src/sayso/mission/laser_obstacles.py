"""What a laser shows that neither the map nor what is known to stand there explains.

A laser looks where no camera does, but cannot tell what it sees. What it sees of walls and
furniture is on the map, what it sees of things and of those who walk is in the scene; the rest is
something that came there unseen.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np
from scipy.sparse import coo_matrix
from scipy.sparse.csgraph import connected_components

from sayso.core.geometry import Array, Pose
from sayso.core.scene import SceneObject
from sayso.planning.navigation.grid import OCCUPIED, Mask, OccupancyGrid
from sayso.planning.navigation.nearness import Footprint


@dataclass(frozen=True, eq=False)
class Sweep:
    """One turn of a laser.

    Attributes:
        base: where the base was [frame `map`].
        points: (N, 2) what the beams met, x, y [m, frame `map`].
        footprint_m: length and width of the base.
    """

    stamp_s: float
    base: Pose
    points: Array
    footprint_m: tuple[float, float]


REACH_M = 2.5
"""Returns farther from the base's middle are left out."""
MARGIN_M = 0.15
"""So near to something known, a return is of that: the noise of laser, localisation, map, boxes."""
WALKING_M, WALKING_M_S = 0.4, 0.6
"""The same, at most, for what may have gone on since it was seen; so fast."""
BODY_M = 0.04
"""So near to the base's outline, a return is of the robot or its load."""
APART_M = 0.35
"""Returns nearer to each other than this are of one thing."""
LEAST = 3
"""Fewer returns are noise."""


@dataclass(frozen=True, eq=False)
class UnknownObstacle:
    """Something that was not known to be there.

    Attributes:
        points: (N, 2) its returns, x, y [m, frame `map`].
    """

    points: Array

    @property
    def place(self) -> tuple[float, float]:
        """The middle of its returns."""
        x, y = self.points.mean(axis=0)
        return float(x), float(y)

    @property
    def width_m(self) -> float:
        """At most so wide it was seen to be."""
        low, high = self.points.min(axis=0), self.points.max(axis=0)
        return float(np.hypot(*(high - low)))

    @property
    def outline(self) -> Footprint:
        """The rectangle around its returns."""
        (x0, y0), (x1, y1) = self.points.min(axis=0), self.points.max(axis=0)
        sizes = (max(float(x1 - x0), 0.01), max(float(y1 - y0), 0.01))
        return Footprint.box(float(x0 + x1) / 2, float(y0 + y1) / 2, *sizes)

    def distance_m(self, place: tuple[float, float]) -> float:
        """From a place to its nearest return."""
        return float(np.linalg.norm(self.points - np.asarray(place), axis=1).min())


def sweep_of(
    stamp_s: float,
    base: Pose,
    laser: Pose,
    angles: Array,
    ranges: Array,
    footprint_m: tuple[float, float],
) -> Sweep:
    """A sweep in the map.

    Args:
        base, laser: where they were [frame `map`].
        angles, ranges: (N,) of the beams in the laser's frame [rad, m]; not finite: no return.
        footprint_m: length and width of the base.
    """
    met = np.isfinite(ranges)
    r, a = np.asarray(ranges, float)[met], np.asarray(angles, float)[met]
    local = np.column_stack([r * np.cos(a), r * np.sin(a), np.zeros(len(r))])
    return Sweep(stamp_s, base, laser.transform(local)[:, :2], footprint_m)


def unknown_obstacles(
    sweep: Sweep,
    grid: OccupancyGrid,
    still: Iterable[SceneObject],
    walking: Iterable[SceneObject] = (),
) -> tuple[UnknownObstacle, ...]:
    """What stands around the base unexplained, the nearest first.

    Args:
        still: things known to be where they were last seen.
        walking: those that may have moved a little since.
    """
    middle = np.asarray(sweep.base.position[:2])
    points = sweep.points[np.linalg.norm(sweep.points - middle, axis=1) <= REACH_M]
    points = points[~on_robot(points, sweep, sweep.base, BODY_M)]
    points = points[~on_map(points, grid, MARGIN_M)]
    for thing in still:
        points = points[~on_thing(points, thing, MARGIN_M)]
    for thing in walking:
        since_s = max(sweep.stamp_s - thing.last_seen_s, 0.0)
        gone_m = min(MARGIN_M + WALKING_M_S * since_s, WALKING_M)
        points = points[~on_thing(points, thing, gone_m)]
    found = [UnknownObstacle(p) for p in _together(points, APART_M) if len(p) >= LEAST]
    x, y = (float(v) for v in middle)
    return tuple(sorted(found, key=lambda f: f.distance_m((x, y))))


def blocking(sweep: Sweep, now: Pose, rest: Pose) -> Array:
    """(N, 2) what was met where the base would stand at `rest`, and does not stand `now`."""
    points = sweep.points[on_robot(sweep.points, sweep, rest, 0.0)]
    return np.asarray(points[~on_robot(points, sweep, now, BODY_M)])


def as_met(thing: SceneObject, sweep: Sweep, grid: OccupancyGrid) -> SceneObject:
    """A thing as large as what the laser meets around it, if nothing on the map explains that.

    Cameras may see but a part of somebody who is near, and take the middle of that for theirs.
    """
    met = sweep.points[on_thing(sweep.points, thing, WALKING_M)]
    met = met[~on_robot(met, sweep, sweep.base, BODY_M)]
    met = met[~on_map(met, grid, MARGIN_M)]
    if len(met) < LEAST:
        return thing
    pose, half = thing.pose, np.asarray(thing.size) / 2
    raised = np.column_stack([met, np.full(len(met), thing.position[2])])
    local = pose.inverse().transform(raised)
    low = np.minimum(-half, local.min(axis=0) * (1, 1, 0))
    high = np.maximum(half, local.max(axis=0) * (1, 1, 0))
    x, y, z = (float(v) for v in pose.transform(((low + high) / 2)[None])[0])
    dx, dy, dz = (float(v) for v in high - low)
    return replace(thing, position=(x, y, z), size=(dx, dy, dz))


def on_robot(points: Array, sweep: Sweep, base: Pose, margin_m: float) -> Mask:
    """Whether points would be on the robot that made a sweep, stood its base there."""
    raised = np.column_stack([points, np.full(len(points), base.position[2])])
    local = np.abs(base.inverse().transform(raised)[:, :2])
    inside: Mask = np.all(local <= np.asarray(sweep.footprint_m) / 2 + margin_m, axis=1)
    return inside


def on_map(points: Array, grid: OccupancyGrid, margin_m: float) -> Mask:
    """Whether an occupied cell reaches within the margin of a point."""
    steps = int(np.ceil(margin_m / grid.resolution_m)) + 1
    near = np.arange(-steps, steps + 1)
    around = np.stack(np.meshgrid(near, near), axis=-1).reshape(1, -1, 2)
    rows, columns = grid.shape
    at = grid.to_grid(points)[:, None]
    cells = np.floor(at).astype(np.intp) + around
    inside = np.all((cells >= 0) & (cells < (columns, rows)), axis=2)
    x, y = np.clip(cells[..., 0], 0, columns - 1), np.clip(cells[..., 1], 0, rows - 1)
    gap = np.maximum(np.abs(cells + 0.5 - at) - 0.5, 0.0)
    close = np.linalg.norm(gap, axis=2) * grid.resolution_m <= margin_m
    met: Mask = np.any(inside & close & (grid.cells[y, x] == OCCUPIED), axis=1)
    return met


def on_thing(points: Array, thing: SceneObject, margin_m: float) -> Mask:
    """(N,) whether points (N, 2) are within a margin of a thing's outline."""
    reach_m = float(np.linalg.norm(thing.size)) / 2 + margin_m
    close = np.linalg.norm(points - np.asarray(thing.position[:2]), axis=1) <= reach_m
    met: Mask = np.zeros(len(points), bool)
    if close.any():
        near = points[close]
        met[close] = Footprint.of(thing).distance_m(near[:, 0], near[:, 1]) <= margin_m
    return met


def _together(points: Array, apart_m: float) -> list[Array]:
    """The points in groups, each no farther than that from another one of its group."""
    if not len(points):
        return []
    gaps = np.linalg.norm(points[:, None] - points[None], axis=2)
    i, j = np.nonzero(gaps <= apart_m)
    links = coo_matrix((np.ones(len(i)), (i, j)), shape=gaps.shape)
    count, labels = connected_components(links, directed=False)
    return [points[labels == k] for k in range(count)]
