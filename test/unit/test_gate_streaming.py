"""Setpoints that a policy streams: each is checked before it is sent; silence means rest."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.skills.conditions import Condition
from sayso.skills.gate import MotionGate
from sayso.skills.gate_limits import GateLimits
from sayso.skills.policies import Along
from sayso.skills.setpoints import BRAKE_SHARE, Observation
from sayso.skills.trajectory import MotionLimits, timed
from support.still_arm import StillArm, StillKinematics

LIMITS = MotionLimits(np.full(3, 0.5), np.full(3, 2.0))
GOAL = np.array([0.5, 0.1, 0.4])
TABLE_Z = 0.1


def towards(goal=GOAL, limits=LIMITS):
    """A policy that goes to a place and ends there."""

    def policy(seen: Observation):
        there = np.allclose(seen.robot.joint_positions, goal, atol=1e-4)
        return None if there else seen.towards(np.asarray(goal), limits)

    return policy


def above_table(path):
    return "the table" if path[:, 2].min() < TABLE_Z else None


class Rig:
    def __init__(self, *conditions: Condition, **limits) -> None:
        self.arm = StillArm()
        self.gate = MotionGate(self.arm, StillKinematics(), GateLimits(**limits))
        self.gate.authorise(conditions)

    def stream(self, policy, **options) -> None:
        self.gate.stream(policy, above_table, self.arm, **options)

    def refused(self, policy, **options) -> SaySoError:
        with pytest.raises(SaySoError) as error:
            self.stream(policy, **options)
        assert self.arm.log[-1] == "hold"
        assert self.gate.last_refusal is error.value or error.value.code is Code.STOPPED
        return error.value

    @property
    def place(self) -> np.ndarray:
        return np.array(self.arm.robot().joint_positions)


@pytest.fixture
def rig():
    return Rig()


def once(setpoint):
    """A policy that gives this setpoint as soon as the arm is under way."""

    def policy(seen: Observation):
        slow = seen.towards(GOAL, LIMITS)
        return np.asarray(setpoint(seen), float) if seen.velocity.any() else slow

    return policy


@pytest.mark.parametrize("period_s", [0.02, 0.05, 0.1])
def test_a_policy_arrives_by_small_steps(rig, period_s):
    rig.stream(towards(), period_s=period_s)
    assert rig.place == pytest.approx(GOAL, abs=1e-3)
    assert rig.arm.log.count("stream") > 0.4 / period_s


def test_nothing_moves_while_the_gate_is_closed(rig):
    rig.gate.close()
    assert rig.refused(towards()).code is Code.GATE_CLOSED
    assert "stream" not in rig.arm.log


def test_nothing_moves_while_a_stop_is_held(rig):
    rig.gate.stop("somebody said so")
    assert rig.refused(towards()).code is Code.STOPPED
    assert "stream" not in rig.arm.log


def test_a_stop_under_way_is_the_last_word(rig):
    rig.arm.at_step = lambda time_s: time_s > 10.3 and rig.gate.stop("test")
    assert rig.refused(towards()).code is Code.STOPPED
    assert set(rig.arm.log[rig.arm.log.index("hold") :]) == {"hold"}


@pytest.mark.parametrize(
    ("setpoint", "code", "words"),
    [
        (lambda seen: [np.nan, 0.0, 0.4], Code.LIMIT, "finite"),
        (lambda seen: [0.5, 0.1], Code.LIMIT, "3 finite"),
        (lambda seen: seen.command + 0.2, Code.LIMIT, "rad/s; it can do 1.0"),
        (lambda seen: seen.command - 0.04, Code.LIMIT, "gain"),
    ],
)
def test_what_cannot_be_followed_is_not_sent(rig, setpoint, code, words):
    sent = []
    drive = rig.arm.stream
    rig.arm.stream = lambda window: (sent.append(window), drive(window))
    error = rig.refused(once(setpoint))
    assert error.code is code and words in error.message
    assert len(sent) == 1


@pytest.mark.parametrize(
    ("goal", "code", "words"),
    [
        ((0.3, 0.0, 0.0), Code.UNREACHABLE, "the table"),
        ((0.3, 0.9, 0.5), Code.LIMIT, "range"),
    ],
)
def test_a_setpoint_that_leads_where_nothing_may_be_is_refused_before(rig, goal, code, words):
    error = rig.refused(towards(goal))
    assert error.code is code and words in error.message
    assert rig.place[2] >= TABLE_Z and abs(rig.place[1]) <= 0.8


def test_a_setpoint_out_of_the_workspace_is_refused_while_the_arm_can_still_rest_inside():
    rig = Rig(high=(0.4, 0.85, 1.1))
    error = rig.refused(towards())
    assert error.code is Code.LIMIT and "workspace" in error.message
    rig.arm.wait(1.0)
    assert 0.33 < rig.place[0] <= 0.4


def test_conditions_foresee_where_the_arm_would_come_to_rest():
    seen = []

    def fence(request):
        seen.append(request.predicted.gripper.position[0])
        return "beyond x" if seen[-1] > 0.45 else None

    rig = Rig(Condition("fence", fence))
    assert rig.refused(towards()).code is Code.VETO
    assert 0.35 < rig.place[0] < 0.45


def test_without_a_setpoint_the_arm_brakes_by_itself_over_places_that_were_checked(rig):
    """The policy falls silent at speed: the driver has the way to rest already."""
    rests = []

    def silent(seen: Observation):
        if np.abs(seen.velocity).max() < 0.4:
            return seen.towards(GOAL + 0.2, LIMITS)
        speed, begun = np.abs(seen.velocity).max(), rig.place
        rig.arm.wait(0.6)
        rests.append((speed, np.abs(rig.place - begun).max()))
        resting = rig.place
        rig.arm.wait(0.6)
        assert np.array_equal(rig.place, resting)
        return seen.command

    error = rig.refused(silent)
    assert error.code is Code.STALE and "in time" in error.message
    ((speed, gone),) = rests
    decelerating = BRAKE_SHARE * StillKinematics.acceleration_limits[0]
    assert 0 < gone <= speed**2 / (2 * decelerating) + speed * 0.05


def test_a_setpoint_that_is_late_is_passed_over_and_the_policy_is_asked_again(rig):
    """As on a busy machine: the arm brakes meanwhile, and goes on from there."""
    asked = []

    def slow_now_and_then(seen: Observation):
        asked.append(seen.now_s)
        if len(asked) % 4 == 0:
            rig.arm.wait(0.14)
        return towards()(seen)

    rig.stream(slow_now_and_then)
    assert rig.place == pytest.approx(GOAL, abs=1e-3)
    late = (len(asked) - 1) // 4
    assert late > 1 and rig.arm.log.count("stream") == len(asked) - 1 - late


@pytest.mark.parametrize("seed", range(5))
def test_a_way_is_followed_though_its_setpoints_come_irregularly_late(rig, seed):
    """As on a busy machine: what is sent later in a period goes on as fast as before."""
    rng = np.random.default_rng(seed)
    limits = MotionLimits(StillKinematics.velocity_limits, StillKinematics.acceleration_limits)
    way = np.array([StillKinematics.home, [0.5, -0.2, 0.6], GOAL])
    along = Along(way, limits.scaled(0.35))
    places = []

    def late(seen: Observation):
        places.append(seen.command)
        setpoint = along(seen)
        rig.arm.wait(0.1 if rng.random() < 0.05 else rng.uniform(0.0, 0.03))
        return setpoint

    rig.stream(late)
    assert rig.place == pytest.approx(GOAL, abs=1e-3)
    meant = timed(way, limits.scaled(0.35)).positions
    off = np.linalg.norm(np.array(places)[:, None] - meant, axis=2).min(axis=1)
    assert off.max() < 0.025, "it left the way"


def test_old_readings_end_the_stream(rig):
    rig.arm.at_step = lambda time_s: setattr(rig.arm, "silent", time_s > 10.3)
    assert rig.refused(towards()).code is Code.STALE


def test_an_arm_that_is_blocked_is_noticed():
    rig = Rig(lag_rad=0.02)
    rig.arm.at_step = lambda time_s: setattr(rig.arm, "blocked", time_s > 10.3)
    error = rig.refused(towards())
    assert error.code is Code.EXECUTION and "does not follow" in error.message


def test_a_cancelled_task_ends_the_stream(rig):
    error = rig.refused(towards(), cancelled=lambda: rig.arm.time_s > 10.3)
    assert error.code is Code.CANCELLED


@pytest.mark.parametrize("period_s", [0.005, 0.2])
def test_a_rate_that_cannot_be_streamed_is_refused(rig, period_s):
    with pytest.raises(SaySoError, match="10 to 50") as error:
        rig.stream(towards(), period_s=period_s)
    assert error.value.code is Code.LIMIT


def test_a_policy_that_fails_leaves_the_arm_at_rest(rig):
    def broken(seen: Observation):
        if seen.velocity.any():
            raise ZeroDivisionError
        return seen.towards(GOAL, LIMITS)

    with pytest.raises(ZeroDivisionError):
        rig.stream(broken)
    assert rig.arm.log[-1] == "hold"
