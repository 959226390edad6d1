"""BLADE's generalisation tasks on the kinematic play table, with behaviours learned from play.

Everything is learned from generated plays, which show none of the goals; words are read, plans
made, watched and repaired by the project's own pipeline. Motions are not: a behaviour does what
most of its pieces of play show. What is judged is the table's true state in the end.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, lru_cache
from importlib import resources
from time import perf_counter
from typing import Any

import numpy as np
import yaml

from sayso.core.errors import Code
from sayso.evaluation.blade.learning import learned_from
from sayso.evaluation.blade.options import LABELS
from sayso.evaluation.blade.stages import KinematicTable, PlayTableStages
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.learning.behaviours.learner import LearnedBehaviours
from sayso.mission.recovery import TaskLimits
from sayso.pipeline import perform
from sayso.worlds.kinematic_play.player import play
from sayso.worlds.kinematic_play.table import PlayTable

_SHOWN = 14
"""Behaviours in each play."""
_FIRST_START = 10_000
"""Starts are drawn by other seeds than plays."""
_LIMITS = TaskLimits(failures=12, attempts=3)


class Generalisation:
    """Success by kind of task.

    Args:
        plays: that are learned from, of 14 behaviours each.
        wrong: share of annotations that are wrong.
        labels: see `options.LABELS`.
        misread: chance that a thing is seen grossly wrong in a scene, while tasks are done.
        starts: initial states for each task.
        learnings: how often all is learned anew, from other plays.
        geometric, finding: whether needs in the now are looked at, and hidden things looked for.
    """

    def __init__(
        self,
        plays: int,
        wrong: float,
        labels: str,
        misread: float,
        starts: int,
        learnings: int,
        geometric: bool,
        finding: bool,
    ) -> None:
        self._learned = (plays, wrong, labels)
        self._misread = misread
        self._starts, self._learnings = starts, learnings
        self._geometric, self._finding = geometric, finding

    def cases(self) -> Sequence[Case]:
        return [
            Case(
                f"{task['name']} {start} {learning}",
                task["kind"],
                {"task": number, "start": start, "learning": learning},
            )
            for learning in range(self._learnings)
            for number, task in enumerate(tasks())
            for start in range(self._starts)
        ]

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is what the true state of the table shows."""
        learned, learn_s = learned_from_play(*self._learned, case.data["learning"])
        start = case.data["start"]
        options = tasks()[case.data["task"]]["variations"]
        task = options[start % len(options)]
        table = started(_FIRST_START + start, task["start"])
        table.reads_wrong = self._misread
        stages = PlayTableStages(
            KinematicTable(table, learned), learned, self._geometric, self._finding
        )
        began = perf_counter()
        outcome = perform(task["say"], stages, lambda _: None, _LIMITS)
        measures: dict[str, Measure] = {
            "behaviours done": len(stages.done),
            "task s": perf_counter() - began,
            "learning s": learn_s,
            "said to be done": outcome.succeeded,
        }
        reached = table.shows(task["goal"])
        code = Code.OK if reached else outcome.code or Code.POSTCONDITION
        return Outcome(reached, code, measures, "" if reached else outcome.message)

    def summary(self, rows: Sequence[Row]) -> str:
        """The paper's figures beside these."""
        ours = {k: [r.success for r in rows if r.group == k] for k in _PAPER}
        lines = [
            "| kind of task | done here | tries | BLADE, learned states | BLADE, true states |",
            "|---|---|---|---|---|",
        ]
        for kind, (learned, true) in _PAPER.items():
            if ours[kind]:
                share = 100 * float(np.mean(ours[kind]))
                count = len(ours[kind])
                lines.append(f"| {kind} | {share:.0f} % | {count} | {learned} % | {true} % |")
        lines += [
            "",
            "Here motions always do what plays show; the paper's are carried out in physics.",
        ]
        return "\n".join(lines)


_PAPER: Mapping[str, tuple[float, float]] = {
    "abstract goal": (68.3, 76.1),
    "geometric constraint": (26.7, 56.7),
    "partial observability": (75.8, 70.0),
}
"""Table 1 of Liu et al., CoRL 2024."""


@cache
def tasks() -> Sequence[Mapping[str, Any]]:
    """The tasks with their variations."""
    file = resources.files("sayso.evaluation.blade") / "tasks.yaml"
    return tuple(yaml.safe_load(file.read_text(encoding="utf-8")))


@lru_cache(maxsize=1)
def learned_from_play(
    plays: int, wrong: float, labels: str, learning: int
) -> tuple[LearnedBehaviours, float]:
    """What so many plays teach, and how long that took [s]."""
    first = 1000 * learning
    shown = [play(first + number, _SHOWN, wrong) for number in range(plays)]
    began = perf_counter()
    return learned_from(shown, wrong, labels == LABELS[1]), perf_counter() - began


def started(seed: int, start: Mapping[str, Any]) -> PlayTable:
    """A table as a task begins: what the task says, and all else by chance."""
    table = PlayTable.drawn(seed)
    for name in ("drawer", "slider", "switch"):
        if name in start:
            setattr(table, name, float(start[name]))
    table.led = bool(start.get("led", table.led))
    for name in table.blocks:
        place = start.get(name, start.get("blocks", "table" if start.get("drawer") == 0 else ""))
        if place:
            table.put_away(name, place)
    return table
