"""A domain of one's own as its file says it, checked in form."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TypeAlias

from sayso.core.library import Library
from sayso.core.scene import AttributeValue
from sayso.core.symbols import Literal
from sayso.core.vocabulary import Attribute
from sayso.worlds.persons.sayings import Sayings

Range: TypeAlias = tuple[float, float]
"""The least and the most [m]."""
Values: TypeAlias = tuple[AttributeValue, ...]
"""Of which one is drawn."""


@dataclass(frozen=True)
class Kind:
    """A kind of thing.

    Attributes:
        size_m: ranges of its extents; None for a depth that is as its width.
        has: attribute -> the values that are drawn from.
        hollow: whether things are put into it, not onto it.
        fixed: whether it never moves.
    """

    name: str
    size_m: tuple[Range, Range | None, Range]
    colors: tuple[str, ...]
    has: Mapping[str, Values]
    hollow: bool = False
    fixed: bool = False


@dataclass(frozen=True)
class Deed:
    """An action: a skill that the world knows, or code that changes it.

    Attributes:
        takes: names of the things it is done to.
        code: of a function `act` over them; '' for a skill.
    """

    name: str
    takes: tuple[str, ...]
    code: str = ""
    line: int = 0


@dataclass(frozen=True)
class Wanted:
    """A thing of a task.

    Attributes:
        name: by which the task speaks of it; '' for one in passing.
        kinds, new: of which it is drawn; `new` ones half of the time, in sets that show them.
        on: names of those that it may be put on or in at first; else it is on the table.
        same: attribute, or `color` -> the thing that has the same.
        chance: that it is there at all.
        more: how many more of it there are in sets with more things; it is only there then.
    """

    name: str
    kinds: tuple[str, ...]
    new: tuple[str, ...] = ()
    on: tuple[str, ...] = ()
    same: Mapping[str, str] = field(default_factory=dict)
    has: Mapping[str, Values] = field(default_factory=dict)
    width_m: Range | None = None
    x_m: Range | None = None
    chance: float = 1.0
    more: int = 0


@dataclass(frozen=True)
class Template:
    """What tasks are drawn from.

    Attributes:
        goal: literals over the names of its things.
        words: with a thing's name in braces for the thing.
    """

    things: tuple[Wanted, ...]
    goal: tuple[Literal, ...]
    words: str
    line: int


@dataclass(frozen=True)
class Description:
    """A domain as its file says it.

    Attributes:
        simple, complex: templates of tasks to learn from, and of harder ones.
        lines: line of each rule, by operator's name.
    """

    folder: Path
    name: str
    about: str
    attributes: Mapping[str, Attribute]
    kinds: Mapping[str, Kind]
    deeds: Mapping[str, Deed]
    library: Library
    sayings: Sayings
    simple: tuple[Template, ...]
    complex: tuple[Template, ...]
    lines: Mapping[str, int]
