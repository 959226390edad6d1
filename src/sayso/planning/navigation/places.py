"""Places and the situation from an observed scene, by what the library's predicates say of it."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import replace

from sayso.core.geometry import Vector3
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.planning.navigation.flat import Place, Situation
from sayso.planning.navigation.nearness import Footprint

LIVING = ("cat", "dog", "person", "man", "woman", "child")
"""Kinds on which nothing is put down."""

_PROBE = "a small thing"
_PROBE_M = 0.04
_HIGHEST_M = 1.3
_NARROWEST_M = 0.2
"""Higher or narrower tops are none to put something on."""


def places_of(
    scene: Scene, predicates: Mapping[str, Predicate], beside: Collection[str] = ()
) -> tuple[Place, ...]:
    """What a scene holds, as places of a tour.

    A thing receives "in" or "on" if a small thing in its middle or on its top would be in it or
    on it, as the predicates see it, and if it is furniture.

    Args:
        scene: its frame is the map's.
        predicates: `graspable`, `in`, `on`, `holding` and what they ask for.
        beside: names of what the task wants something put down at, be it only beside it.
    """
    view = SceneView(scene, predicates)
    return tuple(
        Place(
            thing.name,
            Footprint.of(thing),
            bool(view.truth(Atom("graspable", (thing.name,)))),
            _receives(thing, scene, predicates, view) or ("beside" * (thing.name in beside)),
        )
        for thing in scene.objects
    )


def situation_of(scene: Scene, predicates: Mapping[str, Predicate]) -> Situation:
    """What is held and what lies where, as far as it was observed to be so."""
    view = SceneView(scene, predicates)
    names = view.objects()
    things = [n for n in names if view.truth(Atom("graspable", (n,)))]
    held = next((n for n in names if view.truth(Atom("holding", (n,)))), "")
    rests, beside = set[tuple[str, str]](), set[tuple[str, str]]()
    for thing in things:
        for other in names:
            if other == thing or not view.truth(Atom("placed", (thing, other))):
                continue
            lies = any(view.truth(Atom(p, (thing, other))) for p in ("on", "in"))
            (rests if lies else beside).add((thing, other))
    return Situation(held, frozenset(rests), beside=frozenset(beside))


def _receives(
    thing: SceneObject, scene: Scene, predicates: Mapping[str, Predicate], view: SceneView
) -> str:
    if thing.opening_m is not None or thing.carried or thing.category.split()[-1:] == []:
        return ""
    if thing.category.split()[-1] in LIVING:
        return ""
    middle, top = thing.position, view.top(thing.name)
    if _holds("in", thing, middle, scene, predicates):
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
