"""Joint readings to the robot's state."""

from __future__ import annotations

from typing import Any

import numpy as np

from sayso.core.ports import Kinematics
from sayso.core.scene import RobotState
from sayso.ros.conversions import time_from_msg


def robot_state(msg: Any, kinematics: Kinematics, finger_joint: str) -> RobotState | None:
    """The state that a `JointState` tells of; None if it lacks a joint of the arm.

    The finger joint's position is one finger's travel, half the width between the fingers.
    The tool's pose is computed from the joints.
    """
    positions = dict(zip(msg.name, msg.position, strict=False))
    if not positions.keys() >= {*kinematics.joint_names, finger_joint}:
        return None
    joints = tuple(float(positions[name]) for name in kinematics.joint_names)
    return RobotState(
        stamp_s=time_from_msg(msg.header.stamp),
        joint_positions=joints,
        gripper_width_m=2 * float(positions[finger_joint]),
        gripper=kinematics.forward(np.array(joints)),
    )
