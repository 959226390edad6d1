"""Contacts as they look from the fingers' place, for whatever way the fingers go to and fro."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.learning.demonstrations.felt import Felt

PERIOD_S, TIP_M, SIDE_M = 0.05, 0.009, 0.2
TOUCHES, PARTED, AWAY = 0.001, 0.012, 0.05
"""How far the fingertips are from a door [m]: at it, so near that they may be back, gone."""


def felt(distances_m):
    """The contacts of fingers that point up at a box, at these distances from it in turn."""
    hand = Felt({})
    for number, away_m in enumerate(distances_m):
        stamp_s = number * PERIOD_S
        at_m = TIP_M + away_m + SIDE_M / 2
        door = SceneObject("door", "door", "", (0.0, 0.0, at_m), (SIDE_M,) * 3)
        robot = RobotState(stamp_s, (), 0.0, Pose())
        hand.take(Scene(stamp_s, (door,), robot))
    return [(round(c.stamp_s / PERIOD_S), c.touching) for c in hand.contacts()]


@given(st.lists(st.sampled_from([TOUCHES, PARTED, AWAY]), max_size=40))
def test_a_touch_begins_before_it_ends(distances):
    found = felt(distances)
    assert [touching for _, touching in found] == [n % 2 == 0 for n in range(len(found))]
    assert [n for n, _ in found] == sorted({n for n, _ in found})
    for number, touching in found:
        assert (distances[number] == TOUCHES) is touching


@given(st.integers(2, 8), st.integers(1, 8), st.integers(2, 8), st.integers(0, 1))
def test_fingers_that_part_for_a_moment_and_stay_near_have_not_left(before, gap, after, away):
    """A single look that shows them farther off is taken for a slip of the eye."""
    moment = [PARTED] * gap
    moment[gap // 2 : gap // 2 + away] = [AWAY] * away
    way = [TOUCHES] * before + moment + [TOUCHES] * after + [AWAY] * 4
    assert felt(way) == [(0, True), (before + gap + after, False)]


@pytest.mark.parametrize("far", [AWAY, PARTED])
@given(st.integers(2, 8), st.integers(12, 20), st.integers(2, 8))
def test_fingers_that_are_gone_have_left_when_they_went(far, before, gap, after):
    """Whether they went far, or stayed near for long; when they touch again is another touch."""
    found = felt([TOUCHES] * before + [far] * gap + [TOUCHES] * after)
    assert found == [(0, True), (before, False), (before + gap, True)]


@given(st.integers(2, 8), st.integers(2, 6))
def test_what_the_last_looks_show_has_ended(before, after):
    assert felt([TOUCHES] * before + [PARTED] * after) == [(0, True), (before, False)]
