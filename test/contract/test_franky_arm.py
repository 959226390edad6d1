"""A Franka through its own client: franky and libfranka against a server of the real protocol."""

from __future__ import annotations

import math
import time
from collections.abc import Callable

import numpy as np
import pytest

pytest.importorskip("franky", reason="the extra 'franka' is not installed")
pytest.importorskip("franky_sim", reason="the extra 'franka' is not installed")

import franky

from sayso.adapters.robots.franky_arm import FrankyArm
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import JointWindow
from sayso.robots.kinematics import ArmKinematics
from sayso.robots.loading import load_robot
from sayso.skills.trajectory import MotionLimits, Trajectory, timed
from support.libfranka_robot import LibfrankaRobot, follow, libfranka_robot, smoothness

PROFILE = load_robot("fr3_libfranka")
READY = np.array(PROFILE.ready)
KINEMATICS = ArmKinematics(PROFILE)
PLACE = (0.48, 0.0)
"""On the table, where nothing stands."""
FR3_JERK = 5000.0
"""Beyond it the robot stops by itself [rad/s^3]."""
PATIENCE_S = 30.0
LIMITS = MotionLimits(0.5 * PROFILE.velocity_limits, 0.3 * PROFILE.acceleration_limits)


@pytest.fixture(scope="module")
def robot():
    with libfranka_robot("127.0.66.1") as robot:
        yield robot


@pytest.fixture(scope="module")
def client(robot):
    client = FrankyArm(PROFILE, robot.address, time.monotonic)
    client.read()
    yield client
    client.close()


@pytest.fixture
def arm(robot, client):
    """At rest at its ready pose, without faults."""
    robot.say("user_stop 0")
    client.recover()
    client.hold()
    until(client, lambda: np.abs(client.joints().velocities[:7]).max() < 1e-3)
    to(robot, client, READY)
    until(client, lambda: np.allclose(here(client), READY, atol=0.005))
    return client


def here(arm: FrankyArm) -> np.ndarray:
    return arm.joints().positions[:7]


def above(height_m: float) -> np.ndarray:
    """Joints that hold the hand over the place, pointing down."""
    down = KINEMATICS.forward(READY).orientation
    return KINEMATICS.inverse(Pose((*PLACE, height_m), down), READY)


def until(arm: FrankyArm, there: Callable[[], bool]) -> list[np.ndarray]:
    """Wait for it; the positions meanwhile."""
    latest, seen = time.monotonic() + PATIENCE_S, []
    while not there():
        assert time.monotonic() < latest, (here(arm), arm.joints().positions[7:])
        arm.read()
        seen.append(here(arm).copy())
    return seen


def fault(arm: FrankyArm) -> SaySoError:
    """The one that comes."""
    found: list[SaySoError] = []

    def there() -> bool:
        try:
            arm.require_obeyed()
        except SaySoError as error:
            found.append(error)
        return bool(found)

    until(arm, there)
    return found[0]


def to(robot: LibfrankaRobot, arm: FrankyArm, goal: np.ndarray) -> Trajectory:
    """Go there as the gate goes."""
    run = timed(np.vstack([here(arm), goal]), LIMITS)
    follow(robot, arm, run)
    return run


def test_the_gates_windows_become_a_motion_without_steps(robot, arm: FrankyArm) -> None:
    goal = READY + np.array([0.3, 0.1, -0.2, 0.2, 0.3, -0.2, 0.4])
    robot.watch()
    run = to(robot, arm, goal)
    until(arm, lambda: np.allclose(here(arm), goal, atol=0.005))
    arm.require_obeyed()
    motion = smoothness(robot.watched(), run)
    assert np.all(motion.speed <= 1.001 * PROFILE.velocity_limits)
    assert np.all(motion.acceleration <= 1.01 * PROFILE.acceleration_limits)
    assert motion.jerk.max() <= FR3_JERK
    assert motion.off_path_rad <= 0.01


def test_the_arm_rests_at_the_end_of_what_was_sent_last(arm: FrankyArm) -> None:
    goal = READY.copy()
    goal[0] += 0.05
    arm.stream(JointWindow(np.array([0.0, 0.2, 0.4]), np.linspace(READY, goal, 3)))
    until(arm, lambda: np.allclose(here(arm), goal, atol=0.005))
    arm.require_obeyed()


def test_a_stop_brings_the_arm_to_rest_on_its_way(arm: FrankyArm) -> None:
    goal = READY.copy()
    goal[0] += 0.8
    arm.stream(JointWindow(np.array([0.0, 2.0]), np.vstack([READY, goal])))
    until(arm, lambda: here(arm)[0] > READY[0] + 0.1)
    arm.hold()
    until(arm, lambda: np.abs(arm.joints().velocities[:7]).max() < 1e-3)
    assert here(arm)[0] < goal[0] - 0.3
    arm.require_obeyed()


def test_the_hand_opens_and_closes(arm: FrankyArm) -> None:
    arm.grip(0.02, 20.0)
    until(arm, lambda: math.isclose(arm.joints().positions[7], 0.01, abs_tol=0.001))
    arm.grip(0.08, 20.0)
    until(arm, lambda: arm.joints().positions[7] > 0.039)
    arm.require_obeyed()


def test_a_joint_that_is_sent_beyond_its_limit_trips_the_robot(robot, arm: FrankyArm) -> None:
    near, beyond = READY.copy(), READY.copy()
    near[5], beyond[5] = 0.8, 0.3
    to(robot, arm, near)
    arm.stream(JointWindow(np.array([0.0, 1.0]), np.vstack([near, beyond])))
    error = fault(arm)
    assert error.code is Code.LIMIT and "limit" in error.message
    until(arm, lambda: np.abs(arm.joints().velocities[:7]).max() < 1e-3)
    arm.recover()
    to(robot, arm, READY)
    until(arm, lambda: np.allclose(here(arm), READY, atol=0.01))
    arm.require_obeyed()


def test_what_the_arm_runs_into_stops_it_until_it_is_told_to_recover(robot, arm: FrankyArm) -> None:
    to(robot, arm, above(0.1))
    to(robot, arm, above(-0.06))
    error = fault(arm)
    assert error.code is Code.EXECUTION and "joint_reflex" in error.message
    until(arm, lambda: np.abs(arm.joints().velocities[:7]).max() < 1e-3)
    assert KINEMATICS.forward(here(arm)).position[2] > -0.03
    arm.recover()
    to(robot, arm, above(0.1))
    until(arm, lambda: np.allclose(here(arm), above(0.1), atol=0.01))
    arm.require_obeyed()


def test_a_thing_that_slips_out_of_the_hand_is_missed(robot, arm: FrankyArm) -> None:
    x, y = PLACE
    robot.say(f"red_block {x} {y} 0.03")
    arm.grip(0.08, 20.0)
    to(robot, arm, above(0.1))
    to(robot, arm, above(0.02))
    until(arm, lambda: np.allclose(here(arm), above(0.02), atol=0.005))
    arm.grip(0.0, 20.0)
    until(arm, lambda: arm.joints().positions[7] < 0.0235)
    to(robot, arm, above(0.1))
    arm.require_obeyed()
    robot.say("red_block 0.3 -0.2 0.03")
    assert fault(arm).code is Code.OBJECT_LOST
    arm.grip(0.08, 20.0)
    until(arm, lambda: arm.joints().positions[7] > 0.039)
    arm.require_obeyed()


def test_the_user_stop_ends_a_motion_and_what_comes_after_it(robot, arm: FrankyArm) -> None:
    goal = READY.copy()
    goal[0] += 0.8
    arm.stream(JointWindow(np.array([0.0, 3.0]), np.vstack([READY, goal])))
    until(arm, lambda: here(arm)[0] > READY[0] + 0.05)
    robot.say("user_stop 1")
    assert fault(arm).code is Code.STOPPED
    arm.stream(JointWindow(np.array([0.0, 0.4]), np.vstack([READY, goal])))
    until(arm, lambda: np.abs(arm.joints().velocities[:7]).max() < 1e-3)
    assert here(arm)[0] < goal[0] - 0.3
    with pytest.raises(SaySoError) as still:
        arm.recover()
    assert still.value.code is Code.STOPPED


def test_a_reset_world_has_the_arm_where_it_was_put(robot, arm: FrankyArm) -> None:
    to(robot, arm, READY + np.array([0.3, 0, 0, 0, 0, 0, 0]))
    robot.say("reset")
    begun_s = robot.time_s
    seen = until(arm, lambda: robot.time_s > begun_s + 0.5)
    assert np.allclose(seen[-1], READY, atol=0.005)


@pytest.mark.parametrize(
    ("error", "code"),
    [
        (franky.ProtocolException, Code.NODE_UNAVAILABLE),
        (RuntimeError, Code.NODE_UNAVAILABLE),
        (franky.ModelException, Code.EXECUTION),
        (franky.MotionReuseException, Code.EXECUTION),
    ],
)
def test_whatever_the_client_does_not_do_is_told(arm, monkeypatch, error, code) -> None:
    class Refusing:
        @property
        def state(self):
            raise error("not so")

    monkeypatch.setattr(arm, "_robot", Refusing())
    with pytest.raises(SaySoError, match="not so") as told:
        arm.read()
    assert told.value.code is code


def test_without_a_robot_at_the_address_that_is_said() -> None:
    with pytest.raises(SaySoError) as error:
        FrankyArm(PROFILE, "127.0.66.9", time.monotonic).read()
    assert error.value.code is Code.NODE_UNAVAILABLE
