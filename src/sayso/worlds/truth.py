"""What the simulator knows of its objects: for tests and scoring only."""

from __future__ import annotations

import math
from collections.abc import Iterable

import mujoco

from sayso.core.geometry import Pose
from sayso.core.scene import SceneObject
from sayso.worlds import things


def objects(data: mujoco.MjData, present: Iterable[things.Thing]) -> tuple[SceneObject, ...]:
    """True objects; a mug's box is its body's, without the handle."""
    return tuple(_thing(data, t) for t in present)


def cabinet(data: mujoco.MjData) -> tuple[SceneObject, ...]:
    """The table's cabinet, and its drawer."""
    return (_cabinet(data), _drawer(data))


def body_pose(data: mujoco.MjData, name: str) -> Pose:
    """Pose of a body's frame in the world."""
    body = data.body(name)
    x, y, z = (float(v) for v in body.xpos)
    qw, qx, qy, qz = (math.copysign(1.0, body.xquat[0]) * float(v) for v in body.xquat)
    return Pose((x, y, z), (qx, qy, qz, qw))


def _thing(data: mujoco.MjData, thing: things.Thing) -> SceneObject:
    pose = body_pose(data, thing.name)
    return SceneObject(
        thing.name,
        thing.category,
        thing.color,
        pose.position,
        thing.size,
        pose.orientation,
        last_seen_s=float(data.time),
    )


def _cabinet(data: mujoco.MjData) -> SceneObject:
    x, y, z = body_pose(data, "cabinet").position
    c = things.CABINET
    return SceneObject(
        "cabinet",
        "cabinet",
        things.CABINET_COLOR,
        (x + c.depth / 2, y, z + c.roof_top / 2),
        (c.depth, c.width, c.roof_top),
        last_seen_s=float(data.time),
    )


def _drawer(data: mujoco.MjData) -> SceneObject:
    """From the panel's outer face to the cabinet's front plane."""
    x, y, z = body_pose(data, "cabinet").position
    c = things.CABINET
    opening = max(0.0, float(data.joint("drawer").qpos[0]))
    length = opening + c.panel_thickness
    return SceneObject(
        "drawer",
        "drawer",
        things.DRAWER_COLOR,
        (x - length / 2, y, z + c.handle_height),
        (length, c.panel_width, c.panel_top - c.panel_bottom),
        last_seen_s=float(data.time),
        attributes={"opening_m": opening},
    )
