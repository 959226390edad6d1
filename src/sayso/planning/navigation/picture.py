"""Maps, progression maps and paths as pictures, for people; north (y) is up."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

import numpy as np
import numpy.typing as npt
from PIL import Image, ImageDraw, ImageFont

from sayso.core.geometry import Array
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.itinerary import Outset, Tour
from sayso.planning.navigation.nearness import Footprint, near_mask
from sayso.planning.navigation.tpsm import AVOID, GOAL, NEUTRAL, Values

_Rgb = tuple[int, int, int]
_UNKNOWN, _FREE, _OCCUPIED, _NARROW = (
    (205, 205, 205),
    (255, 255, 255),
    (40, 40, 40),
    (228, 228, 228),
)
_GOAL, _AVOID = (150, 220, 150), (240, 160, 150)
_THING, _TEXT, _START, _END = (70, 110, 190), (20, 40, 110), (20, 130, 60), (190, 30, 30)
_FORBIDDEN, _HALO = (200, 30, 30), (255, 255, 255)
_PATHS: tuple[_Rgb, ...] = (
    (30, 90, 220), (220, 120, 0), (150, 40, 190), (0, 150, 150), (200, 40, 110), (110, 110, 0),
)  # fmt: skip
_SMALLEST = 600
"""Pixels of a picture's longer side, at least; small maps are enlarged by a whole number."""
_LETTERS, _HALO_WIDTH, _SMALL = 13, 2, 45
"""Height of the names, width of the light line around them, which black walls need, and what is
too small to be written over [pixels].
"""

_Box = tuple[float, float, float, float]


def draw_map(
    grid: OccupancyGrid,
    values: Values | None = None,
    footprints: Mapping[str, Footprint] | None = None,
    paths: Iterable[Array] = (),
    avoided: Collection[str] = (),
) -> Image.Image:
    """The map, green where the task wants the robot and red where it must not go.

    Args:
        values: (rows, columns) a progression map.
        footprints: outlines by name.
        paths: each (N, 2) x, y [m]; a dot marks the start of the first, a ring each end.
        avoided: names that are drawn red.
    """
    scale = max(1, round(_SMALLEST / max(grid.shape)))
    picture = Image.fromarray(
        np.kron(_colors(grid, values)[::-1], np.ones((scale, scale, 1), np.uint8))
    )
    draw = ImageDraw.Draw(picture)

    def pixels(points: Array) -> list[tuple[float, float]]:
        x, y = (grid.to_grid(points) * scale).T
        return list(zip(x.tolist(), (grid.shape[0] * scale - y).tolist(), strict=True))

    outlines = {n: pixels(np.asarray(f.corners)) for n, f in (footprints or {}).items()}
    for name, corners in outlines.items():
        around = [*corners, corners[0]]
        draw.line(around, fill=_HALO, width=4, joint="curve")
        draw.line(around, fill=_FORBIDDEN if name in avoided else _THING, width=2)
    for number, path in enumerate(paths):
        line = pixels(path)
        if not number:
            draw.ellipse(_around(line[0], 5), fill=_START)
        draw.line(line, fill=_PATHS[number % len(_PATHS)], width=3, joint="curve")
        draw.ellipse(_around(line[-1], 5), outline=_END, width=2)
    _write_names(draw, picture.size, outlines, avoided)
    return picture


def draw_referents(
    grid: OccupancyGrid, things: Mapping[str, Footprint], avoided: Collection[str]
) -> Image.Image:
    """The map with the things that a task speaks of, and where the avoided ones are too near.

    Args:
        avoided: names of things that must not be come near to, drawn red.
    """
    values = np.full(grid.shape, NEUTRAL, np.int8)
    for name in avoided:
        values[near_mask(grid, things[name])] = AVOID
    return draw_map(grid, values, things, avoided=avoided)


def save_tour(folder: Path, tour: Tour, outset: Outset) -> tuple[Path, ...]:
    """Write `tour.png`, all ways on the map, and `leg_N.png`, each with its progression map."""
    folder.mkdir(parents=True, exist_ok=True)
    grid = outset.flat.grid
    footprints = {n: outset.flat.place(n).footprint for n in outset.relevant()}
    ways = [(i, leg) for i, leg in enumerate(tour.legs) if leg.drives]
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


def _write_names(
    draw: ImageDraw.ImageDraw,
    size: tuple[int, int],
    outlines: Mapping[str, list[tuple[float, float]]],
    avoided: Collection[str],
) -> None:
    """Each name at its thing, beside those written before where there is room."""
    font = ImageFont.load_default(_LETTERS)
    boxes = {name: _bounds(corners) for name, corners in outlines.items()}
    # Small things are not written over.
    taken = [b for b in boxes.values() if max(b[2] - b[0], b[3] - b[1]) < _SMALL]
    for name, around in boxes.items():
        _, _, width, height = draw.textbbox((0, 0), name, font, stroke_width=_HALO_WIDTH)
        places = [_inside(p, width, height, size) for p in _beside(around, width, height)]
        box = next((p for p in places if not any(_overlap(p, t) for t in taken)), places[0])
        taken.append(box)
        color = _FORBIDDEN if name in avoided else _TEXT
        draw.text(box[:2], name, color, font, stroke_width=_HALO_WIDTH, stroke_fill=_HALO)


def _bounds(corners: list[tuple[float, float]]) -> _Box:
    (left, top), (right, bottom) = np.min(corners, axis=0), np.max(corners, axis=0)
    return float(left), float(top), float(right), float(bottom)


def _beside(around: _Box, width: float, height: float) -> list[tuple[float, float]]:
    """Where a text may begin: in the middle of an outline, above, below, right and left of it."""
    left, top, right, bottom = around
    x, y = (left + right - width) / 2, (top + bottom - height) / 2
    return [(x, y), (x, top - height), (x, bottom), (right, y), (left - width, y)]


def _inside(start: tuple[float, float], width: float, height: float, size: tuple[int, int]) -> _Box:
    """The box of a text, moved into the picture."""
    x = min(max(0.0, start[0]), max(0.0, size[0] - width))
    y = min(max(0.0, start[1]), max(0.0, size[1] - height))
    return x, y, x + width, y + height


def _overlap(a: _Box, b: _Box) -> bool:
    return a[0] < b[2] and b[0] < a[2] and a[1] < b[3] and b[1] < a[3]


def _around(point: tuple[float, float], radius: float) -> tuple[float, float, float, float]:
    x, y = point
    return x - radius, y - radius, x + radius, y + radius
