"""Practising and being taught in the 2D kitchen."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from sayso.adapters.sim.kitchen2d.actions import PRIMITIVES
from sayso.adapters.sim.kitchen2d.tasks import Task
from sayso.adapters.sim.kitchen2d.true import true_library
from sayso.adapters.sim.kitchen2d.world import Kitchen2D, Noise
from sayso.core.library import parse_literal
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Literal
from sayso.evaluation.interpret.person import Manner, SimulatedPerson


class KitchenPractice:
    """One task's kitchen; see `learning.teaching.Practice`."""

    def __init__(self, task: Task, noise: Noise | None = None) -> None:
        self.task = task
        self.kitchen = Kitchen2D(task.scene, seed=task.seed, noise=noise)

    @property
    def skills(self) -> Mapping[str, int]:
        return skills_of(self.task.domain)

    def observe(self) -> Scene:
        return self.kitchen.observe()

    def act(self, skill: str, args: Sequence[str]) -> bool:
        return self.kitchen.act(skill, *args).reached


def skills_of(domain: str) -> Mapping[str, int]:
    """A domain's primitive actions and how many objects each takes."""
    skills = sorted({o.skill for o in true_library(domain).operators.values()})
    return {s: PRIMITIVES[s].arity for s in skills}


def goal_of(task: Task) -> tuple[Literal, ...]:
    """What must be true in the end."""
    return tuple(parse_literal(text) for text in task.goal)


def person_for(practice: KitchenPractice, manner: Manner, rng: random.Random) -> SimulatedPerson:
    """Someone who knows the kitchen and wants the task done."""
    task = practice.task
    library = true_library(task.domain)
    return SimulatedPerson(task.words, goal_of(task), library, practice.observe, rng, manner)


def reached(practice: KitchenPractice, goal: Sequence[Literal]) -> bool:
    """Whether the goal is truly reached."""
    view = SceneView(practice.observe(), true_library(practice.task.domain).predicates)
    return all(view.truth(x.atom) is x.positive for x in goal)
