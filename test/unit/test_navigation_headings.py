"""The base turns only where its whole footprint has room."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.planning.navigation.base_motion import drive
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.headings import Footing

FOOTPRINT_M = (1.10, 0.50)


def floor(*walls: tuple[slice, slice]) -> OccupancyGrid:
    cells = np.full((120, 160), FREE, np.int8)  # 8 m x 6 m in cells of 5 cm
    for wall in walls:
        cells[wall] = OCCUPIED
    return OccupancyGrid(cells)


CORRIDOR = floor((slice(0, 50), slice(60, 110)), (slice(69, 120), slice(60, 110)))
"""0.95 m wide along x, from x = 3.0 to 5.5, its middle at y = 2.975; open floor at both ends."""


def corners_free(motion, grid: OccupancyGrid) -> bool:
    """Whether the footprint's outline stays on free cells, looked at closely all the time."""
    sides = np.linspace(-0.5, 0.5, 23)
    outline = np.concatenate(
        [np.stack([sides, np.full(23, e)], 1) for e in (-0.5, 0.5)]
        + [np.stack([np.full(23, e), sides], 1) for e in (-0.5, 0.5)]
    ) * np.array(FOOTPRINT_M)
    for state in motion.sampled(0.1):
        c, s = math.cos(state.yaw), math.sin(state.yaw)
        points = outline @ np.array([[c, s], [-s, c]]) + (state.x, state.y)
        cells = np.floor(grid.to_grid(points)).astype(int)
        if (grid.cells[cells[:, 1], cells[:, 0]] != FREE).any():
            return False
    return True


def test_before_a_narrow_passage_the_base_turns_while_there_is_room() -> None:
    path = np.array([[1.5, 2.0], [2.9, 2.975], [5.6, 2.975], [6.8, 4.0]])
    plain = drive(path, math.pi / 2)
    careful = drive(path, math.pi / 2, footing=Footing(CORRIDOR, FOOTPRINT_M))
    assert not corners_free(plain, CORRIDOR)
    assert corners_free(careful, CORRIDOR)
    last = careful.at(careful.duration_s)
    assert (last.x, last.y) == pytest.approx((6.8, 4.0))
    inside = [s for s in careful.sampled(0.1) if 3.4 < s.x < 5.1]
    assert all(abs(s.yaw) < math.radians(16) for s in inside)


def test_the_base_never_leaves_its_path() -> None:
    path = np.array([[1.5, 2.0], [2.9, 2.975], [5.6, 2.975]])
    motion = drive(path, 0.0, footing=Footing(CORRIDOR, FOOTPRINT_M))
    for state in motion.sampled(0.2):
        here = np.array([state.x, state.y])
        off = []
        for a, b in pairwise(path):
            share = np.clip((here - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
            off.append(np.linalg.norm(a + share * (b - a) - here))
        assert min(off) < 1e-6


def test_it_faces_what_it_came_for_as_far_as_there_is_room() -> None:
    path = np.array([[1.0, 3.0], [2.0, 3.0]])
    free = drive(path, 0.0, face=(2.3, 4.0), footing=Footing(floor(), FOOTPRINT_M))
    assert free.at(free.duration_s).yaw == pytest.approx(math.atan2(1.0, 0.3))
    inside = np.array([[1.5, 2.975], [4.5, 2.975]])
    narrow = drive(inside, 0.0, face=(4.5, 5.0), footing=Footing(CORRIDOR, FOOTPRINT_M))
    assert abs(narrow.at(narrow.duration_s).yaw) < math.radians(20)


def test_a_base_that_stands_across_a_passage_cannot_go_in() -> None:
    path = np.array([[4.0, 2.975], [6.5, 2.975]])
    with pytest.raises(SaySoError, match="not room enough for the base to turn") as caught:
        drive(path, math.pi / 2, footing=Footing(CORRIDOR, FOOTPRINT_M))
    assert caught.value.code is Code.UNREACHABLE


def test_open_floor_is_driven_ahead() -> None:
    path = np.array([[1.0, 1.0], [5.0, 1.0], [5.0, 4.0]])
    motion = drive(path, 0.0, footing=Footing(floor(), FOOTPRINT_M))
    plain = drive(path, 0.0)
    assert motion.duration_s < 1.6 * plain.duration_s
    states = motion.sampled(0.1)
    fast = [s for s in states if math.hypot(s.forward_m_s, s.left_m_s) > 0.3]
    ahead = [s for s in fast if s.forward_m_s > 0.9 * math.hypot(s.forward_m_s, s.left_m_s)]
    assert len(ahead) > 0.9 * len(fast) > 0


def test_the_base_fits_where_its_own_length_does() -> None:
    """Nose to a wall: a hand's breadth before it, it fits; closer, it does not."""
    cells = np.full((60, 60), FREE, np.int8)
    cells[:, 50:] = OCCUPIED  # from x = 2.5 m on
    footing = Footing(OccupancyGrid(cells), FOOTPRINT_M)
    ahead = np.array([0.0])
    assert footing.fits(np.array([[2.5 - 0.55 - 0.15, 1.5]]), ahead)[0]
    assert not footing.fits(np.array([[2.5 - 0.55 - 0.03, 1.5]]), ahead)[0]
    assert not footing.fits(np.array([[2.5 - 0.35, 1.5]]), ahead)[0]


def test_a_shorter_base_turns_where_a_longer_one_cannot() -> None:
    here, across = np.array([[4.25, 2.975]]), np.array([math.pi / 2])
    turns = [Footing(CORRIDOR, size).fits(here, across)[0] for size in ((0.6, 0.4), FOOTPRINT_M)]
    assert turns == [True, False]
