"""What the simulator knows of the flat: for tests and scoring only."""

from __future__ import annotations

from collections.abc import Iterable

import mujoco
import numpy as np

from sayso.core.geometry import Pose
from sayso.core.scene import SceneObject
from sayso.worlds.flat.kinds import kind
from sayso.worlds.flat.moving import MovingDoor, MovingWalker
from sayso.worlds.flat.scene import DOOR_HEIGHT_M, FlatScene, Item
from sayso.worlds.truth import body_pose


def objects(
    data: mujoco.MjData,
    items: Iterable[Item],
    doors: Iterable[MovingDoor],
    walkers: Iterable[MovingWalker],
    on: frozenset[str] = frozenset(),
) -> tuple[SceneObject, ...]:
    """True objects: items, then doors (the leaf), then walkers; `on` names the lamps that are."""
    now = float(data.time)
    return (
        *(_item(data, i, now, i.name in on) for i in items),
        *(_door(d, now) for d in doors),
        *(_walker(w, now) for w in walkers),
    )


def instance_ids(scene: FlatScene) -> dict[str, int]:
    """The id of each named thing in segmentation images; 0 is everything else."""
    return {name: i + 1 for i, name in enumerate(scene.names())}


def instance_labels(scene: FlatScene) -> dict[int, str]:
    """What each segmentation id is, as "colour category"."""
    labels = {i.name: f"{i.color} {i.category}" for i in scene.items}
    labels |= {d.name: f"{d.color} {d.category}" for d in scene.doors}
    labels |= {w.name: f"{w.color} {w.kind}" for w in scene.walkers}
    return {i: labels[name] for name, i in instance_ids(scene).items()}


def _item(data: mujoco.MjData, item: Item, now: float, on: bool) -> SceneObject:
    pose = body_pose(data, item.name)
    return SceneObject(
        item.name, item.category, item.color, pose.position, item.size, pose.orientation,
        last_seen_s=now, attributes={s: on} if (s := kind(item.kind).switched) else {},
    )  # fmt: skip


def _door(moving: MovingDoor, now: float) -> SceneObject:
    door = moving.door
    leaf = door.leaf(moving.opening) @ Pose((door.width / 2, 0.0, DOOR_HEIGHT_M / 2))
    return SceneObject(
        door.name, door.category, door.color, leaf.position, (door.width, 0.04, DOOR_HEIGHT_M),
        leaf.orientation, last_seen_s=now, attributes={"open_share": moving.opening},
    )  # fmt: skip


def _walker(moving: MovingWalker, now: float) -> SceneObject:
    walker = moving.walker
    size = kind(walker.kind).size
    x, y, _ = moving.pose.position
    return SceneObject(
        walker.name, walker.kind, walker.color, (x, y, size[2] / 2), size,
        moving.pose.orientation, last_seen_s=now, living=True,
    )  # fmt: skip


def footprint_distance(place: tuple[float, float], thing: SceneObject) -> float:
    """Horizontal distance [m] from a point of the floor to the edge of a thing's footprint."""
    matrix = thing.pose.matrix()
    # The box seen from above is the hull of its corners; for upright things its own rectangle.
    local = matrix[:3, :3].T @ (np.array([*place, thing.position[2]]) - matrix[:3, 3])
    beyond = np.maximum(np.abs(local) - np.asarray(thing.size) / 2, 0.0)
    return float(np.linalg.norm(beyond[:2]))
