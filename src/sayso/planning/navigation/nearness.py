"""What the robot is near at each place of the floor, as one label for each cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull, QhullError

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.scene import SceneObject
from sayso.planning.navigation.grid import Mask, OccupancyGrid

Labels = npt.NDArray[np.uint16]
Names = frozenset[str]

NEAR_M = 1.0
"""The base's centre is near a thing within this distance of its footprint's edge."""


@dataclass(frozen=True)
class Footprint:
    """The convex outline of a thing on the floor: corners (x, y) [m], counterclockwise."""

    corners: tuple[tuple[float, float], ...]

    @staticmethod
    def box(x: float, y: float, width_m: float, depth_m: float) -> Footprint:
        """A rectangle along the axes with its centre at (x, y)."""
        w, d = width_m / 2, depth_m / 2
        return Footprint(((x - w, y - d), (x + w, y - d), (x + w, y + d), (x - w, y + d)))

    @staticmethod
    def of(thing: SceneObject) -> Footprint:
        """The outline of an object's box, seen from above."""
        points = thing.corners()[:, :2]
        try:
            hull = points[ConvexHull(points).vertices]
        except QhullError:  # thinner than a line: its ends say all
            hull = points
        return Footprint(tuple((float(x), float(y)) for x, y in hull))

    def distance_m(self, x: Array, y: Array) -> Array:
        """Distances of points to the outline, 0 inside; x and y broadcast together."""
        corners = np.asarray(self.corners)
        nearest = np.full(np.broadcast_shapes(x.shape, y.shape), np.inf)
        inside = np.ones(nearest.shape, bool)
        for (ax, ay), (bx, by) in zip(corners, np.roll(corners, -1, axis=0), strict=True):
            dx, dy = bx - ax, by - ay
            px, py = x - ax, y - ay
            inside &= dx * py - dy * px >= 0
            share = np.clip((px * dx + py * dy) / max(dx * dx + dy * dy, 1e-12), 0.0, 1.0)
            nearest = np.minimum(nearest, (px - share * dx) ** 2 + (py - share * dy) ** 2)
        return np.where(inside & (len(corners) > 2), 0.0, np.sqrt(nearest))

    def bounds(self) -> tuple[Array, Array]:
        """The smallest and largest (x, y) [m]."""
        corners = np.asarray(self.corners)
        return corners.min(axis=0), corners.max(axis=0)


@dataclass(frozen=True, eq=False)
class NearMap:
    """Which things each cell's centre is near.

    Attributes:
        labels: (rows, columns) index into `classes`.
        classes: the distinct sets of names; all that a task asks of a place is its class.
    """

    labels: Labels
    classes: tuple[Names, ...]

    def at(self, cell: tuple[int, int]) -> Names:
        """The names of what a cell (row, column) is near."""
        return self.classes[int(self.labels[cell])]

    def where(self, chosen: npt.ArrayLike) -> npt.NDArray[np.generic]:
        """(rows, columns) of one value for each class: (len(classes),) spread over the floor."""
        return np.asarray(chosen)[self.labels]


def near_map(
    grid: OccupancyGrid, footprints: Mapping[str, Footprint], near_m: float = NEAR_M
) -> NearMap:
    """The classes of all cells; only cells around each footprint are looked at.

    Raises:
        SaySoError: UNSUPPORTED where things overlap in more than 65,000 ways.
    """
    labels = np.zeros(grid.shape, np.uint16)
    classes: list[Names] = [frozenset()]
    index = {classes[0]: 0}
    for name in sorted(footprints):
        rows, columns, near = _around(grid, footprints[name], near_m)
        window = labels[rows, columns]
        touched = window[near]
        table = np.arange(len(classes))
        for old in np.flatnonzero(np.bincount(touched, minlength=1)):
            members = classes[old] | {name}
            if members not in index:
                index[members] = len(classes)
                classes.append(members)
            table[old] = index[members]
        if len(classes) > np.iinfo(np.uint16).max:
            raise SaySoError(Code.UNSUPPORTED, "too many things stand within reach of each other.")
        window[near] = table[touched]
    return NearMap(labels, tuple(classes))


def near_mask(grid: OccupancyGrid, footprint: Footprint, near_m: float = NEAR_M) -> Mask:
    """(rows, columns) where the base's centre is near one footprint."""
    mask = np.zeros(grid.shape, bool)
    rows, columns, near = _around(grid, footprint, near_m)
    mask[rows, columns] = near
    return mask


def _around(grid: OccupancyGrid, footprint: Footprint, near_m: float) -> tuple[slice, slice, Mask]:
    """The rows and columns around a footprint, and which of their cells are near it."""
    low, high = footprint.bounds()
    (x0, y0), (x1, y1) = (
        np.floor(grid.to_grid(corner)).astype(int) for corner in (low - near_m, high + near_m)
    )
    (rows, columns), size = grid.shape, grid.resolution_m
    i0, i1 = np.clip((y0, y1 + 1), 0, rows)
    j0, j1 = np.clip((x0, x1 + 1), 0, columns)
    x = (np.arange(j0, j1) + 0.5) * size + grid.origin[0]
    y = (np.arange(i0, i1) + 0.5) * size + grid.origin[1]
    near = footprint.distance_m(x[None, :], y[:, None]) <= near_m
    return slice(int(i0), int(i1)), slice(int(j0), int(j1)), np.asarray(near)
