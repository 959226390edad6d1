"""Ways to places that the robot chooses for itself, within what the task forbids now."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import Indices
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.leaving import open_cells
from sayso.planning.navigation.smoothing import straighten


class Ways:
    """Shortest ways that leave the task no worse off.

    Args:
        outset: its `states` are those of now; where it stands does not matter.
    """

    def __init__(self, outset: Outset) -> None:
        self._outset = replace(outset, states=outset.begin(outset.seen_near()))

    def way(self, start: tuple[float, float], goals: Array) -> Array | None:
        """The shortest path to any of some goals.

        Args:
            start: (x, y) [m, frame `map`].
            goals: (M, 2), likewise.

        Returns:
            (N, 2) corners x, y from the start to one of the goals; None where no way leads to
            any, or the start is no place from which to drive.
        """
        grid = self._outset.flat.grid
        try:
            outset = replace(self._outset, position=start)
            free = open_cells(outset)
        except SaySoError as error:
            if error.code is Code.INVALID:  # off the map
                return None
            raise
        if not free[outset.cell]:
            return None
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
