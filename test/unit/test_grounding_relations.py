"""LIMP's comparators, seen from the robot's base."""

from __future__ import annotations

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Vector3
from sayso.core.scene import SceneObject
from sayso.logic.formula import COMPARATORS
from sayso.perception.relations import RelationThresholds, holds


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
    for name, count in COMPARATORS.items():
        holds(name, MIDDLE, (at(0.4, 0.1), at(0.6, 0.1))[:count])


@pytest.mark.parametrize(("name", "count"), [("isnear", 1), ("isbetween", 1), ("isabove", 2)])
def test_wrong_use_is_refused(name: str, count: int) -> None:
    with pytest.raises(SaySoError) as caught:
        holds(name, MIDDLE, (MIDDLE,) * count)
    assert caught.value.code is Code.INVALID
