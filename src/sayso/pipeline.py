"""THE main flow: from words to verified success. Read this first.

    interpret -> read back, confirm or correct -> watch -> plan -> execute -> observe
         ^                                                  ^                    |
         '---- a correction in words, or a lesson           '---- repair --------'

Each stage is one call on `mission.stages.Stages`. The ROS executor implements them with services,
topics and the motion gate; examples and tests implement them in one process.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from sayso.core.clock import Clock, SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Check, Plan, SymbolicState
from sayso.logic.monitor import Progress
from sayso.logic.progression import Verdict
from sayso.mission.confirmation import Confirmation
from sayso.mission.lessons import Lessons
from sayso.mission.recovery import Recovery, TaskLimits
from sayso.mission.stages import PlanRequest, Stages
from sayso.reporting.events import EventEmitter, EventKind, Listener, SkillReport, Understanding


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


def perform(
    instruction: str,
    stages: Stages,
    listener: Listener,
    limits: TaskLimits = TaskLimits(),
    clock: Clock | None = None,
) -> Outcome:
    """Carry out an instruction; every failure becomes an `Outcome`, none is raised."""
    events = EventEmitter(listener, clock or SteadyClock())
    task = _Task(stages, events, limits)
    events.emit(EventKind.INSTRUCTION, "interpret", instruction)
    try:
        outcome = Lessons(stages, events).until_able(lambda: task.run(instruction))
    except SaySoError as error:
        message = "\n".join(filter(None, (error.message, error.pointed_at(instruction))))
        read = task.confirmation.understanding
        outcome = Outcome(error.code, message, error.hint, error.choices, task.verdict, read)
    ended = {"code": outcome.code, "hint": outcome.hint, "choices": outcome.choices}
    events.emit(EventKind.RESULT, events.stage, outcome.message, **ended)
    return outcome


class _Task:
    """One instruction on its way through the stages."""

    def __init__(self, stages: Stages, events: EventEmitter, limits: TaskLimits) -> None:
        self.stages = stages
        self.events = events
        self.limits = limits
        self.confirmation = Confirmation(stages, events, limits.corrections)

    def run(self, instruction: str) -> Outcome:
        """Agree on the meaning; then make it true, if it is not."""
        self.recovery = Recovery(self.limits, self.events, self.confirmation.ask, self.stages)
        self.verdict = Verdict.POSSIBLE
        understanding = self.confirmation.agree(instruction)
        state, progress = self.watch(understanding)
        if progress.verdict is Verdict.SATISFIED:
            text = "It is true already; nothing had to be done."
            return Outcome(Code.ALREADY_SATISFIED, text, "", (), progress.verdict, understanding)
        return self.pursue(understanding, state, progress)

    def pursue(
        self, understanding: Understanding, state: SymbolicState, progress: Progress
    ) -> Outcome:
        """Plan and act until the observed trace satisfies the specification."""
        while progress.verdict is not Verdict.SATISFIED:
            rounds = progress.rounds
            try:
                self.act(self.plan(understanding, state, progress))
            except SaySoError as error:
                self.recover(error)
            self.events.stage = "observe"
            understanding = self.notice(understanding)
            state, progress = self.observe()
            if progress.rounds > rounds:
                self.recovery.begin_round()
        return Outcome(Code.OK, self.done(), "", (), progress.verdict, understanding)

    def watch(self, understanding: Understanding) -> tuple[SymbolicState, Progress]:
        """Begin to follow the specification; a broken one ends the task."""
        self.events.stage = "watch"
        state, progress = self.stages.watch(understanding)
        self.recovery.observed(state)
        self.follow(progress)
        return state, progress

    def plan(self, understanding: Understanding, state: SymbolicState, progress: Progress) -> Plan:
        """A plan for what remains, without what failed too often; one that failed, repaired."""
        self.events.stage = "plan"
        request = PlanRequest(state, progress, self.recovery.excluded)
        plan = self.recovery.next_plan(
            lambda: self.stages.plan(understanding, request), self.stages.remaining(request)
        )
        self.events.emit(EventKind.PLAN, "plan", plan=plan)
        return plan

    def act(self, plan: Plan) -> None:
        """Execute the steps in order; the first failure ends it."""
        if not plan.steps:
            text = "nothing is left to do, but the goal is not observed to be reached."
            raise SaySoError(Code.POSTCONDITION, text, hint="see the states in the report.")
        for index in range(len(plan.steps)):
            self.events.stage = "execute"
            self.require_not_cancelled()
            self.execute(plan, index)
            self.observe()

    def execute(self, plan: Plan, index: int) -> None:
        """One skill, told before and after."""
        action = plan.actions[index]
        attempt = self.recovery.attempt(action)

        def report(checks: tuple[Check, ...], finished: bool, error: SaySoError | None) -> None:
            why = (error.code, error.message) if error else (Code.OK, "")
            skill = SkillReport(action, index, attempt, finished, checks, *why)
            self.events.emit(EventKind.SKILL, "execute", skill=skill)

        try:
            checks = self.stages.execute(
                action, index, attempt, lambda checks: report(checks, False, None)
            )
        except SaySoError as error:
            self.recovery.skill_failed(plan, index, error)
            report(error.checks, True, error)
            raise
        self.recovery.skill_done(action)
        report(checks, True, None)

    def observe(self) -> tuple[SymbolicState, Progress]:
        """The state after what was done; a broken specification ends the task."""
        state, progress = self.stages.observe()
        self.recovery.observed(state)
        self.follow(progress)
        return state, progress

    def notice(self, understanding: Understanding) -> Understanding:
        """The understanding about what is there now; tells what turned up."""
        understanding, told = self.stages.notice(understanding)
        if told:
            self.events.emit(EventKind.MESSAGE, "observe", told)
        return understanding

    def recover(self, error: SaySoError) -> None:
        """Return to go on with a repaired plan from what is observed, or raise to give up."""
        if error.code is Code.VIOLATED:  # by the gate, which looks oftener: the verdict follows
            with suppress(SaySoError):
                self.observe()
        self.recovery.go_on_after(error)
        self.require_not_cancelled()
        text = f"{error.code.name}: {error.message} Looking again."
        self.events.emit(EventKind.MESSAGE, "recover", text)

    def follow(self, progress: Progress) -> None:
        """Report progress; a broken specification ends the task."""
        self.verdict = progress.verdict
        self.events.emit(EventKind.PROGRESS, "observe", progress=progress)
        if progress.verdict is Verdict.VIOLATED:
            text = "the specification was observed to be broken and can no longer be met."
            hint = "look at the trace in the report; then give a new instruction."
            raise SaySoError(Code.VIOLATED, text, hint=hint)

    def done(self) -> str:
        """The result in words, with what is not certain of it."""
        text = "Done: every part was observed to be true."
        if uncertain := self.stages.possible_violations():
            text += f" But {'; and '.join(uncertain)}."
        return text

    def require_not_cancelled(self) -> None:
        """Raises CANCELLED if the person asked to end the task."""
        if self.stages.cancelled():
            raise SaySoError(Code.CANCELLED, "the task was cancelled; the arm is at rest.")
