"""What a check of a robot's parts found: levels as in ROS's `diagnostic_msgs`."""

from __future__ import annotations

from dataclasses import dataclass
from enum import IntEnum


class Level(IntEnum):
    """How bad it is: an ERROR keeps the robot from its tasks, a WARN may."""

    OK = 0
    WARN = 1
    ERROR = 2


@dataclass(frozen=True)
class Diagnostic:
    """What is so of a part.

    Attributes:
        part: a topic, a camera, a driver.
        text: what was found, with figures and units.
        cure: what to do about it; empty where all is well.
    """

    level: Level
    part: str
    text: str
    cure: str = ""


def ok(part: str, text: str) -> Diagnostic:
    return Diagnostic(Level.OK, part, text)


def warn(part: str, text: str, cure: str) -> Diagnostic:
    return Diagnostic(Level.WARN, part, text, cure)


def wrong(part: str, text: str, cure: str) -> Diagnostic:
    return Diagnostic(Level.ERROR, part, text, cure)
