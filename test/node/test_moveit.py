"""MoveIt as motion planner, against a stand-in of its node `move_group` on real ROS 2."""

from __future__ import annotations

from dataclasses import replace
from functools import partial

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Obstacle
from sayso.robots.kinematics import ArmKinematics
from sayso.robots.loading import load_robot
from sayso.skills.poses import downward

pytest.importorskip("moveit_msgs", reason="MoveIt's interfaces are not built: ./check extras")

from moveit_msgs.msg import MoveItErrorCodes

from sayso.ros.robot import moveit as adapter
from sayso.ros.runtime.libraries import load_library
from sayso.ros.task.robots import RobotParts, robot_of
from support.moveit_double import moveit, planned, refused
from support.ros_graph import Graph

PANDA = load_robot("panda")
KINEMATICS = ArmKinematics(PANDA)
TABLE = Obstacle("the table", "box", Pose((0.5, 0.0, -0.05)), (1.4, 2.0, 0.1), 0.003)
POST = Obstacle("post", "cylinder", Pose((0.5, 0.0, 0.1)), (0.06, 0.06, 0.2), 0.02)
CUP = Obstacle("cup", "cylinder", Pose((0.0, 0.0, 0.02)), (0.06, 0.06, 0.08))


def above(x: float, y: float, z: float = 0.12) -> np.ndarray:
    return KINEMATICS.inverse(downward(np.array([x, y, z]), 0.0), KINEMATICS.home)


ENDS = (above(0.45, -0.25), above(0.45, 0.2))


@pytest.fixture(scope="module")
def both():
    with moveit(PANDA) as (planner, double):
        yield planner, double


@pytest.fixture
def planner(both):
    return both[0]


@pytest.fixture
def double(both):
    double = both[1]
    double.asked, double.knows, double.answers = [], [], None
    return double


def refusal(planner, *args, **kwargs) -> SaySoError:
    with pytest.raises(SaySoError) as error:
        planner.plan(*args, **kwargs)
    return error.value


def test_moveit_is_asked_to_plan_and_never_to_move(planner, double):
    planner.plan(*ENDS, [TABLE, POST], held=CUP, timeout_s=2.0)
    (asked,) = double.asked
    options, request = asked.planning_options, asked.request
    assert options.plan_only and not options.replan and not options.look_around
    assert (request.group_name, request.allowed_planning_time) == ("panda_arm", 2.0)
    table, post = options.planning_scene_diff.world.collision_objects
    assert table.id.startswith("the table") and post.id.startswith("post")
    assert post.primitives[0].dimensions[1] == pytest.approx(0.03 + 0.02 + 0.005)
    (cup,) = options.planning_scene_diff.robot_state.attached_collision_objects
    assert cup.link_name == "panda_hand"
    assert {"panda_hand", "panda_leftfinger", "panda_rightfinger"} <= set(cup.touch_links)


def test_a_scene_of_moveits_own_is_kept_off_as_well(planner, double):
    path = planner.plan(*ENDS, [TABLE])
    assert len(path) == 2
    double.knows = [replace(POST, size=(0.1, 0.1, 0.6), pose=Pose((0.45, 0.0, 0.3)))]
    assert len(planner.plan(*ENDS, [TABLE])) > 2


def test_where_only_moveit_knows_why_not_it_says_so(planner, double):
    double.answers = lambda _: refused(MoveItErrorCodes.PLANNING_FAILED)
    error = refusal(planner, *ENDS, [TABLE])
    assert error.code is Code.UNREACHABLE
    assert "PLANNING_FAILED" in error.message and "nothing that is seen" in error.message


def test_a_way_into_what_is_seen_is_refused_with_its_name(planner, double):
    double.answers = lambda _: planned(PANDA, np.array(ENDS))
    error = refusal(planner, *ENDS, [TABLE, replace(POST, pose=Pose((0.5, 0.0, 0.2)))])
    assert error.code is Code.UNREACHABLE
    assert "too near to post" in error.message


@pytest.mark.parametrize(
    ("points", "said"),
    [
        (lambda a, b: [a + 0.1, b], "begins or ends"),
        (lambda a, b: [a, b - 0.1], "begins or ends"),
        (lambda a, b: [a, np.full(7, np.nan), b], "not a number"),
    ],
)
def test_a_way_that_is_none_from_here_is_refused(planner, double, points, said):
    double.answers = lambda _: planned(PANDA, np.array(points(*ENDS)))
    error = refusal(planner, *ENDS, [TABLE])
    assert error.code is Code.EXECUTION
    assert said in error.message


def test_a_way_of_another_arm_is_refused(planner, double):
    double.answers = lambda _: planned(load_robot("fr3"), np.array(ENDS))
    error = refusal(planner, *ENDS, [TABLE])
    assert error.code is Code.EXECUTION
    assert "joints" in error.message


@pytest.mark.parametrize("code", ["INVALID_GROUP_NAME", "FRAME_TRANSFORM_FAILURE"])
def test_what_is_set_up_wrongly_is_told_in_moveits_words(planner, double, code):
    double.answers = lambda _: refused(getattr(MoveItErrorCodes, code))
    error = refusal(planner, *ENDS, [TABLE])
    assert error.code is Code.CONFIG
    assert code in error.message and "panda_arm" in error.message


def test_a_start_beside_something_is_left_though_moveit_lets_nothing_touch(planner, double):
    beside = Obstacle("beside", "box", Pose((0.45, -0.115, 0.06)), (0.05, 0.05, 0.12), 0.05)
    path = planner.plan(above(0.45, -0.2, 0.06), above(0.45, -0.3, 0.3), [TABLE, beside])
    assert len(path) >= 2


def test_a_robot_without_a_group_is_refused_with_what_to_do(graph: Graph):
    with pytest.raises(SaySoError) as error:
        adapter.MoveItMotionPlanner(graph.tester, replace(PANDA, moveit_group=""))
    assert error.value.code is Code.CONFIG
    assert "moveit_group" in error.value.message


def test_the_executors_parameter_names_it(graph: Graph):
    """A made robot has a planner that asks over the executor's own node."""
    parts = RobotParts("panda", "mujoco", "moveit", seed=1, plan_timeout_s=lambda: 5.0)
    skills = partial(registry.create, "arm_skill")
    robot = robot_of(graph.tester, parts, load_library("tabletop"), skills)
    assert robot.arm is not None
    asks = graph.tester.get_client_names_and_types_by_node("tester", "/")
    assert "/move_action/_action/send_goal" in dict(asks)


def test_without_moveit_nothing_is_planned(graph: Graph, monkeypatch):
    monkeypatch.setattr("sayso.ros.runtime.calls.APPEAR_TIMEOUT_S", 0.2)
    error = refusal(adapter.MoveItMotionPlanner(graph.tester, PANDA), *ENDS, [TABLE])
    assert error.code is Code.NODE_UNAVAILABLE
