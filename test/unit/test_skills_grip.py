"""What the hand feels when it closes: nothing, something else, or that it cannot close."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import RobotState
from sayso.skills import handling
from sayso.skills.grasps import Grasp
from sayso.skills.settings import SkillSettings


def felt(
    width_m: float, monkeypatch: pytest.MonkeyPatch, *, hold_m: float | None = None
) -> list[str]:
    """What is done about a hand that opens 11 cm and came to rest so wide; raises as it does."""
    did: list[str] = []
    monkeypatch.setattr(handling, "_draw_back", lambda *_: did.append("draw back"))
    arm: Any = SimpleNamespace(
        settings=SkillSettings(open_width_m=0.11),
        senses=SimpleNamespace(robot=lambda: RobotState(gripper_max_width_m=0.11)),
        grip=lambda width: did.append(f"open to {width}"),
    )
    task: Any = SimpleNamespace(arm=arm, phase=lambda _: None)
    try:
        handling._require_felt(task, Grasp(Pose(), 0.11, hold_m=hold_m), "iron", width_m)
    except SaySoError as error:
        assert error.code is Code.EXECUTION and did == ["open to 0.11", "draw back"]
        return [error.message]
    return did


def test_what_keeps_the_fingers_apart_is_held(monkeypatch: pytest.MonkeyPatch) -> None:
    assert felt(0.06, monkeypatch) == []
    assert felt(0.107, monkeypatch) == []


@pytest.mark.parametrize(
    ("width_m", "said"),
    [(0.001, "closed on nothing"), (0.1095, "could not close"), (0.11, "could not close")],
)
def test_what_is_not_held_is_let_go(
    width_m: float, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert said in felt(width_m, monkeypatch)[0]


def test_another_width_than_the_things_is_not_that_thing(monkeypatch: pytest.MonkeyPatch) -> None:
    assert "should be 60 mm wide" in felt(0.1, monkeypatch, hold_m=0.06)[0]
