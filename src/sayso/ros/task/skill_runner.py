"""Carries out a task's actions with the motion gate open for it, and for nothing else."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from sayso_ros.msg import TaskProgress

from sayso.core.clock import untimely
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.scene import RobotState, Scene
from sayso.core.symbols import Check, SymbolicState
from sayso.mission.new_objects import NewObjectWatch, untouchable
from sayso.reporting.events import Understanding
from sayso.ros.messages.conversions import time_from_msg
from sayso.ros.robot.senses import JOINTS, MOVES_BY, RosSenses
from sayso.ros.runtime.liveliness import START_AGAIN
from sayso.skills.conditions import Condition, Request, fresh_scene, task_conditions
from sayso.skills.gate import MotionGate
from sayso.skills.watch import TaskWatch

JOINTS_S = 0.3
"""Joint readings come at least so often."""


@dataclass(frozen=True)
class Freshness:
    """How old observations may be while the robot moves [s].

    Attributes:
        scene_s, progress_s: on their own clock.
        period_s: at which scenes and verdicts are due; two that are missed end the motion.
    """

    scene_s: float
    progress_s: float
    period_s: float


def live(senses: RosSenses) -> tuple[Condition, ...]:
    """What the gate asks for every motion: the nodes that it takes live, nothing ails the
    robot that its driver knows of, the joints are heard."""

    def ended(_: Request) -> str | None:
        return senses.parts.ended(MOVES_BY)

    def unfelt(_: Request) -> str | None:
        return _why(senses, senses.unheard(JOINTS, JOINTS_S))

    def ailing(_: Request) -> str | None:
        return senses.parts.trouble(("driver",)) or None

    return (
        Condition("nodes live", ended, Code.NODE_UNAVAILABLE, START_AGAIN),
        Condition("the robot is well", ailing, Code.STOPPED, "call driver/recover afterwards."),
        Condition("joints are heard", unfelt, Code.STALE, "see whether the robot's driver runs."),
    )


def _why(senses: RosSenses, silent: str | None) -> str | None:
    """With what the nodes say that ails them."""
    return silent and "; ".join(filter(None, (silent, senses.parts.trouble(MOVES_BY))))


def seen(senses: RosSenses, freshness: Freshness) -> tuple[Condition, ...]:
    """Scenes come as they should; with `live`, what the gate asks for motions among things."""

    def unseen(_: Request) -> str | None:
        return _why(senses, senses.unheard("scene", freshness.period_s))

    look = "see whether the cameras and the perception node run."
    return (
        Condition("scenes are heard", unseen, Code.STALE, look),
        fresh_scene(senses, freshness.scene_s),
    )


class Follower(Protocol):
    """Whoever is told of a task's states besides its watch, and after it."""

    def observe(self, state: SymbolicState) -> None: ...


class SkillRunner:
    """Opens the gate for the confirmed task that is watched, and closes it after each skill."""

    def __init__(self, gate: MotionGate, senses: RosSenses, freshness: Freshness) -> None:
        self._gate = gate
        self._senses = senses
        self._freshness = freshness
        self._watch: TaskWatch | None = None
        self._others: tuple[Follower, ...] = ()
        self._avoid: frozenset[str] = frozenset()
        self._task_id = ""
        self._new_objects: NewObjectWatch | None = None
        senses.on_state(self._observe)

    def begin(
        self,
        task_id: str,
        watch: TaskWatch,
        understanding: Understanding,
        state: SymbolicState,
        library: Library,
    ) -> None:
        """From now on the gate may open for this task, which was confirmed."""
        self._task_id = task_id
        watch.observe(state)
        self._new_objects = NewObjectWatch(understanding, state.objects, library)
        self._avoid = untouchable(understanding)
        self._others = ()
        self._watch = watch

    def noticed(self) -> tuple[Understanding, str]:
        """The task's understanding about what is there now, and what to tell of it.

        Raises GATE_CLOSED without a watched task.
        """
        self._watched()
        self._notice(self._senses.scene())
        assert self._new_objects is not None
        return self._new_objects.understanding, self._new_objects.unannounced()

    def _notice(self, scene: Scene) -> None:
        """What the task forbids of things that turned up is watched at once."""
        if self._new_objects is None or self._watch is None:
            return
        self._new_objects.take_in(scene, self._watch.monitor.extend)
        self._avoid = untouchable(self._new_objects.understanding)

    def also(self, other: Follower, state: SymbolicState) -> None:
        """Tell another of this task's states from now on, beginning with this one."""
        other.observe(state)
        self._others = (*self._others, other)

    def end(self) -> None:
        """The task is over: nothing may move."""
        self._watch, self._others = None, ()

    def carry_out(self, skill: Callable[[frozenset[str]], tuple[Check, ...]]) -> tuple[Check, ...]:
        """Run a skill with the gate open; it is told what must not be touched.

        Raises GATE_CLOSED without a watched task, else what the skill raises.
        """
        try:
            with self._gate.authorised(self.conditions()):
                return skill(self._avoid)
        finally:
            self.finished()

    def finished(self) -> None:
        """A skill ended: the next state is a step of the trace."""
        if (watch := self._watch) is not None:
            watch.skill_finished(self._senses.now_s())

    def would_violate(self, scene: Scene, robot: RobotState) -> str | None:
        """As `TaskWatch.would_violate`, of the task that is watched."""
        return self._watched().would_violate(scene, robot)

    def _watched(self) -> TaskWatch:
        if self._watch is None:
            raise SaySoError(
                Code.GATE_CLOSED,
                "no confirmed task is being watched.",
                hint="send an instruction to /perform_task.",
            )
        return self._watch

    def conditions(self) -> tuple[Condition, ...]:
        """What the gate asks for the task that is watched. Raises GATE_CLOSED without one."""
        watch = self._watched()
        return (
            *live(self._senses),
            *seen(self._senses, self._freshness),
            Condition(
                "fresh verdict",
                self._verdict_is_old,
                Code.STALE,
                "see whether it runs, in its log.",
            ),
            Condition("no verdict against", self._broken, Code.VIOLATED, "give a new instruction."),
            *task_conditions(watch, self._senses),
        )

    def _verdict_is_old(self, _: Request) -> str | None:
        message = self._verdict()
        if message is None:
            return "the automaton node does not watch this task"
        if silent := self._senses.unheard("task_progress", self._freshness.period_s):
            return f"the automaton is silent: {silent}"
        stamp_s = time_from_msg(message.header.stamp)
        trouble = untimely(stamp_s, self._senses.now_s(), self._freshness.progress_s)
        return None if trouble is None else f"the automaton's newest verdict {trouble}"

    def _broken(self, _: Request) -> str | None:
        message = self._verdict()
        if message is not None and message.verdict == TaskProgress.VIOLATED:
            return "the automaton node saw the specification broken"
        return None

    def _verdict(self) -> TaskProgress | None:
        message = self._senses.progress()
        return message if message is not None and message.task_id == self._task_id else None

    def _observe(self, state: SymbolicState) -> None:
        if (watch := self._watch) is not None:
            if self._new_objects is not None and self._new_objects.knows_not_all(state.objects):
                self._notice(self._senses.scene())
            watch.observe(state)
            for follower in self._others:
                follower.observe(state)
