"""What must hold, of the observed world and of the task, while anything moves."""

from __future__ import annotations

from sayso.core.errors import Code
from sayso.skills.gate import Condition, Request
from sayso.skills.senses import Senses
from sayso.skills.watch import TaskWatch


def task_conditions(watch: TaskWatch, senses: Senses, fresh_s: float) -> tuple[Condition, ...]:
    """The scene is fresh; the task is not broken, not in doubt, and not about to break.

    Args:
        fresh_s: age at which a scene is too old to move by, on its own clock.
    """

    return (
        fresh_scene(senses, fresh_s),
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
    """The newest scene is at most this old, on its own clock [s]."""

    def scene_is_old(_: Request) -> str | None:
        age_s = senses.now_s() - senses.scene().stamp_s
        if age_s <= fresh_s:
            return None
        return f"the newest scene is {age_s:.1f} s old: the cameras or perception are silent"

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
