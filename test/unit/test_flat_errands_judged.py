"""The judge of errands in the flat: what truly stands where, of each kind of attribute."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from sayso.core.scene import AttributeValue, SceneObject
from sayso.evaluation.cape.flat_errands import reached

TRUTH = {
    o.name: o
    for o in (
        SceneObject("table", "table", "", (2.0, 2.0, 0.35), (1.0, 0.6, 0.7)),
        SceneObject("chest", "storage", "", (5.0, 2.0, 0.25), (0.6, 0.6, 0.5),
                    attributes={"lid_share": 0.0}),
        SceneObject("phone", "phone", "", (2.2, 2.1, 0.75), (0.1, 0.1, 0.1)),
        SceneObject("mail", "mail", "", (5.1, 2.0, 0.1), (0.1, 0.1, 0.1)),
        SceneObject("iron", "iron", "", (8.0, 2.0, 0.1), (0.1, 0.1, 0.1),
                    attributes={"turned_on": False}),
    )
}  # fmt: skip
LID = {"lid_share": 0.5}


def so(name: str, attribute: str, value: AttributeValue, **other: SceneObject) -> bool:
    """Whether one end is reached where some things are otherwise than in `TRUTH`."""
    world: Any = SimpleNamespace(truth=lambda: tuple({**TRUTH, **other}.values()))
    given: Any = SimpleNamespace(ends={name: {attribute: value}})
    return reached(world, given)


def at(name: str, x: float, y: float, z: float) -> SceneObject:
    return replace(TRUTH[name], position=(x, y, z))


@pytest.mark.parametrize(
    ("thing", "place", "elsewhere"),
    [
        ("phone", "table", at("phone", 2.2, 2.4, 0.75)),  # beside its top
        ("phone", "table", at("phone", 2.6, 2.0, 0.75)),
        ("phone", "table", at("phone", 2.2, 2.1, 0.85)),  # in the air above it
        ("phone", "table", at("phone", 2.2, 2.1, 0.35)),  # under it
        ("mail", "chest", at("mail", 5.4, 2.0, 0.1)),
        ("mail", "chest", at("mail", 5.1, 2.0, 0.7)),
    ],
)
def test_a_thing_is_on_a_place_or_below_its_rim(
    thing: str, place: str, elsewhere: SceneObject
) -> None:
    assert so(thing, "location", place)
    assert not so(thing, "location", place, **{thing: elsewhere})


def test_a_thing_on_a_shut_lid_is_at_the_chest_but_not_inside() -> None:
    upon = at("mail", 5.1, 2.0, 0.55)
    assert so("mail", "location", "chest", mail=upon)
    assert so("mail", "inside", False, mail=upon) and not so("mail", "inside", True, mail=upon)
    assert so("mail", "inside", True) and not so("mail", "inside", False)
    assert so("phone", "inside", False) and not so("phone", "inside", True)


def test_a_chest_is_shut_only_where_its_lid_is_all_the_way() -> None:
    half = replace(TRUTH["chest"], attributes=LID)
    ajar = replace(TRUTH["chest"], attributes={"lid_share": 0.03})
    assert so("chest", "open", False) and not so("chest", "open", True)
    assert so("chest", "open", True, chest=half) and not so("chest", "open", False, chest=half)
    assert not so("chest", "open", False, chest=ajar)


def test_any_other_attribute_is_as_the_thing_has_it() -> None:
    assert so("iron", "turned_on", False) and not so("iron", "turned_on", True)
    assert not so("phone", "turned_on", False)


def test_all_that_is_asked_must_be_so() -> None:
    world: Any = SimpleNamespace(truth=lambda: tuple(TRUTH.values()))
    ends = {"phone": {"location": "table"}, "mail": {"inside": True, "location": "table"}}
    given: Any = SimpleNamespace(ends=ends)
    assert not reached(world, given)
