"""The motion gate is closed by default and stops for a reason, at once."""

import threading
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.skills.conditions import Condition, DeviceOrder, fresh_scene
from sayso.skills.gate import MotionGate
from sayso.skills.gate_limits import GateLimits
from sayso.skills.trajectory import MotionLimits, Trajectory, timed
from support.still_arm import StillArm, StillKinematics

LIMITS = MotionLimits(np.full(3, 0.5), np.full(3, 2.0))
GOAL = np.array([0.6, 0.2, 0.3])


@pytest.fixture
def arm():
    return StillArm()


@pytest.fixture
def gate(arm):
    return MotionGate(arm, StillKinematics())


def run(goal=GOAL):
    return timed(np.array([StillKinematics.home, goal]), LIMITS)


def refused(gate, arm, trajectory=None, **options) -> SaySoError:
    with pytest.raises(SaySoError) as error:
        gate.follow(trajectory or run(), arm, **options)
    return error.value


def test_closed_by_default(gate, arm):
    assert refused(gate, arm).code is Code.GATE_CLOSED
    with pytest.raises(SaySoError, match="GATE_CLOSED"):
        gate.grip(0.04, 10.0, arm)
    assert "stream" not in arm.log and "grip" not in arm.log
    assert gate.reasons == ("no motion is authorised",)


def test_an_authorised_motion_arrives(gate, arm):
    with gate.authorised(()):
        assert gate.reasons == ()
        gate.follow(run(), arm)
    assert np.allclose(arm.robot().joint_positions, GOAL, atol=1e-6)
    assert refused(gate, arm).code is Code.GATE_CLOSED


def test_what_a_device_is_told_is_foreseen(gate, arm):
    """ "never open it" holds for a door that shut after the plan was made, too."""
    door = SceneObject(
        "door", "door", (1.0, 0.0, 1.0), (0.9, 0.05, 2.0), 0, attributes={"share": 0}
    )
    scene, sent = Scene(0.0, (door,)), []

    def stays_shut(request):
        opened = request.foreseen(scene).by_name()["door"].attributes["share"]
        return "it would be open" if opened else None

    with gate.authorised((Condition("shut", stays_shut),)):
        with pytest.raises(SaySoError, match="it would be open") as refused:
            gate.operate(DeviceOrder("door", "share", 1.0), lambda: sent.append("open"), arm)
        gate.operate(DeviceOrder("door", "share", 0.0), lambda: sent.append("shut"), arm)
    assert refused.value.code is Code.VETO
    assert sent == ["shut"]


def test_a_condition_refuses_before_it_is_broken(gate, arm):
    """The tool may not pass x = 0.45: it rests before it, for the foresight is 0.3 s."""
    near = Condition(
        "fence", lambda r: "beyond x" if r.predicted.gripper.position[0] > 0.45 else None
    )
    gate.authorise([near])
    error = refused(gate, arm)
    assert error.code is Code.VETO and "beyond x" in error.message
    assert arm.log[-1] == "hold"
    assert arm.robot().gripper.position[0] < 0.45


def test_the_conditions_own_code_is_raised(gate, arm):
    gate.authorise([Condition("heartbeat", lambda r: "perception is silent", Code.STALE)])
    assert refused(gate, arm).code is Code.STALE


def test_stop_from_another_thread_is_latched(gate, arm):
    def disturb(time_s):
        if time_s > 10.3:
            arm.at_step = lambda t: None
            thread = threading.Thread(target=gate.stop, args=("the person said so",))
            thread.start()
            thread.join()

    arm.at_step = disturb
    gate.authorise(())
    error = refused(gate, arm)
    assert error.code is Code.STOPPED and "the person said so" in error.message
    assert "stream" not in arm.log[arm.log.index("hold") :]
    with pytest.raises(SaySoError, match="STOPPED"):
        gate.authorise(())
    gate.release()
    assert refused(gate, arm).code is Code.GATE_CLOSED
    gate.authorise(())
    gate.follow(timed(np.array([arm.robot().joint_positions, GOAL]), LIMITS), arm)


def test_a_stop_ends_a_grip_as_well_and_holds_the_fingers(gate, arm):
    arm.at_step = lambda t: gate.stop("now")
    gate.authorise(())
    with pytest.raises(SaySoError, match="STOPPED"):
        gate.grip(0.02, 20.0, arm)
    assert arm.log.count("hold_grip") == 1


def test_fingers_at_rest_press_on_through_a_stop(gate, arm):
    gate.authorise(())
    assert gate.grip(0.02, 20.0, arm) == pytest.approx(0.02)
    gate.stop("now")
    assert arm.log[-1] == "hold" and "hold_grip" not in arm.log


def test_a_stop_is_released_by_its_token_alone(gate, arm):
    ana, ben = gate.stop("a child runs in", "Ana"), gate.stop("lunch", "Ben")
    assert gate.reasons == ("stopped by Ana: a child runs in", "stopped by Ben: lunch")
    with pytest.raises(SaySoError, match="INVALID"):
        gate.release("guessed")
    assert [s.holder for s in gate.release(ana)] == ["Ana"]
    with pytest.raises(SaySoError, match="Ben: lunch"):
        gate.authorise(())
    with pytest.raises(SaySoError, match="INVALID"):
        gate.release(ana)
    gate.release(ben)
    assert gate.reasons == ("no motion is authorised",)


def test_the_last_refusal_is_kept(gate, arm):
    assert gate.last_refusal is None
    gate.authorise([Condition("c", lambda _: "the mug is near", hint="move the mug.")])
    refused(gate, arm)
    told = gate.last_refusal
    assert told.code is Code.VETO and told.message == "the mug is near." and told.hint


@pytest.mark.parametrize(
    ("readings", "said"),
    [
        ({"joint_positions": (np.nan, 0.0, 0.5)}, "not a number"),
        ({"joint_positions": (np.inf, 0.0, 0.5)}, "not a number"),
        ({"gripper_width_m": np.nan}, "not a number"),
        ({"gripper": Pose((np.nan, 0.0, 0.5))}, "not a number"),
        ({"base": Pose((0.0, np.nan, 0.0))}, "not a number"),
        ({"stamp_s": 1e9}, "in the future"),
        ({"stamp_s": np.nan}, "not a time"),
        ({"stamp_s": 9.0}, "old"),
    ],
)
def test_readings_that_cannot_be_move_nothing(gate, arm, readings, said):
    honest = arm.robot
    arm.robot = lambda: replace(honest(), **readings)
    gate.authorise(())
    error = refused(gate, arm)
    assert error.code is Code.STALE and said in error.message
    with pytest.raises(SaySoError, match=said):
        gate.grip(0.02, 20.0, arm)
    assert set(arm.log) == {"hold"}


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"stamp_s": 1e9}, "in the future"),
        ({"stamp_s": 1.0}, "old"),
        ({"objects": (SceneObject("mug", "mug", "", (np.nan, 0, 0), (1, 1, 1)),)}, "not a number"),
        (
            {"objects": (SceneObject("mug", "mug", "", (1, 0, 0), (1, 1, 1), off_m=np.nan),)},
            "not a number",
        ),
        ({"robot": RobotState(gripper_width_m=np.inf)}, "not a number"),
    ],
)
def test_scenes_that_cannot_be_move_nothing(gate, arm, change, said):
    honest = arm.scene
    arm.scene = lambda: replace(honest(), **change)
    gate.authorise([fresh_scene(arm, 1.5)])
    error = refused(gate, arm)
    assert error.code is Code.STALE and said in error.message
    assert "stream" not in arm.log


def test_cancelling_holds(gate, arm):
    gate.authorise(())
    calls = count()
    assert refused(gate, arm, cancelled=lambda: next(calls) > 4).code is Code.CANCELLED
    assert arm.log[-1] == "hold"


def test_old_joint_readings_are_not_moved_by(gate, arm):
    gate.authorise(())

    def disturb(time_s):
        arm.silent = time_s > 10.2

    arm.at_step = disturb
    error = refused(gate, arm)
    assert error.code is Code.STALE and arm.log[-1] == "hold"


def test_an_arm_that_does_not_follow_is_stopped(gate, arm):
    arm.blocked = True
    gate.authorise(())
    error = refused(gate, arm)
    assert error.code is Code.EXECUTION and "does not follow" in error.message


class LateArm(StillArm):
    """Tells its joints a fifth of a second late, as nodes do where time goes fast."""

    def __init__(self) -> None:
        super().__init__()
        self._told = [super().robot()]

    def robot(self) -> RobotState:
        return next(
            (r for r in reversed(self._told) if r.stamp_s <= self.time_s - 0.2), self._told[0]
        )

    def wait(self, duration_s: float) -> None:
        super().wait(duration_s)
        self._told.append(super().robot())


def test_an_arm_whose_joints_are_told_late_is_not_taken_to_be_behind():
    arm = LateArm()
    gate = MotionGate(arm, StillKinematics(), GateLimits(lag_rad=0.05))
    with gate.authorised(()):
        gate.follow(run(), arm)
    assert np.allclose(arm.robot().joint_positions, GOAL, atol=0.01)


def test_a_motion_must_start_where_the_arm_is(gate, arm):
    gate.authorise(())
    elsewhere = timed(np.array([[0.8, 0.7, 0.9], GOAL]), LIMITS)
    error = refused(gate, arm, elsewhere)
    assert error.code is Code.EXECUTION and "start" in error.message
    assert "stream" not in arm.log


@pytest.mark.parametrize(
    ("trajectory", "words"),
    [
        (run(np.array([0.3, 0.0, 1.4])), "range"),
        (run(np.array([0.3, 0.84, 0.5])), "range"),
        (
            timed(np.array([StillKinematics.home, GOAL]), MotionLimits(*[np.full(3, 90.0)] * 2)),
            "rad/s",
        ),
    ],
)
def test_limits(gate, arm, trajectory, words):
    gate.authorise(())
    error = refused(gate, arm, trajectory)
    assert error.code is Code.LIMIT and words in error.message


def test_the_tool_stays_in_its_workspace(arm):
    gate = MotionGate(arm, StillKinematics(), GateLimits(high=(0.5, 0.8, 1.0)))
    gate.authorise(())
    error = refused(gate, arm)
    assert error.code is Code.LIMIT and "workspace" in error.message
    assert arm.robot().gripper.position[0] < 0.5


@pytest.mark.parametrize(
    ("width_m", "force_n"),
    [(0.02, -1.0), (0.02, 81.0), (0.02, np.nan), (-0.01, 9.0), (0.09, 9.0), (np.nan, 9.0)],
)
def test_grips_are_limited(gate, arm, width_m, force_n):
    gate.authorise(())
    with pytest.raises(SaySoError, match="LIMIT"):
        gate.grip(width_m, force_n, arm)
    assert "grip" not in arm.log


def test_positions_that_are_not_numbers_are_refused(gate, arm):
    gate.authorise(())
    trajectory = Trajectory(np.array([0.0, 0.1]), np.full((2, 3), np.nan))
    assert refused(gate, arm, trajectory).code is Code.LIMIT
    assert "stream" not in arm.log


def test_a_tool_pose_that_is_no_number_is_refused(arm):
    """Kinematics that break down at some posture must not let the motion through."""

    class Lost(StillKinematics):
        def forward(self, joints):
            return Pose((np.nan, 0.0, 0.5))

    gate = MotionGate(arm, Lost())
    gate.authorise(())
    assert refused(gate, arm).code is Code.LIMIT
    assert "stream" not in arm.log


def test_the_arm_rests_when_the_senses_fail(gate, arm):
    """An error that the gate did not raise itself must not leave the arm moving."""

    def fail(time_s):
        if time_s > 10.2:
            raise SaySoError(Code.STALE, "no joint reading for 5 s.")

    arm.at_step = fail
    gate.authorise(())
    assert refused(gate, arm).code is Code.STALE
    assert arm.log[-1] == "hold"


def test_after_a_pause_the_motion_goes_on_without_a_jump(gate, arm):
    """The machine stalls for two seconds: the arm rests at the window's end and goes on there."""
    seen = []

    def disturb(time_s):
        seen.append(np.array(arm.robot().joint_positions))
        if len(seen) == 4:
            arm.wait(2.0)

    arm.at_step = disturb
    gate.authorise(())
    gate.follow(run(), arm)
    steps = np.abs(np.diff(seen, axis=0)).max(axis=1)
    assert steps.max() < 0.5 * 0.4 + 1e-6
    assert np.all(np.diff(np.array(seen)[:, 0]) >= -1e-9)
    assert np.allclose(arm.robot().joint_positions, GOAL)


@pytest.mark.parametrize("after_s", [0.2, 60.0])
def test_what_the_robot_tells_of_its_motion_ends_it_at_once(gate, arm, after_s):
    """On the way, and where the arm stands still just short of its goal."""
    told = SaySoError(Code.EXECUTION, "a joint left its path.")
    trajectory = run()
    end_s = arm.time_s + min(after_s, trajectory.duration_s)

    def tell(time_s: float) -> None:
        if time_s >= end_s:
            arm.trouble, arm.blocked = told, True

    arm.at_step = tell
    gate.authorise(())
    assert refused(gate, arm, trajectory) is told
    assert gate.last_refusal is told
    assert arm.log[-1] == "hold"
    assert arm.time_s < end_s + 0.2


def test_a_grip_that_the_hand_refuses_ends_at_once(gate, arm):
    gate.authorise(())
    arm.trouble = SaySoError(Code.EXECUTION, "the goal was rejected.")
    with pytest.raises(SaySoError, match="the goal was rejected"):
        gate.grip(0.02, 10.0, arm)
    assert arm.log[-2:] == ["hold", "hold_grip"]
