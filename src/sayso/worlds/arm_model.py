"""A robot's description, prepared for simulation: position control, grasping by friction alone."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

import mujoco
import numpy as np

from sayso.robots.description import robot_spec
from sayso.robots.profile import Hand, RobotProfile


def load_arm(robot: RobotProfile) -> mujoco.MjSpec:
    """A fresh spec of the robot at the origin, its hand able to hold things."""
    spec = robot_spec(robot)
    for body in spec.bodies[1:]:
        body.gravcomp = 1.0  # as real controllers do
    for joint in robot.joints:
        motor = arm_motor(spec, joint.joint)
        _position_control(motor, joint.stiffness_nm_rad, joint.damping_nms_rad)
        motor.ctrlrange = spec.joint(joint.joint).range
    _strengthen_hand(spec, robot.hand)
    _rubber_fingertips(spec, robot.hand)
    return spec


def arm_motor(spec: mujoco.MjSpec, joint: str) -> mujoco.MjsActuator:
    """What drives a joint of the description."""
    return next(a for a in spec.actuators if a.target == joint)


def grip_force_range(hand: Hand, force_n: float) -> tuple[float, float]:
    """Of the hand's motor, for a finger's force: it moves both fingers by half its own travel."""
    most = 2 * force_n * hand.travel_m
    return -most, most


def _position_control(motor: mujoco.MjsActuator, stiffness: float, damping: float) -> None:
    motor.gaintype = mujoco.mjtGain.mjGAIN_FIXED
    motor.biastype = mujoco.mjtBias.mjBIAS_AFFINE
    motor.gainprm[0] = stiffness
    motor.biasprm[:3] = [0.0, -stiffness, -damping]


def _strengthen_hand(spec: mujoco.MjSpec, hand: Hand) -> None:
    """Drive the fingers in their joints' unit with a real hand's force."""
    motor = spec.actuator(hand.motor)
    _position_control(motor, hand.stiffness, hand.damping)
    motor.ctrlrange = sorted((hand.open_at, hand.closed_at))
    motor.forcerange = grip_force_range(hand, hand.force_n)
    if hand.drive_inertia:
        for joint in hand.fingers.values():
            spec.joint(joint).armature = hand.drive_inertia


def _rubber_fingertips(spec: mujoco.MjSpec, hand: Hand) -> None:
    for name in hand.pads:
        solid = [g for g in spec.body(name).geoms if g.contype or g.conaffinity]
        boxes = [g for g in solid if g.type == mujoco.mjtGeom.mjGEOM_BOX]
        for geom in boxes or solid:
            if geom.meshname in hand.teeth:
                # MuJoCo 4.0.0 pushes a cylinder along the wrong face of a mesh that an edge of it
                # touches (mended in 4.0.1); a tooth that does so throws out what is held.
                geom.type = mujoco.mjtGeom.mjGEOM_CAPSULE
            geom.friction = [1.5, 0.02, 0.0005]
            geom.condim = 4
            geom.solref = [0.005, 1.0]  # softer pads let what they hold creep by millimetres
            geom.priority = 1
        _join_flush(spec, boxes)


def _join_flush(spec: mujoco.MjSpec, boxes: Sequence[mujoco.MjsGeom]) -> None:
    """Makes one box of boxes whose faces are flush towards what is held.

    Between the pads of a finger whose description leaves gaps, MuJoCo pinches what is round: a
    bottle's neck bulges into the gap, is held by the gap's two sides, and goes along when the hand
    opens.
    """
    flush: dict[tuple[float, float], list[mujoco.MjsGeom]] = defaultdict(list)
    for box in boxes:
        flush[float(box.pos[1]), float(box.size[1])].append(box)
    for first, *others in flush.values():
        low = np.min([b.pos - b.size for b in (first, *others)], axis=0)
        high = np.max([b.pos + b.size for b in (first, *others)], axis=0)
        first.pos, first.size = (low + high) / 2, (high - low) / 2
        for other in others:
            spec.delete(other)
