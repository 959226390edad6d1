"""Joint readings to the robot's state."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from sayso.core.ports import Kinematics
from sayso.core.scene import RobotState
from sayso.robots.profile import RobotProfile
from sayso.ros.messages.conversions import time_from_msg

APART_S = 0.3
"""What joints are told in separate messages is one reading if it is not farther apart."""


@dataclass(frozen=True)
class WholeReading:
    """Positions of all joints of the arm, and of the first finger joint.

    Attributes:
        stamp_s: of the joint of the arm that was read first; the finger's may be `APART_S` off.
    """

    stamp_s: float
    arm: tuple[float, ...]
    finger: float


class JointReadings:
    """Makes whole readings from `JointState` messages, each of which may tell of a part."""

    def __init__(self, robot: RobotProfile) -> None:
        self._arm, self._finger = robot.joint_names, robot.finger_names[0]
        self._newest: dict[str, tuple[float, float]] = {}

    def take(self, msg: Any) -> WholeReading | None:
        """The reading that a message completes; None if it tells of no joint of the arm, or
        another joint was not told of lately."""
        stamp_s = time_from_msg(msg.header.stamp)
        told = {n: (stamp_s, float(p)) for n, p in zip(msg.name, msg.position, strict=False)}
        self._newest.update(told)
        if told.keys().isdisjoint(self._arm):
            return None
        known = [self._newest.get(name) for name in (*self._arm, self._finger)]
        whole = [k for k in known if k is not None and abs(k[0] - stamp_s) <= APART_S]
        if len(whole) < len(known):
            return None
        *arm, (_, finger) = whole
        return WholeReading(min(s for s, _ in arm), tuple(q for _, q in arm), finger)


def robot_state(reading: WholeReading, kinematics: Kinematics, robot: RobotProfile) -> RobotState:
    """The state that a reading tells of.

    The finger tells how far the hand is open; the tool's pose follows from the arm's joints.
    """
    return RobotState(
        stamp_s=reading.stamp_s,
        joint_positions=reading.arm,
        gripper_width_m=robot.hand.width(reading.finger),
        gripper=kinematics.forward(np.array(reading.arm)),
        gripper_max_width_m=robot.hand.width_m,
    )
