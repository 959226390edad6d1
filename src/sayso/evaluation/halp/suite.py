"""Skills taught by a simulated person on two shapes of each family, tried on shapes never seen.

The families' shape spaces are learned from eight training shapes. Demonstrations alternate between
two of these; the person shows again what fails. Everything is geometry: clouds from all around with
a millimetre of noise, no camera and no physics.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache, partial
from time import perf_counter

import numpy as np

from sayso.adapters import registry
from sayso.core.geometry import Pose
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.evaluation.halp.judging import Pinch, judge
from sayso.evaluation.halp.taught import shown_skill
from sayso.learning.skills.skill import Attempt, TaughtSkill
from sayso.learning.skills.taught_skills import learned_from
from sayso.worlds.persons.hand_plans import PLANS
from sayso.worlds.table.placed import placed, seen
from sayso.worlds.table.shapes.families import seeds

_START = Pose((0.30, 0.0, 0.45), (1.0, 0.0, 0.0, 0.0))


class TaughtSkills:
    """Success of taught skills by task, learner and number of demonstrations."""

    def __init__(
        self,
        tasks: Sequence[str],
        learners: Sequence[str],
        demonstrations: Sequence[int],
        unseen: int,
    ) -> None:
        self._kinds = [(t, x, n) for t in tasks for x in learners for n in demonstrations]
        self._unseen = seeds("unseen")[:unseen]

    def cases(self) -> Sequence[Case]:
        return [
            Case(
                f"{task} {learner} {count} {seed}",
                f"{task}, {learner}, {count} demonstrations",
                {"task": task, "learner": learner, "count": count, "shape": seed},
            )
            for task, learner, count in self._kinds
            for seed in self._unseen
        ]

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is what the judge of the true shapes says."""
        task, shape = case.data["task"], case.data["shape"]
        skill, learn_s = taught(task, case.data["learner"], case.data["count"])
        rng = np.random.default_rng([shape, 1])
        things = placed(PLANS[task].families, shape, rng)
        scene = seen(tuple(things.values()), _START, 0.0, rng)
        began = perf_counter()
        attempt = skill.attempt(scene, {p: thing.name for p, thing in things.items()})
        fit_s = perf_counter() - began
        course, step_s = _played(attempt)
        judgement = judge(task, things, course)
        measures: dict[str, Measure] = {
            "learning s": learn_s, "shape fit s": fit_s / len(things), "step ms": 1e3 * step_s
        }  # fmt: skip
        return Outcome(judgement.done, measures=measures, detail=judgement.why)

    def summary(self, rows: Sequence[Row]) -> str:
        """Why attempts failed."""
        reasons: dict[str, dict[str, int]] = defaultdict(lambda: defaultdict(int))
        for row in rows:
            if not row.success:
                reasons[row.group][row.detail.splitlines()[-1] if row.detail else row.code] += 1
        lines = [
            f"- {group}: " + "; ".join(f"{why} ({n})" for why, n in sorted(found.items()))
            for group, found in reasons.items()
        ]
        return "\n".join(["Failures:", "", *lines]) if lines else ""


@lru_cache(maxsize=1)
def taught(task: str, learner: str, count: int) -> tuple[TaughtSkill, float]:
    """The skill learned from so many demonstrations, and the seconds that learning took."""
    shown = shown_skill(task, count, learner)
    began = perf_counter()
    skill = learned_from(shown, partial(registry.create, "motion_learner"))
    return skill, perf_counter() - began


def _played(attempt: Attempt) -> tuple[list[Pinch], float]:
    """Where the hand went, and the mean seconds of a step."""
    course: list[Pinch] = []
    began = perf_counter()
    while (setpoint := attempt.next()) is not None:
        course.append((setpoint.tool, setpoint.gripper_width_m))
    return course, (perf_counter() - began) / len(course)
