"""Pieces that were cut off a thing by shade, a glint or noise, and are no things themselves."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.core.scene import SceneObject
from sayso.perception.appearance import Appearances
from sayso.perception.colors import family
from sayso.perception.grouping import share_within
from sayso.perception.recognition import UNKNOWN

_PLAY_M = 0.015  # how far a thing's own pieces may stick out of its box
_SOLID_PLAY_M = 0.004  # how far those that noise has given another colour may
_MOSTLY = 0.8
_SMALL = 0.1  # share of a thing's points that a glint or a shaded rim of it has at most


def without_strays(
    objects: Sequence[SceneObject], appearances: Appearances, known: Sequence[SceneObject] = ()
) -> tuple[SceneObject, ...]:
    """The objects but for pieces of others.

    Nothing can be inside a fixture's box, so what seems to be is a piece of it. In other
    boxes, such as a bowl's, only small pieces that were not recognised are taken for strays.

    Args:
        known: tracked objects; of a fixture more was seen than now may be.
    """
    fixtures = _fixtures(objects, appearances, known)
    hosts = [o for o in objects if o.category != UNKNOWN]
    return tuple(
        o
        for o in objects
        if not any(_is_in_fixture(o, f, objects) for f in fixtures)
        and not any(_is_scrap(o, host) for host in hosts)
    )


def _fixtures(
    objects: Sequence[SceneObject], appearances: Appearances, known: Sequence[SceneObject]
) -> list[SceneObject]:
    categories = {a.category for a in appearances.values() if a.shape == "fixture"}
    remembered = [o for o in known if o.category in categories]
    seen = [max(same, key=lambda o: len(o.points)) for c in categories if (same := _of(c, objects))]
    new = [o for o in seen if o.category not in {r.category for r in remembered}]
    return remembered + new


def _of(category: str, objects: Sequence[SceneObject]) -> list[SceneObject]:
    return [o for o in objects if o.category == category]


def _is_in_fixture(obj: SceneObject, fixture: SceneObject, objects: Sequence[SceneObject]) -> bool:
    same = _of(fixture.category, objects)
    if obj.category == fixture.category and len(obj.points) == max(len(o.points) for o in same):
        return False
    alike = obj.category == UNKNOWN or family(obj.color) == family(fixture.color)
    margin = _PLAY_M if alike else _SOLID_PLAY_M
    return share_within(obj.points, fixture, margin) > _MOSTLY


def _is_scrap(obj: SceneObject, host: SceneObject) -> bool:
    if obj.category != UNKNOWN or len(obj.points) > _SMALL * len(host.points):
        return False
    return share_within(obj.points, host, _PLAY_M) > _MOSTLY
