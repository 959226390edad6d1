"""Depth pictures of a room of boxes, by intersecting each pixel's ray with each box."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sayso.core.geometry import Array, Pose, quaternion_from_matrix
from sayso.core.ports import Intrinsics, RgbdFrame
from sayso.perception.camera import rays

INTRINSICS = Intrinsics(80, 60, 50.0, 50.0, 39.5, 29.5)
Box = tuple[tuple[float, float, float], tuple[float, float, float]]
"""Smallest and largest corner."""


def looking(x: float, y: float, yaw: float, height: float = 0.8, down: float = 0.3) -> Pose:
    """A camera's optical frame at a height, turned by yaw and tilted down [rad]."""
    forward = np.array([np.cos(yaw) * np.cos(down), np.sin(yaw) * np.cos(down), -np.sin(down)])
    right = np.array([np.sin(yaw), -np.cos(yaw), 0.0])
    matrix = np.stack([right, np.cross(forward, right), forward], axis=1)
    return Pose((x, y, height), quaternion_from_matrix(matrix))


def frame(
    pose: Pose, boxes: Sequence[Box], room: Box, intrinsics: Intrinsics = INTRINSICS
) -> RgbdFrame:
    """What the camera sees of boxes inside a room."""
    directions = (rays(intrinsics).reshape(-1, 3) @ pose.matrix()[:3, :3].T).astype(float)
    eye = np.asarray(pose.position)
    depth = _slabs(eye, directions, room)[1]
    for box in boxes:
        enter, leave = _slabs(eye, directions, box)
        hit = (enter < leave) & (enter > 0)
        depth = np.where(hit, np.minimum(depth, enter), depth)
    shape = (intrinsics.height, intrinsics.width)
    rgb = np.full((*shape, 3), 90, np.uint8)
    depth_m = depth.reshape(shape).astype(np.float32)
    return RgbdFrame("tour", 0.0, rgb, depth_m, intrinsics, pose)


def _slabs(eye: Array, directions: Array, box: Box) -> tuple[Array, Array]:
    safe = np.where(np.abs(directions) < 1e-12, 1e-12, directions)
    a, b = (np.asarray(corner) - eye for corner in box)
    t = np.stack([a / safe, b / safe])
    return t.min(axis=0).max(axis=1), t.max(axis=0).min(axis=1)
