"""How the base turns along a way, such that its whole footprint stays on free floor.

Ways are planned for a disc that is smaller than the circle which the corners of a long base sweep
when it turns on the spot. Along a way the base can always drive lengthways, but not turn
everywhere: here the headings are chosen along it, by Dijkstra's algorithm over (point of the way,
heading). The base may move sideways and backwards, which costs more than to drive ahead.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.planning.navigation.grid import Indices, Mask, OccupancyGrid, path_length
from sayso.planning.navigation.smoothing import spread

HEADINGS = 24
_STEP_M = 0.1
_DISCS = (8, 4)
"""They cover the footprint, side by side along and across it."""
_SPARE_CELLS = 1.25
"""Between the middles of cells, where distances are known, and what is somewhere in the cells."""
ASIDE = 1.5
"""What a metre straight backwards costs more than one ahead, in metres; aside half of that."""
TURN_M = 0.8
"""What a turn by one radian costs, in metres driven."""
_FACE_M = 4.0
"""What a radian off the wanted heading at the end costs."""

Headed = tuple[float, float, float]
"""x, y [m] and heading [rad]."""


@dataclass(frozen=True, eq=False)
class Footing:
    """The floor as a rectangular base sees it.

    Attributes:
        footprint_m: length and width.
    """

    grid: OccupancyGrid
    footprint_m: tuple[float, float]

    def fits(self, points: Array, headings: Array) -> Mask:
        """(N,) whether the base stands on free floor at (N, 2) points with (N,) headings.

        Its footprint is covered by small discs, whose middles need the discs' radius of
        clearance. Where there is room for all of its circle, or not even for its width, no disc
        is looked at.
        """
        length, width = self.footprint_m
        spare = _SPARE_CELLS * self.grid.resolution_m
        room = self._clearance_m(points)
        fit: Mask = room > math.hypot(length, width) / 2 + spare
        open_ = np.flatnonzero(~fit & (room > width / 2))
        ahead = np.stack([np.cos(headings[open_]), np.sin(headings[open_])], axis=1)
        aside = ahead[:, ::-1] * (-1.0, 1.0)
        along, across = length / _DISCS[0], width / _DISCS[1]
        radius = math.hypot(along, across) / 2 + spare
        fit[open_] = True
        for i in (np.arange(_DISCS[0]) - (_DISCS[0] - 1) / 2) * along:
            for j in (np.arange(_DISCS[1]) - (_DISCS[1] - 1) / 2) * across:
                at = points[open_] + i * ahead + j * aside
                fit[open_] &= self._clearance_m(at) > radius
        return fit

    def _clearance_m(self, points: Array) -> Array:
        rows, columns = self.grid.shape
        cells = np.floor(self.grid.to_grid(points)).astype(np.intp)
        inside = np.all((cells >= 0) & (cells < (columns, rows)), axis=1)
        at = np.clip(cells, 0, (columns - 1, rows - 1))
        return np.where(inside, self.grid.clearance_m[at[:, 1], at[:, 0]], 0.0)


def headings_along(
    path: Array, yaw: float, footing: Footing, face: tuple[float, float] | None = None
) -> list[Headed]:
    """Where the base is in turn, and its heading there; between them both change evenly.

    Args:
        path: (N, 2) corners x, y [m].
        yaw: the heading at its start, with which the base stands there already [rad].
        face: the point to look at in the end, as far as there is room for it.

    Raises:
        SaySoError: UNREACHABLE where the base cannot turn as the way demands.
    """
    points = spread(path, max(1, math.ceil(path_length(path) / _STEP_M)))
    angles = np.arange(HEADINGS) * math.tau / HEADINGS
    fit = footing.fits(np.repeat(points, HEADINGS, axis=0), np.tile(angles, len(points))).reshape(
        len(points), HEADINGS
    )
    first = heading_number(yaw)
    fit[(points == points[0]).all(axis=1), first] = True
    ends = (
        _FACE_M * turn_between(angles, _direction(points[-1], face)) if face else np.zeros(HEADINGS)
    )
    chosen = _cheapest(points, angles, fit, first, ends)
    places = [(float(points[i, 0]), float(points[i, 1]), float(angles[h])) for i, h in chosen]
    x, y, _ = places[0]
    last = places[-1]
    turned = [_facing(last, face, footing)] if face else []
    return list(_merged([(x, y, yaw), *places, *turned]))


def heading_number(yaw: float) -> int:
    """Of the evenly spread headings, the one nearest to a heading [rad]."""
    return round(yaw / (math.tau / HEADINGS)) % HEADINGS


def _cheapest(
    points: Array, angles: Array, fit: Mask, first: int, ends: Array
) -> list[tuple[int, int]]:
    count = fit.size
    a, b, costs = (np.concatenate(part) for part in zip(*_edges(points, angles), strict=True))
    kept = fit.ravel()[a] & fit.ravel()[b]
    graph = sparse.csr_matrix((costs[kept], (a[kept], b[kept])), shape=(count, count))
    reached, parents = dijkstra(graph, indices=first, return_predecessors=True)
    total = reached[-HEADINGS:] + ends
    if not np.isfinite(total).any():
        raise SaySoError(
            Code.UNREACHABLE,
            "there is not room enough for the base to turn as the way there demands.",
            hint="make more room, or ask for something else.",
        )
    at = count - HEADINGS + int(total.argmin())
    chosen = []
    while at >= 0:
        chosen.append(divmod(at, HEADINGS))
        at = int(parents[at])
    return chosen[::-1]


def _edges(points: Array, angles: Array) -> Iterator[tuple[Indices, Indices, Array]]:
    """From and to which of all (point, heading) the base can go at once, and what it costs."""
    numbers: Indices = np.arange(len(points) * HEADINGS, dtype=np.intp)
    numbers = numbers.reshape(len(points), HEADINGS)
    turn = TURN_M * math.tau / HEADINGS
    for side in (-1, 1):
        aside = np.roll(numbers, side, axis=1)
        yield numbers.ravel(), aside.ravel(), np.full(numbers.size, turn)
    along = np.diff(points, axis=0)
    metres = np.linalg.norm(along, axis=1)
    off = turn_between(angles[None], np.arctan2(along[:, 1], along[:, 0])[:, None])
    costs = metres[:, None] * (1 + ASIDE * off / math.pi) + 1e-6
    for side in (-1, 0, 1):
        ahead = np.roll(numbers[1:], side, axis=1)
        yield numbers[:-1].ravel(), ahead.ravel(), (costs + abs(side) * turn * 1.1).ravel()


def _facing(last: Headed, face: tuple[float, float] | None, footing: Footing) -> Headed:
    """The last place turned the rest of the way to what is to be looked at, where it fits."""
    x, y, yaw = last
    wanted = float(_direction(np.array([x, y]), face))
    close = float(turn_between(np.array(yaw), wanted)) <= math.tau / HEADINGS
    fits = footing.fits(np.array([[x, y]]), np.array([wanted]))[0]
    return (x, y, wanted) if close and fits else last


def _merged(places: list[Headed]) -> Iterator[Headed]:
    """Without those in the middle of a straight line driven with one heading."""
    yield places[0]
    for before, here, after in zip(places, places[1:], places[2:], strict=False):
        if not _straight(before, here, after):
            yield here
    yield places[-1]


def _straight(before: Headed, here: Headed, after: Headed) -> bool:
    if not before[2] == here[2] == after[2]:
        return False
    ux, uy = here[0] - before[0], here[1] - before[1]
    vx, vy = after[0] - here[0], after[1] - here[1]
    return abs(ux * vy - uy * vx) < 1e-6 and ux * vx + uy * vy >= 0


def _direction(origin: Array, point: tuple[float, float] | None) -> float:
    x, y = (0.0, 0.0) if point is None else np.subtract(point, origin)
    return math.atan2(y, x)


def turn_between(angles: Array, other: Array | float) -> Array:
    """How far headings are from others, 0 to pi."""
    return np.abs((angles - other + math.pi) % math.tau - math.pi)
