"""What the simulator knows of the flat: for tests and scoring only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType

import mujoco

from sayso.core.geometry import Pose
from sayso.core.scene import AttributeValue, SceneObject
from sayso.worlds.flat.furniture import LID_SLATS
from sayso.worlds.flat.kinds import kind
from sayso.worlds.flat.model import slat_of
from sayso.worlds.flat.moving import MovingDoor, MovingWalker
from sayso.worlds.flat.scene import DOOR_HEIGHT_M, FlatScene, Item
from sayso.worlds.truth import body_pose

LID = "lid_share"
"""The attribute of an item with a lid: how far that is open, 0 to 1."""


def objects(
    data: mujoco.MjData,
    items: Iterable[Item],
    doors: Iterable[MovingDoor],
    walkers: Iterable[MovingWalker],
    on: frozenset[str] = frozenset(),
    lids: Mapping[str, float] = MappingProxyType({}),
) -> tuple[SceneObject, ...]:
    """True objects: items, then doors (the leaf), then walkers.

    Args:
        on: names of the lamps that are.
        lids: how far each item's lid is open, 0 to 1.
    """
    now = float(data.time)
    return (
        *(_item(data, i, now, _state(i, on, lids)) for i in items),
        *(_door(d, now) for d in doors),
        *(_walker(w, now) for w in walkers),
    )


def instance_ids(scene: FlatScene) -> dict[str, int]:
    """The id of each body in segmentation images: a lid is of its item; 0 is everything else."""
    ids = {name: i + 1 for i, name in enumerate(scene.names())}
    lids = (i.name for i in scene.items if kind(i.kind).lidded)
    slats = {slat_of(name, n): ids[name] for name in lids for n in range(LID_SLATS)}
    return ids | slats


def instance_labels(scene: FlatScene) -> dict[int, str]:
    """What each segmentation id is, as "colour category"."""
    labels = {i.name: f"{i.color} {i.category}" for i in scene.items}
    labels |= {d.name: f"{d.color} {d.category}" for d in scene.doors}
    labels |= {w.name: f"{w.color} {w.kind}" for w in scene.walkers}
    ids = instance_ids(scene)
    return {ids[name]: label for name, label in labels.items()}


def _state(item: Item, on: frozenset[str], lids: Mapping[str, float]) -> dict[str, AttributeValue]:
    """What the building tells of an item."""
    switched = kind(item.kind).switched
    told: dict[str, AttributeValue] = {switched: item.name in on} if switched else {}
    return told | ({LID: lids[item.name]} if item.name in lids else {})


def _item(
    data: mujoco.MjData, item: Item, now: float, attributes: Mapping[str, AttributeValue]
) -> SceneObject:
    pose = body_pose(data, item.name)
    return SceneObject(
        item.name, item.category, item.color, pose.position, item.size, pose.orientation,
        last_seen_s=now, attributes=attributes,
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
