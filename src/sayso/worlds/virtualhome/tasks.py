"""VirtualHome's tasks: a title, words, the scene that they begin in, a goal and a gold program."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.worlds.virtualhome.package import package

ACTOR_ID = 65
"""The number of the character in the one scene."""
ACTOR = "character"
"""The character's name; other things are called after class and number, such as `cup_1000`."""
_STEP = re.compile(r"^\[(\w+)\]((?:\s*<[^<>]+>\s*\([\d.]+\))*)\s*$")
_THING = re.compile(r"<([^<>]+)>\s*\((?:\d+\.)?(\d+)\)")


@dataclass(frozen=True)
class Step:
    """One line of a program: a verb and the things that it is about, by name."""

    verb: str
    things: tuple[str, ...] = ()

    def __str__(self) -> str:
        """As the simulator reads it: `[PUTIN] <cup> (1000) <sink> (7)`."""
        parts = (thing_name.rpartition("_") for thing_name in self.things)
        things = (
            f"<{cls}> ({number})" if number.isdecimal() else f"<{ACTOR}> ({ACTOR_ID})"
            for cls, _, number in parts
        )
        return " ".join((f"[{self.verb.upper()}]", *things))


@dataclass(frozen=True)
class Task:
    """A task of the data set.

    Attributes:
        key: such as `27_2`.
        title: such as "Wash clothes"; up to 35 tasks share one.
        words: what a person wrote of it.
        goal: in the data set's temporal logic; "" where it has none.
        wanted: the same goal as lists: `actions` in order, and `goal`, states and relations at the
            end. It is judged without SaySo's own logic.
        program: a plan that reaches the goal.
    """

    key: str
    title: str
    words: str
    goal: str
    wanted: Mapping[str, Any]
    program: tuple[Step, ...]


def thing_name(class_name: str, number: int) -> str:
    """What a node of the graph is called in atoms."""
    return ACTOR if number == ACTOR_ID else f"{class_name}_{number}"


def class_of(name: str) -> str:
    """The class of a thing by its name; the actor's is its name."""
    cls, _, number = name.rpartition("_")
    return cls if number.isdecimal() else name


def number_of(name: str) -> int:
    """The number of a thing by its name; -1 for a name without."""
    number = name.rpartition("_")[2]
    return int(number) if number.isdecimal() else -1


def read_step(line: str) -> Step:
    """A line of a program. Raises INVALID for another form."""
    match = _STEP.match(line.strip())
    if match is None:
        raise SaySoError(
            Code.INVALID, f"'{line.strip()}' is no step of a program.",
            hint="write [VERB] <class> (number), with as many things as the verb takes.",
        )  # fmt: skip
    things = (thing_name(cls, int(number)) for cls, number in _THING.findall(match[2]))
    return Step(match[1].lower(), tuple(things))


def read_program(lines: Iterable[str]) -> tuple[Step, ...]:
    """The steps among lines of text. Raises INVALID for a step in another form."""
    return tuple(read_step(line) for line in lines if line.startswith("["))


@lru_cache(maxsize=1)
def tasks() -> Mapping[str, Task]:
    """All that have a goal, by key, in the data set's order."""
    found = {}
    for title, entries in package().goals.items():
        for key, entry in entries.items():
            if entry["tl_goal"]:
                found[key] = _task(key, title, entry)
    return found


def task(key: str) -> Task:
    """One of them. Raises INVALID for a key that none has."""
    known = tasks()
    if key not in known:
        raise SaySoError(
            Code.INVALID, f"VirtualHome has no task '{key}' with a goal.", choices=known
        )
    return known[key]


def _task(key: str, title: str, entry: Mapping[str, Any]) -> Task:
    lines = package().program(key)
    words = " ".join(line.strip() for line in lines[1:] if line and not line.startswith("["))
    return Task(key, title, words, entry["tl_goal"], entry["vh_goal"], read_program(lines))
