"""Values of measures and truths of programs in labelled examples, computed once for each scene."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import reduce
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array
from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.learning.synthesis.labels import Label
from sayso.learning.synthesis.measures import measure
from sayso.learning.synthesis.programs import (
    OTHER,
    All,
    Compare,
    Either,
    Exists,
    Not,
    Program,
    others,
    quantity,
    truth,
)
from sayso.learning.synthesis.tables import Bools, SceneTable

_Key = tuple[str, tuple[str, ...], bool, tuple[str, ...]]
_Conditions = tuple[tuple[Program, ...], tuple[str, ...]]
_Entry: TypeAlias = tuple[Scene, SceneTable, dict[_Key, Array], dict[_Conditions, Bools]]


class Tables:
    """Arrays of scenes, kept between calls for as long as the predicates stay the same.

    Args:
        keep: for how many scenes, the latest.
    """

    def __init__(self, predicates: Mapping[str, Predicate], keep: int = 400) -> None:
        self._predicates = predicates
        self._keep = keep
        self._known: dict[int, _Entry] = {}

    def of(self, scene: Scene) -> SceneTable:
        return self._entry(scene)[1]

    def _entry(self, scene: Scene) -> _Entry:
        entry = self._known.pop(id(scene), None)
        if entry is None:
            entry = (scene, SceneTable(scene, self._predicates), {}, {})
            while len(self._known) >= self._keep:
                self._known.pop(next(iter(self._known)))
        self._known[id(scene)] = entry
        return entry

    def numbers(self, scene: Scene, part: Compare, variables: tuple[str, ...]) -> Array:
        """The measure's values, one axis for each variable; the best over OTHER if it is used."""
        _, table, cache, _ = self._entry(scene)
        key = (part.measure, part.args, part.below, variables)
        if key not in cache:
            cache[key] = _numbers(table, part, variables)
        return cache[key]

    def best_of_some(
        self,
        scene: Scene,
        part: Compare,
        variables: tuple[str, ...],
        conditions: Sequence[Program],
    ) -> Array:
        """See `Examples.best_of_some`."""
        held = self._held(scene, conditions, (*variables, OTHER))
        return _conditioned(self.of(scene), part, variables, held)

    def _held(self, scene: Scene, conditions: Sequence[Program], axes: tuple[str, ...]) -> Bools:
        """(conditions, n, ..., n) where each holds."""
        _, table, _, known = self._entry(scene)
        key = (tuple(conditions), axes)
        if key not in known:
            shape = (table.count,) * len(axes)
            found = [np.broadcast_to(truth(c, table, axes), shape) for c in conditions]
            known[key] = np.array(found, bool).reshape(-1, *shape)
        return known[key]


def _conditioned(
    table: SceneTable, part: Compare, variables: tuple[str, ...], held: Bools
) -> Array:
    """(conditions + 2, n, ..., n) see `Examples.best_of_some`."""
    axes = (*variables, OTHER)
    shape = (table.count,) * len(axes)
    worst = np.inf if part.below else -np.inf
    values = quantity(part.measure, part.args, part.below, table, axes)
    values = np.where(others(part, table, variables), values, worst)
    values = np.broadcast_to(values, shape)
    chosen = np.where(held, values, worst)
    best = chosen.min(-1, initial=worst) if part.below else chosen.max(-1, initial=worst)
    ordered = np.sort(values if part.below else -values, axis=-1)
    sign = 1.0 if part.below else -1.0
    more = [
        sign * ordered[..., k] if table.count > k else np.full(shape[:-1], worst) for k in (1, 2)
    ]
    return np.concatenate((best, np.array(more)))


def _numbers(table: SceneTable, part: Compare, variables: tuple[str, ...]) -> Array:
    shape = (table.count,) * len(variables)
    if OTHER not in part.args:
        own = quantity(part.measure, part.args, part.below, table, variables)
        return np.broadcast_to(own, shape)
    values = quantity(part.measure, part.args, part.below, table, (*variables, OTHER))
    worst = np.inf if part.below else -np.inf
    values = np.where(others(part, table, variables), values, worst)
    best = values.min(-1, initial=worst) if part.below else values.max(-1, initial=worst)
    return np.broadcast_to(best, shape)


class Examples:
    """Labelled examples, and what programs make of them.

    Attributes:
        wanted: (N,) the labels.
    """

    def __init__(
        self,
        labels: Sequence[Label],
        parameters: tuple[str, ...],
        tables: Tables,
        seen: Sequence[Scene],
    ) -> None:
        self.labels = tuple(labels)
        self.parameters = parameters
        self.tables = tables
        self.seen = tuple(seen)
        self.wanted: Bools = np.array([x.truth for x in labels], bool)
        self._scenes = list({id(x.scene): x.scene for x in labels}.values())
        rows: dict[int, list[int]] = {id(s): [] for s in self._scenes}
        for i, label in enumerate(labels):
            rows[id(label.scene)].append(i)
        self._rows = [np.array(rows[id(s)], int) for s in self._scenes]
        self._places = [self._places_of(s) for s in self._scenes]
        self._truths: dict[Program, Bools] = {}
        self._columns: dict[tuple[str, tuple[str, ...], bool], Array] = {}

    def _places_of(self, scene: Scene) -> tuple[npt.NDArray[np.intp], ...]:
        index = self.tables.of(scene).index
        found = [x for x in self.labels if x.scene is scene]
        return tuple(
            np.array([index[x.args[k]] for x in found], np.intp)
            for k in range(len(self.parameters))
        )

    def numbers(self, part: Compare) -> Array:
        """(N,) the measure in each example."""
        values = np.zeros(len(self.labels))
        for scene, rows, places in zip(self._scenes, self._rows, self._places, strict=True):
            values[rows] = self.tables.numbers(scene, part, self.parameters)[places]
        return values

    def best_of_some(self, part: Compare, conditions: Sequence[Program]) -> Array:
        """(conditions + 2, N) the best of a measure over others that fulfil each condition, and
        over all others the second and third best.
        """
        found = np.empty((len(conditions) + 2, len(self.labels)))
        for scene, rows, places in zip(self._scenes, self._rows, self._places, strict=True):
            values = self.tables.best_of_some(scene, part, self.parameters, conditions)
            chosen = np.moveaxis(values, 0, -1)[places]
            found[:, rows] = chosen.reshape(-1, len(found)).T
        return found

    def unlabelled(self, part: Compare) -> Array:
        """The measure's finite values in the scenes that were seen, between distinct objects."""
        found = [self.tables.numbers(s, part, self.parameters).ravel() for s in self.seen]
        values = np.concatenate(found) if found else np.zeros(0)
        return np.asarray(values[np.isfinite(values)])

    def truth(self, program: Program) -> Bools:
        """(N,) where the program holds."""
        if program not in self._truths:
            self._truths[program] = self._truth(program)
        return self._truths[program]

    def _truth(self, program: Program) -> Bools:
        if isinstance(program, Not):
            return ~self.truth(program.part)
        if isinstance(program, All):
            return np.asarray(np.logical_and.reduce([self.truth(p) for p in program.parts]))
        if isinstance(program, Either):
            return np.asarray(np.logical_or.reduce([self.truth(p) for p in program.parts]))
        part = program.part if isinstance(program, Exists) else program
        if isinstance(part, Compare) and not (isinstance(program, Exists) and program.least > 1):
            return beyond(self._column(part), part)
        held = np.zeros(len(self.labels), bool)
        for scene, rows, places in zip(self._scenes, self._rows, self._places, strict=True):
            held[rows] = self.everywhere(program, scene)[places]
        return held

    def _column(self, part: Compare) -> Array:
        key = part.measure, part.args, part.below
        if key not in self._columns:
            self._columns[key] = self.numbers(part)
        return self._columns[key]

    def everywhere(self, program: Program, scene: Scene) -> Bools:
        """(n, ..., n) where the program holds in a scene of n objects."""
        if isinstance(program, Not):
            return ~self.everywhere(program.part, scene)
        if isinstance(program, All):
            return reduce(np.logical_and, (self.everywhere(p, scene) for p in program.parts))
        if isinstance(program, Either):
            return reduce(np.logical_or, (self.everywhere(p, scene) for p in program.parts))
        part = program.part if isinstance(program, Exists) else program
        if isinstance(part, Compare) and not (isinstance(program, Exists) and program.least > 1):
            return beyond(self.tables.numbers(scene, part, self.parameters), part)
        table = self.tables.of(scene)
        held = truth(program, table, self.parameters)
        return np.broadcast_to(held, (table.count,) * len(self.parameters))

    @property
    def seen_tables(self) -> tuple[SceneTable, ...]:
        """Of the scenes that were seen and those with labels."""
        scenes = {id(s): s for s in (*self.seen, *self._scenes)}
        return tuple(map(self.tables.of, scenes.values()))

    def seen_categories(self) -> tuple[str, ...]:
        """Of all objects in the scenes that were seen, sorted."""
        return tuple(sorted({c for s in self.seen for c in self.tables.of(s).categories}))

    def words(self, attribute: str, parameter: int) -> tuple[str, ...]:
        """(N,) the category, colour or the like of an argument in each example."""
        tables = [self.tables.of(x.scene) for x in self.labels]
        return tuple(
            t.words(attribute)[t.index[x.args[parameter]]]
            for t, x in zip(tables, self.labels, strict=True)
        )


def beyond(numbers: Array, part: Compare) -> Bools:
    """Where numbers are on the comparison's side of its limit."""
    return np.asarray(numbers < part.limit if part.below else numbers > part.limit)


def guarded(part: Compare) -> bool:
    return bool(measure(part.measure).guards)
