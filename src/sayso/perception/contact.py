"""What one thing offers another: walls around it, a floor under it, a hook to hang on.

From the things' clouds, or from their boxes where no cloud is at hand.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull, cKDTree

from sayso.core.geometry import Array, Vector3
from sayso.core.places import RelationThresholds
from sayso.core.scene import SceneObject
from sayso.perception.relations import is_in
from sayso.perception.shapes import thin
from sayso.perception.viewpoints import FrameOfReference

_FEWEST = 30  # points that tell of walls
_MOST = 1500  # points that are looked at
_SECTORS = 24
_AROUND = 0.6  # share of the directions in which walls are seen
_RIM_M = 0.0035  # what is less deep is on a dish, not in it
_STRAYS = 2.0  # percent of the points that may be too low
_SUNK_M = 0.005  # how much lower than what it is in a thing may be measured
_ABOVE_FLOOR = 0.4  # of the way from underside to rim: points above it are of walls
_BESIDE_M = 0.02  # around a thing, which hides what it stands on
_HANGS_M = 0.04  # of a thin peg little is seen; nothing floats, so that the nearest holds it
_THINNEST_M = 0.001


class Body:
    """One thing with what is asked of it often; `size` orders things by their outlines."""

    def __init__(self, thing: SceneObject) -> None:
        self.thing, self.name = thing, thing.name
        self.afloat = thing.carried or thing.let_go  # what holds it is the hand, or not observed
        # A thing that was measured flat still has an outline.
        corners = replace(thing, size=_thick(thing.size)).corners()
        self.low, self.high = float(corners[:, 2].min()), float(corners[:, 2].max())
        self.points: Array = thin(thing.points, _MOST).astype(float)
        few = len(self.points) < _FEWEST
        self.middle = np.asarray(thing.position) if few else self.points.mean(axis=0)
        # A box may reach down to where the thing must stand though nothing of that is seen.
        lowest = self.low if few else float(np.percentile(self.points[:, 2], _STRAYS))
        self.lowest_seen = max(self.low, lowest)
        self.slides = "opening_m" in thing.attributes  # a drawer: its tray is in its cabinet
        outline = ConvexHull(corners[:, :2])
        self._sides: Array = outline.equations  # outward normals (x, y) and offsets
        self.size = (float(outline.volume), thing.name)

    def is_in(self, other: Body) -> bool:
        """Whether it is deep enough below the other's rim, and walls surround it."""
        if self.afloat or self.low < other.low - _SUNK_M:
            return False
        if self.size > other.size and not other.slides:
            return False
        if other.slides or len(other.points) < _FEWEST:
            return is_in(self.thing, (other.thing,), RelationThresholds(), FrameOfReference())
        depth = other.high - self.lowest_seen
        if depth < _RIM_M:
            return False
        walls = other.points[other.points[:, 2] > self.lowest_seen + _ABOVE_FLOOR * depth]
        return self._surrounded(walls[~self.footprint(walls, 0.0)])

    def _surrounded(self, walls: Array) -> bool:
        """Whether there are points (N, 3) in most directions from the centre, seen from above."""
        away = walls[:, :2] - self.thing.position[:2]
        turns = np.arctan2(away[:, 1], away[:, 0]) / (2 * np.pi) * _SECTORS
        return len(np.unique(np.floor(turns))) >= _AROUND * _SECTORS

    def stands_on(self, near: Sequence[Body], gap: float) -> Body | None:
        """The highest that its underside touches; None in the air, on the table, in the hand."""
        lower = [] if self.afloat else [b for b in near if b.low < self.low]
        tops = {b: top for b in lower if (top := b.top_under(self, gap)) is not None}
        touched = [b for b, top in tops.items() if self.low - top <= gap]
        return max(touched, key=lambda b: tops[b], default=None)

    def hangs_on(self, near: Sequence[Body]) -> Body | None:
        """The nearest by the clouds; None in the hand or where nothing is near enough."""
        lower = [] if self.afloat else [b for b in near if b.low < self.low]
        gaps = {b: b.distance(self) for b in lower}
        return min((b for b in gaps if gaps[b] < _HANGS_M), key=lambda b: gaps[b], default=None)

    def top_under(self, other: Body, gap: float) -> float | None:
        """Height [m] of what it offers the other to stand on; None where it offers nothing there.

        The other hides its own place, so that points close around that place count.
        """
        if not len(self.points):
            return self.high if self.high <= other.low + gap else None
        close = other.footprint(self.points, _BESIDE_M)
        heights = self.points[close & (self.points[:, 2] <= other.low + gap), 2]
        return float(heights.max()) if len(heights) else None

    def distance(self, other: Body) -> float:
        """The gap between the two clouds [m]; infinite without clouds or from `_HANGS_M` on."""
        if not (len(self.points) and len(other.points)):
            return math.inf
        apart, _ = cKDTree(other.points).query(self.points, distance_upper_bound=_HANGS_M)
        return float(apart.min())

    def footprint(self, points: Array, margin_m: float) -> npt.NDArray[np.bool_]:
        """Which points (N, 3) are over or under its box, widened by a margin."""
        beyond = points[:, :2] @ self._sides[:, :2].T + self._sides[:, 2]
        return np.asarray((beyond <= margin_m).all(axis=1))


def _thick(size: Vector3) -> Vector3:
    x, y, z = (max(s, _THINNEST_M) for s in size)
    return x, y, z
