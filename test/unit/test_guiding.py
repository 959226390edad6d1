"""An arm that is guided: it goes while something is wished for, and rests soon after."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.adapters.planners.ompl_motion import OmplMotionPlanner
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.robots.kinematics import ArmKinematics
from sayso.robots.loading import load_robot
from sayso.skills.arm import Arm
from sayso.skills.conditions import Condition, Request
from sayso.skills.gate import MotionGate
from sayso.skills.gate_limits import GateLimits
from sayso.skills.guiding import FASTEST_M_S, STILL, Guided, Wish, guide, kept_off
from sayso.skills.setpoints import Observation
from sayso.skills.settings import SkillSettings
from sayso.skills.trajectory import MotionLimits
from support.still_arm import StillArm, StillKinematics

AHEAD = Wish((0.1, 0.0, 0.0))
DOWN = Wish((0.0, 0.0, -0.1))
CLOSE, OPEN = Wish(fingers=-1), Wish(fingers=1)
TABLE_Z = 0.4
AT_REST_S = 0.3


class Board:
    """A planner that knows a table alone."""

    def blocked(self, path, obstacles, *, held=None):
        return "the table" if path[:, 2].min() < TABLE_Z else None


class Rig:
    """A person who wishes for what a script says, second by second."""

    def __init__(self, *script: tuple[float, Wish]) -> None:
        self.senses = StillArm()
        self.gate = MotionGate(self.senses, StillKinematics(), GateLimits())
        self.gate.authorise(self.conditions())
        self.told: list[str] = []
        self.course: list[tuple[float, np.ndarray]] = []
        self._begun_s = self.senses.time_s
        self._script = script
        self._end_s = sum(s for s, _ in script)
        self.senses.at_step = lambda _: self.course.append((self.time_s, self.place))
        arm = Arm(StillKinematics(), Board(), self.gate, self.senses, cancelled=self.over)
        with pytest.raises(SaySoError) as ended:
            guide(arm, self.wish, lambda _: (), self.told.append)
        self.ended = ended.value

    @property
    def time_s(self) -> float:
        return self.senses.time_s - self._begun_s

    @property
    def place(self) -> np.ndarray:
        return np.array(self.senses.robot().joint_positions)

    def over(self) -> bool:
        return self.time_s > self._end_s

    def conditions(self) -> tuple[Condition, ...]:
        return ()

    def wish(self) -> Wish:
        left_s = self.time_s
        for lasts_s, wish in self._script:
            if left_s < lasts_s:
                return wish
            left_s -= lasts_s
        return STILL

    def moved_after(self, time_s: float) -> bool:
        at = np.array([place for stamp_s, place in self.course if stamp_s >= time_s])
        return bool(np.ptp(at, axis=0).max() > 1e-6)


def test_the_hand_goes_as_wished_and_rests_once_nothing_is_wished_for():
    rig = Rig((1.0, AHEAD), (1.0, STILL))
    x, y, z = rig.place - StillKinematics.home
    assert x == pytest.approx(0.1, abs=0.015) and (y, z) == pytest.approx((0.0, 0.0), abs=1e-6)
    assert rig.moved_after(0.5) and not rig.moved_after(1.0 + AT_REST_S)
    assert rig.ended.code is Code.CANCELLED and not rig.told


def test_nothing_moves_while_nothing_is_wished_for():
    rig = Rig((1.0, STILL))
    assert "stream" not in rig.senses.log


def test_who_wishes_for_nothing_has_gone():
    senses = StillArm()
    gate = MotionGate(senses, StillKinematics(), GateLimits())
    gate.authorise(())
    guide(Arm(StillKinematics(), Board(), gate, senses), lambda: STILL, lambda _: (), print, 3.0)
    assert senses.time_s >= 13.0 and "stream" not in senses.log


def test_a_hand_is_led_no_faster_than_it_may():
    rig = Rig((1.0, Wish((9.0, 0.0, 0.0))), (0.5, STILL))
    assert rig.place[0] - StillKinematics.home[0] <= FASTEST_M_S * (1.0 + AT_REST_S)


def test_what_is_in_the_way_ends_the_wish_alone():
    rig = Rig((2.0, DOWN), (0.3, STILL), (1.0, Wish((0.0, 0.0, 0.1))), (0.5, STILL))
    assert rig.told == ["a setpoint leads into the table."]
    lowest = min(place[2] for _, place in rig.course)
    assert TABLE_Z <= lowest < TABLE_Z + 0.02 and rig.place[2] > lowest + 0.05


def test_where_nothing_is_seen_for_long_it_rests_and_goes_on_once_it_is_wished_for_anew():
    unseen_s = 2 * SkillSettings().stale_patience_s

    class Unseen(Rig):
        def conditions(self) -> tuple[Condition, ...]:
            def unseen(_: Request) -> str | None:
                return "no scene comes" if 0.5 < self.time_s < unseen_s else None

            return (Condition("scenes are heard", unseen, Code.STALE, "look."),)

    rig = Unseen((unseen_s + 1.0, AHEAD), (0.3, STILL), (1.0, AHEAD), (0.5, STILL))
    assert rig.ended.code is Code.CANCELLED and rig.told == ["no scene comes."]
    resting = [place[0] for stamp_s, place in rig.course if 1.5 < stamp_s < unseen_s + 1.2]
    assert np.ptp(resting) < 1e-6 and rig.moved_after(unseen_s + 1.3)


def test_fingers_move_while_the_hand_stays():
    rig = Rig((1.0, AHEAD), (1.0, CLOSE), (0.5, STILL))
    assert rig.senses.width_m == 0.0 and rig.senses.log.count("grip") == 1
    grip = rig.senses.log.index("grip")
    assert "stream" not in rig.senses.log[grip:]


def test_fingers_that_are_let_go_stay_where_they_are():
    rig = Rig((0.06, CLOSE), (0.5, STILL))
    assert "hold_grip" in rig.senses.log[rig.senses.log.index("grip") :]


def test_a_stop_ends_it():
    class Stopped(Rig):
        def wish(self) -> Wish:
            if self.time_s > 0.5 and not self.gate._stops.held:
                self.gate.stop("test")
            return super().wish()

    rig = Stopped((2.0, AHEAD))
    assert rig.ended.code is Code.STOPPED
    assert set(rig.senses.log[rig.senses.log.index("hold") :]) == {"hold"}


def test_an_arm_with_turning_joints_goes_straight_and_turns():
    arm, here = ArmKinematics(), np.array(load_robot("panda").home)
    limits = MotionLimits(arm.velocity_limits, arm.acceleration_limits)
    begin, velocity, place = arm.forward(here), np.zeros(len(here)), here
    policy = Guided(lambda: Wish((0.1, 0.0, 0.0), (0.0, 0.0, 0.5)), arm, limits)
    for i in range(21):
        seen = Observation(0.05 * i, None, None, place, velocity, 0.05)  # type: ignore[arg-type]
        setpoint = policy(seen)
        assert setpoint is not None
        velocity, place = (setpoint - place) / 0.05, setpoint
    end = arm.forward(place)
    x, y, z = np.subtract(end.position, begin.position)
    assert x == pytest.approx(0.1, abs=0.01) and (y, z) == pytest.approx((0.0, 0.0), abs=2e-3)
    turned = (begin.inverse() @ end).orientation
    assert 2 * np.arccos(abs(turned[3])) == pytest.approx(0.5, abs=0.06)


def test_where_the_arm_reaches_no_farther_it_says_so():
    class Short(StillKinematics):
        def inverse(self, target: Pose, seed, *, anywhere=True):
            return None if target.position[0] > 0.35 else super().inverse(target, seed)

    arm = Short()
    limits = MotionLimits(arm.velocity_limits, arm.acceleration_limits)
    policy, place, velocity = Guided(lambda: AHEAD, arm, limits), arm.home, np.zeros(3)
    with pytest.raises(SaySoError) as error:
        for i in range(40):
            seen = Observation(0.05 * i, None, None, place, velocity, 0.05)  # type: ignore[arg-type]
            setpoint = policy(seen)
            assert setpoint is not None
            velocity, place = (setpoint - place) / 0.05, setpoint
    assert error.value.code is Code.UNREACHABLE


def scene_with(hand: RobotState, **places: tuple[float, float, float]) -> Scene:
    """Bottles that stand at places."""
    things = (SceneObject(n, "bottle", "", p, (0.06, 0.06, 0.3)) for n, p in places.items())
    return Scene(hand.stamp_s, tuple(things), hand)


def test_the_arm_keeps_off_what_is_seen_but_not_off_what_the_fingers_are_led_to():
    hand = RobotState(0.0, gripper=Pose((0.5, 0.0, 0.2)))
    scene = scene_with(hand, near=(0.58, 0.0, 0.15), far=(0.5, 0.3, 0.15))
    assert [o.name for o in kept_off(scene, SkillSettings())] == ["the table", "far"]


def test_a_guided_arm_strikes_no_bottle_with_its_elbow_and_gets_away_from_one():
    arm, home = ArmKinematics(), np.array(load_robot("panda").home)
    planner = OmplMotionPlanner()
    hand = RobotState(0.0, gripper=arm.forward(home), joint_positions=tuple(home))
    elbow = 0.5 * np.asarray(hand.gripper.position)
    beside = scene_with(hand, bottle=(float(elbow[0]), 0.2, 0.5))
    turned = home + np.eye(len(home))[0]
    settings = SkillSettings()
    assert planner.blocked(np.array([home, turned]), kept_off(beside, settings)) == "bottle"
    at = scene_with(hand, bottle=(float(elbow[0]), 0.0, 0.5))
    assert planner.blocked(np.array([home, turned]), kept_off(at, settings)) is None
