"""The table's plane, estimated from points: nearly level, near a prior height."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from sayso.perception.camera import Floats

_Float = TypeVar("_Float", bound=np.floating[Any])


@dataclass(frozen=True)
class TablePlane:
    """z = `slope_x` x + `slope_y` y + `height_m` in the scene's frame.

    `support` is the number of points that the estimate rests on; 0 for the prior alone.
    """

    height_m: float = 0.0
    slope_x: float = 0.0
    slope_y: float = 0.0
    support: int = 0

    def height_above(self, points: npt.NDArray[_Float]) -> npt.NDArray[_Float]:
        """(...,) heights over the plane of (..., 3) points [m]."""
        x, y, z = points[..., 0], points[..., 1], points[..., 2]
        result: npt.NDArray[_Float] = z - self.slope_x * x - self.slope_y * y - self.height_m
        return result

    def at(self, x: float, y: float) -> float:
        """Height of the plane at a place [m]."""
        return self.height_m + self.slope_x * x + self.slope_y * y


@dataclass(frozen=True)
class TableSearch:
    """Where to look for the table's plane.

    Attributes:
        prior_m: expected height.
        reach_m: how far from the prior it may be.
        bin_m: resolution of the histogram that finds it first.
        steepest: largest slope, so that a big object's top is not taken for a tilted table.
        fewest: points needed; with fewer the prior is returned.
    """

    prior_m: float = 0.0
    reach_m: float = 0.05
    bin_m: float = 0.004
    steepest: float = 0.03
    fewest: int = 200


def estimate_table(points: Floats, search: TableSearch = TableSearch()) -> TablePlane:
    """The plane that most of (N, 3) points lie on.

    The fullest bin of a histogram of heights starts it; two rounds of least squares over the
    points near the plane refine it.
    """
    near = points[np.abs(points[:, 2] - search.prior_m) < search.reach_m]
    if len(near) < search.fewest:
        return TablePlane(search.prior_m)
    bins = int(np.ceil(2 * search.reach_m / search.bin_m))
    counts, edges = np.histogram(near[:, 2], bins=bins)
    start = int(counts.argmax())
    plane = TablePlane(float(edges[start] + edges[start + 1]) / 2)
    for band in (2.5 * search.bin_m, 1.5 * search.bin_m):
        plane = _refine(near, plane, band, search)
    return plane


def combine(planes: Iterable[TablePlane], prior: TablePlane = TablePlane()) -> TablePlane:
    """One plane from several estimates, weighted by their support."""
    known = [p for p in planes if p.support]
    if not known:
        return prior
    weights = [p.support for p in known]
    height, slope_x, slope_y = np.average(
        [(p.height_m, p.slope_x, p.slope_y) for p in known], axis=0, weights=weights
    )
    return TablePlane(float(height), float(slope_x), float(slope_y), sum(weights))


def _refine(points: Floats, plane: TablePlane, band: float, search: TableSearch) -> TablePlane:
    inliers = points[np.abs(plane.height_above(points)) < band].astype(float)
    if len(inliers) < search.fewest:
        return plane
    centre = inliers[:, :2].mean(axis=0)
    columns = np.column_stack([inliers[:, :2] - centre, np.ones(len(inliers))])
    slope_x, slope_y, middle = np.linalg.lstsq(columns, inliers[:, 2], rcond=None)[0]
    if max(abs(slope_x), abs(slope_y)) > search.steepest:
        slope_x = slope_y = 0.0
        middle = float(np.median(inliers[:, 2]))
    height = middle - slope_x * centre[0] - slope_y * centre[1]
    return TablePlane(float(height), float(slope_x), float(slope_y), len(inliers))
