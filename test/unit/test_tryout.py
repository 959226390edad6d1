"""A taught skill done in thought with things of other shapes, before the person accepts it."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import Code, SaySoError
from sayso.learning.skills.tryout import TRIES, in_words, tried, varied
from support.demonstrations import block_and_plate

SCENE = block_and_plate((0.4, 0.1, 0.3), (0.5, -0.2, 0.0))


def with_points(scene):
    rng = np.random.default_rng(1)
    clouds = (
        replace(o, points=(o.position + rng.uniform(-0.5, 0.5, (200, 3)) * o.size).astype("f4"))
        for o in scene.objects
    )
    return replace(scene, objects=tuple(clouds))


@given(st.integers(0, 10_000))
@settings(max_examples=25)
@pytest.mark.parametrize("scene", [SCENE, with_points(SCENE)], ids=["boxes", "clouds"])
def test_things_of_other_shapes_stand_where_the_shown_ones_stood(scene, seed):
    other = varied(scene, ("block",), np.random.default_rng(seed))
    before, after = scene.by_name(), other.by_name()
    assert after["plate"] is before["plate"]
    block, was = after["block"], before["block"]
    bottoms = [
        o.points[:, 2].min() if len(o.points) else o.position[2] - o.size[2] / 2
        for o in (block, was)
    ]
    assert bottoms[0] == pytest.approx(bottoms[1], abs=2e-3)
    assert np.linalg.norm(np.subtract(block.position, was.position)[:2]) < 0.08
    assert abs(block.size[2] / was.size[2] - 1) < 0.14 and block.size != was.size


@pytest.mark.parametrize(
    ("said", "done", "words"),
    [
        ("the cup is on the rack", True, "afterwards the cup is on the rack."),
        ("the cup is not on the rack", False, "afterwards the cup is not on the rack."),
        (
            "the cup is on the rack",
            None,
            "whether afterwards the cup is on the rack, I cannot tell.",
        ),
    ],
)
def test_what_nobody_can_tell_is_not_told_as_done(said, done, words):
    assert in_words(said, done) == words


@pytest.mark.parametrize("things", [{"a": "block"}, {"a": "ghost"}])
def test_a_lesson_goes_on_where_it_could_not_be_tried(things):
    class Broken:
        def __init__(self, code):
            self.code = code

        def prepared(self, name, scene):
            raise SaySoError(self.code, f"{name} is broken.")

    shown = SimpleNamespace(key_frames=(SimpleNamespace(scene=SCENE),), things=things)
    skill = SimpleNamespace(name="tilt", demonstrations=(shown,))
    found = tried(skill, None, Broken(Code.MISSING_DEPENDENCY))
    assert found.done is None and found.course is None
    assert found.words.startswith("I could not try it")
    if things["a"] == "block":
        with pytest.raises(SaySoError):
            tried(skill, None, Broken(Code.CANCELLED))


def test_where_one_scene_allows_no_way_another_is_tried():
    class Refusing:
        asked = 0

        def prepared(self, name, scene):
            self.asked += 1
            raise SaySoError(Code.UNREACHABLE, "the drawer is in the way.")

    shown = SimpleNamespace(key_frames=(SimpleNamespace(scene=SCENE),), things={"a": "block"})
    executor = Refusing()
    found = tried(SimpleNamespace(name="tilt", demonstrations=(shown,)), None, executor)
    assert executor.asked == TRIES and "found no way" in found.words
