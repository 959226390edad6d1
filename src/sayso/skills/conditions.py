"""What must hold, of the observed world and of the task, while anything moves."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from sayso.core.clock import untimely
from sayso.core.errors import Code
from sayso.core.scene import AttributeValue, RobotState, Scene
from sayso.skills.senses import Senses
from sayso.skills.watch import TaskWatch


@dataclass(frozen=True)
class DeviceOrder:
    """What a device of the building is told: the value that an attribute of it shall have."""

    name: str
    attribute: str
    wanted: AttributeValue


@dataclass(frozen=True)
class Request:
    """What is about to be sent.

    Attributes:
        kind: "move", "grip", "drive", "operate" a device of the building, or "rest" while hand,
            arm or base come to rest.
        robot: as it is now.
        predicted: as it will be `GateLimits.foresight_s` later if the motion goes on; a base that
            drives is seen where it would come to rest if it were stopped one piece later.
        order: what a device of the building is told, if that is what is sent.
    """

    kind: str
    robot: RobotState
    predicted: RobotState
    order: DeviceOrder | None = None

    def foreseen(self, scene: Scene) -> Scene:
        """A scene as it will be once a device has done what it is told."""
        order = self.order
        if order is None:
            return scene
        done = tuple(
            replace(o, attributes={**o.attributes, order.attribute: order.wanted})
            if o.name == order.name
            else o
            for o in scene.objects
        )
        return replace(scene, objects=done)


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
            lambda _: _unknown(watch),
            Code.VETO,
            "bring it back into view, ask again.",
        ),
        Condition(
            "nothing about to break",
            lambda request: watch.would_violate(
                request.foreseen(senses.scene()), request.predicted
            ),
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


def _unknown(watch: TaskWatch) -> str | None:
    if not watch.unknown_atoms:
        return None
    unknown = ", ".join(map(str, watch.unknown_atoms))
    return f"it is not observed any more whether a 'never' still holds: {unknown} is unknown"
