"""`sayso demo --teach-skill WHAT`: a task takes a skill that nobody taught, so the arm asks for it.

The demonstrations are those of the simulated person's hand, or of a folder. What is learned of them
is kept in the run folder's library, and used for the task, with things never seen.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from PIL import Image
from rich.console import Console

from sayso import pipeline
from sayso.core.symbols import Action
from sayso.evaluation.halp.teachable import Person, TaughtTable
from sayso.learning.skills import store
from sayso.mission.in_process import Confirm
from sayso.reporting.illustrated import IllustratedRun
from sayso.reporting.report import Picture, RunReport
from sayso.worlds.noise import NoiseModel
from sayso.worlds.table.table_scene import builtin_scene
from sayso.worlds.table.table_world import TableWorld


@dataclass(frozen=True)
class Use:
    """What a taught skill is used for: an instruction, and the scene in which it is given."""

    instruction: str
    scene: str


USES: Mapping[str, Use] = {
    "hang": Use("Hang the blue mug on the rack. Never touch the red mug.", "mugs"),
    "take": Use("Take the blue mug by its handle. Never touch the red mug.", "mugs"),
}


def demonstrate(
    what: str, instruction: str | None, seed: int, folder: Path, confirm: Confirm, console: Console
) -> bool:
    """Have the robot asked for what it has to be taught; whether it was observed to succeed.

    Args:
        what: of `USES`, shown by a simulated person; or a folder of demonstrations.
        instruction: by default, of `USES`.
    """
    use = USES.get(what, USES["hang"])
    person = Person.simulated(what) if what in USES else Person.of_folder(Path(what))
    instruction = instruction or use.instruction
    world = TableWorld(seed, NoiseModel(), scene=builtin_scene(use.scene))
    try:
        stages = TaughtTable(world, person, folder / "library", confirm)
        settings = {"started": {"options": ["--teach-skill", what, "--seed", str(seed)]}}
        report = RunReport(settings, stages.library.predicates)

        def picture(_: Action, __: str) -> bytes:
            return jpeg(world.picture())

        run = IllustratedRun(folder, console, report, picture)
        (folder / "before.jpg").write_bytes(jpeg(world.picture()))
        outcome = pipeline.perform(instruction, stages, run.listen)
        report.predicates = stages.library.predicates
        report.pictures += shown_pictures(folder)
        run.close()
        return outcome.succeeded
    finally:
        world.close()


def shown_pictures(folder: Path) -> list[Picture]:
    """Those of the demonstrations below a run's folder."""
    files = sorted(folder.glob(f"library/{store.FOLDER}/*/*.png"))
    return [
        Picture(f"{f.parent.name}, {f.stem.replace('_', ' ')}", f.relative_to(folder).as_posix())
        for f in files
    ]


def jpeg(pixels: np.typing.NDArray[np.uint8]) -> bytes:
    """A picture (H, W, 3) as a JPEG file."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="JPEG", quality=88)
    return buffer.getvalue()
