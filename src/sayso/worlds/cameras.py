"""Where the simulated cameras are and what their lenses are like."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import mujoco
import numpy as np

from sayso.core.geometry import Array, Pose, Vector3, quaternion_from_matrix
from sayso.core.ports import Intrinsics
from sayso.robots.profile import RobotProfile

WIDTH, HEIGHT = 640, 480
_FLIP = np.diag([1.0, -1.0, -1.0])  # MuJoCo's cameras look along -z with y up


@dataclass(frozen=True)
class CameraMount:
    """A camera on a body; the pose is of its optical frame (z forward, x right, y down)."""

    name: str
    body: str
    pose: Pose
    fovy_deg: float
    sensor: bool = True


def look_at(eye: Vector3, target: Vector3) -> Pose:
    """The optical frame at `eye` that looks at `target` with the horizon level."""
    forward = np.asarray(target, dtype=float) - np.asarray(eye)
    forward /= np.linalg.norm(forward)
    right = np.cross(forward, [0.0, 0.0, 1.0])
    right /= np.linalg.norm(right)
    rotation = np.column_stack([right, np.cross(forward, right), forward])
    return Pose(eye, quaternion_from_matrix(rotation))


FIXED: tuple[CameraMount, ...] = (
    CameraMount("left", "world", look_at((0.06, 0.70, 0.74), (0.46, 0.03, 0.02)), 44.0),
    CameraMount("right", "world", look_at((0.06, -0.70, 0.74), (0.46, 0.03, 0.02)), 44.0),
    CameraMount("overview", "world", look_at((0.42, -1.65, 1.0), (0.32, 0.06, 0.22)), 38.0, False),
)
"""The cameras around the table."""

SENSORS = ("left", "right", "wrist")
OVERVIEW = "overview"


def mounts(robot: RobotProfile, fixed: tuple[CameraMount, ...] = FIXED) -> tuple[CameraMount, ...]:
    """The cameras around the table, and the one on the robot's hand."""
    return (*fixed, hand_camera("wrist", robot))


def hand_camera(name: str, robot: RobotProfile, prefix: str = "") -> CameraMount:
    """Args: prefix: of the robot's names in the model."""
    return CameraMount(name, prefix + robot.hand.body, robot.camera.pose, robot.camera.fovy_deg)


def intrinsics(fovy_deg: float, width: int = WIDTH, height: int = HEIGHT) -> Intrinsics:
    """Pinhole parameters where the centre of pixel (u, v) is at exactly (u, v)."""
    focal = height / 2 / np.tan(np.radians(fovy_deg) / 2)
    return Intrinsics(width, height, focal, focal, width / 2 - 0.5, height / 2 - 0.5)


def add_cameras(spec: mujoco.MjSpec, mounts: Iterable[CameraMount]) -> None:
    """Mount cameras on the model."""
    for m in mounts:
        body = spec.worldbody if m.body == "world" else spec.body(m.body)
        rotation = m.pose.matrix()[:3, :3] @ _FLIP
        x, y, z, w = quaternion_from_matrix(rotation)
        body.add_camera(name=m.name, pos=m.pose.position, quat=[w, x, y, z], fovy=m.fovy_deg)


def optical_pose(position: Array, rotation: Array) -> Pose:
    """The optical frame of a MuJoCo camera at `position` with (3, 3) `rotation`."""
    matrix = np.eye(4)
    matrix[:3, :3] = rotation @ _FLIP
    matrix[:3, 3] = position
    return Pose.from_matrix(matrix)
