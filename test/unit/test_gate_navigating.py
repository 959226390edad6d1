"""The gate lets a navigator lead the base, by no command that it would not answer for itself."""

import math

import numpy as np
import pytest

from sayso.core.base_limits import BaseLimits
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.skills.conditions import Condition
from sayso.skills.driving import DriveLimits
from sayso.skills.gate import MotionGate
from sayso.skills.poses import upright
from support.leading import Leading
from support.still_arm import StillArm, StillKinematics
from support.still_base import StillBase

STOWED = tuple(float(q) for q in StillKinematics.home)
LIMITS = DriveLimits(stowed=(STOWED,))
GOAL = upright((2.0, 1.5, 0.0), 0.0)


@pytest.fixture
def base():
    return StillBase()


@pytest.fixture
def gate(base):
    return MotionGate(base, StillKinematics(), base=base, drive_limits=LIMITS, mount=Pose())


@pytest.fixture
def leading(base):
    return Leading(lambda: base.pose)


def refused(gate, base, leading, goal=GOAL, **options) -> SaySoError:
    with pytest.raises(SaySoError) as error:
        gate.navigate(leading, goal, base, **options)
    assert leading.ended == 1, "it was not told to give up"
    assert base.log[-1] == "halt"
    return error.value


def test_the_base_is_led_to_the_goal_and_rests_there(gate, base, leading):
    with gate.authorised(()):
        gate.navigate(leading, GOAL, base)
    base.wait(1.0)
    assert math.dist(base.place[:2], GOAL.position[:2]) < 0.25
    assert base.speed_m_s == 0.0
    assert leading.goals == [GOAL]


def test_closed_by_default(gate, base, leading):
    with pytest.raises(SaySoError) as error:
        gate.navigate(leading, GOAL, base)
    assert error.value.code is Code.GATE_CLOSED
    assert "drive" not in base.log


def test_a_robot_without_a_base_is_not_led(leading):
    arm = StillArm()
    gate = MotionGate(arm, StillKinematics())
    gate.authorise(())
    with pytest.raises(SaySoError) as error:
        gate.navigate(leading, GOAL, arm)
    assert error.value.code is Code.UNSUPPORTED
    assert not leading.goals


@pytest.mark.parametrize("speed", [0.3, 1.0, 5.0])
def test_the_base_rests_before_what_a_condition_forbids(gate, base, leading, speed):
    """Whatever is commanded, braking included, it comes to rest before x = 1.2."""

    def beyond(request):
        assert request.kind == "drive"
        return "too far" if request.predicted.base.position[0] > 1.2 else None

    leading.commands = lambda: (speed, 0.0, 0.0)
    gate.authorise([Condition("fence", beyond)])
    assert refused(gate, base, leading).code is Code.VETO
    base.wait(2.0)
    assert 0.7 < base.place[0] <= 1.2


@pytest.mark.parametrize("away_m", [0.25, 0.35, 0.45])
def test_nothing_is_passed_over_between_the_base_and_where_it_would_rest(
    gate, base, leading, away_m
):
    """The base turns towards a thin post and on past it; then it is told to drive straight on."""
    base.place[:] = (0.0, 0.0, -1.0)
    nearest = []

    def in_the_way(request):
        place = np.array(request.predicted.base.position[:2])
        return "a post" if np.linalg.norm(place - (away_m, 0.0)) < 0.15 else None

    def turn_then_drive():
        nearest.append(math.dist(base.place[:2], (away_m, 0.0)))
        return (0.0, 0.0, 1.0) if base.place[2] < -0.02 else (1.0, 0.0, 0.0)

    leading.commands = turn_then_drive
    gate.authorise([Condition("post", in_the_way)])
    base.at_step = lambda time_s: gate.stop("enough") if time_s > 14.0 else None
    assert refused(gate, base, leading).code is Code.VETO
    base.wait(1.0)
    assert min(nearest) > 0.1


def test_a_sudden_turn_is_asked_about_along_its_whole_arc(gate, base, leading):
    asked, sent = [], []
    keep = base.drive
    base.drive = lambda *velocity: (sent.append(len(asked)), keep(*velocity))

    def told(request):
        asked.append(request.predicted.base.position[:2])

    leading.commands = lambda: (1.0, 0.0, 0.0)
    gate.authorise([Condition("told", told)])
    refused(gate, base, leading, cancelled=lambda: base.time_s > 13.0)
    last = np.array([base.place[:2], *asked[sent[-2] : sent[-1]]])
    gaps = np.linalg.norm(np.diff(last, axis=0), axis=1)
    assert len(last) > 3
    assert gaps.max() < 0.35, "something could stand between two places that were asked about"


def test_commands_are_slowed_to_the_limits_on_the_same_arc(gate, base, leading):
    sent, keep = [], base.drive
    base.drive = lambda *velocity: (sent.append(velocity), keep(*velocity))
    leading.commands = lambda: (3.0, 0.0, 1.5)
    gate.authorise(())
    assert refused(gate, base, leading, cancelled=lambda: base.time_s > 14.0)
    forward, left, turn = np.array(sent).T
    assert forward.max() <= LIMITS.base.speed_m_s and np.abs(turn).max() <= LIMITS.base.turn_rad_s
    assert forward[-1] > 0.95
    assert turn[-1] / forward[-1] == pytest.approx(0.5)
    assert np.diff(np.r_[0.0, forward]).max() <= LIMITS.base.acceleration_m_s2 * 0.05 + 1e-9
    assert not left.any()


def test_a_command_to_slow_down_is_passed_on_at_once(gate, base, leading):
    sent, keep = [], base.drive
    base.drive = lambda *velocity: (sent.append(velocity), keep(*velocity))
    leading.commands = lambda: (0.8, 0.0, 0.0) if base.time_s < 12.0 else (0.1, 0.0, 0.0)
    gate.authorise(())
    refused(gate, base, leading, cancelled=lambda: base.time_s > 13.0)
    speeds = [forward for forward, *_ in sent]
    slower = next(i for i, v in enumerate(speeds) if i and v < speeds[i - 1])
    assert speeds[slower] == pytest.approx(0.1, abs=1e-3)


def test_the_base_rests_while_no_command_comes_and_then_goes_on(gate, base, leading):
    plain, places = leading.command, []

    def silent_for_a_while():
        leading.commands = None
        command = plain()
        leading.commands = silent_for_a_while
        if not 11.0 < base.time_s < 15.0:
            return command
        if base.time_s > 12.5:
            places.append(base.place.copy())
        return None

    leading.commands = silent_for_a_while
    with gate.authorised(()):
        gate.navigate(leading, GOAL, base)
    assert np.ptp(places, axis=0).max() < 1e-6, "it moved without a command"
    assert math.dist(base.place[:2], GOAL.position[:2]) < 0.25


def test_a_navigator_that_commands_nothing_is_not_waited_for_without_end(gate, base, leading):
    leading.commands = lambda: None
    gate.authorise(())
    error = refused(gate, base, leading)
    assert error.code is Code.EXECUTION and "no command" in error.message
    assert base.time_s < 25.0


def test_what_is_no_velocity_is_refused(gate, base, leading):
    leading.commands = lambda: (math.nan, 0.0, 0.0)
    gate.authorise(())
    assert refused(gate, base, leading).code is Code.LIMIT
    assert "drive" not in base.log


def test_the_reason_for_which_it_gave_up_is_told(gate, base, leading):
    def fail(time_s):
        if time_s > 11.0:
            leading.failure = SaySoError(Code.UNREACHABLE, "no way.")

    base.at_step = fail
    gate.authorise(())
    assert refused(gate, base, leading).code is Code.UNREACHABLE


def test_a_stop_halts_the_base_and_the_navigator(gate, base, leading):
    base.at_step = lambda time_s: gate.stop("now") if time_s > 11.0 else None
    gate.authorise(())
    assert refused(gate, base, leading).code is Code.STOPPED
    after = base.log[base.log.index("halt") :]
    assert set(after) == {"halt", "hold"}


@pytest.mark.parametrize("commands", [None, lambda: None])
def test_cancelling_ends_it_whether_it_drives_or_waits(gate, base, leading, commands):
    leading.commands = commands
    gate.authorise(())
    error = refused(gate, base, leading, cancelled=lambda: base.time_s > 11.0)
    assert error.code is Code.CANCELLED


def test_a_blocked_base_is_noticed(gate, base, leading):
    leading.commands = lambda: (0.5, 0.0, 0.0)
    base.at_step = lambda time_s: setattr(base, "stuck", time_s > 11.0)
    gate.authorise(())
    error = refused(gate, base, leading)
    assert error.code is Code.EXECUTION and "does not follow" in error.message
    assert base.time_s < 14.0


@pytest.mark.parametrize("turn", [0.0, 1.0, -0.3])
def test_a_base_that_hears_and_tells_late_is_not_blocked(gate, base, leading, turn):
    base.acts_late_s, base.told_late_s, base.noise = 0.2, 0.2, 0.01
    leading.commands = lambda: (0.6 if turn != 1.0 else 0.0, 0.0, turn)
    gate.authorise(())
    error = refused(gate, base, leading, cancelled=lambda: base.time_s > 20.0)
    assert error.code is Code.CANCELLED


@pytest.mark.parametrize("fault", ["lost", "silent"])
def test_without_a_fresh_pose_the_base_rests_and_then_gives_up(gate, base, leading, fault):
    base.at_step = lambda time_s: setattr(base, fault, time_s > 11.0)
    gate.authorise(())
    assert refused(gate, base, leading).code is Code.STALE


def test_where_pictures_come_late_it_goes_slower(gate, base, leading):
    speeds = []

    def at_step(time_s):
        base.late_s = 1.5 if time_s > 11.0 else 0.1
        if time_s > 12.0:
            speeds.append(base.speed_m_s)

    base.at_step = at_step
    leading.commands = lambda: (1.0, 0.0, 0.0)
    gate.authorise(())
    refused(gate, base, leading, cancelled=lambda: base.time_s > 16.0)
    fastest = max(speeds)
    way_m = fastest * (1.5 + LIMITS.delay_s) + fastest**2 / (2 * LIMITS.base.brake_m_s2)
    assert way_m < LIMITS.unseen_m + 0.02


def test_the_base_is_led_only_with_the_arm_stowed(base, leading):
    elsewhere = DriveLimits(base=BaseLimits(), stowed=((0.0, 0.0, 0.9),))
    gate = MotionGate(base, StillKinematics(), base=base, drive_limits=elsewhere)
    gate.authorise(())
    error = refused(gate, base, leading)
    assert error.code is Code.LIMIT and "stowed" in error.message
    assert "drive" not in base.log
