"""The motion gate drives the base along its motion, and stops it for a reason, in time."""

import numpy as np
import pytest

from sayso.core.base_limits import BaseLimits
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.planning.navigation.base_motion import drive
from sayso.skills.conditions import Condition
from sayso.skills.driving import DriveLimits
from sayso.skills.gate import MotionGate
from support.still_arm import StillArm, StillKinematics
from support.still_base import StillBase

STOWED = tuple(float(q) for q in StillKinematics.home)
PATH = np.array([[0.0, 0.0], [2.0, 0.0], [2.0, 1.5]])
LIMITS = DriveLimits(stowed=(STOWED,))
MOUNT = Pose((0.2, 0.0, 0.3))


@pytest.fixture
def base():
    return StillBase()


@pytest.fixture
def gate(base):
    return MotionGate(base, StillKinematics(), base=base, drive_limits=LIMITS, mount=MOUNT)


def refused(gate, base, motion=None, **options) -> SaySoError:
    with pytest.raises(SaySoError) as error:
        gate.drive(motion or drive(PATH, 0.0), base, **options)
    return error.value


def test_an_authorised_drive_arrives_and_looks_where_it_should(gate, base):
    base.noise = 0.01
    ways = []
    base.at_step = lambda _: ways.append(base.place.copy())
    with gate.authorised(()):
        gate.drive(drive(PATH, 0.0, face=(0.0, 1.5)), base)
    base.wait(0.5)
    assert np.allclose(base.place[:2], PATH[-1], atol=0.025)
    assert abs(base.place[2]) == pytest.approx(np.pi, abs=0.03)
    corner = np.array(ways)[:, :2]
    off = np.minimum(np.abs(corner[:, 1]), np.abs(corner[:, 0] - 2.0))
    assert off.max() < 0.04


def test_closed_by_default(gate, base):
    assert refused(gate, base).code is Code.GATE_CLOSED
    assert "drive" not in base.log


def test_a_robot_without_a_base_does_not_drive():
    arm = StillArm()
    gate = MotionGate(arm, StillKinematics())
    gate.authorise(())
    assert refused(gate, arm).code is Code.UNSUPPORTED


@pytest.mark.parametrize("speed", [0.3, 1.0])
def test_the_base_rests_before_what_a_condition_forbids(gate, base, speed):
    """Wherever it is told to stop, braking included, it comes to rest before x = 1.2."""

    def beyond(request):
        assert request.predicted.gripper.position[0] >= request.predicted.base.position[0]
        return "too far" if request.predicted.base.position[0] > 1.2 else None

    gate.authorise([Condition("fence", beyond)])
    motion = drive(PATH, 0.0, BaseLimits(speed_m_s=speed))
    assert refused(gate, base, motion).code is Code.VETO
    base.wait(2.0)
    assert 0.9 < base.place[0] <= 1.2


def test_a_stop_halts_arm_and_base(gate, base):
    base.at_step = lambda time_s: gate.stop("now") if time_s > 11.0 else None
    gate.authorise(())
    assert refused(gate, base).code is Code.STOPPED
    after = base.log[base.log.index("halt") :]
    assert set(after) == {"halt", "hold"}


def test_cancelling_halts(gate, base):
    gate.authorise(())
    assert refused(gate, base, cancelled=lambda: base.time_s > 11.0).code is Code.CANCELLED
    assert base.log[-1] == "halt"


def test_a_blocked_base_is_noticed(gate, base):
    base.at_step = lambda time_s: setattr(base, "stuck", time_s > 11.0)
    gate.authorise(())
    error = refused(gate, base)
    assert error.code is Code.EXECUTION and "does not follow" in error.message
    assert base.log[-1] == "halt"


def test_a_drive_must_start_where_the_base_is(gate, base):
    gate.authorise(())
    error = refused(gate, base, drive(PATH + 1.0, 0.0))
    assert error.code is Code.EXECUTION
    assert "drive" not in base.log


@pytest.mark.parametrize("fault", ["lost", "silent"])
def test_without_a_fresh_pose_the_base_stops(gate, base, fault):
    base.at_step = lambda time_s: setattr(base, fault, time_s > 11.0)
    gate.authorise(())
    assert refused(gate, base).code is Code.STALE
    assert base.log[-1] == "halt"


def test_the_base_rests_while_its_pose_is_old_and_then_goes_on(gate, base):
    places = []

    def at_step(time_s):
        base.lost = 11.0 < time_s < 13.0
        if 12.0 < time_s < 13.0:
            places.append(base.place.copy())

    base.at_step = at_step
    with gate.authorised(()):
        gate.drive(drive(PATH, 0.0), base)
    base.wait(0.5)
    assert np.allclose(base.place[:2], PATH[-1], atol=0.03)
    assert np.ptp(places, axis=0).max() < 0.02, "it moved without knowing where it was"


@pytest.mark.parametrize("late_s", [0.1, 0.8, 1.5, 4.0])
def test_where_pictures_come_late_the_base_could_rest_before_what_it_has_not_seen(
    gate, base, late_s
):
    speeds = []

    def at_step(time_s):
        base.late_s = late_s if time_s > 11.0 else 0.1
        if time_s > 12.0:
            speeds.append(base.speed_m_s)

    base.at_step = at_step
    path = np.array([[0.0, 0.0], [6.0, 0.0]])
    with gate.authorised(()):
        gate.drive(drive(path, 0.0), base)
    fastest = max(speeds)
    way_m = fastest * (late_s + LIMITS.delay_s) + fastest**2 / (2 * LIMITS.base.brake_m_s2)
    assert way_m < LIMITS.unseen_m + 0.02
    assert fastest > 0.9 or way_m > LIMITS.unseen_m - 0.1, "it went slower than it must"


def test_a_base_whose_pose_is_told_late_is_not_taken_to_be_behind(gate, base):
    base.told_late_s = 0.2
    path = np.array([[0.0, 0.0], [4.0, 0.0]])
    with gate.authorised(()):
        gate.drive(drive(path, 0.0), base)
    base.wait(0.5)
    assert np.allclose(base.place[:2], path[-1], atol=0.03)


@pytest.mark.parametrize(("way_m", "face"), [(4.0, None), (0.02, (-1.0, 0.2))])
def test_a_base_that_hears_late_is_late_and_not_blocked(gate, base, way_m, face):
    """Far behind at full speed, and at full turn."""
    base.acts_late_s = 0.2
    path = np.array([[0.0, 0.0], [way_m, 0.0]])
    with gate.authorised(()):
        gate.drive(drive(path, 0.0, face=face), base)
    base.wait(0.5)
    assert np.allclose(base.place[:2], path[-1], atol=0.03)


def test_the_base_drives_only_with_the_arm_stowed(base):
    elsewhere = DriveLimits(stowed=((0.0, 0.0, 0.9), (0.1, 0.1, 0.1)))
    gate = MotionGate(base, StillKinematics(), base=base, drive_limits=elsewhere, mount=MOUNT)
    gate.authorise(())
    error = refused(gate, base)
    assert error.code is Code.LIMIT and "stowed" in error.message
    assert "drive" not in base.log


def test_a_motion_beyond_the_limits_is_slowed_to_them(gate, base):
    gate.authorise(())
    sent = []
    keep = base.drive
    base.drive = lambda *velocity: (sent.append(velocity), keep(*velocity))
    fast = BaseLimits(speed_m_s=3.0, acceleration_m_s2=5.0, turn_rad_s=4.0)
    error = refused(gate, base, drive(PATH, 0.0, fast))
    assert error.code is Code.EXECUTION
    assert max(np.hypot(f, left) for f, left, _ in sent) <= 1.0


def test_the_tool_stays_in_the_arms_workspace_wherever_the_base_is():
    base = StillBase((7.0, -4.0, 2.0))
    gate = MotionGate(base, StillKinematics(), base=base)
    with gate.authorised(()):
        gate.grip(0.04, 10.0, base)
    assert "grip" in base.log
