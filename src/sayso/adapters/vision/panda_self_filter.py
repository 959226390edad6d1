"""Takes the Panda's own pixels out of depth images, from its joint positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array, Pose
from sayso.core.ports import RgbdFrame
from sayso.core.scene import RobotState
from sayso.perception.camera import cloud

# Denavit-Hartenberg parameters (Craig's convention) that Franka publishes: a, d [m], alpha [rad].
_DH = (
    (0.0, 0.333, 0.0),
    (0.0, 0.0, -np.pi / 2),
    (0.0, 0.316, np.pi / 2),
    (0.0825, 0.0, np.pi / 2),
    (-0.0825, 0.384, -np.pi / 2),
    (0.0, 0.0, np.pi / 2),
    (0.088, 0.0, np.pi / 2),
)
_FLANGE_M = 0.107
_FINGER_ROOT_M = 0.0584
_HAND_LINK, _LEFT_LINK, _RIGHT_LINK = 8, 9, 10

_Box = tuple[int, tuple[float, float, float], tuple[float, float, float]]
# Boxes around the links' collision shapes: link, lowest and highest corner in its frame [m].
_BOXES: tuple[_Box, ...] = (
    (0, (-0.154, -0.095, 0.0), (0.072, 0.095, 0.140)),
    (1, (-0.055, -0.129, -0.192), (0.055, 0.055, 0.055)),
    (2, (-0.055, -0.194, -0.055), (0.055, 0.055, 0.129)),
    (3, (-0.055, -0.055, -0.121), (0.138, 0.111, 0.055)),
    (4, (-0.138, -0.055, -0.055), (0.055, 0.124, 0.111)),
    (5, (-0.052, -0.052, -0.259), (0.051, 0.098, -0.133)),
    (5, (-0.040, 0.050, -0.177), (0.039, 0.108, -0.058)),
    (5, (-0.048, 0.016, -0.068), (0.047, 0.126, 0.049)),
    (6, (-0.048, -0.051, -0.044), (0.132, 0.082, 0.056)),
    (7, (-0.044, -0.044, 0.052), (0.081, 0.081, 0.107)),
    (_HAND_LINK, (-0.032, -0.104, -0.026), (0.032, 0.104, 0.066)),
    (_LEFT_LINK, (-0.011, 0.001, 0.0), (0.011, 0.026, 0.054)),
    (_RIGHT_LINK, (-0.011, -0.026, 0.0), (0.011, -0.001, 0.054)),
)


@dataclass(frozen=True)
class PandaSelfFilter:
    """A `SelfFilter` for a Panda with its hand.

    Each link is a box. What is grey, as the robot is, goes from a wide margin around it; what
    has a colour only from a narrow one, so that a thing between the fingers stays.

    Attributes:
        base: pose of the robot's base in the scene's frame.
        margin_m: around the boxes for pixels without a hue.
        colored_margin_m: the same for pixels with one.
        greyish: saturation below which a pixel has no hue.
        stride: every how many pixels are tested; those between go with their neighbours.
    """

    base: Pose = Pose()
    margin_m: float = 0.02
    colored_margin_m: float = 0.003
    greyish: float = 0.22
    stride: int = 2

    def __call__(self, frame: RgbdFrame, robot: RobotState) -> RgbdFrame:
        """The frame without depth where it shows the robot."""
        if not robot.joint_positions:
            return frame
        view = cloud(frame, self.stride)
        wide, narrow = self._near(view.points, robot)
        high = view.rgb.max(axis=-1).astype(np.float32)
        grey = high - view.rgb.min(axis=-1) < self.greyish * np.maximum(high, 1.0)
        own = (narrow | (wide & grey)) & view.valid
        if not own.any():
            return frame
        spread = np.repeat(np.repeat(own, self.stride, 0), self.stride, 1)
        height, width = frame.depth_m.shape
        return replace(frame, depth_m=np.where(spread[:height, :width], 0.0, frame.depth_m))

    def _near(
        self, points: npt.NDArray[np.float32], robot: RobotState
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Which of (h, w, 3) points lie within the wide and the narrow margin of a link."""
        flat = points.reshape(-1, 3)
        wide, narrow = (np.zeros(len(flat), bool) for _ in range(2))
        poses = link_poses(robot.joint_positions, robot.gripper_width_m)
        for link, low, high in _BOXES:
            pose = self.base.matrix() @ poses[link]
            half = np.subtract(high, low) / 2
            centre = pose[:3, :3] @ (np.add(high, low) / 2) + pose[:3, 3]
            reach = float(np.linalg.norm(half + self.margin_m))
            close = np.flatnonzero((np.abs(flat - centre.astype(np.float32)) < reach).all(axis=1))
            local = np.abs((flat[close] - centre) @ pose[:3, :3])
            outside = (local - half).max(axis=1)
            wide[close[outside < self.margin_m]] = True
            narrow[close[outside < self.colored_margin_m]] = True
        shape = points.shape[:2]
        return wide.reshape(shape), narrow.reshape(shape)


def link_poses(joints: Sequence[float], width_m: float) -> list[Array]:
    """Poses (4, 4) in the base frame of links 0 to 7, hand, left and right finger.

    Args:
        joints: the 7 joint positions [rad].
        width_m: distance between the fingers.
    """
    poses = [np.eye(4)]
    for (a, d, alpha), angle in zip(_DH, joints, strict=True):
        poses.append(poses[-1] @ _link(a, d, alpha, angle))
    hand = poses[-1] @ _link(0.0, _FLANGE_M, 0.0, -np.pi / 4)
    poses.append(hand)
    for side in (1.0, -1.0):
        finger = np.eye(4)
        finger[:3, 3] = (0.0, side * width_m / 2, _FINGER_ROOT_M)
        poses.append(hand @ finger)
    return poses


def _link(a: float, d: float, alpha: float, theta: float) -> Array:
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [
            [c, -s, 0.0, a],
            [s * ca, c * ca, -sa, -d * sa],
            [s * sa, c * sa, ca, d * ca],
            [0.0, 0.0, 0.0, 1.0],
        ]
    )
