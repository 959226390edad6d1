"""Robust fits of rectangles and circles to points seen from above."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import combinations
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array

_Number = TypeVar("_Number", bound=np.generic)

_TRIM = 1.0  # percent of points that may stick out of a footprint at each side
_YAW_POINTS = 350
_SECTORS = 120
_COARSE_DEG = 5.0
_FINE_DEG = 1.0
_ABOUT = 1.2  # times as large as the smallest rectangle
_EDGE_M = 0.015  # points this far from an edge count half


@dataclass(frozen=True)
class Rectangle:
    """A footprint: centre (x, y), side lengths along its own axes, yaw of the first axis [rad].

    `length >= width`; the yaw lies in [-pi/2, pi/2).
    """

    centre: tuple[float, float]
    length: float
    width: float
    yaw: float


@dataclass(frozen=True)
class Circle:
    """Centre (x, y), radius, and the share of the outline that lies on it (0 to 1)."""

    centre: tuple[float, float]
    radius: float
    support: float


def thin(points: npt.NDArray[_Number], most: int) -> npt.NDArray[_Number]:
    """At most about `most` of the points, evenly picked: the same ones every time."""
    return points if len(points) <= most else points[:: -(-len(points) // most)]


def inner_range(
    values: npt.NDArray[_Number], trim: float
) -> tuple[npt.NDArray[_Number], npt.NDArray[_Number]]:
    """Lowest and highest of (..., N) values once `trim` percent are dropped at each end."""
    ordered = np.sort(values, axis=-1)
    drop = round(values.shape[-1] * trim / 100.0)
    return ordered[..., drop], ordered[..., -1 - drop]


def fit_rectangle(xy: Array) -> Rectangle:
    """The smallest rectangle around (N, 2) points, N >= 1, that ignores a few strays."""
    few = thin(xy, _YAW_POINTS)
    coarse = np.deg2rad(np.arange(0.0, 90.0, _COARSE_DEG))
    best = coarse[_areas(few, coarse).argmin()]
    fine = best + np.deg2rad(np.arange(-_COARSE_DEG, _COARSE_DEG, _FINE_DEG))
    return rectangle_along(xy, float(fine[_areas(few, fine).argmin()]))


def fit_by_edges(xy: Array) -> Rectangle:
    """As `fit_rectangle`; of rectangles that are about as small, the one along most points.

    Where two sides of a thing were seen and not its top, the rectangle along their ends, from
    corner to corner, is exactly as large as the one along the sides. As in fitting cars to laser
    points by closeness (Zhang, Xu, Dong and Dolan 2017), points near an edge count.
    """
    few = thin(xy, _YAW_POINTS)
    yaws = np.deg2rad(np.arange(0.0, 90.0, _FINE_DEG))
    areas = _areas(few, yaws)
    yaws = yaws[areas <= _ABOUT * areas.min()]
    return rectangle_along(xy, float(yaws[_on_edges(few, yaws).argmax()]))


def rectangle_along(xy: Array, yaw: float) -> Rectangle:
    """The rectangle around (N, 2) points with sides along and across `yaw`, few strays left out."""
    low, high = rectangle_bounds(xy, yaw)
    middle = _axes(yaw) @ ((low + high) / 2)
    length, width = (float(v) for v in high - low)
    if length < width:
        length, width, yaw = width, length, yaw + np.pi / 2
    yaw = (yaw + np.pi / 2) % np.pi - np.pi / 2
    return Rectangle((float(middle[0]), float(middle[1])), length, width, yaw)


def rectangle_bounds(xy: Array, yaw: float) -> tuple[Array, Array]:
    """Lowest and highest coordinates (2,) of the points along axes turned by `yaw`."""
    return inner_range((xy @ _axes(yaw)).T, _TRIM)


def quarter_turn(yaw: float) -> float:
    """The equivalent yaw in [-pi/4, pi/4) of a thing that looks the same every quarter turn."""
    return (yaw + np.pi / 4) % (np.pi / 2) - np.pi / 4


def fit_circle(
    xy: Array, radii: tuple[float, float], *, tolerance_m: float = 0.003, samples: int = 14
) -> Circle | None:
    """The circle that most of the points' outline lies on, or None if there is none.

    Every triple of some outline points proposes its circumcircle; the one with most
    outline points on it, of a radius within `radii`, is refined by least squares. A handle or
    a hidden side is outvoted.
    """
    outline = _outline(xy)
    if len(outline) < 3:
        return None
    proposals = _circumcircles(thin(outline, samples))
    proposals = proposals[(proposals[:, 2] >= radii[0]) & (proposals[:, 2] <= radii[1])]
    if not len(proposals):
        return None
    x, y, radius = proposals[_votes(outline, proposals, tolerance_m).argmax()]
    on_it = np.abs(np.hypot(*(outline - [x, y]).T) - radius) < tolerance_m
    x, y, radius = _least_squares_circle(outline[on_it], (x, y, radius))
    radius = float(np.clip(radius, *radii))
    return Circle((float(x), float(y)), radius, float(on_it.mean()))


def _axes(yaw: float) -> Array:
    c, s = np.cos(yaw), np.sin(yaw)
    return np.array([[c, -s], [s, c]])


def _areas(xy: Array, yaws: Array) -> Array:
    c, s = np.cos(yaws), np.sin(yaws)
    spans = []
    for along in (np.column_stack([c, s]), np.column_stack([-s, c])):
        low, high = inner_range(along @ xy.T, _TRIM)
        spans.append(high - low)
    area: Array = spans[0] * spans[1]
    return area


def _on_edges(xy: Array, yaws: Array) -> Array:
    """How many of (N, 2) points lie about on the edges of the rectangle along each of (M,) yaws."""
    c, s = np.cos(yaws), np.sin(yaws)
    nearest = np.full((len(yaws), len(xy)), np.inf)
    for along in (np.column_stack([c, s]), np.column_stack([-s, c])):
        across = along @ xy.T
        low, high = inner_range(across, _TRIM)
        off = np.minimum(np.abs(across - low[:, None]), np.abs(high[:, None] - across))
        nearest = np.minimum(nearest, off)
    return np.asarray((1.0 / (1.0 + (nearest / _EDGE_M) ** 2)).sum(axis=1))


def _outline(xy: Array) -> Array:
    """The outermost points in each direction from the middle of (N, 2) points, strays left out.

    Of a convex hull the sides would count, too; these are all measured points.
    """
    low, high = inner_range(xy.T, 0.3)
    kept = xy[((xy >= low - 0.002) & (xy <= high + 0.002)).all(axis=1)]
    x, y = (kept - (low + high) / 2).T
    sector = ((np.arctan2(y, x) / (2 * np.pi) + 0.5) * _SECTORS).astype(int) % _SECTORS
    outermost = np.full(_SECTORS, -1)
    order = np.argsort(x * x + y * y)
    outermost[sector[order]] = order  # the farthest of each sector is written last
    outline: Array = kept[outermost[outermost >= 0]]
    return outline


def _votes(outline: Array, circles: Array, tolerance_m: float) -> Array:
    """(M,) how many of (K, 2) points lie on each of (M, 3) circles."""
    x, y, radius = circles.T[:, :, None]
    squared = (outline[:, 0] - x) ** 2 + (outline[:, 1] - y) ** 2
    # |d^2 - r^2| ~ 2 r |d - r| near the circle, and no square root
    votes: Array = (np.abs(squared - radius**2) < 2 * radius * tolerance_m).sum(axis=1)
    return votes


def _circumcircles(points: Array) -> Array:
    """(M, 3) centre and radius through every triple of (K, 2) points not on a line."""
    triples = np.array(list(combinations(range(len(points)), 3)), dtype=int).reshape(-1, 3)
    a, b, c = (points[triples[:, i]] for i in range(3))
    b, c = b - a, c - a
    cross = 2 * (b[:, 0] * c[:, 1] - b[:, 1] * c[:, 0])
    good = np.abs(cross) > 1e-7
    a, b, c, cross = a[good], b[good], c[good], cross[good]
    bb, cc = (b**2).sum(axis=1), (c**2).sum(axis=1)
    ux = (c[:, 1] * bb - b[:, 1] * cc) / cross
    uy = (b[:, 0] * cc - c[:, 0] * bb) / cross
    return np.column_stack([a[:, 0] + ux, a[:, 1] + uy, np.hypot(ux, uy)])


def _least_squares_circle(
    xy: Array, start: tuple[float, float, float]
) -> tuple[float, float, float]:
    """Kasa's algebraic fit; `start` where the points are too few."""
    if len(xy) < 6:
        return start
    mean = xy.mean(axis=0)
    local = xy - mean
    columns = np.column_stack([2 * local, np.ones(len(xy))])
    x, y, rest = np.linalg.lstsq(columns, (local**2).sum(axis=1), rcond=None)[0]
    return float(x + mean[0]), float(y + mean[1]), float(np.sqrt(rest + x * x + y * y))
