"""Where a tour starts, from an observed scene, by what the library's predicates say of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from sayso.core.geometry import Vector3
from sayso.core.library import Library
from sayso.core.predicates import Predicate, SceneView, worth_asking
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.logic.monitor import prop_atom
from sayso.planning.navigation.flat import Flat, Place, Situation
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.handling import drives, map_predicates
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.nearness import Footprint, further_m
from sayso.planning.navigation.obligations import Obligations

_PROBE = "a small thing"
_PROBE_M = 0.04
_HIGHEST_M = 1.3
_NARROWEST_M = 0.2
"""Higher or narrower tops are none to put something on."""


def places_of(
    scene: Scene,
    predicates: Mapping[str, Predicate],
    beside: Collection[str] = (),
    lidded: Collection[str] = (),
) -> tuple[Place, ...]:
    """What a scene holds, as places of a tour.

    A thing receives "in" or "on" if a small thing in its middle or on its top would be in it or
    on it, as the predicates see it, and if it is furniture.

    Args:
        scene: its frame is the map's.
        predicates: `accessible`, `graspable`, `in`, `on`, `holding` and what they ask for.
        beside: names of what the task wants something put down at, be it only beside it.
        lidded: names of what may be of a kind with a lid, whether or not one was observed.
    """
    view = SceneView(scene, predicates)
    return tuple(
        Place(
            thing.name,
            Footprint.of(thing),
            _receives(thing, scene, predicates, view, thing.name in lidded)
            or ("beside" * (thing.name in beside)),
            further_m(thing),
        )
        for thing in scene.objects
    )


def situation_of(scene: Scene, library: Library, task: Obligations) -> Situation:
    """What was observed to be so, of all that the task and the operators speak of."""
    domain = library.domain()
    told = map_predicates(domain)
    handled = (op for op in domain.operators if not drives(op))
    atoms = (a for op in handled for a in (*(x.atom for x in op.preconditions), *op.add))
    asked = {a.predicate for a in atoms} | {p.predicate for p in task.propositions}
    told |= walled_predicates(library)
    predicates = {n: p for n, p in library.predicates.items() if n in asked - told}
    view = SceneView(scene, library.predicates)
    facts = (
        Atom(p.name, args)
        for p in predicates.values()
        for args in worth_asking(view, p, view.objects())
    )
    along = frozenset(o.name for o in scene.objects if o.carried)
    return Situation(frozenset(a for a in facts if view.truth(a)), along)


def walled_predicates(library: Library) -> frozenset[str]:
    """The predicates that say what the robot is near on the same side of the walls."""
    return frozenset(n for n, p in library.predicates.items() if p.sees_walls and p.arity == 1)


def outset_of(
    task: Obligations,
    scene: Scene,
    grid: OccupancyGrid,
    library: Library,
    position: tuple[float, float],
    bare: OccupancyGrid | None = None,
) -> Outset:
    """Where a tour for a task starts, from what is observed.

    Args:
        bare: the map without those who walk, where `grid` has them.
    """
    beside = {str(p.args[1]) for p in task.propositions if len(p.args) == 2}
    words = library.vocabulary
    lidded = {o.name for o in scene.objects if words.fits(o.category, "lidded")}
    places = places_of(scene, library.predicates, beside, lidded)
    walled = walled_predicates(library)
    told, view = map_predicates(library.domain()) | walled, SceneView(scene, library.predicates)
    known = library.predicates.keys() - told  # the flat refuses what it does not know
    asked = {prop_atom(p) for p in task.propositions if p.predicate in known}
    return Outset(
        Flat.of(grid, places, library.domain(), walled, bare),
        task,
        position,
        situation_of(scene, library, task),
        predicates=library.predicates,
        unknown=frozenset(a for a in asked if view.truth(a) is None),
    )


def _receives(
    thing: SceneObject,
    scene: Scene,
    predicates: Mapping[str, Predicate],
    view: SceneView,
    lidded: bool,
) -> str:
    if "open_share" in thing.attributes or thing.carried or thing.living or not thing.category:
        return ""
    middle, top = thing.position, view.top(thing.name)
    told = view.truth(Atom("accessible", (thing.name,))) is not None
    if (told or lidded) and _holds("in", thing, middle, scene, predicates):
        return "in"
    if view.truth(Atom("graspable", (thing.name,))) or top > _HIGHEST_M:
        return ""
    x, y, _ = middle
    wide = min(thing.size[:2]) >= _NARROWEST_M
    above = (x, y, top + _PROBE_M / 2)
    return "on" if wide and _holds("on", thing, above, scene, predicates) else ""


def _holds(
    predicate: str,
    thing: SceneObject,
    position: Vector3,
    scene: Scene,
    predicates: Mapping[str, Predicate],
) -> bool:
    """Whether a small thing somewhere would stand in a relation to a thing."""
    probe = SceneObject(_PROBE, "thing", "", position, (_PROBE_M,) * 3)
    alone = replace(scene, objects=(thing, probe))
    return bool(SceneView(alone, predicates).truth(Atom(predicate, (_PROBE, thing.name))))
