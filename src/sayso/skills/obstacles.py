"""What the arm must keep off, from an observed scene."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sayso.core.geometry import Pose, Vector3
from sayso.core.ports import Obstacle
from sayso.core.scene import Scene, SceneObject
from sayso.skills.settings import SkillSettings

ROUND = frozenset({"plate", "mug", "bowl"})
"""Categories that an upright cylinder describes better than a box."""

_HANDLED = frozenset({"mug", "cup"})
"""Words for what has a handle on one side, which cameras may not show."""
_HANDLE_M = 0.035
_BODY_M = 0.08
"""How far such a handle stands out, and how wide such a thing is without."""

_TABLE_SIZE: Vector3 = (1.4, 2.0, 0.10)
_BOARD_M = 0.02
_HANDLE_SIZE: Vector3 = (0.055, 0.14, 0.03)


def obstacles(
    scene: Scene,
    settings: SkillSettings,
    *,
    avoid: frozenset[str] = frozenset(),
    avoid_margin_m: float = 0.05,
    exempt: frozenset[str] = frozenset(),
) -> tuple[Obstacle, ...]:
    """The table and every object but the exempt ones, with the clearance each is due.

    What must be avoided is never exempt, and as large as its kind has it where a part of it may
    be hidden: a mug whose box shows no handle may have that on any side.
    """
    found = [_table(scene, settings)]
    for obj in scene.objects:
        if obj.name in exempt - avoid:
            continue
        margin = avoid_margin_m + _hidden_m(obj) if obj.name in avoid else settings.margin_m
        found.extend(_shapes(obj, margin))
    return tuple(found)


def held_obstacle(name: str, offset: Pose, size: Vector3) -> Obstacle:
    """What the hand holds, at its pose in the tool frame."""
    return Obstacle(name, "box", offset, size)


def _table(scene: Scene, settings: SkillSettings) -> Obstacle:
    centre = (0.5, 0.0, scene.table_height_m - _TABLE_SIZE[2] / 2)
    return Obstacle("the table", "box", Pose(centre), _TABLE_SIZE, settings.table_margin_m)


def _hidden_m(obj: SceneObject) -> float:
    """How far beyond its box a thing may reach with what was not seen of it."""
    if _HANDLED.isdisjoint(obj.category.replace("_", " ").split()):
        return 0.0
    x, y, _ = obj.size
    # Half a body is oblong, too: a handle was seen where the box is also wider than a body is.
    seen = min(abs(x - y), max(x, y) - _BODY_M)
    return min(_HANDLE_M, max(0.0, _HANDLE_M - seen))


def _shapes(obj: SceneObject, margin_m: float) -> Iterator[Obstacle]:
    if obj.category == "drawer":
        yield from _drawer(obj, margin_m)
    elif obj.category in ROUND:
        across = max(obj.size[0], obj.size[1])
        size = (across, across, obj.size[2])
        yield Obstacle(obj.name, "cylinder", Pose(obj.position), size, margin_m)
    else:
        yield Obstacle(obj.name, "box", obj.pose, obj.size, margin_m)


def _drawer(obj: SceneObject, margin_m: float) -> Iterator[Obstacle]:
    """Its handle and front, and when it is open its sides and floor, but not the space inside."""
    depth, width, height = obj.size
    front = -depth / 2
    reach = _HANDLE_SIZE[0]
    parts = [((front - reach / 2, 0.0, 0.0), _HANDLE_SIZE)]
    board = min(_BOARD_M, max(depth, 0.005))
    parts.append(((front + board / 2, 0.0, 0.0), (board, width, height)))
    if depth > 2 * _BOARD_M:
        for side in (-1, 1):
            y = side * (width - _BOARD_M) / 2
            parts.append(((0.0, y, -0.01), (depth, _BOARD_M, height - 0.02)))
        floor = 0.01
        parts.append(((0.0, 0.0, (floor - height) / 2), (depth, width, floor)))
    for position, size in parts:
        x, y, z = (float(v) for v in obj.pose.transform(np.array([position]))[0])
        yield Obstacle(obj.name, "box", Pose((x, y, z), obj.orientation), size, margin_m)
