"""From where left, right, in front and behind are meant: the frame of reference.

English places things relatively, as a viewer sees them: nearer to the viewer is in front. Two
viewers are offered:

- `map`: as in the LIMP paper (section IV-B, appendix A4.1), the origin of the scene's frame,
  looking along +x wherever the things are: left is +y, in front is less x;
- `speaker`: a person who stands somewhere in the scene and looks at the two things compared:
  left of a thing is to its left in that view, in front of it is nearer to the person.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.logic.formula import Formula, Referent, Relation, referents_of

Viewer = Literal["map", "speaker"]
VIEWERS: tuple[str, ...] = get_args(Viewer)
DIRECTIONS = frozenset({"isleftof", "isrightof", "isinfrontof", "isbehind"})
"""The comparators whose meaning depends on the frame of reference."""
_TINY = np.finfo(float).tiny


@dataclass(frozen=True)
class FrameOfReference:
    """Who looks.

    Attributes:
        viewer: `map` or `speaker`.
        x_m, y_m: where the speaker stands, in the scene's frame.
        yaw_rad: where the speaker faces; it counts for things on both sides of the speaker,
            which no single look shows.

    Raises:
        SaySoError: CONFIG for another viewer or a pose that is not finite.
    """

    viewer: Viewer = "map"
    x_m: float = 0.0
    y_m: float = 0.0
    yaw_rad: float = 0.0

    def __post_init__(self) -> None:
        if self.viewer not in VIEWERS:
            raise SaySoError(
                Code.CONFIG,
                f"'{self.viewer}' is no frame of reference.",
                choices=VIEWERS,
            )
        if not all(map(math.isfinite, (self.x_m, self.y_m, self.yaw_rad))):
            raise SaySoError(Code.CONFIG, "the speaker's pose (x, y, yaw) must be finite.")

    def ahead(self, a: Array, b: Array) -> Array:
        """(..., 2) unit vectors of the look at pairs of places (..., 2); the same for (b, a).

        For the speaker it points to the middle of the two, so that left is decided by their
        bearings and in front by their distances from the speaker.
        """
        if self.viewer == "map":
            return np.broadcast_to((1.0, 0.0), np.broadcast_shapes(a.shape, b.shape))
        facing = np.array([math.cos(self.yaw_rad), math.sin(self.yaw_rad)])
        to_a, to_b = (np.asarray(p) - (self.x_m, self.y_m) for p in (a, b))
        middle = (to_a + to_b) / 2
        length = np.linalg.norm(middle, axis=-1, keepdims=True)
        around = np.sum(to_a * to_b, axis=-1, keepdims=True) <= 0
        return np.where(around | (length == 0.0), facing, middle / np.maximum(length, _TINY))

    def words(self, origin: str = "the map's origin") -> str:
        """Where things are seen from, after "as seen"."""
        if self.viewer == "map":
            return f"from {origin}, looking along its x axis"
        return f"by the speaker at x {self.x_m:.1f} m, y {self.y_m:.1f} m"


def stated(formula: Formula, frame: FrameOfReference, origin: str = "the map's origin") -> str:
    """A sentence for the reading that says from where directions are meant; '' if none occur."""
    if not any(map(_directed, referents_of(formula))):
        return ""
    return f"Left, right, in front and behind are meant as seen {frame.words(origin)}."


def _directed(referent: Referent) -> bool:
    def inside(relation: Relation) -> bool:
        return relation.comparator in DIRECTIONS or any(map(_directed, relation.others))

    return any(map(inside, referent.relations))
