"""Hollow things from convex pieces: rings of leaning boards, and boxes without a top."""

from __future__ import annotations

import numpy as np

from sayso.core.geometry import Array, Pose, Vector3, quaternion_from_matrix
from sayso.worlds.table.shapes.pieces import Box

_RING = 20


def ring(part: str, low: float, high: float, half: float, wall: float) -> tuple[Box, ...]:
    """Thin boards about z from outer radius `low` at the bottom to `high` at the top.

    They touch only: what is seen of a round wall is a `Turned` surface.
    """
    lean = float(np.arctan2(high - low, 2 * half))
    length = float(np.hypot(high - low, 2 * half)) / 2
    middle = (low + high) / 2 - wall / 2
    width = max(low, high) * float(np.tan(np.pi / _RING))
    boards = []
    for angle in 2 * np.pi * np.arange(_RING) / _RING:
        rotation = about_z(float(angle)) @ about_y(lean)
        x, y, z = about_z(float(angle)) @ np.array([middle, 0.0, 0.0])
        pose = Pose((float(x), float(y), float(z)), quaternion_from_matrix(rotation))
        boards.append(Box(part, (wall / 2, width, length), pose, shown=False))
    return tuple(boards)


def open_box(size: Vector3, wall: float, lift: float = 0.0) -> tuple[Box, ...]:
    """A floor and four walls of a thickness, centred at `lift` above the origin."""
    x, y, z = (s / 2 for s in size)
    t = wall / 2
    floor = Box("floor", (x, y, t), Pose((0, 0, lift - z + t)))
    up = lift + t
    ends = [Box("wall", (t, y, z - t), Pose((s * (x - t), 0, up))) for s in (-1, 1)]
    sides = [Box("wall", (x - wall, t, z - t), Pose((0, s * (y - t), up))) for s in (-1, 1)]
    return (floor, *ends, *sides)


def about_z(angle: float) -> Array:
    """The rotation (3, 3) about z."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, -s, 0], [s, c, 0], [0, 0, 1]])


def about_x(angle: float) -> Array:
    """The rotation (3, 3) about x."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1, 0, 0], [0, c, -s], [0, s, c]])


def about_y(angle: float) -> Array:
    """The rotation (3, 3) about y."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0, s], [0, 1, 0], [-s, 0, c]])
