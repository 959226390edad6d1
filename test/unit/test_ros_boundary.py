"""An action succeeds exactly if its code is a success; a defect never ends the node."""

from __future__ import annotations

import logging
from typing import Any

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built")

from sayso_ros.action import ExecuteSkill
from sayso_ros.msg import Status

from sayso.core.errors import Code, SaySoError
from sayso.ros.runtime.boundary import receiving, run_goal, status_of


class Goal:
    """The part of a goal handle that ends a goal."""

    def __init__(self, cancelling: bool = False) -> None:
        self.is_cancel_requested = cancelling
        self.ended = ""

    def succeed(self) -> None:
        self.ended = "succeeded"

    def canceled(self) -> None:
        self.ended = "canceled"

    def abort(self) -> None:
        self.ended = "aborted"


def ending(code: Code) -> Any:
    def work(_: Any) -> Code:
        if code in (Code.OK, Code.ALREADY_SATISFIED):
            return code
        raise SaySoError(code, "the cause.", hint="the next step.")

    return work


@pytest.mark.parametrize(
    ("code", "cancelling", "ended"),
    [
        (Code.OK, False, "succeeded"),
        (Code.ALREADY_SATISFIED, False, "succeeded"),
        (Code.OK, True, "succeeded"),
        (Code.CANCELLED, True, "canceled"),
        (Code.CANCELLED, False, "aborted"),
        (Code.VETO, True, "aborted"),
        (Code.NO_PLAN, False, "aborted"),
    ],
)
def test_how_a_goal_ends(code: Code, cancelling: bool, ended: str) -> None:
    goal = Goal(cancelling)
    result = run_goal("execute", goal, ExecuteSkill.Result(), ending(code))
    assert goal.ended == ended
    assert result.status.code == code


def test_a_defect_is_unknown_with_its_traceback_in_the_log(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise KeyError("surprise")

    monkeypatch.setattr(logging.getLogger("sayso"), "propagate", True)
    status = status_of("plan", broken)
    assert (status.code, status.stage) == (Status.UNKNOWN, "plan")
    assert "surprise" in status.message and status.hint
    assert "in broken" in caplog.text


def test_a_named_failure_keeps_its_stage() -> None:
    def fails() -> None:
        raise SaySoError(Code.NO_PLAN, "no way.", stage="search")

    assert status_of("plan", fails).stage == "search"


def test_a_message_that_cannot_be_used_is_passed_over_and_told_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[int] = []

    def take(message: int) -> None:
        if message < 0:
            raise SaySoError(Code.INVALID, "negative.")
        taken.append(10 // message)

    monkeypatch.setattr(logging.getLogger("sayso"), "propagate", True)
    guarded = receiving("/numbers", take)
    for message in (5, -1, -1, 0, 0, 2, -1):
        guarded(message)
    assert taken == [2, 5]
    told = [r.getMessage() for r in caplog.records]
    assert [("negative" in t, "ZeroDivisionError" in t) for t in told] == [
        (True, False),
        (False, True),
        (True, False),
    ]
    assert all("/numbers" in t for t in told)
