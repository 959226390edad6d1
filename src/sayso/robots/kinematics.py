"""An arm's forward and inverse kinematics from its description, through MuJoCo.

The base frame is that of the description, which SaySo also calls `world`. The tool frame (tool
centre point) lies between the fingertips: z is the approach direction, y the direction in which
the fingers close.
"""

from __future__ import annotations

import math
import threading
from collections.abc import Iterator
from functools import cached_property

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Pose
from sayso.robots.description import collision_spec, layout
from sayso.robots.loading import load_robot
from sayso.robots.profile import RobotProfile

Joints = npt.NDArray[np.float64]

_EYE6 = np.eye(6)


class ArmKinematics:
    """Forward and inverse kinematics (`core.ports.Kinematics`); thread-safe.

    Inverse kinematics is damped least squares (Nakamura and Hanafusa 1986) with the redundant
    joint drawn towards the seed, tried first from the seed, then from the home configuration,
    then from `restarts` random configurations of a fixed sequence, so that the same question
    always has the same answer.
    """

    def __init__(
        self, robot: RobotProfile | None = None, *, restarts: int = 12, iterations: int = 80
    ) -> None:
        self.robot = robot or load_robot()
        self._model = collision_spec(self.robot).compile()
        self._data = mujoco.MjData(self._model)
        parts = layout(self._model, self.robot)
        self._qpos, self._dof = parts.arm, parts.arm_dof
        self._site = self._model.site("tcp").id
        self._restarts = restarts
        self._iterations = iterations
        self._lock = threading.Lock()
        self._jacobian = np.zeros((6, self._model.nv))

    @property
    def joint_names(self) -> tuple[str, ...]:
        return self.robot.joint_names

    @cached_property
    def limits(self) -> Joints:
        """(J, 2) lower and upper limits [rad]."""
        return joint_limits(self._model, self._qpos)

    @property
    def velocity_limits(self) -> Joints:
        """(J,) [rad/s]."""
        return self.robot.velocity_limits

    @property
    def acceleration_limits(self) -> Joints:
        """(J,) [rad/s^2]."""
        return self.robot.acceleration_limits

    @property
    def home(self) -> Joints:
        return np.array(self.robot.home)

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
        jacobian = self._jacobian[:, self._dof]
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
        self._data.qpos[self._qpos] = joints
        mujoco.mj_kinematics(self._model, self._data)
        position = np.array(self._data.site_xpos[self._site])
        return position, np.array(self._data.site_xmat[self._site]).reshape(3, 3)


def joint_limits(model: mujoco.MjModel, qpos: npt.NDArray[np.int64]) -> Joints:
    """(J, 2) of the joints at these places in qpos [rad]."""
    order = [int(np.flatnonzero(model.jnt_qposadr == place)[0]) for place in qpos]
    return np.asarray(model.jnt_range[order], dtype=float)
