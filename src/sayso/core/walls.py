"""Whether a wall stands between the robot and a thing, by a scene and the map of the floor."""

from __future__ import annotations

import numpy as np

from sayso.core.geometry import Array, Vector3
from sayso.core.occupied import KNOWN_M, Mask, Occupied, cut_off
from sayso.core.scene import Scene, SceneObject

_Window = tuple[slice, slice]


def walled_off(scene: Scene, thing: SceneObject, place: Vector3, reach_m: float) -> bool | None:
    """Whether only ways through a wall lead from a place to a thing, within so much of it.

    A wall is what the map shows and no thing of the scene explains. Where the way leads round the
    edge of an open door, or of furniture, within reach, no wall is in between.

    Returns:
        None where there is no map, or the place is outside of it.
    """
    occupied = scene.occupied
    here = None if occupied is None else occupied.cell_at(*place[:2])
    if occupied is None or here is None:
        return None
    reach_m += occupied.resolution_m  # the middle of the place's cell may be farther off
    rows, columns = window = _around(thing, occupied, reach_m)
    if not (rows.start <= here[0] < rows.stop and columns.start <= here[1] < columns.stop):
        return False
    walls = _walls(scene, occupied, window)
    off = cut_off(walls, _distances(thing, occupied, window), reach_m, occupied.resolution_m)
    return bool(off[here[0] - rows.start, here[1] - columns.start])


def _walls(scene: Scene, occupied: Occupied, window: _Window) -> Mask:
    """(rows, columns) of a window of the map, what stands there and is no known thing."""
    walls = occupied.cells[window].copy()
    for thing in scene.objects:
        own = _around(thing, occupied, KNOWN_M)
        common = tuple(_common(a, b) for a, b in zip(window, own, strict=True))
        if all(c.start < c.stop for c in common):
            rows, columns = common
            inside = tuple(
                slice(c.start - w.start, c.stop - w.start)
                for c, w in zip(common, window, strict=True)
            )
            walls[inside] &= _distances(thing, occupied, (rows, columns)) > KNOWN_M
    return walls


def _around(thing: SceneObject, occupied: Occupied, by_m: float) -> _Window:
    corners = thing.corners()[:, :2]
    return occupied.window(corners.min(axis=0) - by_m, corners.max(axis=0) + by_m)


def _common(one: slice, other: slice) -> slice:
    return slice(max(one.start, other.start), min(one.stop, other.stop))


def _distances(thing: SceneObject, occupied: Occupied, window: _Window) -> Array:
    """(rows, columns) of a window's cells from a thing's outline, seen from above [m]."""
    x, y = occupied.centres(*window)
    points = np.empty((len(y), len(x), 3))
    points[..., 0], points[..., 1], points[..., 2] = x, y[:, None], thing.position[2]
    return thing.distances_to(points)
