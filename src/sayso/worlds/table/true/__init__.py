"""What is true of the table: for the simulated person and scoring, never for the robot.

The folder holds the true predicates and operators in the form of any library.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from functools import lru_cache
from pathlib import Path

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library, load, parse_literal
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Literal
from sayso.worlds.persons.teacher import Manner, SimulatedPerson
from sayso.worlds.table.tasks import DOMAINS, SETS, table_tasks

_FURNITURE = ("cabinet", "drawer")
_NUMBERS = 10
_HELD_ABOVE_M = 0.03


@lru_cache
def table_truth() -> Library:
    """The true predicates and operators."""
    return load(Path(__file__).parent)


def seen(stamp_s: float, objects: Iterable[SceneObject], contacts: Collection[str]) -> Scene:
    """What somebody who stands by sees: a thing that the robot touches and lifts is in its hand."""
    things = [o for o in objects if o.category not in _FURNITURE]
    return Scene(stamp_s, tuple(replace(o, carried=_held(o, things, contacts)) for o in things))


def goal_of_words(words: str, seed: int) -> tuple[Literal, ...]:
    """What a task with these words wants. Raises INVALID for words of no task of the seed."""
    for domain in DOMAINS:
        for test_set in SETS:
            for task in table_tasks(domain, test_set, seed, _NUMBERS):
                if task.words == words:
                    return tuple(map(parse_literal, task.goal))
    raise SaySoError(Code.INVALID, f"no task of seed {seed} has the words '{words}'.")


def person_of(
    words: str,
    goal: Sequence[Literal],
    look: Callable[[], Scene],
    rng: random.Random,
    manner: Manner,
) -> SimulatedPerson:
    """Somebody who wants that, and knows what is true."""
    return SimulatedPerson(words, goal, table_truth(), look, rng, manner)


def holds(scene: Scene, goal: Iterable[Literal]) -> bool:
    """Whether all of a goal is true."""
    view = SceneView(scene, table_truth().predicates)
    return all(view.truth(x.atom) is x.positive for x in goal)


def _held(thing: SceneObject, things: Sequence[SceneObject], contacts: Collection[str]) -> bool:
    """Touched, and nothing right under it."""
    if thing.name not in contacts:
        return False
    x, y, z = thing.position
    bottom = z - thing.size[2] / 2
    tops = [0.0]
    for other in things:
        apart = abs(other.position[0] - x), abs(other.position[1] - y)
        if other.name != thing.name and max(apart) < max(other.size[:2]) / 2:
            tops.append(other.position[2] + other.size[2] / 2)
    return all(abs(bottom - top) > _HELD_ABOVE_M for top in tops)
