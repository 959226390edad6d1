"""The simulated robot tours a flat that it does not know, by its own noisy senses."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import replace

import numpy as np
import pytest

from sayso.core.geometry import Array
from sayso.planning.navigation.exploration import Exploration, explore
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.free_space import CELL_M, FreeSpace
from sayso.worlds.flat.scene import Door, Wall
from sayso.worlds.flat.sensing import FlatNoise
from support.flat_rover import FlatRover
from support.flat_scenes import item, room

# A wall across the room with a door in it; the sofa and the table are behind the wall.
SCENE = room(
    item("sofa", "sofa", (5.4, 1.2, 0.0), math.pi),
    item("table", "small_table", (4.0, 3.4, 0.0)),
    doors=(Door("door_1", "door", "wooden", (3.0, 2.0), math.pi / 2),),
    start=(1.2, 2.0, 0.0),
)
SCENE = replace(SCENE, walls=(*SCENE.walls, Wall((3.0, 0.0), (3.0, 4.0))))


@pytest.fixture(scope="module")
def toured() -> Iterator[tuple[FlatRover, Exploration]]:
    world = FlatWorld(SCENE, 1, FlatNoise())
    rover = FlatRover(world, rate_hz=1.0)
    yield rover, explore(rover)
    world.close()


def at(grid: OccupancyGrid, points: Array) -> np.ndarray:
    column, row = np.floor(grid.to_grid(points)).astype(int).T
    return grid.cells[row, column]


def test_all_floor_in_reach_is_found_without_touching_anything(
    toured: tuple[FlatRover, Exploration],
) -> None:
    rover, tour = toured
    assert tour.whole and not tour.failures and not rover.touched
    true = FreeSpace(SCENE)
    points = true.origin + np.argwhere(true.free) * CELL_M
    assert (at(rover.floor(), points) == FREE).mean() > 0.97
    table = np.array([[4.0, 3.4]])
    assert (at(rover.floor(), table - (0.0, 0.1)) == OCCUPIED).all()


def test_a_door_that_shuts_is_in_the_map_within_two_seconds_and_out_again_when_it_opens(
    toured: tuple[FlatRover, Exploration],
) -> None:
    rover, _ = toured
    rover.world.scene = replace(SCENE, start=(0.9, 2.0, 0.0))  # out of the way of the leaf
    rover.world.reset(2)
    doorway = np.stack([np.full(21, 3.0), np.linspace(1.5, 2.5, 21)], axis=1)
    assert (at(rover.floor(), doorway) == FREE).mean() > 0.9
    for opening, wanted in ((0.0, OCCUPIED), (1.0, FREE)):
        rover.world.set_door("door_1", opening)
        rover.world.step(2.5)
        for _ in range(8):
            rover.world.step(0.25)
            rover.look()
        # The leaf may lie in the cells beside the wall's middle.
        near = np.stack(
            [at(rover.floor(), doorway + np.array([dx, 0.0])) for dx in (-0.05, 0.0, 0.05)]
        )
        found = (near == OCCUPIED).any(axis=0)
        assert found.mean() > 0.9 if wanted == OCCUPIED else found.mean() < 0.1
