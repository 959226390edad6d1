"""What stands on the floor by a map, and what it shuts off from a thing."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array

Mask = npt.NDArray[np.bool_]

KNOWN_M = 0.06
"""What is so near to a known thing is taken to be it; walls are thicker."""


@dataclass(frozen=True, eq=False)
class Occupied:
    """The cells of a map in which something stands, whatever that is. Not to be changed.

    Attributes:
        cells: (rows, columns); rows along y, columns along x.
        origin: (x, y) of the outer corner of cell (0, 0) [m].
        resolution_m: side of a cell.
    """

    cells: Mask
    origin: tuple[float, float]
    resolution_m: float

    def window(self, low: Array, high: Array) -> tuple[slice, slice]:
        """The rows and columns that a rectangle (x, y) to (x, y) [m] reaches into."""
        corners = np.stack([np.asarray(low), np.asarray(high)])
        cells = np.floor((corners - self.origin) / self.resolution_m).astype(int)
        cells[1] += 1
        (j0, i0), (j1, i1) = np.clip(cells, 0, self.cells.shape[::-1]).tolist()
        return slice(i0, i1), slice(j0, j1)

    def centres(self, rows: slice, columns: slice) -> tuple[Array, Array]:
        """The x (columns,) and y (rows,) of the centres of a window's cells [m]."""
        x = (np.arange(columns.start, columns.stop) + 0.5) * self.resolution_m + self.origin[0]
        y = (np.arange(rows.start, rows.stop) + 0.5) * self.resolution_m + self.origin[1]
        return x, y

    def cell_at(self, x: float, y: float) -> tuple[int, int] | None:
        """The (row, column) that a place is in [m]; None outside the map."""
        column, row = (
            int(v) for v in np.floor((np.array([x, y]) - self.origin) / self.resolution_m)
        )
        rows, columns = self.cells.shape
        return (row, column) if 0 <= row < rows and 0 <= column < columns else None


def cut_off(walls: Mask, distance_m: Array, reach_m: float, beside_m: float) -> Mask:
    """(rows, columns) what is within reach of a thing only through a wall.

    All else is joined to the thing by cells within reach that are no wall: the same room, or
    another through an open door beside the thing. What surrounds a thing on all sides is no wall,
    but furniture that nobody looked for, on which it is: then nothing is cut off.

    Args:
        walls: (rows, columns) of a window around the thing.
        distance_m: (rows, columns) of the window's cells from the thing's outline.
        beside_m: the thing may be where cells are no farther from it.
    """
    free = (distance_m <= reach_m) & ~walls
    own = distance_m <= max(KNOWN_M, float(distance_m.min(initial=np.inf)))
    if not (_joined(free, own) & ~own).any():
        return np.zeros_like(free)
    return free & ~_joined(free, distance_m <= beside_m)


def _joined(free: Mask, start: Mask) -> Mask:
    """(rows, columns) the free cells that are joined, side by side, to those of a start."""
    found = free & start
    while True:
        grown = found.copy()
        grown[1:] |= found[:-1]
        grown[:-1] |= found[1:]
        grown[:, 1:] |= found[:, :-1]
        grown[:, :-1] |= found[:, 1:]
        grown &= free
        if np.array_equal(grown, found):
            return found
        found = grown
