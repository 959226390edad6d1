"""What the executor observes: waits end by the wall clock, silence is noticed, nodes are named."""

from __future__ import annotations

import threading
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest
from rclpy.node import Node
from rosgraph_msgs.msg import Clock
from sayso_ros.msg import Scene
from sensor_msgs.msg import JointState, LaserScan

from sayso.core.errors import Code, SaySoError
from sayso.robots.kinematics import ArmKinematics
from sayso.robots.loading import load_robot
from sayso.ros.messages.conversions import header, time_to_msg
from sayso.ros.messages.qos import NEWEST
from sayso.ros.robot.laser import ranges_of
from sayso.ros.robot.senses import RosSenses
from sayso.ros.runtime.liveliness import Parts, SignOfLife
from support.ros_graph import WAIT_S

TICK_S = 0.02

PANDA = load_robot("panda")


class Observer(Node):
    def __init__(self, **kwargs) -> None:
        super().__init__("observer", **kwargs)
        self.senses = RosSenses(self, PANDA, ArmKinematics(PANDA))


APART = ("arm/joint_states", "hand/joint_states")


class ObserverOfParts(Node):
    """Of a robot whose arm and hand tell their joints on topics of their own."""

    def __init__(self, **kwargs) -> None:
        super().__init__("observer", **kwargs)
        robot = replace(PANDA, drivers=replace(PANDA.drivers, joint_states=APART))
        self.senses = RosSenses(self, robot, ArmKinematics(robot))


class Perception(Node):
    def __init__(self, **kwargs) -> None:
        super().__init__("perception", **kwargs)
        self.life = SignOfLife(self)


class Ticking:
    """A simulated clock and joints that are told all the time; the clock can be set."""

    def __init__(self, graph) -> None:
        self.time_s = 100.0
        self.still = False
        self._clock = graph.tester.create_publisher(Clock, "/clock", 10)
        self._joints = graph.tester.create_publisher(JointState, "/joint_states", 10)
        graph.tester.create_timer(TICK_S, self._tick)

    def _tick(self) -> None:
        self.time_s += 0.0 if self.still else TICK_S
        self._clock.publish(Clock(clock=time_to_msg(self.time_s)))
        names = [*PANDA.joint_names, PANDA.finger_names[0]]
        stamp = header(self.time_s)
        self._joints.publish(JointState(header=stamp, name=names, position=[*PANDA.home, 0.04]))


@pytest.fixture
def ticking(graph):
    return Ticking(graph)


@pytest.fixture
def senses(graph, ticking):
    senses = graph.add(Observer, use_sim_time=True).senses
    senses.wait_for_robot(WAIT_S)
    graph.wait_until(lambda: senses.now_s() > 100.0, "the clock is heard")
    return senses


@pytest.mark.parametrize("jumps", [(1e4, 100.0), (100.0 - 50.0,), (1e4,)])
def test_a_wait_survives_jumps_of_the_clock(graph, senses, ticking, jumps):
    began = threading.Event()

    def wait():
        began.set()
        senses.wait(0.5)

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(wait)
        assert began.wait(WAIT_S)
        for time_s in jumps:
            ticking.time_s = time_s
            graph.wait_until(lambda: abs(senses.now_s() - ticking.time_s) < 1.0, "it jumped")
        waiting.result(WAIT_S)


def test_a_clock_that_stands_still_ends_a_wait(senses, ticking):
    ticking.still = True
    with pytest.raises(SaySoError, match="time stands still") as error:
        senses.wait(0.05)
    assert error.value.code is Code.STALE


def test_a_wait_for_a_scene_ends_with_a_stop_whatever_the_clock(senses, ticking):
    def stopped():
        raise SaySoError(Code.STOPPED, "the robot was stopped.")

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(senses.scene_after, 1e6, WAIT_S)
        ticking.time_s = 1e4
        senses.interrupt(stopped)
        with pytest.raises(SaySoError, match="STOPPED"):
            waiting.result(WAIT_S)


def test_two_missed_messages_are_silence(graph, senses):
    assert "yet" in senses.unheard("scene", 0.25)
    scenes = graph.publisher(Scene, "/scene", NEWEST)
    scenes.publish(Scene(header=header(100.0)))
    graph.wait_until(lambda: senses.unheard("scene", 0.25) is None, "the scene is heard")
    graph.wait_until(lambda: senses.unheard("scene", 0.25) is not None, "its silence is noticed")
    assert "nothing came on /scene for" in senses.unheard("scene", 0.25)
    assert senses.unheard("joint_states", 0.3) is None


def test_arm_and_hand_may_tell_their_joints_apart(graph):
    senses = graph.add(ObserverOfParts).senses
    arm, hand = (graph.publisher(JointState, f"/{topic}") for topic in APART)
    hand_told = threading.Event()
    hand_told.set()

    def tell() -> None:
        stamp = header(senses.now_s())
        arm.publish(JointState(header=stamp, name=PANDA.joint_names, position=PANDA.home))
        if hand_told.is_set():
            fingers = list(PANDA.finger_names)
            hand.publish(JointState(header=stamp, name=fingers, position=[0.03, 0.03]))

    graph.tester.create_timer(0.02, tell)
    senses.wait_for_robot(WAIT_S)
    assert senses.robot().joint_positions == pytest.approx(PANDA.home)
    assert senses.robot().gripper_width_m == pytest.approx(0.06)
    hand_told.clear()
    graph.wait_until(
        lambda: senses.unheard("joint_states", 0.3) is not None, "the hand's silence is noticed"
    )


def test_a_node_that_ended_is_named_and_its_trouble_told(graph, senses):
    assert senses.parts.ended(("perception", "mapper")) is None  # neither was ever there
    node = graph.add(Perception)
    node.life.tell("camera 'left' is silent: no color")
    graph.wait_until(lambda: bool(senses.parts.trouble(("perception",))), "the trouble is told")
    assert senses.parts.trouble(("perception",)) == (
        "perception says: camera 'left' is silent: no color"
    )
    graph.remove(node)
    with pytest.raises(SaySoError, match="the node 'perception' has ended") as error:
        senses.scene_after(1e6, WAIT_S)
    assert error.value.code is Code.NODE_UNAVAILABLE


def test_beams_of_a_laser():
    def told(*ranges):
        return ranges_of(LaserScan(range_min=0.1, range_max=10.0, ranges=list(ranges)))

    assert told(1.0, np.inf, 20.0) == pytest.approx([1.0, np.inf, np.inf])
    assert told(1.0, -np.inf) == pytest.approx([1.0, 0.1])  # too near to be measured
    assert told(1.0, 2.0, np.nan) == pytest.approx([1.0, 2.0, np.inf])
    with pytest.raises(SaySoError, match="not a number"):
        told(1.0, np.nan, np.nan)


def test_a_node_that_is_heard_lives_whatever_the_middleware_made_of_its_silence(graph) -> None:
    now_s = [0.0]
    parts = Parts(graph.tester, ("perception",), lambda: now_s[0])
    parts._ended_s["perception"] = 0.0
    now_s[0] = 0.2  # what was on its way
    parts.heard("perception")
    assert parts.ended(("perception",)) == "the node 'perception' has ended"
    now_s[0] = 1.0
    parts.heard("perception")
    assert parts.ended(("perception",)) is None
    now_s[0] = 2.5
    parts.heard("perception")
    assert parts.ended(("perception",)) is None
    now_s[0] = 5.0
    assert parts.ended(("perception",)) is not None, "what came late was its last word"


def test_a_node_of_this_process_that_is_first_told_to_be_silent_was_seen(graph) -> None:
    """Of such a node the middleware never says again that it lives."""
    perception = graph.add(Perception)
    Parts(graph.tester, ("perception",))
    graph.wait_until(
        lambda: graph.tester.count_publishers("liveliness/perception") == 1, "it is there"
    )
    late = Parts(graph.tester, ())
    late._changed("perception", SimpleNamespace(alive_count=0, not_alive_count=1))
    assert late.seen("perception") and late.ended(("perception",)) is None
    graph.remove(perception)
    graph.wait_until(lambda: late.gone(0.0) == {"perception"}, "its end is noticed")


def test_a_node_that_came_and_went_between_two_looks_has_ended(graph):
    parts = Parts(graph.tester, ())
    parts._changed("planner", SimpleNamespace(alive_count=0, not_alive_count=1))
    assert not parts.seen("planner")  # it is only about to show that it lives
    parts._changed("planner", SimpleNamespace(alive_count=0, not_alive_count=0))
    assert parts.seen("planner") and parts.ended(("planner",))
