"""What things are made of: convex polygons around the centre of a thing's box, in metres."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from sayso.worlds.kitchen2d.kinds import Form

Polygon: TypeAlias = tuple[tuple[float, float], ...]
"""Corners (x, z), counterclockwise."""

WALL_M = 0.005
FLOOR_M = 0.015
CUP_FLOOR_M = 0.022
"""Thick, so that a cup is full after one portion of water."""
RIM_M = 0.01
"""How far a plate's rim rises above where things stand on it."""
BEVEL_M = (0.03, 0.016)
"""How far a plate's underside is cut back, and up to which height: what it can climb."""
MOUTH_M = 0.02
"""How far from a faucet's left end its water comes out."""


@dataclass(frozen=True)
class Shape:
    """A thing's parts and, for things that hold water or food, the space inside.

    Attributes:
        cavity: half width of the mouth, and heights of floor and rim from the box's centre.
    """

    polygons: tuple[Polygon, ...]
    width_m: float
    height_m: float
    cavity: tuple[float, float, float] | None = None


def shape(form: Form, width_m: float, height_m: float) -> Shape:
    """The shape of a form with this box."""
    return _FORMS[form](width_m, height_m)


def _rectangle(left: float, low: float, right: float, high: float) -> Polygon:
    return ((left, low), (right, low), (right, high), (left, high))


def _block(width: float, height: float) -> Shape:
    x, z = width / 2, height / 2
    return Shape((_rectangle(-x, -z, x, z),), width, height)


def _chamfered(width: float, height: float) -> Shape:
    x, z, c = width / 2, height / 2, height / 4
    corners = (
        (c - x, -z), (x - c, -z), (x, c - z), (x, z - c), (x - c, z), (c - x, z), (-x, z - c),
        (-x, c - z),
    )  # fmt: skip
    return Shape((corners,), width, height)


def _plate(width: float, height: float) -> Shape:
    x, z = width / 2, height / 2
    cut, rise = BEVEL_M
    well = z - RIM_M
    body = (
        (cut - x, -z), (x - cut, -z), (x, rise - z), (x, well), (-x, well), (-x, rise - z),
    )  # fmt: skip
    rims = (_rectangle(-x, well, 0.01 - x, z), _rectangle(x - 0.01, well, x, z))
    return Shape((body, *rims), width, height)


def _cup(width: float, height: float) -> Shape:
    """Narrower at the bottom, so that it can be filled and emptied easily."""
    x, z = width / 2, height / 2
    bottom = 0.8 * x
    left = ((-bottom, -z), (WALL_M - bottom, -z), (WALL_M - x, z), (-x, z))
    right = ((bottom - WALL_M, -z), (bottom, -z), (x, z), (x - WALL_M, z))
    floor = _rectangle(-bottom, -z, bottom, CUP_FLOOR_M - z)
    return Shape((left, right, floor), width, height, (x - WALL_M, CUP_FLOOR_M - z, z))


def _tub(width: float, height: float) -> Shape:
    x, z, wall = width / 2, height / 2, 1.6 * WALL_M
    parts = (
        _rectangle(-x, -z, wall - x, z),
        _rectangle(x - wall, -z, x, z),
        _rectangle(-x, -z, x, FLOOR_M - z),
    )
    return Shape(parts, width, height, (x - wall, FLOOR_M - z, z))


def _tap(width: float, height: float) -> Shape:
    """A post with a spout to the left, whose mouth points down."""
    x, z = width / 2, height / 2
    post = _rectangle(x - 0.02, -z, x, z)
    spout = _rectangle(-x, z - 0.02, x, z)
    return Shape((post, spout), width, height)


_FORMS: Mapping[Form, Callable[[float, float], Shape]] = {
    "block": _block,
    "chamfered": _chamfered,
    "plate": _plate,
    "cup": _cup,
    "tub": _tub,
    "tap": _tap,
}
