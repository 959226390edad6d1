"""Predicates as plain Python functions over a documented scene API, and their evaluation.

A predicate is a function `name(scene, a, b, ...) -> bool` where `scene` is a `SceneView` and
the rest are object names. It may return None, and whatever it asks of an object that has not
been seen makes it unknown, so its truth has three values: True, False, None. How a thing that the
hand let go of lies to others is unknown until it is seen, whatever the function says.
Learned predicates have the same form as the built-in ones.

One that is true of many things, or is a network, is a function `name_many(scene, a, b)` instead,
which is called once for a scene: see `ManyFunction`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, rotation_matrix
from sayso.core.scene import AttributeValue, Picture, Scene, SceneObject
from sayso.core.symbols import (
    FALSE,
    NUMBERS,
    TRUE,
    UNKNOWN,
    Atom,
    SymbolicState,
    ThreeValued,
    Truths,
)
from sayso.core.thing_arrays import Flags, Indices, ThingArrays, read_only
from sayso.core.vocabulary import NO_WORDS, Vocabulary
from sayso.core.walls import walled_off

PredicateFunction = Callable[..., "bool | None"]


@dataclass(frozen=True)
class ManyFunction:
    """What decides all atoms of a predicate of one or two arguments in a scene at once.

    Attributes:
        decide: takes a `SceneView` and for each argument an array (k,) of numbers that index
            `SceneView.things`; gives (k,) truths: bools, or objects where some are None.
    """

    decide: Callable[..., npt.NDArray[Any]]


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
        vocabulary: of its library, by which its function tells what type a thing is of.
    """

    name: str
    parameters: tuple[str, ...]
    function: PredicateFunction | ManyFunction = field(compare=False, repr=False)
    english: str = ""
    english_not: str = ""
    source: str = field(default="", repr=False)
    version: int = 1
    provenance: Mapping[str, Any] = field(default_factory=dict, compare=False)
    within_m: float | None = None
    types: tuple[str, ...] = ()
    vocabulary: Vocabulary = field(default=NO_WORDS, compare=False, repr=False)

    @property
    def arity(self) -> int:
        return len(self.parameters)

    @cached_property
    def sees_pictures(self) -> bool:
        """Whether its text asks for pictures: it is decided where they are taken, and elsewhere
        is what the thing's attribute of its name tells."""
        return re.search(r"\.pictures?\b", self.source) is not None

    @cached_property
    def sees_walls(self) -> bool:
        """Whether its text asks whether a wall stands in between."""
        return re.search(r"\.walled_off\b", self.source) is not None


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
        self._memo: dict[tuple[str, tuple[str, ...]], bool | None] = {}
        self._of_all: dict[str, ThreeValued] = {}
        self._bounds: dict[str, tuple[Array, Array]] = {}
        self._extents: dict[str, tuple[float, float, float, float]] = {}
        self._positions: dict[str, Array] = {}
        self._sizes: dict[str, Array] = {}
        self._around: dict[float, dict[str, tuple[str, ...]]] = {}
        robot = scene.robot
        self.table_height: float = scene.table_height_m
        self.gripper_width: float = robot.gripper_width_m
        self.gripper_max_width: float = robot.gripper_max_width_m
        self.gripper_position: Array = read_only(robot.gripper.position)
        self.gripper_rotation: Array = read_only(rotation_matrix(robot.gripper.orientation))
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

    def is_a(self, name: str, type_name: str) -> bool:
        """Whether the object's kind is of a type, by the library's vocabulary.

        A kind that no noun is for is of none. Raises INVALID for a type that there is not.
        """
        return type_name in self._types_of(type_name)(self.category(name))

    def color(self, name: str) -> str:
        return self.object(name).color

    def position(self, name: str) -> Array:
        """(3,) centre of the object's box."""
        cached = self._positions.get(name)
        if cached is None:
            cached = self._positions[name] = read_only(self.object(name).position)
        return cached

    def size(self, name: str) -> Array:
        """(3,) extent along the object's own axes."""
        cached = self._sizes.get(name)
        if cached is None:
            cached = self._sizes[name] = read_only(self.object(name).size)
        return cached

    def low(self, name: str) -> Array:
        """(3,) lowest coordinates of the object's box."""
        return self._box(name)[0]

    def high(self, name: str) -> Array:
        """(3,) highest coordinates of the object's box."""
        return self._box(name)[1]

    def top(self, name: str) -> float:
        """Height of the object's upper side."""
        return float(self._box(name)[1][2])

    def bottom(self, name: str) -> float:
        """Height of the object's lower side."""
        return float(self._box(name)[0][2])

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
        return read_only(rotation_matrix(self.object(name).orientation))

    def points(self, name: str) -> npt.NDArray[np.float32]:
        """(N, 3) points seen of the object's surface. Raises `NotObserved` where there are none."""
        self.object(name)
        if not len(found := self.things.points[self._numbers[name]]):
            raise NotObserved(name)
        return found

    def picture(self, name: str) -> Picture:
        """What a camera shows of the object now: pixels, depth and mask.

        Raises `NotObserved` where none does, and outside of perception: there, what the predicate
        decided of the picture is known.
        """
        self.object(name)
        if (found := self.things.pictures[self._numbers[name]]) is None:
            raise NotObserved(name)
        return found

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

    def walled_off(self, name: str, reach_m: float) -> bool:
        """Whether a wall stands between a mobile base and the object; see `walls.walled_off`.

        Raises `NotObserved` for a robot without a mobile base, and where no map shows its place.
        """
        if self._base is None:
            raise NotObserved("base")
        told = walled_off(self.scene, self.object(name), self._base.position, reach_m)
        if told is None:
            raise NotObserved("map")
        return told

    def horizontal_gap(self, a: str, b: str) -> float:
        """Distance between the two boxes along the scene's axes, from above; 0 if they overlap."""
        left, near, right, far = self._extent(a)
        other_left, other_near, other_right, other_far = self._extent(b)
        x = max(left - other_right, other_left - right, 0.0)
        y = max(near - other_far, other_near - far, 0.0)
        return float(np.hypot(x, y)) if x and y else x or y

    def around(self, name: str, distance_m: float = 0.0) -> tuple[str, ...]:
        """Other things whose `horizontal_gap` to the object is at most this; 0: overlapping."""
        self.object(name)
        if distance_m not in self._around:
            self._around[distance_m] = self._neighbours(distance_m)
        return self._around[distance_m][name]

    def _neighbours(self, distance_m: float) -> dict[str, tuple[str, ...]]:
        names = self.objects()
        near = self.things.gaps <= distance_m
        np.fill_diagonal(near, False)
        return {
            n: tuple(names[i] for i in np.flatnonzero(row))
            for n, row in zip(names, near, strict=True)
        }

    # -- many at once ----------------------------------------------------------------------

    @cached_property
    def things(self) -> ThingArrays:
        """All objects as arrays, in the order of `objects`."""
        return ThingArrays(self._objects.values())

    def of_type(self, type_name: str) -> Flags:
        """(n,) whether the kind of each thing is of a type, as `is_a` tells."""
        types_of = self._types_of(type_name)
        return self.things.each(lambda thing: type_name in types_of(thing.category))

    def _types_of(self, type_name: str) -> Callable[[str], frozenset[str]]:
        """What tells the types of a kind, once it is sure that there is such a type."""
        if type_name not in (known := [t.name for t in self._vocabulary.types]):
            raise SaySoError(Code.INVALID, f"there is no type '{type_name}'.", choices=known)
        types_of = self._vocabulary.types_of
        return lambda kind: types_of(kind) or frozenset()

    @cached_property
    def _vocabulary(self) -> Vocabulary:
        told = (p.vocabulary for p in self._predicates.values())
        return next((v for v in told if v.types), NO_WORDS)

    def known(self, predicate: str, *which: Indices) -> Flags:
        """(k,) whether another predicate is known to be true of things, given by their numbers.

        Without numbers, of all: (n,) or (n, n).
        """
        found: Flags = self.of_all(predicate) == TRUE
        return found[which] if which else found

    def of_all(self, predicate: str) -> ThreeValued:
        """(n,), (n, n), ... truths of a predicate over all things: TRUE, UNKNOWN or FALSE.

        Raises INVALID for a predicate that there is not.
        """
        if predicate not in self._of_all:
            asked = self._predicate(predicate)
            self._of_all[predicate] = self._unknown(asked.arity)  # if it depends on itself
            decide = self._at_once if isinstance(asked.function, ManyFunction) else self._in_turn
            self._of_all[predicate] = decide(asked)
        return self._of_all[predicate]

    def _unknown(self, arity: int) -> ThreeValued:
        return _of_names(np.full((0,) * arity, UNKNOWN, np.int8), len(self._objects))

    def _at_once(self, predicate: Predicate) -> ThreeValued:
        """As `ManyFunction` decides, for pairs that are not too far apart."""
        truths = np.zeros((len(self._objects),) * predicate.arity, np.int8)
        if predicate.arity == 1:
            which: tuple[Indices, ...] = (np.arange(len(truths)),)
        else:
            which = self.things.pairs(predicate.within_m)
        assert isinstance(predicate.function, ManyFunction)
        if len(which[0]):
            try:
                decided = predicate.function.decide(self, *which)
            except NotObserved:
                return self._unknown(predicate.arity)
            truths[which] = (
                decided if decided.dtype == bool else [NUMBERS[t] for t in decided.tolist()]
            )
        for i, name in enumerate(self._objects) if predicate.sees_pictures else ():
            if (told := self._decided(predicate, name)) is not None:
                truths[i] = NUMBERS[told]
        for i in self._adrift if predicate.arity == 2 else ():
            near = self.things.gaps[i] == 0.0
            truths[i, (truths[i] == TRUE) | near] = UNKNOWN
            truths[(truths[:, i] == TRUE) | near, i] = UNKNOWN
            truths[i, i] = 0
        return truths

    def _decided(self, predicate: Predicate, name: str) -> bool | None:
        """What was decided of a picture, or was known without one, for all who get the scene."""
        value = self.object(name).attributes.get(predicate.name)
        return None if value is None else bool(value)

    def _in_turn(self, predicate: Predicate) -> ThreeValued:
        truths = np.zeros((len(self._objects),) * predicate.arity, np.int8)
        for args in worth_asking(self, predicate, self.objects()):
            if (truth := self.holds(predicate.name, *args)) is not False:
                truths[tuple(self._numbers[a] for a in args)] = NUMBERS[truth]
        return truths

    @cached_property
    def _numbers(self) -> dict[str, int]:
        return {name: i for i, name in enumerate(self._objects)}

    def holds(self, predicate: str, *args: str) -> bool | None:
        """Another predicate's truth in this scene."""
        asked = predicate, args
        if asked not in self._memo:
            self._memo[asked] = None  # a predicate that depends on itself is unknown, not a loop
            self._memo[asked] = self._evaluate(predicate, args)
        return self._memo[asked]

    def truth(self, atom: Atom) -> bool | None:
        """A ground atom's truth in this scene: True, False, or None for unknown."""
        return self.holds(atom.predicate, *atom.args)

    def _evaluate(self, name: str, args: tuple[str, ...]) -> bool | None:
        predicate = self._predicate(name)
        if len(args) != len(predicate.parameters):
            raise SaySoError(
                Code.INVALID, f"{name} takes {predicate.arity} arguments, got {len(args)}."
            )
        truth = self._decide(predicate, args)
        if truth is not None and self._adrift and self._is_doubtful(truth, args):
            return None
        return truth

    def _is_doubtful(self, truth: bool, args: Sequence[str]) -> bool:
        """Whether a relation rests on where something was let go: what is there may have come
        about; what is not may have, if the one is over the other."""
        i = [self._numbers[a] for a in args if a in self._numbers]
        adrift = [n for n in i if n in self._adrift]
        return len(args) > 1 and any(
            truth or self.things.gaps[a, b] == 0.0 for a in adrift for b in i if a != b
        )

    @cached_property
    def _adrift(self) -> tuple[int, ...]:
        """The numbers of things that were let go of and not seen since."""
        return tuple(i for i, o in enumerate(self._objects.values()) if o.let_go)

    def _decide(self, predicate: Predicate, args: tuple[str, ...]) -> bool | None:
        """What its function says."""
        try:
            if isinstance(predicate.function, ManyFunction):
                return self._of_one(predicate.name, args)
            if predicate.sees_pictures and (told := self._decided(predicate, *args)) is not None:
                return told
            truth = predicate.function(self, *args)
        except NotObserved:
            return None
        return None if truth is None else bool(truth)

    def _of_one(self, predicate: str, args: tuple[str, ...]) -> bool | None:
        """What was decided of all things at once; None for what is not among them."""
        if not all(map(self.seen, args)):
            return None
        found = int(self.of_all(predicate)[tuple(self._numbers[a] for a in args)])
        return None if found == UNKNOWN else found == TRUE

    def _predicate(self, name: str) -> Predicate:
        predicate = self._predicates.get(name)
        if predicate is None:
            raise SaySoError(
                Code.INVALID, f"there is no predicate '{name}'.", choices=self._predicates
            )
        return predicate

    def _box(self, name: str) -> tuple[Array, Array]:
        cached = self._bounds.get(name)
        if cached is None:
            obj = self.object(name)
            half = np.abs(rotation_matrix(obj.orientation)) @ (np.asarray(obj.size) / 2)
            centre = np.asarray(obj.position)
            cached = self._bounds[name] = (read_only(centre - half), read_only(centre + half))
        return cached

    def _extent(self, name: str) -> tuple[float, float, float, float]:
        """The box's lowest x and y, and highest, as plain numbers, which are quick to compare."""
        cached = self._extents.get(name)
        if cached is None:
            low, high = self._box(name)
            left, near, _ = low.tolist()
            right, far, _ = high.tolist()
            cached = self._extents[name] = (left, near, right, far)
        return cached


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
    tables: dict[str, ThreeValued] = {}
    for predicate in predicates.values():
        if isinstance(predicate.function, ManyFunction):
            tables[predicate.name] = _of_names(view.of_all(predicate.name), len(names))
        else:
            exceptions.update(_exceptions(view, predicate, names))
    arities = {p.name: p.arity for p in predicates.values()}
    truths = Truths(names, arities, exceptions, tables)
    return SymbolicState(scene.stamp_s, names, truths, scene.categories())


def _of_names(truths: ThreeValued, count: int) -> ThreeValued:
    """(count,) * arity the same, and unknown of names beyond the things that were seen."""
    if truths.ndim == 0 or count == len(truths):
        return truths
    found = np.full((count,) * truths.ndim, UNKNOWN, np.int8)
    found[(slice(len(truths)),) * truths.ndim] = truths
    if truths.ndim == 2:
        np.fill_diagonal(found, FALSE)
    return found


def _exceptions(
    view: SceneView, predicate: Predicate, names: Sequence[str]
) -> Iterator[tuple[Atom, bool | None]]:
    """The atoms that are not false, with their truths."""
    for args in worth_asking(view, predicate, names):
        if (truth := view.holds(predicate.name, *args)) is not False:
            yield Atom(predicate.name, args), truth


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
