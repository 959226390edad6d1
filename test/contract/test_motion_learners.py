"""Every way to learn motions, on a block that is put on a plate."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.learning.skills.shapes import ShapeFamilies
from sayso.learning.skills.skill import ByPrimitives
from support.demonstrations import (
    START,
    block_and_plate,
    held_block,
    put_block_down,
    put_block_on_plate,
    turned,
)

LEARNERS = registry.names("motion_learner")
THINGS = {"block": "block", "plate": "plate"}


def layouts(count, seed=0):
    rng = np.random.default_rng(seed)
    low, high = (0.35, -0.3, -0.6), (0.45, 0.0, 0.6)
    for _ in range(count):
        block, plate = rng.uniform(low, high, (2, 3))
        yield tuple(block), (plate[0] + 0.1, plate[1] + 0.3, plate[2])


def learned(learner, shown):
    return ByPrimitives(registry.create("motion_learner", learner)).learn(
        shown, ShapeFamilies().fit
    )


def played(skill, block, plate, way=0):
    attempt = skill.attempt(block_and_plate(block, plate), THINGS, way)
    course = []
    while (setpoint := attempt.next()) is not None:
        course.append(setpoint)
    return course


def grips(course):
    """The tool where the fingers begin to close, and where they begin to part."""
    widths = np.diff([s.gripper_width_m for s in course])
    closing, parting = np.flatnonzero(widths < 0)[0], np.flatnonzero(widths > 0)[-1]
    return course[closing].tool, course[parting].tool


@pytest.mark.parametrize("learner", LEARNERS)
def test_what_was_shown_is_done_again(learner):
    shown = [put_block_on_plate(b, p) for b, p in layouts(8)]
    skill = learned(learner, shown)
    assert [len(w.showings) for w in skill.ways] == [8]
    within_m = 0.04 if learner == "chunks" else 0.03  # its errors add up from chunk to chunk
    for block, plate in list(layouts(8))[:3]:
        taken, left = grips(played(skill, block, plate))
        assert taken.position == pytest.approx((*block[:2], 0.02), abs=within_m)
        assert left.position == pytest.approx((*plate[:2], 0.03), abs=within_m)


@pytest.mark.parametrize("learner", LEARNERS)
def test_two_kinds_of_showing_are_two_ways(learner):
    first = [put_block_on_plate(b, p) for b, p in layouts(3)]
    second = [put_block_on_plate(b, p, side=np.pi / 2) for b, p in layouts(2, seed=1)]
    skill = learned(learner, first + second)
    assert [len(w.showings) for w in skill.ways] == [3, 2]
    block, plate = (0.4, -0.1, 0.0), (0.5, 0.2, 0.0)
    turns = [grips(played(skill, block, plate, way))[0].matrix()[:2, 1] for way in (0, 1)]
    assert abs(turns[0] @ turns[1]) < 0.5


@pytest.mark.parametrize("learner", LEARNERS)
def test_a_showing_of_something_else_is_told_and_the_others_are_used(learner):
    good = put_block_on_plate(*next(layouts(1)))
    blind = put_block_on_plate(*next(layouts(1)))
    object.__setattr__(blind, "key_frames", ())
    skill = learned(learner, [good, blind])
    assert len(skill.refused) == 1
    with pytest.raises(SaySoError, match="nothing can be learned") as raised:
        learned(learner, [blind])
    assert raised.value.code is Code.INVALID


@pytest.mark.parametrize("learner", LEARNERS)
def test_other_things_than_it_was_taught_for_are_refused(learner):
    skill = learned(learner, [put_block_on_plate(*next(layouts(1)))])
    scene = block_and_plate(*next(layouts(1)))
    with pytest.raises(SaySoError, match="taught for block, plate"):
        skill.attempt(scene, {"block": "block"})
    with pytest.raises(SaySoError, match="'cup'"):
        skill.attempt(scene, {"block": "cup", "plate": "plate"})


def test_mixtures_go_where_things_never_were():
    skill = learned("mixtures", [put_block_on_plate(b, p) for b, p in layouts(5)])
    for block, plate in layouts(5, seed=9):
        taken, left = grips(played(skill, block, plate))
        assert taken.position == pytest.approx((*block[:2], 0.02), abs=0.006)
        assert left.position == pytest.approx((*plate[:2], 0.03), abs=0.006)
        expected = turned((0, 0, 0), block[2]).matrix()[:3, 1]
        assert taken.matrix()[:3, 1] @ expected == pytest.approx(1.0, abs=0.01)


def test_mixtures_put_down_what_is_held_as_low_as_was_shown():
    """However high the hand is when it begins; it was shown from one height alone."""
    rng = np.random.default_rng(0)
    places = rng.uniform((0.35, -0.3), (0.5, 0.3), (6, 2, 2))
    skill = learned("mixtures", [put_block_down((*a, 0.14), tuple(b)) for a, b in places])
    for height_m in (0.06, 0.14, 0.25):
        attempt = skill.attempt(
            held_block(turned((0.4, 0.1, height_m), 0.0)), {"block": "block"}, 0
        )
        lowest_m = height_m
        while (setpoint := attempt.next()) is not None:
            lowest_m = min(lowest_m, setpoint.tool.position[2])
        assert lowest_m == pytest.approx(0.02, abs=0.008), height_m


def test_mixtures_go_on_from_where_the_hand_is():
    skill = learned("mixtures", [put_block_on_plate(b, p) for b, p in layouts(5)])
    first = played(skill, *next(layouts(1, seed=4)))[0]
    assert np.linalg.norm(np.subtract(first.tool.position, START.position)) < 0.03
