"""Pinhole geometry: pixels and depth to points, and back.

Optical frame (REP 103): z forward, x right, y down. A pixel's coordinates are those of its
centre, so that pixel (0, 0) is the middle of the top-left one.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array, Pose
from sayso.core.ports import Intrinsics, RgbdFrame

Floats = npt.NDArray[np.float32]
Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Cloud:
    """A frame's points on a grid of every `stride`-th pixel.

    Attributes:
        points: (h, w, 3) in the scene's frame; undefined where not `valid`.
        valid: (h, w) where the camera measured a depth.
        depth_m: (h, w) along the optical axis; 0 where not `valid`.
        rgb: (h, w, 3) uint8.
    """

    points: Floats
    valid: Mask
    depth_m: Floats
    rgb: npt.NDArray[np.uint8]


@lru_cache(maxsize=16)
def rays(intrinsics: Intrinsics, stride: int = 1) -> Floats:
    """(h, w, 3) directions of the pixels' rays in the optical frame, scaled to z = 1."""
    u = (np.arange(0, intrinsics.width, stride) - intrinsics.cx) / intrinsics.fx
    v = (np.arange(0, intrinsics.height, stride) - intrinsics.cy) / intrinsics.fy
    grid = np.ones((len(v), len(u), 3), np.float32)
    grid[..., 0] = u
    grid[..., 1] = v[:, None]
    grid.flags.writeable = False
    return grid


def project(points: Array, intrinsics: Intrinsics) -> Array:
    """(N, 2) pixel coordinates (u, v) of (N, 3) points in the optical frame with z > 0."""
    z = points[:, 2]
    u = points[:, 0] / z * intrinsics.fx + intrinsics.cx
    v = points[:, 1] / z * intrinsics.fy + intrinsics.cy
    return np.stack([u, v], axis=1)


def cloud(frame: RgbdFrame, stride: int = 1) -> Cloud:
    """The frame's points in the scene's frame."""
    depth = np.nan_to_num(frame.depth_m[::stride, ::stride], nan=0.0, posinf=0.0, neginf=0.0)
    matrix = frame.pose.matrix().astype(np.float32)
    directions = rays(frame.intrinsics, stride) @ matrix[:3, :3].T
    points = directions * depth[..., None] + matrix[:3, 3]
    return Cloud(points, depth > 0, depth, frame.rgb[::stride, ::stride])


def see(points: Array, pose: Pose, intrinsics: Intrinsics) -> tuple[Array, Array, Mask]:
    """How a camera at `pose` sees (N, 3) points of the scene's frame.

    Returns:
        pixels (N, 2) as (u, v), depths (N,) in metres, and (N,) whether the point is in front
        of the camera and inside its image.
    """
    optical = pose.inverse().transform(points)
    depth = optical[:, 2]
    ahead = depth > 1e-6
    safe = np.where(ahead[:, None], optical, [0.0, 0.0, 1.0])
    pixels = project(safe, intrinsics)
    rounded = np.rint(pixels)
    inside = (rounded >= 0) & (rounded < [intrinsics.width, intrinsics.height])
    return pixels, depth, ahead & inside.all(axis=1)
