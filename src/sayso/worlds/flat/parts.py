"""Primitive shapes that everything in the flat is put together from, as plain data.

A part is placed in its item's frame: the origin is the middle of the item's foot, z up, x
towards its front, y to its left; metres. The same parts make the MuJoCo model and the SDF.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from sayso.core.geometry import Vector3
from sayso.worlds.things import Rgba

Shape = Literal["box", "cylinder", "sphere", "ellipsoid"]


@dataclass(frozen=True)
class Part:
    """One primitive.

    Attributes:
        shape: what it is.
        size: full extents along its own axes [m]; a cylinder's are diameter, diameter, length.
        at: its centre in the item's frame [m].
        rgba: its colour.
        pitch: turned about the item's y axis [rad].
        solid: False for what is only seen.
        seen: False for what only collides.
        shines: whether it gives light while its item is on.
    """

    shape: Shape
    size: Vector3
    at: Vector3
    rgba: Rgba
    pitch: float = 0.0
    solid: bool = True
    seen: bool = True
    shines: bool = False


def box(size: Vector3, at: Vector3, rgba: Rgba, *, solid: bool = True) -> Part:
    """A box with its centre at `at`."""
    return Part("box", size, at, rgba, solid=solid)


def slab(size: Vector3, foot: Vector3, rgba: Rgba, *, solid: bool = True) -> Part:
    """A box that stands on `foot`, the middle of its underside."""
    x, y, z = foot
    return Part("box", size, (x, y, z + size[2] / 2), rgba, solid=solid)


def post(diameter: float, height: float, foot: Vector3, rgba: Rgba, *, solid: bool = True) -> Part:
    """An upright cylinder that stands on `foot`."""
    x, y, z = foot
    return Part("cylinder", (diameter, diameter, height), (x, y, z + height / 2), rgba, solid=solid)


def ball(diameter: float, at: Vector3, rgba: Rgba, *, solid: bool = True) -> Part:
    """A sphere."""
    return Part("sphere", (diameter, diameter, diameter), at, rgba, solid=solid)


def legs(size: Vector3, thickness: float, height: float, rgba: Rgba) -> list[Part]:
    """Four legs at the corners of a rectangle of size (x, y)."""
    x, y = size[0] / 2 - thickness, size[1] / 2 - thickness
    return [
        slab((thickness, thickness, height), (sx * x, sy * y, 0.0), rgba)
        for sx in (-1, 1)
        for sy in (-1, 1)
    ]
