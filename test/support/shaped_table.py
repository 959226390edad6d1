"""A bare table with drawn shapes on it, in physics: no robot, nothing glued."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import mujoco
import numpy as np

from sayso.core.geometry import Array, Pose
from sayso.worlds import cameras
from sayso.worlds.table import furniture
from sayso.worlds.table.shapes.bodies import add_shape
from sayso.worlds.table.shapes.pieces import Shape
from sayso.worlds.truth import body_pose

TIMESTEP_S = 0.002


class ShapedTable:
    """Free bodies by name, each at its start."""

    def __init__(
        self, shapes: Mapping[str, Shape], mounts: Iterable[cameras.CameraMount] = ()
    ) -> None:
        spec = mujoco.MjSpec()
        spec.option.timestep = TIMESTEP_S
        spec.option.integrator = mujoco.mjtIntegrator.mjINT_IMPLICITFAST
        spec.option.cone = mujoco.mjtCone.mjCONE_ELLIPTIC
        spec.option.impratio = 10.0
        furniture.add_room(spec)
        for name, shape in shapes.items():
            add_shape(spec, name, shape, (*shape.rgb, 1.0))
        cameras.add_cameras(spec, mounts)
        spec.stat.extent = 2.0
        spec.visual.map.znear, spec.visual.map.zfar = 0.01, 10.0
        self.model = spec.compile()
        self.data = mujoco.MjData(self.model)

    def put(self, name: str, pose: Pose) -> None:
        joint = self.data.joint(name)
        x, y, z, w = pose.orientation
        joint.qpos[:7] = [*pose.position, w, x, y, z]
        joint.qvel[:6] = 0.0

    def stand(self, name: str, shape: Shape, x: float, y: float, ground: float = 0.0) -> None:
        """Upright, a hair above the table."""
        self.put(name, Pose((x, y, ground + shape.size[2] / 2 + 0.0005)))

    def pose(self, name: str) -> Pose:
        return body_pose(self.data, name)

    def wait(self, duration_s: float) -> None:
        for _ in range(round(duration_s / TIMESTEP_S)):
            mujoco.mj_step(self.model, self.data)

    def speed(self, name: str) -> Array:
        """(6,) linear [m/s] and angular [rad/s]."""
        return np.array(self.data.joint(name).qvel)


def tilt(pose: Pose) -> float:
    """How far the z axis is off the vertical [rad]."""
    return float(np.arccos(np.clip(pose.matrix()[2, 2], -1.0, 1.0)))
