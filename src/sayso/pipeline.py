"""THE main flow: from words to verified success. Read this first.

    interpret -> read back, confirm or correct -> watch -> plan -> execute -> observe
         ^                                                  ^                    |
         '---- a correction in words                        '---- replan --------'

Each stage is one call on `Stages`. The ROS executor implements them with services, topics
and the motion gate; examples and tests implement them in one process.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from enum import Enum
from typing import Protocol

from sayso.core.clock import Clock, SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Check, Plan, PlanStep, SymbolicState
from sayso.logic.monitor import Progress
from sayso.logic.progression import Verdict
from sayso.reporting.events import Event, EventKind, Listener, SkillReport, Understanding


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


class Stages(Protocol):
    """The stages of a task. Each raises `SaySoError` on failure."""

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

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        """Begin to follow the specification's automaton, from the present state on."""

    def notice(self, understanding: Understanding) -> tuple[Understanding, str]:
        """The understanding, with its prohibitions said of things that turned up since it was
        confirmed, and what the person is told of them; the same and "" if there are none."""

    def observe(self) -> tuple[SymbolicState, Progress]:
        """The state observed after all that was done, and where the automaton stands in it."""

    def plan(
        self,
        understanding: Understanding,
        state: SymbolicState,
        progress: Progress,
        excluded: frozenset[Action],
    ) -> Plan:
        """A validated plan for what remains, without the excluded actions."""

    def execute(
        self, action: Action, step: int, attempt: int, started: ReportSkill
    ) -> tuple[Check, ...]:
        """Run a skill through the motion gate; its effects as observed.

        Calls `started` with the precondition checks before anything moves.
        """

    def cancelled(self) -> bool:
        """Whether the person asked to end the task; may raise CANCELLED to tell how it went."""

    def doubts(self) -> tuple[str, ...]:
        """In English, what may have broken the specification though it was not observed to."""


@dataclass(frozen=True)
class Policy:
    """Bounds on corrections and recovery.

    Attributes:
        corrections: turns in which the person may correct the reading.
        failures: skills that may fail before the task is given up.
        attempts: times that one action may fail before plans must do without it.
    """

    corrections: int = 5
    failures: int = 6
    attempts: int = 2


@dataclass(frozen=True)
class Outcome:
    """How a task ended."""

    code: Code
    message: str
    hint: str = ""
    choices: tuple[str, ...] = ()
    verdict: Verdict = Verdict.POSSIBLE
    understanding: Understanding | None = None

    @property
    def succeeded(self) -> bool:
        return self.code in (Code.OK, Code.ALREADY_SATISFIED)


RECOVERABLE = frozenset(
    {
        Code.PRECONDITION,
        Code.POSTCONDITION,
        Code.EXECUTION,
        Code.UNREACHABLE,
        Code.OBJECT_LOST,
        Code.VETO,
    }
)
"""After these the world is observed anew and replanned for; others end the task."""

MISUNDERSTOOD = frozenset(
    {
        Code.NOT_UNDERSTOOD,
        Code.UNKNOWN_OBJECT,
        Code.AMBIGUOUS,
        Code.CONTRADICTION,
        Code.UNSUPPORTED,
        Code.INVALID,
        Code.MODEL_UNAVAILABLE,
        Code.MODEL_TIMEOUT,
        Code.MODEL_REPLY,
    }
)
"""After these a correction changes nothing, and the person is asked again."""


def perform(
    instruction: str,
    stages: Stages,
    listener: Listener,
    policy: Policy = Policy(),
    clock: Clock | None = None,
) -> Outcome:
    """Carry out an instruction; every failure becomes an `Outcome`, none is raised."""
    task = _Task(stages, listener, policy, clock or SteadyClock())
    try:
        outcome = task.run(instruction)
    except SaySoError as error:
        outcome = Outcome(
            error.code,
            "\n".join(filter(None, (error.message, error.pointed_at(instruction)))),
            error.hint,
            error.choices,
            task.verdict,
            task.understanding,
        )
    task.say(
        EventKind.RESULT,
        task.stage,
        outcome.message,
        code=outcome.code,
        hint=outcome.hint,
        choices=outcome.choices,
    )
    return outcome


def question(understanding: Understanding) -> str:
    """What a person is asked about a reading: which thing is meant, or whether it is right."""
    if understanding.trouble is None:
        return "Is this what you mean?"
    spec = understanding.specification.specification
    words = " / ".join((spec.instruction, *spec.corrections))
    lines = (words, understanding.trouble.message, understanding.trouble.hint)
    return "\n".join(filter(None, lines))


def _told(error: SaySoError, words: str) -> str:
    """A failure in lines for a person, with carets under the words at fault."""
    choices = f"Valid: {', '.join(error.choices)}" if error.choices else ""
    hint = f"Next: {error.hint}" if error.hint else ""
    return "\n".join(filter(None, (error.message, error.pointed_at(words), choices, hint)))


@dataclass
class _Task:
    stages: Stages
    listener: Listener
    policy: Policy
    clock: Clock
    stage: str = "interpret"
    verdict: Verdict = Verdict.POSSIBLE
    understanding: Understanding | None = None
    started_s: float = 0.0
    failed: Counter[Action] = field(default_factory=Counter)
    last: SaySoError | None = None

    def run(self, instruction: str) -> Outcome:
        self.started_s = self.clock.now_s()
        self.say(EventKind.INSTRUCTION, "interpret", instruction)
        understanding = self.agree(instruction)
        self.stage = "watch"
        state, progress = self.stages.watch(understanding)
        self.follow(progress)
        if progress.verdict is Verdict.SATISFIED:
            text = "It is true already; nothing had to be done."
            return Outcome(Code.ALREADY_SATISFIED, text, "", (), progress.verdict, understanding)
        return self.pursue(understanding, state, progress)

    def agree(self, instruction: str) -> Understanding:
        """Interpret, then let the person confirm or correct until they agree."""
        self.stage = "interpret"
        understanding = self.stages.interpret(instruction)
        for _ in range(self.policy.corrections + 1):
            self.understanding = understanding
            self.say(EventKind.SPECIFICATION, "interpret", "", understanding=understanding)
            self.stage = "confirm"
            answer = self.stages.confirm(understanding)
            if answer.decision is Decision.YES:
                return self.settled(understanding)
            if answer.decision is Decision.NO:
                break
            self.say(EventKind.MESSAGE, "confirm", f"Correction: {answer.words}")
            understanding = self.corrected(understanding, answer.words)
        raise SaySoError(
            Code.NOT_CONFIRMED,
            "the reading was not confirmed; nothing was moved.",
            hint="say it in other words, or correct the part that was misread.",
        )

    def settled(self, understanding: Understanding) -> Understanding:
        """The understanding, if it is clear which things it means."""
        if understanding.trouble is not None:
            self.stage = "interpret"
            raise understanding.trouble
        return understanding

    def corrected(self, understanding: Understanding, words: str) -> Understanding:
        """The reading after a correction; as before, and why, if that was not understood."""
        self.stage = "interpret"
        try:
            return self.stages.correct(understanding, words)
        except SaySoError as error:
            if error.code not in MISUNDERSTOOD:
                raise
            self.say(EventKind.MESSAGE, "confirm", _told(error, words))
            return understanding

    def pursue(
        self, understanding: Understanding, state: SymbolicState, progress: Progress
    ) -> Outcome:
        """Plan and act until the observed trace satisfies the specification."""
        failures = 0
        while progress.verdict is not Verdict.SATISFIED:
            rounds = progress.rounds
            try:
                self.act(self.plan(understanding, state, progress))
            except SaySoError as error:
                failures += 1
                self.recover(error, failures)
            self.stage = "observe"
            understanding = self.noticed(understanding)
            state, progress = self.stages.observe()
            self.follow(progress)
            if progress.rounds > rounds:  # in the next one everything is tried anew
                failures = 0
                self.failed.clear()
        return Outcome(Code.OK, self.done(), "", (), progress.verdict, understanding)

    def noticed(self, understanding: Understanding) -> Understanding:
        """The understanding about what is there now; tells what turned up."""
        understanding, told = self.stages.notice(understanding)
        if told:
            self.say(EventKind.MESSAGE, "observe", told)
        return understanding

    def done(self) -> str:
        """The result in words, with what is not certain of it."""
        text = "Done: every part was observed to be true."
        if doubts := self.stages.doubts():
            text += f" But {'; and '.join(doubts)}."
        return text

    def plan(self, understanding: Understanding, state: SymbolicState, progress: Progress) -> Plan:
        self.stage = "plan"
        excluded = frozenset(a for a, n in self.failed.items() if n >= self.policy.attempts)
        try:
            plan = self.stages.plan(understanding, state, progress, excluded)
        except SaySoError as error:
            raise self.with_failures(error, excluded) from error
        self.say(EventKind.PLAN, "plan", plan=plan)
        return plan

    def with_failures(self, error: SaySoError, excluded: frozenset[Action]) -> SaySoError:
        """The planner's error, told together with the failures that led to it."""
        if not excluded or self.last is None:
            return error
        names = ", ".join(sorted(map(str, excluded)))
        return SaySoError(
            error.code,
            f"{names} failed {self.policy.attempts} times and is not tried again; without it: "
            f"{error.message} The last failure: {self.last.message}",
            hint=self.last.hint or error.hint,
            choices=error.choices,
        )

    def act(self, plan: Plan) -> None:
        """Execute the steps in order; the first failure ends it."""
        if not plan.steps:
            raise SaySoError(
                Code.POSTCONDITION,
                "nothing is left to do, but the goal is not observed to be reached.",
                hint="look at the observed states in the report.",
            )
        for index, step in enumerate(plan.steps):
            self.stage = "execute"
            self.require_not_cancelled()
            self.skill(step, index)
            _, progress = self.stages.observe()
            self.follow(progress)

    def skill(self, step: PlanStep, index: int) -> None:
        action = step.action
        attempt = self.failed[action] + 1

        def report(checks: tuple[Check, ...], finished: bool, error: SaySoError | None) -> None:
            code, message = (error.code, error.message) if error else (Code.OK, "")
            skill = SkillReport(action, index, attempt, finished, checks, code, message)
            self.say(EventKind.SKILL, "execute", skill=skill)

        try:
            checks = self.stages.execute(
                action, index, attempt, lambda checks: report(checks, False, None)
            )
        except SaySoError as error:
            self.failed[action] += 1
            self.last = error
            report((), True, error)
            raise
        report(checks, True, None)

    def recover(self, error: SaySoError, failures: int) -> None:
        """Return to go on with a new plan from what is observed, or raise to give up."""
        if error.code not in RECOVERABLE:
            raise error
        if failures > self.policy.failures:
            raise SaySoError(
                error.code,
                f"given up after {failures} failed skills; the last: {error.message}",
                hint=error.hint,
                choices=error.choices,
            ) from error
        self.require_not_cancelled()
        text = f"{error.code.name}: {error.message} Looking again and replanning."
        self.say(EventKind.MESSAGE, "recover", text)

    def follow(self, progress: Progress) -> Progress:
        """Report progress; a broken specification ends the task."""
        self.verdict = progress.verdict
        self.say(EventKind.PROGRESS, "observe", progress=progress)
        if progress.verdict is Verdict.VIOLATED:
            raise SaySoError(
                Code.VIOLATED,
                "the specification was observed to be broken and can no longer be met.",
                hint="look at the trace in the report; then give a new instruction.",
            )
        return progress

    def require_not_cancelled(self) -> None:
        if self.stages.cancelled():
            raise SaySoError(Code.CANCELLED, "the task was cancelled; the arm is at rest.")

    def say(self, kind: EventKind, stage: str, text: str = "", **fields: object) -> None:
        elapsed_s = self.clock.now_s() - self.started_s
        self.listener(Event(kind, stage, elapsed_s, text, **fields))  # type: ignore[arg-type]
