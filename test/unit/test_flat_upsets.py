"""Who meddles with a flat does it to what truly is there, whatever the robot calls it."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import replace

import pytest

from sayso.core.scene import RobotState, Scene
from sayso.core.symbols import Action
from sayso.evaluation.upsets.flat import CARRYING, of_true_things
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.free_space import FreeSpace
from sayso.worlds.flat.scene_file import fixed
from sayso.worlds.flat.upsets import UPSETS, FlatMeddler
from sayso.worlds.true_state import named

SEEN_AS = {
    "can": "red_can",
    "counter": "white_kitchen_counter",
    "brown_table": "table_1",
    "white_table": "table_2",
    "sofa": "red_sofa",
}
"""What the robot calls what truly is there."""


@pytest.fixture(scope="module")
def world() -> Iterator[FlatWorld]:
    made = FlatWorld(fixed("family_flat"))
    yield made
    made.close()


def scene(world: FlatWorld) -> Scene:
    """What a robot has: things by other names, and not quite where they are."""
    true = {o.name: o for o in named(world.truth())}
    seen = []
    for name, other in SEEN_AS.items():
        x, y, z = true[name].position
        seen.append(replace(true[name], name=other, position=(x + 0.03, y - 0.02, z)))
    return Scene(0.0, tuple(seen), RobotState())


def upset(world: FlatWorld, name: str, skill: str, *args: str, held: str = "") -> tuple[str, ...]:
    """What it is done to, where the robot is about to do something to what it sees."""
    action = Action(skill, args, frozenset(), frozenset(), frozenset(), skill=skill)
    true = of_true_things(action, scene(world), world.truth())
    return tuple(d.what for d in UPSETS[name](FlatMeddler(world, true, held, random.Random(3))))


def test_what_the_robot_is_to_take_is_moved_and_taken_away(world: FlatWorld) -> None:
    assert upset(world, "thing_moved", "pick", "red_can") == ("can",)
    assert upset(world, "thing_taken_away", "pick", "red_can") == ("can",)


def test_the_place_that_the_robot_sees_is_occupied_by_another_thing(world: FlatWorld) -> None:
    (other,) = upset(
        world, "place_occupied", "put_on", "red_can", "white_kitchen_counter", held="can"
    )
    assert other not in ("can", "counter")


def test_the_way_to_what_the_robot_sees_is_blocked(world: FlatWorld) -> None:
    assert upset(world, "way_blocked", "go", "red_sofa") == ("box",)


def test_of_two_alike_the_one_that_stands_there_is_meant(world: FlatWorld) -> None:
    action = Action("go", ("table_2",), frozenset(), frozenset(), frozenset())
    assert of_true_things(action, scene(world), world.truth()).args == ("white_table",)


def test_what_the_robot_does_not_see_has_no_true_name(world: FlatWorld) -> None:
    action = Action("pick", ("green_vase",), frozenset(), frozenset(), frozenset())
    assert of_true_things(action, scene(world), world.truth()).args == ("",)


def test_things_are_put_where_the_task_lets_the_robot_come_for_them(world: FlatWorld) -> None:
    floor, items = FreeSpace(world.scene), {i.name: i for i in world.scene.items}
    drawn = 0
    for task in CARRYING:
        thing = next(t for t in ("can", "bottle", "mug") if t in task.instruction)
        action = Action("pick", (thing,), frozenset(), frozenset(), frozenset())
        kept_off = [items[n] for n in task.untouched]
        for seed in range(4):
            rng = random.Random(seed)
            for change in FlatMeddler(world, action, "", rng, task.untouched).moves_it():
                assert not isinstance(change.to, str)
                x, y = change.to[:2]
                assert floor.comes_within((x, y), 0.75, kept_off, 1.0)
                drawn += 1
    assert drawn == 20


def test_floor_that_leads_only_past_what_is_to_be_kept_off_leads_nowhere(world: FlatWorld) -> None:
    floor, items = FreeSpace(world.scene), {i.name: i for i in world.scene.items}
    by_the_fridge = (7.3, 3.6)
    assert floor.comes_within(by_the_fridge, 0.1)
    assert not floor.comes_within(by_the_fridge, 0.1, [items["fridge"]], 1.0)
    assert not floor.comes_within((6.8, 5.9), 0.9, [items["counter"], items["fridge"]], 1.6)


def test_nothing_is_put_where_the_task_keeps_the_robot_away_from(world: FlatWorld) -> None:
    action = Action("pick", ("bottle",), frozenset(), frozenset(), frozenset(), skill="pick")
    sofa = next(o for o in world.truth() if o.name == "sofa").position

    def on_the_sofa(forbidden: tuple[str, ...]) -> bool:
        rngs = map(random.Random, range(40))
        made = [FlatMeddler(world, action, "", rng, forbidden).moves_it() for rng in rngs]
        places = [d.to for (d,) in made if not isinstance(d.to, str)]
        assert len(places) == len(made)
        return any(math.dist(place[:2], sofa[:2]) < 1.0 for place in places)

    assert on_the_sofa(()) and not on_the_sofa(("sofa",))
