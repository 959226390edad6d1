"""Surfaces among voxels: nothing that was hit gets lost, and nothing goes far."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sayso.perception.surfaces import surface_cells
from sayso.perception.voxels import pack

SIZE = 0.05
CELL = st.tuples(st.integers(0, 5), st.integers(0, 5), st.integers(0, 1))


@given(st.sets(CELL, min_size=1, max_size=30), st.integers(0, 2**32 - 1))
def test_each_voxel_gives_a_cell_that_is_near(voxels: set[tuple[int, int, int]], seed: int) -> None:
    cells = np.array(sorted(voxels))
    cells = cells[np.argsort(pack(cells))]
    rng = np.random.default_rng(seed)
    leans = np.zeros((len(cells), 4), np.float32)
    leans[:, :2] = rng.uniform(-SIZE / 2, SIZE / 2, (len(cells), 2))
    turn, length = rng.uniform(0, 2 * np.pi, len(cells)), rng.uniform(0, 1, len(cells))
    leans[:, 2], leans[:, 3] = np.cos(turn) * length, np.sin(turn) * length
    found = surface_cells(cells, rng.integers(1, 1000, len(cells)), leans, SIZE)
    assert found.shape == (len(cells), 2)
    assert np.abs(found - cells[:, :2]).max() <= 2


@given(CELL, st.floats(0, 6.28))
def test_what_stands_alone_stays_or_lies_right_behind(
    cell: tuple[int, int, int], turn: float
) -> None:
    cells = np.array([cell])
    for length in (0.0, 1.0):
        way = [np.cos(turn) * length, np.sin(turn) * length]
        leans = np.array([[0.0, 0.0, *way]], np.float32)
        found = surface_cells(cells, np.array([5]), leans, SIZE)
        assert (found == cells[:, :2]).all()
