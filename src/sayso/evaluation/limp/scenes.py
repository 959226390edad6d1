"""Flats to judge a formula in: everything it speaks of is there, clearly, and it can be done."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TypeVar

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, Vector3
from sayso.core.library import Library, builtin_path, load
from sayso.core.predicates import SceneView
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.evaluation.limp.cast import Cast, Role, cast_of
from sayso.evaluation.limp.feasible import feasible
from sayso.logic.formula import Formula, Prop, Top, propositions, referents_of
from sayso.logic.progression import can_be_fulfilled
from sayso.logic.specification import Specification
from sayso.perception.categories import category_of
from sayso.perception.grounding import ground
from sayso.perception.settings import GroundingSettings
from sayso.planning.navigation.flat import Flat, Place
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.nearness import Footprint
from sayso.worlds.flat.free_space import CELL_M, FreeSpace
from sayso.worlds.flat.generate import generate
from sayso.worlds.flat.kinds import KINDS
from sayso.worlds.flat.kinds import kind as kind_named
from sayso.worlds.flat.scene import DOOR_HEIGHT_M, Door, FlatScene, Item, about_z

_Named = TypeVar("_Named", Item, Door)
_TRIES = 100
_USUAL = 4
_START_APART_M = 1.4
"""From the start to the things that the task is about: it begins away from all of them."""
_DARTS = 60


@dataclass(frozen=True, eq=False)
class Stage:
    """A flat with what is true in it.

    Attributes:
        scene: for the simulator.
        spoken: the formula that the flat was made for, as somebody said it.
        gold: the same formula about the flat's own things.
        readings: it and further ones that are as right, as far as they can be judged here.
        objects: what truly is there, in the frame `map`.
        grid: the true floor plan.
        receives: where things can be put down: "on" or "in", by name.
        tops: how high over the foot of a thing others lie on or in it [m], by name.
    """

    scene: FlatScene
    spoken: Formula
    gold: Formula
    readings: tuple[Formula, ...]
    objects: tuple[SceneObject, ...]
    grid: OccupancyGrid
    receives: Mapping[str, str]
    tops: Mapping[str, float]

    @property
    def start(self) -> tuple[float, float]:
        """Where the base's centre is at first [m]."""
        return self.scene.start[:2]

    @property
    def propositions(self) -> tuple[Prop, ...]:
        """What all readings speak of."""
        return tuple(dict.fromkeys(p for f in self.readings for p in propositions(f)))

    def truth(self) -> Scene:
        """Everything as it is at first."""
        x, y, yaw = self.scene.start
        base = Pose((x, y, 0.0), about_z(yaw))
        return Scene(0.0, self.objects, RobotState(base=base), frame="map")

    def flat(self) -> Flat:
        """For planners that know everything."""
        found = places(self.objects, self.receives, self.gold)
        return Flat.of(self.grid, found, flat_library().domain())


def stage(reading: Formula, seed: int, also: Sequence[Formula] = ()) -> Stage:
    """A flat in which a formula can be fulfilled; contradictions get one that has all it names.

    Flats in which the formula's things are not the only ones that clearly fit their
    descriptions, or in which no way fulfils it, are passed over.

    Raises:
        SaySoError: NO_PLAN if none was found, with what was in the way.
    """
    cast = cast_of(reading)
    possible = can_be_fulfilled(reading)
    rng = np.random.default_rng(seed)
    why = ""
    for _ in range(_TRIES):
        try:
            found = _staged(reading, cast, rng)
        except SaySoError as error:
            why = error.message
            continue
        if not possible or feasible(found.gold, found.flat(), found.start):
            return replace(found, readings=_readings(found, also))
        why = "no way fulfils it"
    raise SaySoError(Code.NO_PLAN, f"no flat was found for the instruction: {why}.")


def _staged(reading: Formula, cast: Cast, rng: np.random.Generator) -> Stage:
    """One flat, whether or not it will do. Raises UNKNOWN_OBJECT, AMBIGUOUS, INVALID, NO_PLAN."""
    scene = generate(int(rng.integers(2**31)), cast.wishes, usual=_USUAL, name="stage")
    scene = _with_start(_called(scene, cast), cast, rng)
    objects = true_objects(scene)
    found = Stage(
        scene, reading, Top(), (), objects, true_grid(scene), receptacles(scene), tops(scene)
    )
    spec = Specification("", reading)
    grounded = ground(spec, found.truth(), flat_places())
    for referent, names in grounded.grounding.items():
        if tuple(sorted(names)) != cast.fitting(referent):
            raise SaySoError(Code.AMBIGUOUS, f"'{referent}' would be {', '.join(names)}")
    _check_start(found, grounded.formula)
    return replace(found, gold=grounded.formula)


def _check_start(found: Stage, gold: Formula) -> None:
    """Raises INVALID where something is done already, or lies hidden in something else."""
    predicates = flat_library().predicates
    view = SceneView(found.truth(), predicates)
    wanted = (p for p in propositions(gold) if p.predicate in ("placed", "on", "in"))
    done = [p for p in wanted if view.truth(Atom(p.predicate, tuple(map(str, p.args))))]
    inside = [
        (i.name, name)
        for i in found.scene.items
        for name, where in found.receives.items()
        if i.movable and where == "in" and view.truth(Atom("in", (i.name, name)))
    ]
    if done or inside:
        raise SaySoError(Code.INVALID, f"to begin with there is {(*done, *inside)[0]}")


def _readings(found: Stage, also: Sequence[Formula]) -> tuple[Formula, ...]:
    """The formulas whose things are all there, about the flat's own."""
    grounded = [found.gold]
    for formula in also:
        try:
            grounded.append(
                ground(Specification("", formula), found.truth(), flat_places()).formula
            )
        except SaySoError:  # it speaks of things that this flat was not made with
            continue
    return tuple(dict.fromkeys(grounded))


def _called(scene: FlatScene, cast: Cast) -> FlatScene:
    """The scene with its things called as the instruction calls them."""
    roles = cast.by_name()
    return replace(
        scene,
        items=tuple(_named(i, roles.get(i.name)) for i in scene.items),
        doors=tuple(_named(d, roles.get(d.name)) for d in scene.doors),
    )


def _named(thing: _Named, role: Role | None) -> _Named:
    if role is None:
        return thing
    category = "_".join(role.noun.split())
    return replace(thing, category=category, color=role.color or thing.color)


def _with_start(scene: FlatScene, cast: Cast, rng: np.random.Generator) -> FlatScene:
    """The scene with the robot somewhere away from all that the task is about."""
    space = FreeSpace(scene)
    cells = np.argwhere(space.free)
    names = {role.wish.name for role in cast.roles}
    things = [o for o in true_objects(scene) if o.name in names]
    for _ in range(_DARTS if len(cells) else 0):
        x, y = (float(v) for v in space.origin + cells[rng.integers(len(cells))] * CELL_M)
        if all(o.distance_to((x, y, o.position[2])) > _START_APART_M for o in things):
            return replace(scene, start=(x, y, float(rng.uniform(-np.pi, np.pi))))
    raise SaySoError(Code.NO_PLAN, "everything is close to the task's things")


def nouns_of(formula: Formula) -> tuple[str, ...]:
    """The nouns that a formula speaks of, those of landmarks too."""
    return tuple(dict.fromkeys(r.kind for r in referents_of(formula, landmarks=True)))


@lru_cache(maxsize=1)
def flat_library() -> Library:
    """The predicates and operators of the flat."""
    return load(builtin_path("flat"))


# -- what is true ------------------------------------------------------------------------------


def true_objects(scene: FlatScene) -> tuple[SceneObject, ...]:
    """Things, doors and walkers as the scene has them, before anything moves."""
    return (
        *(_thing(i) for i in scene.items),
        *(
            _object(
                d.name, d.category, d.color,
                d.leaf(d.opening) @ Pose((d.width / 2, 0.0, DOOR_HEIGHT_M / 2)),
                (d.width, 0.04, DOOR_HEIGHT_M),
            )
            for d in scene.doors
        ),
        *(
            _object(
                w.name, w.kind, w.color,
                Pose((*w.path[0], kind_named(w.kind).size[2] / 2)), kind_named(w.kind).size,
                living=True,
            )
            for w in scene.walkers
        ),
    )  # fmt: skip


def _thing(item: Item) -> SceneObject:
    return _object(
        item.name, item.category, item.color, Pose(item.centre, about_z(item.yaw)), item.size
    )


def _object(
    name: str, category: str, color: str, pose: Pose, size: Vector3, *, living: bool = False
) -> SceneObject:
    noun = category_of(category.replace("_", " "))
    return SceneObject(name, noun, color, pose.position, size, pose.orientation, living=living)


def true_grid(scene: FlatScene) -> OccupancyGrid:
    """The floor plan that a perfect map would show."""
    space = FreeSpace(scene)
    cells = np.where(space.blocked.T, OCCUPIED, FREE).astype(np.int8)
    x, y = (float(v) - CELL_M / 2 for v in space.origin)
    return OccupancyGrid(cells, (x, y), CELL_M)


def receptacles(scene: FlatScene) -> dict[str, str]:
    """Where things can be put down in a scene, by the kinds of its items."""
    return {
        i.name: "in" if KINDS[i.kind].open_top else "on" for i in scene.items if KINDS[i.kind].tops
    }


def tops(scene: FlatScene) -> dict[str, float]:
    """The height of what things lie on, over the foot of each item that takes any [m]."""
    return {i.name: _top(i) for i in scene.items if KINDS[i.kind].tops}


def _top(item: Item) -> float:
    """A top or seat at the height of the item's kind, moved if the item is of another size."""
    kind = KINDS[item.kind]
    top = kind.tops[-1]
    return top + (item.size[2] - kind.size[2]) if top > kind.size[2] / 2 else top


def places(
    objects: tuple[SceneObject, ...], receives: Mapping[str, str], formula: Formula
) -> list[Place]:
    """Objects as places; what the formula wants things placed at takes things, if beside it."""
    named = {str(p.args[1]) for p in propositions(formula) if len(p.args) == 2}
    return [
        Place(o.name, Footprint.of(o), receives.get(o.name, "beside" if o.name in named else ""))
        for o in objects
    ]


def flat_places() -> GroundingSettings:
    """What words about places mean in a flat."""
    return GroundingSettings(flat_library().vocabulary.places)
