"""Where a mobile robot and its hand are in the map, from `/tf`."""

from __future__ import annotations

from dataclasses import dataclass, replace

from rclpy.node import Node

from sayso.core.geometry import Pose
from sayso.core.scene import RobotState
from sayso.ros.robot.transforms import transforms_heard_by


@dataclass(frozen=True)
class MobileFrames:
    """Names of frames: the scene's, the base's, and the one that the arm stands on."""

    arm: str
    scene: str = "map"
    base: str = "base_link"


class BaseLocalisation:
    """Puts arm readings, which are told in the arm's own frame, into the scene's frame."""

    def __init__(self, node: Node, frames: MobileFrames) -> None:
        self._frames = frames
        self._transforms = transforms_heard_by(node)

    def base(self, stamp_s: float) -> Pose:
        """Where the base was in the scene's frame. Raises STALE where that is not known."""
        return self._transforms.lookup(self._frames.scene, self._frames.base, stamp_s)

    def frame(self, name: str, stamp_s: float) -> Pose:
        """Where a frame was in the scene's. Raises STALE where that is not known."""
        return self._transforms.lookup(self._frames.scene, name, stamp_s)

    def in_scene(self, robot: RobotState) -> RobotState:
        """The state with `base` filled and the hand in the scene's frame.

        Raises:
            SaySoError: STALE where localisation does not tell where the base was at that time.
        """
        f, stamp_s = self._frames, robot.stamp_s
        base = self._transforms.lookup(f.scene, f.base, stamp_s)
        arm = self._transforms.lookup(f.scene, f.arm, stamp_s)
        return replace(robot, base=base, gripper=arm @ robot.gripper)
