"""What must hold, of the observed world and of the task, while anything moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sayso.core.clock import untimely
from sayso.core.errors import Code
from sayso.core.scene import RobotState
from sayso.skills.senses import Senses
from sayso.skills.watch import TaskWatch


@dataclass(frozen=True)
class Request:
    """What is about to be sent.

    Attributes:
        kind: "move", "grip", "drive", "operate" a device of the building, or "rest" while hand,
            arm or base come to rest.
        robot: as it is now.
        predicted: as it will be `GateLimits.foresight_s` later if the motion goes on; a base that
            drives is seen where it would come to rest if it were stopped one piece later.
    """

    kind: str
    robot: RobotState
    predicted: RobotState


@dataclass(frozen=True)
class Condition:
    """Something that must hold for the robot to move.

    Attributes:
        check: gives the reason if it does not hold.
        hint: what a person can do then.
    """

    name: str
    check: Callable[[Request], str | None]
    code: Code = Code.VETO
    hint: str = ""


def task_conditions(watch: TaskWatch, senses: Senses) -> tuple[Condition, ...]:
    """The task is not broken, not in doubt, and not about to break."""

    return (
        Condition(
            "not violated",
            lambda _: "the specification was observed to be broken" if watch.violated else None,
            Code.VIOLATED,
            "give a new instruction.",
        ),
        Condition(
            "not in doubt",
            lambda _: _doubt(watch),
            Code.VETO,
            "bring it back into view, ask again.",
        ),
        Condition(
            "nothing about to break",
            lambda request: watch.would_violate(senses.scene(), request.predicted),
            Code.VETO,
        ),
    )


def fresh_scene(senses: Senses, fresh_s: float) -> Condition:
    """The newest scene tells numbers and is at most this old, on its own clock [s]."""

    def scene_is_old(_: Request) -> str | None:
        scene = senses.scene()
        if not scene.finite:
            return "the newest scene has a value that is not a number"
        trouble = untimely(scene.stamp_s, senses.now_s(), fresh_s)
        return None if trouble is None else f"the newest scene {trouble}"

    return Condition(
        "fresh scene",
        scene_is_old,
        Code.STALE,
        "see whether the cameras and the perception node run.",
    )


def _doubt(watch: TaskWatch) -> str | None:
    if not watch.doubts:
        return None
    unknown = ", ".join(map(str, watch.doubts))
    return f"it is not observed any more whether a 'never' still holds: {unknown} is unknown"
