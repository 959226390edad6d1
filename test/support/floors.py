"""Random floors with furniture and walls, for tests and benchmarks of navigation."""

from __future__ import annotations

import numpy as np

from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import FREE, OCCUPIED, Mask, OccupancyGrid


def rooms(
    seed: int, rows: int = 160, columns: int = 200, furniture: int = 14, door: int = 26
) -> OccupancyGrid:
    """Two walls with a door each, and boxes, on cells of 5 cm."""
    rng = np.random.default_rng(seed)
    cells = np.full((rows, columns), FREE, np.int8)
    cells[[0, -1], :] = OCCUPIED
    cells[:, [0, -1]] = OCCUPIED
    for share in (1 / 3, 2 / 3):
        wall = int(columns * share + rng.integers(-8, 9))
        gap = int(rng.integers(10, rows - door - 10))
        cells[:gap, wall : wall + 2] = OCCUPIED
        cells[gap + door :, wall : wall + 2] = OCCUPIED
    for _ in range(furniture):
        height, width = rng.integers(6, 24, 2)
        row, column = rng.integers(1, rows - height), rng.integers(1, columns - width)
        cells[row : row + height, column : column + width] = OCCUPIED
    return OccupancyGrid(cells)


def corners_apart(free: Mask, seed: int) -> tuple[tuple[int, int], Mask]:
    """A free start and a far goal region of 5 x 5 cells in the largest room, by seed."""
    rng = np.random.default_rng(seed)
    cells = np.argwhere(free)
    while True:
        start, end = cells[rng.integers(len(cells), size=2)]
        room = Floor(free).connected((int(start[0]), int(start[1])))
        if room[tuple(end)] and np.abs(start - end).sum() > sum(free.shape) / 3:
            goal = np.zeros(free.shape, bool)
            goal[end[0] - 2 : end[0] + 3, end[1] - 2 : end[1] + 3] = True
            return (int(start[0]), int(start[1])), goal & room
