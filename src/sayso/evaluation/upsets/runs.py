"""A task that is upset, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.errors import Code
from sayso.core.symbols import Action
from sayso.pipeline import Outcome
from sayso.reporting.events import Event


@dataclass(frozen=True)
class UpsetTask:
    """An instruction, what is true at its end, and what it forbids to touch or go near."""

    instruction: str
    ends: tuple[str, ...] = ()
    untouched: tuple[str, ...] = ()


@dataclass(frozen=True)
class UpsetRun:
    """What came of a task.

    Attributes:
        upset_at: the action before which it was upset; None if the upset met none.
        reached: whether each part of the end was truly brought about: a task is to bring it
            about, and is not to keep it from being undone.
        kept: whether all of it is true in the end.
        broken: of what the task forbids, what truly came about.
        repairs: of each repair that was taken, the repairer.
        failures: each skill that failed, with why.
    """

    instruction: str
    outcome: Outcome
    upset_at: Action | None
    reached: bool
    kept: bool
    broken: tuple[str, ...]
    repairs: tuple[str, ...]
    failures: tuple[str, ...]


def repairs_of(events: list[Event]) -> tuple[str, ...]:
    """The repairer of each repair that was taken."""
    return tuple(e.plan.planner for e in events if e.is_repair and e.plan and not e.code)


def failures_of(events: list[Event]) -> tuple[str, ...]:
    """Each skill that failed, with why."""
    return tuple(
        f"{e.skill.action}: {e.skill.code.name}: {e.skill.message}"
        for e in events
        if e.skill is not None and e.skill.finished and e.skill.code is not Code.OK
    )
