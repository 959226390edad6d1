"""Where a navigator may lead: where the task is no worse off, however it goes around the way."""

from __future__ import annotations

import math
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from sayso.core.geometry import Pose
from sayso.core.library import builtin_path, load
from sayso.core.predicates import symbolic_state
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.logic.monitor import Monitor
from sayso.logic.progression import Progression
from sayso.logic.text import parse
from sayso.mission.gate_conditions import stands_free, stays_around
from sayso.mission.laser_obstacles import Sweep
from sayso.mission.tour_execution import FREE_M, LED_M, TourExecution
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.tour import plan_tour
from sayso.skills.conditions import Request
from sayso.skills.poses import upright

LIBRARY = load(builtin_path("flat"))
FOOTPRINT_M = (1.1, 0.5)
SIZE = (0.8, 1.6, 0.8)
SOFA = SceneObject("sofa", "sofa", "red", (0.6, 6.0, 0.4), SIZE, last_seen_s=10.0)
SINK = SceneObject("sink", "sink", "white", (11.4, 6.0, 0.4), SIZE, last_seen_s=10.0)
CAT = SceneObject(
    "cat", "cat", "orange", (8.0, 6.0, 0.15), (0.4, 0.2, 0.3), last_seen_s=10.0, living=True
)


def floor(*walls: tuple[slice, slice]) -> OccupancyGrid:
    """12 m by 10 m, with sofa and sink in it, and walls."""
    cells = np.full((200, 240), FREE, np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = OCCUPIED
    for thing in (SOFA, SINK):
        (x, y, _), (dx, dy, _) = thing.position, thing.size
        rows = slice(round((y - dy / 2) / 0.05), round((y + dy / 2) / 0.05))
        cells[rows, round((x - dx / 2) / 0.05) : round((x + dx / 2) / 0.05)] = OCCUPIED
    for rows, columns in walls:
        cells[rows, columns] = OCCUPIED
    return OccupancyGrid(cells)


class Robot:
    """Senses of a robot that stands; what skills are run with is kept."""

    senses = gate = skills = property(lambda self: self)
    footprint_m = FOOTPRINT_M

    def __init__(self, *things: SceneObject, at=(5.0, 6.0), grid: OccupancyGrid | None = None):
        self.things, self.at, self._grid = things, at, grid or floor()

    def scene(self) -> Scene:
        return Scene(10.0, self.things, self.robot(), frame="map")

    def robot(self) -> RobotState:
        return RobotState(10.0, base=Pose((*self.at, 0.0)))

    def now_s(self) -> float:
        return 10.0

    def grid(self) -> OccupancyGrid:
        return self._grid

    def sweep(self) -> Sweep:
        return Sweep(10.0, Pose((*self.at, 0.0)), np.zeros((0, 2)), FOOTPRINT_M)

    @contextmanager
    def authorised(self, conditions):
        self.asked = [c.name for c in conditions]
        yield

    def execute(self, action, *_, route, **__):
        self.route = route
        return ()


def first_leg(text: str, robot: Robot, navigates: bool = True):
    """The route of the first leg of a task."""
    predicates = LIBRARY.predicates
    monitor = Monitor(Progression.of(parse(text, grounded=True)), predicates)
    monitor.follow(symbolic_state(robot.scene(), predicates))
    execution = TourExecution(
        robot, monitor, LIBRARY, lambda *_: None, lambda: (), navigates=navigates
    )
    plan = execution.plan(lambda outset, _: plan_tour(outset), frozenset())
    execution.execute(plan.steps[0].action, 0, lambda _: None)
    return robot.route


LED = {"stays around its way", "room for the base"}


def test_a_leg_that_nothing_is_forbidden_around_is_free():
    robot = Robot(SOFA, SINK, CAT)
    assert first_leg("F(near(sink))", robot).free
    assert set(robot.asked) >= LED


def test_without_a_navigator_no_leg_is_led():
    robot = Robot(SOFA, SINK, CAT)
    assert not first_leg("F(near(sink))", robot, navigates=False).free
    assert not LED & set(robot.asked)


@pytest.mark.parametrize(("away_m", "free"), [(1.3, False), (3.0, False), (3.5, True)])
def test_a_leg_with_something_forbidden_near_it_is_not_free(away_m, free):
    """What is near begins 1.15 m from the cat, and so much more is asked to be free."""
    cat = replace(CAT, position=(3.0, 6.0 - away_m - 0.1, 0.15))
    robot = Robot(SOFA, SINK, cat)
    assert first_leg("F(near(sofa)) & G(!near(cat))", robot).free is free
    assert bool(LED & set(robot.asked)) is free


def test_a_leg_is_not_free_while_what_is_forbidden_may_be_anywhere():
    """A cat that was not seen lately may have gone on; a sofa stays."""
    unseen = replace(CAT, last_seen_s=2.0)
    assert first_leg("F(near(sofa)) & G(!near(cat))", Robot(SOFA, SINK, CAT, at=(3, 6))).free
    assert not first_leg("F(near(sofa)) & G(!near(cat))", Robot(SOFA, SINK, unseen, at=(3, 6))).free
    sink = replace(SINK, last_seen_s=2.0)
    assert first_leg("F(near(sofa)) & G(!near(sink))", Robot(SOFA, sink, CAT, at=(3, 6))).free


def test_a_leg_by_what_must_come_later_is_not_free():
    late = replace(CAT, name="box", category="box", living=False, position=(3.0, 8.2, 0.15))
    text = "F(near(sofa)) & F(near(box)) & (!near(box) U near(sofa))"
    assert not first_leg(text, Robot(SOFA, SINK, late)).free
    assert first_leg("F(near(sofa)) & F(near(box))", Robot(SOFA, SINK, late)).free


def test_a_leg_that_begins_too_near_to_what_is_forbidden_is_not_free():
    cat = replace(CAT, position=(5.0, 7.2, 0.15))
    assert not first_leg("F(near(sofa)) & G(!near(cat))", Robot(SOFA, SINK, cat)).free


def test_a_leg_from_where_the_base_has_no_room_is_not_free():
    beside = (slice(126, 128), slice(90, 110))  # 30 cm beside it
    assert not first_leg("F(near(sofa))", Robot(SOFA, SINK, CAT, grid=floor(beside))).free


def drives(now: tuple[float, float, float], then: tuple[float, float, float]) -> Request:
    poses = (upright((x, y, 0.0), yaw) for x, y, yaw in (now, then))
    return Request("drive", *(RobotState(10.0, base=p) for p in poses))


def test_the_base_is_kept_around_the_way_that_was_checked():
    condition = stays_around(np.array([[0.0, 0.0], [4.0, 0.0], [4.0, 3.0]]), LED_M)
    for place, kept in (((2.0, 0.9), True), ((2.0, -1.1), False), ((4.9, 1.5), True)):
        assert (condition.check(drives((0, 0, 0), (*place, 0.0))) is None) is kept
    assert condition.check(drives((0, 0, 0), (4.8, -0.8, 0.0))) is not None
    assert FREE_M >= LED_M + 1.0, "within this the robot can rest before it does harm"


def test_the_whole_base_is_kept_off_what_stands_there():
    """A base of 1.1 m by 0.5 m fits lengthways beside a wall, and not across."""
    wall = (slice(130, 132), slice(60, 180))  # 6.5 m
    condition = stands_free(lambda: floor(wall), FOOTPRINT_M)
    beside = (5.0, 6.0)
    assert condition.check(drives((4.9, 6.0, 0.0), (*beside, 0.0))) is None
    assert condition.check(drives((4.9, 6.0, 0.0), (*beside, math.pi / 2))) is not None
    assert condition.check(drives((4.9, 6.1, 0.0), (*beside, 0.3))) is None
    assert condition.check(drives((5.0, 6.0, 0.0), (5.0, 6.2, 0.0))) is not None
