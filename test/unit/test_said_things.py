"""What the words of a demonstration are about."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene, SceneObject
from sayso.learning.demonstrations.things import named, things_said

SIZE = (0.1, 0.1, 0.1)
SCENE = Scene(
    0.0,
    tuple(
        SceneObject(name, name.split("_", 1)[-1], name.split("_", 1)[0], (0.5, 0.0, 0.05), SIZE)
        for name in ("blue_mug", "red_mug", "brown_rack", "green_block", "white_coffee_machine")
    ),
)


@pytest.mark.parametrize(
    ("words", "things"),
    [
        ("hang the blue mug on the rack", {"mug": "blue_mug", "rack": "brown_rack"}),
        ("Hang the red mug on the rack by its handle.", {"mug": "red_mug", "rack": "brown_rack"}),
        ("turn the block upside down", {"block": "green_block"}),
        ("put the blue mug in the red mug", {"mug": "blue_mug", "mug_2": "red_mug"}),
        (
            "put the blue mug under the coffee machine",
            {"mug": "blue_mug", "coffee_machine": "white_coffee_machine"},
        ),
    ],
)
def test_things_are_found_in_the_words_in_their_order(words, things):
    found = things_said(words, SCENE)
    assert found == things and [*found] == [*things]


@pytest.mark.parametrize(
    ("words", "code", "choices"),
    [
        ("hang the mug on the rack", Code.AMBIGUOUS, ("blue_mug", "red_mug")),
        ("hang the green mug on the rack", Code.UNKNOWN_OBJECT, ("blue_mug", "red_mug")),
        ("wave", Code.INVALID, None),
        ("put the blue mug and the block on the rack", Code.INVALID, ()),
    ],
)
def test_what_does_not_say_it_is_asked_back(words, code, choices):
    with pytest.raises(SaySoError) as error:
        things_said(words, SCENE)
    assert error.value.code is code
    assert choices is None or tuple(error.value.choices) == choices


def test_things_that_are_pointed_at_have_to_be_seen():
    assert named(["red_mug", "brown_rack"], SCENE) == {"mug": "red_mug", "rack": "brown_rack"}
    with pytest.raises(SaySoError):
        named(["bowl"], SCENE)
