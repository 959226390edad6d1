"""LIMP's eight spatial comparators on observed objects (paper, appendix A4.1, listing 4).

Frame of reference: relative, seen from the robot's base and looking along +x of the scene's
frame. Left is +y, right is -y, in front (nearer to the robot) is -x, behind is +x, above is +z.
Representative positions are the centres of the objects' boxes.

Two comparators differ from the paper, which compares centres alone: `isabove` and `isbelow`
also ask that the objects overlap seen from above (otherwise every tall thing on a table is above
every flat one), and `isnextto` measures the gap between the boxes, so that it does not depend
on how large the objects are.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.scene import SceneObject
from sayso.logic.formula import COMPARATORS


@dataclass(frozen=True)
class RelationThresholds:
    """How sensitive the comparators are; metres.

    Attributes:
        side_m: least difference along x or y for left, right, in front and behind.
        height_m: least difference of the centres' heights for above and below.
        next_to_m: largest gap between the boxes, seen from above, for next to.
        between_m: largest distance from the segment between the two others' centres.
    """

    side_m: float = 0.02
    height_m: float = 0.02
    next_to_m: float = 0.12
    between_m: float = 0.06


Comparator = Callable[[SceneObject, Sequence[SceneObject], RelationThresholds], bool]


def holds(
    comparator: str,
    thing: SceneObject,
    others: Sequence[SceneObject],
    thresholds: RelationThresholds = RelationThresholds(),
) -> bool:
    """Whether `thing` stands in the relation to `others` (two for `isbetween`, else one).

    Raises:
        SaySoError: INVALID for an unknown comparator or a wrong number of others.
    """
    if comparator not in COMPARATORS:
        raise SaySoError(
            Code.INVALID, f"there is no comparator '{comparator}'.", choices=COMPARATORS
        )
    if len(others) != COMPARATORS[comparator]:
        raise SaySoError(
            Code.INVALID, f"{comparator} takes {COMPARATORS[comparator]} others, got {len(others)}."
        )
    return _COMPARATORS[comparator](thing, others, thresholds)


def is_between(
    thing: SceneObject, others: Sequence[SceneObject], thresholds: RelationThresholds
) -> bool:
    """Near the segment between the two others' centres, and not beyond its ends."""
    point, start, end = (np.asarray(o.position) for o in (thing, *others))
    along = end - start
    length = float(np.linalg.norm(along))
    if length == 0.0:
        return False
    share = float((point - start) @ along) / length**2
    if not 0.0 <= share <= 1.0:
        return False
    return float(np.linalg.norm(point - start - share * along)) <= thresholds.between_m


def is_next_to(
    thing: SceneObject, others: Sequence[SceneObject], thresholds: RelationThresholds
) -> bool:
    """The gap between the boxes, seen from above, is small."""
    return bool(np.linalg.norm(_gaps(thing, others[0])) <= thresholds.next_to_m)


def is_above(
    thing: SceneObject, others: Sequence[SceneObject], thresholds: RelationThresholds
) -> bool:
    """Higher, and overlapping seen from above."""
    higher = thing.position[2] - others[0].position[2] >= thresholds.height_m
    return bool(higher and not _gaps(thing, others[0]).any())


def is_below(
    thing: SceneObject, others: Sequence[SceneObject], thresholds: RelationThresholds
) -> bool:
    """Lower, and overlapping seen from above."""
    return is_above(others[0], (thing,), thresholds)


def _along(axis: int, sign: float) -> Comparator:
    """Further than the threshold in a direction of the scene's frame."""

    def compare(
        thing: SceneObject, others: Sequence[SceneObject], thresholds: RelationThresholds
    ) -> bool:
        difference = thing.position[axis] - others[0].position[axis]
        return bool(sign * difference >= thresholds.side_m)

    return compare


def _gaps(a: SceneObject, b: SceneObject) -> Array:
    """(2,) free distance along x and y between the boxes; 0 where they overlap."""
    a_corners, b_corners = a.corners()[:, :2], b.corners()[:, :2]
    apart = np.maximum(
        a_corners.min(axis=0) - b_corners.max(axis=0), b_corners.min(axis=0) - a_corners.max(axis=0)
    )
    return np.asarray(np.maximum(apart, 0.0))


_COMPARATORS: Mapping[str, Comparator] = {
    "isbetween": is_between,
    "isabove": is_above,
    "isbelow": is_below,
    "isleftof": _along(1, 1.0),
    "isrightof": _along(1, -1.0),
    "isnextto": is_next_to,
    "isinfrontof": _along(0, -1.0),
    "isbehind": _along(0, 1.0),
}
