"""An arm inside a larger MuJoCo model: follows windows, grips, and reads its encoders."""

from __future__ import annotations

from dataclasses import dataclass

import mujoco
import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.ports import JointWindow
from sayso.robots.description import layout
from sayso.robots.profile import RobotProfile
from sayso.worlds.arm_model import grip_force_range
from sayso.worlds.noise import NoiseModel
from sayso.worlds.servo import JointServo

_SPEED_SHARE = 0.95
"""Of the velocity limits, for the reference: joints overshoot its speed by some percent."""
_FINGER_MOVES_M_S = 0.01
OPEN_FORCE_N = 20.0


@dataclass(frozen=True)
class JointReading:
    """Joint positions and velocities by name, arm then fingers [rad, m]."""

    stamp_s: float
    names: tuple[str, ...]
    positions: npt.NDArray[np.float64]
    velocities: npt.NDArray[np.float64]


class SimulatedArm:
    """The `ArmDriver` of a model that contains the robot.

    Args:
        model, data: of the whole world.
        prefix: of the robot's names in the model.
    """

    def __init__(
        self, robot: RobotProfile, model: mujoco.MjModel, data: mujoco.MjData, prefix: str = ""
    ) -> None:
        self._model, self._data, self.prefix = model, data, prefix
        self.robot, self._hand = robot, robot.hand
        self.parts = layout(model, robot, prefix)
        self._names = (*robot.joint_names, *robot.finger_names)
        of_joint = {int(model.actuator_trnid[i, 0]): i for i in _joint_motors(model)}
        self._motors = np.array([of_joint[model.joint(prefix + j.joint).id] for j in robot.joints])
        self._grip_motor = int(model.actuator(prefix + robot.hand.motor).id)
        # The servo damps towards rest; leading the reference by kv/kp makes it track.
        gain, bias = model.actuator_gainprm, model.actuator_biasprm
        self._lag_s = -bias[self._motors, 2] / gain[self._motors, 0]

    @property
    def ranges(self) -> tuple[Array, Array]:
        """Lowest and highest position of each joint (J,) [rad]."""
        low, high = self._model.actuator_ctrlrange[self._motors].T
        return low, high

    def reset(self, posture: tuple[float, ...]) -> None:
        """At rest in a posture, the hand open."""
        self.parts.set(self._data.qpos, posture, self._hand.open_at)
        self._servo = JointServo(
            np.array(posture),
            _SPEED_SHARE * self.robot.velocity_limits,
            self.robot.acceleration_limits,
            gentle=self._hand.held_share < 1.0,
        )
        self.grip(self._hand.width_m, OPEN_FORCE_N)

    def step(self, dt_s: float) -> None:
        """Set the motors for the next time step."""
        self.track(*self._servo.step(dt_s))

    def track(self, position: Array, velocity: Array) -> None:
        """Set the motors so that the joints are here at this speed: (J,) [rad], [rad/s]."""
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
        force = float(np.clip(force_n, 1.0, self._hand.force_n))
        self._data.ctrl[self._grip_motor] = self._hand.position(width_m)
        self._model.actuator_forcerange[self._grip_motor] = grip_force_range(self._hand, force)

    def hold_grip(self, width_m: float) -> None:
        """Stop moving fingers, at this width; at rest they press on as before.

        Raises INVALID for a width that is not finite.
        """
        if not np.isfinite(width_m):
            raise SaySoError(Code.INVALID, "the width at which fingers are held must be finite.")
        speed = np.abs(self._data.qvel[self.parts.finger_dof]).max() * self._hand.travel_m
        if speed > _FINGER_MOVES_M_S:
            self._data.ctrl[self._grip_motor] = self._hand.position(width_m)

    def read(self, noise: NoiseModel, rng: np.random.Generator) -> JointReading:
        """What the encoders read."""
        parts, hand = self.parts, self._hand
        q = np.concatenate([self._data.qpos[parts.arm], self._data.qpos[parts.fingers]])
        v = np.concatenate([self._data.qvel[parts.arm_dof], self._data.qvel[parts.finger_dof]])
        fingers = [noise.finger_sigma_m / hand.travel_m] * len(parts.fingers)
        sigma = np.array([noise.joint_sigma_rad] * len(parts.arm) + fingers)
        q += sigma * rng.standard_normal(len(q))
        return JointReading(float(self._data.time), self._names, q, v)

    def width_m(self, reading: JointReading) -> float:
        """Distance between the fingers that a reading tells of."""
        fingers = reading.positions[len(self.parts.arm) :]
        return float(np.mean([self._hand.width(float(q)) for q in fingers]))

    def place(self, data: mujoco.MjData, reading: JointReading) -> None:
        """Write a reading into the state of another copy of the world."""
        arm = len(self.parts.arm)
        self.parts.set(data.qpos, reading.positions[:arm], reading.positions[arm:])


def _joint_motors(model: mujoco.MjModel) -> list[int]:
    joint = mujoco.mjtTrn.mjTRN_JOINT
    return [i for i in range(model.nu) if model.actuator_trntype[i] == joint]
