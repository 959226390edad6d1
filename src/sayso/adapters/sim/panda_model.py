"""The Menagerie Panda, prepared for grasping by friction alone."""

from __future__ import annotations

import mujoco
import numpy as np

from sayso.adapters.robots import panda_facts
from sayso.adapters.robots.urdf import Urdf
from sayso.core.geometry import Pose

ARM_JOINTS = tuple(f"joint{i}" for i in range(1, 8))
FINGER_JOINTS = ("finger_joint1", "finger_joint2")
READY = (0.0, -np.pi / 4, 0.0, -3 * np.pi / 4, 0.0, np.pi / 2, np.pi / 4)
"""Franka's ready pose: the hand over the table, pointing down."""

TCP_IN_HAND = Pose((0.0, 0.0, panda_facts.TOOL_OFFSET_M))
BASE_FRAME = "panda_link0"
HAND_FRAME = "panda_hand"
TCP_FRAME = "panda_hand_tcp"
_FRAMES = {
    "base_link": "base_link",
    "left_finger": "panda_leftfinger",
    "right_finger": "panda_rightfinger",
}

VELOCITY_LIMITS = np.array(panda_facts.VELOCITY_LIMITS)
ACCELERATION_LIMITS = np.array(panda_facts.ACCELERATION_LIMITS)
MAX_WIDTH_M = panda_facts.MAX_WIDTH_M
MAX_FORCE_N = panda_facts.MAX_FORCE_N


def frame(body: str) -> str:
    """The TF frame of one of the model's bodies."""
    return _FRAMES.get(body, f"panda_{body}")


def urdf(name: str, base: mujoco.MjSpec | None = None, mount: Pose | None = None) -> str:
    """The arm's description, with meshes and the names of frames and joints as over ROS.

    Args:
        base: what the arm stands on, the first body of this model; with where, in its frame.
    """
    described = Urdf(name, frame, lambda joint: f"panda_{joint}")
    on = None
    if base is not None and mount is not None:
        body = base.worldbody.first_body()
        described.add_tree(base, body)
        on = body.name, mount
    arm = load_panda()
    described.add_tree(arm, arm.body("link0"), on)
    return described.text()


def load_panda() -> mujoco.MjSpec:
    """A fresh spec of the arm at the origin, its hand able to hold things."""
    spec = mujoco.MjSpec.from_file(str(panda_facts.model_path()))
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
