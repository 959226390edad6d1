"""Predicates as plain Python functions over a documented scene API, and their evaluation.

A predicate is a function `name(scene, a, b, ...) -> bool` where `scene` is a `SceneView` and
the rest are object names. It may return None, and whatever it asks of an object that has not
been seen makes it unknown, so its truth has three values: True, False, None.
Learned predicates have the same form as the built-in ones.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, rotation_matrix
from sayso.core.scene import AttributeValue, Scene, SceneObject
from sayso.core.symbols import Atom, SymbolicState, Truths

PredicateFunction = Callable[..., "bool | None"]


_UNASKED = object()


class NotObserved(Exception):  # noqa: N818 - a signal to predicates, not a failure
    """What a predicate asked for was not observed; its truth is unknown."""


@dataclass(frozen=True)
class Predicate:
    """A named relation and the function that decides it from a scene.

    Attributes:
        parameters: names of the arguments.
        english: a clause with `{0}`, `{1}` for the arguments, such as "{0} is on {1}".
        english_not: the clause when it does not hold.
        source: the Python text of the function.
        version: counts changes, from 1.
        provenance: where it came from: `origin` (built-in, learned, taught), words, labels.
        within_m: of two things whose boxes are farther apart than this, seen from above, it is
            false, and need not be asked; None where that says nothing.
        types: of each argument, as a library's vocabulary has them; none: anything.
    """

    name: str
    parameters: tuple[str, ...]
    function: PredicateFunction = field(compare=False, repr=False)
    english: str = ""
    english_not: str = ""
    source: str = field(default="", repr=False)
    version: int = 1
    provenance: Mapping[str, Any] = field(default_factory=dict, compare=False)
    within_m: float | None = None
    types: tuple[str, ...] = ()

    @property
    def arity(self) -> int:
        return len(self.parameters)


class SceneView:
    """What a predicate may ask of a scene. Metres, frame of the scene, z up.

    Every question about an object raises `NotObserved` if no such object was seen.
    Sizes and corners are of the object's box; `low` and `high` are the (3,) bounds of that
    box along the scene's axes. Arrays are read-only: no predicate changes what another sees.
    """

    def __init__(self, scene: Scene, predicates: Mapping[str, Predicate] | None = None) -> None:
        self.scene = scene
        self._objects = {o.name: o for o in scene.objects}
        self._predicates = predicates or {}
        self._memo: dict[Atom, bool | None] = {}
        self._bounds: dict[str, tuple[Array, Array]] = {}
        self._positions: dict[str, Array] = {}
        self._around: dict[float, dict[str, tuple[str, ...]]] = {}
        robot = scene.robot
        self.table_height: float = scene.table_height_m
        self.gripper_width: float = robot.gripper_width_m
        self.gripper_max_width: float = robot.gripper_max_width_m
        self.gripper_position: Array = _read_only(robot.gripper.position)
        self.gripper_rotation: Array = _read_only(rotation_matrix(robot.gripper.orientation))
        self._base = robot.base

    @property
    def predicates(self) -> Mapping[str, Predicate]:
        """Those that `holds` and `truth` know, by name."""
        return self._predicates

    def objects(self) -> tuple[str, ...]:
        """Names of all objects in the scene."""
        return tuple(self._objects)

    def object(self, name: str) -> SceneObject:
        """The whole record of an object."""
        try:
            return self._objects[name]
        except KeyError:
            raise NotObserved(name) from None

    def seen(self, name: str) -> bool:
        """Whether the object is in the scene, seen now or remembered."""
        return name in self._objects

    def visible(self, name: str) -> bool:
        """Whether a camera sees it now."""
        return self.object(name).visible

    def category(self, name: str) -> str:
        return self.object(name).category

    def color(self, name: str) -> str:
        return self.object(name).color

    def position(self, name: str) -> Array:
        """(3,) centre of the object's box."""
        cached = self._positions.get(name)
        if cached is None:
            cached = self._positions[name] = _read_only(self.object(name).position)
        return cached

    def size(self, name: str) -> Array:
        """(3,) extent along the object's own axes."""
        return _read_only(self.object(name).size)

    def low(self, name: str) -> Array:
        """(3,) lowest coordinates of the object's box."""
        return self._box(name)[0]

    def high(self, name: str) -> Array:
        """(3,) highest coordinates of the object's box."""
        return self._box(name)[1]

    def top(self, name: str) -> float:
        """Height of the object's upper side."""
        return float(self.high(name)[2])

    def bottom(self, name: str) -> float:
        """Height of the object's lower side."""
        return float(self.low(name)[2])

    def attribute(self, name: str, attribute: str) -> AttributeValue:
        """What was observed of the object beside its box, such as `open_share` of a door.

        Raises `NotObserved` where that was not observed. The library declares which types of
        things have which attributes, and of what kind they are.
        """
        try:
            return self.object(name).attributes[attribute]
        except KeyError:
            raise NotObserved(name) from None

    def observes(self, name: str, attribute: str) -> bool:
        """Whether that attribute of the object was observed."""
        return attribute in self.object(name).attributes

    def rotation(self, name: str) -> Array:
        """(3, 3) the object's own axes as columns, in the scene's frame."""
        return _read_only(rotation_matrix(self.object(name).orientation))

    def opening(self, name: str) -> float:
        """The attribute `opening_m`: how far a drawer stands open."""
        return float(self.attribute(name, "opening_m"))

    def opens(self, name: str) -> bool:
        """Whether the object is of a kind of which `opening` can be told, such as a drawer."""
        return "opening_m" in self.object(name).attributes

    def senses_water(self, name: str) -> bool:
        """Whether water would be noticed in the object."""
        return "water_l" in self.object(name).attributes

    def water(self, name: str) -> float:
        """The attribute `water_l`: litres of water in the object."""
        return float(self.attribute(name, "water_l"))

    def carried(self, name: str) -> bool:
        """Whether the tracker infers that the gripper carries it."""
        return self.object(name).carried

    def horizontal_distance(self, a: str, b: str) -> float:
        """Distance between the two centres, seen from above."""
        return float(np.hypot(*(self.position(a) - self.position(b))[:2]))

    def offset(self, a: str, b: str) -> Array:
        """(3,) from b's centre to a's centre, along b's own axes."""
        rotation = rotation_matrix(self.object(b).orientation)
        return np.asarray(rotation.T @ (self.position(a) - self.position(b)))

    def gripper_distance(self, name: str) -> float:
        """Distance from the space between the fingertips to the object's box; 0 inside."""
        return self.object(name).distance_to(self.gripper_position)

    def base_distance(self, name: str) -> float:
        """Distance from a mobile base's centre to the object's footprint, from above; 0 inside.

        Raises `NotObserved` for a robot without a mobile base.
        """
        if self._base is None:
            raise NotObserved("base")
        obj = self.object(name)
        x, y, _ = self._base.position
        return obj.distance_to((x, y, obj.position[2]))

    def horizontal_gap(self, a: str, b: str) -> float:
        """Distance between the two boxes along the scene's axes, from above; 0 if they overlap."""
        apart = np.maximum(self.low(a) - self.high(b), self.low(b) - self.high(a))[:2]
        return float(np.hypot(*np.maximum(apart, 0.0)))

    def around(self, name: str, distance_m: float = 0.0) -> tuple[str, ...]:
        """Other things whose `horizontal_gap` to the object is at most this; 0: overlapping."""
        self.object(name)
        if distance_m not in self._around:
            self._around[distance_m] = self._neighbours(distance_m)
        return self._around[distance_m][name]

    def _neighbours(self, distance_m: float) -> dict[str, tuple[str, ...]]:
        names = self.objects()
        near = self._gaps <= distance_m
        np.fill_diagonal(near, False)
        return {
            n: tuple(names[i] for i in np.flatnonzero(row))
            for n, row in zip(names, near, strict=True)
        }

    @cached_property
    def _gaps(self) -> Array:
        """(n, n) gaps between the boxes of all objects, in order, seen from above."""
        low = np.array([self.low(n)[:2] for n in self._objects])
        high = np.array([self.high(n)[:2] for n in self._objects])
        apart = np.maximum(low[:, None] - high[None], low[None] - high[:, None])
        return _read_only(np.hypot(*np.moveaxis(np.maximum(apart, 0.0), -1, 0)))

    def holds(self, predicate: str, *args: str) -> bool | None:
        """Another predicate's truth in this scene."""
        return self.truth(Atom(predicate, args))

    def truth(self, atom: Atom) -> bool | None:
        """A ground atom's truth in this scene: True, False, or None for unknown."""
        known = self._memo.get(atom, _UNASKED)
        if known is _UNASKED:
            self._memo[atom] = None  # a predicate that depends on itself is unknown, not a loop
            known = self._memo[atom] = self._evaluate(atom)
        return None if known is None else bool(known)

    def _evaluate(self, atom: Atom) -> bool | None:
        predicate = self._predicates.get(atom.predicate)
        if predicate is None:
            raise SaySoError(
                Code.INVALID,
                f"there is no predicate '{atom.predicate}'.",
                choices=self._predicates,
            )
        if len(atom.args) != predicate.arity:
            raise SaySoError(
                Code.INVALID,
                f"{atom.predicate} takes {predicate.arity} arguments, got {len(atom.args)}.",
            )
        try:
            truth = predicate.function(self, *atom.args)
        except NotObserved:
            return None
        return None if truth is None else bool(truth)

    def _box(self, name: str) -> tuple[Array, Array]:
        cached = self._bounds.get(name)
        if cached is None:
            obj = self.object(name)
            half = np.abs(rotation_matrix(obj.orientation)) @ (np.asarray(obj.size) / 2)
            centre = np.asarray(obj.position)
            cached = self._bounds[name] = (_read_only(centre - half), _read_only(centre + half))
        return cached


def _read_only(values: npt.ArrayLike) -> Array:
    array = np.array(values, float)
    array.setflags(write=False)
    return array


def symbolic_state(
    scene: Scene, predicates: Mapping[str, Predicate], extra_objects: Sequence[str] = ()
) -> SymbolicState:
    """Every predicate over every tuple of distinct objects of the scene.

    `extra_objects` are names that are expected but may not be in the scene; atoms about them
    are unknown.
    """
    view = SceneView(scene, predicates)
    names = tuple(dict.fromkeys((*view.objects(), *extra_objects)))
    exceptions: dict[Atom, bool | None] = {}
    for predicate in predicates.values():
        for args in worth_asking(view, predicate, names):
            atom = Atom(predicate.name, args)
            if (truth := view.truth(atom)) is not False:
                exceptions[atom] = truth
    arities = {p.name: p.arity for p in predicates.values()}
    return SymbolicState(scene.stamp_s, names, Truths(names, arities, exceptions))


def worth_asking(
    view: SceneView, predicate: Predicate, names: Sequence[str]
) -> Iterator[tuple[str, ...]]:
    """Arguments for which the predicate is not false anyway, being about things far apart."""
    if predicate.within_m is None or predicate.arity != 2:
        yield from permutations(names, predicate.arity)
        return
    unseen = [n for n in names if not view.seen(n)]
    for name in names:
        others = view.around(name, predicate.within_m) if view.seen(name) else names
        yield from ((name, other) for other in (*others, *unseen) if other != name)
