"""Maps, progression maps and paths as pictures, for people; north (y) is up."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw

from sayso.core.geometry import Array
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.itinerary import Outset, Tour
from sayso.planning.navigation.nearness import Footprint
from sayso.planning.navigation.tpsm import AVOID, GOAL, Values

_Rgb = tuple[int, int, int]
_UNKNOWN, _FREE, _OCCUPIED, _NARROW = (
    (205, 205, 205),
    (255, 255, 255),
    (40, 40, 40),
    (228, 228, 228),
)
_GOAL, _AVOID = (150, 220, 150), (240, 160, 150)
_THING, _TEXT, _START, _END = (70, 110, 190), (20, 40, 110), (20, 130, 60), (190, 30, 30)
_PATHS: tuple[_Rgb, ...] = (
    (30, 90, 220), (220, 120, 0), (150, 40, 190), (0, 150, 150), (200, 40, 110), (110, 110, 0),
)  # fmt: skip
_SMALLEST = 600
"""Pixels of a picture's longer side, at least; small maps are enlarged by a whole number."""


def draw_map(
    grid: OccupancyGrid,
    values: Values | None = None,
    footprints: Mapping[str, Footprint] | None = None,
    paths: Iterable[Array] = (),
) -> Image.Image:
    """The map, green where the task wants the robot and red where it must not go.

    Args:
        values: (rows, columns) a progression map.
        footprints: outlines by name.
        paths: each (N, 2) x, y [m]; a dot marks the start of the first, a ring each end.
    """
    scale = max(1, round(_SMALLEST / max(grid.shape)))
    picture = Image.fromarray(
        np.kron(_colors(grid, values)[::-1], np.ones((scale, scale, 1), np.uint8))
    )
    draw = ImageDraw.Draw(picture)

    def pixels(points: Array) -> list[tuple[float, float]]:
        x, y = (grid.to_grid(points) * scale).T
        return list(zip(x.tolist(), (grid.shape[0] * scale - y).tolist(), strict=True))

    for name, footprint in (footprints or {}).items():
        corners = pixels(np.asarray(footprint.corners))
        draw.polygon(corners, outline=_THING, width=2)
        draw.text(corners[0], name, fill=_TEXT)
    for number, path in enumerate(paths):
        line = pixels(path)
        if not number:
            draw.ellipse(_around(line[0], 5), fill=_START)
        draw.line(line, fill=_PATHS[number % len(_PATHS)], width=3, joint="curve")
        draw.ellipse(_around(line[-1], 5), outline=_END, width=2)
    return picture


def save_tour(folder: Path, tour: Tour, outset: Outset) -> tuple[Path, ...]:
    """Write `tour.png`, all ways on the map, and `leg_N.png`, each with its progression map."""
    folder.mkdir(parents=True, exist_ok=True)
    grid = outset.flat.grid
    footprints = {n: outset.flat.place(n).footprint for n in outset.relevant()}
    ways = [(i, leg) for i, leg in enumerate(tour.legs) if leg.kind == "go"]
    written = [folder / "tour.png"]
    draw_map(grid, None, footprints, [leg.path for _, leg in ways]).save(written[0])
    for index, leg in ways:
        written.append(folder / f"leg_{index + 1}.png")
        draw_map(grid, tour.progression(index), footprints, [leg.path]).save(written[-1])
    return tuple(written)


def _colors(grid: OccupancyGrid, values: Values | None) -> npt.NDArray[np.uint8]:
    colors = np.full((*grid.shape, 3), _UNKNOWN, np.uint8)
    colors[grid.cells == FREE] = _NARROW
    standable = grid.standable()
    colors[standable] = _FREE
    if values is not None:
        colors[(values == GOAL) & standable] = _GOAL
        colors[(values == AVOID) & (grid.cells == FREE)] = _AVOID
    colors[grid.cells == OCCUPIED] = _OCCUPIED
    return colors


def _around(point: tuple[float, float], radius: float) -> tuple[float, float, float, float]:
    x, y = point
    return x - radius, y - radius, x + radius, y + radius
