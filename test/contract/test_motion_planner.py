"""What every `MotionPlanner` must keep, on every backend."""

import itertools
import time
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.adapters.planners import ompl_motion
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Obstacle
from sayso.robots.loading import load_robot
from sayso.skills.poses import downward

TABLE = Obstacle("the table", "box", Pose((0.5, 0.0, -0.05)), (1.4, 2.0, 0.1), 0.003)
WALL = Obstacle("wall", "box", Pose((0.45, 0.0, 0.15)), (0.4, 0.02, 0.3), 0.02)
POST = Obstacle("post", "cylinder", Pose((0.5, 0.25, 0.1)), (0.06, 0.06, 0.2), 0.02)


@pytest.fixture(scope="module", params=["panda", "fr3", "ur5e"])
def robot(request):
    return load_robot(request.param)


@pytest.fixture(scope="module", params=registry.names("motion_planner"))
def planner(request, robot):
    if request.param != "moveit":
        yield registry.create("motion_planner", request.param, robot=robot)
        return
    pytest.importorskip("moveit_msgs", reason="MoveIt's interfaces are not built: ./check extras")
    from support.moveit_double import moveit

    with moveit(robot) as (planner, _):
        yield planner


@pytest.fixture(scope="module")
def kinematics(robot):
    return registry.create("kinematics", "mujoco", robot=robot)


@pytest.fixture(scope="module")
def ends(kinematics):
    """One configuration on either side of the wall, the hand low."""
    sides = (np.array([0.45, y, 0.12]) for y in (-0.25, 0.2))
    return [kinematics.inverse(downward(p, 0.0), kinematics.home) for p in sides]


def test_an_open_way_is_straight(planner, ends):
    path = planner.plan(*ends, [TABLE])
    assert np.array_equal(path, np.array(ends))


def test_a_wall_is_passed_without_coming_near(planner, ends):
    obstacles = [TABLE, WALL]
    assert planner.blocked(np.array(ends), obstacles) == "wall"
    path = planner.plan(*ends, obstacles)
    assert np.array_equal(path[[0, -1]], np.array(ends))
    nearer = [replace(o, margin_m=o.margin_m - 0.008) for o in obstacles]
    assert planner.blocked(path, nearer) is None


def test_what_is_held_counts_as_part_of_the_hand(planner, ends):
    low = Obstacle("brick", "box", Pose((0.45, 0.0, 0.02)), (0.1, 0.1, 0.04), 0.01)
    plank = Obstacle("plank", "box", Pose((0.0, 0.0, 0.06)), (0.04, 0.04, 0.12))
    path = np.array(ends)
    assert planner.blocked(path, [low]) is None
    assert planner.blocked(path, [low], held=plank) == "brick"


def test_an_occupied_goal_is_unreachable_and_says_by_what(planner, kinematics):
    goal = kinematics.inverse(downward(np.array([0.5, 0.25, 0.1]), 0.0), kinematics.home)
    with pytest.raises(SaySoError) as error:
        planner.plan(kinematics.home, goal, [TABLE, POST])
    assert error.value.code is Code.UNREACHABLE
    assert "post" in error.value.message


def test_a_walled_in_goal_ends_in_time_and_names_the_obstacle(planner, kinematics, ends):
    cage = [
        Obstacle("cage", "box", Pose((0.45 + 0.16 * x, -0.25 + 0.2 * y, 0.35)), size, 0.0)
        for x, y, size in (
            (-1, 0, (0.01, 0.5, 0.9)),
            (1, 0, (0.01, 0.5, 0.9)),
            (0, -1, (0.4, 0.01, 0.9)),
            (0, 1, (0.4, 0.01, 0.9)),
        )
    ]
    with pytest.raises(SaySoError) as error:
        planner.plan(ends[1], ends[0], [TABLE, *cage], timeout_s=0.5)
    assert error.value.code is Code.UNREACHABLE
    assert "cage" in error.value.message


def test_a_start_that_is_too_near_may_be_left_but_not_worsened(planner, kinematics):
    start = kinematics.inverse(downward(np.array([0.45, -0.2, 0.06]), 0.0), kinematics.home)
    beside = Obstacle("beside", "box", Pose((0.45, -0.115, 0.06)), (0.05, 0.05, 0.12), 0.05)
    assert planner.blocked(np.array([start, start]), [beside]) is None
    away = kinematics.inverse(downward(np.array([0.45, -0.3, 0.3]), 0.0), kinematics.home)
    assert len(planner.plan(start, away, [TABLE, beside])) >= 2
    towards = kinematics.inverse(downward(np.array([0.45, -0.18, 0.06]), 0.0), kinematics.home)
    assert planner.blocked(np.array([start, towards]), [beside]) == "beside"


def test_more_obstacles_than_there_is_room_for_are_refused(planner, kinematics):
    crowd = [replace(POST, name=f"post{i}") for i in range(200)]
    with pytest.raises(SaySoError) as error:
        planner.plan(kinematics.home, kinematics.home, crowd)
    assert error.value.code is Code.LIMIT


def test_who_shares_the_processor_finds_what_others_find(ends, robot, monkeypatch):
    """The clock on the wall goes on by a fifth of the time allowed whenever it is read."""
    readings = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: 0.2 * next(readings), thread_time=time.thread_time)
    monkeypatch.setattr(ompl_motion, "time", clock)
    planner = registry.create("motion_planner", "ompl", robot=robot)
    assert len(planner.plan(*ends, [TABLE, WALL], timeout_s=1.0)) > 2


def test_a_search_that_never_gets_the_processor_ends_too(ends, robot, monkeypatch):
    readings = itertools.count()
    clock = SimpleNamespace(monotonic=lambda: 0.5 * next(readings), thread_time=lambda: 0.0)
    monkeypatch.setattr(ompl_motion, "time", clock)
    planner = registry.create("motion_planner", "ompl", robot=robot)
    with pytest.raises(SaySoError) as error:
        planner.plan(ends[1], ends[0], [TABLE, WALL], timeout_s=0.001)
    assert error.value.code is Code.UNREACHABLE
