"""Where a held thing can be put down: poses of the thing, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, Vector3
from sayso.core.scene import Scene, SceneObject
from sayso.skills.poses import upright, yaw_of
from sayso.skills.settings import SkillSettings

_EIGHTHS = tuple(float(a) for a in np.pi / 4 * np.arange(8))
_QUARTERS = tuple(float(a) for a in np.pi / 2 * np.arange(4))
_TABLE_X = np.arange(0.32, 0.63, 0.04)
_TABLE_Y = np.arange(-0.36, 0.37, 0.04)
_REACH_M = (0.32, 0.66)
_HAND_ROOM_M = 0.06
_DRAWER_ROOM_M = 0.24
_GOOD_SPOTS = 6


def on_top(
    size: Vector3, yaw: float, support: SceneObject, scene: Scene, settings: SkillSettings
) -> tuple[Pose, ...]:
    """On a block squarely over its centre; on a wider thing in its middle, or beside what is
    on it already. `yaw` is how the thing is turned now.

    Raises:
        SaySoError: UNREACHABLE if there is no room left.
    """
    height = support.position[2] + support.size[2] / 2 + size[2] / 2 + settings.release_gap_m
    if support.category == "block":
        turns = tuple(yaw_of(support.pose) + a for a in _QUARTERS)
        return _poses([support.position[:2]], height, turns)
    spots = [s for s in _ring(support, size) if _free(s, size, _loads(support, scene))]
    if not spots:
        raise SaySoError(Code.UNREACHABLE, f"there is no free room on {support.name}.")
    return _poses(spots[:3], height, tuple(yaw + a for a in _EIGHTHS))


def inside(
    size: Vector3, yaw: float, container: SceneObject, settings: SkillSettings
) -> tuple[Pose, ...]:
    """Over the middle of a container, low enough to drop in and high enough to let go."""
    if container.opening_m is not None:
        return _inside_drawer(size, container)
    rim = container.position[2] + container.size[2] / 2
    height = rim + size[2] / 2 - 0.01
    return _poses([container.position[:2]], height, tuple(yaw + a for a in _EIGHTHS))


def on_table(
    size: Vector3, yaw: float, scene: Scene, near: Array, settings: SkillSettings
) -> tuple[Pose, ...]:
    """At free spots of the table with room for the hand, the nearest to `near` first.

    Raises:
        SaySoError: UNREACHABLE if the table is full.
    """
    spots = [
        np.array([x, y])
        for x in _TABLE_X
        for y in _TABLE_Y
        if _REACH_M[0] < np.hypot(x, y) < _REACH_M[1]
        and all(_gap((x, y), o) > max(size[:2]) / 2 + _HAND_ROOM_M for o in scene.objects)
        and not any(_before_drawer((x, y), o) for o in scene.objects)
    ]
    if not spots:
        raise SaySoError(
            Code.UNREACHABLE, "there is no free place on the table.", hint="clear some room."
        )
    spots.sort(key=lambda s: float(np.linalg.norm(s - near)))
    height = scene.table_height_m + size[2] / 2 + settings.release_gap_m
    return _poses(spots[:_GOOD_SPOTS], height, tuple(yaw + a for a in _EIGHTHS))


def _poses(
    spots: Sequence[Array | Sequence[float]], height: float, turns: Sequence[float]
) -> tuple[Pose, ...]:
    return tuple(
        upright((float(x), float(y), float(height)), turn) for x, y in spots for turn in turns
    )


def _ring(support: SceneObject, size: Vector3) -> Iterator[Array]:
    """The middle of a support, then places around it that the thing does not overhang."""
    centre = np.asarray(support.position)[:2]
    yield centre
    room = min(support.size[:2]) / 2 - float(np.hypot(*size[:2])) / 2
    if room > 0.01:
        for angle in _EIGHTHS:
            yield centre + room * np.array([np.cos(angle), np.sin(angle)])


def _loads(support: SceneObject, scene: Scene) -> list[SceneObject]:
    """What stands over a support, except what the hand carries."""
    top = support.position[2] + support.size[2] / 2
    reach = max(support.size[:2]) / 2
    return [
        o
        for o in scene.objects
        if o.name != support.name
        and not o.carried
        and abs(o.position[2] - o.size[2] / 2 - top) < 0.02
        and np.hypot(o.position[0] - support.position[0], o.position[1] - support.position[1])
        < reach
    ]


def _free(spot: Array, size: Vector3, loads: Sequence[SceneObject]) -> bool:
    own = float(np.hypot(*size[:2])) / 2
    return all(_gap((spot[0], spot[1]), load) > own for load in loads)


def _gap(spot: tuple[float, float], obj: SceneObject) -> float:
    """Horizontal distance from a point to an object's box."""
    at = np.array([[spot[0], spot[1], obj.position[2]]])
    local = obj.pose.inverse().transform(at)[0]
    outside = np.maximum(np.abs(local[:2]) - np.asarray(obj.size[:2]) / 2, 0.0)
    return float(np.linalg.norm(outside))


def _before_drawer(spot: tuple[float, float], obj: SceneObject) -> bool:
    """Whether a spot is where a drawer, its handle and the hand on it come when it opens."""
    if obj.opening_m is None:
        return False
    at = np.array([[spot[0], spot[1], obj.position[2]]])
    local = obj.pose.inverse().transform(at)[0]
    face = -obj.size[0] / 2
    return bool(face - _DRAWER_ROOM_M < local[0] < face and abs(local[1]) < obj.size[1] / 2 + 0.03)


def _inside_drawer(size: Vector3, drawer: SceneObject) -> tuple[Pose, ...]:
    """Along the drawer's middle line and beside it, with the hand's long side along the front."""
    depth, width, height = drawer.size
    floor = -height / 2 + 0.02 + size[2] / 2
    local = np.array([[0.004, y, floor] for y in (0.0, width / 5, -width / 5)])
    places = drawer.pose.transform(local)
    turns = tuple(yaw_of(drawer.pose) + a for a in _QUARTERS)
    return tuple(p for place in places for p in _poses([place[:2]], float(place[2]), turns))
