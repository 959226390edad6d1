"""What carrying out a plan is reduced to, as the outcome of a case."""

from __future__ import annotations

from collections.abc import Mapping

from sayso.core.errors import Code
from sayso.evaluation.cape.stages import Course
from sayso.evaluation.cape.trial import Trial
from sayso.evaluation.cases import Measure, Outcome


def carried_out(trial: Trial, course: Course) -> Outcome:
    """The outcome of a plan that a strategy carried out."""
    shown, correct = bool(course.refused), bool(course.correct)
    steps = len(trial.taken)
    measures: dict[str, Measure] = {
        "executable": course.executable, "correct": correct,
        "executable as it is": course.executable and not shown,
        "correct as it is": correct and not shown and not course.completed,
        "error shows": shown, "corrections": course.corrections,
        "completed": course.completed, "steps": steps,
        "affordable": steps / (steps + course.refused) if steps + course.refused else 1.0,
    }  # fmt: skip
    if shown:
        measures["correct where the error shows"] = correct
    if course.asked:
        measures["person asked"] = course.asked
    if course.repair_s:
        measures["repair CPU s"] = sum(course.repair_s) / len(course.repair_s)
    code = course.code or (Code.OK if course.executable else Code.PRECONDITION)
    return judged(measures, code, " | ".join(course.reasons))


def judged(measures: Mapping[str, Measure], code: Code, detail: str) -> Outcome:
    """Success is that every step could be taken and the goal is reached."""
    good = bool(measures["executable"] and measures["correct"])
    return Outcome(good, code, measures, detail)
