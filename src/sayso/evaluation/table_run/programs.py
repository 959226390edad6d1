"""Programs carried out by the arm at the simulated table, in one process."""

from __future__ import annotations

from sayso.core.library import Library
from sayso.core.ports import Embedder, LanguageModel
from sayso.evaluation.table_run.robot import build
from sayso.evaluation.table_run.stages import TableStages
from sayso.mission.in_process import Confirm
from sayso.mission.programs.stages import ProgramStages
from sayso.mission.programs.writing import Programmer
from sayso.pipeline import Outcome, perform
from sayso.reporting.events import Listener
from sayso.worlds.noise import NoiseModel
from sayso.worlds.table.table_world import TableWorld


def run_program(
    programmer: Programmer,
    words: str,
    library: Library,
    confirm: Confirm,
    embedder: Embedder,
    listener: Listener,
    seed: int,
    model: LanguageModel | None = None,
) -> Outcome:
    """Performs programs at a table that the seed lays, seen through noisy cameras. A model, if
    there is one, reads words that controlled English does not."""
    world = TableWorld(seed, NoiseModel())
    try:
        arm = build(world, perceive=True, library=library)
        table = TableStages(arm, library, confirm=confirm)
        table.read_with(model)
        stages = ProgramStages(
            table, programmer, lambda: table.library, lambda: table.scene, embedder
        )
        return perform(words, stages, listener)
    finally:
        world.close()
