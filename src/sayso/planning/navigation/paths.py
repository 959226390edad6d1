"""What planners of paths share: the question, and why there may be no answer."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from scipy import ndimage

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import (
    Cell,
    Indices,
    Mask,
    path_length,
    segments_clear,
)
from sayso.planning.navigation.smoothing import spread, straighten

_TAILS = 100
"""Points of a path from which a shorter way into the goal is looked for."""
_ROUNDS = 4


@dataclass(frozen=True, eq=False)
class PathQuestion:
    """From a cell to any cell of a region, or from a point to a point.

    Attributes:
        free: (rows, columns) where the base's centre may be.
        start: (row, column).
        goal: (rows, columns); cells that are not free do not count.
        ends: (2, 2) where exactly it begins and ends, (x, y) in units of cells; None: in the
            middle of the start cell, and anywhere in a goal cell.
        known: (N, 2) the cells (row, column) of a shortest way over the grid, if whoever asks
            has one; a planner may make use of it.
    """

    free: Mask
    start: Cell
    goal: Mask
    ends: Array | None = None
    known: Indices | None = None

    @staticmethod
    def along(way: Indices, free: Mask, ends: Array | None = None) -> PathQuestion:
        """From end to end of a shortest way over the grid, (N, 2) cells (row, column).

        Args:
            ends: see above; by default the middles of its first and last cell.
        """
        (row, column), last = way[0], way[-1]
        goal = np.zeros(free.shape, bool)
        goal[tuple(last)] = True
        if ends is None:
            ends = np.asarray(way[[0, -1], ::-1], float) + 0.5
        return PathQuestion(free, (int(row), int(column)), goal, ends, way)

    @property
    def origin(self) -> Array:
        """(2,) where it begins (x, y) in units of cells."""
        return np.array(self.start[::-1], float) + 0.5 if self.ends is None else self.ends[0]

    def at_once(self) -> Array | None:
        """(2, 2) the path of who need not leave the start cell; None of others."""
        if not self.goal[self.start]:
            return None
        return np.stack([self.origin, self.origin if self.ends is None else self.ends[1]])

    def reachable(self) -> Mask:
        """(rows, columns) the cells that the start is joined to, by flood fill.

        Raises:
            SaySoError: PRECONDITION where the start itself is not free; UNREACHABLE where no
                goal cell is joined to it: then there is no way, however long one searches.
        """
        if not self.free[self.start]:
            raise SaySoError(
                Code.PRECONDITION,
                "the robot stands where it must not: in or too close to something.",
                hint="move it to free floor first.",
            )
        room = Floor(self.free).connected(self.start)
        if not (room & self.goal).any():
            raise SaySoError(
                Code.UNREACHABLE,
                "no way leads there: no free floor joins the goal to where the robot stands.",
                hint="clear the way, or ask for something else.",
            )
        return room


class PathPlanner(Protocol):
    """Finds short paths.

    Args of `find`: the question. Returns (N, 2) corners (x, y) in units of cells, from the
    question's origin to its end, or to a point in a goal cell, all legs clear. Raises what
    `PathQuestion.reachable` does, and PLAN_TIMEOUT where it gave up though there is a way.
    """

    def find(self, question: PathQuestion) -> Array: ...


def out_of_samples(tried: int) -> SaySoError:
    """The error of a planner that gave up though there is a way."""
    return SaySoError(
        Code.PLAN_TIMEOUT,
        f"{tried} samples did not show a way, though there is one.",
        hint="allow more samples.",
    )


def improve(path: Array, question: PathQuestion) -> Array:
    """The path pulled straight; where its end is left open, ended where that is shortest."""
    if question.ends is not None:
        return straighten(path, question.free)
    free, goal = question.free, question.goal & question.free
    _, (rows, columns) = ndimage.distance_transform_edt(~goal, return_indices=True)
    best = straighten(path, free)
    for _ in range(_ROUNDS):
        points = spread(best, _TAILS)
        at = np.floor(points[:, ::-1]).astype(np.intp)
        ends = np.stack([columns[tuple(at.T)], rows[tuple(at.T)]], axis=1) + 0.5
        inside = goal[tuple(at.T)]
        ends[inside] = points[inside]
        clear = segments_clear(free, points, ends)
        so_far = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(points, axis=0), axis=1))]
        total = np.where(clear, so_far + np.linalg.norm(ends - points, axis=1), np.inf)
        k = int(total.argmin())
        if not total[k] < path_length(best) * (1 - 1e-3):
            break
        best = straighten(np.concatenate((points[: k + 1], ends[k : k + 1])), free)
    return best


@dataclass(frozen=True)
class GridPlanner:
    """The shortest way over the grid, pulled straight: complete, and the reference."""

    def find(self, question: PathQuestion) -> Array:
        """See `PathPlanner`; a way that is known already is not looked for again."""
        way = _shortest(question) if question.known is None else question.known
        path = question.at_once()
        if path is not None:
            return path
        middles: Array = way[:, ::-1].astype(float) + 0.5
        if question.ends is not None:
            middles[[0, -1]] = question.ends
        return improve(middles, question)


GRID = GridPlanner()


def _shortest(question: PathQuestion) -> Indices:
    """(N, 2) the cells (row, column) of a shortest way over the grid."""
    question.reachable()
    field = Floor(question.free).from_cell(question.start)
    costs = np.where(question.goal & question.free, field.cells, np.inf)
    row, column = divmod(int(costs.argmin()), costs.shape[1])
    return field.way_to((row, column))
