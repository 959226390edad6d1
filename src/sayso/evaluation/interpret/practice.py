"""Practising and being taught in the world of a domain."""

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
from sayso.worlds.domains.domain import Domain, Task
from sayso.worlds.persons.teacher import Manner, SimulatedPerson

ASTRAY_M = (0.05, 0.15)
"""How far off a thing is seen that is seen wrongly."""


@dataclass
class Mishaps:
    """What is made to go wrong by chance, as it would in a real world; all of it simulated.

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


class DomainPractice:
    """One task of a domain; see `learning.teaching.Practice`.

    Attributes:
        mishap: of the last action, for a person; '' if there was none.
    """

    def __init__(self, domain: Domain, task: Task, mishaps: Mishaps | None = None) -> None:
        self.domain = domain
        self.task = task
        self.world = domain.world(task)
        self.mishap = ""
        self._mishaps = mishaps or Mishaps()
        self._astray: Astray | None = None

    @property
    def skills(self) -> Mapping[str, int]:
        return self.domain.skills

    def look(self) -> Scene:
        """What is so: for persons, and for those who judge."""
        return self.world.observe()

    def observe(self) -> Scene:
        scene = self.world.observe()
        return self._astray.seen(scene) if self._astray else scene

    def act(self, skill: str, args: Sequence[str]) -> bool:
        kind = self._mishaps.draw()
        self._astray, self.mishap = None, ""
        if kind == "slip":
            self.mishap = "it slipped"
            return False
        worked = self.world.act(skill, *args).reached
        if kind == "misseen":
            self._astray = self._mishaps.astray([o.name for o in self.look().objects])
            self.mishap = f"{self._astray.name} is seen where it is not"
        return worked


def goal_of(task: Task) -> tuple[Literal, ...]:
    """What must be true in the end."""
    return tuple(parse_literal(text) for text in task.goal)


def person_for(practice: DomainPractice, manner: Manner, rng: random.Random) -> SimulatedPerson:
    """Someone who knows the domain and wants the task done."""
    task, domain = practice.task, practice.domain
    return SimulatedPerson(
        task.words, goal_of(task), domain.library, practice.look, rng, manner, domain.sayings
    )


def reached(practice: DomainPractice, goal: Sequence[Literal]) -> bool:
    """Whether the goal is truly reached."""
    view = SceneView(practice.look(), practice.domain.library.predicates)
    return all(view.truth(x.atom) is x.positive for x in goal)
