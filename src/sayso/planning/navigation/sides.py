"""Which places are on the same side of the walls as a thing.

`near` is a distance, and walls do not count. Whoever is sent to a thing goes to where nothing
but furniture stands in between nevertheless.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from scipy import ndimage

from sayso.planning.navigation.grid import OCCUPIED, Mask, OccupancyGrid
from sayso.planning.navigation.nearness import Footprint, around

_KNOWN_M = 0.06
"""What is so near to a known thing is taken to be it; walls are thicker."""


def walls_of(grid: OccupancyGrid, things: Iterable[Footprint]) -> Mask:
    """(rows, columns) what stands there and is none of the known things."""
    walls: Mask = grid.cells == OCCUPIED
    for footprint in things:
        rows, columns, distance = around(grid, footprint, _KNOWN_M)
        walls[rows, columns] &= distance > _KNOWN_M
    return walls


def beyond_walls(grid: OccupancyGrid, walls: Mask, thing: Footprint, reach_m: float) -> Mask:
    """(rows, columns) what is within reach of a thing only through a wall.

    All else is joined to the thing by cells within reach that are no wall: the same room, or
    another through an open door beside the thing.
    """
    rows, columns, distance = around(grid, thing, reach_m)
    within = distance <= reach_m
    joined, _ = ndimage.label(within & ~walls[rows, columns])
    beside = np.unique(joined[distance <= grid.resolution_m])
    beyond = np.zeros(grid.shape, bool)
    beyond[rows, columns] = within & ~np.isin(joined, beside[beside > 0])
    return beyond
