"""An arm's forward and inverse kinematics from its description, through MuJoCo and mink.

The base frame is that of the description, which SaySo also calls `world`. The tool frame (tool
centre point) lies between the fingertips: z is the approach direction, y the direction in which
the fingers close.
"""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import cached_property

import mink
import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Pose
from sayso.robots.description import collision_spec, layout
from sayso.robots.loading import load_robot
from sayso.robots.profile import RobotProfile

Joints = npt.NDArray[np.float64]

_TOOL = ("tcp", "site")
_SOLVER = "daqp"
_COSTS = (1.0, 0.3)
"""Of the tool being 1 m, and 1 rad, off its target."""
_REST_COST = 1e-3
"""Of a joint being 1 rad from the seed: so little that it keeps no tool off its target."""
_NEAR_ENOUGH = (1e-4, 1e-3)
"""[m, rad] in each direction."""
_LARGEST_STEP_RAD = 0.5


class ArmKinematics:
    """Forward and inverse kinematics (`core.ports.Kinematics`); thread-safe.

    Inverse kinematics is Gauss and Newton's method with the joints' limits kept (mink, a quadratic
    programme for each step) and redundant joints drawn towards the seed, tried first from the seed,
    then from the home configuration, then from `restarts` random configurations of a fixed
    sequence, so that the same question always has the same answer.
    """

    def __init__(
        self, robot: RobotProfile | None = None, *, restarts: int = 12, iterations: int = 80
    ) -> None:
        self.robot = robot or load_robot()
        self._model = collision_spec(self.robot).compile()
        parts = layout(self._model, self.robot)
        self._qpos = parts.arm
        self._restarts = restarts
        self._iterations = iterations
        self._lock = threading.Lock()
        self._here = mink.Configuration(self._model)
        self._reach = mink.FrameTask(*_TOOL, *_COSTS, lm_damping=1e-6)
        self._rest = mink.PostureTask(self._model, cost=_REST_COST)
        self._within = mink.ConfigurationLimit(self._model)

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
            self._here.update(self._whole(np.asarray(joints, dtype=float)))
            return Pose.from_matrix(self._here.get_transform_frame_to_world(*_TOOL).as_matrix())

    def inverse(self, target: Pose, seed: Joints, *, anywhere: bool = True) -> Joints | None:
        seed = np.asarray(seed, dtype=float)
        with self._lock:
            self._reach.set_target(mink.SE3.from_matrix(target.matrix()))
            self._rest.set_target(self._whole(seed))
            for start in self._starts(seed, anywhere):
                found = self._descend(start)
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

    def _descend(self, start: Joints) -> Joints | None:
        """Step towards the target until the tool is there.

        Given up when a tenth of the iterations brought no progress: a joint limit or a
        singular pose holds it, and another start is the better use of the time.
        """
        low, high = self.limits[:, 0] + 0.01, self.limits[:, 1] - 0.01
        self._here.update(self._whole(np.clip(start, low, high)))
        best, since = np.inf, 0
        for _ in range(self._iterations):
            error = np.abs(self._reach.compute_error(self._here))
            if error[:3].max() < _NEAR_ENOUGH[0] and error[3:].max() < _NEAR_ENOUGH[1]:
                found: Joints = np.clip(self._here.q[self._qpos], low, high)
                return found
            size = float(error.sum())
            best, since = (size, 0) if size < 0.98 * best else (best, since + 1)
            if since > self._iterations // 10:
                return None
            self._step()
        return None

    def _step(self) -> None:
        step = mink.solve_ik(
            self._here, (self._reach, self._rest), 1.0, _SOLVER, limits=(self._within,)
        )
        share = min(1.0, _LARGEST_STEP_RAD / max(float(np.abs(step).max()), 1e-9))
        self._here.integrate_inplace(step * share, 1.0)

    def _whole(self, joints: Joints) -> Joints:
        """(nq,) of the model, of which the arm is a part."""
        q = np.array(self._model.qpos0)
        q[self._qpos] = joints
        return q


def joint_limits(model: mujoco.MjModel, qpos: npt.NDArray[np.int64]) -> Joints:
    """(J, 2) of the joints at these places in qpos [rad]."""
    order = [int(np.flatnonzero(model.jnt_qposadr == place)[0]) for place in qpos]
    return np.asarray(model.jnt_range[order], dtype=float)
