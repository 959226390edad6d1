"""Tours that show a flat: where to stand and look next, until nothing unknown is left to see.

Frontiers are where known free floor meets the unknown (Yamauchi, "A frontier-based approach for
autonomous exploration", 1997). The next view is the one that shows most of them for its way, as
in next-best-view planning (González-Baños and Latombe, IJRR 2002).
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Protocol

import numpy as np
from scipy import ndimage

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import Cancelled
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import (
    BASE_RADIUS_M,
    FREE,
    OCCUPIED,
    UNKNOWN,
    Cell,
    Indices,
    Mask,
    OccupancyGrid,
    path_length,
    segments_clear,
)
from sayso.planning.navigation.paths import GridPlanner, PathQuestion
from sayso.planning.navigation.smoothing import spread

log = logging.getLogger(__name__)

BLOCKED = frozenset(
    {Code.EXECUTION, Code.UNREACHABLE, Code.PRECONDITION, Code.LIMIT, Code.VETO, Code.PLAN_TIMEOUT}
)
"""Failures of one motion after which another may still succeed."""
_EDGES, _STANDS = 240, 400
"""Most frontier cells, and most places to stand, that are weighed against each other."""
_SNAP_M = 0.6
"""How far the robot may stand from where there is known to be room for it."""
_AHEAD_M = 0.7
"""From the middle of the robot to just before it."""
_APART_M = 0.5
"""Around a view that could not be reached, no other is tried."""


class Surveyor(Protocol):
    """A robot that maps while it moves."""

    def floor(self) -> OccupancyGrid:
        """The map so far."""

    def position(self) -> tuple[float, float]:
        """Where its base is [m, frame `map`]."""

    def drive(self, path: Array) -> None:
        """Follow a path (N, 2) [m]; raises `SaySoError` where it cannot."""

    def look_around(self) -> None:
        """Turn on the spot once, mapping."""


@dataclass(frozen=True)
class ExplorationSettings:
    """How a flat is toured.

    Attributes:
        radius_m: of the disc that stands for the base on its way.
        turn_m: of the disc that it needs to turn on the spot, at a view.
        frontier_m: shorter frontiers are left alone, and views that show less of them.
        see_m: floor up to this distance from a view counts as seen from there.
        turn_costs_m: a view costs this much beside its way.
        views: after so many the tour ends.
        failures: drives and looks that may fail in all.
    """

    radius_m: float = BASE_RADIUS_M
    turn_m: float = 0.62
    frontier_m: float = 0.3
    see_m: float = 3.0
    turn_costs_m: float = 4.0
    views: int = 200
    failures: int = 10


@dataclass(frozen=True, eq=False)
class View:
    """A place to look around from.

    Attributes:
        place: (x, y) [m], the middle of a cell.
        path: (N, 2) [m] that leads there.
    """

    place: tuple[float, float]
    path: Array


@dataclass
class Exploration:
    """What became of a tour.

    Attributes:
        views: places at which the robot looked around, (x, y) [m].
        paths: each (N, 2) [m], that it was asked to drive, in order.
        failures: what kept it from a view, or from looking around at once.
        whole: whether it ended because nothing more was to be seen.
    """

    views: list[tuple[float, float]] = field(default_factory=list)
    paths: list[Array] = field(default_factory=list)
    failures: list[SaySoError] = field(default_factory=list)
    whole: bool = False

    @property
    def length_m(self) -> float:
        """Of all ways."""
        return sum(path_length(path) for path in self.paths)

    def route(self) -> Array:
        """(N, 2) all ways as one line [m]; empty where nothing was driven."""
        return np.concatenate(self.paths) if self.paths else np.zeros((0, 2))


@dataclass
class Unseen:
    """What is still to be looked at, by place rather than by cell, since maps grow.

    Attributes:
        looked: places from which everything within sight was looked at.
        avoided: views that could not be reached.
        bumps: places where something that no camera measured held the robot: glass, for one.
    """

    looked: list[tuple[float, float]] = field(default_factory=list)
    avoided: list[tuple[float, float]] = field(default_factory=list)
    bumps: list[tuple[float, float]] = field(default_factory=list)

    def standable(self, grid: OccupancyGrid, radius_m: float) -> Mask:
        """(rows, columns) where a disc may be, off what the robot ran into as well."""
        free = grid.standable(radius_m)
        cells = np.argwhere(free)
        for bump in self.bumps:
            near = np.linalg.norm(grid.centres(cells) - bump, axis=1) <= radius_m
            free[tuple(cells[near].T)] = False
        return free

    def edges(self, grid: OccupancyGrid, settings: ExplorationSettings) -> Indices:
        """(N, 2) unknown cells (row, column) beside free ones, on frontiers that are long enough.

        What a robot that stood close by and looked did not see, it will not see: such cells no
        longer count.
        """
        edge = (grid.cells == UNKNOWN) & ndimage.binary_dilation(grid.cells == FREE)
        cells = np.argwhere(edge)
        places = np.asarray(self.looked).reshape(-1, 2)
        seen = _sights(grid, places, cells, settings.see_m).any(axis=0)
        edge[tuple(cells[seen].T)] = False
        labels, count = ndimage.label(edge, np.ones((3, 3)))
        extents = [max(s.stop - s.start for s in e) for e in ndimage.find_objects(labels)]
        long = np.asarray(extents) * grid.resolution_m >= settings.frontier_m
        return np.argwhere(np.r_[False, long][labels]) if count else np.zeros((0, 2), np.intp)


def next_view(
    grid: OccupancyGrid,
    position: tuple[float, float],
    unseen: Unseen,
    settings: ExplorationSettings | None = None,
) -> View | None:
    """Where to look around next, or None where nothing is left to be seen from floor in reach.

    Raises:
        SaySoError: PRECONDITION where the robot has no room where it stands.
    """
    settings = settings or ExplorationSettings()
    edges = unseen.edges(grid, settings)
    free = unseen.standable(grid, settings.radius_m)
    start = nearest_stand(grid, free, position)
    costs = Floor(free).from_cell(start).cells * grid.resolution_m
    roomy = np.isfinite(costs) & unseen.standable(grid, settings.turn_m)
    stands = _stands(grid, roomy, unseen)
    if not len(edges) or not len(stands):
        return None
    asked = _some(edges, _EDGES)
    sights = _sights(grid, grid.centres(stands), asked, settings.see_m).sum(axis=1)
    gains = sights * (len(edges) / len(asked)) * grid.resolution_m
    best = int((gains / (costs[tuple(stands.T)] + settings.turn_costs_m)).argmax())
    if gains[best] < settings.frontier_m:
        return None
    goal = (int(stands[best, 0]), int(stands[best, 1]))
    path = way_to(grid, free, position, goal)
    x, y = grid.centres(stands[best])[0]
    return View((float(x), float(y)), path)


def explore(
    robot: Surveyor,
    settings: ExplorationSettings | None = None,
    *,
    cancelled: Cancelled = lambda: False,
    on_view: Callable[[Exploration], None] = lambda _: None,
) -> Exploration:
    """Tour until nothing unknown is left that can be seen from floor in reach.

    The robot must have been put where it can turn: it begins by looking around.

    Args:
        on_view: called after each view.

    Raises:
        SaySoError: CANCELLED; what a drive failed with where it is not about that way alone,
            or where too many failed; what `next_view` raises.
    """
    settings = settings or ExplorationSettings()
    tour, unseen = Exploration(), Unseen()
    _look(robot, tour, settings, on_view)
    unseen.looked.append(tour.views[-1])
    while len(tour.views) < settings.views:
        _require_not(cancelled)
        view = next_view(robot.floor(), robot.position(), unseen, settings)
        if view is None:
            tour.whole = True
            break
        if _drive(robot, view.path, tour, settings):
            _look(robot, tour, settings, on_view)
            # Both where it was to stand and where it stood: else what the one promises and the
            # other does not show would be asked for forever.
            unseen.looked += (view.place, tour.views[-1])
        else:
            unseen.avoided.append(view.place)
            if tour.failures[-1].code is Code.EXECUTION:
                unseen.bumps.append(_ahead(view.path, robot.position()))
    return tour


def nearest_stand(grid: OccupancyGrid, free: Mask, position: tuple[float, float]) -> Cell:
    """The cell with room for the robot that is nearest to where it stands.

    Raises:
        SaySoError: PRECONDITION where there is none close by.
    """
    cells = np.argwhere(free)
    away = np.linalg.norm(grid.centres(cells) - position, axis=1)
    if not len(cells) or away.min() > _SNAP_M:
        raise SaySoError(
            Code.PRECONDITION,
            f"the map knows no room for the robot where it stands, ({position[0]:.2f}, "
            f"{position[1]:.2f}).",
            hint="move it to open floor, and look around there first.",
        )
    row, column = cells[away.argmin()]
    return int(row), int(column)


def way_to(grid: OccupancyGrid, free: Mask, position: tuple[float, float], goal: Cell) -> Array:
    """(N, 2) [m] the shortest way from where the robot is to the middle of a cell."""
    there = np.zeros(grid.shape, bool)
    there[goal] = True
    start = nearest_stand(grid, free, position)
    corners = GridPlanner().find(PathQuestion(free, start, there))
    here = grid.to_grid(np.asarray([position]))
    way = _with_few_corners(np.concatenate((here, corners)), free)
    return np.asarray(np.concatenate(([position], way[1:] * grid.resolution_m + grid.origin)))


def _with_few_corners(path: Array, free: Mask) -> Array:
    """The path without corners that can be left out: the robot rests at each."""
    kept = [0]
    while kept[-1] < len(path) - 1:
        later = np.arange(kept[-1] + 1, len(path))
        here = np.repeat(path[kept[-1]][None], len(later), axis=0)
        clear = np.flatnonzero(segments_clear(free, here, path[later]))
        kept.append(int(later[clear[-1]]) if len(clear) else int(later[0]))
    return path[kept]


def _look(
    robot: Surveyor,
    tour: Exploration,
    settings: ExplorationSettings,
    on_view: Callable[[Exploration], None],
) -> None:
    """Look around, from the start again where a turn failed: what held the base may be gone."""
    while True:
        try:
            robot.look_around()
            break
        except SaySoError as error:
            _count(error, tour, settings)
            log.info("looking around once more: %s", error)
    tour.views.append(robot.position())
    on_view(tour)


def _drive(robot: Surveyor, path: Array, tour: Exploration, settings: ExplorationSettings) -> bool:
    """Whether the robot could follow a path; raises where it is of no use to try others."""
    tour.paths.append(path)
    try:
        robot.drive(path)
    except SaySoError as error:
        _count(error, tour, settings)
        log.info("a view is given up: %s", error)
        return False
    return True


def _count(error: SaySoError, tour: Exploration, settings: ExplorationSettings) -> None:
    """Note a failure; raises it where another motion would fail too, or too many did."""
    tour.failures.append(error)
    if error.code not in BLOCKED or len(tour.failures) > settings.failures:
        raise error


def _ahead(path: Array, position: tuple[float, float]) -> tuple[float, float]:
    """The point of a path that is just before a robot that was held on its way."""
    points = spread(path, 200)
    past = int(np.linalg.norm(points - position, axis=1).argmin())
    beyond = points[past:][np.linalg.norm(points[past:] - position, axis=1) >= _AHEAD_M]
    x, y = beyond[0] if len(beyond) else points[-1]
    return float(x), float(y)


def _stands(grid: OccupancyGrid, roomy: Mask, unseen: Unseen) -> Indices:
    """(N, 2) cells to look around in, some of them, away from those that failed."""
    cells = np.argwhere(roomy)
    for place in unseen.avoided:
        cells = cells[np.linalg.norm(grid.centres(cells) - place, axis=1) > _APART_M]
    return _some(cells, _STANDS)


def _some(cells: Indices, most: int) -> Indices:
    """At most so many of the cells, spread over all; the same ones each time."""
    if len(cells) <= most:
        return cells
    return cells[np.random.default_rng(0).permutation(len(cells))[:most]]


def _sights(grid: OccupancyGrid, places: Array, cells: Indices, see_m: float) -> Mask:
    """(P, N) whether cells are close enough to places (P, 2) [m], with nothing known between."""
    centres = grid.centres(cells)
    near = np.linalg.norm(places[:, None] - centres[None], axis=2) <= see_m
    at, of = np.nonzero(near)
    clear = segments_clear(
        grid.cells != OCCUPIED, grid.to_grid(places[at]), grid.to_grid(centres[of])
    )
    near[at[~clear], of[~clear]] = False
    return np.asarray(near)


def _require_not(cancelled: Cancelled) -> None:
    if cancelled():
        raise SaySoError(Code.CANCELLED, "the tour was cancelled; the robot is at rest.")
