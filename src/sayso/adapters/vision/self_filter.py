"""Takes the robot's own pixels out of depth images, from its joint positions."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import dataclass, replace

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array, Pose
from sayso.core.ports import RgbdFrame
from sayso.core.scene import RobotState
from sayso.perception.camera import Floats, cloud
from sayso.robots.description import layout, robot_spec
from sayso.robots.loading import load_robot
from sayso.robots.profile import RobotProfile

_COLOR_NOISE = 20.0  # levels by which noise parts the channels of a grey pixel


@dataclass(frozen=True)
class _Box:
    """Around a shape of a body: lowest and highest corner in the body's frame [m]."""

    body: int
    low: Array
    high: Array


@dataclass(frozen=True)
class _PosedBox:
    """A link's box in the scene: centre, axes as columns, half extents, and its bounds."""

    centre: Floats
    axes: Floats
    half: Floats
    low: Array
    high: Array


class RobotSelfFilter:
    """A `SelfFilter` for a robot's arm and hand; thread-safe.

    Each shape is a box. What has no more colour than the robot goes from a wide margin around
    it; what has more only from a narrow one, so that a thing between the fingers stays.

    Args:
        robot: by default the Panda.
        base: pose of the robot's base in the scene's frame.
        margin_m: around the boxes for pixels without more colour than the robot.
        colored_margin_m: the same for pixels with more.
        stride: every how many pixels are tested; those between go with their neighbours.
    """

    def __init__(
        self,
        robot: RobotProfile | None = None,
        base: Pose = Pose(),
        *,
        margin_m: float = 0.02,
        colored_margin_m: float = 0.003,
        stride: int = 2,
    ) -> None:
        self._robot = robot or load_robot()
        self._base = base.matrix()
        self._margin_m, self._colored_margin_m = margin_m, colored_margin_m
        self._stride = stride
        self._model = robot_spec(self._robot).compile()
        self._data = mujoco.MjData(self._model)
        self._parts = layout(self._model, self._robot)
        self._boxes = [b for body in self._parts.bodies for b in _boxes(self._model, int(body))]
        self._lock = threading.Lock()

    def __call__(self, frame: RgbdFrame, robot: RobotState) -> RgbdFrame:
        """The frame without depth where it shows the robot."""
        if not robot.joint_positions:
            return frame
        view = cloud(frame, self._stride)
        wide, narrow = self._near(view.points, robot)
        own = narrow | wide
        own[own] = narrow[own] | self._without_hue(view.rgb[own])
        own &= view.valid
        if not own.any():
            return frame
        spread = np.repeat(np.repeat(own, self._stride, 0), self._stride, 1)
        height, width = frame.depth_m.shape
        return replace(frame, depth_m=np.where(spread[:height, :width], 0.0, frame.depth_m))

    def _without_hue(self, rgb: npt.NDArray[np.uint8]) -> npt.NDArray[np.bool_]:
        red, green, blue = (rgb[:, i].astype(np.float32) for i in range(3))
        high = np.maximum(np.maximum(red, green), blue)
        low = np.minimum(np.minimum(red, green), blue)
        grey: npt.NDArray[np.bool_] = high - low < np.maximum(
            self._robot.saturation * high, _COLOR_NOISE
        )
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
            wide_flat[near[outside < self._margin_m]] = True
            narrow_flat[near[outside < self._colored_margin_m]] = True
        wide[candidates], narrow[candidates] = wide_flat, narrow_flat
        return wide, narrow

    def _posed_boxes(self, robot: RobotState) -> list[_PosedBox]:
        result = []
        poses = self.body_poses(robot)
        for box in self._boxes:
            pose = self._base @ poses[box.body]
            axes, half = pose[:3, :3], (box.high - box.low) / 2
            centre = axes @ ((box.high + box.low) / 2) + pose[:3, 3]
            reach = np.abs(axes) @ (half + self._margin_m)
            single = [v.astype(np.float32) for v in (centre, axes, half)]
            result.append(
                _PosedBox(single[0], single[1], single[2], centre - reach, centre + reach)
            )
        return result

    def body_poses(self, robot: RobotState) -> dict[int, Array]:
        """Poses (4, 4) of the robot's bodies in the base frame, by their index in the model."""
        with self._lock:
            data, hand = self._data, self._robot.hand
            self._parts.set(data.qpos, robot.joint_positions, hand.position(robot.gripper_width_m))
            mujoco.mj_kinematics(self._model, data)
            poses = {}
            for body in (int(b) for b in self._parts.bodies):
                poses[body] = np.eye(4)
                poses[body][:3, :3] = data.xmat[body].reshape(3, 3)
                poses[body][:3, 3] = data.xpos[body]
        return poses


def _boxes(model: mujoco.MjModel, body: int) -> list[_Box]:
    """Around what may be touched of a body, or else around what is only seen of it.

    Where there are meshes, they cover the body's other shapes.
    """
    geoms = np.flatnonzero(model.geom_bodyid == body)
    solid = [g for g in geoms if model.geom_contype[g] or model.geom_conaffinity[g]]
    chosen = solid or list(geoms)
    meshes = [g for g in chosen if model.geom_type[g] == mujoco.mjtGeom.mjGEOM_MESH]
    return [_box(model, body, int(g)) for g in meshes or chosen]


def _box(model: mujoco.MjModel, body: int, geom: int) -> _Box:
    """Axis-aligned in the body's frame."""
    turn = np.zeros(9)
    mujoco.mju_quat2Mat(turn, model.geom_quat[geom])
    points = _outline(model, geom) @ turn.reshape(3, 3).T + model.geom_pos[geom]
    return _Box(body, points.min(axis=0), points.max(axis=0))


def _outline(model: mujoco.MjModel, geom: int) -> Array:
    """Points (N, 3) of a shape's own frame that its box must hold."""
    if model.geom_type[geom] == mujoco.mjtGeom.mjGEOM_MESH:
        mesh = model.geom_dataid[geom]
        first = model.mesh_vertadr[mesh]
        return np.asarray(model.mesh_vert[first : first + model.mesh_vertnum[mesh]], dtype=float)
    centre, half = model.geom_aabb[geom, :3], model.geom_aabb[geom, 3:]
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return np.asarray(centre + signs * half)


def _around(points: Floats, boxes: Sequence[_PosedBox]) -> npt.NDArray[np.bool_]:
    low = np.min([b.low for b in boxes], axis=0)
    high = np.max([b.high for b in boxes], axis=0)
    return _inside(points, low, high)


def _inside(points: Floats, low: Array, high: Array) -> npt.NDArray[np.bool_]:
    x, y, z = points[..., 0], points[..., 1], points[..., 2]
    level = (x > low[0]) & (x < high[0]) & (y > low[1]) & (y < high[1])
    inside: npt.NDArray[np.bool_] = level & (z > low[2]) & (z < high[2])
    return inside
