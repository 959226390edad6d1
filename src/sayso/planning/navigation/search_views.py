"""Where to look for a thing that is not where it was: floor that was not looked at since."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sayso.core.geometry import Array
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import FREE, Indices, Mask, OccupancyGrid, segments_clear
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.leaving import open_cells
from sayso.planning.navigation.smoothing import straighten

SEE_M = 3.0
_SOME = 250
"""Cells that stand for the floor when it is asked what was looked at."""
_LEAST = 0.04
"""Of the floor that a place must show to be worth the way."""


def next_view(
    outset: Outset, looked: Sequence[tuple[float, float]], turn_m: float = 0.62
) -> Array | None:
    """The way to the place that shows most of the floor not looked at yet, for its length.

    Args:
        outset: as it is now; the way leaves its task no worse off.
        looked: places (x, y) [m] that were looked around from.
        turn_m: room that the base needs to look around.

    Returns:
        (N, 2) corners x, y [m]; None where nothing is left to be seen from where it may go.
    """
    outset = replace(outset, states=outset.begin(outset.seen_near()))
    grid, free = outset.flat.grid, open_cells(outset)
    if not free[outset.cell]:
        return None
    floor = _some(np.argwhere(grid.cells == FREE).astype(np.intp))
    unseen = floor[~_sees(grid, np.asarray(looked, float).reshape(-1, 2), floor).any(axis=0)]
    field = Floor(free).from_cell(outset.cell)
    stands = _some(
        np.argwhere(np.isfinite(field.cells) & free & grid.standable(turn_m)).astype(np.intp)
    )
    if not len(unseen) or not len(stands):
        return None
    gains = _sees(grid, grid.centres(stands), unseen).mean(axis=1) * len(unseen) / len(floor)
    costs = field.cells[tuple(stands.T)] * grid.resolution_m
    best = int((gains / (costs + 2.0)).argmax())
    if gains[best] < _LEAST:
        return None
    row, column = (int(v) for v in stands[best])
    way = field.way_to((row, column))[:, ::-1].astype(float) + 0.5
    path = straighten(way, free) * grid.resolution_m + np.asarray(grid.origin)
    start = np.array([outset.position], float)
    whole: Array = np.concatenate((start, np.asarray(path, float)[1:]))
    return whole


def _some(cells: Indices) -> Indices:
    """An even share of cells, or all of a few."""
    step = max(1, len(cells) // _SOME)
    return cells[::step]


def _sees(grid: OccupancyGrid, places: Array, cells: Indices) -> Mask:
    """(M, N) whether cells are within sight of places, over free floor."""
    shape = (len(places), len(cells))
    if not len(places) or not len(cells):
        return np.zeros(shape, bool)
    centres = grid.centres(cells)
    near = np.linalg.norm(places[:, None] - centres[None], axis=2) <= SEE_M
    i, j = np.nonzero(near)
    clear = segments_clear(grid.cells == FREE, grid.to_grid(places[i]), grid.to_grid(centres[j]))
    seen = np.zeros(shape, bool)
    seen[i, j] = clear
    return seen
