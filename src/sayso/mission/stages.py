"""The stages of a task, as the main flow (`pipeline.perform`) calls them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from typing import Protocol

from sayso.core.symbols import Action, Check, Plan, PlanStep, SymbolicState
from sayso.logic.monitor import Progress
from sayso.planning.problem import PlanningProblem
from sayso.planning.repair import Repairer
from sayso.planning.repairers import model_free
from sayso.reporting.events import Understanding


class Decision(Enum):
    """What the person said to the reading of their words."""

    YES = "yes"
    NO = "no"
    CORRECTION = "correction"


@dataclass(frozen=True)
class Answer:
    """A decision; `words` holds the correction."""

    decision: Decision
    words: str = ""


ReportSkill = Callable[[tuple[Check, ...]], None]


class Lesson(Protocol):
    """A skill that somebody can show the robot."""

    @property
    def tried(self) -> str:
        """What came of it in thought, for the person; "" where it was not tried out."""

    @property
    def recorded(self) -> Path | None:
        """Where what is shown stays, whatever comes of the lesson; None where nobody records it."""

    def learn(self) -> str:
        """What was learned of it, in words, when it was shown.

        Raises:
            SaySoError: where nothing was shown, or nothing could be learned of it.
        """

    def correct(self, words: str) -> str:
        """What was learned, as the person corrects it; as it was where an error is raised.

        Raises:
            SaySoError: where the words are not understood, or cannot be so.
        """

    def keep(self) -> None:
        """From now on the robot has the skill."""


@dataclass(frozen=True)
class PlanRequest:
    """From where a plan is wanted.

    Attributes:
        state: as it was observed last.
        progress: where the automaton stands in it.
        excluded: actions that keep failing.
    """

    state: SymbolicState
    progress: Progress
    excluded: frozenset[Action] = frozenset()

    @property
    def avoid(self) -> frozenset[tuple[str, tuple[str, ...]]]:
        """As `PlanningProblem.avoid`."""
        return frozenset((a.name, a.args) for a in self.excluded)


class Stages(Protocol):
    """The stages of a task. Each raises `SaySoError` on failure.

    Those that have a body are so where nobody is asked, nothing new turns up, and all is observed.
    """

    def interpret(self, instruction: str) -> Understanding:
        """Words to a specification and its meaning in English.

        Where the words are clear but not which things they mean, the understanding has that
        `trouble` and is not grounded.
        """

    def correct(self, understanding: Understanding, words: str) -> Understanding:
        """A corrected version of a specification."""

    def confirm(self, understanding: Understanding) -> Answer:
        """The person's answer to the meaning read back, or the standing policy's.

        If the understanding has a `trouble`, that is what is asked, and a correction answers it;
        whoever cannot be asked says yes.
        """
        return Answer(Decision.YES)

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        """Begin to follow the specification's automaton, from the present state on."""

    def notice(self, understanding: Understanding) -> tuple[Understanding, str]:
        """The understanding, with its prohibitions said of things that turned up since it was
        confirmed, and what the person is told of them; the same and "" if there are none."""
        return understanding, ""

    def observe(self) -> tuple[SymbolicState, Progress]:
        """The state observed after all that was done, and where the automaton stands in it."""

    def plan(self, understanding: Understanding, request: PlanRequest) -> Plan:
        """A validated plan for what remains."""

    def remaining(self, request: PlanRequest) -> PlanningProblem | None:
        """What remains, as the problem of which `plan` gives a solution; None where that is no
        matter of the library's operators alone."""
        return None

    def meant_now(
        self, steps: tuple[PlanStep, ...], seen: SymbolicState | None = None
    ) -> tuple[PlanStep, ...]:
        """The rest of a plan, each step as the action that it is from the present state on.

        Args:
            seen: another state, in place of the present one.
        """
        return steps

    def repairers(
        self, solve: Callable[[PlanningProblem], Plan], *, keep_plan: bool
    ) -> Sequence[Repairer]:
        """Who is asked after a failure, in this order; see `planning.repairers.model_free`."""
        return model_free(solve, keep_plan=keep_plan, meant=self.meant_now)

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        """Run a skill through the motion gate; its effects as observed.

        Calls `started` with the precondition checks before anything moves.
        """

    def lesson(self, skill: str) -> Lesson | None:
        """A skill that is lacking, to be shown; None where nobody is there to show it.

        Args:
            skill: in words, as in `SkillLackingError`.
        """
        return None

    def cancelled(self) -> bool:
        """Whether the person asked to end the task; may raise CANCELLED to tell how it went."""
        return False

    def possible_violations(self) -> tuple[str, ...]:
        """In English, what may have broken the specification though it was not observed to."""
        return ()
