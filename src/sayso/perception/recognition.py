"""From the points and colour of one thing to its category, box and confidence."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sayso.core.geometry import Array, Quaternion, Vector3, rotation_matrix
from sayso.core.scene import SceneObject
from sayso.perception.appearance import ROUND_SHAPES, Appearance, Appearances, Range, Shape
from sayso.perception.camera import Floats
from sayso.perception.shapes import (
    Circle,
    Rectangle,
    fit_circle,
    fit_rectangle,
    inner_range,
    quarter_turn,
    thin,
)
from sayso.perception.table import TablePlane

UNKNOWN = "object"
_FIT_POINTS = 700
_KEPT_POINTS = 2500
_TOP_BAND_M = 0.006  # how thick noise makes a level surface
_RIM_BAND_M = 0.012
_RESTING_M = 0.006  # an underside this close to the table rests on it
_THIN_MAT_M = 0.002  # the same for a cube, whose underside follows from its side: mats are thin
_HIDDEN_SHARE = 0.8  # a cube on the table that shows less of its height has its upper part hidden
_THIN_M = 0.03  # the rim of a thing lower than this hides nothing that could stand below it
_LEAST_CONFIDENCE = 0.25
_SOFTNESS = 0.12  # relative excess over a range that costs as much as one sigma
_LENIENT = 0.3  # how much a misfit counts that is to be expected
_ONE_SIGMA = 68.3  # percent of a normal distribution that lie within it
_HOLLOW_SHAPES: frozenset[Shape] = frozenset({"round", "drawer"})
_OCCLUDED_SOFTNESS = 0.35  # the same for sizes too small: a part may be hidden


@dataclass(frozen=True)
class Extent:
    """A thing's rough measures: its footprint, and its top and bottom above the table [m]."""

    rectangle: Rectangle
    top: float
    bottom: float

    @property
    def height(self) -> float:
        return self.top - self.bottom


@dataclass(frozen=True)
class Box:
    """A fitted box: centre, extent along its own axes [m], and yaw [rad]."""

    x: float
    y: float
    bottom: float
    size: tuple[float, float, float]
    yaw: float = 0.0


def recognise(
    points: Floats,
    color: str,
    appearances: Appearances,
    table: TablePlane,
    *,
    eye: Vector3 | None = None,
) -> SceneObject:
    """The object that (N, 3) points of one colour belong to, N >= 1.

    The best-fitting appearance gives category and box; with none the category is `object`.
    Its name is still empty: names are given when objects are tracked. `eye` is where the one
    camera is that saw all the points; None if several did.
    """
    sample = np.asarray(thin(points, _FIT_POINTS), dtype=float)
    extent = measure(sample, table)
    scored = [(_score(a, extent), a) for a in appearances.values() if a.could_be(color)]
    score, appearance = max(scored, key=lambda pair: pair[0], default=(0.0, None))
    if appearance is None or score < _LEAST_CONFIDENCE:
        return _object(UNKNOWN, color, _plain_box(extent), _LEAST_CONFIDENCE, points, table)
    box = fit(appearance, sample, extent, table, eye)
    hollow = appearance.shape in _HOLLOW_SHAPES
    return _object(appearance.category, color, box, score, points, table, hollow)


def as_category(
    points: Floats,
    color: str,
    appearance: Appearance,
    table: TablePlane,
    *,
    eye: Vector3 | None = None,
) -> SceneObject:
    """The object of a known category that (N, 3) points belong to, N >= 1."""
    sample = np.asarray(thin(points, _FIT_POINTS), dtype=float)
    extent = measure(sample, table)
    box = fit(appearance, sample, extent, table, eye)
    score, hollow = _score(appearance, extent), appearance.shape in _HOLLOW_SHAPES
    return _object(appearance.category, color, box, score, points, table, hollow)


def measure(points: Array, table: TablePlane) -> Extent:
    """Rough measures of (N, 3) points."""
    heights = table.height_above(points)
    low, high = inner_range(heights, 2.0)
    top = float(np.median(heights[heights > high - _TOP_BAND_M]))
    bottom = 0.0 if low < _RESTING_M or top < _THIN_M else float(low)
    return Extent(fit_rectangle(points[:, :2]), top, min(bottom, top))


def fit(
    appearance: Appearance,
    points: Array,
    extent: Extent,
    table: TablePlane,
    eye: Vector3 | None = None,
) -> Box:
    """The box of a thing that looks like `appearance`."""
    if appearance.shape == "cube":
        return _cube(appearance, extent, eye)
    if appearance.shape in ROUND_SHAPES:
        return _round(appearance, points, extent, table)
    if appearance.shape == "fixture":  # its foot may be hidden, but it stands on the table
        return _plain_box(replace(extent, bottom=0.0))
    return _plain_box(extent)


def _cube(appearance: Appearance, extent: Extent, eye: Vector3 | None) -> Box:
    """The side's length from what shows of it; the bottom from the top, as it may be hidden; where
    the top is hidden by what stands on it, that from the side."""
    rectangle = extent.rectangle
    one_face = _shows_one_face(appearance, extent)
    edge = rectangle.length if one_face else (rectangle.length + rectangle.width) / 2
    edge = float(np.clip(edge, *appearance.length_m))
    bottom = extent.top - edge
    bottom = 0.0 if bottom < _THIN_MAT_M else bottom
    height = extent.top - bottom
    if bottom == 0.0 and height < _HIDDEN_SHARE * edge:
        height = edge
    x, y = rectangle.centre
    if one_face and eye is not None:
        x, y = _behind_face(rectangle, edge, eye)
    return Box(x, y, bottom, (edge, edge, height), quarter_turn(rectangle.yaw))


def _shows_one_face(appearance: Appearance, extent: Extent) -> bool:
    """Whether an upright sheet is all that shows of a cube, as of the lower one of a stack."""
    least = appearance.length_m[0]
    return extent.rectangle.width < least and extent.height > least / 2


def _behind_face(rectangle: Rectangle, edge: float, eye: Vector3) -> tuple[float, float]:
    """Where the cube's middle is whose near face is all of the rectangle."""
    x, y = rectangle.centre
    across = rectangle.yaw + np.pi / 2
    direction = np.array([np.cos(across), np.sin(across)])
    if direction @ (x - eye[0], y - eye[1]) < 0:
        direction = -direction
    x, y = (x, y) + direction * (edge - rectangle.width) / 2
    return float(x), float(y)


def _round(appearance: Appearance, points: Array, extent: Extent, table: TablePlane) -> Box:
    layer = points
    if appearance.shape == "round":
        layer = points[table.height_above(points) > extent.top - _RIM_BAND_M]
    circle = fit_circle(layer[:, :2], (appearance.length_m[0] / 2, appearance.length_m[1] / 2))
    if circle is None or circle.support < 0.3:
        circle = _circle_in(extent.rectangle, appearance)
    x, y = circle.centre
    side = 2 * circle.radius
    height = extent.height
    if appearance.shape == "disc":
        height = max(height, appearance.height_m[0])
    return Box(x, y, extent.top - height, (side, side, height))


def _circle_in(rectangle: Rectangle, appearance: Appearance) -> Circle:
    diameter = float(np.clip(rectangle.width, *appearance.length_m))
    return Circle(rectangle.centre, diameter / 2, 0.0)


def _plain_box(extent: Extent) -> Box:
    r = extent.rectangle
    size = (r.length, r.width, max(extent.height, 0.001))
    return Box(*r.centre, extent.top - size[2], size, r.yaw)


def _score(appearance: Appearance, extent: Extent) -> float:
    """1 where all measures lie in their ranges, falling off like a Gaussian outside."""
    r = extent.rectangle
    misfits = [_misfit(r.length, appearance.length_m), _misfit(r.width, appearance.width_m)]
    if appearance.shape == "round":  # its handle lengthens one side
        misfits[0] *= _LENIENT
    elif appearance.shape == "cube" and _shows_one_face(appearance, extent):
        misfits[1] *= _LENIENT
    misfits.append(_misfit(extent.height, appearance.height_m))
    return float(np.exp(-0.5 * sum(m * m for m in misfits)))


def _misfit(value: float, allowed: Range) -> float:
    low, high = allowed
    if value > high:
        return (value / high - 1) / _SOFTNESS
    if value < low:
        return (1 - value / low) / _OCCLUDED_SOFTNESS
    return 0.0


def _object(
    category: str,
    color: str,
    box: Box,
    confidence: float,
    points: Floats,
    table: TablePlane,
    hollow: bool = False,
) -> SceneObject:
    z = table.at(box.x, box.y) + box.bottom + box.size[2] / 2
    thing = SceneObject(
        name="",
        category=category,
        color=color,
        position=(box.x, box.y, z),
        size=box.size,
        orientation=upright(box.yaw),
        confidence=confidence,
        points=np.asarray(thin(points, _KEPT_POINTS), np.float32),
    )
    return replace(thing, off_m=place_off_m(thing, points, hollow=hollow))


def place_off_m(thing: SceneObject, points: Floats, *, hollow: bool) -> float:
    """Two standard deviations of where a thing is, whose box was fitted to (N, 3) points, N >= 1.

    A side is where points end, so that it is off by as much as neighbours are apart: the fewer
    pixels show the thing, the more. And as far as most points lie off the sides, by noise or since
    a part is hidden or the kind is another, the box is off too; a handle is not most of them. What
    is `hollow` shows points within its box.
    """
    sample = np.asarray(thin(points, _FIT_POINTS), dtype=float) - np.asarray(thing.position)
    length, width, height = thing.size
    beyond = np.abs(sample @ rotation_matrix(thing.orientation)) - np.asarray(thing.size) / 2
    off = np.linalg.norm(np.maximum(beyond, 0.0), axis=1)
    if not hollow:
        off = np.maximum(off, -beyond.max(axis=1))
    apart = np.sqrt(length * (width + height) / len(points))  # from a corner two sides show
    return float(np.hypot(apart, 2.0 * np.percentile(off, _ONE_SIGMA)))


def upright(yaw: float) -> Quaternion:
    """The orientation (x, y, z, w) turned by `yaw` about z."""
    return (0.0, 0.0, float(np.sin(yaw / 2)), float(np.cos(yaw / 2)))


def yaw_of(orientation: Quaternion) -> float:
    """The yaw of an upright orientation [rad]."""
    x, y, z, w = orientation
    return float(np.arctan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))
