"""What must hold, of the observed world and of the task, while anything moves."""

from __future__ import annotations

from sayso.core.clock import untimely
from sayso.core.errors import Code
from sayso.skills.gate import Condition, Request
from sayso.skills.senses import Senses
from sayso.skills.watch import TaskWatch


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
