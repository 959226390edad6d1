"""Instructions done by the arm in physics with shapes never seen: the rows of `rows.yaml`.

The robot sees through its two cameras, with noise; which pixels are of which thing, and of what
kind it is, the simulator tells. What came about the simulator knows (`end_states`); whether the
robot knew it is the verdict's matter.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from sayso import pipeline
from sayso.adapters import registry
from sayso.adapters.learning_backends import EMBEDDER
from sayso.adapters.llm.access import ModelAccess
from sayso.core.library import builtin_path, load
from sayso.evaluation.backends import connect
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.evaluation.halp.drawn_tables import Table, drawn, stack
from sayso.evaluation.halp.end_states import so
from sayso.evaluation.halp.execution_rows import ROWS, TaskRow
from sayso.evaluation.halp.taught import SHAPES, known, robot, shown_skill
from sayso.evaluation.table_run.stages import TableStages
from sayso.evaluation.upsets.runs import failures_of
from sayso.learning.skills.symbols import as_shown
from sayso.mission.programs.stages import ProgramStages
from sayso.mission.programs.writing import ModelProgrammer
from sayso.mission.stages import Stages
from sayso.perception.appearance import Appearance, Shape
from sayso.reporting.events import Event
from sayso.worlds.noise import NoiseModel
from sayso.worlds.table.shapes.families import draw, seeds
from sayso.worlds.table.table_world import TableWorld

_FORMS: Mapping[str, Shape] = {"mug": "round", "bowl": "round", "bottle": "disc", "tray": "box"}
"""By family, of which the robot knows how large they are, what is fitted to what is seen: of a
bottle the circle around all of it, and not that of its cap."""
_SETTLING_S = 1.0
SHOWN_TAKEN: Mapping[str, int] = {"take": 5, "lay": 5}
"""How often a person shows what, from which it is known where a mug and a bottle are taken."""

Planned = Callable[[TableStages], Stages]


class Execution:
    """How often what is asked is done, by row.

    Args:
        rows: names of rows of `rows.yaml`.
        tables: how many of each are drawn, from the first of the seed on.
        first: number of the first table.
        relations: "told", "untold": whether the text that a model writes its program from tells
            how things lie to each other; untold are only rows that are about that.
        access: to a model whose programs are done; without one SaySo's own planner plans.
        grasps: where things are taken. With `taught[...]` as a simulated person took such things in
            what they showed (`SHOWN_TAKEN`), else as the one in brackets says.
    """

    def __init__(
        self,
        rows: Sequence[str],
        tables: int,
        first: int = 0,
        relations: Sequence[str] = ("told",),
        access: Mapping[str, Any] | None = None,
        grasps: str = "geometric",
    ) -> None:
        self._grasps = grasps
        self._rows, self._numbers, self._relations = rows, range(first, first + tables), relations
        self.model = connect(ModelAccess(**(access or {})))

    def cases(self) -> Sequence[Case]:
        return [
            Case(f"{row} {n}{suffix}", f"{row}{suffix}", {"row": row, "n": n, "relations": told})
            for told in self._relations
            for suffix in ("" if told == "told" else ", relations untold",)
            for row in self._rows
            if told == "told" or ROWS[row].relations
            for n in self._numbers
        ]

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is that all is so in the end, by the simulator."""
        row = ROWS[case.data["row"]]
        table = drawn(row, seed)
        world = TableWorld(seed, NoiseModel(), scene=table.scene)
        try:
            return _asked(
                row, table, world, self._programs(case.data["relations"] == "told"), self._grasps
            )
        finally:
            world.close()

    def _programs(self, relations: bool) -> Planned:
        """The stages with the model's programs in the planner's place; as they are without one."""
        if not self.model:
            return lambda table: table
        programmer, embedder = ModelProgrammer(self.model), registry.create("embedder", EMBEDDER)
        return lambda table: ProgramStages(
            table, programmer, lambda: table.library, lambda: table.scene, embedder,
            relations=relations,
        )  # fmt: skip

    def summary(self, rows: Sequence[Row]) -> str:
        """Why what was not done was not."""
        lines = [f"- {r.case}: {r.code}. {r.detail}" for r in rows if not r.success]
        return "\n".join(["Not done:", "", *lines]) if lines else ""


def _asked(row: TaskRow, table: Table, world: TableWorld, planned: Planned, grasps: str) -> Outcome:
    by_hand = grasps.startswith("taught")
    shown = {t: shown_skill(t, count) for t, count in SHOWN_TAKEN.items()} if by_hand else {}
    knows = known(load(builtin_path()), shown)
    knows = replace(knows, looks={**knows.looks, **_looks()})
    stack(table, world)
    arm = robot(world, knows, grasps)
    began_s = world.time_s
    events: list[Event] = []
    stages = TableStages(arm, knows.library)
    outcome = pipeline.perform(table.instruction, planned(stages), events.append)
    robot_s = world.time_s - began_s
    arm.senses.wait(_SETTLING_S)
    missing = [e for e in row.ends if not so(e, table.names, world.true_scene())]
    measures: dict[str, Measure] = {
        "verdict right": (not missing) == outcome.succeeded,
        "robot s": robot_s,
        "failed actions": len(failures_of(events)),
    }
    why = f"{table.instruction} Not so: {', '.join(missing)}. {outcome.message}"
    return Outcome(not missing, outcome.code, measures, "" if not missing else why)


def _looks() -> dict[str, Appearance]:
    """Of the things, as large as the families' training shapes are."""
    found = {}
    for kind, form in _FORMS.items():
        sizes = np.array([draw(kind, s).size for s in seeds("training")[:SHAPES]])
        found[kind] = replace(as_shown(kind, sizes), shape=form)
    return found
