"""Where a held thing can be put at a receptacle of the flat: on it, in it, or beside it.

Poses of the thing, best first, in the frame of the scene; "on" needs a level patch as large as
the thing's footprint among the heights that were seen.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from sayso.core.geometry import Array, Pose, Vector3, rotation_matrix
from sayso.core.scene import Scene, SceneObject
from sayso.core.vocabulary import Vocabulary
from sayso.skills.boxes import UprightBox, upright_box
from sayso.skills.handling import Held
from sayso.skills.mobile_settings import MobileSettings
from sayso.skills.poses import upright
from sayso.skills.surroundings import encloses, relief

_CELL_M = 0.05
_LEVEL_M = 0.025
_EDGE_M = 0.02
_SAFE_M = 0.05
"""So much farther from an edge a thing is put down where there is room: where the edge is, where
the robot stands and how the hand holds the thing are each known to a few centimetres."""
_LOWEST_SHARE = 0.2
_LARGE_SHARE = 0.4
_TURNS = tuple(float(a) for a in np.pi / 4 * np.arange(8))
_APART_M = 0.12
_INTO_M = 0.01
_RIM_M = 0.07
_DEEP_M = 0.05
_RESTS_M = 0.03


def spots(
    held: Held,
    yaw: float,
    receptacle: SceneObject,
    scene: Scene,
    settings: MobileSettings,
    words: Vocabulary,
) -> tuple[tuple[Pose, ...], ...]:
    """Groups of poses of the held thing; every pose of an earlier group is better: in it, or on
    it well away from its edges, on it anywhere, and, the last, beside it.

    Args:
        held: what the hand holds; its size along its own axes, which stand upright.
        yaw: how it is turned now.
        words: of the kinds of things.
    """
    box = upright_box(receptacle)
    size = np.asarray(held.size)
    radius = float(np.hypot(*size[:2])) / 2
    others = [
        upright_box(o)
        for o in scene.objects
        if o.name not in (held.name, receptacle.name) and not o.carried
    ]
    turns = tuple(yaw + a for a in _TURNS)
    if encloses(receptacle, words):
        height = box.high + size[2] / 2 - _INTO_M
        dropped: list[Pose] = []
        for turn in _TURNS:  # a narrow thing goes in nearer to the rim, along it
            places = _over_opening(box, _half_extent(size, turn))
            dropped += _poses(places, [height] * len(places), (box.yaw + turn,))
        # Of an open receptacle only its floor is level and large, where that was seen.
        inner = [p for p in _on(receptacle, radius, others, words) if p[2] < box.high - _DEEP_M]
        down = [h + size[2] / 2 + settings.arm.release_gap_m for *_, h in inner]
        return ((*dropped, *_poses(np.array([p[:2] for p in inner]), down, turns)),)
    lift_m = size[2] / 2 + settings.arm.release_gap_m

    def on(edge_m: float) -> tuple[Pose, ...]:
        found = _on(receptacle, radius + edge_m, others, words)
        places = np.array([p[:2] for p in found]).reshape(-1, 2)
        return _poses(places, [float(h) + lift_m for *_, h in found], turns)

    floor = scene.table_height_m
    beside = _beside(box, radius, others, floor, settings)
    return (on(_SAFE_M), on(0.0), _poses(beside, [floor + lift_m] * len(beside), turns))


def tilted(pose: Pose, size: Vector3, tilt: float) -> Pose:
    """A thing's upright pose, in the arm's frame, leaning towards the arm's foot.

    Its lowest point stays as high as it was, its middle in its place.
    """
    if not tilt:
        return pose
    x, y, z = pose.position
    away = math.atan2(y, x)
    half = -tilt / 2  # about the horizontal axis to the left of the way there: the foot goes ahead
    turn = (-math.sin(away) * math.sin(half), math.cos(away) * math.sin(half), 0.0, math.cos(half))
    leaning = Pose((0.0, 0.0, 0.0), turn) @ Pose((0.0, 0.0, 0.0), pose.orientation)
    reach = float(np.abs(rotation_matrix(leaning.orientation)[2]) @ np.asarray(size)) / 2
    return Pose((x, y, z - size[2] / 2 + reach), leaning.orientation)


def _half_extent(size: Array, turn: float) -> Array:
    """(2,) how far a thing turned in its place reaches along x and y."""
    c, s = abs(np.cos(turn)), abs(np.sin(turn))
    return np.array([c * size[0] + s * size[1], s * size[0] + c * size[1]]) / 2


def _over_opening(box: UprightBox, half: Array) -> Array:
    """(N, 2) the middle of an opening and, in a wide one, places around it.

    `half` (2,) is how far the thing reaches along the box's axes.
    """
    room = np.maximum(box.size[:2] / 2 - _RIM_M - half, 0.0)
    x, y = (np.linspace(-r, r, 1 + 2 * int(r / _APART_M + 0.99)) for r in room)
    local = np.stack(np.meshgrid(x, y), axis=-1).reshape(-1, 2)
    order = np.argsort(np.linalg.norm(local, axis=1), kind="stable")
    return box.world(local[order])


def _on(
    receptacle: SceneObject, radius: float, others: Iterable[UprightBox], words: Vocabulary
) -> list[tuple[float, float, float]]:
    """x, y and height of free level patches, those with the most room first."""
    shape = relief(receptacle, words, _CELL_M)
    heights, centres = shape.heights, shape.centres()
    reach = int(np.ceil((radius + _EDGE_M) / float(shape.cell.min())))
    patch = _disc(reach)
    top = ndimage.maximum_filter(heights, footprint=patch, mode="constant", cval=np.inf)
    low = ndimage.minimum_filter(heights, footprint=patch, mode="constant", cval=-np.inf)
    level = top - low < _LEVEL_M
    if not encloses(receptacle, words):
        level &= heights - shape.box.low > _LOWEST_SHARE * shape.box.size[2]
    # The back and the arms of a sofa are level too; what is meant is its largest surface.
    alike = np.abs(heights[..., None, None] - heights) < _LEVEL_M
    areas = alike.sum(axis=(2, 3))
    level &= areas >= _LARGE_SHARE * areas.max()
    free = np.full(heights.shape, np.inf)
    flat = centres.reshape(-1, 2)
    for other in others:
        near = other.gaps(flat).reshape(heights.shape)
        standing = (other.high > heights - _RESTS_M) & (other.low < heights + 0.4)
        free = np.where(standing, np.minimum(free, near), free)
    level &= free > radius + _EDGE_M
    found = np.argwhere(level)
    order = np.argsort(-heights[tuple(found.T)], kind="stable")
    return [
        (float(centres[i, j, 0]), float(centres[i, j, 1]), float(top[i, j]))
        for i, j in found[order]
    ]


def _disc(reach: int) -> npt.NDArray[np.bool_]:
    span = np.arange(-reach, reach + 1)
    return np.asarray(np.hypot(*np.meshgrid(span, span)) <= reach + 0.1)


def _beside(
    box: UprightBox,
    radius: float,
    others: Sequence[UprightBox],
    floor: float,
    settings: MobileSettings,
) -> Array:
    """(N, 2) free places of the floor around a footprint."""
    half = box.size[:2] / 2 + settings.beside_m + radius
    along, across = (np.linspace(-h, h, max(2, int(2 * h / _APART_M))) for h in half)
    ring = [(x, s * half[1]) for s in (-1, 1) for x in along]
    ring += [(s * half[0], y) for s in (-1, 1) for y in across]
    places = box.world(np.array(ring))
    for other in others:
        if other.low < floor + 0.5:
            places = places[other.gaps(places) > radius + _EDGE_M]
    return places


def _poses(places: Array, heights: Sequence[float], turns: Sequence[float]) -> tuple[Pose, ...]:
    return tuple(
        upright((float(x), float(y), float(h)), turn)
        for (x, y), h in zip(places, heights, strict=True)
        for turn in turns
    )
