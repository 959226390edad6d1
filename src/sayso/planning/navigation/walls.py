"""What stands on the floor and is none of the things that are known: walls, above all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from sayso.core.geometry import Array
from sayso.planning.navigation.grid import OCCUPIED, Mask, OccupancyGrid
from sayso.planning.navigation.nearness import Footprint, around

_KNOWN_M = 0.1
"""What is so near to a known thing is taken to be it."""


def walls_around(
    grid: OccupancyGrid, things: Iterable[Footprint], place: tuple[float, float], reach_m: float
) -> Array:
    """(K, 4) rectangles, least x and y and greatest x and y [m, frame `map`].

    Args:
        things: what is known; it is left out.
        reach_m: half the side of the square around the place that is looked at.
    """
    ends = np.array([place]) + np.array([[-reach_m], [reach_m]])
    columns, rows = np.floor(grid.to_grid(ends)).astype(int).T
    (i0, i1), (j0, j1) = np.clip(rows, 0, grid.shape[0]), np.clip(columns, 0, grid.shape[1])
    unknown: Mask = grid.cells == OCCUPIED
    for footprint in things:
        at_rows, at_columns, distance = around(grid, footprint, _KNOWN_M)
        unknown[at_rows, at_columns] &= distance > _KNOWN_M
    found = [(j0 + j, i0 + i, j0 + m, i0 + k) for i, j, k, m in _rectangles(unknown[i0:i1, j0:j1])]
    corners = np.array(found, float).reshape(-1, 4)
    return np.asarray(corners * grid.resolution_m + np.tile(np.asarray(grid.origin), 2))


def _rectangles(cells: Mask) -> Iterator[tuple[int, int, int, int]]:
    """Marked cells as rectangles: first row and column, and those after the last."""
    left = cells.copy()
    for i, j in np.argwhere(cells):
        if not left[i, j]:
            continue
        m = j + _run(left[i, j:])
        k = i + _run(np.asarray(left[i:, j:m].all(axis=1)))
        if k - i == 1:  # an upright wall begins with a short row
            tall = i + _run(left[i:, j])
            if tall - i > m - j:
                k, m = tall, j + 1
        left[i:k, j:m] = False
        yield int(i), int(j), int(k), int(m)


def _run(marked: Mask) -> int:
    """How many come before the first that is not marked."""
    return len(marked) if marked.all() else int(marked.argmin())
