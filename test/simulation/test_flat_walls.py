"""A cat behind a wall: kept off through it, or not, as a person says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from sayso.core.errors import Code
from sayso.evaluation.flat_run.known_boxes import KnownBoxes
from sayso.evaluation.flat_run.run import FlatRun
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.scene import Walker, Wall
from sayso.worlds.flat.sensing import FlatNoise
from support.flat_scenes import item, room, true

ROOM = room()
SCENE = replace(
    room(
        item("plant", "plant", (0.7, 3.6, 0.0)),
        walkers=(Walker("cat", "cat", "orange", ((1.85, 2.0), (1.85, 2.3))),),
        start=(0.65, 0.8, 1.57),
    ),
    walls=(*ROOM.walls, Wall((1.3, 0.0), (1.3, 4.0))),
)
"""A passage of 1.25 m, at whose end the plant stands, and the cat beyond its wall."""


@pytest.fixture
def flat() -> Iterator[FlatRun]:
    world = FlatWorld(SCENE, 1, FlatNoise())
    yield FlatRun(world, KnownBoxes(world, 1))
    world.close()


def test_the_way_past_a_cat_behind_the_wall_is_driven_where_the_same_room_is_meant(
    flat: FlatRun,
) -> None:
    nearest: list[float] = []

    def step() -> None:
        x, y, _ = flat.world.true_base().position
        cat = true(flat.world, "cat")
        nearest.append(cat.distance_to((x, y, cat.position[2])))

    flat.on_step = step
    result = flat.perform("Go to the plant. Never go near the cat in the same room.")
    assert result.outcome.code is Code.OK, result.outcome.message
    assert result.truly_done
    assert not result.violations
    assert min(nearest) < 1.0


def test_it_is_kept_off_through_the_wall_where_nothing_is_said(flat: FlatRun) -> None:
    result = flat.perform("Go to the plant. Never go near the cat.")
    assert result.outcome.code is Code.NO_PLAN
    assert not result.violations
