"""What is made to go wrong by chance while practising."""

from __future__ import annotations

import math
import random

from sayso.evaluation.interpret.options import Course
from sayso.evaluation.interpret.practice import ASTRAY_M, Mishaps
from support.stacked_kitchen import kitchen


def test_the_settled_share_of_actions_goes_wrong_in_two_ways() -> None:
    mishaps = Mishaps(0.1, random.Random(0))
    kinds = [mishaps.draw() for _ in range(2000)]
    assert 150 < 2000 - kinds.count("") < 250
    assert mishaps.counts["slip"] == kinds.count("slip") > 50
    assert mishaps.counts["misseen"] == kinds.count("misseen") > 50
    assert not any(Mishaps().draw() for _ in range(100))


def test_one_thing_is_seen_astray_and_all_else_where_it_is() -> None:
    scene = kitchen()
    astray = Mishaps(1.0, random.Random(1)).astray([o.name for o in scene.objects])
    off = [
        (a.name, math.dist(a.position, b.position))
        for a, b in zip(scene.objects, astray.seen(scene).objects, strict=True)
        if a != b
    ]
    assert [name for name, _ in off] == [astray.name]
    assert ASTRAY_M[0] <= off[0][1] <= ASTRAY_M[1]


def test_a_learner_doubts_as_much_as_goes_wrong() -> None:
    assert Course(wrong=0.1, noise=0.05).doubtful == 0.1
    assert Course(noise=0.05).doubtful == 0.05
