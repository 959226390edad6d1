"""The mobile robot drives to things, picks them up and puts them down, in physics with noise.

Scenes are made from the simulator's truth plus noise: perception has tests of its own.
"""

from __future__ import annotations

import math

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.skills.skill import Route
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.sensing import FlatNoise
from support.flat_rig import build
from support.flat_scenes import item, room, true
from support.flats import pick, put

SCENE = room(
    item("table", "table", (5.4, 1.4, 0.0), math.pi),
    item("sofa", "sofa", (1.0, 3.45, 0.0), -math.pi / 2),
    item("bin", "trash_bin", (0.5, 0.5, 0.0)),
    item("mug", "mug", (5.2, 1.3, 0.72), 0.3),
    item("toy", "plush_toy", (3.4, 2.9, 0.0), 1.0),
)


@pytest.fixture
def rig():
    world = FlatWorld(SCENE, 1, FlatNoise())
    yield world, *build(world, 1)
    world.close()


@pytest.mark.parametrize(("thing", "receptacle"), [("mug", "sofa"), ("toy", "bin")])
def test_a_thing_is_fetched_and_brought(rig, thing, receptacle):
    world, senses, gate, skills, ways = rig
    with gate.authorised(()):
        picked = skills.execute(pick(thing), route=Route(ways))
        assert true(world, thing).position[2] > 0.3
        taken_s = senses.now_s()
        placed = skills.execute(put(thing, receptacle), route=Route(ways))
    assert all(c.observed for c in (*picked, *placed))
    assert taken_s < 40.0
    where, target = true(world, thing), true(world, receptacle)
    assert target.distance_to(where.position) == 0.0
    assert senses.touched <= {thing, receptacle}


def test_a_thing_that_is_gone_when_seen_from_close_by_is_lost(rig):
    world, senses, gate, skills, ways = rig

    def vanish(phase: str) -> None:
        if phase.startswith("look at"):
            world.remove("mug")

    with gate.authorised(()), pytest.raises(SaySoError) as caught:
        skills.execute(pick("mug"), route=Route(ways), phase=vanish)
    assert caught.value.code is Code.OBJECT_LOST
    assert "mug" not in senses.touched
