"""What skills may know of the world: observation, proprioception and time. No ground truth."""

from __future__ import annotations

from typing import Protocol

from sayso.core.scene import RobotState, Scene


class Senses(Protocol):
    """The newest observations. In ROS these come from topics, in one process from a simulator."""

    def scene(self) -> Scene:
        """The newest observed scene. Raises STALE if there is none."""

    def scene_after(self, stamp_s: float, timeout_s: float) -> Scene:
        """A scene whose images were all exposed after a time. Raises STALE."""

    def robot(self) -> RobotState:
        """The newest joint reading."""

    def now_s(self) -> float:
        """The time of stamps: simulated time where the robot is simulated."""

    def wait(self, duration_s: float) -> None:
        """Let this much time pass on the same clock."""
