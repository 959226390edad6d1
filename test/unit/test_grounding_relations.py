"""LIMP's comparators, seen from the robot's base."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Vector3
from sayso.core.places import RelationThresholds
from sayso.core.scene import SceneObject
from sayso.logic.formula import COMPARATORS
from sayso.perception.relations import CHOOSING, holds, outermost


def at(x: float, y: float, z: float = 0.02, size: Vector3 = (0.04, 0.04, 0.04)) -> SceneObject:
    return SceneObject(f"thing at {x} {y} {z}", "block", "red", (x, y, z), size)


MIDDLE = at(0.5, 0.0)


@pytest.mark.parametrize(
    ("comparator", "thing", "opposite"),
    [
        ("isleftof", at(0.5, 0.1), "isrightof"),
        ("isrightof", at(0.5, -0.1), "isleftof"),
        ("isbehind", at(0.6, 0.0), "isinfrontof"),
        ("isinfrontof", at(0.4, 0.0), "isbehind"),
        ("isabove", at(0.5, 0.01, 0.06), "isbelow"),
        ("isbelow", at(0.5, 0.01, -0.02), "isabove"),
    ],
)
def test_directions(comparator: str, thing: SceneObject, opposite: str) -> None:
    assert holds(comparator, thing, (MIDDLE,))
    assert holds(opposite, MIDDLE, (thing,))
    assert not holds(opposite, thing, (MIDDLE,))
    assert not holds(comparator, MIDDLE, (MIDDLE,))


def test_a_side_needs_more_than_the_threshold() -> None:
    thing = at(0.5, 0.015)
    assert not holds("isleftof", thing, (MIDDLE,))
    assert holds("isleftof", thing, (MIDDLE,), RelationThresholds(side_m=0.01))


def test_a_tall_thing_beside_is_not_above() -> None:
    assert not holds("isabove", at(0.5, 0.2, 0.10), (MIDDLE,))


def test_next_to_is_about_the_gap_and_not_the_size() -> None:
    wide = at(0.5, 0.0, size=(0.4, 0.4, 0.04))
    assert holds("isnextto", at(0.5, 0.3), (wide,))
    assert not holds("isnextto", at(0.5, 0.3), (MIDDLE,))


@pytest.mark.parametrize(
    ("thing", "expected"),
    [
        (at(0.5, 0.0), True),
        (at(0.55, 0.1), True),
        (at(0.6, 0.0), False),
        (at(0.5, 0.25), False),
        (at(0.5, -0.25), False),
        (at(0.5, 0.0, 0.2), False),
    ],
)
def test_between_is_near_the_segment_and_within_its_ends(
    thing: SceneObject, expected: bool
) -> None:
    ends = (at(0.5, -0.2), at(0.5, 0.2))
    assert holds("isbetween", thing, ends) is expected
    assert holds("isbetween", thing, ends[::-1]) is expected


def test_nothing_is_between_a_thing_and_itself() -> None:
    assert not holds("isbetween", MIDDLE, (MIDDLE, MIDDLE))


def test_every_comparator_of_the_logic_is_there() -> None:
    others = (at(0.4, 0.1), at(0.6, 0.1))
    for name, count in COMPARATORS.items():
        if name in CHOOSING:
            outermost(name, (MIDDLE,), others[0])
            continue
        holds(name, MIDDLE, others[:count])


def test_in_is_between_the_sides_and_below_the_rim() -> None:
    bowl = at(0.5, 0.0, 0.03, (0.15, 0.15, 0.06))
    assert holds("isin", at(0.53, 0.0), (bowl,))
    assert not holds("isin", at(0.6, 0.0), (bowl,))
    assert not holds("isin", at(0.5, 0.0, 0.08), (bowl,))


def test_what_lies_in_the_tray_behind_a_drawers_front_is_in_the_drawer() -> None:
    front = replace(at(0.5, 0.0, 0.04, (0.02, 0.2, 0.08)), attributes={"opening_m": 0.1})
    assert holds("isin", at(0.6, 0.0), (front,))
    assert not holds("isin", at(0.6, 0.0), (replace(front, attributes={}),))


def test_bigger_is_a_clear_difference_of_volume() -> None:
    big, alike = at(0.5, 0.0, size=(0.06, 0.04, 0.04)), at(0.5, 0.0, size=(0.045, 0.04, 0.04))
    assert holds("isbiggerthan", big, (MIDDLE,)) and holds("issmallerthan", MIDDLE, (big,))
    assert not holds("isbiggerthan", alike, (MIDDLE,))
    assert not holds("issmallerthan", MIDDLE, (alike,))


def test_the_nearest_is_one_unless_boxes_and_centres_disagree() -> None:
    close, far, wide = at(0.5, 0.1), at(0.5, 0.3), at(0.5, -0.2, size=(0.04, 0.34, 0.04))
    assert outermost("isnearest", (close, far, MIDDLE), MIDDLE) == (close,)
    assert outermost("isfarthest", (close, far, MIDDLE), MIDDLE) == (far,)
    assert set(outermost("isnearest", (close, wide), MIDDLE)) == {close, wide}


@pytest.mark.parametrize(("name", "count"), [("isnear", 1), ("isbetween", 1), ("isabove", 2)])
def test_wrong_use_is_refused(name: str, count: int) -> None:
    with pytest.raises(SaySoError) as caught:
        holds(name, MIDDLE, (MIDDLE,) * count)
    assert caught.value.code is Code.INVALID
