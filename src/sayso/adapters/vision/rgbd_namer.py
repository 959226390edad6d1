"""Instances by colour and depth alone: no weights, no ground truth, and few kinds.

Things that stand free on the floor or on furniture are cut out by geometry and named where
their measures fit one kind only. What is partly hidden, leaves the image, touches its neighbour
or looks like two kinds is not named: the finder is to be trusted in what it says, not to find
everything. `benchmarks/flat_naming.py` measures both.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import cv2
import numpy as np
import numpy.typing as npt

from sayso.adapters.vision.asked import Asked
from sayso.core.ports import InstanceMask, RgbdFrame
from sayso.perception.categories import is_a
from sayso.perception.colors import name_colors
from sayso.perception.looks import Looks, Measures, flat_looks, name
from sayso.perception.recognition import measure
from sayso.perception.shapes import thin
from sayso.perception.standing import Standing, StandingSettings, standing
from sayso.perception.table import TablePlane

_FIT_POINTS = 700
_HANGS_SHARE, _HANGS_M = 0.15, 0.03
"""What begins higher above its level than these (of its height, and in metres) stands on nothing
that is seen."""


@dataclass(frozen=True)
class Named:
    """One thing that was recognised in a frame."""

    category: str
    color: str
    score: float
    thing: Standing


@dataclass(frozen=True)
class RgbdNamer:
    """`InstanceFinder` by geometry and colour; the floor is z = 0 of the frame's map.

    Attributes:
        settings: how a frame is cut into things.
        looks: the kinds that are known.
    """

    settings: StandingSettings = field(default_factory=StandingSettings)
    looks: Looks = field(default_factory=flat_looks)

    def find(self, frame: RgbdFrame, queries: Sequence[str]) -> tuple[InstanceMask, ...]:
        """Masks with the query that each answers, best first.

        A query is answered if its noun is a kind that is known; colours in it must be those that
        are seen, where white and grey, and orange and brown, count as one.
        """
        asked = {query: Asked.of(query) for query in queries}
        known = {k.category for k in self.looks.values() if not k.rival}
        if not any(is_a(k, a.noun) for k in known for a in asked.values()):
            return ()
        found = [
            InstanceMask(query, named.score, self._mask(named.thing, frame))
            for named in self.named(frame)
            for query, a in asked.items()
            if is_a(named.category, a.noun) and a.fits(named.color)
        ]
        return tuple(sorted(found, key=lambda m: -m.score))

    def named(self, frame: RgbdFrame) -> tuple[Named, ...]:
        """Everything in a frame that can be named, each thing once."""
        found: list[Named] = []
        for thing in standing(frame, self.settings):
            if not thing.whole or (seen := _measures(thing)) is None:
                continue
            kind = name(seen, self.looks)
            if kind is not None and not any(_shared(thing, n.thing) for n in found):
                found.append(Named(kind[0], seen.color, kind[1], thing))
        return tuple(found)

    def _mask(self, thing: Standing, frame: RgbdFrame) -> npt.NDArray[np.bool_]:
        height, width = frame.depth_m.shape
        big = np.kron(thing.pixels, np.ones((self.settings.stride,) * 2, bool))
        return np.asarray(big[:height, :width])


def _measures(thing: Standing) -> Measures | None:
    """None for what does not stand on its level."""
    points = np.asarray(thin(thing.points, _FIT_POINTS), float)
    extent = measure(points, TablePlane(thing.level_m))
    if extent.bottom > _HANGS_SHARE * extent.top + _HANGS_M:
        return None
    rectangle = extent.rectangle
    return Measures(
        rectangle.length,
        rectangle.width,
        extent.top,
        _solidity(thing.pixels),
        name_colors(thing.rgb),
        thing.level_m == 0.0,
    )


def _solidity(pixels: npt.NDArray[np.bool_]) -> float:
    """Share of the convex hull in the image that is filled; about 1 for small things."""
    corners = cv2.convexHull(cv2.findNonZero(pixels.astype(np.uint8)))
    around = np.zeros(pixels.shape, np.uint8)
    cv2.fillConvexPoly(around, corners, 1)
    return float(pixels.sum() / around.sum())


def _shared(a: Standing, b: Standing) -> bool:
    common = int((a.pixels & b.pixels).sum())
    return 2 * common > min(len(a.points), len(b.points))
