"""Drawers as parts of a fixture: where the front panel stands out, and how far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.geometry import Array
from sayso.core.scene import SceneObject
from sayso.perception.appearance import Appearance, Appearances
from sayso.perception.grouping import stack
from sayso.perception.recognition import UNKNOWN, place_off_m, upright, yaw_of
from sayso.perception.table import TablePlane

_REACH_M = 0.45  # how far in front of its fixture a drawer's parts may be
_BESIDE_M = 0.03
_PANEL_BAND_M = 0.008
_CROWD = 0.4  # share of the fullest bin that counts as crowded
_HANDLE_REACH_M = 0.09
_HANDLE_WIDEST_M = 0.20


@dataclass(frozen=True)
class _Front:
    """A side of a fixture in the plane: middle, outward direction, direction along, width."""

    middle: Array
    outward: Array
    along: Array
    width: float

    def out(self, points: Array) -> Array:
        """Distances (N,) in front of the side [m]."""
        result: Array = (points[:, :2] - self.middle) @ self.outward
        return result

    def beside(self, points: Array) -> Array:
        """Distances (N,) from the side's middle along it [m], signed."""
        result: Array = (points[:, :2] - self.middle) @ self.along
        return result


def assemble_drawers(
    objects: Sequence[SceneObject],
    appearances: Appearances,
    table: TablePlane,
    known: Sequence[SceneObject] = (),
) -> tuple[SceneObject, ...]:
    """The objects with each drawer's pieces, handle included, made one drawer.

    A drawer's box spans from its panel's outer face to the front plane of its fixture; local
    -x is the direction to pull. Without the fixture, seen now or `known`, drawers are left out:
    nothing can be said of how far they stand open.
    """
    result = tuple(objects)
    for appearance in appearances.values():
        if appearance.shape == "drawer":
            result = _assemble(result, appearance, table, known)
    return result


def _assemble(
    objects: tuple[SceneObject, ...],
    appearance: Appearance,
    table: TablePlane,
    known: Sequence[SceneObject],
) -> tuple[SceneObject, ...]:
    rest = [o for o in objects if o.category != appearance.category]
    fixture = _fixture(appearance.part_of, known, objects)
    if fixture is None:
        return tuple(rest)
    pieces = [o for o in objects if _is_piece(o, appearance, fixture)]
    rest = [o for o in rest if not any(o is p for p in pieces)]
    if not pieces:
        return tuple(rest)
    points = stack([p.points for p in pieces]).astype(float)
    front = _facing(fixture, points)
    drawer = _drawer(appearance, front, points, table)
    handles = [o for o in rest if _is_handle(o, front, drawer)]
    rest = [o for o in rest if not any(o is h for h in handles)]
    cloud = stack([o.points for o in (*pieces, *handles)])
    biggest = max(pieces, key=lambda p: len(p.points))
    off_m = place_off_m(drawer, cloud, hollow=True)
    return (*rest, replace(drawer, color=biggest.color, points=cloud, off_m=off_m))


def _fixture(
    category: str, known: Sequence[SceneObject], objects: Sequence[SceneObject]
) -> SceneObject | None:
    """The remembered one, which more was seen of than now may be; else the one seen now."""
    candidates = [o for o in known if o.category == category]
    candidates = candidates or [o for o in objects if o.category == category]
    return max(candidates, key=lambda o: float(np.prod(o.size)), default=None)


def _is_piece(obj: SceneObject, appearance: Appearance, fixture: SceneObject) -> bool:
    if obj.category not in (appearance.category, UNKNOWN):
        return False
    if not appearance.could_be(obj.color) or not len(obj.points):
        return False
    apart = np.hypot(*np.subtract(obj.position, fixture.position)[:2])
    return bool(apart < max(fixture.size[:2]) / 2 + _REACH_M)


def _facing(fixture: SceneObject, points: Array) -> _Front:
    """The side of the fixture in front of which most of the points' extent is."""
    yaw = yaw_of(fixture.orientation)
    centre = np.asarray(fixture.position[:2])
    fronts = []
    for quarter in range(4):
        angle = yaw + quarter * np.pi / 2
        outward = np.array([np.cos(angle), np.sin(angle)])
        along = np.array([-outward[1], outward[0]])
        depth, width = fixture.size[quarter % 2], fixture.size[1 - quarter % 2]
        fronts.append(_Front(centre + outward * depth / 2, outward, along, width))
    return max(fronts, key=lambda f: float(np.percentile(f.out(points), 95)))


def _drawer(appearance: Appearance, front: _Front, points: Array, table: TablePlane) -> SceneObject:
    out = front.out(points)
    face = _outermost_face(out)
    panel = points[np.abs(out - face) < _PANEL_BAND_M]
    low, high = np.percentile(table.height_above(panel), [1.5, 98.5])
    left, right = np.percentile(front.beside(panel), [1.0, 99.0])
    depth = max(face, appearance.panel_m)
    middle = front.middle + front.outward * (face - depth / 2) + front.along * (left + right) / 2
    height = table.at(*middle) + float(low + high) / 2
    pull = float(np.arctan2(front.outward[1], front.outward[0]))
    return SceneObject(
        name="",
        category=appearance.category,
        color="",
        position=(float(middle[0]), float(middle[1]), height),
        size=(depth, float(right - left), float(high - low)),
        orientation=upright(pull + np.pi),
        attributes={"opening_m": max(0.0, face - appearance.panel_m)},
    )


def _outermost_face(out: Array) -> float:
    """Where the panel's face is: the outermost place at which distances `out` (N,) crowd.

    The panel faces the way that is measured, so its points share one distance; those of a
    handle before it and of the tray behind it are spread.
    """
    bins = max(1, int(np.ceil(np.ptp(out) / _PANEL_BAND_M)))
    counts, edges = np.histogram(out, bins=bins)
    peak = int(np.flatnonzero(counts >= _CROWD * counts.max())[-1])
    middle = (edges[peak] + edges[peak + 1]) / 2
    return float(np.median(out[np.abs(out - middle) <= _PANEL_BAND_M]))


def _is_handle(obj: SceneObject, front: _Front, drawer: SceneObject) -> bool:
    """A small unknown thing right before the panel."""
    if obj.category != UNKNOWN or max(obj.size) > _HANDLE_WIDEST_M:
        return False
    points = np.asarray(obj.points, dtype=float)
    face = drawer.size[0]
    out, beside = np.median(front.out(points)), np.median(front.beside(points))
    low = drawer.position[2] - drawer.size[2] / 2 - _BESIDE_M
    high = drawer.position[2] + drawer.size[2] / 2 + _BESIDE_M
    level = low < float(np.median(points[:, 2])) < high
    ahead = face - _PANEL_BAND_M < out < face + _HANDLE_REACH_M
    return bool(level and ahead and abs(beside) < front.width / 2 + _BESIDE_M)
