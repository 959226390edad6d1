"""`sayso demo --teach-skill WHAT`: a task takes a skill that nobody taught, so the arm asks for it.

The demonstrations are those of the simulated person's hand, or of a folder. What is learned of them
is kept in the run folder's library, and used for the task, with things never seen.
"""

from __future__ import annotations

import io
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import numpy as np
from PIL import Image
from rich.console import Console

from sayso import pipeline
from sayso.core.library import Library, builtin_path, load
from sayso.core.symbols import Action
from sayso.evaluation.halp.taught import known, predicate_learner, robot, shown_skill
from sayso.evaluation.table_run.stages import TableStages
from sayso.learning.demonstrations import folder as recorded
from sayso.learning.skills import store
from sayso.learning.skills.lesson import Show, SkillLesson, meant, skill_of
from sayso.mission.in_process import Confirm
from sayso.reporting.illustrated import IllustratedRun
from sayso.reporting.report import RunReport
from sayso.worlds.noise import NoiseModel
from sayso.worlds.persons.hand_plans import PLANS
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


@dataclass(frozen=True)
class Person:
    """Who can show one skill.

    Attributes:
        words: what they call it.
        nouns: of its things.
    """

    words: str
    nouns: tuple[str, ...]
    show: Show

    @staticmethod
    def simulated(name: str) -> Person:
        """One who knows `PLANS`."""
        plan = PLANS[name]
        return Person(plan.words, tuple(plan.families.values()), partial(shown_skill, name, SHOWN))

    @staticmethod
    def of_folder(folder: Path) -> Person:
        """One whose demonstrations were recorded. Raises as `folder.read` and `skill_of`."""
        skill = skill_of([recorded.read(one) for one in recorded.folders(folder)])
        return Person(skill.words, tuple(skill.parameters.values()), lambda: skill)


class TaughtTable(TableStages):
    """The stages at a table for a robot that can be taught.

    Args:
        folder: of the library that has what it was taught.
    """

    def __init__(self, world: TableWorld, person: Person, folder: Path, confirm: Confirm) -> None:
        library = load(builtin_path())
        super().__init__(*robot(world, known(library, {})), library, confirm=confirm)
        self._world, self._person, self._folder = world, person, folder

    def lesson(self, skill: str) -> SkillLesson | None:
        person = self._person
        if not meant(skill, person.words, person.nouns):
            return None
        learner = predicate_learner()
        return SkillLesson(self.library, person.show, learner, self._folder, self._take_over)

    def _take_over(self, library: Library) -> None:
        """With the skills that are kept beside it."""
        self.take_over(library)
        self._use(*robot(self._world, known(library, store.read_all(self._folder))))


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
        run.close()
        return outcome.succeeded
    finally:
        world.close()


def jpeg(pixels: np.typing.NDArray[np.uint8]) -> bytes:
    """A picture (H, W, 3) as a JPEG file."""
    buffer = io.BytesIO()
    Image.fromarray(pixels).save(buffer, format="JPEG", quality=88)
    return buffer.getvalue()
