"""Maps as messages and back."""

from __future__ import annotations

import numpy as np
import pytest

pytest.importorskip("sayso_ros", reason="the interfaces are not built")

from sayso.planning.navigation.grid import FREE, OCCUPIED, UNKNOWN, OccupancyGrid
from sayso.ros.messages.maps import grid_from_msg, grid_to_msg
from sayso.ros.task.tours import letter_from_text


def test_a_map_comes_back_as_it_was() -> None:
    cells = np.array([[FREE, OCCUPIED, UNKNOWN], [FREE, FREE, OCCUPIED]], np.int8)
    grid = OccupancyGrid(cells, (-1.5, 2.0), 0.05)
    back = grid_from_msg(grid_to_msg(grid, 3.0))
    assert back.cells.tolist() == cells.tolist()
    assert (back.origin, back.resolution_m) == (grid.origin, grid.resolution_m)


def test_what_is_neither_likely_free_nor_likely_occupied_is_unknown() -> None:
    msg = grid_to_msg(OccupancyGrid(np.zeros((1, 6), np.int8)))
    msg.data = [0, 25, 26, 64, 65, 99]
    assert grid_from_msg(msg).cells.tolist() == [[0, 0, -1, -1, 100, 100]]


def test_a_step_of_a_trace_is_what_is_true_in_it() -> None:
    letter = letter_from_text("holding(toy) & near(sofa) & on(a, b)")
    assert {(p.predicate, *map(str, p.args)) for p in letter} == {
        ("holding", "toy"), ("near", "sofa"), ("on", "a", "b"),
    }  # fmt: skip
    assert not letter_from_text("")
