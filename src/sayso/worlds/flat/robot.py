"""The mobile robot: a base of Spot's size with an arm and hand in front.

Walking is abstracted: the base is a body on planar joints, driven by velocity within Spot's
limits and stopped by what its footprint touches. The legs are only seen.
"""

from __future__ import annotations

import mujoco
import numpy as np

from sayso.core.base_limits import BaseLimits
from sayso.core.geometry import Array, Pose
from sayso.robots.profile import Base, RobotProfile
from sayso.robots.urdf import robot_urdf
from sayso.worlds.arm_model import load_arm
from sayso.worlds.cameras import CameraMount, add_cameras, hand_camera, look_at
from sayso.worlds.flat.scene import about_z
from sayso.worlds.things import Rgba

MAX_ACCELERATION_M_S2 = 1.5
MAX_TURN_ACCELERATION_RAD_S2 = 3.0
BASE_FRAME = "base_link"
BODY = "mobile_base"
ARM_PREFIX = "arm/"
LASER_FRAME = "laser"

LASER_MOUNT = Pose((0.0, 0.0, 0.18))
"""The frame in which what both lasers meet is told: one scan all around, as a merger of scans
makes it of theirs."""
LASERS: tuple[Pose, ...] = (
    Pose((0.55, 0.25, 0.18), about_z(np.pi / 4)),
    Pose((-0.55, -0.25, 0.18), about_z(-3 * np.pi / 4)),
)
"""At two corners across, low enough to meet a cat. Each sweeps three quarters of the round, which
is all that the robot's own body leaves it; together they see all around."""

BASE_JOINTS = ("base_x", "base_y", "base_yaw")
_MASS_KG = 42.0
_GAIN = (6000.0, 6000.0, 1500.0)
_FORCE = (700.0, 700.0, 250.0)
_YELLOW: Rgba = (0.96, 0.76, 0.05, 1)
_DARK: Rgba = (0.10, 0.10, 0.11, 1)
_SEEN, _HIDDEN = 2, 3
"""Geom groups: the robot's own shapes, which the laser does not see, and collision shapes."""

CAMERAS = ("front", "gripper")


def cameras(profile: RobotProfile) -> tuple[CameraMount, ...]:
    """One on the mast, one on the hand."""
    mast = look_at((-0.18, 0.0, 1.40), (1.7, 0.0, 0.55))
    front, gripper = CAMERAS
    return CameraMount(front, BODY, mast, 60.0), hand_camera(gripper, profile, ARM_PREFIX)


def add_robot(spec: mujoco.MjSpec, profile: RobotProfile) -> None:
    """Put the robot into the flat, at the map's origin when its joints are zero.

    Raises UNSUPPORTED for a robot without a base.
    """
    base = profile.require_base()
    robot = spec.worldbody.add_body(name=BODY)
    slide, hinge = mujoco.mjtJoint.mjJNT_SLIDE, mujoco.mjtJoint.mjJNT_HINGE
    robot.add_joint(name="base_x", type=slide, axis=[1, 0, 0])
    robot.add_joint(name="base_y", type=slide, axis=[0, 1, 0])
    robot.add_joint(name="base_yaw", type=hinge, axis=[0, 0, 1])
    robot.mass, robot.ipos, robot.inertia = _MASS_KG, [0, 0, 0.25], [1.2, 4.5, 5.0]
    robot.explicitinertial = True
    _add_body(robot, base)
    frame = robot.add_frame(pos=base.mount.position)
    arm = load_arm(profile)
    arm.option.impratio = spec.option.impratio  # the scene's, or MuJoCo would warn
    spec.attach(arm, frame=frame, prefix=ARM_PREFIX)
    for joint, gain, force in zip(BASE_JOINTS, _GAIN, _FORCE, strict=True):
        motor = spec.add_actuator(name=joint, target=joint, trntype=mujoco.mjtTrn.mjTRN_JOINT)
        motor.set_to_velocity(gain)
        motor.forcelimited, motor.forcerange = True, [-force, force]
    add_cameras(spec, cameras(profile))


def description(profile: RobotProfile) -> str:
    """The robot as URDF."""
    spec = mujoco.MjSpec()
    _add_body(spec.worldbody.add_body(name=BASE_FRAME), profile.require_base())
    return robot_urdf(profile, spec)


def _add_body(robot: mujoco.MjsBody, base: Base) -> None:
    box, tube = mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_CAPSULE
    length, width = base.footprint_m
    robot.add_geom(
        name="footprint", type=box, size=[length / 2, width / 2, 0.15], pos=[0, 0, 0.20],
        group=_HIDDEN, mass=0.0, friction=[0.3, 0.005, 0.0001],
    )  # fmt: skip

    def shown(kind: object, size: list[float], at: list[float], rgba: Rgba) -> None:
        robot.add_geom(
            type=kind, size=size, pos=at, rgba=rgba, group=_SEEN, contype=0, conaffinity=0, mass=0.0
        )

    ahead, _, top = base.mount.position
    middle = top - 0.07
    shown(box, [0.42, 0.13, 0.07], [0, 0, middle], _YELLOW)
    shown(box, [0.05, 0.125, 0.065], [0.46, 0, middle - 0.005], _DARK)
    shown(box, [0.05, 0.125, 0.065], [-0.46, 0, middle - 0.005], _DARK)
    shown(box, [0.12, 0.11, 0.005], [ahead, 0, top - 0.003], _DARK)
    shown(tube, [0.018, 0.50, 0], [-0.22, 0, 0.86], _DARK)
    shown(box, [0.03, 0.06, 0.02], [-0.22, 0, 1.40], _DARK)
    for sx in (-1, 1):
        for sy in (-1, 1):
            hip, knee, foot = (
                [sx * 0.33, sy * 0.19, middle - 0.01],
                [sx * 0.33 - 0.10, sy * 0.21, (middle + 0.03) / 2],
                [sx * 0.33 + 0.02, sy * 0.21, 0.025],
            )
            shown(tube, [0.06, 0.03, 0], hip, _DARK)
            for a, b, r, paint in ((hip, knee, 0.035, _YELLOW), (knee, foot, 0.022, _DARK)):
                robot.add_geom(
                    type=tube, fromto=[*a, *b], size=[r, 0, 0], rgba=paint, group=_SEEN,
                    contype=0, conaffinity=0, mass=0.0,
                )  # fmt: skip


class BaseDrive:
    """Turns velocity commands into joint velocities within limits.

    A command holds for `valid_s` only: a robot that nobody drives comes to rest.
    """

    def __init__(self, limits: BaseLimits) -> None:
        self._limits = limits
        self._command = np.zeros(3)
        self._velocity: Array = np.zeros(3)
        self._left_s = 0.0

    @property
    def velocity(self) -> Array:
        """(3,) what is asked of the base now: forward, left [m/s], turn [rad/s]."""
        return np.array(self._velocity)

    def command(self, forward: float, left: float, turn: float, valid_s: float) -> None:
        """Take a command; speeds beyond the limits are scaled down, direction kept."""
        planar = np.array([forward, left], dtype=float)
        speed = float(np.linalg.norm(planar))
        planar *= min(1.0, self._limits.speed_m_s / speed) if speed > 0 else 1.0
        fastest = self._limits.turn_rad_s
        self._command[:] = (*planar, np.clip(turn, -fastest, fastest))
        self._left_s = valid_s

    def step(self, yaw: float, dt_s: float) -> Array:
        """Advance; joint velocities (3,) in the map: x, y, yaw."""
        self._left_s -= dt_s
        wanted = self._command if self._left_s > 0 else np.zeros(3)
        change = wanted - self._velocity
        planar = float(np.linalg.norm(change[:2]))
        limit = MAX_ACCELERATION_M_S2 * dt_s
        if planar > limit:
            change[:2] *= limit / planar
        turn = MAX_TURN_ACCELERATION_RAD_S2 * dt_s
        change[2] = np.clip(change[2], -turn, turn)
        self._velocity = self._velocity + change
        c, s = np.cos(yaw), np.sin(yaw)
        forward, left, rate = self._velocity
        return np.array([c * forward - s * left, s * forward + c * left, rate])
