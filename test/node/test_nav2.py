"""Nav2 leads the base through the gate, against a stand-in of its nodes on real ROS 2."""

from __future__ import annotations

import math
import threading
from functools import partial

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.skills.conditions import Condition
from sayso.skills.driving import DriveLimits
from sayso.skills.gate import MotionGate
from sayso.skills.poses import upright, yaw_of
from support.still_arm import StillKinematics
from support.still_base import StillBase

pytest.importorskip("nav2_msgs", reason="Nav2's interfaces are not built: ./check extras")

from geometry_msgs.msg import PoseStamped
from nav2_msgs.action import NavigateToPose
from rclpy.action import ActionClient

from sayso.ros.messages.conversions import header, pose_to_msg
from sayso.ros.runtime.libraries import load_library
from sayso.ros.task.robots import RobotParts, robot_of
from support.nav2_double import COMMANDS, Nav2Double
from support.ros_graph import WAIT_S, Graph

GOAL = upright((1.2, 0.4, 0.0), 0.5)


class Base(StillBase):
    """A base on the steady clock, which waits as long as it says."""

    def __init__(self) -> None:
        super().__init__()
        self._never = threading.Event()

    def wait(self, duration_s: float) -> None:
        self._never.wait(duration_s)
        super().wait(duration_s)


@pytest.fixture
def base():
    return Base()


@pytest.fixture
def gate(base):
    return MotionGate(base, StillKinematics(), base=base, drive_limits=DriveLimits())


@pytest.fixture(params=["nav2", "nav2_stamped"])
def kind(request):
    return request.param


@pytest.fixture
def double(graph: Graph, base):
    return graph.add(lambda **kw: Nav2Double(lambda: base.pose, **kw))


@pytest.fixture
def nav2(graph: Graph, double):
    return connected(graph, "nav2")


def connected(graph: Graph, kind: str):
    navigator = registry.create("navigator", kind, node=graph.tester)
    client = ActionClient(graph.tester, NavigateToPose, "navigate_to_pose")
    assert client.wait_for_server(timeout_sec=WAIT_S)
    graph.wait_until(lambda: graph.tester.count_publishers(COMMANDS) > 0, "it commands")
    graph.wait_until(navigator._goals._client.server_is_ready, "Nav2 is known")
    return navigator


def refused(gate, base, navigator, **options) -> SaySoError:
    gate.authorise(options.pop("conditions", ()))
    with pytest.raises(SaySoError) as error:
        gate.navigate(navigator, GOAL, base, **options)
    assert base.log[-1] == "halt"
    return error.value


def test_nav2_leads_the_base_to_the_goal(graph: Graph, base, gate, kind):
    double = graph.add(lambda **kw: Nav2Double(lambda: base.pose, kind == "nav2_stamped", **kw))
    navigator = connected(graph, kind)
    with gate.authorised(()):
        gate.navigate(navigator, GOAL, base)
    assert double.ended == ["succeed"]
    (goal,) = double.goals
    assert np.allclose(goal.position, GOAL.position)
    assert yaw_of(goal) == pytest.approx(yaw_of(GOAL))
    assert math.dist(base.place[:2], GOAL.position[:2]) < 0.3
    base.wait(0.5)
    assert base.speed_m_s == 0.0


def test_what_nav2_commands_goes_nowhere_but_to_the_gate(graph: Graph, base, gate, nav2):
    with gate.authorised(()):
        gate.navigate(nav2, GOAL, base)
    names = {n for n, _ in graph.tester.get_topic_names_and_types()}
    assert f"/{COMMANDS}" in names and "/cmd_vel" not in names


def driven(base, way_m: float = 0.2):
    """Whether it drove so far by now."""
    return lambda: math.hypot(*base.place[:2]) > way_m


def test_a_cancelled_leg_is_cancelled_in_nav2(graph: Graph, base, gate, nav2, double):
    assert refused(gate, base, nav2, cancelled=driven(base)).code is Code.CANCELLED
    graph.wait_until(lambda: double.ended == ["canceled"], "Nav2 gives up")


def test_a_stop_is_one_for_nav2_too(graph: Graph, base, gate, nav2, double):
    base.at_step = lambda _: gate.stop("now") if driven(base)() else None
    assert refused(gate, base, nav2).code is Code.STOPPED
    graph.wait_until(lambda: double.ended == ["canceled"], "Nav2 gives up")


def test_what_the_gate_refuses_nav2_gives_up(graph: Graph, base, gate, nav2, double):
    def fence(request):
        return "too far" if request.predicted.base.position[0] > 0.8 else None

    error = refused(gate, base, nav2, conditions=[Condition("fence", fence)])
    assert error.code is Code.VETO
    graph.wait_until(lambda: double.ended == ["canceled"], "Nav2 gives up")
    base.wait(1.0)
    assert base.place[0] <= 0.8


@pytest.mark.parametrize(
    ("number", "code", "said"),
    [
        (105, Code.EXECUTION, "FAILED_TO_MAKE_PROGRESS (105)"),
        (106, Code.EXECUTION, "NO_VALID_CONTROL (106)"),
        (206, Code.UNREACHABLE, "GOAL_OCCUPIED (206)"),
        (208, Code.UNREACHABLE, "NO_VALID_PATH (208)"),
        (201, Code.CONFIG, "INVALID_PLANNER (201)"),
        (202, Code.STALE, "the planner: TF_ERROR (202)"),
        (9001, Code.CONFIG, "FAILED_TO_LOAD_BEHAVIOR_TREE (9001)"),
        (42, Code.EXECUTION, "an error of its own (42)"),
        (0, Code.EXECUTION, "no reason is told"),
    ],
)
def test_what_nav2_gave_up_for_is_named(base, gate, nav2, double, number, code, said):
    double.fails = lambda: (number, "so it says.") if driven(base)() else None
    error = refused(gate, base, nav2)
    assert error.code is code
    assert f"{said}: so it says." in error.message
    assert "navigate_to_pose" in error.message and "navigator" in error.hint


def test_without_nav2_nothing_drives(graph: Graph, base, gate):
    navigator = registry.create("navigator", "nav2", node=graph.tester)
    error = refused(gate, base, navigator)
    assert error.code is Code.NODE_UNAVAILABLE
    assert "no node offers" in error.message and "Nav2" in error.hint
    assert "drive" not in base.log


def test_a_nav2_that_is_not_active_takes_no_goal(base, gate, nav2, double):
    double.active = False
    error = refused(gate, base, nav2)
    assert error.code is Code.EXECUTION and "rejected" in error.message
    assert "active" in error.hint
    assert "drive" not in base.log


def test_the_base_rests_while_nav2_commands_nothing_and_then_goes_on(base, gate, nav2, double):
    """Commands stop without a last zero: the newest one is not driven by any longer."""
    rested = []

    def at_step(time_s):
        rested.append(base.speed_m_s == 0.0 and driven(base)())
        double.silent = driven(base)() and sum(rested) < 10
        if driven(base, 3.0)():
            gate.stop("it drives on by its last command")

    base.at_step = at_step
    with gate.authorised(()):
        gate.navigate(nav2, GOAL, base)
    assert sum(rested) >= 10, "it did not rest"
    assert double.ended == ["succeed"]


def test_a_nav2_that_stays_silent_is_given_up(graph: Graph, base, nav2, double):
    gate = MotionGate(base, StillKinematics(), base=base, drive_limits=DriveLimits(silent_s=1.0))
    double.planned.clear()
    error = refused(gate, base, nav2)
    assert error.code is Code.EXECUTION and "no command came" in error.message
    assert "drive" not in base.log
    graph.wait_until(lambda: double.ended == ["canceled"], "Nav2 gives up")


def test_commands_that_are_stamped_long_ago_drive_nothing(graph: Graph, base):
    double = graph.add(lambda **kw: Nav2Double(lambda: base.pose, stamped=True, **kw))
    navigator = connected(graph, "nav2_stamped")
    double.planned.clear()
    navigator.begin(GOAL)
    double.command((0.5, 0.0, 0.0))
    graph.wait_until(lambda: navigator.command() == (0.5, 0.0, 0.0), "it is heard")
    double.command((0.4, 0.0, 0.0), age_s=2.0)
    graph.wait_until(lambda: navigator.command() is None, "the old one counts as none")
    navigator.end()


def test_a_goal_of_somebody_else_ends_ours(graph: Graph, base, gate, nav2, double):
    """Nav2 has one goal at a time; what it then commands is not driven by."""
    other = ActionClient(graph.tester, NavigateToPose, "navigate_to_pose")
    elsewhere = PoseStamped(header=header(0.0, "map"), pose=pose_to_msg(Pose((-3.0, 0.0, 0.0))))
    asked = []

    def at_step(_):
        if driven(base)() and not asked:
            asked.append(other.send_goal_async(NavigateToPose.Goal(pose=elsewhere)))

    base.at_step = at_step
    error = refused(gate, base, nav2)
    assert error.code is Code.EXECUTION
    base.wait(1.0)
    assert base.place[0] > 0.1


def test_the_executors_parameter_names_it(graph: Graph):
    parts = RobotParts(
        "mobile_panda", "mujoco", "ompl", seed=1, plan_timeout_s=lambda: 5.0, navigator="nav2"
    )
    skills = partial(registry.create, "arm_skill")
    robot = robot_of(graph.tester, parts, load_library("flat"), skills)
    assert robot.mobile is not None and robot.mobile.navigates
    asks = graph.tester.get_client_names_and_types_by_node("tester", "/")
    assert "/navigate_to_pose/_action/send_goal" in dict(asks)
    heard = graph.tester.get_subscriber_names_and_types_by_node("tester", "/")
    assert f"/{COMMANDS}" in dict(heard)


def test_an_unknown_navigator_is_refused_with_the_valid_ones(graph: Graph):
    parts = RobotParts(
        "mobile_panda", "mujoco", "ompl", seed=1, plan_timeout_s=lambda: 5.0, navigator="nav3"
    )
    with pytest.raises(SaySoError) as error:
        robot_of(graph.tester, parts, load_library("flat"), partial(registry.create, "arm_skill"))
    assert error.value.code is Code.CONFIG
    assert set(error.value.choices) >= {"own", "nav2", "nav2_stamped"}
