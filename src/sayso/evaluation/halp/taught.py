"""Skills that a simulated person taught, and the simulated table on which an arm does them.

The person knows the true shapes; the robot sees through its two cameras, with noise. Which pixels
are of which thing, and of what kind that is, the simulator tells (`adapters.vision.simulator`).
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache, partial

import numpy as np

from sayso.adapters import registry
from sayso.adapters.learning_backends import EMBEDDER
from sayso.adapters.vision.simulator import SimulatorSegmenter
from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, builtin_path, load, parse_literal
from sayso.core.ports import Embedder
from sayso.evaluation.halp.judging import judge
from sayso.evaluation.table_run.robot import TableArm, build, through_cameras
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.learning.skills.shapes import TaughtShape
from sayso.learning.skills.store import KeptSkill
from sayso.learning.skills.symbols import looks, taught_library
from sayso.learning.skills.taught_skills import TaughtSkills
from sayso.learning.synthesis.synthesizer import Synthesizer
from sayso.perception.appearance import Appearances, tabletop_appearances
from sayso.skills.grasps import GraspFinder
from sayso.worlds.persons.demonstrator import demonstrate
from sayso.worlds.persons.hand_plans import PLANS
from sayso.worlds.table.placed import Placed, placed
from sayso.worlds.table.shapes.families import draw, seeds
from sayso.worlds.table.shapes.surface import sample
from sayso.worlds.table.table_world import TableWorld

SHAPES = 8
"""Of each family for its shape space."""
SHOWN = 2
"""Of them for demonstrations."""
MOST_TRIES = 20
_POINTS = 1500


@lru_cache(maxsize=8)
def demonstrations(task: str, count: int) -> tuple[Demonstration, ...]:
    """By a person who shows again what went wrong; those of fewer are the first of more."""
    found: list[Demonstration] = []
    number = 0
    while len(found) < count:
        rng = np.random.default_rng([7, number])
        things = placed(PLANS[task].families, len(found) % SHOWN, rng)
        one = demonstrate(task, things, rng).demonstration
        if judge(task, things, [(s.tool, s.gripper_width_m) for s in one.samples]).done:
            found.append(one)
        number += 1
    return tuple(found)


def shown_with(task: str, things: Mapping[str, Placed]) -> Demonstration:
    """By the same person, with these things as they stand.

    Raises:
        SaySoError: UNREACHABLE where they cannot do it there either.
    """
    for number in range(MOST_TRIES):
        rng = np.random.default_rng([11, number])
        one = demonstrate(task, things, rng).demonstration
        if judge(task, things, [(s.tool, s.gripper_width_m) for s in one.samples]).done:
            return one
    raise SaySoError(
        Code.UNREACHABLE,
        f"with the things as they stood, {MOST_TRIES} tries to show it by hand failed, too.",
        hint="stand them elsewhere.",
    )


@lru_cache(maxsize=8)
def known_shapes(task: str) -> Mapping[str, tuple[TaughtShape, ...]]:
    """Training shapes of a task's families, by category."""
    rng = np.random.default_rng(3)
    plan = PLANS[task]
    return {
        category: tuple(
            TaughtShape(sample(s, _POINTS, rng).points, s.frames)
            for s in (draw(family, seed) for seed in seeds("training")[:SHAPES])
        )
        for category, family in zip(plan.categories.values(), plan.families.values(), strict=True)
    }


def shown_skill(task: str, count: int, learner: str = "mixtures") -> KeptSkill:
    """A skill of `PLANS` as the simulated person showed it so often."""
    plan = PLANS[task]
    return KeptSkill(
        task,
        plan.words,
        plan.categories,
        parse_literal(plan.effect).atom,
        demonstrations(task, count),
        known_shapes(task),
        learner=learner,
        mirrored=True,
    )


@dataclass(frozen=True)
class Known:
    """What a robot knows.

    Attributes:
        library: the table's, with the operators, predicates and words of what it was taught.
        taught: the skills that it was taught, by name.
        skills: makes the robot's skills, these among them.
        looks: of all things that it knows, by category.
    """

    library: Library
    taught: Mapping[str, KeptSkill]
    skills: TaughtSkills
    looks: Appearances


def known(
    library: Library, taught: Mapping[str, KeptSkill], skills: TaughtSkills | None = None
) -> Known:
    """What a robot knows with this library; the motions of what it was taught it learns when it
    first does it.

    Args:
        skills: that it had before.
    """
    own, learners = (partial(registry.create, k) for k in ("arm_skill", "motion_learner"))
    appearances = dict(tabletop_appearances())
    for skill in taught.values():
        appearances |= looks(skill)
    skills = skills or TaughtSkills(own, learners)
    skills.teach(taught)
    return Known(library, taught, skills, appearances)


def taught_by(skill: KeptSkill) -> Known:
    """What a robot of the table knows that was taught one skill."""
    library = taught_library(load(builtin_path()), skill, predicate_learner()).library
    return known(library, {skill.name: skill})


def robot(world: TableWorld, knows: Known, grasps: str = "geometric") -> TableArm:
    """The arm of a world, which does what it was taught.

    Args:
        grasps: the registry's `grasp_finder`.
    """
    kind = "grasp_finder"
    shown = {"taught": knows.skills} if "taught" in registry.options(kind, grasps) else {}
    finder: GraspFinder = registry.create(kind, grasps, **shown)
    segmenter = SimulatorSegmenter(stride=2, appearances=knows.looks)
    look = through_cameras(world, segmenter, knows.looks, instances=True)
    return build(world, library=knows.library, look=look, skills=knows.skills, finder=finder)


def predicate_learner() -> Synthesizer:
    """That of the effects of skills."""
    embedder: Embedder = registry.create("embedder", EMBEDDER)
    return Synthesizer(embedder)
