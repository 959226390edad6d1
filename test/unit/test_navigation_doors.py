"""Doors and lights, of which the library alone speaks: understood, planned and checked."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.library import builtin_path, load
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.mission.understanding import TaskInterpreter
from sayso.planning.navigation.check import check_tour
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.places import outset_of
from sayso.planning.navigation.tour import plan_tour

DOOR_Y = {"kitchen_door": 3.0, "bathroom_door": 7.0}


def door(name: str, y: float) -> SceneObject:
    words = name.replace("_", " ")
    return SceneObject(
        name, words, "", (5.0, y, 1.0), (0.05, 1.3, 2.0), attributes={"open_share": 0.0}
    )


SCENE = Scene(
    1.0,
    (
        *(door(n, y) for n, y in DOOR_Y.items()),
        SceneObject("fridge", "fridge", "white", (8.5, 3.0, 0.9), (0.6, 0.6, 1.8)),
        SceneObject(
            "light", "light", "white", (2.0, 7.0, 2.2), (0.2, 0.2, 0.2), attributes={"lit": False}
        ),
    ),
    RobotState(base=Pose((1.0, 5.0, 0.0))),
    frame="map",
)


def floor() -> OccupancyGrid:
    """Two rooms, each door of the wall between them shut."""
    cells = np.full((100, 100), FREE, np.int8)
    cells[:, 49:51] = OCCUPIED
    return OccupancyGrid(cells, (0.0, 0.0), 0.1)


@pytest.fixture(scope="module")
def library():
    return load(builtin_path("flat"))


def planned(
    library,
    words: str,
    scene: Scene = SCENE,
    grid: OccupancyGrid | None = None,
    started: bool = False,
):
    understood = TaskInterpreter(library, lambda _: scene).interpret(words)
    assert understood.trouble is None, understood.trouble
    task = obligations_of(understood.specification.formula)
    outset = outset_of(task, scene, grid or floor(), library, (1.0, 5.0))
    if started:  # a watcher has read the first step
        outset = replace(outset, states=outset.begin(outset.seen_near()))
    return outset, plan_tour(outset)


SAID = "Open the kitchen door, then go to the fridge. Never open the bathroom door."


def test_the_way_leads_through_the_door_that_is_opened_and_no_other(library) -> None:
    outset, tour = planned(library, SAID)
    assert [leg.operator.name for leg in tour.legs] == ["go", "open", "go"]
    assert tour.legs[1].args == ("kitchen_door",)
    check_tour(tour, outset)
    through = tour.legs[2].path
    y = np.interp(5.0, through[:, 0], through[:, 1])
    assert abs(y - DOOR_Y["kitchen_door"]) < 0.65


def test_a_door_that_shuts_the_robot_off_is_opened_without_being_asked_for(library) -> None:
    outset, tour = planned(library, "Go to the fridge. Never open the kitchen door.")
    assert [leg.operator.name for leg in tour.legs] == ["go", "open", "go"]
    assert tour.legs[1].args == ("bathroom_door",)
    check_tour(tour, outset)


def test_a_door_that_stands_ajar_and_shuts_the_robot_off_is_opened(library) -> None:
    doors = (replace(d, attributes={"open_share": 0.3}) for d in SCENE.objects[:2])
    scene = replace(SCENE, objects=(*doors, *SCENE.objects[2:]))
    _, tour = planned(library, "Go to the fridge.", scene)
    assert [leg.operator.name for leg in tour.legs] == ["go", "open", "go"]


TOOLBOX = SceneObject("toolbox", "toolbox", "red", (3.0, 2.0, 0.2), (0.4, 0.6, 0.4))


@pytest.mark.parametrize(
    "words",
    [
        "Go to the light. The {0} must stay closed.",
        "Go to the light. The {0} must not be open.",
        "Go to the light. Never close the {0}.",
        "The {0} must not be closed at the end.",
    ],
)
@pytest.mark.parametrize("thing", ["fridge", "toolbox"])
@pytest.mark.parametrize("started", [False, True])
def test_what_nobody_told_of_is_called_unknown_and_not_broken(
    library, words: str, thing: str, started: bool
) -> None:
    """No camera and no building says whether the thing is shut, to a planner or to a watcher."""
    scene = replace(SCENE, objects=(*SCENE.objects, TOOLBOX))
    with pytest.raises(SaySoError, match=f"not known whether the {thing} is") as caught:
        planned(library, words.format(thing), scene, started=started)
    assert caught.value.code is Code.PRECONDITION


def test_a_condition_that_nobody_told_of_is_not_taken_for_unmet(library) -> None:
    with pytest.raises(SaySoError, match="not known whether the fridge is open"):
        planned(library, "If the fridge is open, go to the light.")


@pytest.mark.parametrize(
    "words",
    [
        "Go to the light. Never open the kitchen door.",
        "Turn on the light. Go to the light or close the fridge.",
        "Go to the light. Never go to the bathroom door while the fridge is open.",
    ],
)
def test_what_is_kept_whatever_nobody_told_of_is_planned(library, words: str) -> None:
    assert planned(library, words)[1].legs


def test_no_door_is_opened_where_the_task_does_without(library) -> None:
    _, tour = planned(library, "Go to the light.")
    assert [leg.operator.name for leg in tour.legs] == ["go"]


@pytest.mark.parametrize(
    ("words", "done"),
    [
        ("Go to the fridge. Never go near the bathtub.", []),
        ("Pick up the mail and go to the fridge. Never go near the bathtub.", ["pick"]),
        ("Go to the bathtub or to the fridge.", []),
    ],
)
def test_no_door_is_opened_for_a_shorter_way_nor_for_what_is_not_wanted(
    library, words: str, done: list[str]
) -> None:
    """The bathtub is shut in; the fridge is nearer through the kitchen door than round the wall."""
    things = (
        *SCENE.objects,
        SceneObject("bathtub", "bathtub", "white", (9.5, 8.0, 0.3), (0.6, 0.6, 0.6)),
        thing("mail", (4.2, 4.0, 0.05)),
    )
    cells = np.full((140, 100), FREE, np.int8)
    cells[10:, 49:51] = OCCUPIED
    cells[100, 50:] = OCCUPIED
    grid = OccupancyGrid(cells, (0.0, -4.0), 0.1)
    outset, tour = planned(library, words, replace(SCENE, objects=things), grid)
    assert [leg.operator.name for leg in tour.legs if not leg.drives] == done
    check_tour(tour, outset)


def test_doors_that_must_stay_shut_are_no_way(library) -> None:
    with pytest.raises(SaySoError) as caught:
        planned(library, "Go to the fridge. Never open the kitchen door or the bathroom door.")
    assert caught.value.code in (Code.UNREACHABLE, Code.NO_PLAN)


def chest(name: str, y: float, lid: float) -> SceneObject:
    return SceneObject(
        name, name, "white", (2.0, y, 0.25), (0.45, 0.7, 0.5), attributes={"lid_share": lid}
    )


def thing(name: str, position: tuple[float, float, float]) -> SceneObject:
    return SceneObject(name, name, "black", position, (0.06, 0.11, 0.09))


KITCHEN = Scene(
    1.0,
    (
        chest("storage", 2.0, 0.0),
        chest("pantry", 8.0, 1.0),
        SceneObject("table", "table", "brown", (3.5, 5.0, 0.36), (0.8, 1.2, 0.72)),
        thing("phone", (2.0, 2.0, 0.2)),
        thing("cereal", (2.0, 8.0, 0.2)),
        thing("mail", (3.3, 5.0, 0.765)),
    ),
    RobotState(base=Pose((1.0, 5.0, 0.0))),
    frame="map",
)


CLOSED = replace(
    KITCHEN, objects=tuple(o for o in KITCHEN.objects if o.name not in ("pantry", "cereal"))
)


@pytest.mark.parametrize(
    ("words", "done"),
    [
        ("Put the phone on the table.", ["open_lid", "take_out", "put_on"]),
        ("Put the cereal on the table.", ["pick", "put_on"]),
        (
            "Put the mail in the storage and close the storage.",
            ["open_lid", "pick", "put_in", "close_lid"],
        ),
        ("Put the mail in the pantry, then close the pantry.", ["pick", "put_in", "close_lid"]),
        ("Open the storage.", ["open_lid"]),
    ],
)
def test_lids_are_opened_before_what_they_shut_away(library, words: str, done: list[str]) -> None:
    outset, tour = planned(library, words, KITCHEN)
    found = [leg.operator.name for leg in tour.legs if not leg.drives]
    assert [n if n != "take_out" or "phone" in words else "pick" for n in found] == done
    check_tour(tour, outset)


@pytest.mark.parametrize(
    ("words", "done"),
    [
        ("Put the phone on the table.", ["open_lid", "take_out", "put_on"]),
        ("Open the storage.", ["open_lid"]),
        ("Close the storage.", ["close_lid"]),
        ("Put the mail in the storage.", ["open_lid", "pick", "put_in"]),
    ],
)
def test_a_lid_that_stands_half_open_is_opened_and_closed(library, words: str, done) -> None:
    half = chest("storage", 2.0, 0.4)
    scene = replace(KITCHEN, objects=(half, *KITCHEN.objects[1:]))
    outset, tour = planned(library, words, scene)
    assert [leg.operator.name for leg in tour.legs if not leg.drives] == done
    check_tour(tour, outset)


def untold(kind: str) -> Scene:
    """The kitchen with something in the storage's place of which nobody told whether it is shut."""
    other = replace(KITCHEN.objects[0], name=kind, category=kind, attributes={})
    return replace(KITCHEN, objects=(other, *KITCHEN.objects[1:]))


@pytest.mark.parametrize("words", ["Put the mail in the {0}.", "Put the phone on the table."])
@pytest.mark.parametrize("kind", ["storage", "toolbox"])
def test_nothing_goes_in_or_out_where_nobody_told_of_the_lid(
    library, words: str, kind: str
) -> None:
    with pytest.raises(SaySoError) as caught:
        planned(library, words.format(kind), untold(kind))
    assert caught.value.code is Code.NO_PLAN


def test_a_cabinet_that_nobody_told_of_has_a_top_but_gives_nothing_out(library) -> None:
    _, tour = planned(library, "Bring the mail to the cabinet.", untold("cabinet"))
    assert [leg.operator.name for leg in tour.legs if not leg.drives] == ["pick", "put_on"]
    with pytest.raises(SaySoError) as caught:
        planned(library, "Put the phone on the table.", untold("cabinet"))
    assert caught.value.code is Code.NO_PLAN


@pytest.mark.parametrize("kind", ["chest", "container", "piece of furniture"])
def test_what_is_forbidden_of_a_kind_is_forbidden_of_what_is_of_it(library, kind: str) -> None:
    with pytest.raises(SaySoError) as caught:
        planned(library, f"Put the phone on the table. Never open a {kind}.", CLOSED)
    assert caught.value.code is Code.NO_PLAN


def test_only_what_can_be_carried_is_put_anywhere(library) -> None:
    outset, _ = planned(
        library, "Put the mail in the storage and close the storage and the pantry.", KITCHEN
    )
    assert {h.leaves for h in outset.handlings if h.leaves} == {"mail"}
    assert {h.action.args[1] for h in outset.handlings if h.operator.name == "take_out"} == {
        "storage",
        "pantry",
    }


def test_what_is_shut_away_is_not_taken_where_the_lid_must_stay_shut(library) -> None:
    with pytest.raises(SaySoError) as caught:
        planned(library, "Put the phone on the table. Never open the storage.", KITCHEN)
    assert caught.value.code is Code.NO_PLAN


@pytest.mark.parametrize(
    ("words", "scene"),
    [
        ("Go to the fridge. Leave the doors alone.", SCENE),
        ("Put the phone on the table. Leave the storage alone.", KITCHEN),
    ],
)
def test_what_is_left_alone_is_not_opened(library, words: str, scene: Scene) -> None:
    with pytest.raises(SaySoError) as caught:
        planned(library, words, scene)
    assert caught.value.code is Code.NO_PLAN


def test_a_light_is_turned_on(library) -> None:
    _, tour = planned(library, "Turn on the light.")
    assert [leg.operator.name for leg in tour.legs] == ["go", "turn_on"]
