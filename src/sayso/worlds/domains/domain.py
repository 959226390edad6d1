"""A domain to learn in, whatever its world is: what `practice` and the studies work with."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from PIL import Image

from sayso.core.library import Library
from sayso.core.scene import Scene
from sayso.worlds.persons.sayings import Sayings


@dataclass(frozen=True)
class Outcome:
    """What became of an action: only whether its outcome was reached, and how long it took."""

    reached: bool
    duration_s: float = 0.0


class World(Protocol):
    """Where a task is tried. All that a robot may use."""

    def act(self, action: str, *arguments: str) -> Outcome:
        """Carry out an action.

        Raises:
            SaySoError: INVALID for an unknown action or a wrong number of things, UNKNOWN_OBJECT
                for one that is not there. Nothing has moved then.
        """

    def observe(self) -> Scene:
        """What is perceived now."""

    def picture(self, width: int = 960) -> Image.Image:
        """For people, `width` pixels wide."""


class Task(Protocol):
    """What is wanted, and with which things; data that depends on its set, seed and number alone.

    Attributes:
        words: what the person wants, in plain English.
        goal: the ground literals of the true rules that must hold, as `parse_literal` reads them.
    """

    @property
    def name(self) -> str: ...

    @property
    def words(self) -> str: ...

    @property
    def goal(self) -> tuple[str, ...]: ...


@dataclass(frozen=True)
class Domain:
    """A domain to learn in.

    Attributes:
        about: what is done there, such as "storing objects".
        library: what is true, for evaluation and the simulated person, never for learning. An
            operator's first parameters are its skill's.
        skills: how many things each action takes.
        sayings: how people speak of what is true.
        tasks: draws tasks of a set (`TEST_SETS`, or "training"), by seed and number of them.
        world: the world of a task, as it is at first.
    """

    name: str
    about: str
    library: Library
    skills: Mapping[str, int]
    sayings: Sayings
    tasks: Callable[[str, int, int], Sequence[Any]]
    world: Callable[[Any], World]


SETS = ("training", "canonical", "more_objects", "novel_goals", "combined")
TEST_SETS = SETS[1:]
