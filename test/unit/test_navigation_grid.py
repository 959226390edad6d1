"""Grids, footprints and the motion of the base."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from sayso.core.base_limits import BaseLimits
from sayso.core.errors import Code, SaySoError
from sayso.core.scene import SceneObject
from sayso.planning.navigation.base_motion import drive
from sayso.planning.navigation.grid import (
    FREE,
    OCCUPIED,
    UNKNOWN,
    OccupancyGrid,
    cells_along,
    segments_clear,
)
from sayso.planning.navigation.nearness import Footprint, near_mask


def test_points_and_cells_agree() -> None:
    grid = OccupancyGrid(np.zeros((4, 6), np.int8), (-1.0, 2.0), 0.5)
    assert grid.cell_at((-0.9, 2.6)) == (1, 0)
    assert grid.centres([(1, 0)]).tolist() == [[-0.75, 2.75]]
    with pytest.raises(SaySoError, match="outside the map") as caught:
        grid.cell_at((2.1, 2.6))
    assert caught.value.code == Code.INVALID


@pytest.mark.parametrize(
    ("cells", "origin", "size", "says"),
    [
        (np.zeros((0, 3), np.int8), (0, 0), 0.1, "rows and columns"),
        (np.zeros(3, np.int8), (0, 0), 0.1, "rows and columns"),
        (np.zeros((2, 2), np.int8), (0, 0), 0.0, "positive size"),
        (np.zeros((2, 2), np.int8), (0, math.nan), 0.1, "finite"),
        (np.full((2, 2), 7, np.int8), (0, 0), 0.1, "free"),
    ],
)
def test_a_map_that_is_none_is_an_error(cells, origin, size, says) -> None:
    with pytest.raises(SaySoError, match=says) as caught:
        OccupancyGrid(cells, origin, size)
    assert caught.value.code == Code.INVALID


def test_the_base_keeps_away_from_what_is_occupied_unknown_or_beyond() -> None:
    cells = np.full((40, 40), FREE, np.int8)
    cells[10, 20] = OCCUPIED
    cells[30, 5] = UNKNOWN
    stand = OccupancyGrid(cells, (0.0, 0.0), 0.1).standable(0.45)
    assert not stand[10, 24]
    assert stand[10, 25]
    assert not stand[30, 9]
    assert not stand[3, 20]
    assert stand[4, 30]


def test_a_segment_does_not_slip_between_two_corners() -> None:
    free = np.array([[True, False], [False, True]])
    assert not segments_clear(free, np.array([[0.5, 0.5]]), np.array([[1.5, 1.5]]))[0]
    assert segments_clear(free, np.array([[0.2, 0.2]]), np.array([[0.8, 0.9]]))[0]


def test_segments_that_leave_the_map_are_not_clear() -> None:
    free = np.ones((3, 3), bool)
    ends = np.array([[2.5, 2.5], [3.5, 1.0], [-0.5, 1.0]])
    clear = segments_clear(free, np.full((3, 2), 1.5), ends)
    assert clear.tolist() == [True, False, False]


def test_the_cells_of_a_path_are_next_to_each_other() -> None:
    path = np.array([[0.5, 0.5], [6.2, 3.9], [6.2, 0.1]])
    cells = cells_along(path)
    assert tuple(cells[0]) == (0, 0)
    assert tuple(cells[-1]) == (0, 6)
    assert (np.abs(np.diff(cells, axis=0)).max(axis=1) == 1).all()


def test_the_footprint_of_a_turned_box_is_its_outline() -> None:
    quarter = (0.0, 0.0, math.sin(math.pi / 8), math.cos(math.pi / 8))
    turned = SceneObject("t", "table", "brown", (1.0, 1.0, 0.4), (2.0, 2.0, 0.8), quarter)
    distance = Footprint.of(turned).distance_m(np.array([1.0, 3.0, 1.0]), np.array([1.0, 1.0, 2.9]))
    assert np.allclose(distance, [0.0, 2 - math.sqrt(2), 1.9 - math.sqrt(2)], atol=1e-9)


def test_near_is_measured_from_the_edge() -> None:
    grid = OccupancyGrid(np.zeros((80, 80), np.int8), (0.0, 0.0), 0.05)
    near = near_mask(grid, Footprint.box(2.0, 2.0, 1.0, 0.5), 1.0)
    assert near[grid.cell_at((3.44, 2.0))]
    assert not near[grid.cell_at((3.56, 2.0))]
    assert not near[grid.cell_at((3.3, 3.1))]


PATH = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.5], [2.05, 1.5]])


@pytest.mark.parametrize("manner", ["turn_then_drive", "turn_while_driving"])
def test_the_base_follows_its_path_within_its_limits(manner) -> None:
    limits, period = BaseLimits(0.8, 0.7, 0.9, 1.5), 0.01
    motion = drive(PATH, 1.0, limits, manner, face=(0.0, 1.5))
    states = motion.sampled(period)
    place = np.array([(s.x, s.y) for s in states])
    speed = np.array([math.hypot(s.forward_m_s, s.left_m_s) for s in states])
    rate = np.array([s.turn_rad_s for s in states])
    assert np.allclose(place[-1], PATH[-1])
    assert abs(abs(states[-1].yaw) - math.pi) < 1e-9
    assert speed.max() <= 0.8 + 1e-9
    assert np.abs(rate).max() <= 0.9 + 1e-9
    assert np.abs(np.diff(speed)).max() <= 0.7 * period + 1e-9
    assert np.abs(np.diff(rate)).max() <= 1.5 * period + 1e-9
    assert (speed[[0, -1]] == 0).all()
    off = [min(_away(p, a, b) for a, b in pairwise(PATH)) for p in place]
    assert max(off) < 1e-9
    moved = np.linalg.norm(np.diff(place, axis=0), axis=1)
    assert moved.sum() == pytest.approx(3.55, abs=1e-4)


def _away(p, a, b) -> float:
    share = np.clip((p - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return float(np.linalg.norm(p - a - share * (b - a)))


def test_a_unicycle_never_moves_sideways() -> None:
    states = drive(PATH, -2.0).sampled(0.02)
    assert max(abs(s.left_m_s) for s in states) < 1e-9
    assert min(s.forward_m_s for s in states) > -1e-9


def test_a_path_of_one_point_takes_no_time_and_a_bad_one_is_refused() -> None:
    assert drive(np.array([[1.0, 2.0]]), 0.3).duration_s == 0
    with pytest.raises(SaySoError, match="finite points"):
        drive(np.array([[1.0, math.nan]]), 0.0)
    with pytest.raises(SaySoError, match="speed_m_s must be more than 0"):
        BaseLimits(speed_m_s=0.0)
