"""The flat's predicates over scenes made by hand: distances, seats and shelves, and the hand."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, Vector3
from sayso.core.library import builtin_path, load
from sayso.core.occupied import Occupied
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.core.vocabulary import Kind, Vocabulary

LIBRARY = load(builtin_path("flat"))


def thing(name: str, centre: Vector3, size: Vector3) -> SceneObject:
    return SceneObject(name, name.replace("_", " "), "", centre, size)


TABLE = thing("table", (3.0, 0.0, 0.35), (1.0, 2.0, 0.7))
SOFA = thing("sofa", (0.0, 4.0, 0.45), (0.9, 2.0, 0.9))
BIN = thing("trash_bin", (5.0, 5.0, 0.3), (0.4, 0.4, 0.6))
MUG = thing("mug", (3.0, 0.5, 0.75), (0.08, 0.08, 0.1))


def truth(
    predicate: str,
    *args: str,
    mug: SceneObject = MUG,
    base: Vector3 | None = (0.0, 0.0, 0.0),
    occupied: Occupied | None = None,
) -> bool | None:
    robot = RobotState(base=None if base is None else Pose(base))
    scene = Scene(0.0, (TABLE, SOFA, BIN, mug), robot, frame="map", occupied=occupied)
    return SceneView(scene, LIBRARY.predicates).truth(Atom(predicate, args))


def mug_at(x: float, y: float, bottom: float) -> SceneObject:
    return replace(MUG, position=(x, y, bottom + 0.05))


@pytest.mark.parametrize(
    ("base", "expected"),
    [((1.51, 0.0, 0.0), True), ((1.49, 0.0, 0.0), False), ((3.0, 1.99, 0.0), True),
     ((1.7, 1.7, 0.0), False), ((3.0, 0.0, 0.5), True)],
)  # fmt: skip
def test_near_is_measured_from_the_edge_of_the_footprint(base: Vector3, expected: bool) -> None:
    assert truth("near", "table", base=base) is expected


def test_near_is_unknown_without_a_base_or_a_sighting() -> None:
    assert truth("near", "table", base=None) is None
    assert truth("near", "fridge") is None


def walls(door: bool = False) -> Occupied:
    """Of a map of 8 m by 8 m from (-1, -1): the table, the sofa, and a wall along x = 2, past the
    table, with a door of 1 m from y = 0.2 on or without."""
    cells = np.zeros((160, 160), bool)
    for thing_ in (TABLE, SOFA):
        (x, y, _), (a, b, _) = thing_.position, thing_.size
        low = np.floor((np.array([y - b / 2, x - a / 2]) + 1.0) / 0.05).astype(int)
        high = np.ceil((np.array([y + b / 2, x + a / 2]) + 1.0) / 0.05).astype(int)
        cells[low[0] : high[0], low[1] : high[1]] = True
    cells[:, 60:62] = True
    if door:
        cells[24:44, 60:62] = False
    return Occupied(cells, (-1.0, -1.0), 0.05)


@pytest.mark.parametrize(
    ("base", "occupied", "near", "in_room"),
    [
        ((1.6, 0.0, 0.0), walls(), True, False),
        ((2.3, 0.0, 0.0), walls(), True, True),
        ((1.6, 0.5, 0.0), walls(door=True), True, True),
        ((1.4, 0.0, 0.0), walls(), False, False),
        ((1.6, 0.0, 0.0), None, True, None),
        ((1.4, 0.0, 0.0), None, False, False),
        ((3.0, 1.9, 0.0), walls(), True, True),
    ],
)
def test_near_in_the_same_room_is_near_with_no_wall_in_between(
    base: Vector3, occupied: Occupied | None, near: bool, in_room: bool | None
) -> None:
    assert truth("near", "table", base=base) is near
    assert truth("near_in_room", "table", base=base, occupied=occupied) is in_room


def test_furniture_that_is_known_is_no_wall() -> None:
    """A mug far back on the table is near across the table, which is on the map like a wall."""
    mug = mug_at(3.0, 0.0, 0.7)
    assert truth("near_in_room", "mug", mug=mug, base=(2.3, 0.0, 0.0), occupied=walls()) is True


def test_furniture_that_nobody_looked_for_does_not_hide_what_is_on_it() -> None:
    """Perception knows what words name: a cat on a table of which nobody speaks."""
    cat = thing("cat", (3.0, 0.0, 0.9), (0.4, 0.2, 0.3))
    robot = RobotState(base=Pose((2.3, 0.0, 0.0)))
    scene = Scene(0.0, (cat,), robot, frame="map", occupied=walls())
    view = SceneView(scene, LIBRARY.predicates)
    assert view.truth(Atom("near_in_room", ("cat",))) is True


def test_what_is_carried_is_near_whatever_is_on_the_map() -> None:
    carried = replace(MUG, carried=True)
    assert truth("near_in_room", "mug", mug=carried, base=(1.0, 0.0, 0.0), occupied=walls()) is True


@pytest.mark.parametrize(
    ("mug", "on", "inside", "placed"),
    [
        (MUG, ("table", True), ("trash_bin", False), ("table", True)),
        (mug_at(0.1, 4.0, 0.45), ("sofa", True), ("sofa", False), ("sofa", True)),
        (mug_at(0.0, 4.0, 0.02), ("sofa", False), ("sofa", False), ("sofa", True)),
        (mug_at(5.0, 5.0, 0.05), ("trash_bin", False), ("trash_bin", True), ("trash_bin", True)),
        (mug_at(5.4, 5.0, 0.0), ("trash_bin", False), ("trash_bin", False), ("trash_bin", True)),
        (mug_at(5.9, 5.0, 0.0), ("trash_bin", False), ("trash_bin", False), ("trash_bin", False)),
        (mug_at(3.0, 0.5, 1.2), ("table", False), ("table", False), ("table", False)),
    ],
)
def test_where_things_rest(
    mug: SceneObject, on: tuple[str, bool], inside: tuple[str, bool], placed: tuple[str, bool]
) -> None:
    assert truth("on", "mug", on[0], mug=mug) is on[1]
    assert truth("in", "mug", inside[0], mug=mug) is inside[1]
    assert truth("placed", "mug", placed[0], mug=mug) is placed[1]


def test_what_is_carried_is_held_near_and_not_placed() -> None:
    carried = replace(MUG, carried=True)
    assert truth("holding", "mug", mug=carried) is True
    assert truth("near", "mug", mug=carried, base=(9.0, 9.0, 0.0)) is True
    assert truth("placed", "mug", "table", mug=carried) is False
    assert truth("hand_empty", mug=carried) is False
    assert truth("hand_empty") is True


def test_furniture_is_not_graspable() -> None:
    assert truth("graspable", "mug") is True
    assert truth("graspable", "sofa") is False
    assert truth("graspable", "table") is False


@pytest.mark.parametrize(
    ("kind", "encloses", "shut"),
    [
        ("wooden cupboard", True, None),
        ("trunk", True, None),
        ("sliding door", False, None),
        ("trash can", True, False),
        ("crate", True, False),
        ("mug", False, False),
        ("gizmo", False, False),
    ],
)
def test_what_encloses_and_what_may_be_shut_is_told_by_the_types_of_its_kind(
    kind: str, encloses: bool, shut: bool | None
) -> None:
    box = SceneObject("it", kind, "", (1.0, 1.0, 0.4), (0.6, 0.6, 0.8))
    cup = SceneObject("cup", "cup", "", (1.0, 1.0, 0.4), (0.1, 0.1, 0.1))
    view = SceneView(Scene(0.0, (box, cup), frame="map"), LIBRARY.predicates)
    assert view.truth(Atom("in", ("cup", "it"))) is encloses
    assert view.truth(Atom("on", ("cup", "it"))) is not encloses
    assert view.truth(Atom("closed", ("it",))) is shut


@pytest.mark.parametrize(
    ("around", "truth"),
    [
        ((), True),
        (("crate",), True),
        (("cupboard",), None),
        (("shut fridge",), False),
        (("open fridge",), True),
        (("cupboard", "shut fridge"), False),
        (("cupboard", "open fridge", "crate"), None),
    ],
)
def test_what_is_in_several_things_is_as_far_in_the_open_as_in_the_one_that_shuts_it_off_most(
    around: tuple[str, ...], truth: bool | None
) -> None:
    lids = {"shut fridge": {"lid_share": 0.0}, "open fridge": {"lid_share": 1.0}}
    things = [
        SceneObject(
            kind.replace(" ", "_"), kind, "", (1.0, 1.0, 0.4), (0.6, 0.6, 0.8),
            attributes=lids.get(kind, {}),
        )
        for kind in around
    ]  # fmt: skip
    cup = SceneObject("cup", "cup", "", (1.0, 1.0, 0.4), (0.1, 0.1, 0.1))
    view = SceneView(Scene(0.0, (*things, cup), frame="map"), LIBRARY.predicates)
    assert view.truth(Atom("in_the_open", ("cup",))) is truth


def test_types_are_told_beside_a_predicate_that_knows_no_words() -> None:
    """As one that was learned, in another process, where no two vocabularies are the same."""
    learned = Predicate("p", ("a",), lambda *_: True, vocabulary=Vocabulary())
    cup = SceneObject("cup", "cup", "", (1.0, 1.0, 0.4), (0.1, 0.1, 0.1))
    view = SceneView(Scene(0.0, (cup,)), {"p": learned, **LIBRARY.predicates})
    assert view.is_a("cup", "movable")


def test_a_library_with_further_kinds_tells_their_types_at_once() -> None:
    words = LIBRARY.vocabulary
    more = replace(words, kinds=(*words.kinds, Kind(("hutch",), frozenset({"enclosing"}))))
    hutch = SceneObject("hutch", "hutch", "", (1.0, 1.0, 0.4), (0.6, 0.6, 0.8))
    cup = SceneObject("cup", "cup", "", (1.0, 1.0, 0.4), (0.1, 0.1, 0.1))
    scene = Scene(0.0, (hutch, cup), frame="map")
    inside = Atom("in", ("cup", "hutch"))
    assert SceneView(scene, LIBRARY.predicates).truth(inside) is False
    known = replace(LIBRARY, vocabulary=more).predicates
    assert SceneView(scene, known).truth(inside) is True
    with pytest.raises(SaySoError) as caught:
        SceneView(scene, known).is_a("cup", "vehicle")
    assert caught.value.code is Code.INVALID and "enclosing" in caught.value.choices
