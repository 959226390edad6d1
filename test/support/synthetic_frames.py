"""RGB-D frames of simple solids by ray casting in numpy: no simulator, no graphics."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from sayso.core.geometry import Array, Pose, Vector3, quaternion_from_matrix, rotation_matrix
from sayso.core.ports import Intrinsics, RgbdFrame
from sayso.perception.camera import rays

RGB = tuple[int, int, int]
COLORS: dict[str, RGB] = {
    "red": (200, 25, 25),
    "green": (30, 150, 45),
    "blue": (25, 55, 190),
    "white": (235, 235, 230),
    "black": (15, 15, 17),
    "purple": (110, 35, 160),
    "orange": (235, 120, 20),
    "yellow": (230, 195, 30),
    "brown": (95, 55, 28),
    "grey": (128, 128, 130),
}
CAMERA = Intrinsics(640, 480, 594.0, 594.0, 319.5, 239.5)
SMALL = Intrinsics(160, 120, 148.5, 148.5, 79.5, 59.5)
EYES: dict[str, Vector3] = {"left": (0.06, 0.70, 0.74), "right": (0.06, -0.70, 0.74)}


@dataclass(frozen=True)
class Solid:
    """A box (size along its axes) or an upright cylinder (diameter, diameter, height)."""

    color: str
    position: Vector3
    size: Vector3
    yaw: float = 0.0
    round: bool = False
    label: str = ""


def block(color: str, x: float, y: float, bottom: float = 0.0, yaw: float = 0.0) -> Solid:
    edge = 0.045
    return Solid(color, (x, y, bottom + edge / 2), (edge,) * 3, yaw, label=f"{color} block")


def plate(x: float, y: float) -> Solid:
    return Solid("white", (x, y, 0.006), (0.2, 0.2, 0.012), round=True, label="white plate")


def mug(x: float, y: float) -> Solid:
    return Solid("purple", (x, y, 0.045), (0.08, 0.08, 0.09), round=True, label="purple mug")


def coaster(x: float, y: float) -> Solid:
    return Solid("black", (x, y, 0.003), (0.1, 0.1, 0.006), label="black coaster")


def bowl(x: float, y: float) -> tuple[Solid, ...]:
    """A ring of thin posts on a floor: hollow, as a bowl is."""
    floor = Solid("orange", (x, y, 0.003), (0.13, 0.13, 0.006), round=True, label="orange bowl")
    angles = np.arange(0, 2 * np.pi, 2 * np.pi / 36)
    posts = [
        Solid(
            "orange",
            (x + 0.0725 * np.cos(a), y + 0.0725 * np.sin(a), 0.025),
            (0.005, 0.0135, 0.05),
            float(a),
            label="orange bowl",
        )
        for a in angles
    ]
    return (floor, *posts)


def cabinet(x: float, y: float, opening: float = 0.0) -> tuple[Solid, ...]:
    """A brown box with its front plane at x, and a yellow drawer that stands open."""
    front = x - 0.012 - opening
    parts = [
        Solid("brown", (x + 0.12, y, 0.034), (0.24, 0.24, 0.068), label="brown cabinet"),
        Solid("brown", (x + 0.12, y, 0.134), (0.24, 0.24, 0.004), label="brown cabinet"),
        Solid("brown", (x + 0.12, y + 0.116, 0.068), (0.24, 0.008, 0.136), label="brown cabinet"),
        Solid("brown", (x + 0.12, y - 0.116, 0.068), (0.24, 0.008, 0.136), label="brown cabinet"),
        Solid("yellow", (front + 0.006, y, 0.101), (0.012, 0.236, 0.062), label="yellow drawer"),
        Solid("yellow", (front + 0.11, y, 0.0725), (0.2, 0.22, 0.005), label="yellow drawer"),
        Solid("yellow", (front + 0.11, y + 0.1, 0.09), (0.2, 0.005, 0.042), label="yellow drawer"),
        Solid("yellow", (front + 0.11, y - 0.1, 0.09), (0.2, 0.005, 0.042), label="yellow drawer"),
        Solid("grey", (front - 0.045, y, 0.101), (0.012, 0.11, 0.012), label="yellow drawer"),
        Solid("grey", (front - 0.022, y + 0.05, 0.101), (0.045, 0.01, 0.01), label="yellow drawer"),
        Solid("grey", (front - 0.022, y - 0.05, 0.101), (0.045, 0.01, 0.01), label="yellow drawer"),
    ]
    return tuple(parts)


def look_at(eye: Vector3, target: Vector3) -> Pose:
    forward = np.subtract(target, eye) / np.linalg.norm(np.subtract(target, eye))
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    rotation = np.column_stack([right, np.cross(forward, right), forward])
    return Pose(eye, quaternion_from_matrix(rotation))


def render(
    solids: Sequence[Solid],
    camera: str = "left",
    *,
    rng: np.random.Generator | None = None,
    stamp_s: float = 0.0,
    pose: Pose | None = None,
    intrinsics: Intrinsics = CAMERA,
    table_m: float = 0.0,
) -> RgbdFrame:
    """What a camera sees of the solids on a grey table, with noise if `rng` is given."""
    pose = pose or look_at(EYES[camera], (0.46, 0.03, 0.02))
    directions = rays(intrinsics).reshape(-1, 3).astype(float) @ pose.matrix()[:3, :3].T
    origin = np.asarray(pose.position)
    depth = np.where(directions[:, 2] < 0, (table_m - origin[2]) / directions[:, 2], np.inf)
    which = np.zeros(len(depth), int)
    for i, solid in enumerate(solids):
        hit = _cast(solid, origin, directions, pose, intrinsics)
        nearer = hit < depth
        depth[nearer], which[nearer] = hit[nearer], i + 1
    palette = np.array([COLORS["grey"], *(COLORS[s.color] for s in solids)], np.float32)
    rgb = palette[which]
    if rng is not None:
        rgb = rgb + 4 * rng.standard_normal(rgb.shape, np.float32)
        depth = depth + 0.0012 * rng.standard_normal(depth.shape, np.float32) * depth**2
        depth[rng.integers(0, len(depth), len(depth) // 100)] = 0.0
    shape = (intrinsics.height, intrinsics.width)
    labels = sorted({s.label for s in solids})
    ids = np.array([0, *(labels.index(s.label) + 1 for s in solids)], np.int32)
    depth[~np.isfinite(depth)] = 0.0
    return RgbdFrame(
        camera=camera,
        stamp_s=stamp_s,
        rgb=np.clip(rgb, 0, 255).astype(np.uint8).reshape(*shape, 3),
        depth_m=depth.astype(np.float32).reshape(shape),
        intrinsics=intrinsics,
        pose=pose,
        instances=ids[which].reshape(shape),
        instance_labels=dict(enumerate(labels, start=1)),
    )


def _cast(
    solid: Solid, origin: Array, directions: Array, pose: Pose, intrinsics: Intrinsics
) -> Array:
    """(N,) ray parameters (= depths) of the nearest hits, inf where missed."""
    result = np.full(len(directions), np.inf)
    turn = rotation_matrix((0.0, 0.0, np.sin(solid.yaw / 2), np.cos(solid.yaw / 2)))
    near = _window(solid, turn, pose, intrinsics)
    o, d = (origin - solid.position) @ turn, directions[near] @ turn
    d = np.where(np.abs(d) < 1e-12, 1e-12, d)
    half = np.asarray(solid.size) / 2
    axes = slice(2, 3) if solid.round else slice(0, 3)
    t1, t2 = ((-half - o) / d)[:, axes], ((half - o) / d)[:, axes]
    enter, leave = np.minimum(t1, t2).max(axis=1), np.maximum(t1, t2).min(axis=1)
    if solid.round:
        a = d[:, 0] ** 2 + d[:, 1] ** 2
        b = o[0] * d[:, 0] + o[1] * d[:, 1]
        root = np.sqrt(np.maximum(b**2 - a * (o[0] ** 2 + o[1] ** 2 - half[0] ** 2), 0.0))
        hit = b**2 > a * (o[0] ** 2 + o[1] ** 2 - half[0] ** 2)
        enter = np.where(hit, np.maximum(enter, (-b - root) / a), np.inf)
        leave = np.minimum(leave, (-b + root) / a)
    result[near] = np.where((enter <= leave) & (enter > 0), enter, np.inf)
    return result


def _window(solid: Solid, turn: Array, pose: Pose, intrinsics: Intrinsics) -> Array:
    """Flat indices of the pixels around the solid, so that few rays are cast."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    corners = signs * np.asarray(solid.size) / 2 @ turn.T + solid.position
    optical = pose.inverse().transform(corners)
    u = optical[:, 0] / optical[:, 2] * intrinsics.fx + intrinsics.cx
    v = optical[:, 1] / optical[:, 2] * intrinsics.fy + intrinsics.cy
    w, h = intrinsics.width, intrinsics.height
    us = np.arange(int(np.clip(u.min() - 1, 0, w)), int(np.clip(u.max() + 2, 0, w)))
    vs = np.arange(int(np.clip(v.min() - 1, 0, h)), int(np.clip(v.max() + 2, 0, h)))
    return (vs[:, None] * w + us).ravel()
