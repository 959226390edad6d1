"""Constants that exist twice, in a message and in Python, are equal. Needs no ROS."""

from __future__ import annotations

import re
from enum import IntEnum
from pathlib import Path

import pytest

from sayso.core.errors import Code
from sayso.logic.progression import Verdict
from sayso.reporting.events import EventKind
from sayso.ros.nodes.feedback_log import FeedbackKind

MESSAGES = Path(__file__).parents[2] / "msg"
CONSTANT = re.compile(r"^u?int\d+ ([A-Z][A-Z_0-9]*) *= *(-?\d+)", re.MULTILINE)


@pytest.mark.parametrize(
    ("message", "enum"),
    [
        ("Status", Code),
        ("TaskEvent", EventKind),
        ("TaskProgress", Verdict),
        ("Feedback", FeedbackKind),
    ],
)
def test_constants_are_equal(message: str, enum: type[IntEnum]) -> None:
    text = (MESSAGES / f"{message}.msg").read_text()
    constants = {name: int(value) for name, value in CONSTANT.findall(text)}
    assert constants == {member.name: member.value for member in enum}
