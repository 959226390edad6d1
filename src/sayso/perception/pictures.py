"""Pictures of single things for the predicates that ask for them, and what these decide.

A picture is looked at once, where it was taken: what is decided goes along with the thing, as its
attribute of the predicate's name, to everybody who gets the scene.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from sayso.core.library import Library
from sayso.core.ports import RgbdFrame
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Picture, Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.perception.camera import Floats, Mask, rays, see

_SPARE_M = 0.02
"""Around a thing's box, what is taken to be of it."""
_CLOSE_M, _LOW_M = 0.005, 0.005
"""For the pixels of a thing alone: so little around it, and nothing so low over its ground."""
_LEAST_PIXELS = 30


@dataclass
class PictureTruths:
    """Decides the predicates of a library that ask for pictures; remembers what went out of view.

    Not safe for threads.
    """

    library: Library
    _last: dict[tuple[str, str], bool] = field(default_factory=dict)

    def decide(self, scene: Scene, frames: Sequence[RgbdFrame]) -> Scene:
        """The scene, each thing with the truths that its picture decides.

        What is an attribute already is not asked for. Where a thing is out of view, or its
        picture does not tell, what was decided last stays.

        Args:
            frames: that the scene was seen in.
        """
        asking = [p for p in self.library.predicates.values() if p.sees_pictures]
        if not asking:
            return scene
        wanted = {o.name: tuple(p for p in asking if self._may_tell(p, o)) for o in scene.objects}
        view = SceneView(with_pictures(scene, frames, wanted), self.library.predicates)
        decided = {
            (name, p.name): view.truth(Atom(p.name, (name,)))
            for name, predicates in wanted.items()
            for p in predicates
        }
        known = self._last | {key: truth for key, truth in decided.items() if truth is not None}
        self._last = {key: truth for key, truth in known.items() if key in decided}
        told = (replace(o, attributes={**o.attributes, **self._of(o)}) for o in scene.objects)
        return replace(scene, objects=tuple(told))

    def _may_tell(self, predicate: Predicate, thing: SceneObject) -> bool:
        kind = predicate.types[0] if predicate.types else ""
        fits = not kind or self.library.vocabulary.fits(thing.category, kind)
        return fits and predicate.name not in thing.attributes

    def _of(self, thing: SceneObject) -> Mapping[str, bool]:
        return {p: truth for (name, p), truth in self._last.items() if name == thing.name}


def with_pictures(scene: Scene, frames: Sequence[RgbdFrame], wanted: Mapping[str, object]) -> Scene:
    """The scene, the visible ones of the things `wanted` (for anything that counts as true) each
    with the picture in which most of it shows."""
    shown = (
        replace(o, picture=_best(picture_of(o, f) for f in frames))
        if o.visible and wanted.get(o.name)
        else o
        for o in scene.objects
    )
    return replace(scene, objects=tuple(shown))


def picture_of(thing: SceneObject, frame: RgbdFrame) -> Picture | None:
    """What a frame shows of a thing's box; None where that is behind the camera or hardly seen."""
    found = _shown(replace(thing, size=_grown(thing)), frame)
    return None if found is None else Picture(frame.rgb[found[0]], found[1], found[2])


def box_of(thing: SceneObject, frame: RgbdFrame) -> tuple[int, int, int, int] | None:
    """The pixels that show a thing: left, top, right, bottom, the last two not included.

    None where it is behind the camera or hardly seen. What it stands on is not of it.
    """
    found = _shown(_above_ground(thing), frame)
    if found is None:
        return None
    (down, across), _, mask = found
    rows, columns = np.flatnonzero(mask.any(axis=1)), np.flatnonzero(mask.any(axis=0))
    left, top = int(across.start + columns[0]), int(down.start + rows[0])
    return left, top, int(across.start + columns[-1]) + 1, int(down.start + rows[-1]) + 1


def _shown(thing: SceneObject, frame: RgbdFrame) -> tuple[tuple[slice, slice], Floats, Mask] | None:
    """The part of a frame around a thing (rows, columns), depths there, which are in its box."""
    pixels, depth, _ = see(thing.corners(), frame.pose, frame.intrinsics)
    if depth.min() < 1e-3:
        return None
    height, width = frame.depth_m.shape
    left, top = np.clip(np.floor(pixels.min(axis=0)), 0, (width, height)).astype(int)
    right, bottom = np.clip(np.ceil(pixels.max(axis=0)) + 1, 0, (width, height)).astype(int)
    window = slice(top, bottom), slice(left, right)
    depth_m = np.nan_to_num(frame.depth_m[window], nan=0.0, posinf=0.0, neginf=0.0)
    points = np.asarray(rays(frame.intrinsics)[window] * depth_m[..., None], float)
    local = (thing.pose.inverse() @ frame.pose).transform(points.reshape(-1, 3))
    inside = (np.abs(local) <= np.asarray(thing.size) / 2).all(axis=1).reshape(depth_m.shape)
    mask = inside & (depth_m > 0)
    if mask.sum() < _LEAST_PIXELS:
        return None
    return window, depth_m.astype(np.float32), mask


def _above_ground(thing: SceneObject) -> SceneObject:
    """A thing with a little room around and above it, and without its lowest part."""
    length, width, height = thing.size
    low = min(_LOW_M, height / 2)
    (x, y, z), *_ = thing.pose.transform(np.array([[0.0, 0.0, (low + _CLOSE_M) / 2]])).tolist()
    size = (length + 2 * _CLOSE_M, width + 2 * _CLOSE_M, height + _CLOSE_M - low)
    return replace(thing, position=(x, y, z), size=size)


def _grown(thing: SceneObject) -> tuple[float, float, float]:
    length, width, height = thing.size
    return (length + 2 * _SPARE_M, width + 2 * _SPARE_M, height + 2 * _SPARE_M)


def _best(pictures: Iterable[Picture | None]) -> Picture | None:
    found = [p for p in pictures if p is not None]
    return max(found, key=lambda p: int(p.mask.sum()), default=None)
