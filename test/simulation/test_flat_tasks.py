"""Whole tasks in a simulated flat, from words to what truly came about, while things change.

What the robot knows comes from its cameras; the simulator's own segmentation finds things in
their pictures. Violations are read off the true state at 20 Hz.
"""

from __future__ import annotations

import copy
import math
from collections import Counter
from collections.abc import Callable
from dataclasses import replace

import pytest

from sayso.core.errors import Code
from sayso.evaluation.flat_run.cameras import CameraSight
from sayso.evaluation.flat_run.run import FlatRun, Result
from sayso.evaluation.flat_run.tour import Toured, tour
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.scene import Door, Walker, Wall
from sayso.worlds.flat.sensing import FlatNoise
from sayso.worlds.stepped_senses import Pace
from support.flat_scenes import item, room, true

SCENE = room(
    item("sofa", "sofa", (5.5, 1.2, 0.0), math.pi, "red"),
    item("table", "table", (3.6, 3.55, 0.0), -math.pi / 2, "brown"),
    item("bin", "trash_bin", (0.4, 3.6, 0.0)),
    item("plant", "plant", (3.2, 0.4, 0.0)),
    item("toy", "plush_toy", (1.9, 3.3, 0.0), 1.0),
    walkers=(Walker("cat", "cat", "orange", ((5.2, 3.4), (3.2, 2.0)), 0.4),),
    start=(0.9, 1.2, 0.0),
)
PLACES = tuple(
    (x, y, k * math.tau / 6)
    for x, y in ((0.9, 1.2), (2.6, 2.0), (4.3, 1.9))
    for k in range(6)
)  # fmt: skip
PACE = Pace(period_s=0.4)


@pytest.fixture(scope="module")
def world():
    world = FlatWorld(SCENE, 1, FlatNoise())
    yield world
    world.close()


@pytest.fixture(scope="module")
def toured(world) -> Toured:
    return tour(world, PLACES)


@pytest.fixture
def flat(world, toured) -> FlatRun:
    world.reset(5)
    sight = CameraSight(world, None, copy.deepcopy(toured.memory), copy.deepcopy(toured.mapper))
    return FlatRun(world, sight, PACE)


def when(flat: FlatRun, due: Callable[[], bool], change: Callable[[], None]) -> None:
    """Change something once, when it is due."""
    left = [change]

    def step() -> None:
        if left and due():
            left.pop()()

    flat.on_step = step


def driven(world: FlatWorld, x: float) -> Callable[[], bool]:
    return lambda: world.true_base().position[0] > x


def own(result: Result) -> list[object]:
    return [v for v in result.violations if v.by_robot]


def test_a_toy_that_was_moved_is_found_again_and_brought(world, flat):
    when(flat, driven(world, 1.0), lambda: world.move("toy", (2.6, 3.1, 0.1)))
    result = flat.perform("Bring the plush toy to the trash bin. Never go near the cat.")
    assert result.outcome.code is Code.OK, result.outcome.message
    assert result.truly_done
    assert not result.violations
    assert true(world, "bin").distance_to(true(world, "toy").position) < 0.1


def once_there_and_back(world: FlatWorld) -> Callable[[], None]:
    """The cat gets up when the robot is under way, walks through its way, and lies down again."""
    home = SCENE.walkers[0].path[0]
    left = ["away", "back"]

    def step() -> None:
        at_home = math.dist(true(world, "cat").position[:2], home) < 0.05
        if left == ["away", "back"] and at_home and driven(world, 1.3)():
            world.walk("cat")
        elif left == ["away", "back"] and not at_home:
            left.pop(0)
        elif left == ["back"] and at_home:
            left.pop()
            world.walk("cat", False)

    return step


def test_the_robot_keeps_off_a_cat_that_walks_through_its_way(world, flat):
    flat.on_step = once_there_and_back(world)
    result = flat.perform("Go to the table, then the sofa. Never go near the cat.")
    assert result.outcome.code is Code.OK, result.outcome.message
    assert result.truly_done
    assert not result.violations


def test_a_patrol_goes_on_until_it_is_stopped(world, flat):
    reached: list[str] = []
    said: list[str] = []

    def look() -> None:
        x, y, _ = world.true_base().position
        for name in ("table", "bin"):
            thing = true(world, name)
            if thing.distance_to((x, y, thing.position[2])) < 1.0 and reached[-1:] != [name]:
                reached.append(name)

    flat.on_step, flat.on_phase = look, said.append
    flat.cancelled = lambda: "round 3 of the patrol" in said
    result = flat.perform("Patrol the table and the trash bin, and never go near the cat.")
    assert reached == ["bin", "table", "bin", "table"]
    assert result.outcome.code is Code.CANCELLED
    assert "stopped after 2 whole rounds" in result.outcome.message
    assert not result.violations
    assert not result.vetoes - Counter({"CANCELLED": 1})


def test_what_must_be_avoided_is_avoided_where_it_was_moved_to(world, flat):
    def turned_away() -> bool:
        return world.true_base().position[1] > 1.9

    when(flat, turned_away, lambda: world.move("plant", (2.9, 0.8, 0.4)))
    result = flat.perform("Go to the trash bin, then the sofa. Never go near the plant.")
    assert result.outcome.code is Code.OK, result.outcome.message
    assert result.truly_done
    assert not result.violations


def test_where_the_only_door_shuts_it_is_opened():
    sofa = item("sofa", "sofa", (5.5, 1.2, 0.0), math.pi, "red")
    door = Door("door", "door", "wooden", (3.0, 2.0), math.pi / 2, 1.4, "sliding", 1.0)
    scene = room(sofa, doors=(door,), start=(0.9, 1.2, 0.0))
    scene = replace(scene, walls=(*scene.walls, Wall((3.0, 0.0), (3.0, 4.0))))
    world = FlatWorld(scene, 1, FlatNoise())
    places = [(x, y, k * math.tau / 6) for x, y in ((0.9, 1.2), (1.8, 2.4), (4.2, 2.2))
              for k in range(6)]  # fmt: skip
    found = tour(world, places)
    flat = FlatRun(world, CameraSight(world, None, found.memory, found.mapper), PACE)
    when(flat, driven(world, 1.0), lambda: world.set_door("door", 0.0))
    result = flat.perform("Go to the sofa.")
    world.close()
    assert result.outcome.code is Code.OK, result.outcome.message
    assert result.truly_done
    assert not result.touched
