"""A robot at the simulated table that can be taught, and who teaches it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path

import numpy as np

from sayso.core.errors import Code, SaySoError, SkillLackingError
from sayso.core.geometry import Pose
from sayso.core.library import Library, builtin_path, load
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action, Check
from sayso.evaluation.halp.taught import known, predicate_learner, robot, shown_skill, shown_with
from sayso.evaluation.table_run.stages import TableStages
from sayso.learning.demonstrations import folder as recorded
from sayso.learning.demonstrations.demonstration import Demonstration, KeyFrame, Sample
from sayso.learning.skills import store
from sayso.learning.skills.lesson import Show, SkillLesson, meant, skill_of
from sayso.learning.skills.store import KeptSkill
from sayso.learning.skills.tryout import Tryout, tried
from sayso.mission.in_process import Confirm
from sayso.mission.stages import ReportSkill
from sayso.worlds.persons.hand_plans import PLANS
from sayso.worlds.table.placed import Placed
from sayso.worlds.table.shapes.families import draw
from sayso.worlds.table.table_world import TableWorld

SHOWN = 5
FAILURES = frozenset({Code.POSTCONDITION, Code.EXECUTION, Code.UNREACHABLE})
"""After these a taught skill is shown once more."""


@dataclass(frozen=True)
class Person:
    """Who can show one skill.

    Attributes:
        words: what they call it.
        nouns: of its things.
        again: shows it once more with the things as they really stand, by parameter; None for who
            cannot come back.
    """

    words: str
    nouns: tuple[str, ...]
    show: Show
    again: Callable[[Mapping[str, Placed]], Demonstration] | None = None

    @staticmethod
    def simulated(name: str) -> Person:
        """One who knows `PLANS`."""
        plan = PLANS[name]
        nouns, show = tuple(plan.categories.values()), partial(shown_skill, name, SHOWN)
        return Person(plan.words, nouns, show, partial(shown_with, name))

    @staticmethod
    def of_folder(folder: Path) -> Person:
        """One whose demonstrations were recorded. Raises as `folder.read` and `skill_of`."""
        skill = skill_of([recorded.read(one) for one in recorded.folders(folder)])
        return Person(skill.words, tuple(skill.parameters.values()), lambda: skill)


@dataclass(frozen=True)
class FailedTry:
    """A taught skill that failed.

    Attributes:
        recorded: what the robot saw before and after.
        stood: how the things really stood before, by parameter.
    """

    skill: str
    recorded: Demonstration
    stood: Mapping[str, Placed]


class TaughtTable(TableStages):
    """The stages at a table for a robot that can be taught.

    What fails is shown once more: the try is kept with the skill, whose ways it divides.

    Args:
        folder: of the library that has what it was taught.
    """

    def __init__(self, world: TableWorld, person: Person, folder: Path, confirm: Confirm) -> None:
        library = load(builtin_path())
        knows = known(library, {})
        super().__init__(robot(world, knows), library, confirm=confirm)
        self._skills = knows.skills
        self._world, self._person, self._folder = world, person, folder
        self._failed: FailedTry | None = None

    def lesson(self, skill: str) -> SkillLesson | None:
        person = self._person
        if not meant(skill, person.words, person.nouns):
            return None
        show = person.show if self._failed is None else partial(self._shown_again, self._failed)
        learner = predicate_learner()
        return SkillLesson(self.library, show, learner, self._folder, self._take_over, self._tried)

    def _tried(self, skill: KeptSkill, library: Library) -> Tryout:
        draft = {skill.name: skill}
        knows = known(library, draft, self._skills.draft(draft))
        return tried(skill, library, robot(self._world, knows).executor)

    def act(self, action: Action, step: int, started: ReportSkill) -> tuple[Check, ...]:
        """Raises `SkillLackingError` where a taught skill failed and can be shown once more."""
        if self._person.again is None or action.name not in store.kept(self._folder):
            return super().act(action, step, started)
        before, truth = self.scene, {o.name: o.pose for o in self._world.truth()}
        try:
            return super().act(action, step, started)
        except SaySoError as error:
            if error.code not in FAILURES:
                raise
            self._failed = self._failed_try(action, before, truth)
            words = action.english or str(action)
            raise SkillLackingError(
                words,
                f"I tried to {words} as I was shown: {error.message}",
                code=error.code,
                hint=error.hint,
                tried=True,
            ) from error

    def _failed_try(self, action: Action, before: Scene, truth: Mapping[str, Pose]) -> FailedTry:
        self.look()
        skill, hand = store.read(self._folder, action.name), before.robot
        things = dict(zip(skill.parameters, action.args, strict=True))
        sample = Sample(before.stamp_s, hand.gripper, hand.gripper_width_m)
        recorded = Demonstration(
            skill.words, things, (sample,), (KeyFrame(before), KeyFrame(self.scene)),
            robot=self._world.profile.name,
        )  # fmt: skip
        shapes = {p: self._thing_at(before.by_name()[n], truth) for p, n in things.items()}
        return FailedTry(action.name, recorded, shapes)

    def _thing_at(self, seen: SceneObject, truth: Mapping[str, Pose]) -> Placed:
        """What a person sees there: the true shape."""
        drawn = {t.name: t.drawn for t in self._world.table.things if t.drawn is not None}
        far = {n: np.linalg.norm(np.subtract(truth[n].position, seen.position)) for n in drawn}
        name = min(drawn, key=far.__getitem__)
        return Placed(seen.name, draw(*drawn[name]), truth[name])

    def _shown_again(self, failed: FailedTry) -> KeptSkill:
        """The skill with the failed try, and one more demonstration, of how it is done there."""
        assert self._person.again is not None  # or nothing would have been kept of the try
        skill, more = store.read(self._folder, failed.skill), self._person.again(failed.stood)
        return replace(
            skill,
            demonstrations=(*skill.demonstrations, more),
            failed=(*skill.failed, failed.recorded),
        )

    def _take_over(self, library: Library) -> None:
        """With the skills that are kept beside it."""
        self._failed = None
        self.take_over(library)
        self.use(robot(self._world, known(library, store.read_all(self._folder), self._skills)))
