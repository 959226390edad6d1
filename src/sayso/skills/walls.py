"""Walls as the arm must know them: things that nobody names and that are very high."""

from __future__ import annotations

from dataclasses import replace

from sayso.core.geometry import Array
from sayso.core.scene import Scene, SceneObject
from sayso.skills.boxes import upright_box
from sayso.skills.stands import Ways

_AROUND_M, _HEIGHT_M = 1.8, 2.5
_ITS_PLACE_M = 0.05


def with_walls(scene: Scene, ways: Ways, points: Array) -> Scene:
    """A scene of the map with what stands around some places (N, 2) and is no known thing.

    At the places themselves there may be furniture that nobody asked for: what a thing stands
    on, or will.
    """
    x, y = (float(v) for v in points.mean(axis=0))
    found: list[SceneObject] = []
    for low_x, low_y, high_x, high_y in ways.walls((x, y), _AROUND_M):
        middle = ((low_x + high_x) / 2, (low_y + high_y) / 2, _HEIGHT_M / 2)
        size = (high_x - low_x, high_y - low_y, _HEIGHT_M)
        wall = SceneObject(f"wall {len(found) + 1}", "wall", "", middle, size)
        if upright_box(wall).gaps(points).min() > _ITS_PLACE_M:
            found.append(wall)
    return replace(scene, objects=(*scene.objects, *found))
