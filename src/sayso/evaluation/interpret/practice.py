"""Practising and being taught in the 2D kitchen."""

from __future__ import annotations

import math
import random
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

from sayso.core.library import parse_literal
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Literal
from sayso.worlds.kitchen2d.actions import PRIMITIVES
from sayso.worlds.kitchen2d.tasks import Task
from sayso.worlds.kitchen2d.true import true_library
from sayso.worlds.kitchen2d.world import Kitchen2D
from sayso.worlds.persons.teacher import Manner, SimulatedPerson

ASTRAY_M = (0.05, 0.15)
"""How far off a thing is seen that is seen wrongly."""


@dataclass
class Mishaps:
    """What is made to go wrong by chance, as it would in a real kitchen; all of it simulated.

    Args:
        share: of actions. With every second one nothing moves, and the robot is told that it
            failed; after the others one thing is seen where it is not, until the next action.

    Attributes:
        counts: how many there were, by kind: `slip`, `misseen`.
    """

    share: float = 0.0
    rng: random.Random = field(default_factory=lambda: random.Random(0))
    counts: Counter[str] = field(default_factory=Counter)

    def draw(self) -> str:
        """What goes wrong with an action; '' for nothing."""
        if self.rng.random() >= self.share:
            return ""
        kind = self.rng.choice(("slip", "misseen"))
        self.counts[kind] += 1
        return kind

    def astray(self, names: Sequence[str]) -> Astray:
        """A thing, and how far off it is seen."""
        angle, away = self.rng.uniform(0.0, math.pi), self.rng.uniform(*ASTRAY_M)
        return Astray(self.rng.choice(names), away * math.cos(angle), away * math.sin(angle))


@dataclass(frozen=True)
class Astray:
    """A thing that is seen `dx` to the right and `dz` above of where it is [m]."""

    name: str
    dx: float
    dz: float

    def seen(self, scene: Scene) -> Scene:
        """The scene with the thing where it is not."""
        objects = (
            replace(o, position=(o.position[0] + self.dx, o.position[1], o.position[2] + self.dz))
            if o.name == self.name
            else o
            for o in scene.objects
        )
        return replace(scene, objects=tuple(objects))


class KitchenPractice:
    """One task's kitchen; see `learning.teaching.Practice`.

    Attributes:
        mishap: of the last action, for a person; '' if there was none.
    """

    def __init__(self, task: Task, mishaps: Mishaps | None = None) -> None:
        self.task = task
        self.kitchen = Kitchen2D(task.scene, seed=task.seed)
        self.mishap = ""
        self._mishaps = mishaps or Mishaps()
        self._astray: Astray | None = None

    @property
    def skills(self) -> Mapping[str, int]:
        return skills_of(self.task.domain)

    def look(self) -> Scene:
        """What is so: for persons, and for those who judge."""
        return self.kitchen.observe()

    def observe(self) -> Scene:
        scene = self.kitchen.observe()
        return self._astray.seen(scene) if self._astray else scene

    def act(self, skill: str, args: Sequence[str]) -> bool:
        kind = self._mishaps.draw()
        self._astray, self.mishap = None, ""
        if kind == "slip":
            self.mishap = "it slipped"
            return False
        worked = self.kitchen.act(skill, *args).reached
        if kind == "misseen":
            self._astray = self._mishaps.astray([o.name for o in self.look().objects])
            self.mishap = f"{self._astray.name} is seen where it is not"
        return worked


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
    return SimulatedPerson(task.words, goal_of(task), library, practice.look, rng, manner)


def reached(practice: KitchenPractice, goal: Sequence[Literal]) -> bool:
    """Whether the goal is truly reached."""
    view = SceneView(practice.look(), true_library(practice.task.domain).predicates)
    return all(view.truth(x.atom) is x.positive for x in goal)
