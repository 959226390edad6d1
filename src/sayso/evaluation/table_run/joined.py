"""Everything joined at the play table: `sayso demo --world play_table --joined`.

In one run a behaviour learned from play is asked for beside a "never" over a learned predicate, one
that nobody showed is asked for and taught, somebody's meddling makes one fail and the plan is
repaired, and the task is finished. It is recorded as a bag, for `sayso replay`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from rich.console import Console

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene
from sayso.core.symbols import in_words as words_of
from sayso.evaluation.blade.learning import learned_from
from sayso.evaluation.blade.stages import PlayTableStages
from sayso.evaluation.table_run.play import SCENE, ArmTable, performed, shown
from sayso.learning.behaviours import page
from sayso.learning.behaviours.learner import Behaviour, LearnedBehaviours
from sayso.learning.behaviours.spoken import spoken_of
from sayso.learning.behaviours.wordings import said_of
from sayso.learning.demonstrations import folder as recorded
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.learning.skills.symbols import described
from sayso.learning.versions import Versions
from sayso.mission.in_process import Confirm
from sayso.mission.stages import Lesson
from sayso.pipeline import Outcome
from sayso.ros.bags.task_bag import TaskBag
from sayso.worlds.noise import NoiseModel
from sayso.worlds.persons.meddler import Meddler, arrange
from sayso.worlds.persons.play_file import behaviours as played_in
from sayso.worlds.persons.play_sight import Sight
from sayso.worlds.persons.player import Order, record
from sayso.worlds.table.onlooker import Onlooker
from sayso.worlds.table.table_scene import builtin_scene
from sayso.worlds.table.table_world import TableWorld

BAG, LIBRARY, SHOWN = "bag", "library", "shown"


@dataclass(frozen=True)
class Person:
    """A simulated person who shows some behaviours where they are asked for one of them.

    Attributes:
        by: so many demonstrations they show, in one play.
        seed: of that play.
    """

    behaviours: tuple[str, ...]
    by: int
    seed: int

    def can_show(self, wanted: str, world: TableWorld) -> bool:
        """Whether what is wanted is what one of their behaviours would bring about now.

        Args:
            wanted: as in `SkillLackingError`.
        """
        sight, known = Sight.of(world), played_in(SCENE)
        return any(
            _brought_about(words, things, sight.scene) in wanted
            for label in self.behaviours
            for things in known[label].options(sight)
            for words in known[label].say
        )

    def show(self, folder: Path) -> Demonstration:
        """What they play, kept in the folder."""
        record(Order(folder, self.seed, self.by, self.behaviours, 0.0, SCENE))
        return recorded.read(folder)


def _brought_about(say: str, things: Mapping[str, str], scene: Scene) -> str:
    """What is so after what words tell, as a clause.

    Args:
        say: with the roles of things in braces.
    """
    words = say.format(**{role: words_of(name) for role, name in things.items()})
    said = said_of(words, things, scene)
    spoken = spoken_of(said.wording)
    if spoken is None:
        return words
    clause = spoken.concept.english if spoken.positive else spoken.concept.english_not
    return clause.format(*map(words_of, said.things))


class BehaviourLesson:
    """Behaviours that are shown when they are asked for; see `mission.stages.Lesson`."""

    tried = ""

    def __init__(
        self,
        table: TaughtPlayTable,
        show: Callable[[Path], Demonstration],
        folder: Path,
    ) -> None:
        self._table, self._show = table, show
        self.recorded: Path | None = folder
        self._folder = folder
        self._learned: tuple[Demonstration, LearnedBehaviours] | None = None

    def learn(self) -> str:
        """Raises INVALID where nothing new comes of what was shown."""
        shown = self._show(self._folder)
        learned = learned_from((*self._table.plays, shown))
        known = {b.name for b in self._table.learned.behaviours}
        new = [b for b in learned.behaviours if b.name not in known and b.operators]
        if not new:
            raise SaySoError(
                Code.INVALID,
                "of what was shown nothing new could be learned.",
                hint=f"it is kept in {self._folder}; show it otherwise.",
            )
        self._learned = shown, learned
        return " ".join(_read_back(one, learned) for one in new)

    def correct(self, words: str) -> str:
        """Raises UNSUPPORTED: what comes of play is corrected by showing it."""
        raise SaySoError(
            Code.UNSUPPORTED,
            f"'{words}' cannot be taken into account: what play teaches is corrected by play.",
            hint="say yes or no.",
        )

    def keep(self) -> None:
        """With all that was shown before, as a version of the library."""
        if self._learned is not None:
            self._table.keep(*self._learned)


def _read_back(behaviour: Behaviour, learned: LearnedBehaviours) -> str:
    told = (
        described(operator, learned.library.predicates, len(behaviour.pieces))
        for operator in behaviour.operators
    )
    return " ".join(told)


class TaughtPlayTable(PlayTableStages):
    """The play table for a robot that asks for what its plays did not show.

    Args:
        plays: that it learned from before.
        meddle: is called before each behaviour.
        folder: of the run: what is learned and shown is kept there.
        bag: is told of each scene.
    """

    def __init__(
        self,
        world: TableWorld,
        plays: Sequence[Demonstration],
        person: Person,
        meddle: Callable[[], None],
        folder: Path,
        bag: TaskBag,
        confirm: Confirm,
        seed: int,
    ) -> None:
        self._world, self._person, self._meddle = world, person, meddle
        self._folder, self._bag = folder, bag
        self._look = Onlooker(world, np.random.default_rng((seed, 1))).look
        self.plays, self.learned = tuple(plays), learned_from(plays)
        super().__init__(self._arm(self.learned), self.learned, confirm=confirm)
        self._save("learned from play")

    def lesson(self, skill: str) -> Lesson | None:
        if not self._person.can_show(skill, self._world):
            return None
        return BehaviourLesson(self, self._person.show, self._folder / SHOWN)

    def keep(self, shown: Demonstration, learned: LearnedBehaviours) -> None:
        """From now on it does what it learned of all that was shown."""
        self.plays, self.learned = (*self.plays, shown), learned
        self.use(self._arm(learned), learned)
        self._save("shown when it was asked for")

    def take(self, scene: Scene) -> None:
        super().take(scene)
        if self._watched is not None:
            self._bag.observed(scene, *self.newest, self._world.truth())

    def _arm(self, learned: LearnedBehaviours) -> ArmTable:
        return ArmTable(self._world, learned, self._look, self._meddle)

    def _save(self, why: str) -> None:
        Versions(self._folder / LIBRARY).save(self.learned.library, why)
        page.write(self._folder / "behaviours.md", self.learned)


def demonstrate(
    instruction: str | None, seed: int, folder: Path, confirm: Confirm, console: Console
) -> Outcome:
    """All of it in one run. What was played before is kept beside the run folder and used again."""
    data = staged()
    played, taught = data["played"], data["taught"]
    kept = folder.parent / "play_demonstrations_joined"
    plays = shown(SCENE, kept, console, tuple(played["behaviours"]), int(played["plays"]))
    person = Person(tuple(taught["behaviours"]), int(taught["by"]), int(taught["seed"]))
    world = TableWorld(seed, NoiseModel(), scene=builtin_scene(SCENE))

    def tell(what: str) -> None:
        console.print(f"(a scripted person {what})", highlight=False)

    try:
        arrange(world, data["start"])
        meddler = Meddler(world, data["upset"], tell)
        with TaskBag(folder / BAG, lambda: world.time_s) as bag:
            stages = TaughtPlayTable(
                world, plays, person, meddler.watch, folder, bag, confirm, seed
            )
            console.print(page.summary(stages.learned), highlight=False)
            options = ["--world", SCENE, "--joined", "--seed", str(seed)]
            words = instruction or data["say"]
            outcome = performed(world, stages, words, folder, console, options, bag.listen)
        console.print(f"Judge it again: sayso replay {folder / BAG} --library {folder / LIBRARY}",
            markup=False, highlight=False,
        )  # fmt: skip
        return outcome
    finally:
        world.close()


def staged() -> Mapping[str, Any]:
    """What is played, asked for, taught and upset."""
    file = resources.files("sayso.evaluation.blade") / "joined.yaml"
    data: Mapping[str, Any] = yaml.safe_load(file.read_text("utf-8"))
    return data
