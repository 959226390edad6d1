"""A navigator leads the robot of the simulated flat along free legs, through the gate."""

from __future__ import annotations

import copy
import math
from collections import Counter

import pytest

from sayso.core.errors import Code
from sayso.evaluation.flat_run.cameras import CameraSight
from sayso.evaluation.flat_run.run import FlatRun
from sayso.evaluation.flat_run.tour import Toured, tour
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.scene import Walker
from sayso.worlds.flat.sensing import FlatNoise
from sayso.worlds.stepped_senses import Pace
from support.flat_scenes import item, room, true
from support.leading import Leading

SCENE = room(
    item("sofa", "sofa", (5.5, 1.2, 0.0), math.pi, "red"),
    item("bin", "trash_bin", (0.4, 3.6, 0.0)),
    item("toy", "plush_toy", (3.6, 3.6, 0.0), 1.0),
    walkers=(Walker("cat", "cat", "orange", ((5.2, 3.4), (3.2, 2.0)), 0.4),),
    start=(0.9, 1.2, 0.0),
)
PLACES = tuple((x, y, k * math.tau / 6) for x, y in ((0.9, 1.2), (3.0, 2.0)) for k in range(6))


@pytest.fixture(scope="module")
def world():
    world = FlatWorld(SCENE, 1, FlatNoise())
    yield world
    world.close()


@pytest.fixture(scope="module")
def toured(world) -> Toured:
    return tour(world, PLACES)


@pytest.fixture
def led(world, toured):
    """A run, what leads its robot, and how often each phase was told."""
    world.reset(5)
    sight = CameraSight(world, None, copy.deepcopy(toured.memory), copy.deepcopy(toured.mapper))
    made: list[Leading] = []
    phases: Counter[str] = Counter()

    def navigator(senses):
        made.append(Leading(lambda: senses.robot().base, speed_m_s=0.7))
        return made[0]

    run = FlatRun(world, sight, Pace(period_s=0.4), navigator=navigator)
    run.on_phase = lambda text: phases.update([text])
    return run, made[0], phases


def test_a_free_leg_is_led_and_what_was_asked_for_is_done(led):
    run, leading, phases = led
    result = run.perform("Go to the sofa.")
    assert result.outcome.code is Code.OK, result.outcome.message
    assert result.truly_done
    assert len(leading.goals) == leading.ended == 1
    assert phases["drive, led by the navigator"] == 1
    assert not result.touched


def test_a_leg_with_something_forbidden_near_it_is_not_led(led):
    run, leading, _ = led
    result = run.perform("Go to the sofa. Never go near the cat.")
    assert result.outcome.code is Code.OK, result.outcome.message
    assert result.truly_done and not result.violations
    assert not leading.goals


def test_a_navigator_that_leads_into_what_came_into_the_way_is_stopped(world, led):
    """It knows nothing of a bin that was put down before it, and would run into that."""
    run, leading, _ = led
    left = ["put it there"]

    def put_down() -> None:
        if left and world.true_base().position[0] > 1.6:
            left.pop()
            world.move("bin", (3.4, 1.25, 0.2))

    run.on_step = put_down
    result = run.perform("Go to the sofa.")
    assert not left and leading.goals
    assert result.vetoes["EXECUTION"] >= 1, "nothing stopped it"
    assert not result.touched
    assert true(world, "bin").distance_to((3.4, 1.25, 0.2)) < 0.1, "it was pushed"
