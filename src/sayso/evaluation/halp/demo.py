"""`sayso demo --teach-skill NAME`: a person shows a skill, and the arm uses it in a task.

The demonstrations are those of the simulated person's hand. What is learned of them is kept in the
run folder's library, read from there again, and used for an instruction with things never seen.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from time import perf_counter

import numpy as np
from PIL import Image
from rich.console import Console

from sayso import pipeline
from sayso.core.library import save
from sayso.core.symbols import Action
from sayso.evaluation.halp.taught import Taught, robot, shown_skill, taught_by, taught_from
from sayso.evaluation.table_run.stages import TableStages
from sayso.learning.skills import store
from sayso.reporting.illustrated import IllustratedRun
from sayso.reporting.report import RunReport
from sayso.worlds.noise import NoiseModel
from sayso.worlds.table.table_scene import builtin_scene
from sayso.worlds.table.table_world import TableWorld

SHOWN = 5


@dataclass(frozen=True)
class Use:
    """What a taught skill is used for: an instruction, and the scene in which it is given."""

    instruction: str
    scene: str


USES: Mapping[str, Use] = {
    "hang": Use("Hang the blue mug on the rack. Never touch the red mug.", "mugs"),
}


def demonstrate(skill: str, seed: int, folder: Path, console: Console) -> bool:
    """Teach and use a skill of `USES`; whether the task was observed to succeed."""
    taught = _taught(skill, folder, console)
    use = USES[skill]
    world = TableWorld(seed, NoiseModel(), scene=builtin_scene(use.scene))
    try:
        senses, gate, executor = robot(world, taught)
        stages = TableStages(senses, gate, executor, taught.library)
        settings = {"started": {"options": ["--teach-skill", skill, "--seed", str(seed)]}}
        report = RunReport(settings, taught.library.predicates)

        def picture(_: Action, __: str) -> bytes:
            return jpeg(world.picture())

        run = IllustratedRun(folder, console, report, picture)
        (folder / "before.jpg").write_bytes(jpeg(world.picture()))
        console.print(f'"{use.instruction}"', style="bold")
        outcome = pipeline.perform(use.instruction, stages, run.listen)
        run.close()
        return outcome.succeeded
    finally:
        world.close()


def _taught(name: str, folder: Path, console: Console) -> Taught:
    """Shown, learned, kept, and read from where it was kept."""
    skill = shown_skill(name, SHOWN)
    console.print(f"A simulated person shows {SHOWN} times how to {skill.words}.")
    began = perf_counter()
    learned = taught_by(skill)
    library = folder / "library"
    store.keep(library, skill)
    save(learned.library, library)
    console.print(f"Learned in {perf_counter() - began:.1f} s. {learned.told}", highlight=False)
    return taught_from(library, name)


def jpeg(pixels: np.typing.NDArray[np.uint8]) -> bytes:
    """A picture (H, W, 3) as a JPEG file."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="JPEG", quality=88)
    return buffer.getvalue()
