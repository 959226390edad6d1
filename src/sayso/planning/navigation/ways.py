"""Ways to places that the robot chooses for itself, within what the task forbids now."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from scipy import ndimage

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import HALF_WIDTH_M, Mask, cells_along
from sayso.planning.navigation.headings import Footing, headings_along, turn_between
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.leaving import harmless_cells, kept_cells, open_cells
from sayso.planning.navigation.paths import PathQuestion
from sayso.planning.navigation.turning import Lattice, way_with_turns
from sayso.planning.navigation.walls import walls_around

_ROOMS_M = (0.0, 0.55, 0.65)
"""Clearances to ask for in turn, where the base cannot turn along the shortest way."""
_PLACES, _TURNS = 400, 12
"""Of like places, so many are looked into, each in so many headings."""
_ENDS_M = 0.8
"""This far around both ends of a way, less room will do."""
_TIGHT_M = 1.2
"""This far around both ends the base may stand where it fits lengthways only."""
_FACING_RAD = 0.15
"""So far off the wanted heading a way may end."""


class Ways:
    """Shortest ways that leave the task no worse off.

    Args:
        outset: its `states` are those of now; where it stands does not matter.
        footprint_m: length and width of the base.
        yaw: the base's heading at the start of a way [rad]; with it ways are given that its
            whole footprint can follow, turning.
    """

    def __init__(
        self, outset: Outset, footprint_m: tuple[float, float], yaw: float | None = None
    ) -> None:
        self._outset = replace(outset, states=outset.begin(outset.seen_near()))
        self._footprint_m = footprint_m
        self._yaw = yaw

    def way(
        self, start: tuple[float, float], goals: Array, yaws: Array | None = None
    ) -> Array | None:
        """The shortest path to any of some goals.

        Args:
            start: (x, y) [m, frame `map`].
            goals: (M, 2), likewise.
            yaws: (M,) headings to stand in there [rad]. With them, places near both ends will do
                where the base fits only in some headings.

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
        goals = np.asarray(goals, float).reshape(-1, 2)
        path = self._by_middle(outset, free, goals, yaws) if free[outset.cell] else None
        if path is not None or self._yaw is None:
            return path
        allowed = free if yaws is None else self._tight(outset, free, goals)
        path = way_with_turns(Lattice.of(self._footing, allowed), (*start, self._yaw), goals, yaws)
        if path is None or not self.drivable(path, _yaw_at(path[-1], goals, yaws)):
            return None
        return path

    def _by_middle(
        self, outset: Outset, free: Mask, goals: Array, yaws: Array | None
    ) -> Array | None:
        """The shortest way of the base's middle, if the base can follow it."""
        start = outset.position
        for room_m in _ROOMS_M if self._yaw is not None else _ROOMS_M[:1]:
            path = self._way(start, goals, self._roomy(free, start, goals, room_m), outset)
            if path is not None and self.drivable(path, _yaw_at(path[-1], goals, yaws)):
                return path
        return None

    def free_around(self, path: Array, width_m: float) -> bool:
        """Whether the robot may drive along a path, and as far off it, as it likes.

        Nowhere within so much of the path (N, 2), from where the robot is, is the task worse off,
        whatever is seen there; and it stands with room around itself.
        """
        x, y = (float(v) for v in path[0])
        outset = replace(self._outset, position=(x, y))
        grid = outset.flat.grid
        if self._yaw is None or not self._footing.fits(path[:1], np.array([self._yaw]))[0]:
            return False
        around = self._away(grid.shape, grid.centres(cells_along(grid.to_grid(path)))) <= width_m
        return bool(harmless_cells(outset)[around & outset.standable()].all())

    def fits(self, places: Array, yaws: Array) -> Mask:
        """(N,) whether the base may stand at (N, 2) places with (N,) headings."""
        grid = self._outset.flat.grid
        cells = np.floor(grid.to_grid(places)).astype(np.intp)
        fit = self._footing.fits(places, yaws)
        inside = np.all((cells >= 0) & (cells < grid.shape[::-1]), axis=1)
        columns, rows = np.where(inside, cells.T, 0)
        may_be: Mask = fit & inside & kept_cells(self._outset)[rows, columns]
        return may_be

    def walls(self, place: tuple[float, float], reach_m: float) -> Array:
        """(K, 4) what stands around a place and is no known thing; see `walls_around`."""
        flat = self._outset.flat
        things = [p.footprint for p in flat.places.values()]
        return walls_around(flat.grid, things, place, reach_m)

    @property
    def _footing(self) -> Footing:
        return Footing(self._outset.flat.grid, self._footprint_m)

    def drivable(self, path: Array, yaw: float | None = None) -> bool:
        """Whether the base, from its heading on, can turn as a path (N, 2) demands.

        Args:
            yaw: how it is to stand in the end [rad].
        """
        if self._yaw is None:
            return True
        x, y = (float(v) for v in path[-1])
        face = None if yaw is None else (x + float(np.cos(yaw)), y + float(np.sin(yaw)))
        try:
            *_, (_, _, last) = headings_along(path, self._yaw, self._footing, face)
        except SaySoError as error:
            if error.code is not Code.UNREACHABLE:
                raise
            return False
        return yaw is None or bool(turn_between(np.array(last), yaw) < _FACING_RAD)

    def _tight(self, outset: Outset, free: Mask, goals: Array) -> Mask:
        """The free cells, and those around the ends where the base may fit lengthways."""
        grid = self._outset.flat.grid
        near = self._away(grid.shape, np.vstack([outset.position, goals])) < _TIGHT_M
        tight: Mask = free | (near & kept_cells(outset) & (grid.clearance_m > HALF_WIDTH_M))
        return tight

    def _away(self, shape: tuple[int, int], points: Array) -> Array:
        """(rows, columns) the distance to the nearest of some points."""
        grid, ends = self._outset.flat.grid, np.ones(shape, bool)
        cells = np.floor(grid.to_grid(points)).astype(np.intp)
        columns, rows = cells[np.all((cells >= 0) & (cells < shape[::-1]), axis=1)].T
        ends[rows, columns] = False
        return np.asarray(ndimage.distance_transform_edt(ends, sampling=grid.resolution_m))

    def _roomy(self, free: Mask, start: tuple[float, float], goals: Array, room_m: float) -> Mask:
        """The free cells with some clearance, and all of them around the ends."""
        if not room_m:
            return free
        grid = self._outset.flat.grid
        away = self._away(grid.shape, np.vstack([start, goals]))
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
        between = np.stack([grid.to_grid(np.array(start)), ends[best]])
        question = PathQuestion.along(field.way_to((row, column)), free, between)
        path = outset.planner.find(question)
        return np.asarray(path * grid.resolution_m + np.asarray(grid.origin))


def alike(outset: Outset, place: tuple[float, float], footprint_m: tuple[float, float]) -> Array:
    """(M, 2) places that are near the same as one is, and where the whole base, so long and wide,
    has room."""
    grid, near = outset.flat.grid, outset.near()
    same = near.labels == near.labels[grid.cell_at(place)]
    cells = np.argwhere(same & outset.standable())
    points = grid.centres(cells[:: max(1, len(cells) // _PLACES)])
    footing = Footing(grid, footprint_m)
    turns = np.arange(_TURNS) * np.pi / _TURNS  # the base looks the same from behind
    fit = footing.fits(np.repeat(points, _TURNS, axis=0), np.tile(turns, len(points)))
    return np.asarray(points[fit.reshape(-1, _TURNS).any(axis=1)])


def _yaw_at(end: Array, goals: Array, yaws: Array | None) -> float | None:
    """The heading wanted at the goal at which a way ends."""
    if yaws is None:
        return None
    return float(yaws[int(np.linalg.norm(goals - end, axis=1).argmin())])


def _costs(distances: Array, ends: Array) -> Array:
    """(M,) the distance of each end's cell; infinite off the map."""
    rows, columns = distances.shape
    cells = np.floor(ends).astype(np.intp)
    inside = np.all((cells >= 0) & (cells < (columns, rows)), axis=1)
    costs = np.full(len(ends), np.inf)
    costs[inside] = distances[cells[inside, 1], cells[inside, 0]]
    return costs
