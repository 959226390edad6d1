"""Comparators on observed objects: LIMP's eight (paper, appendix A4.1, listing 4), and more.

Representative positions are the centres of the objects' boxes. Left, right, in front and behind
are meant in a `FrameOfReference`: as in the paper from the origin of the scene's frame (on a
table, the robot's base), or as a speaker sees them. Above is +z.

Three comparators differ from the paper, which compares centres alone: `isabove` and `isbelow`
also ask that the objects overlap seen from above (otherwise every tall thing is above every flat
one), or that the upper one hangs clear of the other's middle close by, as a picture does above a
sofa; `isnextto` measures the gap between the boxes, so that it does not depend on how large the
objects are; and `isbetween` may count heights less than places on the floor.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, rotation_matrix
from sayso.core.places import RelationThresholds
from sayso.core.scene import SceneObject
from sayso.logic.formula import COMPARATORS
from sayso.perception.viewpoints import FrameOfReference

_MAP = FrameOfReference()
_TABLE_TOP = RelationThresholds()
_RIM_M = 0.005
_TRAY_DEPTH_M = 0.2
_SAME_M = 0.01
"""Distances that differ by less are the same."""
BIGGER = 1.25
"""Ratio of the volumes from which on one thing is bigger than another."""
CHOOSING = frozenset({"isnearest", "isfarthest"})
"""Comparators that choose among candidates (`outermost`) rather than hold of one thing."""

Comparator = Callable[
    [SceneObject, Sequence[SceneObject], RelationThresholds, FrameOfReference], bool
]


def check(comparator: str, count: int) -> None:
    """Raise INVALID for an unknown comparator or a wrong number of other things."""
    if comparator not in COMPARATORS:
        raise SaySoError(
            Code.INVALID, f"there is no comparator '{comparator}'.", choices=COMPARATORS
        )
    needed = COMPARATORS[comparator]
    if count != needed:
        raise SaySoError(
            Code.INVALID,
            f"{comparator} takes {needed} other thing{'s' * (needed > 1)}, got {count}.",
            hint="say 'between X and Y' for two, and name one thing with the others.",
        )


def holds(
    comparator: str,
    thing: SceneObject,
    others: Sequence[SceneObject],
    thresholds: RelationThresholds = _TABLE_TOP,
    frame: FrameOfReference = _MAP,
) -> bool:
    """Whether `thing` stands in the relation to `others` (two for `isbetween`, else one).

    Raises:
        SaySoError: INVALID for a comparator that is unknown or chooses, or for a wrong number of
            others.
    """
    check(comparator, len(others))
    if comparator in CHOOSING:
        text = f"{comparator} chooses among several things; it does not hold of one."
        raise SaySoError(Code.INVALID, text, choices=_COMPARATORS)
    return _COMPARATORS[comparator](thing, others, thresholds, frame)


def is_between(
    thing: SceneObject,
    others: Sequence[SceneObject],
    thresholds: RelationThresholds,
    _frame: FrameOfReference,
) -> bool:
    """Near the segment between the two others' centres, and not beyond its ends."""
    weights = np.array([1.0, 1.0, thresholds.between_height_share])
    # In an order of their own, so that rounding does not depend on which is named first.
    ends = sorted(o.position for o in others)
    point, start, end = (np.asarray(p) * weights for p in (thing.position, *ends))
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return False
    share = float((point - start) @ along) / length**2
    if not 0.0 <= share <= 1.0:
        return False
    return float(np.linalg.norm(point - start - share * along)) <= thresholds.between_m


def is_next_to(
    thing: SceneObject,
    others: Sequence[SceneObject],
    thresholds: RelationThresholds,
    _frame: FrameOfReference,
) -> bool:
    """The gap between the boxes, seen from above, is small."""
    return footprint_gap(thing, others[0]) <= thresholds.next_to_m


def is_above(
    thing: SceneObject,
    others: Sequence[SceneObject],
    thresholds: RelationThresholds,
    _frame: FrameOfReference,
) -> bool:
    """Higher, and overlapping seen from above or hanging close by."""
    (other,) = others
    if thing.position[2] - other.position[2] < thresholds.height_m:
        return False
    hangs = thing.corners()[:, 2].min() >= other.position[2]
    return footprint_gap(thing, other) <= (thresholds.hanging_m if hangs else 0.0)


def is_below(
    thing: SceneObject,
    others: Sequence[SceneObject],
    thresholds: RelationThresholds,
    frame: FrameOfReference,
) -> bool:
    """Lower, and overlapping seen from above or under what hangs close by."""
    return is_above(others[0], (thing,), thresholds, frame)


def is_in(
    thing: SceneObject,
    others: Sequence[SceneObject],
    _thresholds: RelationThresholds,
    _frame: FrameOfReference,
) -> bool:
    """The centre is between the other's sides, and the underside below its rim.

    A drawer's box shows only what stands out of its cabinet; its tray reaches further in.
    """
    (other,) = others
    if thing.corners()[:, 2].min() > other.corners()[:, 2].max() - _RIM_M:
        return False
    offset = np.subtract(thing.position, other.position) @ rotation_matrix(other.orientation)
    length, width, _ = other.size
    back = _TRAY_DEPTH_M - length / 2 if "opening_m" in other.attributes else length / 2
    return bool(-length / 2 < offset[0] < back and abs(offset[1]) < width / 2)


def contains(
    thing: SceneObject,
    others: Sequence[SceneObject],
    thresholds: RelationThresholds,
    frame: FrameOfReference,
) -> bool:
    """The other is in the thing."""
    return is_in(others[0], (thing,), thresholds, frame)


def _in_size(sign: int) -> Comparator:
    """Clearly bigger (1) or smaller (-1): by volume."""

    def compare(
        thing: SceneObject,
        others: Sequence[SceneObject],
        _thresholds: RelationThresholds,
        _frame: FrameOfReference,
    ) -> bool:
        ratio = math.prod(thing.size) / math.prod(others[0].size)
        return ratio**sign >= BIGGER

    return compare


def outermost(
    comparator: str, candidates: Sequence[SceneObject], landmark: SceneObject
) -> tuple[SceneObject, ...]:
    """Of the candidates those that may be the nearest to a thing, or the farthest from it.

    Distances of boxes and of their centres may disagree; then both candidates remain.
    """
    apart = [c for c in candidates if c is not landmark]
    choose = min if comparator == "isnearest" else max

    def centres(c: SceneObject) -> float:
        return float(np.linalg.norm(np.subtract(c.position[:2], landmark.position[:2])))

    def boxes(c: SceneObject) -> float:
        return footprint_gap(c, landmark)

    found = {choose(map(d, apart)): d for d in (centres, boxes)} if apart else {}
    near = (c for c in apart for best, d in found.items() if abs(d(c) - best) < _SAME_M)
    return tuple(dict.fromkeys(near))


def footprint_gap(a: SceneObject, b: SceneObject) -> float:
    """Distance [m] between the two boxes seen from above; 0 where they touch or overlap.

    The separation of two convex shapes is the largest that any direction shows, and that is one
    across a side of either or along the line between two corners.
    """
    corners = [o.corners()[:, :2] for o in (a, b)]
    between = (corners[1][None] - corners[0][:, None]).reshape(-1, 2)
    candidates = np.concatenate([between, -between, *(_across_sides(o) for o in (a, b))])
    lengths = np.linalg.norm(candidates, axis=1)
    usable = lengths > 1e-9
    directions = candidates[usable] / lengths[usable, None]
    shown = (corners[1] @ directions.T).min(axis=0) - (corners[0] @ directions.T).max(axis=0)
    return max(0.0, float(shown.max(initial=0.0)))


def _across_sides(thing: SceneObject) -> Array:
    """(6, 2) horizontal directions, both ways, across the edges of a box seen from above."""
    axes = rotation_matrix(thing.orientation)[:2].T
    across = np.column_stack([-axes[:, 1], axes[:, 0]])
    return np.concatenate([across, -across])


def seen_by(thing: SceneObject, other: SceneObject, frame: FrameOfReference) -> tuple[float, float]:
    """How far the thing is to the left of the other, and beyond it, for the viewer [m]."""
    a, b = (np.asarray(o.position[:2]) for o in (thing, other))
    left, beyond = apart(a, b, frame)
    return float(left), float(beyond)


def apart(a: Array, b: Array, frame: FrameOfReference) -> tuple[Array, Array]:
    """How far places (..., 2) are to the left of others, and beyond them, for the viewer [m]."""
    look, away = frame.ahead(a, b), a - b
    x, y = look[..., 0], look[..., 1]
    return x * away[..., 1] - y * away[..., 0], x * away[..., 0] + y * away[..., 1]


def _to_the_side(sign: float) -> Comparator:
    """Further than the threshold to the left (1) or the right (-1) of the other."""

    def compare(
        thing: SceneObject,
        others: Sequence[SceneObject],
        thresholds: RelationThresholds,
        frame: FrameOfReference,
    ) -> bool:
        return sign * seen_by(thing, others[0], frame)[0] >= thresholds.side_m

    return compare


def _in_depth(sign: float) -> Comparator:
    """Further than the threshold beyond (1) or on this side (-1) of the other."""

    def compare(
        thing: SceneObject,
        others: Sequence[SceneObject],
        thresholds: RelationThresholds,
        frame: FrameOfReference,
    ) -> bool:
        return sign * seen_by(thing, others[0], frame)[1] >= thresholds.side_m

    return compare


_COMPARATORS: Mapping[str, Comparator] = {
    "isbetween": is_between,
    "isabove": is_above,
    "isbelow": is_below,
    "isleftof": _to_the_side(1.0),
    "isrightof": _to_the_side(-1.0),
    "isnextto": is_next_to,
    "isinfrontof": _in_depth(-1.0),
    "isbehind": _in_depth(1.0),
    "isin": is_in,
    "contains": contains,
    "isbiggerthan": _in_size(1),
    "issmallerthan": _in_size(-1),
}
