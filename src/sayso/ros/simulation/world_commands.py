"""Trajectory messages to what the simulated arm takes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Protocol

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import ArmDriver, JointWindow
from sayso.robots.profile import RobotProfile


class SimulatedRobot(ArmDriver, Protocol):
    """What trajectories move."""

    @property
    def profile(self) -> RobotProfile: ...

    def hold_grip(self, width_m: float | None = None) -> None: ...


def move_arm(world: SimulatedRobot, msg: Any) -> None:
    """Carry out a `JointTrajectory` for the arm. Raises INVALID as `window_from_msg` does."""
    window = window_from_msg(msg, world.profile.joint_names)
    if window is None:
        world.hold()
    else:
        world.stream(window)


def move_gripper(world: SimulatedRobot, msg: Any) -> None:
    """Carry out a `JointTrajectory` for the gripper. Raises INVALID as `grip_from_msg` does."""
    width_m, force_n = grip_from_msg(msg, world.profile)
    if width_m is None or force_n is None:
        world.hold_grip(width_m)
    else:
        world.grip(width_m, force_n)


def window_from_msg(msg: Any, arm: Sequence[str]) -> JointWindow | None:
    """The window of a `JointTrajectory` for the arm, joints in any order; None to hold.

    Raises INVALID where joints are missing or unknown, or a point lacks positions.
    """
    if not msg.points:
        return None
    names = list(msg.joint_names)
    if sorted(names) != sorted(arm):
        raise SaySoError(
            Code.INVALID,
            f"a trajectory for the arm names the joints {names}.",
            choices=arm,
            hint="name each of these once.",
        )
    if any(len(p.positions) != len(names) for p in msg.points):
        raise SaySoError(Code.INVALID, "a point of a trajectory has not one position per joint.")
    order = [names.index(j) for j in arm]
    positions = np.array([list(p.positions) for p in msg.points])[:, order]
    times = [p.time_from_start.sec + p.time_from_start.nanosec * 1e-9 for p in msg.points]
    return JointWindow(np.array(times), positions)


def grip_from_msg(msg: Any, robot: RobotProfile) -> tuple[float | None, float | None]:
    """Width [m] and force [N] of a `JointTrajectory` for the gripper.

    The joint is the first of the fingers'. Without an effort the fingers
    are to stop at that width, without points where they are. Raises INVALID for another joint,
    or without position.
    """
    if not msg.points:
        return None, None
    last, joint = msg.points[-1], robot.finger_names[0]
    if list(msg.joint_names) != [joint] or not last.positions:
        raise SaySoError(Code.INVALID, f"a trajectory for the gripper needs a position of {joint}.")
    width_m = robot.hand.width(float(last.positions[0]))
    return width_m, float(last.effort[0]) if last.effort else None
