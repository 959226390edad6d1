"""Where the robot can stand and drive in a scene: checks that a flat can be lived in."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from sayso.core.geometry import Array
from sayso.worlds.flat.scene import (
    WALL_THICKNESS_M,
    FlatScene,
    Item,
    Point2,
    wall_pieces,
)

CELL_M = 0.05
ROBOT_RADIUS_M = 0.45
STAND_M = 0.9
"""From an item's edge: within `near` with room to spare."""
_OVERHEAD_M = 1.25

Mask = npt.NDArray[np.bool_]


class FreeSpace:
    """The floor on which the middle of the robot may be, from where it starts.

    Attributes:
        free: (X, Y) cells reached from the start; cell (i, j) is centred on
            `origin + (i, j) * CELL_M`.
        blocked: (X, Y) cells in which something stands.
        origin: of the first cell's centre in the map [m].
    """

    def __init__(self, scene: FlatScene) -> None:
        low, high = (np.array(c) for c in scene.bounds)
        count = np.ceil((high - low) / CELL_M).astype(int)
        self.origin = low + CELL_M / 2
        x, y = (np.arange(n) * CELL_M for n in count)
        self._cells = np.stack(np.meshgrid(x, y, indexing="ij"), axis=-1) + self.origin
        self.blocked: Mask = self._blocked(scene)
        room = (
            ndimage.distance_transform_edt(~np.pad(self.blocked, 1, constant_values=True)) * CELL_M
        )
        standing = room[1:-1, 1:-1] > ROBOT_RADIUS_M
        labels, _ = ndimage.label(standing)
        start = np.clip(
            np.round((np.array(scene.start[:2]) - self.origin) / CELL_M).astype(int), 0, count - 1
        )
        label = labels[tuple(start)]
        self._start = tuple(start)
        self.free: Mask = (labels == label) & standing if label else np.zeros_like(standing)

    def reaches(self, item: Item) -> bool:
        """Whether the robot can get near an item."""
        return bool((self._inside(item.corners(), STAND_M) & self.free).any())

    def comes_within(
        self, point: Point2, reach_m: float, kept_off: Iterable[Item] = (), off_m: float = 0.0
    ) -> bool:
        """Whether the robot can get so near to a point, never nearer than `off_m` to some items."""
        free = self.free.copy()
        for item in kept_off:
            free &= ~self._inside(item.corners(), off_m)
        labels, _ = ndimage.label(free)
        label = labels[self._start]
        near = np.linalg.norm(self._cells - np.asarray(point), axis=-1) < reach_m
        return bool(label) and bool((near & (labels == label)).any())

    def _blocked(self, scene: FlatScene) -> Mask:
        blocked = np.zeros(self._cells.shape[:2], bool)
        for item in scene.items:
            if item.position[2] < _OVERHEAD_M and not item.movable:
                blocked |= self._inside(item.corners(), 0.0)
        for wall in wall_pieces(scene):
            blocked |= self._near_segment(wall.start, wall.end, WALL_THICKNESS_M / 2)
        for door in scene.doors:
            leaf = door.leaf(door.opening)
            end = leaf.transform(np.array([[door.width, 0.0, 0.0]]))[0]
            blocked |= self._near_segment(leaf.position[:2], (end[0], end[1]), 0.03)
        return blocked

    def _inside(self, corners: Array, margin: float) -> Mask:
        """Cells within a margin of a rectangle (4, 2)."""
        centre = corners.mean(axis=0)
        ahead, left = (corners[0] - corners[1]) / 2, (corners[0] - corners[3]) / 2
        offset = self._cells - centre
        beyond = [
            np.maximum(np.abs(offset @ axis) / np.linalg.norm(axis) - np.linalg.norm(axis), 0.0)
            for axis in (ahead, left)
        ]
        return np.asarray(np.hypot(*beyond) <= margin)

    def _near_segment(
        self, start: tuple[float, float], end: tuple[float, float], margin: float
    ) -> Mask:
        a, way = np.array(start), np.array(end) - np.array(start)
        share = np.clip((self._cells - a) @ way / max(float(way @ way), 1e-12), 0.0, 1.0)
        nearest = a + share[..., None] * way
        return np.asarray(np.linalg.norm(self._cells - nearest, axis=-1) <= margin)


def overlap(a: Array, b: Array) -> bool:
    """Whether two rectangles (4, 2), corners in order, overlap (separating axes)."""
    for corners in (a, b):
        for axis in (corners[0] - corners[1], corners[0] - corners[3]):
            p, q = a @ axis, b @ axis
            if p.max() <= q.min() or q.max() <= p.min():
                return False
    return True
