"""Which part of a taught way the arm follows as it was shown, and which it plans itself."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from sayso.core.geometry import Pose
from sayso.learning.skills.playing import _without_middle

HELD = object()


def step(places, held, moves=True):
    """A step of a plan: the tool at these x [m]."""
    shown = SimpleNamespace(shown=SimpleNamespace(moves=moves))
    return shown, [Pose((x, 0.0, 0.0)) for x in places], held


def along(part):
    return [[tool.position[0] for tool in tools] for _, tools, _ in part]


TO_IT = step([0.0, 0.05], None)
GRASP = step([0.05], HELD, moves=False)
PLACE = step([0.6], None, moves=False)
AWAY = step([0.6, 0.5], None)


@pytest.mark.parametrize(
    "carried",
    [
        [step([0.1, 0.15, 0.3, 0.45, 0.55, 0.6], HELD)],
        [step([0.1, 0.15, 0.3], HELD), step([0.4], HELD), step([0.45, 0.55, 0.6], HELD)],
    ],
)
def test_what_is_far_from_both_places_is_left_to_the_arm(carried):
    before, after = _without_middle([TO_IT, GRASP, *carried, PLACE, AWAY])
    assert along(before) == [[0.0, 0.05], [0.05], [0.1, 0.15]]
    assert along(after) == [[0.55, 0.6], [0.6], [0.6, 0.5]]


def test_a_way_that_is_short_or_carries_nothing_is_not_cut():
    assert _without_middle([TO_IT, GRASP, step([0.1, 0.15, 0.2], HELD), PLACE]) is None
    assert _without_middle([TO_IT]) is None
