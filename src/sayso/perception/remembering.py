"""How a new view changes what is remembered of an object, and when none contradicts it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sayso.core.geometry import Array, rotation_matrix
from sayso.core.ports import RgbdFrame
from sayso.core.scene import AttributeValue, SceneObject
from sayso.perception.camera import see
from sayso.perception.grouping import share_within
from sayso.perception.recognition import UNKNOWN, upright, yaw_of
from sayso.perception.shapes import quarter_turn

_MUCH_HIDDEN = 0.75  # share of the points that the object once showed
_WITHIN_M = 0.008
_MOST_WITHIN = 0.85  # a mug's handle sticks out of its box
_SQUARE_M = 0.01
_SEEN_THROUGH = 0.7
_NEAR_TOP = 0.4  # of the height, from the middle


def agrees_but_hidden(observed: SceneObject, known: SceneObject, usual_points: int) -> bool:
    """Whether the view shows too little to correct the known box, and does not contradict it.

    A hand over a block, or a block on it, hides a part; a box fitted to the rest would be off,
    while the rest still lies in the remembered box.
    """
    if "opening_m" in observed.attributes:
        return False
    little = len(observed.points) < _MUCH_HIDDEN * usual_points
    if not (little or observed.category == UNKNOWN != known.category):
        return False
    return share_within(observed.points, known, _WITHIN_M) > _MOST_WITHIN


def blend(known: SceneObject, observed: SceneObject, weight: float) -> SceneObject:
    """The observation with pose and size averaged into what is known, by `weight` (0 to 1)."""
    yaw = yaw_of(known.orientation)
    turn = _turn(known, yaw_of(observed.orientation) - yaw)
    return replace(
        observed,
        position=_mix(known.position, observed.position, weight),
        size=_mix(known.size, observed.size, weight),
        orientation=upright(yaw + weight * turn),
        confidence=(1 - weight) * known.confidence + weight * observed.confidence,
        off_m=(1 - weight) * known.off_m + weight * observed.off_m,
        attributes={n: _blended(known, n, v, weight) for n, v in observed.attributes.items()},
    )


def _blended(
    known: SceneObject, attribute: str, value: AttributeValue, weight: float
) -> AttributeValue:
    """Numbers are averaged; truths and words are as they are observed last."""
    before = known.attributes.get(attribute)
    if before is None or isinstance(value, bool | str) or isinstance(before, str):
        return value
    return (1 - weight) * before + weight * value


def sees_through(obj: SceneObject, frames: Sequence[RgbdFrame], beyond_m: float) -> bool:
    """Whether some camera looks through the place where the object was.

    The middle of its upper side is sampled, as cameras look down on a table. A camera sees
    through it if it has depth at most of the samples and most of those depths lie beyond.
    """
    samples = _samples(obj)
    # A thing as thin as a coaster hides little depth, so half its height counts as beyond.
    margin = min(beyond_m, float(min(obj.size)) / 2 + 0.001)
    return any(_sees_through(samples, frame, margin) for frame in frames)


def _mix(a: Sequence[float], b: Sequence[float], weight: float) -> tuple[float, float, float]:
    x, y, z = ((1 - weight) * np.asarray(a) + weight * np.asarray(b)).tolist()
    return x, y, z


def _turn(known: SceneObject, difference: float) -> float:
    """The smallest turn that makes the box look as observed."""
    if abs(known.size[0] - known.size[1]) < _SQUARE_M:
        return quarter_turn(difference)
    half_turn = (difference + np.pi / 2) % np.pi - np.pi / 2
    return float(half_turn)


def _samples(obj: SceneObject) -> Array:
    steps = (-0.25, -0.125, 0.0, 0.125, 0.25)
    grid = np.array([[x, y, _NEAR_TOP] for x in steps for y in steps])
    local = grid * np.asarray(obj.size)
    return np.asarray(local @ rotation_matrix(obj.orientation).T + np.asarray(obj.position))


def _sees_through(samples: Array, frame: RgbdFrame, margin_m: float) -> bool:
    pixels, depth, inside = see(samples, frame.pose, frame.intrinsics)
    if inside.sum() < len(samples) / 2:
        return False
    u, v = np.rint(pixels[inside]).astype(int).T
    measured = np.nan_to_num(frame.depth_m[v, u])
    known = measured > 0
    beyond = measured > depth[inside] + margin_m
    return bool(known.sum() > len(samples) / 2 and beyond[known].mean() > _SEEN_THROUGH)
