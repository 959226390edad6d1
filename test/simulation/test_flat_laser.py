"""A cat that comes to the robot: where its camera does not look, the laser tells.

What the camera sees comes from the model of perception, without pictures, for time.
"""

from __future__ import annotations

import math

import numpy as np
import pytest

from sayso.core.errors import Code
from sayso.evaluation.flat_run.known_boxes import KnownBoxes
from sayso.evaluation.flat_run.run import FlatRun
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.scene import Walker
from sayso.worlds.flat.sensing import FlatNoise
from support.flat_scenes import item, room, true

SCENE = room(
    item("sofa", "sofa", (5.5, 1.2, 0.0), math.pi, "red"),
    item("plant", "plant", (3.2, 0.4, 0.0)),
    walkers=(Walker("cat", "cat", "orange", ((0.6, 3.4), (1.6, 3.4)), 0.4),),
    start=(0.9, 1.2, 0.0),
)
TASK = "Go to the sofa. Never go near the cat."


@pytest.fixture
def flat():
    world = FlatWorld(SCENE, 1, FlatNoise())
    world.walk("cat", False)
    yield FlatRun(world, KnownBoxes(world, 1))
    world.close()


def beside(flat: FlatRun, aside_m: float) -> list[float]:
    """Puts the cat beside the robot once it is under way; how near it truly was from then on."""
    world, apart = flat.world, []

    def step() -> None:
        x, y, _ = world.true_base().position
        if x > 2.3 and not apart:
            world.move("cat", (x + 0.1, y + aside_m, 0.0))
        if x > 2.3:
            apart.append(true(world, "cat").distance_to((x, y, 0.1)))

    flat.on_step = step
    return apart


def test_what_the_laser_meets_beside_the_robot_is_looked_at_before_it_goes_on(flat):
    said: list[str] = []
    flat.on_phase = said.append
    apart = beside(flat, 1.25)
    result = flat.perform(TASK)
    assert any("may be the cat" in text for text in said), said
    seen = [np.allclose(o.position[:2], true(flat.world, "cat").position[:2], atol=0.1)
            for o in flat.robot.senses.scene().objects if o.name == "cat"]  # fmt: skip
    assert seen == [True]
    assert result.outcome.code is Code.OK, result.outcome.message
    assert min(apart) > 1.0
    assert not result.touched


def test_a_task_is_not_called_done_after_the_cat_came_near_unseen(flat):
    beside(flat, 0.8)
    result = flat.perform(TASK)
    assert result.outcome.code is Code.VIOLATED, result.outcome.message
    assert not own(result.violations)
    assert not result.touched


def test_the_arm_leaves_off_while_the_robot_leaves_room_to_a_cat_that_comes():
    scene = room(
        item("toy", "plush_toy", (2.6, 1.2, 0.0), 1.0),
        walkers=(Walker("cat", "cat", "orange", ((5.0, 1.6), (2.0, 1.6)), 0.4),),
        start=(0.9, 1.2, 0.0),
    )
    world = FlatWorld(scene, 1, FlatNoise())
    world.walk("cat", False)
    flat = FlatRun(world, KnownBoxes(world, 1))
    said: list[str] = []

    def told(text: str) -> None:
        said.append(text)
        if text == "look at the toy" and said.count(text) == 1:
            world.walk("cat")

    def step() -> None:
        if true(world, "cat").position[0] < 2.3:
            world.walk("cat", False)
            world.move("cat", (5.0, 3.4, 0.0))

    flat.on_phase, flat.on_step = told, step
    result = flat.perform("Pick up the plush toy. Never go near the cat.")
    world.close()
    assert result.outcome.code is Code.OK, result.outcome.message
    assert not result.violations
    assert "leave room for somebody who comes" in said
    assert "step back from somebody who comes" in said


def own(violations):
    return [v for v in violations if v.by_robot]
