"""The node `driver` between ROS and a robot that speaks libfranka's protocol."""

from __future__ import annotations

import time
from contextlib import suppress

import numpy as np
import pytest

pytest.importorskip("franky", reason="the extra 'franka' is not installed")
pytest.importorskip("franky_sim", reason="the extra 'franka' is not installed")

from sensor_msgs.msg import JointState
from std_msgs.msg import String
from std_srvs.srv import Trigger

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import JointWindow
from sayso.robots.loading import load_robot
from sayso.ros.messages.qos import SEEN_ALIVE
from sayso.ros.nodes.driver_node import DriverNode
from sayso.ros.robot.drivers import RosArmDriver
from sayso.ros.robot.transforms import TransformListener
from support.libfranka_robot import libfranka_robot
from support.ros_graph import WAIT_S

PROFILE = load_robot("fr3_libfranka")
READY = np.array(PROFILE.ready)
AWAY = READY + np.array([0.4, 0, 0, 0, 0, 0, 0])


@pytest.fixture(scope="module")
def robot():
    with libfranka_robot("127.0.66.2") as robot:
        yield robot


@pytest.fixture
def driven(robot, graph):
    """Commands over the node's actions, and its joint states; the arm is ready."""
    robot.say("reset")
    told = graph.listen(JointState, "/joint_states")
    graph.add(DriverNode, address=robot.address)
    driver = RosArmDriver(graph.tester, PROFILE)
    for channel in (driver._arm, driver._hand):
        assert channel._goals._client.wait_for_server(WAIT_S)
    return driver, told


def to(goal: np.ndarray, seconds: float, start: np.ndarray = READY) -> JointWindow:
    """In pieces, as the gate's windows are."""
    times = np.arange(0.0, seconds + 0.01, 0.05)
    return JointWindow(times, start + np.outer(times / seconds, goal - start))


def near(goal: np.ndarray):
    return lambda m: np.allclose(m.position[:7], goal, atol=0.01)


def broken_off(driver: RosArmDriver) -> SaySoError:
    latest = time.monotonic() + WAIT_S
    while time.monotonic() < latest:
        try:
            driver.require_obeyed()
        except SaySoError as error:
            return error
    pytest.fail("nothing was broken off")


def test_arm_and_hand_move_and_are_told_of(driven, graph) -> None:
    driver, told = driven
    first = told.wait(near(READY))
    assert list(first.name) == [*PROFILE.joint_names, *PROFILE.finger_names]
    driver.stream(to(AWAY, 1.0))
    driver.grip(0.03, 20.0)
    told.wait(lambda m: near(AWAY)(m) and abs(m.position[7] - 0.015) < 0.001)
    frames, tool = TransformListener(graph.tester), PROFILE.frames.tool

    def placed() -> bool:
        with suppress(SaySoError):
            x, y, _ = frames.lookup("world", tool, time.time()).position
            return bool(0.3 < np.hypot(x, y) < 0.8 and y > 0.1)
        return False

    graph.wait_until(placed, "the tool's frame tells that the arm turned")
    told.clear()
    driver.stream(to(READY, 1.0, AWAY))
    told.wait(near(READY))
    driver.require_obeyed()


def test_a_user_stop_is_named_and_recovered_from(driven, robot, graph) -> None:
    driver, told = driven
    told.wait(near(READY))
    driver.stream(to(AWAY, 3.0))
    told.wait(lambda m: m.position[0] > READY[0] + 0.05)
    robot.say("user_stop 1")
    stopped = broken_off(driver)
    assert stopped.code is Code.STOPPED and "user stop" in stopped.message
    robot.say("user_stop 0")
    driver.hold()
    driver.stream(to(READY, 1.0))
    assert "user stop" in broken_off(driver).message
    assert graph.call(Trigger, "/driver/recover", Trigger.Request()).success
    driver.hold()
    told.clear()
    driver.stream(to(READY, 1.0))
    told.wait(near(READY))
    driver.require_obeyed()


def test_a_lost_link_is_named_and_found_again(driven, robot, graph) -> None:
    driver, told = driven
    told.wait(near(READY))
    ails = graph.listen(String, "/liveliness/driver", SEEN_ALIVE)
    robot.say("link_lost 1")
    ails.wait(lambda m: "connection was lost" in m.data)
    robot.say("link_lost 0")
    told.clear()
    told.wait(near(READY))
    assert graph.call(Trigger, "/driver/recover", Trigger.Request()).success
    driver.stream(to(AWAY, 1.0))
    told.wait(near(AWAY))
    driver.require_obeyed()
    told.clear()
    driver.stream(to(READY, 1.0, AWAY))
    told.wait(near(READY))
