"""Empty flats: rooms in a row or in two rows, with a door in every wall between them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from sayso.worlds.flat.scene import Door, FlatScene, Point2, Room, Wall

_ROOM_NAMES = ("living_room", "kitchen", "bedroom", "office")
_DOOR_COLORS = ("wooden", "white", "grey", "brown")
_DOOR_WIDTH_M = 1.4


@dataclass(frozen=True)
class _Grid:
    x: tuple[float, ...]
    y: tuple[float, ...]


def empty_flat(rng: np.random.Generator, rooms: int, name: str) -> FlatScene:
    """A flat of 1, 2 or 4 rooms without furniture, its corner at the map's origin."""
    columns, rows = {1: (1, 1), 2: (2, 1), 4: (2, 2)}[rooms]
    wide = np.round(rng.uniform(5.2, 6.2, columns), 1)
    deep = np.round(rng.uniform(4.8, 5.6, rows), 1)
    grid = _Grid(
        tuple(float(v) for v in (0.0, *np.cumsum(wide))),
        tuple(float(v) for v in (0.0, *np.cumsum(deep))),
    )
    return FlatScene(name, _rooms(grid), _walls(grid), _doors(grid, rng), (), (), (1.0, 1.0, 0.0))


def _rooms(grid: _Grid) -> tuple[Room, ...]:
    spans = [
        ((grid.x[i], grid.y[j]), (grid.x[i + 1], grid.y[j + 1]))
        for j in range(len(grid.y) - 1)
        for i in range(len(grid.x) - 1)
    ]
    return tuple(
        Room(name, low, high) for name, (low, high) in zip(_ROOM_NAMES, spans, strict=False)
    )


def _walls(grid: _Grid) -> tuple[Wall, ...]:
    across = [Wall((grid.x[0], y), (grid.x[-1], y)) for y in grid.y]
    along = [Wall((x, grid.y[0]), (x, grid.y[-1])) for x in grid.x]
    return (*across, *along)


def _doors(grid: _Grid, rng: np.random.Generator) -> tuple[Door, ...]:
    places: list[tuple[Point2, float]] = []
    for x in grid.x[1:-1]:
        for low, high in zip(grid.y, grid.y[1:], strict=False):
            places.append(((x, _within(rng, low, high)), np.pi / 2))
    for y in grid.y[1:-1]:
        for low, high in zip(grid.x, grid.x[1:], strict=False):
            places.append(((_within(rng, low, high), y), 0.0))
    return tuple(_door(i, at, yaw, rng) for i, (at, yaw) in enumerate(places))


def _within(rng: np.random.Generator, low: float, high: float) -> float:
    """A door's middle: beside the middle of the wall, so that the leaf has room to slide."""
    return round(float(rng.uniform(low + 2.2, high - 1.1)), 2)


def _door(index: int, at: Point2, yaw: float, rng: np.random.Generator) -> Door:
    return Door(
        f"door_{index + 1}",
        "door",
        _DOOR_COLORS[int(rng.integers(len(_DOOR_COLORS)))],
        at,
        round(float(yaw), 4),
        _DOOR_WIDTH_M,
        "sliding" if rng.random() < 0.7 else "hinged",
    )
