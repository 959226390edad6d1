"""What stands on the floor and is no known thing."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.nearness import Footprint
from sayso.planning.navigation.walls import walls_around


def test_walls_are_told_from_the_furniture_that_stands_there() -> None:
    cells = np.full((60, 60), FREE, np.int8)
    cells[:, 40:42] = OCCUPIED  # a wall at x = 2.0 m, one at y = 1.0 m, and a table
    cells[20:22, :] = OCCUPIED
    cells[40:50, 10:20] = OCCUPIED
    table = Footprint.box(0.75, 2.25, 0.5, 0.5)
    walls = walls_around(OccupancyGrid(cells), [table], (1.5, 1.5), 1.4)
    area = ((walls[:, 2] - walls[:, 0]) * (walls[:, 3] - walls[:, 1])).sum()
    assert area == pytest.approx(0.1 * 2.8 + 0.1 * 2.7, abs=0.02)
    assert len(walls) <= 4
    assert len(walls_around(OccupancyGrid(cells), [], (1.5, 1.5), 1.4)) > len(walls)
