"""What every `ArmDriver` does: the simulated arm, held directly and through ROS messages."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import ArmDriver, JointWindow
from sayso.robots.loading import load_robot
from sayso.worlds.table.table_world import TableWorld

START = np.array(load_robot().ready)
AWAY = START + np.array([0.4, 0.2, -0.3, 0.2, 0.3, -0.2, 0.5])


class Topic:
    """Passes messages on at once, in place of a ROS graph."""

    def __init__(self, take) -> None:
        self._take = take

    def publish(self, message) -> None:
        self._take(message)


class MessageNode:
    """As much of a node as a driver needs; its messages move the simulated arm."""

    def __init__(self, world: TableWorld) -> None:
        from sayso.ros.simulation.world_commands import move_arm, move_gripper

        self._world, self.profile = world, world.profile
        self.sent = []
        self._takes = {
            "arm/joint_trajectory": lambda m: (self.sent.append(m), move_arm(world, m)),
            "gripper/joint_trajectory": lambda m: (self.sent.append(m), move_gripper(world, m)),
        }

    def get_clock(self):
        return self

    def now(self):
        from rclpy.time import Time

        return Time(nanoseconds=round(self._world.time_s * 1e9))

    def create_publisher(self, kind, topic, qos) -> Topic:
        return Topic(self._takes[topic])


def direct(world: TableWorld) -> ArmDriver:
    return world


def through_messages(world: TableWorld) -> ArmDriver:
    return over_topics(MessageNode(world))


def over_topics(node: MessageNode) -> ArmDriver:
    pytest.importorskip("rclpy", reason="ROS 2 is not installed")
    pytest.importorskip("sayso_ros", reason="the interfaces are not built")
    from sayso.ros.robot.drivers import RosArmDriver

    return RosArmDriver(node, node.profile)


@pytest.fixture(scope="module")
def world():
    return TableWorld(2)


@pytest.fixture(params=[direct, through_messages])
def driver(world, request):
    world.reset(2)
    return request.param(world)


def joints(world: TableWorld) -> np.ndarray:
    return np.array(world.robot_state().joint_positions)


def ramp(goal: np.ndarray, seconds: float) -> JointWindow:
    return JointWindow(np.array([0.0, seconds]), np.vstack([START, goal]))


def test_follows_a_window_and_holds_its_last_point(world, driver):
    driver.stream(ramp(AWAY, 1.0))
    world.step(0.5)
    assert joints(world) == pytest.approx((START + AWAY) / 2, abs=0.02)
    world.step(0.7)
    assert joints(world) == pytest.approx(AWAY, abs=2e-3)
    world.step(1.0)
    assert joints(world) == pytest.approx(AWAY, abs=2e-3)
    assert np.abs(world.true_joint_velocities()).max() < 0.01


def test_a_new_window_replaces_the_one_being_followed(world, driver):
    driver.stream(ramp(AWAY, 1.0))
    world.step(0.3)
    driver.stream(JointWindow(np.array([0.0, 0.5]), np.vstack([joints(world), START])))
    world.step(1.2)
    assert joints(world) == pytest.approx(START, abs=2e-3)


@pytest.mark.parametrize("direction", [1.0, -1.0])
def test_comes_to_rest_within_03_s_without_swinging_back(world, driver, direction):
    driver.stream(ramp(START + direction * 1.2 * (AWAY - START), 0.6))
    world.step(0.3)
    moving = world.true_joint_velocities()
    assert np.abs(moving).max() > 0.8
    driver.hold()
    forward = np.sign(moving)
    for _ in range(30):
        world.step(0.01)
        assert (world.true_joint_velocities() * forward).min() > -0.02
    assert np.abs(world.true_joint_velocities()).max() < 0.01
    rest = joints(world)
    world.step(0.5)
    assert joints(world) == pytest.approx(rest, abs=1e-3)


def test_hold_at_rest_keeps_the_arm_where_it_is(world, driver):
    driver.hold()
    world.step(0.5)
    assert joints(world) == pytest.approx(START, abs=2e-3)


def test_joints_never_exceed_their_velocity_limits(world, driver):
    driver.stream(JointWindow(np.array([0.0]), AWAY[None]))
    fastest = np.zeros(7)
    for _ in range(100):
        world.step(0.004)
        fastest = np.maximum(fastest, np.abs(world.true_joint_velocities()))
    assert (fastest <= world.profile.velocity_limits * 1.02).all()
    assert joints(world) == pytest.approx(AWAY, abs=5e-3)


def test_the_gripper_goes_to_a_width(world, driver):
    driver.grip(0.03, 20.0)
    world.step(1.0)
    assert world.robot_state().gripper_width_m == pytest.approx(0.03, abs=1e-3)
    driver.grip(1.0, 20.0)
    world.step(1.0)
    assert world.robot_state().gripper_width_m == pytest.approx(0.08, abs=1e-3)


def test_fingers_are_stopped_on_their_way(world, driver):
    driver.grip(0.0, 20.0)
    world.step(0.05)
    width_m = world.robot_state().gripper_width_m
    assert 0.01 < width_m < 0.075
    driver.hold_grip(width_m)
    world.step(1.0)
    assert world.robot_state().gripper_width_m == pytest.approx(width_m, abs=5e-3)


def test_a_stop_over_topics_is_a_trajectory_to_rest_without_effort(world):
    """ros2_control's joint_trajectory_controller refuses an empty one, and one with efforts."""
    node = MessageNode(world)
    world.reset(2)
    driver = over_topics(node)
    driver.hold()
    assert not node.sent, "nothing was sent that could be stopped"
    driver.stream(ramp(AWAY, 0.6))
    world.step(0.3)
    node.sent.clear()
    driver.hold()
    (message,) = node.sent
    times = [p.time_from_start.sec + p.time_from_start.nanosec * 1e-9 for p in message.points]
    positions = np.array([list(p.positions) for p in message.points])
    assert sorted(message.joint_names) == sorted(f"panda_joint{i}" for i in range(1, 8))
    assert not any(p.effort for p in message.points)
    speeds = np.diff(positions, axis=0) / np.diff(times)[:, None]
    slowing = np.abs(np.diff(speeds, axis=0)) / np.diff(times)[1:, None]
    assert (slowing <= world.profile.acceleration_limits * 1.01).all()
    assert np.abs(speeds[-1]).max() < 0.3 * np.abs(speeds[0]).max()
    driver.grip(0.05, 25.0)
    driver.hold_grip(0.05)
    assert len(node.sent) == 3 and not any(m.points[-1].effort for m in node.sent)


@pytest.mark.parametrize(
    "window",
    [
        JointWindow(np.array([0.0]), np.full((1, 7), np.nan)),
        JointWindow(np.array([0.2, 0.1]), np.zeros((2, 7))),
    ],
)
def test_a_malformed_window_is_refused(world, driver, window):
    with pytest.raises(SaySoError) as error:
        driver.stream(window)
    assert error.value.code is Code.INVALID
    world.step(0.1)
    assert joints(world) == pytest.approx(START, abs=2e-3)


def test_a_grip_without_meaning_is_refused(world, driver):
    with pytest.raises(SaySoError) as error:
        driver.grip(float("nan"), 20.0)
    assert error.value.code is Code.INVALID
