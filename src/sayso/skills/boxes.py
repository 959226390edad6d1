"""Upright boxes around things that may stand or lie, in a frame whose z points up."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from sayso.core.geometry import Array, Pose, rotation_matrix
from sayso.core.scene import Scene, SceneObject


@dataclass(frozen=True)
class UprightBox:
    """A box turned about z only.

    Attributes:
        centre: (3,) [m].
        size: (3,) along its own axes [m].
        yaw: [rad].
    """

    centre: Array
    size: Array
    yaw: float

    @property
    def low(self) -> float:
        return float(self.centre[2] - self.size[2] / 2)

    @property
    def high(self) -> float:
        return float(self.centre[2] + self.size[2] / 2)

    def local(self, points: Array) -> Array:
        """(N, 2) horizontal places along its own axes, from its centre."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        offset = points[:, :2] - self.centre[:2]
        return np.asarray(offset @ np.array([[c, -s], [s, c]]))

    def world(self, places: Array) -> Array:
        """(N, 2) places along its own axes, in the frame of the scene."""
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        return np.asarray(places @ np.array([[c, s], [-s, c]]) + self.centre[:2])

    def gaps(self, points: Array) -> Array:
        """(N,) horizontal distances from points to its footprint; 0 inside."""
        outside = np.maximum(np.abs(self.local(points)) - self.size[:2] / 2, 0.0)
        return np.asarray(np.linalg.norm(outside, axis=1))


def upright_box(obj: SceneObject) -> UprightBox:
    """The upright box around a thing: exact where one of its axes is vertical."""
    rotation = rotation_matrix(obj.orientation)
    vertical = int(np.abs(rotation[2]).argmax())
    first = next(i for i in range(3) if i != vertical)
    yaw = float(np.arctan2(rotation[1, first], rotation[0, first]))
    c, s = np.cos(yaw), np.sin(yaw)
    turn = np.array([[c, s, 0.0], [-s, c, 0.0], [0.0, 0.0, 1.0]])
    # How far the thing's axes reach along the upright box's.
    size = np.abs(turn @ rotation) @ np.asarray(obj.size)
    return UprightBox(np.asarray(obj.position), size, yaw)


def in_frame(scene: Scene, frame: Pose, name: str = "world") -> Scene:
    """A scene as seen from an upright frame whose pose in it is given; the floor is its table."""
    inverse = frame.inverse()

    def seen(obj: SceneObject) -> SceneObject:
        pose = inverse @ obj.pose
        points = inverse.transform(obj.points.astype(float)).astype(np.float32)
        return replace(obj, position=pose.position, orientation=pose.orientation, points=points)

    robot = scene.robot
    base = None if robot.base is None else inverse @ robot.base
    robot = replace(robot, gripper=inverse @ robot.gripper, base=base)
    height_m = scene.table_height_m - frame.position[2]
    return Scene(scene.stamp_s, tuple(map(seen, scene.objects)), robot, height_m, name)
