"""The Panda inside a larger MuJoCo model: follows windows, grips, and reads its encoders."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.adapters.sim import panda_model
from sayso.adapters.sim.noise import NoiseModel
from sayso.adapters.sim.servo import JointServo
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import JointWindow

_SPEED_SHARE = 0.95
"""Of the velocity limits, for the reference: joints overshoot its speed by some percent."""
_FINGER_MOVES_M_S = 0.01
OPEN_FORCE_N = 20.0

JOINT_NAMES = tuple(f"panda_{n}" for n in panda_model.ARM_JOINTS + panda_model.FINGER_JOINTS)
"""Arm, base to tip, then the two fingers; as in readings."""


@dataclass(frozen=True)
class JointReading:
    """Joint positions and velocities by name, arm then fingers [rad, m]."""

    stamp_s: float
    names: tuple[str, ...]
    positions: npt.NDArray[np.float64]
    velocities: npt.NDArray[np.float64]


class SimulatedPanda:
    """The `ArmDriver` of a model that contains the Panda.

    Args:
        model, data: of the whole world.
        prefix: of the Panda's names in the model.
    """

    def __init__(self, model: mujoco.MjModel, data: mujoco.MjData, prefix: str = "") -> None:
        self._model, self._data = model, data
        arm = [prefix + j for j in panda_model.ARM_JOINTS]
        fingers = [prefix + j for j in panda_model.FINGER_JOINTS]
        self.arm_qpos = np.array([model.joint(j).qposadr[0] for j in arm])
        self.arm_dof = np.array([model.joint(j).dofadr[0] for j in arm])
        self.finger_qpos = np.array([model.joint(j).qposadr[0] for j in fingers])
        self.finger_dof = np.array([model.joint(j).dofadr[0] for j in fingers])
        self._motors = np.array([model.actuator(f"{prefix}actuator{i}").id for i in range(1, 8)])
        self._grip_motor = int(model.actuator(f"{prefix}actuator8").id)
        # The servo damps towards rest; leading the reference by kv/kp makes it track.
        gain, bias = model.actuator_gainprm, model.actuator_biasprm
        self._lag_s = -bias[self._motors, 2] / gain[self._motors, 0]

    def reset(self, posture: tuple[float, ...]) -> None:
        """At rest in a posture, the hand open."""
        self._data.qpos[self.arm_qpos] = posture
        self._data.qpos[self.finger_qpos] = panda_model.MAX_WIDTH_M / 2
        self._servo = JointServo(
            np.array(posture),
            _SPEED_SHARE * panda_model.VELOCITY_LIMITS,
            panda_model.ACCELERATION_LIMITS,
        )
        self.grip(panda_model.MAX_WIDTH_M, OPEN_FORCE_N)

    def step(self, dt_s: float) -> None:
        """Set the motors for the next time step."""
        position, velocity = self._servo.step(dt_s)
        self._data.ctrl[self._motors] = position + self._lag_s * velocity

    def stream(self, window: JointWindow) -> None:
        """Follow the window from now on (`ArmDriver`)."""
        self._servo.follow(window)

    def hold(self) -> None:
        """Come to rest at once, within the joints' limits (`ArmDriver`)."""
        self._servo.brake()

    def grip(self, width_m: float, force_n: float) -> None:
        """Move the fingers towards a width, each pressing with at most this force."""
        if not (np.isfinite(width_m) and np.isfinite(force_n)):
            raise SaySoError(Code.INVALID, "a grip's width and force must be finite.")
        width = float(np.clip(width_m, 0.0, panda_model.MAX_WIDTH_M))
        force = float(np.clip(force_n, 1.0, panda_model.MAX_FORCE_N))
        self._data.ctrl[self._grip_motor] = width / 2
        self._model.actuator_forcerange[self._grip_motor] = (-2 * force, 2 * force)

    def hold_grip(self, width_m: float | None = None) -> None:
        """Stop moving fingers, at this width or where they are; at rest they press on as before.

        Raises INVALID for a width that is not finite.
        """
        if width_m is not None and not np.isfinite(width_m):
            raise SaySoError(Code.INVALID, "the width at which fingers are held must be finite.")
        if np.abs(self._data.qvel[self.finger_dof]).max() > _FINGER_MOVES_M_S:
            travel = self._data.qpos[self.finger_qpos].mean() if width_m is None else width_m / 2
            self._data.ctrl[self._grip_motor] = np.clip(travel, 0.0, panda_model.MAX_WIDTH_M / 2)

    def read(self, noise: NoiseModel, rng: np.random.Generator) -> JointReading:
        """What the encoders read."""
        q = np.concatenate([self._data.qpos[self.arm_qpos], self._data.qpos[self.finger_qpos]])
        v = np.concatenate([self._data.qvel[self.arm_dof], self._data.qvel[self.finger_dof]])
        sigma = np.array([noise.joint_sigma_rad] * 7 + [noise.finger_sigma_m] * 2)
        q += sigma * rng.standard_normal(9)
        return JointReading(float(self._data.time), JOINT_NAMES, q, v)
