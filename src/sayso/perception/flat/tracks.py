"""One known thing over time: how a new sighting changes what is known of it."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.geometry import Array, Vector3
from sayso.core.scene import SceneObject
from sayso.perception.carrying import Grasp
from sayso.perception.flat.boxes import UprightBox, fit_box, fit_round, measure
from sayso.perception.flat.merging import link_radius
from sayso.perception.flat.settings import LiveSettings
from sayso.perception.flat.sightings import Sighting
from sayso.perception.recognition import upright, yaw_of
from sayso.perception.remembering import blend
from sayso.perception.shapes import thin

SMALL_M = 0.45
"""Things with a smaller diagonal can be handled, and are measured anew in every view."""
_PROBE = 60
_KEPT = 800
_HIDDEN = 0.7  # of the known diagonal: what shows less is taken for a part
_HANDLED = 0.05  # one sigma of a fresh place after the hand let go, in metres
_SEEN_THROUGH = 0.3
_SAME_TOP_M = 0.015
_PART_M = 0.17  # how far off a walker was taken to be of whom a part shows, at most
_STILL_M = 0.05  # the noise of a place: who is seen so near to where they were may be there still


@dataclass(frozen=True)
class Track:
    """What is remembered of one thing.

    Attributes:
        thing: as last known; its points lie on its surface.
        born_s: when it was first seen.
        weight: how well its place is known: inverse variance [1/m2].
        absent: frames that looked through its place since it was seen.
        missing: whether it is taken to be gone.
        astray: sightings in a row that do not fit the known box.
        grasp: how the gripper holds it, while it does.
        let_go_s: when the gripper let go of it last.
        part: whether only a part of it showed when its place was seen last.
    """

    thing: SceneObject
    born_s: float = 0.0
    weight: float = 0.0
    absent: int = 0
    missing: bool = False
    astray: tuple[Sighting, ...] = ()
    grasp: Grasp | None = None
    let_go_s: float = -math.inf
    part: bool = False

    @property
    def off_m(self) -> float:
        """How far its place may be off: two standard deviations; more where a part showed."""
        off_m = 2.0 / math.sqrt(self.weight) if self.weight else 0.0
        return math.hypot(off_m, _PART_M) if self.part else off_m

    @property
    def small(self) -> bool:
        return float(np.linalg.norm(self.thing.size)) < SMALL_M

    def probe(self) -> Array:
        """A few points (N, 3) of its surface, to look at.

        Of what is small only the upper half: where it is gone, what it stood on is seen about
        where its lower part was.
        """
        points = self.thing.points.astype(float)
        points = points if len(points) else UprightBox.of(self.thing).grid(4)
        if self.small:
            points = points[points[:, 2] >= np.median(points[:, 2])]
        return thin(points, _PROBE)


def certainty(distance_m: float) -> float:
    """Inverse variance [1/m2] of a place seen from a distance: localisation and depth noise."""
    return 1.0 / (0.008 + 0.006 * distance_m) ** 2


def fit(sighting: Sighting, track: Track, settings: LiveSettings) -> float:
    """How well a sighting belongs to a track where it is, 0 to 1; 0 if it does not."""
    box = UprightBox.of(track.thing)
    radius = settings.play_m + link_radius(sighting.distance_m)
    if track.small:
        middle = (sighting.low + sighting.high) / 2
        apart = float(np.linalg.norm(middle - np.asarray(box.centre)))
        return max(0.0, 1.0 - apart / (radius + 0.35 * float(np.linalg.norm(box.size))))
    share = float(box.holds(thin(sighting.points, 200), radius).mean())
    return share if share >= 0.3 else 0.0


def refreshed(track: Track, sighting: Sighting, **changes: object) -> Track:
    """The track after it was seen where it is known to be."""
    thing = replace(track.thing, last_seen_s=sighting.stamp_s, let_go=False)
    return replace(track, thing=thing, absent=0, missing=False, **changes)  # type: ignore[arg-type]


def seen_small(track: Track, sighting: Sighting, settings: LiveSettings) -> Track:
    """A small thing after one more view, which may show it elsewhere, better or in part."""
    box = fit_box(sighting.points)
    box = fit_round(sighting.points, box) or box
    part = sighting.cut or sighting.diagonal_m < _HIDDEN * float(np.linalg.norm(track.thing.size))
    if part and UprightBox.of(track.thing).holds(sighting.points, settings.play_m).mean() > 0.8:
        return refreshed(track, sighting)
    apart = float(np.linalg.norm(np.subtract(box.centre, track.thing.position)))
    new = certainty(sighting.distance_m)
    elsewhere = apart > settings.play_m + 0.012 * sighting.distance_m
    box = _as_high_as_known(box, UprightBox.of(track.thing), sighting, elsewhere=elsewhere)
    if elsewhere:
        if part:
            box = UprightBox(_beyond(sighting, track.thing.size), track.thing.size, box.yaw)
        return placed(track, box, sighting, new, part)
    known = min(track.weight, settings.memory * new)
    observed = _dressed(track.thing, box, sighting)
    merged = blend(track.thing, observed, new / (known + new))
    near_enough = new > 0.5 * track.weight / settings.memory
    points = observed.points if near_enough else track.thing.points
    merged = replace(merged, points=points, confidence=track.thing.confidence)
    return refreshed(replace(track, thing=merged, weight=known + new, part=part), sighting)


def _as_high_as_known(
    box: UprightBox, known: UprightBox, sighting: Sighting, *, elsewhere: bool
) -> UprightBox:
    """The box of a small thing, down to where it must reach: from above little but its upper side
    shows. It is as high as its shortest side at least, on whichever it may lie elsewhere; where its
    top is where that was, it still stands on the same side."""
    as_it_was = not elsewhere and abs(box.high_z - known.high_z) < _SAME_TOP_M
    if as_it_was and _from_above(sighting, box):
        least = box.high_z - known.low_z
    else:
        least = min(known.size)
    x, y, _ = box.centre
    if least <= box.size[2]:
        return box
    return UprightBox((x, y, box.high_z - least / 2), (*box.size[:2], least), box.yaw)


def _from_above(sighting: Sighting, box: UprightBox) -> bool:
    """Whether the camera looks down at it more steeply than by half a right angle."""
    x, y, down = sighting.eye - (*box.centre[:2], box.high_z)
    return bool(down > np.hypot(x, y))


def placed(
    track: Track, box: UprightBox, sighting: Sighting, weight: float, part: bool = False
) -> Track:
    """The track after its thing, or a part of it, was seen at another place."""
    thing = _dressed(track.thing, box, sighting)
    return Track(thing, track.born_s, weight, let_go_s=track.let_go_s, part=part)


def seen_walking(track: Track, sighting: Sighting) -> Track:
    """A walker after one more view: it is where it was seen.

    A camera that comes close sees but the far part of who sits before it, whose middle is farther
    off than theirs: then they are where they were, as far as that explains what shows.
    """
    box, known = fit_box(sighting.points), UprightBox.of(track.thing)
    size = track.thing.size
    little = np.hypot(*box.size[:2]) < _HIDDEN * np.hypot(*size[:2])
    part = bool(sighting.cut or box.size[2] < 0.8 * size[2])
    if sighting.cut and little and known.holds(sighting.points, _STILL_M).mean() > 0.5:
        box = known.moved_to_hold(sighting.points)
    elif part:
        x, y, _ = _beyond(sighting, size)
        box = UprightBox((x, y, size[2] / 2), size, yaw_of(track.thing.orientation))
    return placed(track, box, sighting, certainty(sighting.distance_m), part)


def seen_large(track: Track, sighting: Sighting, through: float, settings: LiveSettings) -> Track:
    """Furniture after one more view.

    A view shows a part, so that the known box stands as long as views agree with it. If some
    in a row do not, it was moved, or, where its old surface still stands (`through`, the share
    of it that is looked through, is small), it is larger than was known.
    """
    radius = settings.play_m + link_radius(sighting.distance_m) / 2
    inside = float(UprightBox.of(track.thing).holds(sighting.points, radius).mean())
    if inside >= settings.inside_share:
        return refreshed(track, sighting, astray=())
    astray = (*track.astray, sighting)
    if len(astray) < settings.moved_after:
        return refreshed(track, sighting, astray=astray)
    fresh, points = measure(astray)
    if through < _SEEN_THROUGH:
        points = np.concatenate([points, track.thing.points.astype(float)])
        fresh = fit_box(points)
    else:
        fresh = completed(fresh, UprightBox.of(track.thing), astray[-1].eye)
    thing = replace(
        _dressed(track.thing, fresh, sighting), points=thin(points, _KEPT).astype(np.float32)
    )
    return Track(thing, track.born_s, certainty(sighting.distance_m))


def completed(part: UprightBox, known: UprightBox, eye: Array) -> UprightBox:
    """A box seen in part, made as large as it is known to be, away from the eye."""
    yaw, size = part.yaw, list(part.size)
    if part.size[0] < 0.6 * known.size[0]:
        yaw = known.yaw  # too little shows to tell how it was turned
    c, s = np.cos(yaw), np.sin(yaw)
    axes = np.array([[c, s], [-s, c]])
    turned = part if yaw == part.yaw else _rewrapped(part, yaw)
    centre, size = np.asarray(turned.centre[:2]), list(turned.size)
    away = axes @ (centre - eye[:2])
    for i in (0, 1):
        lacking = known.size[i] - size[i]
        if lacking > 0:
            centre = centre + axes[i] * np.sign(away[i]) * lacking / 2
            size[i] = known.size[i]
    height = max(known.size[2], size[2])
    return UprightBox(
        (float(centre[0]), float(centre[1]), part.low_z + height / 2),
        (size[0], size[1], height),
        yaw,
    )


def _rewrapped(box: UprightBox, yaw: float) -> UprightBox:
    """The box around a box, along other axes."""
    turn = box.yaw - yaw
    c, s = abs(np.cos(turn)), abs(np.sin(turn))
    a, b, h = box.size
    return UprightBox(box.centre, (float(a * c + b * s), float(a * s + b * c), h), yaw)


def carried_on(track: Track, thing: SceneObject) -> Track:
    """The track while the gripper moves its thing."""
    return replace(track, thing=thing, absent=0, missing=False)


def let_go(track: Track, now_s: float) -> Track:
    """The track after the gripper opened: until it is seen, its thing may lie anywhere below."""
    thing = replace(track.thing, carried=False, let_go=True)
    return replace(track, thing=thing, grasp=None, weight=1.0 / _HANDLED**2, let_go_s=now_s)


def _beyond(sighting: Sighting, size: Vector3) -> Vector3:
    """Where the middle of a thing of some size is, of which a part of the near side shows."""
    middle = np.median(sighting.points[:, :2], axis=0)
    away = middle - sighting.eye[:2]
    away = away / max(float(np.linalg.norm(away)), 1e-6)
    x, y = middle + away * 0.3 * min(size[:2])
    z = float(sighting.high[2]) - size[2] / 2  # its top is what is seen best
    return (float(x), float(y), max(z, size[2] / 2))


def _dressed(thing: SceneObject, box: UprightBox, sighting: Sighting) -> SceneObject:
    return replace(
        thing,
        position=box.centre,
        size=box.size,
        orientation=upright(box.yaw),
        last_seen_s=sighting.stamp_s,
        carried=False,
        let_go=False,
        points=sighting.points.astype(np.float32),
    )
