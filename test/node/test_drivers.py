"""Drivers over actions, against stand-ins that keep to the rules of ros2_control's controllers."""

from __future__ import annotations

import json
import queue
import threading
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from ament_index_python.packages import get_package_share_directory
from control_msgs.action import FollowJointTrajectory, GripperCommand
from control_msgs.msg import JointTolerance
from geometry_msgs.msg import Twist, TwistStamped
from rclpy.action import ActionClient
from rclpy.node import Node

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import JointWindow
from sayso.core.scene import RobotState
from sayso.robots.kinematics import ArmKinematics
from sayso.robots.loading import load_robot
from sayso.ros.robot.controllers import (
    GripperController,
    Tolerances,
    TrajectoryController,
    window_from_msg,
)
from sayso.ros.robot.drivers import trajectory_to_msg
from sayso.skills.gate import MotionGate
from sayso.skills.trajectory import MotionLimits, timed
from support.ros_graph import WAIT_S

PANDA = load_robot("panda")
KINEMATICS = ArmKinematics(PANDA)
JOINTS = PANDA.joint_names
HOME = np.array(PANDA.home)
AWAY = HOME + 0.3
FREE = np.full(len(JOINTS), np.inf)
ARM, HAND = "arm_controller/follow_joint_trajectory", "hand_controller/gripper_cmd"


class PlainArm:
    """An arm and hand that are where their commands say, on the steady clock, unless blocked."""

    profile = PANDA

    def __init__(self) -> None:
        self.windows: list[JointWindow] = []
        self.forces: list[float] = []
        self.blocked = False
        self.held = 0
        self.fault: SaySoError | None = None
        self._since_s = 0.0
        self._fingers = (0.0, 0.08, 0.08)  # when, from where, where to

    @property
    def time_s(self) -> float:
        return time.monotonic()

    def stream(self, window: JointWindow) -> None:
        self.windows.append(window)
        self._since_s = self.time_s

    def hold(self) -> None:
        self.held += 1

    def grip(self, width_m: float, force_n: float) -> None:
        self.forces.append(force_n)
        self._fingers = (self.time_s, self.width_m, width_m)

    def hold_grip(self, width_m: float) -> None:
        self._fingers = (self.time_s, width_m, width_m)

    def require_obeyed(self) -> None:
        if self.fault is not None:
            raise self.fault

    @property
    def width_m(self) -> float:
        since_s, start, goal = self._fingers
        way = min(0.1 * (self.time_s - since_s), abs(goal - start))
        wanted = start + np.sign(goal - start) * way
        return float(max(wanted, 0.04) if self.blocked else wanted)

    def joints(self) -> SimpleNamespace:
        gone_s = self.time_s - self._since_s
        arm = HOME
        if self.windows and not self.blocked:
            window = self.windows[-1]
            arm = np.array([np.interp(gone_s, window.times_s, c) for c in window.positions.T])
        moving = abs(self.width_m - self._fingers[2]) > 1e-6 and not self.blocked
        fingers = [PANDA.hand.position(self.width_m)] * 2
        speeds = np.array([0.0] * len(arm) + [0.05 * moving] * 2)
        return SimpleNamespace(positions=np.array([*arm, *fingers]), velocities=speeds)


class Controllers(Node):
    """The controllers of one robot, whose simulation runs on a timer."""

    def __init__(self, tolerances: Tolerances | None = None, **kwargs) -> None:
        super().__init__("controllers", **kwargs)
        self.arm = PlainArm()
        self._commands: queue.SimpleQueue = queue.SimpleQueue()
        put = self._commands.put
        self._both = (
            TrajectoryController(self, ARM, self.arm, put, tolerances),
            GripperController(self, HAND, self.arm, put, tolerance=0.001, stall_s=0.2),
        )
        self.create_timer(0.01, self._step)

    def _step(self) -> None:
        while not self._commands.empty():
            self._commands.get_nowait()()
        for controller in self._both:
            controller.look()


class Commander(Node):
    def __init__(self, **kwargs) -> None:
        super().__init__("commander", **kwargs)

    def driver(self, kind: str, name: str, action: str):
        driver = registry.create(kind, name, node=self, robot=PANDA, channel=action)
        wait = getattr(driver, "_goals", None)
        assert wait is None or wait._client.wait_for_server(WAIT_S)
        return driver


@pytest.fixture
def controllers(graph):
    return graph.add(Controllers)


@pytest.fixture
def arm(graph, controllers):
    return graph.add(Commander).driver("arm_driver", "follow_joint_trajectory", ARM)


@pytest.fixture
def hand(graph, controllers):
    return graph.add(Commander).driver("hand_driver", "gripper_command", HAND)


def ramp(goal: np.ndarray, seconds: float) -> JointWindow:
    times = np.linspace(0.0, seconds, 9)
    return JointWindow(times, HOME + np.outer(times / seconds, goal - HOME))


def where(arm: PlainArm) -> np.ndarray:
    return arm.joints().positions[: len(JOINTS)]


def trouble(driver) -> SaySoError | None:
    try:
        driver.require_obeyed()
    except SaySoError as error:
        return error
    return None


# -- the arm ---------------------------------------------------------------------------------


def test_windows_are_followed_one_in_place_of_the_other(graph, controllers, arm):
    arm.stream(ramp(AWAY, 5.0))
    graph.wait_until(lambda: len(controllers.arm.windows) == 1, "the first goal is accepted")
    arm.stream(ramp(AWAY, 0.3))
    at_goal = lambda: np.allclose(where(controllers.arm), AWAY)  # noqa: E731
    graph.wait_until(at_goal, "the second takes its place")
    graph.wait_until(lambda: not arm._goals.under_way, "the goal ended")
    arm.require_obeyed()  # being replaced is no failure


def test_a_stop_leads_to_where_the_arm_can_rest_and_sends_nothing_empty(graph, controllers, arm):
    arm.hold()  # nothing was sent yet: nothing to stop
    arm.stream(ramp(AWAY, 4.0))
    graph.wait_until(lambda: where(controllers.arm)[0] > HOME[0] + 0.01, "the arm moves")
    arm.hold()
    graph.wait_until(lambda: len(controllers.arm.windows) == 2, "the stop is accepted")
    graph.wait_until(lambda: not arm._goals.under_way, "the arm rests")
    rest = where(controllers.arm)
    assert (rest < AWAY - 0.1).all()
    arm.hold()
    arm.require_obeyed()
    assert len(controllers.arm.windows) == 2, "an arm at rest is sent nothing"


def test_a_rejected_goal_is_told_and_ends_what_was_under_way(graph, controllers, arm):
    arm.stream(ramp(AWAY, 5.0))
    graph.wait_until(lambda: len(controllers.arm.windows) == 1, "the goal is accepted")
    arm._names = [*JOINTS[:-1], "elbow"]
    arm.stream(ramp(AWAY, 0.3))
    graph.wait_until(lambda: trouble(arm) is not None, "the rejection is told")
    assert trouble(arm).code is Code.EXECUTION
    assert "the goal was rejected" in str(trouble(arm))
    graph.wait_until(lambda: controllers.arm.held == 1, "the goal before is cancelled")
    arm.hold()
    assert trouble(arm) is None


def test_a_goal_aborted_for_its_path_says_which_joint(graph):
    tight = Tolerances(path=np.full(len(JOINTS), 0.02), goal=FREE)
    controllers = graph.add(Controllers, tight)
    arm = graph.add(Commander).driver("arm_driver", "follow_joint_trajectory", ARM)
    controllers.arm.blocked = True
    arm.stream(ramp(AWAY, 0.5))
    graph.wait_until(lambda: trouble(arm) is not None, "the abort is told")
    assert "a joint left its path (panda_joint" in str(trouble(arm))
    assert controllers.arm.held == 1


def test_what_the_robot_broke_off_for_is_told_in_its_own_words(graph, controllers, arm):
    arm.stream(ramp(AWAY, 5.0))
    graph.wait_until(lambda: where(controllers.arm)[0] > HOME[0] + 0.01, "the arm moves")
    controllers.arm.fault = SaySoError(Code.STOPPED, "the user stop is pressed.", hint="pull it.")
    graph.wait_until(lambda: trouble(arm) is not None, "the fault is told")
    assert "the user stop is pressed. pull it." in str(trouble(arm))
    assert controllers.arm.held == 1


def test_an_abort_counts_though_a_new_goal_was_sent_meanwhile(graph):
    """Windows follow each other faster than results."""
    tight = Tolerances(path=np.full(len(JOINTS), 0.02), goal=FREE)
    controllers = graph.add(Controllers, tight)
    arm = graph.add(Commander).driver("arm_driver", "follow_joint_trajectory", ARM)
    controllers.arm.blocked = True

    def again() -> bool:
        arm.stream(ramp(AWAY, 0.05))
        return trouble(arm) is not None

    graph.wait_until(again, "the abort is told")
    assert "a joint left its path" in str(trouble(arm))


def test_a_goal_cancelled_by_somebody_else_is_told(graph, controllers, arm):
    arm.stream(ramp(AWAY, 5.0))
    graph.wait_until(lambda: arm._goals._accepted is not None, "the goal is accepted")
    _, handle = arm._goals._accepted
    handle.cancel_goal_async()
    graph.wait_until(lambda: trouble(arm) is not None, "the cancellation is told")
    assert "cancelled by somebody else" in str(trouble(arm))


def test_no_controller_is_told_at_once(graph):
    node = graph.add(Commander)
    arm = registry.create(
        "arm_driver", "follow_joint_trajectory", node=node, robot=PANDA, channel="nobody/follows"
    )
    arm.stream(ramp(AWAY, 0.3))
    graph.wait_until(lambda: trouble(arm) is not None, "it is told")
    assert trouble(arm).code is Code.NODE_UNAVAILABLE
    assert "nobody/follows" in str(trouble(arm))


class Felt:
    """What the gate senses of a plain arm (`skills.senses.Senses`)."""

    def __init__(self, arm: PlainArm) -> None:
        self._arm = arm

    def robot(self) -> RobotState:
        joints = where(self._arm)
        tool = KINEMATICS.forward(joints)
        return RobotState(self.now_s(), tuple(map(float, joints)), self._arm.width_m, tool)

    def now_s(self) -> float:
        return self._arm.time_s

    def wait(self, duration_s: float) -> None:
        threading.Event().wait(duration_s)


def test_a_motion_ends_with_the_controllers_own_words(graph):
    """Long before the gate itself would notice that the arm does not follow."""
    tight = Tolerances(path=np.full(len(JOINTS), 0.02), goal=FREE)
    controllers = graph.add(Controllers, tight)
    driver = graph.add(Commander).driver("arm_driver", "follow_joint_trajectory", ARM)
    controllers.arm.blocked = True
    gate = MotionGate(driver, KINEMATICS, PANDA.gate_limits())
    gate.authorise(())
    limits = MotionLimits(PANDA.velocity_limits * 0.2, PANDA.acceleration_limits * 0.2)
    motion = timed(np.array([HOME, HOME + 0.2]), limits)
    with pytest.raises(SaySoError, match="a joint left its path") as error:
        gate.follow(motion, Felt(controllers.arm))
    assert error.value.code is Code.EXECUTION
    assert gate.last_refusal is error.value


def test_a_stop_in_the_middle_of_a_motion_brings_the_arm_to_rest(graph, controllers, arm):
    gate = MotionGate(arm, KINEMATICS, PANDA.gate_limits())
    gate.authorise(())
    limits = MotionLimits(PANDA.velocity_limits * 0.05, PANDA.acceleration_limits * 0.2)
    motion = timed(np.array([HOME, HOME + 0.3]), limits)

    def stop() -> None:
        graph.wait_until(lambda: where(controllers.arm)[0] > HOME[0] + 0.02, "the arm moves")
        gate.stop("a person said so")

    stopping = threading.Thread(target=stop)
    stopping.start()
    with pytest.raises(SaySoError, match="a person said so") as error:
        gate.follow(motion, Felt(controllers.arm))
    stopping.join(WAIT_S)
    assert error.value.code is Code.STOPPED
    graph.wait_until(lambda: not arm._goals.under_way, "the arm rests")
    rest = where(controllers.arm)
    assert (rest > HOME).all() and (rest < HOME + 0.28).all()
    assert controllers.arm.windows[-1].times_s[-1] < 0.4, "it was sent to where it could rest"


@pytest.mark.parametrize(
    ("change", "why"),
    [
        (lambda m: m.points.clear(), "empty"),
        (lambda m: setattr(m.points[-1], "effort", [1.0] * 7), "efforts"),
        (lambda m: m.joint_names.pop(), "names the joints"),
        (lambda m: setattr(m.points[0], "positions", [0.0]), "one position for each"),
        (lambda m: setattr(m.points[0], "velocities", [0.0]), "one velocity for each"),
        (lambda m: setattr(m.points[-1], "velocities", [0.1] * 7), "end at rest"),
        (lambda m: m.points.reverse(), "times do not increase"),
    ],
)
def test_the_stand_in_refuses_what_the_controller_refuses(change, why):
    window = ramp(AWAY, 0.3)
    message = trajectory_to_msg(JOINTS, window.times_s, window.positions)
    change(message)
    with pytest.raises(SaySoError, match=why):
        window_from_msg(message, JOINTS)


def test_joints_are_told_apart_by_name():
    window = ramp(AWAY + np.arange(7) * 0.01, 0.3)
    message = trajectory_to_msg(JOINTS[::-1], window.times_s, window.positions[:, ::-1])
    assert window_from_msg(message, JOINTS).positions == pytest.approx(window.positions)


@pytest.mark.parametrize(("asked", "ends"), [(0.5, "succeeds"), (0.01, "is aborted")])
def test_the_goals_own_tolerances_count(graph, controllers, asked, ends):
    """Of a goal that the blocked arm cannot reach; its time is up 0.1 s after its end."""
    client = ActionClient(graph.add(Commander), FollowJointTrajectory, ARM)
    assert client.wait_for_server(WAIT_S)
    controllers.arm.blocked = True
    message = trajectory_to_msg(JOINTS, np.array([0.1]), AWAY[None])
    goal = FollowJointTrajectory.Goal(trajectory=message)
    goal.goal_tolerance = [JointTolerance(name=name, position=asked) for name in JOINTS]
    goal.goal_time_tolerance.nanosec = 10**8
    result = _result_of(client, goal)
    assert result.error_code == (0 if ends == "succeeds" else result.GOAL_TOLERANCE_VIOLATED)


def _result_of(client: ActionClient, goal: FollowJointTrajectory.Goal):
    done, results = threading.Event(), []

    def take(future) -> None:
        results.append(future.result().result)
        done.set()

    def accepted(future) -> None:
        future.result().get_result_async().add_done_callback(take)

    client.send_goal_async(goal).add_done_callback(accepted)
    assert done.wait(WAIT_S)
    return results[0]


# -- the hand --------------------------------------------------------------------------------


def test_a_grip_carries_its_force_and_comes_to_its_width(graph, controllers, hand):
    hand.grip(0.03, 25.0)
    graph.wait_until(lambda: not hand._goals.under_way, "the grip ended")
    assert controllers.arm.width_m == pytest.approx(0.03, abs=2e-3)
    assert controllers.arm.forces == [25.0]
    hand.require_obeyed()


def test_fingers_that_stall_on_a_thing_are_no_failure(graph, controllers, hand):
    controllers.arm.blocked = True
    hand.grip(0.0, 25.0)
    graph.wait_until(lambda: not hand._goals.under_way, "the grip ended")
    hand.require_obeyed()
    hand.hold_grip(0.04)  # they press on: nothing moves that could be stopped
    assert controllers.arm.forces == [25.0]


def test_fingers_that_the_robot_moves_no_more_hold_nothing(graph, controllers, hand):
    controllers.arm.blocked = True
    controllers.arm.fault = SaySoError(Code.STOPPED, "the e-stop is pressed.")
    hand.grip(0.0, 25.0)
    graph.wait_until(lambda: trouble(hand) is not None, "the fault is told")
    assert "neither stalled nor there" in str(trouble(hand))


def test_moving_fingers_are_stopped_on_their_way(graph, controllers, hand):
    hand.grip(0.0, 25.0)
    graph.wait_until(lambda: controllers.arm.width_m < 0.07, "the fingers move")
    hand.hold_grip(controllers.arm.width_m)
    graph.wait_until(lambda: not hand._goals.under_way, "the goal is cancelled")
    assert controllers.arm.width_m > 0.0
    hand.require_obeyed()


# -- the base, and the definitions -----------------------------------------------------------


@pytest.mark.parametrize(("name", "kind"), [("twist", Twist), ("twist_stamped", TwistStamped)])
def test_a_base_is_driven_and_halted(graph, name, kind):
    inbox = graph.listen(kind, "/wheels/cmd_vel")
    node = graph.add(Commander)
    base = registry.create("base_driver", name, node=node, channel="wheels/cmd_vel")
    graph.wait_until(lambda: node.count_subscribers("/wheels/cmd_vel") > 0, "somebody listens")
    base.drive(0.4, 0.1, -0.2)
    inbox.wait(lambda m: _speed(m) == pytest.approx((0.4, 0.1, -0.2)))
    base.halt()
    inbox.wait(lambda m: _speed(m) == (0.0, 0.0, 0.0))
    if kind is TwistStamped:
        assert inbox.messages[-1].header.frame_id == "base_link"
        assert inbox.messages[-1].header.stamp.sec > 0


def _speed(message) -> tuple[float, float, float]:
    twist = getattr(message, "twist", message)
    return twist.linear.x, twist.linear.y, twist.angular.z


PUBLISHED_HASHES = {
    "FollowJointTrajectory": {
        "": "738ebcb7a2d7cfa42f9f1001cc99ce3a4383d1cfe508015d9be8485e4b1c66f6",
        "_Goal": "8a9060704b269608f5a340934cc26e66869dd14bdac29e2e7fd9ec8b9882d205",
        "_Result": "8002e99ed2c14c6faa522f2a93c26d744c5982f254f9e98ff9c6f19789bdb220",
        "_Feedback": "3fd0aaecf71725121ae1ff7f01098a5e0da581e672be18a6b2c286cb43d96b49",
        "_SendGoal": "b13789dddc325a7a962825c45e28c77d37237ec129dd0c34dc5994562938c57f",
        "_GetResult": "e3ceb38e3e1867c8dc0f46014df26e90eb93422f27e9e97f936e07f94be4bc8b",
    },
    "GripperCommand": {
        "": "e17c0e644eccf14bea84a0a93e0977182872c2eb7873ca6694900059b46dbc84",
        "_Goal": "607d9f41eb241e1922e90f02125e87ae6bfb78f7f64a71dc92630263d01f8b6d",
        "_Result": "bf512d5aa6a0e4fe4d8be22b2ec4a1973c3d250fa1f65e47450322c25c45c0a0",
        "_Feedback": "8f7c520077bab528bb9161ee3b83c81eee1f8aecadb8922ce82c79d667a819c4",
        "_SendGoal": "6bf8cc4ce80cd499e7dd3258c03c50c3fa6672b469ff8355339ef1df77fcd212",
        "_GetResult": "7e60a7606063d4a2728d21badac099e68b734a196ac3ab42d1d4c668eb0bb3cd",
    },
}
"""RIHS01, from the files that rosidl generated in a build of control_msgs itself."""


@pytest.mark.parametrize("action", [FollowJointTrajectory, GripperCommand])
def test_the_actions_are_those_of_control_msgs(action):
    name = action.__name__
    share = Path(get_package_share_directory("control_msgs"))
    told = json.loads((share / "action" / f"{name}.json").read_text())["type_hashes"]
    hashes = {entry["type_name"]: entry["hash_string"] for entry in told}
    for part, published in PUBLISHED_HASHES[name].items():
        assert hashes[f"control_msgs/action/{name}{part}"] == f"RIHS01_{published}"
