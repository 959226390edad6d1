"""Finding things in stored frames: the referent semantic map of what an instruction names.

The frames are asked afterwards for the nouns of an instruction, as in LIMP (section 3.2): a
finder's masks are back-projected with depth and pose, and what several frames show of one thing
is put together by where it is.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import InstanceFinder, RgbdFrame
from sayso.core.scene import SceneObject
from sayso.perception.categories import category_of, is_a
from sayso.perception.flat.boxes import UprightBox, measure
from sayso.perception.flat.coloring import color_of
from sayso.perception.flat.merging import Cluster, follow, gather, overlap
from sayso.perception.flat.naming import name_for
from sayso.perception.flat.settings import LookSettings
from sayso.perception.flat.sightings import Sighting, sightings
from sayso.perception.flat.tracks import SMALL_M
from sayso.perception.flat.views import View, look_at
from sayso.perception.recognition import upright
from sayso.perception.shapes import thin

_LOOK_POINTS = 60
_SURFACE = 800
_SAME_BOX = 0.4
_SURE = 4.0  # sightings that make a thing half as sure as it can be


@dataclass(frozen=True)
class _Found:
    """A thing with what speaks for it."""

    thing: SceneObject
    cluster: Cluster
    share: float


def look_for(
    frames: Iterable[RgbdFrame],
    nouns: Sequence[str],
    finder: InstanceFinder,
    settings: LookSettings | None = None,
    taken: Iterable[str] = (),
) -> tuple[SceneObject, ...]:
    """The things that some nouns name, with boxes in the map, from the frames of a tour.

    Args:
        frames: RGB-D frames with poses in the map.
        nouns: noun phrases without colour, such as "sofa" or "plush toy"; words for the same
            kind are asked for once.
        finder: what gives masks.
        settings: of the search.
        taken: names that are not to be given again.

    Returns:
        Things with unique names such as `brown_table_2`; `category` is the noun, `color` the one
        observed, `confidence` from how often it was seen where it was in view.

    Raises:
        SaySoError: INVALID where there is no frame, or none with depth; what the finder raises.
    """
    settings = settings or LookSettings()
    kinds = kinds_of(nouns)
    seen, views = _scan(frames, kinds, finder, settings)
    found = [f for noun in kinds for f in _instances(seen[noun], views, noun, settings)]
    kept = _without_doubles(found)
    things = (replace(f.thing, living=f.thing.category in settings.living) for f in kept)
    return _named(list(things), taken)


def kinds_of(nouns: Iterable[str]) -> tuple[str, ...]:
    """The distinct kinds that nouns name, in order."""
    return tuple(dict.fromkeys(category_of(n) for n in nouns))


def _scan(
    frames: Iterable[RgbdFrame],
    kinds: Sequence[str],
    finder: InstanceFinder,
    settings: LookSettings,
) -> tuple[dict[str, list[Sighting]], list[View]]:
    """All sightings by kind, and what is kept of every frame."""
    seen: dict[str, list[Sighting]] = {noun: [] for noun in kinds}
    views: list[View] = []
    deep = False
    for number, frame in enumerate(frames):
        views.append(View.of(frame))
        deep = deep or bool((views[-1].depth_m > 0).any())
        masks = finder.find(frame, kinds) if kinds else ()
        for sighting in sightings(frame, masks, number, settings):
            seen[sighting.noun].append(sighting)
    if not deep:
        raise SaySoError(
            Code.INVALID,
            "the tour has no frame with depth." if views else "the tour has no frame.",
            hint="drive the tour again with the depth camera on.",
        )
    return seen, views


def _instances(
    seen: Sequence[Sighting], views: Sequence[View], noun: str, settings: LookSettings
) -> list[_Found]:
    walks = noun in settings.living
    clusters = follow(seen) if walks else gather(seen, settings)
    found = [_judge(c, views, noun, settings) for c in clusters]
    return [f for f in found if f is not None]


def _judge(
    cluster: Cluster, views: Sequence[View], noun: str, settings: LookSettings
) -> _Found | None:
    """The thing that a cluster shows, or None where later or other frames speak against it."""
    probe = thin(cluster.points, _LOOK_POINTS)
    last = max(s.stamp_s for s in cluster.seen)
    shown, gone = 0, 0
    for number, view in enumerate(views):
        look = look_at(probe, view, settings.reach_m, settings.beyond_m)
        shown += look.shows or number in cluster.frames
        gone += look.empty and view.stamp_s > last
    share = len(cluster.frames) / max(shown, 1)
    count = len(cluster.frames)
    if gone >= settings.gone_after:
        return None
    if noun in settings.living:  # elsewhere in most frames, so that says nothing
        share = 1.0
    elif shown >= settings.in_view and (share < settings.least_share or count == 1):
        return None
    return _Found(thing_of(cluster, noun, share), cluster, share)


def thing_of(cluster: Cluster, noun: str, share: float = 1.0) -> SceneObject:
    """The unnamed thing that some sightings show.

    Args:
        cluster: the sightings.
        noun: what they were found as.
        share: of the frames that had it in view, those in which it was found.
    """
    box, points = measure(cluster.seen)
    count = len(cluster.seen)
    score = float(np.mean([s.score for s in cluster.seen]))
    nearest = min(cluster.seen, key=lambda s: s.distance_m)
    small = float(np.linalg.norm(box.size)) < SMALL_M
    return SceneObject(
        "",
        noun,
        color_of(cluster.seen),
        box.centre,
        box.size,
        upright(box.yaw),
        confidence=float(np.clip(score * share * (count + 1) / (count + _SURE / 2), 0.0, 1.0)),
        last_seen_s=max(s.stamp_s for s in cluster.seen),
        visible=False,
        points=(nearest.points if small else thin(points, _SURFACE)).astype(np.float32),
    )


def _without_doubles(found: Sequence[_Found]) -> list[_Found]:
    """Each thing once: as the most special kind that it was found as, and not as a mislabel."""
    boxes = [UprightBox.of(f.thing) for f in found]
    kept = []
    for i, one in enumerate(found):
        rivals = (
            other
            for j, other in enumerate(found)
            if other.thing.category != one.thing.category
            and overlap(boxes[i], boxes[j]) > _SAME_BOX
        )
        if not any(_beaten(one, other) for other in rivals):
            kept.append(one)
    return kept


def _beaten(one: _Found, other: _Found) -> bool:
    if is_a(other.thing.category, one.thing.category):
        return True
    if is_a(one.thing.category, other.thing.category):
        return False
    return len(one.cluster.frames) < 0.5 * len(other.cluster.frames)


def _named(things: Sequence[SceneObject], taken: Iterable[str]) -> tuple[SceneObject, ...]:
    used = set(taken)
    result = []
    for thing in sorted(things, key=lambda t: (t.category, -t.confidence, t.position)):
        name = name_for(thing, used)
        used.add(name)
        result.append(replace(thing, name=name))
    return tuple(result)
