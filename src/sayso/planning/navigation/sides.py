"""Which places are on the same side of the walls as a thing.

`near` is a distance, and walls do not count. Whoever is sent to a thing goes to where nothing
but furniture stands in between nevertheless. To `near_in_room` walls count: see `in_room`.
"""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from sayso.core.occupied import KNOWN_M, cut_off
from sayso.planning.navigation.grid import OCCUPIED, Mask, OccupancyGrid
from sayso.planning.navigation.nearness import Footprint, around

_IN_ROOM = ", in the same room"


def in_room(name: str) -> str:
    """What stands for a thing among names where it must be near on the same side of the walls."""
    return name + _IN_ROOM


def is_in_room(name: str) -> bool:
    """Whether a name is one that `in_room` made."""
    return name.endswith(_IN_ROOM)


def thing_of(name: str) -> str:
    """The thing that a name stands for."""
    return name.removesuffix(_IN_ROOM)


def things_of(names: Iterable[str]) -> tuple[str, ...]:
    """The things that names stand for, sorted."""
    return tuple(sorted(set(map(thing_of, names))))


def walls_of(grid: OccupancyGrid, things: Iterable[Footprint]) -> Mask:
    """(rows, columns) what stands there and is none of the known things."""
    walls: Mask = grid.cells == OCCUPIED
    for footprint in things:
        rows, columns, distance = around(grid, footprint, KNOWN_M)
        walls[rows, columns] &= distance > KNOWN_M
    return walls


def beyond_walls(
    grid: OccupancyGrid, walls: Mask, thing: Footprint, reach_m: float, beside_m: float = 0.0
) -> Mask:
    """(rows, columns) what is within reach of a thing only through a wall; see `cut_off`.

    Args:
        beside_m: how far off the thing may be.
    """
    rows, columns, distance = around(grid, thing, reach_m)
    beyond = np.zeros(grid.shape, bool)
    beside_m = max(beside_m, grid.resolution_m)
    beyond[rows, columns] = cut_off(walls[rows, columns], distance, reach_m, beside_m)
    return beyond
