"""Where a held thing can be put down: poses of the thing, best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, Vector3
from sayso.core.places import RelationThresholds
from sayso.core.scene import Scene, SceneObject
from sayso.skills.poses import upright, yaw_of
from sayso.skills.settings import SkillSettings

_EIGHTHS = tuple(float(a) for a in np.pi / 4 * np.arange(8))
_QUARTERS = tuple(float(a) for a in np.pi / 2 * np.arange(4))
_TABLE_X = np.arange(0.28, 0.65, 0.02)
_TABLE_Y = np.arange(-0.52, 0.53, 0.02)
_NEAR_M, _FAR_M = 0.32, 0.66
_HAND_ROOM_M = (0.06, 0.04, 0.02)
_SPOT_SPACING_M = 0.05
_DRAWER_ROOM_M = 0.24
_GOOD_SPOTS = 6
_SPREAD_WIDTHS, _ASIDE = 3.0, 0.2
"""In what is so many times as wide, a thing comes beside the middle by so much of that width."""
_LEAST_ASIDE_M = 0.015
"""What can go no farther aside goes over the middle."""
_WALL_M = 0.02
"""So far inside a container's edge its floor begins, with room for a finger."""
_ASIDE_SHARE = 0.8
"""So much more to a side than along it a thing is put; by what is seen, 1 would do."""


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
    size: Vector3, yaw: float, container: SceneObject, scene: Scene, settings: SkillSettings
) -> tuple[Pose, ...]:
    """Over a container, low enough to drop in and high enough to let go: over its middle, or beside
    it where others will find room, too; then as far as can be from what is in it already."""
    if "opening_m" in container.attributes:
        return _inside_drawer(size, container)
    rim = container.position[2] + container.size[2] / 2
    turns = tuple(yaw + a for a in _EIGHTHS)
    found: list[Pose] = []
    contents = _contents(container, scene)
    for spot in _spread(size, container, contents):
        below = [o for o in contents if _gaps(spot[None], o)[0] < max(size[:2]) / 2]
        tops = [o.position[2] + o.size[2] / 2 + settings.release_gap_m for o in below]
        found.extend(_poses([spot], max((rim - 0.01, *tops)) + size[2] / 2, turns))
    return tuple(found)


def on_table(
    size: Vector3, yaw: float, scene: Scene, near: Array, settings: SkillSettings
) -> tuple[Pose, ...]:
    """At free spots of the table with room for the hand, the nearest to `near` first.

    Raises:
        SaySoError: UNREACHABLE if the table is full.
    """
    spots = _table_spots(scene, max(size[:2]) / 2)
    if not len(spots):
        raise SaySoError(
            Code.UNREACHABLE, "there is no free place on the table.", hint="clear some room."
        )
    spots = spots[np.argsort(np.linalg.norm(spots - near, axis=1))]
    height = scene.table_height_m + size[2] / 2 + settings.release_gap_m
    return _poses(_apart(spots), height, tuple(yaw + a for a in _EIGHTHS))


@dataclass(frozen=True)
class Side:
    """Of a thing on the table, as the robot sees it.

    Attributes:
        words: that follow what is put there: "left of".
        toward: (x, y) of length 1 in the scene's frame; None for any side, close to the thing.
    """

    words: str
    toward: tuple[float, float] | None


SIDES = {
    "place_left_of": Side("left of", (0.0, 1.0)),
    "place_right_of": Side("right of", (0.0, -1.0)),
    "place_in_front_of": Side("in front of", (-1.0, 0.0)),
    "place_behind": Side("behind", (1.0, 0.0)),
    "place_next_to": Side("next to", None),
}
"""By the skills that put things there."""


def beside(
    size: Vector3,
    yaw: float,
    other: SceneObject,
    side: Side,
    scene: Scene,
    settings: SkillSettings,
) -> tuple[Pose, ...]:
    """At free spots of the table on one side of a thing, the nearest and straightest first.

    Raises:
        SaySoError: UNREACHABLE if there is no room.
    """
    spots = _table_spots(scene, max(size[:2]) / 2)
    apart = spots - np.asarray(other.position)[:2]
    if side.toward is None:
        far = np.linalg.norm(apart, axis=1)
        chosen = far - (min(size[:2]) + min(other.size[:2])) / 2 <= RelationThresholds.next_to_m
    else:
        x, y = side.toward
        along, across = apart @ (x, y), np.abs(apart @ (-y, x))
        chosen, far = (along > 0) & (across < _ASIDE_SHARE * along), along + across
    if not chosen.any():
        raise SaySoError(
            Code.UNREACHABLE, f"there is no free place on the table {side.words} {other.name}.",
            hint="clear some room there, or move it.",
        )  # fmt: skip
    spots = spots[chosen][np.argsort(far[chosen])]
    height = scene.table_height_m + size[2] / 2 + settings.release_gap_m
    return _poses(_apart(spots), height, tuple(yaw + a for a in _EIGHTHS))


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


def _contents(container: SceneObject, scene: Scene) -> list[SceneObject]:
    """What is over the inside of a container, except what the hand carries."""
    others = [o for o in scene.objects if o.name != container.name and not o.carried]
    floor = container.position[2] - container.size[2] / 2
    return [
        o
        for o in others
        if o.position[2] > floor and _gaps(np.array([o.position[:2]]), container)[0] == 0.0
    ]


def _spread(
    size: Vector3, container: SceneObject, contents: Sequence[SceneObject]
) -> Sequence[Array]:
    """Places in a container, best first: free ones, else those farthest from what is in it.

    In a wide one beside its middle, where others will find room, too; so in any other of which
    something is in the middle: what is put on top of that may end above the rim, and fall.
    """
    middle, width = np.asarray(container.position[:2]), min(container.size[:2])
    first = [middle]
    aside_m = min(_ASIDE * width, (width - max(size[:2])) / 2)
    crowd = aside_m > _LEAST_ASIDE_M and not _free(middle, size, contents)
    if width >= _SPREAD_WIDTHS * max(size[:2]) or crowd:
        first = [middle + aside_m * np.array([np.cos(a), np.sin(a)]) for a in _EIGHTHS]

    def crowded(spot: Array) -> tuple[float, float]:
        """What is near counts most, and what is farther as well."""
        apart = (float(np.hypot(*(spot - o.position[:2]))) for o in contents)
        return sum(1 / max(a, 1e-3) for a in apart), float(np.hypot(*spot))

    first.sort(key=crowded)
    free = [s for s in (*first, *_floor(container, size)) if _free(s, size, contents)]
    return (free or first)[:3]


def _floor(container: SceneObject, size: Vector3) -> Iterator[Array]:
    """The middle of a container's floor, then places towards its sides, then its corners."""
    room = np.asarray(container.size[:2]) / 2 - _WALL_M - float(np.hypot(*size[:2])) / 2
    signs = [np.array(s) for s in product((0, 1, -1), repeat=2)]
    for sign in sorted(signs, key=lambda s: float(np.abs(s).sum())):
        if (room[sign != 0] > 0.01).all():
            local = np.array([[*(sign * np.maximum(room, 0.0)), 0.0]])
            yield container.pose.transform(local)[0, :2]


def _free(spot: Array, size: Vector3, loads: Sequence[SceneObject]) -> bool:
    own = float(np.hypot(*size[:2])) / 2
    return all(_gaps(spot[None], load)[0] > own for load in loads)


def _table_spots(scene: Scene, radius: float) -> Array:
    """(N, 2) places of a grid with room for a thing and, as far as there is, for the hand."""
    x, y = (v.ravel() for v in np.meshgrid(_TABLE_X, _TABLE_Y))
    grid = np.column_stack([x, y])[(np.hypot(x, y) > _NEAR_M) & (np.hypot(x, y) < _FAR_M)]
    free = np.full(len(grid), np.inf)
    for obj in scene.objects:
        free = np.minimum(free, _gaps(grid, obj) - radius)
        free[_before_drawer(grid, obj)] = 0.0
    for room in _HAND_ROOM_M:
        if np.any(free > room):
            return np.asarray(grid[free > room])
    return np.zeros((0, 2))


def _apart(spots: Array) -> list[Array]:
    """The first few of the spots that are not next to one that was chosen."""
    chosen: list[Array] = []
    for spot in spots:
        if all(np.linalg.norm(spot - c) > _SPOT_SPACING_M for c in chosen):
            chosen.append(spot)
        if len(chosen) == _GOOD_SPOTS:
            break
    return chosen


def _local(spots: Array, obj: SceneObject) -> Array:
    """(N, 2) horizontal places along an object's own axes."""
    points = np.column_stack([spots, np.full(len(spots), obj.position[2])])
    return obj.pose.inverse().transform(points)[:, :2]


def _gaps(spots: Array, obj: SceneObject) -> Array:
    """(N,) horizontal distances from places (N, 2) to an object's box."""
    outside = np.maximum(np.abs(_local(spots, obj)) - np.asarray(obj.size[:2]) / 2, 0.0)
    return np.asarray(np.linalg.norm(outside, axis=1))


def _before_drawer(spots: Array, obj: SceneObject) -> npt.NDArray[np.bool_]:
    """(N,) whether a place is where a drawer, its handle and the hand come when it opens."""
    if "opening_m" not in obj.attributes:
        return np.zeros(len(spots), dtype=bool)
    along, across = _local(spots, obj).T
    face = -obj.size[0] / 2
    swept = (face - _DRAWER_ROOM_M < along) & (along < face)
    return np.asarray(swept & (np.abs(across) < obj.size[1] / 2 + 0.03))


def _inside_drawer(size: Vector3, drawer: SceneObject) -> tuple[Pose, ...]:
    """Along the drawer's middle line and beside it, with the hand's long side along the front."""
    _, width, height = drawer.size
    floor = -height / 2 + 0.02 + size[2] / 2
    local = np.array([[0.004, y, floor] for y in (0.0, width / 5, -width / 5)])
    places = drawer.pose.transform(local)
    turns = tuple(yaw_of(drawer.pose) + a for a in _QUARTERS)
    return tuple(p for place in places for p in _poses([place[:2]], float(place[2]), turns))
