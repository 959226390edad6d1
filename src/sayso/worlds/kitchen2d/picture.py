"""Pictures of the 2D kitchen."""

from __future__ import annotations

from typing import Any

import numpy as np
from PIL import Image, ImageDraw

from sayso.core.geometry import Array
from sayso.worlds.kitchen2d.gripper import Gripper
from sayso.worlds.kitchen2d.scene import TABLE_HALF_M
from sayso.worlds.kitchen2d.simulation import DROP_M, TABLE_M, Simulation, Thing

_LEFT_M, _RIGHT_M = -TABLE_HALF_M - 0.05, TABLE_HALF_M + 0.05
_LOW_M, _HIGH_M = 0.0, 0.9
_WHITE, _TABLE, _HAND, _WATER, _INK = "#fbfaf7", "#c8ad88", "#6f7680", "#4a90d9", "#33363b"
_PAINT = {
    "red": "#d64541",
    "green": "#4fa35a",
    "blue": "#3f72c9",
    "yellow": "#e6c229",
    "orange": "#e8873a",
    "purple": "#8d5fb0",
    "white": "#ecebe6",
    "black": "#4a4a4e",
}


def draw(simulation: Simulation, hand: Gripper, width: int = 960) -> Image.Image:
    """The kitchen from the front, `width` pixels wide."""
    canvas = _Canvas(width)
    table = np.array(
        [
            (-TABLE_HALF_M, 0.0),
            (TABLE_HALF_M, 0.0),
            (TABLE_HALF_M, TABLE_M),
            (-TABLE_HALF_M, TABLE_M),
        ]
    )
    canvas.polygon(table, _TABLE)
    for x, z in simulation.drop_positions():
        canvas.circle(x, z, DROP_M, _WATER)
    for thing in simulation.things.values():
        canvas.thing(thing)
    for polygon in hand.polygons():
        canvas.polygon(polygon, _HAND)
    return canvas.image


class _Canvas:
    def __init__(self, width: int) -> None:
        self._scale = width / (_RIGHT_M - _LEFT_M)
        self.image = Image.new("RGB", (width, round((_HIGH_M - _LOW_M) * self._scale)), _WHITE)
        self._draw = ImageDraw.Draw(self.image)

    def pixels(self, points: Array) -> list[tuple[float, float]]:
        return [((x - _LEFT_M) * self._scale, (_HIGH_M - z) * self._scale) for x, z in points]

    def polygon(self, points: Array, fill: str) -> None:
        self._draw.polygon(self.pixels(points), fill=fill, outline=_INK)

    def circle(self, x: float, z: float, radius: float, fill: str) -> None:
        ((u, v),) = self.pixels(np.array([(x, z)]))
        r = max(1.0, radius * self._scale)
        self._draw.ellipse((u - r, v - r, u + r, v + r), fill=fill)

    def thing(self, thing: Thing) -> None:
        turn = _rotation(thing.angle)
        for polygon in thing.shape.polygons:
            corners = np.array(polygon) @ turn + np.array(thing.position)
            self.polygon(corners, _PAINT.get(thing.item.color, "#b9b4aa"))


def _rotation(angle: float) -> Any:
    cos, sin = np.cos(angle), np.sin(angle)
    return np.array([[cos, sin], [-sin, cos]])
