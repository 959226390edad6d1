"""Legs as actions with reasons, places from scenes, and ways that the robot asks for itself."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.logic.text import parse
from sayso.planning.navigation.actions import plan_of
from sayso.planning.navigation.flat import Flat, Place
from sayso.planning.navigation.grid import FREE, OccupancyGrid
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.nearness import Footprint
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.places import places_of, situation_of
from sayso.planning.navigation.smoothing import spread
from sayso.planning.navigation.tour import plan_tour
from sayso.planning.navigation.ways import Ways
from support.flats import DOMAIN, LIBRARY, held, lying

PREDICATES = LIBRARY.predicates
GRID = OccupancyGrid(np.full((80, 100), FREE, np.int8), (0.0, 0.0), 0.1)
FLAT = Flat.of(
    GRID,
    (
        Place("sofa", Footprint.box(1.0, 6.5, 1.0, 0.5), receives="on"),
        Place("table", Footprint.box(5.0, 3.5, 0.6, 0.6), receives="on"),
        Place("toy", Footprint.box(9.0, 1.0, 0.2, 0.2)),
        Place("mug", Footprint.box(5.0, 6.8, 0.1, 0.1)),
    ),
    DOMAIN,
)


def outset(text: str, **extra) -> Outset:
    extra.setdefault("situation", lying())
    return Outset(FLAT, obligations_of(parse(text, grounded=True)), (1.0, 1.0), **extra)


def test_a_tour_becomes_a_plan_that_says_why() -> None:
    task = outset("!holding(toy) U near(table) & F(placed(toy, sofa))")
    plan = plan_of(plan_tour(task), task, PREDICATES)
    told = [(s.action.english, s.why) for s in plan.steps]
    assert told == [
        ("drive to the table", "the task asks that the robot is near the table"),
        (
            "drive to the toy",
            "step 3 (pick up the toy) needs that the robot is near the toy",
        ),
        (
            "pick up the toy",
            "step 5 (put the toy down on the sofa) needs that the robot holds the toy",
        ),
        (
            "drive to the sofa",
            "step 5 (put the toy down on the sofa) needs that the robot is near the sofa",
        ),
        ("put the toy down on the sofa", "the task asks that the toy is placed at the sofa"),
    ]


def test_actions_tell_what_they_change() -> None:
    task = outset("F(on(toy, sofa))", situation=lying(("toy", "table")))
    tour = plan_tour(task)
    kinds = {s.action.name: s.action for s in plan_of(tour, task, PREDICATES).steps}
    pair = ("toy", "sofa")
    assert {Atom("on", ("toy", "table")), Atom("hand_empty")} <= kinds["pick"].delete
    assert {Atom("on", pair), Atom("placed", pair), Atom("hand_empty")} == kinds["put_on"].add
    assert kinds["put_on"].skill == "release"


def test_emptying_the_hand_has_its_reason() -> None:
    task = outset("F(holding(toy)) & F(holding(mug))")
    steps = plan_of(plan_tour(task), task, PREDICATES).steps
    put = next(s for s in steps if s.action.skill == "release")
    assert "needs that the hand is empty" in put.why


def thing(name, x, y, z, size, **extra) -> SceneObject:
    category = name.rstrip("_12345").replace("_", " ")
    return SceneObject(name, category, "", (x, y, z + size[2] / 2), size, **extra)


SCENE = Scene(
    1.0,
    (
        thing("table_1", 2.0, 2.0, 0.0, (0.8, 1.2, 0.72)),
        thing("sofa_1", 5.0, 2.0, 0.0, (0.9, 1.8, 0.8)),
        thing("trash_bin_1", 7.0, 2.0, 0.0, (0.3, 0.3, 0.5)),
        thing("pillar_1", 8.0, 2.0, 0.0, (0.4, 0.4, 2.4)),
        thing("television_1", 8.0, 5.0, 0.6, (0.08, 1.0, 0.6)),
        thing("cat_1", 3.0, 5.0, 0.0, (0.5, 0.25, 0.3), living=True),
        thing("mug_1", 2.0, 2.0, 0.72, (0.08, 0.08, 0.1)),
        thing("book_1", 6.7, 2.0, 0.0, (0.15, 0.2, 0.03)),
        thing("door_1", 0.0, 5.0, 0.0, (1.4, 0.04, 2.0), attributes={"open_share": 1.0}),
        thing("bottle_1", 1.0, 1.0, 0.8, (0.07, 0.07, 0.25), carried=True),
    ),
    frame="map",
)


def test_places_receive_what_the_predicates_say() -> None:
    places = {p.name: p for p in places_of(SCENE, PREDICATES, beside=("pillar_1", "sofa_1"))}
    receives = {n: p.receives for n, p in places.items() if p.receives}
    assert receives == {
        "table_1": "on", "sofa_1": "on", "trash_bin_1": "in", "pillar_1": "beside",
    }  # fmt: skip
    assert not places["cat_1"].receives


def test_the_situation_is_what_was_observed() -> None:
    now = situation_of(SCENE, LIBRARY, obligations_of(parse("F(near(mug_1))", grounded=True)))
    assert now.along == {"bottle_1"}
    assert {f"graspable({n})" for n in ("mug_1", "book_1", "bottle_1")} <= set(map(str, now.facts))
    assert Atom("on", ("mug_1", "table_1")) in now.facts
    beside = ("book_1", "trash_bin_1")
    assert Atom("placed", beside) in now.facts and Atom("in", beside) not in now.facts


def test_what_lies_beside_is_placed_but_not_in() -> None:
    flat = Flat.of(GRID, places_of(SCENE, PREDICATES), DOMAIN)
    task = parse("F(placed(book_1, trash_bin_1)) & F(in(book_1, trash_bin_1))", grounded=True)
    now = situation_of(SCENE, LIBRARY, obligations_of(task))
    letter = flat.letter(obligations_of(task).propositions, frozenset(), now)
    assert {p.predicate for p in letter} == {"placed"}


# -- ways ------------------------------------------------------------------------------------


def test_a_way_ends_in_the_nearest_goal_and_keeps_off_what_is_forbidden_now() -> None:
    task = outset("F(holding(toy)) & G(holding(toy) -> !near(table))")
    goals = np.array([[8.52, 3.47], [9.0, 7.0], [50.0, 0.0]])
    free = Ways(task, (1.10, 0.50)).way((1.02, 3.49), goals)
    assert free is not None
    assert free[0] == pytest.approx((1.02, 3.49))
    assert free[-1] == pytest.approx((8.52, 3.47))
    assert np.linalg.norm(np.diff(free, axis=0), axis=1).sum() < 7.55
    states = task.task.step(task.begin(frozenset()), frozenset(parse_props("holding(toy)")))
    carrying = replace(task, situation=held("toy"), states=states)
    around = Ways(carrying, (1.10, 0.50)).way((1.02, 3.49), goals)
    assert around is not None
    points = spread(around, 200)
    table = FLAT.place("table").footprint
    assert table.distance_m(points[:, 0], points[:, 1]).min() >= 1.15 - 0.075


def parse_props(text: str) -> set:
    return {parse(text, grounded=True)}


def test_there_is_no_way_into_what_is_forbidden_or_off_the_map() -> None:
    ways = Ways(outset("G(!near(table))"), (1.10, 0.50))
    assert ways.way((1.0, 1.0), np.array([[5.0, 2.2], [-4.0, 0.0]])) is None
    assert ways.way((-1.0, 1.0), np.array([[2.0, 2.0]])) is None
    assert ways.way((1.0, 1.0), np.array([[2.0, 2.0]])) is not None
