"""What a building says of its devices, laid over what is seen."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.library import builtin_path, load
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.perception.categories import KINDS
from sayso.perception.flat.devices import with_devices

LEAF = (1.3, 0.04, 2.0)
SHUT = SceneObject(
    "kitchen_door", "kitchen door", "", (3.0, 1.0, 1.0), LEAF, attributes={"open_share": 0.0}
)
LAMP = SceneObject("lamp", "lamp", "", (5.0, 5.0, 0.7), (0.3, 0.3, 1.4), attributes={"lit": True})
SOFA = SceneObject("red_sofa", "sofa", "red", (1.0, 3.0, 0.4), (0.9, 1.8, 0.8))


def seen(name: str, category: str, x: float, y: float, size=(0.3, 0.3, 1.3)) -> SceneObject:
    return SceneObject(name, category, "white", (x, y, 0.7), size, last_seen_s=2.0)


def scene(*things: SceneObject) -> Scene:
    return Scene(2.0, things, frame="map")


def test_only_what_is_looked_for_is_shown_and_what_may_be_in_the_way() -> None:
    plain = scene(SOFA)
    assert with_devices(plain, [LAMP], ("table", "sofa")) == plain
    shown = with_devices(plain, [SHUT, LAMP], ("table", "sofa"))
    assert [o.name for o in shown.objects] == ["red_sofa", "kitchen_door"]
    assert not shown.by_name()["kitchen_door"].visible


def test_a_door_that_is_seen_is_the_building_s_and_stands_where_its_drive_has_it() -> None:
    door = seen("white_door", "door", 3.1, 1.2, LEAF)
    shown = with_devices(scene(SOFA, door), [SHUT], ("kitchen door",)).by_name()
    assert set(shown) == {"red_sofa", "kitchen_door"}
    assert shown["kitchen_door"].position == SHUT.position
    assert (shown["kitchen_door"].color, shown["kitchen_door"].visible) == ("white", True)


def test_a_leaf_remembered_at_another_opening_is_no_second_door() -> None:
    shut, opened = (
        seen("white_door", "door", 3.0, 1.0, LEAF),
        seen("brown_door", "door", 1.7, 1.0, LEAF),
    )
    elsewhere = seen("red_door", "door", 8.0, 1.0, LEAF)
    shown = with_devices(scene(opened, shut, elsewhere), [SHUT], ("door",)).by_name()
    assert set(shown) == {"kitchen_door", "red_door"}
    assert shown["kitchen_door"].color == "white"


def test_of_two_doors_side_by_side_each_is_the_one_that_is_seen_there() -> None:
    beside = replace(SHUT, name="pantry_door", category="pantry door", position=(4.4, 1.0, 1.0))
    doors = [replace(seen(f"{c}_door", "door", x, 1.0, LEAF), color=c)
             for c, x in (("red", 4.4), ("white", 3.0))]  # fmt: skip
    shown = with_devices(scene(*doors), [SHUT, beside], ("door",)).by_name()
    assert {n: o.color for n, o in shown.items()} == {"kitchen_door": "white", "pantry_door": "red"}


def test_a_lamp_beside_another_stays() -> None:
    lamps = [seen("white_lamp", "lamp", 5.0, 5.0), seen("lamp_2", "lamp", 5.4, 5.0)]
    assert set(with_devices(scene(*lamps), [LAMP], ("lamp",)).by_name()) == {"lamp", "lamp_2"}


def test_a_lamp_is_where_it_is_seen() -> None:
    moved = seen("white_lamp", "lamp", 5.4, 5.0)
    lamp = with_devices(scene(moved), [LAMP], ("lamp",)).by_name()["lamp"]
    assert lamp.position == moved.position
    assert lamp.attributes == {"lit": True}


def test_another_of_the_same_name_elsewhere_keeps_apart() -> None:
    other = seen("lamp", "lamp", 1.0, 1.0)
    shown = with_devices(scene(other), [LAMP], ("lamp",)).by_name()
    assert shown["lamp"].position == LAMP.position
    assert shown["white_lamp"].position == other.position


def test_predicates_are_told_by_attributes_and_unknown_without() -> None:
    unsaid = SceneObject("bathroom_door", "bathroom door", "", (9.0, 1.0, 1.0), LEAF)
    view = SceneView(scene(SHUT, LAMP, unsaid), load(builtin_path("flat")).predicates)
    truths = {
        (p, n): view.truth(Atom(p, (n,)))
        for p in ("open", "closed")
        for n in ("kitchen_door", "bathroom_door", "lamp")
    }
    assert truths["open", "kitchen_door"] is False
    assert truths["closed", "kitchen_door"] is True
    assert truths["closed", "lamp"] is False
    unknown = {("open", "lamp"), ("open", "bathroom_door"), ("closed", "bathroom_door")}
    assert {truths[key] for key in unknown} == {None}
    assert view.truth(Atom("lit", ("lamp",))) is True


def test_nothing_is_told_of_a_lid_that_was_not_observed() -> None:
    fridge = seen("fridge", "fridge", 4.0, 4.0)
    gate = SceneObject("gate", "gate", "", (9.0, 1.0, 1.0), LEAF, attributes={"open_share": 0.0})
    view = SceneView(scene(fridge, gate), load(builtin_path("flat")).predicates)
    assert view.truth(Atom("closed", ("fridge",))) is None
    assert view.truth(Atom("closed", ("gate",))) is True


def test_nothing_is_known_to_go_in_or_out_where_nobody_told_of_the_lid() -> None:
    fridge = seen("fridge", "fridge", 4.0, 4.0, (0.6, 0.6, 1.4))
    milk = seen("milk", "milk", 4.0, 4.0, (0.1, 0.1, 0.2))
    bowl = seen("bowl", "bowl", 6.0, 4.0)
    predicates = load(builtin_path("flat")).predicates

    def truths(**told: float) -> list[bool | None]:
        view = SceneView(scene(replace(fridge, attributes=told), milk, bowl), predicates)
        asked = (("accessible", "fridge"), ("in_the_open", "milk"), ("accessible", "bowl"))
        return [view.truth(Atom(p, (n,))) for p, n in asked]

    assert truths() == [None, None, True]
    assert truths(lid_share=0.4) == [False, False, True]
    assert truths(lid_share=1.0) == [True, True, True]


FLAT = load(builtin_path("flat"))
OPENINGS = ("kitchen door", "doorway", "window", "washing machine")


def shut_away_in() -> list[str]:
    """Whatever things are shut away in, by the library's own words and by the words for kinds."""
    types = {noun: kind.types for kind in FLAT.vocabulary.kinds for noun in kind.nouns}
    furniture = {"container", "furniture"}, {"container", "appliance"}
    found = {n for n, of in types.items() if "lidded" in of or of in furniture}
    return sorted((found | KINDS["chest"] | {"drawer"}) - {"sink", "machine"})


@pytest.mark.parametrize("kind", [*shut_away_in(), *OPENINGS, "tool cabinet"])
def test_of_whatever_opens_it_is_unknown_whether_it_is_shut_where_nobody_told(kind: str) -> None:
    view = SceneView(scene(seen("it", kind, 4.0, 4.0)), FLAT.predicates)
    asked = ("closed", "open", "accessible")
    assert [view.truth(Atom(p, ("it",))) for p in asked] == [None] * 3


@pytest.mark.parametrize("kind", shut_away_in())
def test_what_is_in_what_may_be_shut_is_not_known_to_be_in_the_open(kind: str) -> None:
    mug = seen("mug", "mug", 4.0, 4.0, (0.08, 0.08, 0.1))
    view = SceneView(scene(seen("it", kind, 4.0, 4.0, (0.6, 0.6, 1.4)), mug), FLAT.predicates)
    asked = (("in", "mug", "it"), ("on", "mug", "it"), ("in_the_open", "mug"))
    assert [view.truth(Atom(p, tuple(a))) for p, *a in asked] == [True, False, None]


@pytest.mark.parametrize("kind", ["shelf", "bookshelf", "table", "trash bin", "sink", "lamp"])
def test_what_has_no_lid_is_known_not_to_be_shut(kind: str) -> None:
    view = SceneView(scene(seen("it", kind, 4.0, 4.0)), FLAT.predicates)
    assert [view.truth(Atom(p, ("it",))) for p in ("closed", "accessible")] == [False, True]
