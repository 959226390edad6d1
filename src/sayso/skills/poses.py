"""Tool poses by what they are for; the tool's z is the approach, its y the closing direction."""

from __future__ import annotations

import numpy as np

from sayso.core.geometry import Array, Pose, Vector3, rotation_matrix


def looking(approach: Array, closing: Array, position: Array) -> Pose:
    """The tool at a position, approaching and closing along two perpendicular directions."""
    m = np.eye(4)
    m[:3, 0], m[:3, 1], m[:3, 2] = np.cross(closing, approach), closing, approach
    m[:3, 3] = position
    return Pose.from_matrix(m)


def downward(position: Array, closing_yaw: float, tilt: float = 0.0) -> Pose:
    """From above, closing along a horizontal direction, tilted about that direction [rad]."""
    closing = np.array([np.cos(closing_yaw), np.sin(closing_yaw), 0.0])
    across = np.array([-closing[1], closing[0], 0.0])
    approach = np.array([0.0, 0.0, -np.cos(tilt)]) + across * np.sin(tilt)
    return looking(approach, closing, position)


def moved(pose: Pose, by: Array) -> Pose:
    """The pose shifted along the world's axes."""
    x, y, z = (float(v) for v in np.asarray(pose.position) + by)
    return Pose((x, y, z), pose.orientation)


def approach_direction(pose: Pose) -> Array:
    """(3,) unit vector of the tool's z in the world."""
    return rotation_matrix(pose.orientation)[:, 2]


def yaw_of(pose: Pose) -> float:
    """Rotation about z of the pose's x axis [rad]."""
    r = rotation_matrix(pose.orientation)
    return float(np.arctan2(r[1, 0], r[0, 0]))


def upright(position: Vector3, yaw: float) -> Pose:
    """A pose that stands upright."""
    return Pose(position, (0.0, 0.0, float(np.sin(yaw / 2)), float(np.cos(yaw / 2))))
