"""Doors are opened and driven through, and lamps turned on, as a person asks."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from sayso.core.errors import Code
from sayso.core.library import builtin_path, load
from sayso.core.predicates import symbolic_state
from sayso.core.scene import Scene
from sayso.core.symbols import Atom
from sayso.evaluation.flat_run.cameras import CameraSight
from sayso.evaluation.flat_run.known_boxes import KnownBoxes
from sayso.evaluation.flat_run.run import FlatRun
from sayso.evaluation.flat_run.tour import tour
from sayso.perception.pictures import PictureTruths
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.scene import Door, Wall
from sayso.worlds.flat.scene_file import fixed
from sayso.worlds.flat.sensing import FlatNoise
from sayso.worlds.stepped_senses import Pace
from support.flat_scenes import item, room, true

ROOM = room()
PLACES = tuple(
    (x, y, k * math.tau / 6)
    for x, y in ((2.3, 1.0), (2.3, 3.0), (5.5, 1.0), (6.8, 2.8))
    for k in range(6)
)  # fmt: skip
"""Of a mapping tour of the apartment."""
MIDDLE = Wall((3.0, 0.0), (3.0, 4.0))


def door(name: str, color: str, y: float, yaw: float = -math.pi / 2) -> Door:
    """Shut; it swings away from the robot, or towards it with another yaw [rad]."""
    return Door(name, name, color, (3.0, y), yaw, opening=0.0)


SCENE = replace(
    room(
        item("lamp", "lamp", (0.5, 3.5, 0.7)),
        doors=(door("kitchen_door", "white", 1.0),),
        start=(0.8, 1.0, 0.0),
    ),
    walls=(*ROOM.walls, MIDDLE),
)


@pytest.fixture
def flat():
    world = FlatWorld(SCENE, 1, FlatNoise())
    yield FlatRun(world, KnownBoxes(world, 1))
    world.close()


def test_a_door_is_opened_and_driven_through_and_the_other_stays_shut() -> None:
    world = FlatWorld(fixed("apartment"), 1, FlatNoise())
    seen = tour(world, PLACES)
    crossed: list[float] = []

    def step() -> None:
        x, y, _ = world.true_base().position
        if abs(x - world.scene.doors[0].at[0]) < 0.1:
            crossed.append(y)

    sight = CameraSight(world, None, seen.memory, seen.mapper)
    run = FlatRun(world, sight, Pace(period_s=0.4), on_step=step)
    result = run.perform(
        "Open the kitchen door, then go to the fridge. Never open the bathroom door."
    )
    assert result.outcome.code is Code.OK, result.outcome.message
    assert result.truly_done
    assert not result.violations and not result.touched
    assert crossed and all(abs(y - world.scene.doors[0].at[1]) < 0.4 for y in crossed)
    assert true(world, "kitchen_door").attributes["open_share"] == 1.0
    assert true(world, "bathroom_door").attributes["open_share"] == 0.0
    world.close()


def test_what_must_not_be_opened_is_in_the_way(flat) -> None:
    result = flat.perform("Open the kitchen door. Never open the kitchen door.")
    assert result.outcome.code is Code.CONTRADICTION
    assert true(flat.world, "kitchen_door").attributes["open_share"] == 0.0


def test_a_light_is_turned_on_and_seen_to_be_on(flat) -> None:
    result = flat.perform("Turn on the lamp, then turn it off.")
    assert result.outcome.code is Code.OK, result.outcome.message
    assert result.truly_done
    steps = [e.skill.action.name for e in result.events if e.skill and e.skill.finished]
    assert steps == ["go", "turn_on", "turn_off"]
    assert true(flat.world, "lamp").attributes["lit"] is False


@pytest.mark.parametrize("kind", ["lamp", "lantern"])
def test_where_no_building_tells_the_camera_shows_whether_a_light_is_on(kind: str) -> None:
    world = FlatWorld(room(item("lamp", kind, (2.6, 1.0, 0.0)), start=(0.9, 1.0, 0.0)), 1)
    library = load(builtin_path("flat"))
    told = []
    for on in (False, True, False):
        world.switch("lamp", on)
        scene = Scene(0.0, (replace(true(world, "lamp"), category=kind, attributes={}),))
        seen = PictureTruths(library).decide(scene, [world.render("front")])
        told.append(symbolic_state(seen, library.predicates).truth(Atom("lit", ("lamp",))))
    assert told == [False, True, False]
    world.close()


def test_the_robot_makes_room_for_a_door_that_swings_its_way() -> None:
    towards = (door("kitchen_door", "white", 1.0, math.pi / 2),)
    world = FlatWorld(replace(SCENE, doors=towards), 1, FlatNoise())
    phases: list[str] = []
    run = FlatRun(world, KnownBoxes(world, 1), on_phase=phases.append)
    result = run.perform("Open the kitchen door.")
    assert result.outcome.code is Code.OK, result.outcome.message
    assert true(world, "kitchen_door").attributes["open_share"] == 1.0
    assert not result.touched
    assert "back off" in phases
    world.close()


def test_the_robot_stands_clear_of_a_door_with_something_behind_it() -> None:
    """The door swings at it, and a counter stands where it would back off to."""
    world = FlatWorld(replace(fixed("apartment"), start=(5.6, 3.6, math.pi)), 1, FlatNoise())
    phases: list[str] = []
    run = FlatRun(world, KnownBoxes(world, 1), on_phase=phases.append)
    result = run.perform("Open the kitchen door.")
    assert result.outcome.code is Code.OK, result.outcome.message
    assert true(world, "kitchen_door").attributes["open_share"] == 1.0
    assert not result.touched
    assert "have the kitchen door go back" in phases
    world.close()


def test_what_somebody_shut_away_is_looked_for_under_lids() -> None:
    """Seen to be gone from the table, the toy is nowhere, until the chest is opened."""
    scene = room(
        item("table", "table", (3.6, 3.55, 0.0), -math.pi / 2),
        item("chest", "chest", (5.6, 1.2, 0.0), math.pi),
        item("toy", "plush_toy", (3.6, 3.3, 0.72)),
        start=(1.0, 1.4, 0.0),
    )
    world = FlatWorld(scene, 1, FlatNoise())
    chest = true(world, "chest").position
    moved: list[bool] = []

    def step() -> None:
        if world.time_s > 2.0 and not moved:
            moved.append(True)
            world.move("toy", (chest[0], chest[1], 0.12))

    run = FlatRun(world, KnownBoxes(world, 1), on_step=step)
    result = run.perform("Pick up the toy.")
    assert result.outcome.code is Code.OK, result.outcome.message
    assert result.truly_done
    done = [e.skill.action.name for e in result.events if e.skill and e.skill.finished]
    assert done.index("open_lid") < done.index("pick")
    world.close()
