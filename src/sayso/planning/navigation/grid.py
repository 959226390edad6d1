"""A flat map of the floor: which cells are free, occupied or unknown."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.occupied import Occupied

Mask = npt.NDArray[np.bool_]
Cells = npt.NDArray[np.int8]
Indices = npt.NDArray[np.intp]
Cell = tuple[int, int]
"""(row, column): rows along y, columns along x."""

FREE, OCCUPIED, UNKNOWN = 0, 100, -1
"""The values of nav_msgs/OccupancyGrid."""

BASE_RADIUS_M = 0.45
"""Of the disc that stands for the base when ways are planned; its footprint is 1.1 m x 0.5 m.

It is the footprint's half length less what its rounded body spares: see `headings`, which turns
the base along a way such that the whole footprint stays on free floor.
"""

HALF_WIDTH_M = 0.25
_LEAVING_M = 0.3


@dataclass(frozen=True, eq=False)
class OccupancyGrid:
    """The floor in square cells.

    Attributes:
        cells: (rows, columns) int8 of FREE, OCCUPIED and UNKNOWN; row 0 has the smallest y.
        origin: (x, y) of the outer corner of cell (0, 0) [m, frame `map`].
        resolution_m: side of a cell.
    """

    cells: Cells
    origin: tuple[float, float] = (0.0, 0.0)
    resolution_m: float = 0.05

    def __post_init__(self) -> None:
        cause = ""
        if self.cells.ndim != 2 or not self.cells.size:
            cause = f"a map needs rows and columns of cells, this one has shape {self.cells.shape}."
        elif not (math.isfinite(self.resolution_m) and self.resolution_m > 0):
            cause = f"a map's cells need a positive size, not {self.resolution_m} m."
        elif not all(map(math.isfinite, self.origin)):
            cause = f"a map's origin must be finite, not {self.origin}."
        elif not np.isin(self.cells, (FREE, OCCUPIED, UNKNOWN)).all():
            cause = "a map's cells are free (0), occupied (100) or unknown (-1); some are not."
        if cause:
            raise SaySoError(Code.INVALID, cause, hint="map the flat again.")

    @property
    def shape(self) -> tuple[int, int]:
        """(rows, columns)."""
        rows, columns = self.cells.shape
        return rows, columns

    def to_grid(self, points: Array) -> Array:
        """(N, 2) points x, y [m] in units of cells; the cell is the floor of it, as (x, y)."""
        return np.asarray((np.asarray(points, float) - self.origin) / self.resolution_m)

    def cell_at(self, point: tuple[float, float]) -> Cell:
        """The cell that a point (x, y) [m] is in.

        Raises:
            SaySoError: INVALID outside the map.
        """
        column, row = (int(v) for v in np.floor(self.to_grid(np.array(point))))
        rows, columns = self.shape
        if not (0 <= row < rows and 0 <= column < columns):
            raise SaySoError(
                Code.INVALID,
                f"({point[0]:.2f}, {point[1]:.2f}) is outside the map.",
                hint="map that part of the flat first.",
            )
        return row, column

    def centres(self, cells: npt.ArrayLike) -> Array:
        """(N, 2) centres x, y [m] of (N, 2) cells (row, column)."""
        rows_columns = np.asarray(cells, float).reshape(-1, 2)
        return np.asarray((rows_columns[:, ::-1] + 0.5) * self.resolution_m + self.origin)

    @cached_property
    def occupied(self) -> Occupied:
        """What stands on the floor."""
        return Occupied(self.cells == OCCUPIED, self.origin, self.resolution_m)

    @cached_property
    def clearance_m(self) -> Array:
        """(rows, columns) the distance to the nearest cell not known to be free.

        Beyond the edge of the map nothing is known. Distances are from centre to centre of cells.
        """
        padded = np.pad(self.cells == FREE, 1)
        distances = ndimage.distance_transform_edt(padded, sampling=self.resolution_m)
        return np.asarray(distances[1:-1, 1:-1])

    def standable(self, radius_m: float = BASE_RADIUS_M) -> Mask:
        """(rows, columns) where the centre of a disc may be: its whole disc is known to be free."""
        return np.asarray(self.clearance_m > radius_m)

    def standable_from(self, start: Cell, radius_m: float = BASE_RADIUS_M) -> Mask:
        """As `standable`, and where a base that stands too close to something may leave it.

        Reaching into furniture, or a map that is off by a cell, leaves the base closer than ways
        are planned. Around such a start all is open that is no closer to anything, unless the
        start is closer than half the base's width: then it is open nowhere around it.
        """
        free = self.standable(radius_m)
        room = float(self.clearance_m[start])
        if free[start] or room <= HALF_WIDTH_M:
            return free
        rows, columns = np.ogrid[: self.shape[0], : self.shape[1]]
        away = np.hypot(rows - start[0], columns - start[1]) * self.resolution_m
        around = away <= 2 * (radius_m - room) + _LEAVING_M
        return np.asarray(free | (around & (self.clearance_m >= room - 1e-9)))


def segments_clear(free: Mask, starts: Array, ends: Array) -> Mask:
    """(N,) whether straight segments stay in free cells, exactly.

    Every cell whose interior a segment crosses is looked at: those on either side of each
    crossing with a line of the grid. A segment through a corner needs the cells beside it, so
    that none slips between two blocked cells.

    Args:
        free: (rows, columns).
        starts, ends: (N, 2) as (x, y) in units of cells, see `OccupancyGrid.to_grid`.
    """
    clear = np.asarray(_free_at(free, starts) & _free_at(free, ends))
    edged = np.pad(free, ((0, 1), (0, 1)))  # rounding may lead onto the edge of the map
    for axis in (0, 1):
        left = np.flatnonzero(clear)
        clear[left] = _crossings_clear(edged, starts[left], ends[left], axis)
    return clear


def _crossings_clear(free: Mask, starts: Array, ends: Array, axis: int) -> Mask:
    """(N,) whether the cells on both sides of each crossing with lines across `axis` are free.

    Both ends are on the map.
    """
    a, b = starts[:, axis], ends[:, axis]
    first = np.floor(np.minimum(a, b)).astype(np.intp) + 1
    count = np.maximum(np.ceil(np.maximum(a, b)).astype(np.intp) - first, 0)
    slope = (ends - starts)[:, 1 - axis] / np.where(count, b - a, 1.0)
    line = np.arange(count.sum()) + np.repeat(first - np.cumsum(count) + count, count)
    beyond = (line - np.repeat(a, count)) * np.repeat(slope, count)
    along = (np.repeat(starts[:, 1 - axis], count) + beyond).astype(np.intp)
    row, column = (along, line) if axis == 0 else (line, along)
    width, cells = free.shape[1], free.ravel()
    after = row * width + column
    blocked = ~(cells[after] & cells[after - (1 if axis == 0 else width)])
    clear = np.ones(len(a), bool)
    clear[np.repeat(np.arange(len(a)), count)[blocked]] = False
    return clear


def _free_at(free: Mask, points: Array) -> Mask:
    """(N,) whether points (x, y) are in free cells; outside the map they are not."""
    rows, columns = free.shape
    j, i = np.floor(points).astype(np.intp).T
    inside = (i >= 0) & (i < rows) & (j >= 0) & (j < columns)
    return np.asarray(inside & free[np.clip(i, 0, rows - 1), np.clip(j, 0, columns - 1)])


def cells_along(path: Array) -> Indices:
    """(M, 2) the cells (row, column) that a path enters, in order.

    Args:
        path: (N, 2) corners (x, y) in units of cells.
    """
    pieces = [np.floor(path[:1])]
    for start, end in pairwise(path):
        shares = [np.array([0.0, 1.0])]
        for axis in (0, 1):
            low, high = sorted((start[axis], end[axis]))
            lines = np.arange(math.floor(low) + 1, math.ceil(high))
            if len(lines):
                shares.append((lines - start[axis]) / (end[axis] - start[axis]))
        t = np.unique(np.concatenate(shares))
        middles = (t[:-1] + t[1:]) / 2
        pieces += (np.floor(start + middles[:, None] * (end - start)), np.floor(end[None]))
    visited = np.concatenate(pieces)
    changed = np.r_[True, (np.diff(visited, axis=0) != 0).any(axis=1)]
    return np.asarray(visited[changed][:, ::-1], dtype=np.intp)


def path_length(path: Array) -> float:
    """Of a path (N, 2), in its own unit."""
    return float(np.linalg.norm(np.diff(path, axis=0), axis=1).sum())
