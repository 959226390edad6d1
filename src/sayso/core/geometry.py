"""Poses and boxes as frozen values; metres, quaternions as (x, y, z, w), REP 103 axes."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

Array: TypeAlias = npt.NDArray[np.float64]
Vector3: TypeAlias = tuple[float, float, float]
Quaternion: TypeAlias = tuple[float, float, float, float]

IDENTITY: Quaternion = (0.0, 0.0, 0.0, 1.0)


def rotation_matrix(q: Quaternion) -> Array:
    """The (3, 3) rotation matrix of a quaternion (x, y, z, w), normalised first."""
    # Plain floats: this is asked for many times in each cycle of the motion gate.
    x, y, z, w = (float(v) for v in q)
    scale = 1.0 / math.sqrt(x * x + y * y + z * z + w * w)
    x, y, z, w = x * scale, y * scale, z * scale, w * scale
    return np.array(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - z * w), 2 * (x * z + y * w)],
            [2 * (x * y + z * w), 1 - 2 * (x * x + z * z), 2 * (y * z - x * w)],
            [2 * (x * z - y * w), 2 * (y * z + x * w), 1 - 2 * (x * x + y * y)],
        ]
    )


def quaternion_from_matrix(r: Array) -> Quaternion:
    """The quaternion (x, y, z, w), w >= 0, of a (3, 3) rotation matrix."""
    k = np.array(
        [
            [r[0, 0] - r[1, 1] - r[2, 2], 0, 0, 0],
            [r[0, 1] + r[1, 0], r[1, 1] - r[0, 0] - r[2, 2], 0, 0],
            [r[0, 2] + r[2, 0], r[1, 2] + r[2, 1], r[2, 2] - r[0, 0] - r[1, 1], 0],
            [r[2, 1] - r[1, 2], r[0, 2] - r[2, 0], r[1, 0] - r[0, 1], np.trace(r)],
        ]
    )
    # Bar-Itzhack's method: the dominant eigenvector of the symmetric K is the quaternion,
    # well conditioned for every rotation. `eigh` reads the lower triangle.
    _, vectors = np.linalg.eigh(k / 3.0)
    q = vectors[:, -1]
    q = q if q[3] >= 0 else -q
    return (float(q[0]), float(q[1]), float(q[2]), float(q[3]))


def roll_pitch_yaw(q: Quaternion) -> Vector3:
    """The turns about the fixed axes x, y and z, in this order, that a quaternion is [rad].

    Where it points straight up or down, and roll and yaw are one turn, there is no roll.
    """
    r = rotation_matrix(q)
    pitch = 0.0 - math.asin(max(-1.0, min(1.0, r[2, 0])))
    if abs(r[2, 0]) > 1.0 - 1e-12:
        return 0.0, pitch, math.atan2(-r[0, 1], r[1, 1])
    return math.atan2(r[2, 1], r[2, 2]), pitch, math.atan2(r[1, 0], r[0, 0])


def turn_from_z(axis: Vector3) -> Quaternion:
    """The least turn that brings the z axis into the direction of another one."""
    x, y, z = axis
    w = math.hypot(x, y, z) + z
    length = math.hypot(x, y, w)
    return (1.0, 0.0, 0.0, 0.0) if length < 1e-12 else (-y / length, x / length, 0.0, w / length)


def _product(a: Quaternion, b: Quaternion) -> Quaternion:
    """The rotation by b, then by a: Hamilton's product, normalised, w >= 0."""
    ax, ay, az, aw = a
    bx, by, bz, bw = b
    x = aw * bx + ax * bw + ay * bz - az * by
    y = aw * by - ax * bz + ay * bw + az * bx
    z = aw * bz + ax * by - ay * bx + az * bw
    w = aw * bw - ax * bx - ay * by - az * bz
    scale = math.copysign(1.0 / math.sqrt(x * x + y * y + z * z + w * w), w)
    return (x * scale, y * scale, z * scale, w * scale)


@dataclass(frozen=True)
class Pose:
    """A rigid transform: position in metres and orientation (x, y, z, w)."""

    position: Vector3 = (0.0, 0.0, 0.0)
    orientation: Quaternion = IDENTITY

    @staticmethod
    def from_matrix(m: Array) -> Pose:
        """From a homogeneous (4, 4) matrix."""
        x, y, z = (float(v) for v in m[:3, 3])
        return Pose((x, y, z), quaternion_from_matrix(m[:3, :3]))

    def matrix(self) -> Array:
        """The homogeneous (4, 4) matrix."""
        m = np.eye(4)
        m[:3, :3] = rotation_matrix(self.orientation)
        m[:3, 3] = self.position
        return m

    def transform(self, points: Array) -> Array:
        """Points (N, 3) of this pose's frame, in the parent frame."""
        return np.asarray(points @ rotation_matrix(self.orientation).T + np.asarray(self.position))

    def __matmul__(self, other: Pose) -> Pose:
        x, y, z = rotation_matrix(self.orientation) @ other.position + self.position
        return Pose((float(x), float(y), float(z)), _product(self.orientation, other.orientation))

    def inverse(self) -> Pose:
        x, y, z = -(self.position @ rotation_matrix(self.orientation))
        turned = _product(self.orientation, IDENTITY)
        return Pose((float(x), float(y), float(z)), (-turned[0], -turned[1], -turned[2], turned[3]))
