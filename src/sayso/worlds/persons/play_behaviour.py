"""What a behaviour of a person who plays is, and how the hand is held in it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from sayso.core.geometry import Array, Pose
from sayso.worlds.persons.hand_plans import OPEN_M, Touch, Via, tool_at
from sayso.worlds.persons.play_sight import Sight

Things = Mapping[str, str]
Options = Callable[[Sight], Iterator[Things]]
Ways = Callable[[Sight, Things, np.random.Generator], "list[Via] | None"]
Done = Callable[[Sight, Sight, Things], bool]

X, Y, Z = np.eye(3)
FINGERS = np.array([0.024, 0.0105])
"""Half extents of the closed fingers along and across the direction in which they close [m]."""
AIR_M = 0.018
"""Before what is pushed [m]."""
CLOSED = Touch("close", 0.0, "")
OPENED = Touch("open", OPEN_M, "")


@dataclass(frozen=True)
class Behaviour:
    """One of them.

    Attributes:
        options: the things with which it could be done now, by role.
        ways: where the hand goes; None where it is not possible so.
        done: whether it was, from what was seen before and after.
        say: what people say of it, with roles in braces.
        often: how often it is shown for each time that others are.
    """

    options: Options
    ways: Ways
    done: Done
    say: tuple[str, ...] = ()
    often: int = 1


def down(position: Array, yaw: float = 0.0) -> Pose:
    return tilted(position, np.array([np.cos(yaw), np.sin(yaw), 0.0]), 0.0)


def tilted(position: Array, closing: Array, tilt: float) -> Pose:
    """The hand from above, tilted so that it reaches forward, to +y."""
    approach = np.sin(tilt) * Y - np.cos(tilt) * Z
    approach = approach - (approach @ closing) * closing
    return tool_at(position, approach / np.linalg.norm(approach), closing)
