"""Ways of a long base through narrow places: a search over places and headings.

The shortest way of the base's middle may be one on which the base cannot turn as it must, while a
longer one has room. Here both are searched together, by Dijkstra's algorithm over a lattice of
places and headings, in all of which the whole footprint stands on free floor.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from sayso.core.geometry import Array
from sayso.planning.navigation.grid import Indices, Mask
from sayso.planning.navigation.headings import (
    ASIDE,
    HEADINGS,
    TURN_M,
    Footing,
    Headed,
    heading_number,
    turn_between,
)

_SPACING_M = 0.1
_LINK_M = 0.13
"""From a start or a goal to places of the lattice next to it."""


@dataclass(frozen=True, eq=False)
class Lattice:
    """Places and headings in which the base fits, numbered by place first.

    Attributes:
        places: (P, 2) x, y [m].
        fit: (P, HEADINGS).
        cells: (rows, columns) the number of the place in each cell of the lattice.
    """

    places: Array
    fit: Mask
    cells: Indices

    @staticmethod
    def of(footing: Footing, allowed: Mask) -> Lattice:
        """The lattice of the cells (of the footing's grid) in which the middle may be."""
        grid = footing.grid
        stride = max(1, round(_SPACING_M / grid.resolution_m))
        open_to = allowed[::stride, ::stride]
        found = np.argwhere(open_to)
        cells = np.full(open_to.shape, -1, np.intp)
        cells[open_to] = np.arange(len(found))
        places = grid.centres(found * stride)
        half = HEADINGS // 2  # the base looks the same from behind
        angles = np.arange(half) * math.tau / HEADINGS
        fit = footing.fits(np.repeat(places, half, axis=0), np.tile(angles, len(places)))
        return Lattice(places, np.tile(fit.reshape(len(places), half), (1, 2)), cells)

    def around(self, x: float, y: float) -> Indices:
        """The numbers of the places next to one."""
        away = np.hypot(self.places[:, 0] - x, self.places[:, 1] - y)
        return np.flatnonzero(away < _LINK_M)


def way_with_turns(
    lattice: Lattice, start: Headed, goals: Array, yaws: Array | None = None
) -> Array | None:
    """The cheapest way to any of some goals along which the base can turn as it must.

    Args:
        start: where the base stands already, with its heading.
        goals: (M, 2) x, y [m].
        yaws: (M,) the headings there [rad]; by default any will do.

    Returns:
        (N, 2) corners x, y from the start to a goal; None where there is no such way.
    """
    count = lattice.fit.size
    first, last = _at_start(lattice, start), _at_goals(lattice, goals, yaws)
    if not len(first) or not last:
        return None
    a, b, costs = (np.concatenate(part) for part in zip(*_edges(lattice), strict=True))
    a = np.concatenate([a, np.full(len(first), count)])
    graph = sparse.csr_matrix(
        (np.concatenate([costs, np.full(len(first), 1e-6)]), (a, np.concatenate([b, first]))),
        shape=(count + 1, count + 1),
    )
    reached, parents = dijkstra(graph, indices=count, return_predecessors=True)
    number, goal = min(last, key=lambda entry: float(reached[entry[0]]))
    if not np.isfinite(reached[number]):
        return None
    numbers = []
    while number != count:
        numbers.append(number // HEADINGS)
        number = int(parents[number])
    middle = lattice.places[numbers[::-1]]
    return _straightened(np.vstack([np.array([start[:2]]), middle, goals[goal][None]]))


def _at_start(lattice: Lattice, start: Headed) -> Indices:
    """The numbers of places and headings that are the base's own, about."""
    near = lattice.around(*start[:2])
    heading = heading_number(start[2])
    return np.asarray((near * HEADINGS + heading)[lattice.fit[near, heading]])


def _at_goals(lattice: Lattice, goals: Array, yaws: Array | None) -> list[tuple[int, int]]:
    """Numbers of places and headings that are those of a goal, about, and the goal's."""
    found = []
    for i, (x, y) in enumerate(goals):
        near = lattice.around(float(x), float(y))
        headings = range(HEADINGS) if yaws is None else [heading_number(float(yaws[i]))]
        found += [
            (int(place) * HEADINGS + h, i) for place in near for h in headings
            if lattice.fit[place, h]
        ]  # fmt: skip
    return found


def _edges(lattice: Lattice) -> Iterator[tuple[Indices, Indices, Array]]:
    """From and to which places and headings the base can go at once, and what it costs."""
    numbers: Indices = np.arange(lattice.fit.size, dtype=np.intp).reshape(lattice.fit.shape)
    turn = TURN_M * math.tau / HEADINGS
    for side in (-1, 1):
        aside, both = np.roll(numbers, side, axis=1), lattice.fit & np.roll(lattice.fit, side, 1)
        yield numbers[both], aside[both], np.full(int(both.sum()), turn)
    angles = np.arange(HEADINGS) * math.tau / HEADINGS
    for rows, columns in ((0, 1), (1, 0), (1, 1), (1, -1)):
        here, there = _neighbours(lattice.cells, rows, columns)
        if not len(here):
            continue
        step = lattice.places[there[0]] - lattice.places[here[0]]
        metres, direction = float(np.hypot(*step)), math.atan2(step[1], step[0])
        both = lattice.fit[here] & lattice.fit[there]
        for frm, to, along in ((here, there, direction), (there, here, direction + math.pi)):
            costs = metres * (1 + ASIDE * turn_between(angles, along) / math.pi)
            yield (
                numbers[frm][both],
                numbers[to][both],
                np.broadcast_to(costs, both.shape)[both] + 1e-6,
            )


def _neighbours(cells: Indices, rows: int, columns: int) -> tuple[Indices, Indices]:
    """The numbers of places, and of those so many rows and columns beyond them."""
    height, width = cells.shape
    if columns >= 0:
        here, there = cells[: height - rows, : width - columns], cells[rows:, columns:]
    else:
        here, there = cells[: height - rows, -columns:], cells[rows:, :columns]
    both = (here >= 0) & (there >= 0)
    return here[both], there[both]


def _straightened(path: Array) -> Array:
    """Without places that are said twice, and those in the middle of straight stretches."""
    kept = [path[0]]
    for i in range(1, len(path) - 1):
        before, after = path[i] - kept[-1], path[i + 1] - path[i]
        if np.hypot(*before) < 1e-9:
            continue
        if abs(before[0] * after[1] - before[1] * after[0]) > 1e-9 or before @ after < 0:
            kept.append(path[i])
    return np.array([*kept, path[-1]])
