"""Ways to places that the robot chooses for itself, within what the task forbids now."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import ndimage

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import Indices, Mask
from sayso.planning.navigation.headings import Footing, headings_along
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.leaving import open_cells
from sayso.planning.navigation.smoothing import straighten

_ROOMS_M = (0.0, 0.5, 0.55, 0.6, 0.65)
"""Clearances to ask for in turn, where the base cannot turn along the shortest way."""
_PLACES, _TURNS = 400, 12
"""Of like places, so many are looked into, each in so many headings."""
_ENDS_M = 0.8
"""This far around both ends of a way, less room will do."""


class Ways:
    """Shortest ways that leave the task no worse off.

    Args:
        outset: its `states` are those of now; where it stands does not matter.
        yaw: the base's heading at the start of a way [rad]; with it ways are given that its
            whole footprint can follow, turning.
    """

    def __init__(self, outset: Outset, yaw: float | None = None) -> None:
        self._outset = replace(outset, states=outset.begin(outset.seen_near()))
        self._yaw = yaw

    def way(self, start: tuple[float, float], goals: Array) -> Array | None:
        """The shortest path to any of some goals.

        Args:
            start: (x, y) [m, frame `map`].
            goals: (M, 2), likewise.

        Returns:
            (N, 2) corners x, y from the start to one of the goals; None where no way leads to
            any, or the start is no place from which to drive.
        """
        try:
            outset = replace(self._outset, position=start)
            free = open_cells(outset)
        except SaySoError as error:
            if error.code is Code.INVALID:  # off the map
                return None
            raise
        if not free[outset.cell]:
            return None
        for room_m in _ROOMS_M if self._yaw is not None else _ROOMS_M[:1]:
            path = self._way(start, goals, self._roomy(free, start, goals, room_m), outset)
            if path is not None and self.drivable(path):
                return path
        return None

    def drivable(self, path: Array) -> bool:
        """Whether the base, from its heading on, can turn as a path (N, 2) demands."""
        if self._yaw is None:
            return True
        try:
            headings_along(path, self._yaw, Footing(self._outset.flat.grid))
        except SaySoError as error:
            if error.code is not Code.UNREACHABLE:
                raise
            return False
        return True

    def _roomy(self, free: Mask, start: tuple[float, float], goals: Array, room_m: float) -> Mask:
        """The free cells with some clearance, and all of them around the ends."""
        if not room_m:
            return free
        grid = self._outset.flat.grid
        ends: Mask = np.ones(grid.shape, bool)
        for x, y in (start, *np.asarray(goals, float).reshape(-1, 2)):
            column, row = (int(v) for v in np.floor(grid.to_grid(np.array([x, y]))))
            if 0 <= row < grid.shape[0] and 0 <= column < grid.shape[1]:
                ends[row, column] = False
        away = ndimage.distance_transform_edt(ends, sampling=grid.resolution_m)
        wide: Mask = free & ((grid.clearance_m > room_m) | (away < _ENDS_M))
        return wide

    def _way(
        self, start: tuple[float, float], goals: Array, free: Mask, outset: Outset
    ) -> Array | None:
        grid = self._outset.flat.grid
        field = Floor(free).from_cell(outset.cell)
        ends = grid.to_grid(np.asarray(goals, float).reshape(-1, 2))
        costs = _costs(field.cells, ends)
        if not np.isfinite(costs).any():
            return None
        best = int(costs.argmin())
        column, row = (int(v) for v in np.floor(ends[best]))
        path = _corners(field.way_to((row, column)), grid.to_grid(np.array(start)), ends[best])
        straight = straighten(path, free)
        return np.asarray(straight * grid.resolution_m + np.asarray(grid.origin))


def alike(outset: Outset, place: tuple[float, float]) -> Array:
    """(M, 2) places that are near the same as one is, and where the whole base has room."""
    grid, near = outset.flat.grid, outset.near()
    same = near.labels == near.labels[grid.cell_at(place)]
    cells = np.argwhere(same & outset.standable())
    points = grid.centres(cells[:: max(1, len(cells) // _PLACES)])
    footing = Footing(grid)
    turns = np.arange(_TURNS) * np.pi / _TURNS  # the base looks the same from behind
    fit = footing.fits(np.repeat(points, _TURNS, axis=0), np.tile(turns, len(points)))
    return np.asarray(points[fit.reshape(-1, _TURNS).any(axis=1)])


def _costs(distances: Array, ends: Array) -> Array:
    """(M,) the distance of each end's cell; infinite off the map."""
    rows, columns = distances.shape
    cells = np.floor(ends).astype(np.intp)
    inside = np.all((cells >= 0) & (cells < (columns, rows)), axis=1)
    costs = np.full(len(ends), np.inf)
    costs[inside] = distances[cells[inside, 1], cells[inside, 0]]
    return costs


def _corners(way: Indices, start: Array, end: Array) -> Array:
    """The way (x, y) in units of cells, from the very start to the very end."""
    middles = way[1:-1, ::-1].astype(float) + 0.5
    return np.concatenate((start[None], middles, end[None]))
