"""Has a plan in words carried out in VirtualHome by the main flow, as a strategy says."""

from __future__ import annotations

import random

from sayso import pipeline
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel
from sayso.evaluation.cape.asking import Words
from sayso.evaluation.cape.stages import MOST_STEPS, Course, WordsStages
from sayso.evaluation.cape.strategies import Strategy
from sayso.evaluation.cape.trial import Trial
from sayso.mission.recovery import TaskLimits

_LIMITS = TaskLimits(failures=MOST_STEPS)
"""Corrections have a limit of their own, which counts those that no failed step is behind."""
_NO_ANSWER = (Code.MODEL_UNAVAILABLE, Code.MODEL_TIMEOUT)


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
    stages = WordsStages(
        trial, words, strategy, goal_known=goal_known and strategy.replans, model=model,
        rng=rng or random.Random(0),
    )  # fmt: skip
    ended = pipeline.perform(trial.world.task.title, stages, stages.listen, _LIMITS)
    course = stages.course
    if not ended.succeeded:
        error = SaySoError(ended.code, ended.message, hint=ended.hint, choices=ended.choices)
        if ended.code in _NO_ANSWER:
            raise error
        course.executable &= stages.stopped
        course.code = ended.code
        course.reasons.append(str(error))
    course.asked = stages.person.asked
    if course.correct is None:
        course.correct = trial.correct
    return course
