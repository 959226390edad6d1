"""BLADE's generalisation tasks at the play table, with behaviours learned from play.

Everything is learned from generated plays, which show none of the goals; words are read, plans
made, watched and repaired by the project's own pipeline. On the table without physics motions are
not: a behaviour does what most of its pieces of play show. In physics the arm does what it learned
of their motions. What is judged is the table's true state in the end.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cache
from importlib import resources
from time import perf_counter
from typing import Any

import numpy as np
import yaml

from sayso.adapters.llm.access import ModelAccess
from sayso.core.errors import Code, SaySoError
from sayso.evaluation.backends import connect
from sayso.evaluation.blade.choosing import carry_out, chooser
from sayso.evaluation.blade.in_physics import PhysicalTable
from sayso.evaluation.blade.options import (
    GOAL_CONDITIONED,
    PLANNED,
    SAYCAN,
    TEXT2MOTION,
    VILA,
)
from sayso.evaluation.blade.plays import FIRST_START, Given, learned, not_tried
from sayso.evaluation.blade.stages import KinematicTable, PlayTableStages, Table
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.evaluation.table_run.play import SCENE, kitchens
from sayso.learning.behaviours.learner import LearnedBehaviours
from sayso.mission.recovery import TaskLimits
from sayso.pipeline import perform
from sayso.worlds.kinematic_play.table import PlayTable

_UPSET = "upset came about"
_LIMITS = TaskLimits(failures=12, attempts=3)


@dataclass(frozen=True)
class _Acted:
    """Whether it was said to be done, how it ended, and how many behaviours were done."""

    said: bool
    code: Code
    message: str
    behaviours: int


class Generalisation:
    """Success by kind of task.

    Args:
        plays, wrong, labels, physics, world: as of `Given`; with recorded plays the arm does it in
            physics.
        misread: chance that a thing is seen grossly wrong in a scene, while tasks are done without
            physics.
        starts: initial states for each task.
        first_start: the number of the first of them.
        learnings: how often all is learned anew, from other plays.
        geometric, finding: whether needs in the now are looked at, and hidden things looked for.
        replanning: whether plans are made anew and repaired; else the first is all there is.
        method: see `options.METHODS`.
        access: to a language model that reads what was said of the plays, or chooses what is done.

    Raises:
        SaySoError: CONFIG for what does not go together.
    """

    def __init__(
        self,
        plays: int,
        wrong: float,
        labels: str,
        physics: str,
        world: str,
        misread: float,
        starts: int,
        first_start: int,
        learnings: int,
        geometric: bool,
        finding: bool,
        replanning: bool,
        method: str,
        access: Mapping[str, Any] | None = None,
    ) -> None:
        if physics and misread:
            raise SaySoError(Code.CONFIG, "in physics nothing is seen wrong on request.")
        self._given = Given(plays, wrong, labels, physics, world)
        if world != SCENE:
            self._given.require_physics(f"{world} is there in physics alone.")
        self._world = world
        self.model = connect(ModelAccess(**(access or {})))
        self._physics, self._misread = bool(physics), misread
        self._starts, self._learnings = range(first_start, first_start + starts), learnings
        self._geometric, self._finding, self._replanning = geometric, finding, replanning
        self._method = method
        if method != PLANNED and not (geometric and finding and replanning):
            text = f"{method} neither plans nor looks for anything."
            raise SaySoError(Code.CONFIG, text, hint="leave the other options or --method out.")
        if bool(self.model) is not (method in (SAYCAN, TEXT2MOTION, VILA)) and method != PLANNED:
            text = f"{method} asks {'no' if self.model else 'a'} language model."
            raise SaySoError(Code.CONFIG, text, hint="give --llm to those that ask one alone.")

    def cases(self) -> Sequence[Case]:
        """Raises as `Given.require`."""
        self._given.require(self._learnings)
        return [
            Case(
                f"{task['name']} {start} {learning}",
                task["kind"],
                {"task": number, "start": start, "learning": learning},
            )
            for learning in range(self._learnings)
            for number, task in enumerate(tasks(self._world))
            for start in self._starts
        ]

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is what the true state of the table shows, after the task's upset if it has one:
        without that it shows nothing of what the task is for."""
        reader = self.model if self._method == PLANNED else None
        taught, learn_s = learned(self._given, case.data["learning"], reader or None)
        start = case.data["start"]
        options = tasks(self._world)[case.data["task"]]["variations"]
        task = options[start % len(options)]
        table, judge, upset, close = self._begun(FIRST_START + start, task, taught)
        began = perf_counter()
        try:
            acted = self._acted(task["say"], table, taught, lambda: judge(task["goal"]))
            reached, upset_came = judge(task["goal"]), upset()
        finally:
            close()
        measures: dict[str, Measure] = {
            "behaviours done": acted.behaviours,
            "task s": perf_counter() - began,
            "learning s": learn_s,
            "said to be done": acted.said,
            _UPSET: upset_came,
        }
        if reached and upset_came is False:
            return Outcome(False, Code.PRECONDITION, measures, "the upset did not come about")
        failed = Code.POSTCONDITION if acted.code is Code.OK else acted.code
        code = Code.OK if reached else failed
        return Outcome(reached, code, measures, "" if reached else acted.message)

    def _acted(
        self, words: str, table: Table, taught: LearnedBehaviours, reached: Callable[[], bool]
    ) -> _Acted:
        """What is asked is done, by plans or as the method chooses."""
        if self._method != PLANNED:
            choose = chooser(self._method, taught, self.model or None)
            # What never says that it is done is stopped where it is.
            stop = reached if self._method == GOAL_CONDITIONED else lambda: False
            chosen = carry_out(table, taught, words, choose, stop)
            said = chosen.ended or stop()
            code = Code.POSTCONDITION if said else Code.LIMIT
            return _Acted(said, code, chosen.failed or "nothing more was done.", len(chosen.done))
        stages = PlayTableStages(
            table, taught, self._geometric, self._finding, replanning=self._replanning
        )
        limits = _LIMITS if self._replanning else replace(_LIMITS, failures=0)
        outcome = perform(words, stages, lambda _: None, limits)
        return _Acted(outcome.succeeded, outcome.code, outcome.message, len(stages.done))

    def _begun(
        self, seed: int, task: Mapping[str, Any], taught: LearnedBehaviours
    ) -> tuple[
        Table,
        Callable[[Mapping[str, object]], bool],
        Callable[[], bool | None],
        Callable[[], None],
    ]:
        """The table of a task, what tells whether a goal is truly so and whether the task's upset
        came about, and what ends it."""
        if self._physics:
            physical = PhysicalTable(seed, task, taught, self._world)
            return physical.table, physical.shows, physical.upset, physical.close
        table = started(seed, task["start"])
        table.reads_wrong = self._misread
        return KinematicTable(table, taught), table.shows, lambda: None, lambda: None

    def summary(self, rows: Sequence[Row]) -> str:
        """The paper's figures beside these; of a kitchen it has none for each kind."""
        if self._world != SCENE:
            return "\n".join((_by_kind(rows), *not_tried(rows)))
        ours = {k: [r.success for r in rows if r.group == k] for k in _PAPER}
        lines = [
            "| kind of task | done here | tries | BLADE, learned states | BLADE, true states |",
            "|---|---|---|---|---|",
        ]
        for kind, (by_learned, by_true) in _PAPER.items():
            if ours[kind]:
                share = 100 * float(np.mean(ours[kind]))
                count = len(ours[kind])
                lines.append(f"| {kind} | {share:.0f} % | {count} | {by_learned} % | {by_true} % |")
        if not self._physics:
            lines += [
                "",
                "Here motions always do what plays show; the paper's are carried out in physics.",
            ]
        return "\n".join((*lines, *not_tried(rows)))


def _by_kind(rows: Sequence[Row]) -> str:
    """The paper tells of its kitchens that each kind was done in at least 4 of 6. A try that raised
    measured nothing."""
    lines = [
        "| kind of task | done | said to be done | upset came about | tries |",
        "|---|---|---|---|---|",
    ]
    for kind in dict.fromkeys(r.group for r in rows):
        mine = [r for r in rows if r.group == kind]
        said = sum(bool(r.measures.get("said to be done")) for r in mine)
        upsets = [r.measures[_UPSET] for r in mine if r.measures.get(_UPSET) is not None]
        came = str(sum(map(bool, upsets))) if upsets else "-"
        done = sum(r.success for r in mine)
        lines.append(f"| {kind} | {done} | {said} | {came} | {len(mine)} |")
    return "\n".join(lines)


_PAPER: Mapping[str, tuple[float, float]] = {
    "abstract goal": (68.3, 76.1),
    "geometric constraint": (26.7, 56.7),
    "partial observability": (75.8, 70.0),
}
"""Table 1 of Liu et al., CoRL 2024."""


@cache
def tasks(world: str) -> Sequence[Mapping[str, Any]]:
    """The tasks of a scene, with their variations."""
    if world != SCENE:
        return kitchens()[world]
    file = resources.files("sayso.evaluation.blade") / "tasks.yaml"
    return tuple(yaml.safe_load(file.read_text(encoding="utf-8")))


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
