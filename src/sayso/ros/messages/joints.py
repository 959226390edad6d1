"""Joint readings to the robot's state."""

from __future__ import annotations

from typing import Any

import numpy as np

from sayso.core.ports import Kinematics
from sayso.core.scene import RobotState
from sayso.robots.profile import RobotProfile
from sayso.ros.messages.conversions import time_from_msg


def robot_state(msg: Any, kinematics: Kinematics, robot: RobotProfile) -> RobotState | None:
    """The state that a `JointState` tells of; None if it lacks a joint of the arm.

    The first finger joint tells how far the hand is open; the tool's pose follows from the arm's.
    """
    positions = dict(zip(msg.name, msg.position, strict=False))
    finger = robot.finger_names[0]
    if not positions.keys() >= {*kinematics.joint_names, finger}:
        return None
    joints = tuple(float(positions[name]) for name in kinematics.joint_names)
    return RobotState(
        stamp_s=time_from_msg(msg.header.stamp),
        joint_positions=joints,
        gripper_width_m=robot.hand.width(float(positions[finger])),
        gripper=kinematics.forward(np.array(joints)),
        gripper_max_width_m=robot.hand.width_m,
    )
