"""Tours of unknown floors: by frontiers, and by waypoints."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.planning.navigation.exploration import (
    Exploration,
    ExplorationSettings,
    Unseen,
    explore,
    next_view,
)
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import (
    FREE,
    OCCUPIED,
    UNKNOWN,
    OccupancyGrid,
    segments_clear,
)
from support import floors

REACH_M = 4.0


class Ghost:
    """A `Surveyor` that knows the true floor and shows what can be seen of it from where it is."""

    def __init__(self, true: OccupancyGrid, start: tuple[float, float]) -> None:
        self.true, self._at = true, start
        self._seen = np.zeros(true.shape, bool)
        self.refused: list[tuple[float, float]] = []
        self.held: list[Code] = []

    def floor(self) -> OccupancyGrid:
        cells = np.where(self._seen, self.true.cells, UNKNOWN).astype(np.int8)
        return OccupancyGrid(cells, self.true.origin, self.true.resolution_m)

    def position(self) -> tuple[float, float]:
        return self._at

    def drive(self, path: Array) -> None:
        assert np.linalg.norm(path[0] - self._at) < 1e-6
        known = self.floor().cells == FREE
        grid = self.true.to_grid(path)
        assert segments_clear(known, grid[:-1], grid[1:]).all(), "it drives over unknown floor"
        if any(np.hypot(*(path[-1] - spot)) < 1.0 for spot in self.refused):
            raise SaySoError(Code.UNREACHABLE, "the way is blocked.")
        self._at = (float(path[-1][0]), float(path[-1][1]))

    def look_around(self) -> None:
        if self.held:
            raise SaySoError(self.held.pop(0), "the base does not follow.")
        cells = np.argwhere(np.ones(self.true.shape, bool))
        centres = self.true.centres(cells)
        near = np.linalg.norm(centres - self._at, axis=1) < REACH_M
        eye = self.true.to_grid(np.asarray([self._at]))
        ends = self.true.to_grid(centres[near])
        eyes = np.repeat(eye, len(ends), axis=0)
        # Up to just before the cell, so that what stands there is seen.
        way = ends - eyes
        length = np.linalg.norm(way, axis=1, keepdims=True)
        short = eyes + way * np.maximum(1 - 1.5 / np.maximum(length, 1.5), 0)
        seen = segments_clear(self.true.cells != OCCUPIED, eyes, short)
        self._seen[tuple(cells[near][seen].T)] = True


def rooms(seed: int) -> OccupancyGrid:
    """Three rooms of 5 m x 2.3 m on coarse cells, with a little furniture."""
    grid = floors.rooms(seed, rows=50, columns=70, furniture=2, door=16)
    return OccupancyGrid(grid.cells, resolution_m=0.1)


def start_in(grid: OccupancyGrid) -> tuple[float, float]:
    row, column = np.argwhere(grid.standable(0.7))[0]
    x, y = grid.centres([(row, column)])[0]
    return float(x), float(y)


@pytest.mark.parametrize("seed", range(2))
def test_a_tour_ends_when_all_floor_in_reach_is_known(seed: int) -> None:
    true = rooms(seed)
    ghost = Ghost(true, start_in(true))
    told: list[int] = []
    tour = explore(ghost, on_view=lambda t: told.append(len(t.views)))
    assert tour.whole
    assert told == list(range(1, len(tour.views) + 1))
    reach = Floor(true.standable()).connected(true.cell_at(tour.views[0]))
    known = ghost.floor().cells == FREE
    assert (known & reach).sum() > 0.99 * reach.sum()
    assert tour.length_m < 40.0
    assert len(tour.route()) == sum(map(len, tour.paths))
    again = explore(Ghost(true, start_in(true)))
    assert again.views == tour.views, "the same floor is toured the same way"


def test_a_view_that_cannot_be_reached_is_given_up() -> None:
    true = rooms(0)
    ghost = Ghost(true, start_in(true))
    view = next_view(*_after_a_look(ghost), Unseen([ghost.position()]))
    assert view is not None
    ghost.refused.append(view.place)
    tour = explore(ghost)
    assert tour.whole
    assert tour.failures and tour.failures[0].code is Code.UNREACHABLE
    assert all(np.hypot(v[0] - view.place[0], v[1] - view.place[1]) > 0.5 for v in tour.views[1:])
    with pytest.raises(SaySoError, match="the way is blocked"):
        stuck = Ghost(true, start_in(true))
        stuck.refused = [(x / 2, y / 2) for x in range(15) for y in range(11)]
        explore(stuck, ExplorationSettings(failures=2))


def test_where_a_turn_fails_it_looks_around_once_more() -> None:
    true = rooms(0)
    undisturbed, ghost = Ghost(true, start_in(true)), Ghost(true, start_in(true))
    ghost.held = [Code.EXECUTION, Code.VETO]
    tour = explore(ghost)
    assert tour.whole and [f.code for f in tour.failures] == [Code.EXECUTION, Code.VETO]
    assert tour.views == explore(undisturbed).views


@pytest.mark.parametrize(("code", "tried"), [(Code.EXECUTION, 3), (Code.STOPPED, 1)])
def test_what_does_not_pass_ends_the_look(code: Code, tried: int) -> None:
    true = rooms(0)
    ghost = Ghost(true, start_in(true))
    ghost.held = [code] * 9
    with pytest.raises(SaySoError, match="does not follow") as error:
        explore(ghost, ExplorationSettings(failures=2))
    assert error.value.code is code and len(ghost.held) == 9 - tried


def _after_a_look(ghost: Ghost) -> tuple[OccupancyGrid, tuple[float, float]]:
    ghost.look_around()
    return ghost.floor(), ghost.position()


def test_no_way_leads_again_through_what_held_the_robot() -> None:
    cells = np.full((60, 100), FREE, np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = OCCUPIED
    cells[:, 98] = UNKNOWN
    grid = OccupancyGrid(cells)
    free = Unseen(bumps=[(2.5, y) for y in (0.5, 1.5, 2.5)]).standable(grid, 0.45)
    assert not free[30, 50] and free[30, 20] and free[30, 80]
    view = next_view(grid, (1.0, 1.5), Unseen())
    assert view is not None and view.place[0] > 1.9
    assert len(view.path) == 2, "nothing is in the way, and the robot rests at every corner"
    wall = [(1.6, y) for y in np.arange(0.0, 3.1, 0.4)]
    assert next_view(grid, (1.0, 1.5), Unseen(bumps=wall)) is None


def test_what_cannot_be_seen_from_close_by_is_not_asked_for_again() -> None:
    cells = np.full((60, 60), FREE, np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = OCCUPIED
    cells[20:30, 20:30] = UNKNOWN  # black velvet: no depth, from wherever one looks
    grid = OccupancyGrid(cells)
    assert next_view(grid, (0.75, 0.75), Unseen()) is not None
    looked = [(0.75, 0.75), (2.25, 0.75), (2.25, 2.25), (0.75, 2.25)]
    assert next_view(grid, (0.75, 0.75), Unseen(looked)) is None


def test_a_robot_without_room_says_so() -> None:
    grid = OccupancyGrid(np.full((40, 40), UNKNOWN, np.int8))
    with pytest.raises(SaySoError, match="no room for the robot") as caught:
        next_view(grid, (1.0, 1.0), Unseen())
    assert caught.value.code is Code.PRECONDITION


def test_a_tour_is_cancelled_between_views() -> None:
    true = rooms(0)
    ghost = Ghost(true, start_in(true))
    seen: list[Exploration] = []
    with pytest.raises(SaySoError) as caught:
        explore(ghost, on_view=seen.append, cancelled=lambda: len(seen) >= 2)
    assert caught.value.code is Code.CANCELLED
    assert len(seen[-1].views) == 2
