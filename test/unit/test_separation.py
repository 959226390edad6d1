"""The robot keeps off things by more than what is observed, most of all off those that walk."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.mission.gate_conditions import nobody_in_the_way, with_walkers
from sayso.mission.separation import SeparationMonitor
from sayso.perception.motion import MotionTracks
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.skills.conditions import Request

CAT = SceneObject("cat", "cat", "", (3.0, 0.0, 0.15), (0.4, 0.2, 0.3), living=True)


def at(x: float, y: float = 0.0) -> RobotState:
    return RobotState(base=Pose((x, y, 0.0)))


def scene(stamp_s: float, cat_x: float = 3.0, tracks: MotionTracks | None = None) -> Scene:
    cat = replace(CAT, position=(cat_x, 0.0, 0.15), last_seen_s=stamp_s)
    return Scene(stamp_s, (tracks or MotionTracks()).followed([cat]), frame="map")


def walked(monitor: SeparationMonitor) -> Scene:
    """What was seen last of a cat that walks at half a metre a second."""
    tracks = MotionTracks()
    for i in range(5):
        seen = scene(0.2 * i, 3.0 - 0.1 * i, tracks)
        monitor.observe(seen)
    return seen


def nearest(monitor: SeparationMonitor, seen: Scene, here: float, rest: float) -> float | None:
    """How far the cat would be from where the base comes to rest; None if nothing is imagined."""
    request = Request("drive", at(here), at(rest))
    found = list(monitor.imagined(seen, request, seen.stamp_s))
    return found[0].objects[0].distance_to((rest, 0.0, 0.15)) if found else None


def test_what_stands_is_taken_to_be_a_margin_nearer():
    monitor = SeparationMonitor(["cat"])
    monitor.observe(scene(0.0))
    assert nearest(monitor, scene(0.0), 0.0, 0.5) == pytest.approx(2.3 - 0.08)
    assert not monitor.walking()


def test_what_may_be_farther_off_than_others_is_taken_to_be_as_much_nearer():
    monitor, seen = SeparationMonitor(["cat"]), scene(0.0)
    monitor.observe(seen)
    for off_m, by_m in ((0.05, 0.08), (0.1, 0.08), (0.27, 0.25)):
        doubtful = replace(seen, objects=(replace(seen.objects[0], off_m=off_m),))
        assert nearest(monitor, doubtful, 0.0, 0.5) == pytest.approx(2.3 - by_m)


def test_who_walks_goes_on_while_the_robot_brakes():
    monitor = SeparationMonitor(["cat"])
    seen = walked(monitor)
    assert monitor.walking() == {"cat"}
    away = nearest(monitor, seen, 0.0, 0.5)
    assert away is not None
    assert away == pytest.approx(1.9 - 0.08 - 0.5 * (0.3 + 0.5 / 0.5), abs=0.02)


def test_who_went_on_unseen_is_taken_to_have_gone_on():
    monitor = SeparationMonitor(["cat"])
    later = replace(walked(monitor), stamp_s=2.8)
    monitor.observe(later)
    assert monitor.out_of_sight() == {"cat"}
    assert not monitor.walking()
    away = nearest(monitor, later, 0.0, 0.2)
    assert away == pytest.approx(2.2 - 0.08 - 0.5 * (2.0 + 0.3 + 0.2 / 0.5), abs=0.02)


def test_a_robot_that_goes_away_is_not_held():
    monitor = SeparationMonitor(["cat"])
    monitor.observe(scene(0.0))
    assert nearest(monitor, scene(0.0), 2.0, 1.5) is None


def test_nobody_is_driven_up_to_but_left():
    guard = nobody_in_the_way(lambda: scene(0.0))
    assert guard.check(Request("drive", at(1.9), at(2.3))) is not None
    assert guard.check(Request("drive", at(2.3), at(2.0))) is None
    assert guard.check(Request("drive", at(0.0), at(1.0))) is None


def test_walkers_stand_on_the_floor_that_ways_are_planned_on():
    floor = OccupancyGrid(np.full((20, 100), FREE, np.int8), (0.0, -0.5))
    cells = with_walkers(floor, scene(0.0)).cells
    assert cells[floor.cell_at((3.0, 0.0))] == OCCUPIED
    assert cells[floor.cell_at((1.0, 0.0))] == FREE
    table = replace(scene(0.0), objects=(replace(CAT, category="table", living=False),))
    assert with_walkers(floor, table) is floor
