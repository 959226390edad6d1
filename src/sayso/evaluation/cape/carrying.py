"""Carries a plan out in VirtualHome, and does about failures what a strategy says."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from time import process_time

from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.ports import LanguageModel
from sayso.core.symbols import Atom
from sayso.evaluation.cape.asking import Said, SoFar, Words
from sayso.evaluation.cape.repairing import Mender, left_of
from sayso.evaluation.cape.strategies import Strategy
from sayso.evaluation.cape.trial import Trial
from sayso.evaluation.cape.wordings import english
from sayso.planning.words import Cause, told
from sayso.worlds.virtualhome.graph import library
from sayso.worlds.virtualhome.planning import about
from sayso.worlds.virtualhome.tasks import Step
from sayso.worlds.virtualhome.world import action_of, lacking, step_of

MOST_CORRECTIONS = 20
"""After so many a plan is given up."""
MOST_STEPS = 150
"""A plan is not longer; a third of it is, in the data set's own."""
MOST_REPEATED = 10
"""A plan that says the same so often from one state goes on for ever."""
_NO_ANSWER = (Code.MODEL_UNAVAILABLE, Code.MODEL_TIMEOUT)


@dataclass
class Course:
    """How carrying out a plan went.

    Attributes:
        executable: every step could be taken in the end.
        correct: whether the goal was reached where the plan is judged: at its end, or where its
            first step could not be taken and nothing was done about that.
        refused: steps that could not be taken when they were tried.
        corrections: repairs of failed steps, replies asked for anew, further translations tried.
        completed: whether the goal was not reached at the plan's end, and was planned for.
        asked: how often the person was.
        code: why carrying out ended early.
        repair_s: of each repair, the processor's time of finding it.
        reasons: what was repaired, and how.
    """

    executable: bool = True
    correct: bool | None = None
    refused: int = 0
    corrections: int = 0
    completed: bool = False
    asked: int = 0
    code: Code = Code.OK
    repair_s: list[float] = field(default_factory=list)
    reasons: list[str] = field(default_factory=list)


def carry_out(
    trial: Trial,
    words: Words,
    strategy: Strategy,
    *,
    goal_known: bool,
    model: LanguageModel | None = None,
    rng: random.Random | None = None,
) -> Course:
    """Takes the steps of a plan, with what a strategy does where one cannot be taken.

    Args:
        goal_known: repairs see the goal, and what it wants beyond the plan is planned for, if the
            strategy replans; else they see the plan alone.
        model: for a strategy whose chain asks one.
        rng: of the errors of affordances.

    Raises:
        SaySoError: MODEL_UNAVAILABLE or MODEL_TIMEOUT; POSTCONDITION where automaton and graph
            differ. What else ends a plan early is in the course.
    """
    mender = Mender(trial, strategy, goal_known and strategy.replans, model)
    return _Run(trial, words, strategy, mender, rng or random.Random(0)).follow(
        complete=goal_known and strategy.replans
    )


@dataclass(frozen=True)
class _Refusal:
    """A step that could not be taken; no failure where the words mean no action."""

    text: str
    failure: Failure | None

    def told(self, cause: Cause) -> str:
        """As much of it as a cause says."""
        if self.failure is not None:
            return told(self.failure, library().predicates, cause)
        why = " because there is no such action" if cause is Cause.EXPLICIT else ""
        return "Task failed." if cause is Cause.SUCCESS_ONLY else f"I cannot {self.text}{why}."


class _NothingAffordableError(SaySoError):
    """Ends a plan of which every step that was chosen could be taken."""


class _Run:
    def __init__(
        self, trial: Trial, words: Words, strategy: Strategy, mender: Mender, rng: random.Random
    ) -> None:
        self._trial, self._words, self._strategy = trial, words, strategy
        self._mender, self._rng = mender, rng
        self._course = Course()
        self._said: list[str] = []
        self._mended_to_the_goal = False
        self._failures: tuple[str, ...] = ()
        self._repeated: Counter[tuple[frozenset[Atom], str]] = Counter()

    def follow(self, *, complete: bool) -> Course:
        """Goes to the end of the plan, and beyond it where the goal or a person says more."""
        course = self._course
        try:
            self._follow(self._more())
            if complete and not self._trial.correct:
                self._complete()
            if self._strategy.asks_person and not self._trial.correct:
                self._mender.person.asked += 1
                self._follow(_as_said(left_of(self._trial)))
        except SaySoError as error:
            if error.code in _NO_ANSWER:
                raise
            course.executable &= isinstance(error, _NothingAffordableError)
            course.code = error.code
            course.reasons.append(str(error))
        course.asked = self._mender.person.asked
        if course.correct is None:
            course.correct = self._trial.correct
        return course

    def _follow(self, rest: tuple[Said, ...]) -> None:
        while rest and not self._has_no_end(rest[0]):
            rest = self._after(rest) or self._more()

    def _more(self) -> tuple[Said, ...]:
        if self._mended_to_the_goal:
            return ()
        used = (thing for step in self._trial.world.done for thing in step.things)
        return self._words.more(SoFar(tuple(self._said), self._failures, tuple(used)))

    def _has_no_end(self, said: Said) -> bool:
        """Whether the plan is too long, or says the same again and again to no effect."""
        key = (self._trial.world.observe().true_atoms(), said.text)
        self._repeated[key] += 1
        steps = len(self._trial.taken) + self._course.refused
        if steps < MOST_STEPS and self._repeated[key] <= MOST_REPEATED:
            return False
        self._course.code = Code.PLAN_INVALID
        self._course.reasons.append(f"the plan has no end: '{said.text}' after {steps} steps")
        return True

    def _after(self, rest: tuple[Said, ...]) -> tuple[Said, ...]:
        """What is left after the first step was taken, or something was done about it."""
        refusal = _Refusal(rest[0].text, None)
        for number, step in enumerate(self._chosen(rest[0])):
            if number:
                self._correct()
            failure = self._failure(step)
            if failure is None:
                self._failures = ()
                return rest[1:]
            refusal = _Refusal(rest[0].text, failure)
        self._course.refused += refusal.failure is None
        return self._without(refusal, rest)

    def _chosen(self, said: Said) -> tuple[Step, ...]:
        """The translations to try."""
        wrong = self._strategy.affordance_error
        if wrong is None or not said.steps:
            return said.steps[: self._strategy.tries]
        state = self._trial.world.observe()
        for step in said.steps:
            if (not lacking(action_of(step, state), state)) != (self._rng.random() < wrong):
                return (step,)
        raise _NothingAffordableError(
            Code.NO_PLAN, f"no action like '{said.text}' is said to be possible."
        )

    def _failure(self, step: Step) -> Failure | None:
        """Takes a step; what stood in the way, if anything did."""
        state = self._trial.world.observe()
        action = action_of(step, state)
        try:
            self._trial.take(action)
        except SaySoError as error:
            if error.code not in (Code.PRECONDITION, Code.EXECUTION):
                raise
            self._course.refused += 1
            return Failure(action, error.code, lacking(action, state), error.message)
        self._said.append(english(step))
        return None

    def _without(self, refusal: _Refusal, rest: tuple[Said, ...]) -> tuple[Said, ...]:
        """What is done about a step that could not be taken."""
        strategy = self._strategy
        if strategy.repairs:
            self._correct()
            return self._mended(refusal, rest)
        if strategy.cause is not None:
            self._correct()
            self._failures += (refusal.told(strategy.cause),)
            return ()
        if strategy.tries > 1:
            message = refusal.told(Cause.EXPLICIT)
            raise SaySoError(Code.PRECONDITION, f"{message} It is the last of what was said.")
        self._leave(refusal)
        return rest[1:]

    def _leave(self, refusal: _Refusal) -> None:
        """Goes on as though the step had been taken; the plan is judged by what was reached."""
        if self._course.correct is None:
            self._course.correct = self._trial.correct
            self._course.executable = False
        failure = refusal.failure
        self._said.append(english(step_of(failure.action)) if failure else refusal.text)

    def _mended(self, refusal: _Refusal, rest: tuple[Said, ...]) -> tuple[Said, ...]:
        if refusal.failure is None:
            self._failures += (refusal.told(Cause.EXPLICIT),)
            self._course.reasons.append(f"'{refusal.text}' is like no action, and is left out")
            return rest[1:]
        started_s = process_time()
        plan = self._mender.mended(refusal.failure, [s.steps[0] for s in rest if s.steps])
        self._course.repair_s.append(process_time() - started_s)
        self._course.reasons.append(f"{refusal.failure.message} ({plan.planner})")
        steps = tuple(map(step_of, plan.actions))
        if rest[0].steps[0] not in steps:  # else it would be said again
            self._said.append(english(rest[0].steps[0]))
        self._mended_to_the_goal = self._mender.goal_known
        return _as_said(steps)

    def _correct(self) -> None:
        """Counts a correction. Raises NO_PLAN for one too many."""
        if self._course.corrections >= MOST_CORRECTIONS:
            raise SaySoError(Code.NO_PLAN, f"the plan was corrected {MOST_CORRECTIONS} times.")
        self._course.corrections += 1

    def _complete(self) -> None:
        self._course.completed = True
        problem = about(self._mender.problem(), ())
        self._course.reasons.append("the goal was not reached at the end of the plan")
        self._mended_to_the_goal = True
        self._follow(_as_said(map(step_of, self._mender.solve(problem).actions)))


def _as_said(steps: Iterable[Step]) -> tuple[Said, ...]:
    return tuple(Said(english(step), (step,)) for step in steps)
