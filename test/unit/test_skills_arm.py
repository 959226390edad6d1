"""The arm rests while observations are old, and goes on when they are fresh again."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import Obstacle
from sayso.skills.arm import Arm
from sayso.skills.conditions import Condition
from sayso.skills.gate import MotionGate
from sayso.skills.settings import SkillSettings
from support.still_arm import StillArm, StillKinematics

PATH = np.array([[0.3, 0.0, 0.5], [0.3, 0.4, 0.5], [0.6, 0.4, 0.5]])
SETTINGS = SkillSettings(stale_patience_s=2.0)


def follow(old_from_s: float, old_until_s: float, code: Code = Code.STALE) -> StillArm:
    """Follow PATH while observations are old for some time, counted from the start."""
    still = StillArm()
    begin_s = still.time_s
    gate = MotionGate(still, StillKinematics())
    arm = Arm(StillKinematics(), None, gate, still, SETTINGS)  # type: ignore[arg-type]

    def old(_: object) -> str | None:
        return "old" if old_from_s <= still.time_s - begin_s < old_until_s else None

    with gate.authorised([Condition("fresh", old, code)]):
        arm.follow(PATH)
    return still


@pytest.mark.parametrize("until_s", [0.4, 1.0, 2.0])
def test_a_pause_does_not_end_the_motion(until_s):
    still = follow(0.3, until_s)
    np.testing.assert_allclose(still.robot().joint_positions, PATH[-1], atol=0.01)


def test_the_arm_rests_meanwhile():
    assert "hold" in follow(0.3, 1.0).log[:-1]
    assert "hold" not in follow(99.0, 99.0).log[:-1]


def test_patience_ends():
    with pytest.raises(SaySoError, match="old") as caught:
        follow(0.3, 99.0)
    assert caught.value.code is Code.STALE


def test_patience_begins_anew_after_the_arm_went_on():
    still = StillArm()
    begin_s = still.time_s
    gate = MotionGate(still, StillKinematics())
    arm = Arm(StillKinematics(), None, gate, still, SETTINGS)  # type: ignore[arg-type]
    # 1.5 s old, 0.5 s fresh, over and over: longer in all than the patience for one pause.
    old = lambda _: "old" if (still.time_s - begin_s) % 2.0 < 1.5 else None  # noqa: E731
    with gate.authorised([Condition("fresh", old, Code.STALE)]):
        arm.follow(PATH)
    assert still.time_s - begin_s > 2 * SETTINGS.stale_patience_s
    np.testing.assert_allclose(still.robot().joint_positions, PATH[-1], atol=0.01)


def test_other_refusals_are_final():
    with pytest.raises(SaySoError) as caught:
        follow(0.3, 1.0, Code.VETO)
    assert caught.value.code is Code.VETO


@pytest.mark.parametrize(("held", "factor"), [(False, 1.0), (True, 5.0)])
def test_with_something_in_a_hand_that_does_not_hold_firmly_the_arm_moves_slowly(held, factor):
    def taken_s(settings: SkillSettings) -> float:
        still = StillArm()
        begin_s = still.time_s
        gate = MotionGate(still, StillKinematics())
        planner = SimpleNamespace(plan=lambda *_, **__: PATH)
        arm = Arm(StillKinematics(), planner, gate, still, settings)  # type: ignore[arg-type]
        load = Obstacle("mug", "box", Pose(), (0.05, 0.05, 0.05)) if held else None
        with gate.authorised(()):
            arm.go(PATH[-1], (), load)
        return still.time_s - begin_s

    freely_s = taken_s(SkillSettings(speed=0.5))
    assert taken_s(SkillSettings(speed=0.5, held_share=0.2)) == pytest.approx(
        factor * freely_s, rel=0.35
    )
