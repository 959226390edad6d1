"""A task in a flat: what is fulfilled stays fulfilled, rounds go on, legs follow the robot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.library import builtin_path, load
from sayso.core.predicates import symbolic_state
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.logic.monitor import Monitor
from sayso.logic.progression import Progression
from sayso.logic.text import parse
from sayso.mission.tour_planning import TourTask
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.tour import plan_tour

LIBRARY = load(builtin_path("flat"))
PREDICATES = LIBRARY.predicates
SIZE = (0.8, 1.6, 0.8)
THINGS = (
    SceneObject("sofa", "sofa", "red", (0.6, 3.0, 0.4), SIZE),
    SceneObject("sink", "sink", "white", (7.4, 3.0, 0.4), SIZE),
    SceneObject("cat", "cat", "orange", (4.0, 5.2, 0.15), (0.4, 0.2, 0.3), living=True),
)


def floor(*walls: tuple[slice, slice]) -> OccupancyGrid:
    """8 m by 6 m, with the furniture in it, and walls."""
    cells = np.full((120, 160), FREE, np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = OCCUPIED
    for thing in THINGS[:2]:
        (x, y, _), (dx, dy, _) = thing.position, thing.size
        rows = slice(round((y - dy / 2) / 0.05), round((y + dy / 2) / 0.05))
        cells[rows, round((x - dx / 2) / 0.05) : round((x + dx / 2) / 0.05)] = OCCUPIED
    for rows, columns in walls:
        cells[rows, columns] = OCCUPIED
    return OccupancyGrid(cells)


def scene(x: float, y: float, stamp_s: float = 0.0) -> Scene:
    robot = RobotState(stamp_s, base=Pose((x, y, 0.0)))
    return Scene(stamp_s, THINGS, robot, frame="map")


def task_of(text: str, *places: tuple[float, float]) -> TourTask:
    """A task after the robot was seen at places, in turn."""
    monitor = Monitor(Progression.of(parse(text, grounded=True)), PREDICATES)
    for stamp_s, place in enumerate(places):
        monitor.follow(symbolic_state(scene(*place, float(stamp_s)), PREDICATES))
    return TourTask(monitor, LIBRARY, (1.10, 0.50))


def goals(task: TourTask, at: Scene, grid: OccupancyGrid) -> list[tuple[str, ...]]:
    plan = task.plan(at, grid, lambda outset, _: plan_tour(outset))
    return [step.action.args for step in plan.steps]


def test_what_was_fulfilled_is_not_done_again() -> None:
    text = "F(near(sofa)) & F(near(sink)) & G(!near(cat))"
    task = task_of(text, (3.0, 2.0))
    assert goals(task, scene(3.0, 2.0), floor()) == [("sofa",), ("sink",)]
    task = task_of(text, (3.0, 2.0), (1.7, 3.0), (3.0, 2.0))
    assert goals(task, scene(3.0, 2.0), floor()) == [("sink",)]


def test_what_recurs_is_brought_about_once_more_when_all_of_it_was() -> None:
    text = "G(F(near(sofa))) & G(F(near(sink)))"
    task = task_of(text, (3.0, 2.0), (1.7, 3.0), (3.0, 2.0))
    assert task.endless
    assert goals(task, scene(3.0, 2.0), floor()) == [("sink",)]
    task = task_of(text, (3.0, 2.0), (1.7, 3.0), (3.0, 2.0), (6.3, 3.0), (4.0, 2.0))
    assert sorted(goals(task, scene(4.0, 2.0), floor())) == [("sink",), ("sofa",)]


def test_a_round_is_over_when_each_place_was_come_to_anew() -> None:
    sofa, sink, between = (1.7, 3.0), (6.3, 3.0), (4.0, 2.0)
    text = "G(F(near(sofa))) & G(F(near(sink)))"
    assert task_of(text, sofa, between, sink).monitor.rounds == 1
    assert task_of(text, sofa, between, sink, between, sofa, sofa).monitor.rounds == 1
    assert task_of(text, sofa, between, sink, between, sofa, between, sink).monitor.rounds == 2


def test_a_patrol_rests_where_all_its_places_are_near() -> None:
    assert task_of("G(F(near(sofa)))", (1.7, 3.0)).monitor.resting
    assert not task_of("G(F(near(sofa)))", (4.0, 2.0)).monitor.resting
    assert not task_of("G(F(near(sofa))) & G(F(near(sink)))", (1.7, 3.0)).monitor.resting
    assert not task_of("F(near(sofa))", (1.7, 3.0)).monitor.resting
    owing = "G(F(near(sofa))) & {}"
    assert not task_of(owing.format("F(near(sink))"), (1.7, 3.0)).monitor.resting
    assert not task_of(owing.format("G(near(sofa) -> F(near(sink)))"), (1.7, 3.0)).monitor.resting


def test_what_is_unknown_is_taken_to_be_as_it_was() -> None:
    task = task_of("F(near(sink)) & F(near(sofa) & F(near(sink)))", (1.7, 3.0))
    state = symbolic_state(scene(3.0, 2.0, 1.0), PREDICATES)
    before = task.outset(scene(3.0, 2.0), floor()).states
    task.monitor.follow(replace(state, truths={**state.truths, Atom("near", ("sofa",)): None}))
    assert task.outset(scene(3.0, 2.0), floor()).states == before


def test_a_way_begins_where_the_robot_is_and_ends_where_it_was_planned_to() -> None:
    task = task_of("F(near(sink))", (3.0, 2.0))
    task.plan(scene(3.0, 2.0), floor(), lambda outset, _: plan_tour(outset))
    path = task.path(0, scene(2.0, 4.0), floor())
    assert np.allclose(path[0], (2.0, 4.0))
    assert np.allclose(path[-1], task.leg(0).path[-1], atol=0.05)


def test_a_way_that_is_shut_by_now_is_not_driven() -> None:
    task = task_of("F(near(sink))", (3.0, 2.0))
    task.plan(scene(3.0, 2.0), floor(), lambda outset, _: plan_tour(outset))
    with pytest.raises(SaySoError) as caught:
        task.path(0, scene(3.0, 2.0), floor((slice(0, 120), slice(80, 83))))
    assert caught.value.code is Code.UNREACHABLE


def test_a_place_where_putting_down_failed_too_often_is_done_without() -> None:
    task = task_of("F(on(mug, sofa)) | F(in(mug, sink))", (3.0, 2.0))
    mug = SceneObject("mug", "mug", "red", (3.4, 2.0, 0.05), (0.07, 0.07, 0.1))
    now = scene(3.0, 2.0)
    now = replace(now, objects=(*now.objects, mug))
    task.monitor.follow(symbolic_state(replace(now, stamp_s=1.0), PREDICATES))

    def planned(*excluded: tuple[str, str]) -> list[str]:
        failed = [LIBRARY.operators[op].ground("mug", place) for op, place in excluded]
        plan = task.plan(now, floor(), lambda outset, _: plan_tour(outset), failed)
        return [str(step.action) for step in plan.steps]

    assert planned()[-1] == "put_on(mug, sofa)"
    assert planned(("put_on", "sofa"))[-1] == "put_in(mug, sink)"
    with pytest.raises(SaySoError) as caught:
        planned(("put_on", "sofa"), ("put_in", "sink"))
    assert caught.value.code is Code.NO_PLAN


def test_nothing_is_driven_without_a_plan_or_a_place() -> None:
    task = task_of("F(near(sink))", (3.0, 2.0))
    with pytest.raises(SaySoError) as caught:
        task.leg(0)
    assert caught.value.code is Code.GATE_CLOSED
    lost = replace(scene(3.0, 2.0), robot=RobotState())
    with pytest.raises(SaySoError) as caught:
        task.outset(lost, floor())
    assert caught.value.code is Code.STALE
