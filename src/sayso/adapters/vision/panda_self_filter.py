"""Takes the Panda's own pixels out of depth images, from its joint positions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

import numpy as np
import numpy.typing as npt

from sayso.adapters.robots.panda_facts import FINGER_ROOT_M, FLANGE_M
from sayso.core.geometry import Array, Pose
from sayso.core.ports import RgbdFrame
from sayso.core.scene import RobotState
from sayso.perception.camera import Floats, cloud

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
_HAND_LINK, _LEFT_LINK, _RIGHT_LINK = 8, 9, 10

_COLOR_NOISE = 20.0  # levels by which noise parts the channels of a grey pixel

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
class _PosedBox:
    """A link's box in the scene: centre, axes as columns, half extents, and its bounds."""

    centre: Floats
    axes: Floats
    half: Floats
    low: Array
    high: Array


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

    base: Pose = field(default_factory=Pose)
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
        own = narrow | wide
        own[own] = narrow[own] | self._without_hue(view.rgb[own])
        own &= view.valid
        if not own.any():
            return frame
        spread = np.repeat(np.repeat(own, self.stride, 0), self.stride, 1)
        height, width = frame.depth_m.shape
        return replace(frame, depth_m=np.where(spread[:height, :width], 0.0, frame.depth_m))

    def _without_hue(self, rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
        red, green, blue = (rgb[:, i].astype(np.float32) for i in range(3))
        high = np.maximum(np.maximum(red, green), blue)
        low = np.minimum(np.minimum(red, green), blue)
        grey: npt.NDArray[np.bool_] = high - low < np.maximum(self.greyish * high, _COLOR_NOISE)
        return grey

    def _near(
        self, points: Floats, robot: RobotState
    ) -> tuple[npt.NDArray[np.bool_], npt.NDArray[np.bool_]]:
        """Which of (h, w, 3) points lie within the wide and the narrow margin of a link."""
        wide, narrow = (np.zeros(points.shape[:2], bool) for _ in range(2))
        boxes = self._posed_boxes(robot)
        candidates = np.nonzero(_around(points, boxes))
        flat = points[candidates]
        wide_flat, narrow_flat = (np.zeros(len(flat), bool) for _ in range(2))
        for box in boxes:
            near = np.flatnonzero(_inside(flat, box.low, box.high))
            outside = (np.abs((flat[near] - box.centre) @ box.axes) - box.half).max(axis=1)
            wide_flat[near[outside < self.margin_m]] = True
            narrow_flat[near[outside < self.colored_margin_m]] = True
        wide[candidates], narrow[candidates] = wide_flat, narrow_flat
        return wide, narrow

    def _posed_boxes(self, robot: RobotState) -> list[_PosedBox]:
        poses = link_poses(robot.joint_positions, robot.gripper_width_m)
        result = []
        for link, low, high in _BOXES:
            pose = self.base.matrix() @ poses[link]
            axes, half = pose[:3, :3], np.subtract(high, low) / 2
            centre = axes @ (np.add(high, low) / 2) + pose[:3, 3]
            reach = np.abs(axes) @ (half + self.margin_m)
            single = [v.astype(np.float32) for v in (centre, axes, half)]
            result.append(
                _PosedBox(single[0], single[1], single[2], centre - reach, centre + reach)
            )
        return result


def _around(points: Floats, boxes: Sequence[_PosedBox]) -> npt.NDArray[np.bool_]:
    low = np.min([b.low for b in boxes], axis=0)
    high = np.max([b.high for b in boxes], axis=0)
    return _inside(points, low, high)


def _inside(points: Floats, low: Array, high: Array) -> npt.NDArray[np.bool_]:
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    level = (x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1])
    inside: npt.NDArray[np.bool_] = level & (z > low[2]) & (z < high[2])
    return inside


def link_poses(joints: Sequence[float], width_m: float) -> list[Array]:
    """Poses (4, 4) in the base frame of links 0 to 7, hand, left and right finger.

    Args:
        joints: the 7 joint positions [rad].
        width_m: distance between the fingers.
    """
    poses = [np.eye(4)]
    for (a, d, alpha), angle in zip(_DH, joints, strict=True):
        poses.append(poses[-1] @ _link(a, d, alpha, angle))
    hand = poses[-1] @ _link(0.0, FLANGE_M, 0.0, -np.pi / 4)
    poses.append(hand)
    for side in (1.0, -1.0):
        finger = np.eye(4)
        finger[:3, 3] = (0.0, side * width_m / 2, FINGER_ROOT_M)
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
