"""Tasks of a domain of one's own, drawn from its templates.

| set | things | goals |
|---|---|---|
| training, canonical | known kinds | of `simple` |
| more_objects | also `new` kinds, and `more` things | of `simple` |
| novel_goals | known kinds | of `complex` |
| combined | also new kinds, and more things | of `complex` |
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import AttributeValue
from sayso.core.symbols import Literal, in_words
from sayso.worlds.domains.description import Description, Kind, Range, Template, Wanted
from sayso.worlds.domains.domain import SETS
from sayso.worlds.domains.motions import TABLE, Thing

_GAP_M = 0.04
_NEAR_M = (0.4, 0.5)
_DRAFTS = 50


@dataclass(frozen=True)
class DrawnTask:
    """A task; see `domain.Task`.

    Attributes:
        things: as they are at first, by name.
    """

    name: str
    words: str
    goal: tuple[str, ...]
    things: Mapping[str, Thing]


def drawn_tasks(
    description: Description, test_set: str, seed: int, count: int
) -> tuple[DrawnTask, ...]:
    """Tasks of a set. Raises INVALID for an unknown set, CONFIG for things that do not fit."""
    if test_set not in SETS:
        raise SaySoError(Code.INVALID, f"there is no set '{test_set}'.", choices=SETS)
    return tuple(_task(description, test_set, seed, i) for i in range(count))


def _task(description: Description, test_set: str, seed: int, number: int) -> DrawnTask:
    harder = test_set in ("novel_goals", "combined")
    templates = description.complex if harder else description.simple
    template = templates[number % len(templates)]
    key = zlib.crc32(f"{description.name}/{test_set}".encode())
    random = np.random.default_rng((key, seed, number))
    novel = test_set in ("more_objects", "combined")
    things, names = _drawn(description, template, random, novel)
    words = template.words.format(**{n: in_words(t) for n, t in names.items()})
    return DrawnTask(
        f"{description.name}_{test_set}_{seed}_{number}",
        words[:1].upper() + words[1:],
        tuple(str(_renamed(x, names)) for x in template.goal),
        things,
    )


def _drawn(
    description: Description, template: Template, random: np.random.Generator, novel: bool
) -> tuple[dict[str, Thing], dict[str, str]]:
    """The template's things; drawn anew where colors happen to run out."""
    for _ in range(_DRAFTS):
        try:
            return _Draft(description.kinds, random, novel).drawn(template)
        except SaySoError:
            continue
    return _Draft(description.kinds, random, novel).drawn(template)


def _renamed(literal: Literal, names: Mapping[str, str]) -> Literal:
    return literal._replace(atom=literal.atom.substitute(names))


class _Draft:
    """Draws the things of one task."""

    def __init__(self, kinds: Mapping[str, Kind], random: np.random.Generator, novel: bool) -> None:
        self._kinds, self._random, self._novel = kinds, random, novel
        self._things: dict[str, Thing] = {}
        self._names: dict[str, str] = {}

    def drawn(self, template: Template) -> tuple[dict[str, Thing], dict[str, str]]:
        """The things by name, and the template's names for some."""
        for wanted in template.things:
            for _ in range(self._count(wanted)):
                self._add(wanted)
        self._spread()
        return self._things, self._names

    def _count(self, wanted: Wanted) -> int:
        if wanted.more:
            return wanted.more if self._novel else 0
        return int(self._random.random() < wanted.chance)

    def _add(self, wanted: Wanted) -> None:
        kinds = wanted.kinds
        if self._novel and wanted.new and self._random.random() < 0.5:
            kinds = wanted.new
        kind = self._kinds[self._one(kinds)]
        like = {what: self._things[self._names[n]] for what, n in (wanted.same or {}).items()}
        color = self._color(kind, like.pop("color", None))
        name = f"{color}_{kind.name}"
        self._things[name] = Thing(
            name, kind.name, color, self._size(kind, wanted.width_m),
            self._within(wanted.x_m or _NEAR_M), 0.0, self._place(wanted),
            kind.hollow, kind.fixed, self._attributes(kind, wanted, like),
        )  # fmt: skip
        if wanted.name:
            self._names[wanted.name] = name

    def _color(self, kind: Kind, like: Thing | None) -> str:
        """One that no other thing of the kind has, so that its name is its own."""
        wanted = (like.color,) if like else kind.colors
        free = [c for c in wanted if f"{c}_{kind.name}" not in self._things]
        if not free:
            raise SaySoError(
                Code.CONFIG, f"there is no color left for another {kind.name}.",
                hint=f"give '{kind.name}' more `colors`, or the task fewer of them.",
            )  # fmt: skip
        return self._one(free)

    def _attributes(
        self, kind: Kind, wanted: Wanted, like: Mapping[str, Thing]
    ) -> dict[str, AttributeValue]:
        given = {**kind.has, **(wanted.has or {})}
        drawn = {n: values[int(self._random.integers(len(values)))] for n, values in given.items()}
        return {**drawn, **{n: t.attributes[n] for n, t in like.items() if n in t.attributes}}

    def _size(self, kind: Kind, width_m: Range | None) -> tuple[float, float, float]:
        across, deep, high = kind.size_m
        width = self._within(width_m or across)
        depth = width if deep is None else self._within(deep)
        return width, depth, self._within(high)

    def _place(self, wanted: Wanted) -> str:
        there = [self._names[n] for n in wanted.on]
        return self._one(there) if there else TABLE

    def _within(self, ends: Range) -> float:
        return round(float(self._random.uniform(*ends)), 4)

    def _one(self, choices: Sequence[str]) -> str:
        return str(choices[int(self._random.integers(len(choices)))])

    def _spread(self) -> None:
        """Each thing has a spot of its own in a row on the table, where it returns to."""
        names = [str(n) for n in self._random.permutation(list(self._things))]
        across = {n: max(self._things[n].size_m[:2]) + _GAP_M for n in names}
        left = sum(across.values()) / 2
        for name in names:
            y_m = round(left - across[name] / 2, 4)
            self._things[name] = replace(self._things[name], y_m=y_m)
            left -= across[name]
