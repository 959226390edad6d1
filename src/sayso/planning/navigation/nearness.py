"""What the robot is near at each place of the floor, as one label for each cell."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Generic, TypeVar

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull, QhullError

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.scene import SceneObject
from sayso.planning.navigation.grid import Mask, OccupancyGrid

Labels = npt.NDArray[np.uint16]
Names = frozenset[str]
C = TypeVar("C")

NEAR_M = 1.0
"""The base's centre is near a thing within this distance of its footprint's edge."""


WITHIN_M = 0.1
"""So far off places may be with what everything is kept off by: what is less well known is kept off
by as much more."""


def further_m(thing: SceneObject) -> float:
    """By how much more than others a thing is to be kept off, not being well known to be there."""
    return max(0.0, thing.off_m - WITHIN_M)


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


@dataclass(frozen=True)
class Nearness:
    """What the robot is near, as far as that can be told beforehand.

    Where the robot stands and where things are is known to some centimetres only, so that about
    the distance at which something begins to be near it may be seen as near or not, and now so,
    now so.

    Attributes:
        sure: the names of what it is near for certain.
        possible: those, and what it may be near.
        behind: what has to be out of the way before it can be here.
    """

    sure: Names = frozenset()
    possible: Names = frozenset()
    behind: Names = frozenset()

    @property
    def unsure(self) -> Names:
        """What it may be near or not."""
        return self.possible - self.sure


@dataclass(frozen=True)
class Reach:
    """How near a thing is near: for sure within `sure_m` of it, in doubt up to `possible_m`."""

    sure_m: float = NEAR_M
    possible_m: float = NEAR_M


@dataclass(frozen=True, eq=False)
class NearMap(Generic[C]):
    """Which things each cell's centre is near.

    Attributes:
        labels: (rows, columns) index into `classes`.
        classes: what is distinct; all that a task asks of a place is its class.
    """

    labels: Labels
    classes: tuple[C, ...]

    def at(self, cell: tuple[int, int]) -> C:
        """What a cell (row, column) is near."""
        return self.classes[int(self.labels[cell])]

    def where(self, chosen: npt.ArrayLike) -> npt.NDArray[np.generic]:
        """(rows, columns) of one value for each class: (len(classes),) spread over the floor."""
        return np.asarray(chosen)[self.labels]


def nearness_map(
    grid: OccupancyGrid,
    footprints: Mapping[str, Footprint],
    reach: Mapping[str, Reach],
    beyond: Mapping[str, Mask] | None = None,
    behind: Mapping[str, Mask] | None = None,
    apart: Mapping[str, Mask] | None = None,
) -> NearMap[Nearness]:
    """The classes of all cells; only cells around each footprint are looked at.

    Args:
        reach: by name.
        beyond: by name, (rows, columns) where a thing is never near for sure.
        behind: by name, (rows, columns) where a thing has to be out of the way.
        apart: by name, (rows, columns) where a thing is not near, however close.

    Raises:
        SaySoError: UNSUPPORTED where things overlap in more than 65,000 ways.
    """
    table = _Classes(np.zeros(grid.shape, np.uint16))
    for name in sorted(footprints):
        within, names = reach[name], frozenset({name})
        rows, columns, distance = around(grid, footprints[name], within.possible_m)
        if apart and name in apart:
            distance = np.where(apart[name][rows, columns], np.inf, distance)
        window = table.labels[rows, columns]
        sure = distance <= within.sure_m
        if beyond and name in beyond:
            sure &= ~beyond[name][rows, columns]
        table.add(window, sure, Nearness(names, names))
        unsure = (distance <= within.possible_m) & ~sure
        if unsure.any():
            table.add(window, unsure, Nearness(frozenset(), names))
    for name, mask in sorted((behind or {}).items()):
        table.add(table.labels, mask, Nearness(behind=frozenset({name})))
    return NearMap(table.labels, tuple(table.classes))


class _Classes:
    """Labels under construction."""

    def __init__(self, labels: Labels) -> None:
        self.labels = labels
        self.classes = [Nearness()]
        self._index = {self.classes[0]: 0}

    def add(self, window: Labels, chosen: Mask, more: Nearness) -> None:
        """Relabel the chosen cells of a window, which are near something more."""
        touched = window[chosen]
        table = np.arange(len(self.classes))
        for old in np.flatnonzero(np.bincount(touched, minlength=1)):
            known = self.classes[old]
            grown = Nearness(
                known.sure | more.sure,
                known.possible | more.possible,
                known.behind | more.behind,
            )
            table[old] = self._number(grown)
        window[chosen] = table[touched]

    def _number(self, nearness: Nearness) -> int:
        number = self._index.setdefault(nearness, len(self.classes))
        if number == len(self.classes):
            self.classes.append(nearness)
        if number > np.iinfo(np.uint16).max:
            raise SaySoError(Code.UNSUPPORTED, "too many things stand within reach of each other.")
        return number


def near_mask(grid: OccupancyGrid, footprint: Footprint, near_m: float = NEAR_M) -> Mask:
    """(rows, columns) where the base's centre is within a distance of one footprint."""
    mask = np.zeros(grid.shape, bool)
    rows, columns, distance = around(grid, footprint, near_m)
    mask[rows, columns] = distance <= near_m
    return mask


def around(grid: OccupancyGrid, footprint: Footprint, near_m: float) -> tuple[slice, slice, Array]:
    """The rows and columns around a footprint, and their cells' distances from it [m]."""
    low, high = footprint.bounds()
    (x0, y0), (x1, y1) = (
        np.floor(grid.to_grid(corner)).astype(int) for corner in (low - near_m, high + near_m)
    )
    (rows, columns), size = grid.shape, grid.resolution_m
    i0, i1 = np.clip((y0, y1 + 1), 0, rows)
    j0, j1 = np.clip((x0, x1 + 1), 0, columns)
    x = (np.arange(j0, j1) + 0.5) * size + grid.origin[0]
    y = (np.arange(i0, i1) + 0.5) * size + grid.origin[1]
    distance = footprint.distance_m(x[None, :], y[:, None])
    return slice(int(i0), int(i1)), slice(int(j0), int(j1)), distance
