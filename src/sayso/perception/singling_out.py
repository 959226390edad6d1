"""Descriptions in words that exactly one thing of a scene fits: "the sofa next to the fridge"."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sayso.core.errors import SaySoError
from sayso.core.scene import Scene, SceneObject
from sayso.logic.formula import COLORS, Referent, Relation
from sayso.perception.categories import category_of
from sayso.perception.finding import Finder
from sayso.perception.settings import GroundingSettings

_TELLING = (
    "isnextto", "isabove", "isbelow", "isleftof", "isrightof", "isinfrontof", "isbehind",
)  # fmt: skip
_CLOSEST = 12
"""How many of the closest landmarks are tried."""


def single_out(
    thing: SceneObject, noun: str, scene: Scene, settings: GroundingSettings
) -> Referent | None:
    """A short description of the thing under a noun, or None where words tell too little.

    By its kind alone, its colour, its place at a landmark that is clear by itself, both; at last
    by the number in its name.
    """
    finder = Finder(scene, settings)
    for referent in _descriptions(thing, noun, scene, finder):
        if _names(finder, referent) == (thing.name,):
            return referent
    return None


def _descriptions(
    thing: SceneObject, noun: str, scene: Scene, finder: Finder
) -> Iterator[Referent]:
    looks = [(), (thing.color,)] if thing.color in COLORS else [()]
    for attributes in looks:
        yield Referent(noun, attributes)
    landmarks = list(_landmarks(thing, scene, finder))
    for attributes in looks:
        for comparator in _TELLING:
            for landmark in landmarks:
                yield Referent(noun, attributes, (Relation(comparator, (landmark,)),))
    colors = tuple(w for w in thing.name.split("_") if w in COLORS)
    yield Referent(" ".join(w for w in thing.name.split("_") if w not in COLORS), colors)


def _landmarks(thing: SceneObject, scene: Scene, finder: Finder) -> Iterator[Referent]:
    """Things of other kinds that their kind, or colour and kind, names clearly; closest first."""
    others = [o for o in scene.objects if category_of(o.category) != category_of(thing.category)]
    others.sort(key=lambda o: float(np.linalg.norm(np.subtract(o.position, thing.position))))
    for other in others[:_CLOSEST]:
        kind = Referent(category_of(other.category))
        coloured = Referent(kind.noun, (other.color,) if other.color in COLORS else ())
        for referent in dict.fromkeys((kind, coloured)):
            if _names(finder, referent) == (other.name,):
                yield referent
                break


def _names(finder: Finder, referent: Referent) -> tuple[str, ...]:
    try:
        return finder.names(referent)
    except SaySoError:
        return ()
