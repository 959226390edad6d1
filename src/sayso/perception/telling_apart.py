"""Words that tell like things apart, so that a person can say which one is meant."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence

import numpy as np

from sayso.core.scene import Scene, SceneObject
from sayso.logic.english import describe
from sayso.logic.formula import COLORS, Referent, Relation
from sayso.perception.categories import category_of
from sayso.perception.relations import holds
from sayso.perception.settings import GroundingSettings

_TELLING = (
    "isabove", "isbelow", "isnextto", "isleftof", "isrightof", "isinfrontof", "isbehind",
)  # fmt: skip
"""Relations to one landmark, those that say most first."""
_CLOSEST = 12
"""How many of the closest landmarks are tried for each candidate."""


def tell_apart(
    candidates: Sequence[SceneObject], scene: Scene, settings: GroundingSettings
) -> dict[SceneObject, str]:
    """Each candidate's colour, a place that no other candidate has, and its distance, in words.

    A landmark is a thing whose colour and kind, or kind, nothing else in the scene has, so that
    "the one next to the fridge" is an answer that is understood. Where no landmark helps, the
    colour and the distance from the robot (or from the frame's origin) are all that is told, and
    not even that where all are in one place, as in a scene without places.
    """
    return {c: _words(c, candidates, scene, settings) for c in candidates}


def _words(
    thing: SceneObject, candidates: Sequence[SceneObject], scene: Scene, settings: GroundingSettings
) -> str:
    rest = [c for c in candidates if c is not thing]
    parts = [thing.color] if thing.color else []
    if (place := _own_place(thing, rest, scene, settings)) and rest:
        parts.append(place)
    if not rest or any(c.position != thing.position for c in rest):
        parts.append(_distance(thing, scene, settings))
    return ", ".join(parts)


def _own_place(
    thing: SceneObject, rest: Sequence[SceneObject], scene: Scene, settings: GroundingSettings
) -> str:
    """A relation to a landmark that the thing alone stands in, or ''."""
    at, frame = settings.places, settings.frame
    landmarks = list(_landmarks(thing, rest, scene))
    for comparator in _TELLING:
        for landmark, referent in landmarks:
            if holds(comparator, thing, (landmark,), at, frame) and not any(
                holds(comparator, c, (landmark,), at, frame) for c in rest
            ):
                return _in_words(Relation(comparator, (referent,)))
    return ""


def _in_words(relation: Relation) -> str:
    return describe(Referent("one", relations=(relation,))).removeprefix("the one ")


def _landmarks(
    thing: SceneObject, rest: Sequence[SceneObject], scene: Scene
) -> Iterator[tuple[SceneObject, Referent]]:
    """Things that a few words name clearly, closest first, with those words."""
    kinds = Counter(category_of(o.category) for o in scene.objects)
    looks = Counter((o.color, category_of(o.category)) for o in scene.objects)
    others = [o for o in scene.objects if o is not thing and o not in rest]
    for other in sorted(others, key=lambda o: _apart(o, thing))[:_CLOSEST]:
        kind = category_of(other.category)
        if kinds[kind] == 1:
            yield other, Referent(kind)
        elif other.color in COLORS and looks[other.color, kind] == 1:
            yield other, Referent(kind, (other.color,))


def _apart(a: SceneObject, b: SceneObject) -> float:
    return float(np.linalg.norm(np.subtract(a.position, b.position)))


def _distance(thing: SceneObject, scene: Scene, settings: GroundingSettings) -> str:
    base = scene.robot.base
    start = base.position[:2] if base is not None else (0.0, 0.0)
    away = float(np.hypot(*np.subtract(thing.position[:2], start)))
    return f"{away:.1f} m from {'the robot' if base is not None else settings.places.origin}"
