"""Carries out a task's actions with the motion gate open for it, and for nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sayso_ros.msg import TaskProgress

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Check, SymbolicState
from sayso.events import Understanding
from sayso.logic.analysis import forbidden
from sayso.pipeline import ReportSkill
from sayso.ros.conversions import time_from_msg
from sayso.ros.ros_senses import RosSenses
from sayso.skills.execute import SkillExecutor
from sayso.skills.gate import Condition, MotionGate, Request
from sayso.skills.watch import TaskWatch


@dataclass(frozen=True)
class Freshness:
    """How old observations may be while the arm moves, on their own clock [s]."""

    scene_s: float
    progress_s: float


class SkillRunner:
    """Opens the gate for the confirmed task that is watched, and closes it after each skill."""

    def __init__(
        self, gate: MotionGate, skills: SkillExecutor, senses: RosSenses, freshness: Freshness
    ) -> None:
        self._gate = gate
        self._skills = skills
        self._senses = senses
        self._freshness = freshness
        self._watch: TaskWatch | None = None
        self._avoid: frozenset[str] = frozenset()
        self._task_id = ""
        senses.on_state(self._observe)

    def begin(
        self, task_id: str, watch: TaskWatch, understanding: Understanding, state: SymbolicState
    ) -> None:
        """From now on the gate may open for this task, which was confirmed."""
        self._task_id = task_id
        watch.observe(state)
        self._avoid = untouchable(understanding)
        self._watch = watch

    def end(self) -> None:
        """The task is over: nothing may move."""
        self._watch = None

    def execute(
        self,
        action: Action,
        started: ReportSkill,
        phase: Callable[[str], None],
        cancelled: Callable[[], bool],
    ) -> tuple[Check, ...]:
        """Raises GATE_CLOSED without a watched task, else what the skill raises."""
        watch = self._watch
        if watch is None:
            raise SaySoError(
                Code.GATE_CLOSED,
                "no confirmed task is being watched.",
                hint="send an instruction to /perform_task.",
            )
        try:
            with self._gate.authorised(self._conditions(watch)):
                return self._skills.execute(
                    action, self._avoid, started=started, phase=phase, cancelled=cancelled
                )
        finally:
            watch.skill_finished(self._senses.now_s())

    def _conditions(self, watch: TaskWatch) -> tuple[Condition, ...]:
        return (
            Condition(
                "fresh scene",
                self._scene_is_old,
                Code.STALE,
                "see whether the cameras and the perception node run.",
            ),
            Condition(
                "fresh verdict",
                self._verdict_is_old,
                Code.STALE,
                "see whether the perception and automaton nodes run.",
            ),
            Condition(
                "not violated",
                lambda _: self._broken(watch),
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
                lambda request: watch.would_violate(self._senses.scene(), request.predicted),
                Code.VETO,
            ),
        )

    def _scene_is_old(self, request: Request) -> str | None:
        age_s = self._senses.now_s() - self._senses.scene().stamp_s
        if age_s <= self._freshness.scene_s:
            return None
        return f"the newest scene is {age_s:.1f} s old: the cameras or perception are silent"

    def _verdict_is_old(self, request: Request) -> str | None:
        message = self._verdict()
        if message is None:
            return "the automaton node does not watch this task"
        age_s = self._senses.now_s() - time_from_msg(message.header.stamp)
        if age_s <= self._freshness.progress_s:
            return None
        return f"the automaton's newest verdict is {age_s:.1f} s old"

    def _broken(self, watch: TaskWatch) -> str | None:
        message = self._verdict()
        violated = message is not None and message.verdict == TaskProgress.VIOLATED
        if violated or watch.violated:
            return "the specification was observed to be broken"
        return None

    def _verdict(self) -> TaskProgress | None:
        message = self._senses.progress()
        return message if message is not None and message.task_id == self._task_id else None

    def _observe(self, state: SymbolicState) -> None:
        if (watch := self._watch) is not None:
            watch.observe(state)


def _doubt(watch: TaskWatch) -> str | None:
    if not watch.doubts:
        return None
    unknown = ", ".join(map(str, watch.doubts))
    return f"it is not observed any more whether a 'never' still holds: {unknown} is unknown"


def untouchable(understanding: Understanding) -> frozenset[str]:
    """Objects that the specification says must never be touched: motions keep well off them."""
    return frozenset(
        str(prop.args[0])
        for prop in forbidden(understanding.specification.formula)
        if prop.predicate in ("touching", "holding") and prop.args
    )
