"""A driver and senses without physics: the arm is wherever the last window says it is by now."""

from __future__ import annotations

import numpy as np

from sayso.core.errors import SaySoError
from sayso.core.geometry import Pose
from sayso.core.ports import JointWindow
from sayso.core.scene import RobotState, Scene


class StillKinematics:
    """Three sliding joints: the tool is where they say, looking down."""

    joint_names = ("x", "y", "z")
    limits = np.array([[-0.25, 0.85], [-0.8, 0.8], [0.0, 1.0]])
    velocity_limits = np.array([1.0, 1.0, 1.0])
    acceleration_limits = np.array([4.0, 4.0, 4.0])
    home = np.array([0.3, 0.0, 0.5])

    def forward(self, joints: np.ndarray) -> Pose:
        x, y, z = (float(v) for v in joints)
        return Pose((x, y, z), (1.0, 0.0, 0.0, 0.0))

    def inverse(
        self, target: Pose, seed: np.ndarray, *, anywhere: bool = True
    ) -> np.ndarray | None:
        return np.array(target.position)


class StillArm:
    """`ArmDriver` and `Senses` in one; `log` holds every call in order.

    Attributes:
        at_step: called with the time before each wait, to disturb what goes on.
        silent: joint readings stay as old as they are.
        blocked: the arm does not move.
        trouble: what the robot says of the motion it was sent.
    """

    def __init__(self) -> None:
        self.log: list[str] = []
        self.time_s = 10.0
        self.width_m = 0.08
        self.silent = self.blocked = False
        self.trouble: SaySoError | None = None
        self.at_step = lambda time_s: None
        self._position = StillKinematics.home.copy()
        self._window: JointWindow | None = None
        self._sent_s = 0.0
        self._stamp_s = self.time_s

    def stream(self, window: JointWindow) -> None:
        self.log.append("stream")
        self._window, self._sent_s = window, self.time_s

    def hold(self) -> None:
        self.log.append("hold")
        self._window = None

    def grip(self, width_m: float, force_n: float) -> None:
        self.log.append("grip")
        self.width_m = width_m

    def hold_grip(self, width_m: float) -> None:
        self.log.append("hold_grip")
        self.width_m = width_m

    def require_obeyed(self) -> None:
        if self.trouble is not None:
            raise self.trouble

    def scene(self) -> Scene:
        return Scene(self.time_s, (), self.robot())

    def scene_after(self, stamp_s: float, timeout_s: float) -> Scene:
        self.wait(0.1)
        return self.scene()

    def robot(self) -> RobotState:
        pose = StillKinematics().forward(self._position)
        joints = tuple(float(v) for v in self._position)
        return RobotState(self._stamp_s, joints, self.width_m, pose)

    def now_s(self) -> float:
        return self.time_s

    def wait(self, duration_s: float) -> None:
        self.at_step(self.time_s)
        self.time_s += duration_s
        if not self.silent:
            self._stamp_s = self.time_s
        if self._window is not None and not self.blocked:
            since = self.time_s - self._sent_s
            columns = self._window.positions.T
            self._position = np.array([np.interp(since, self._window.times_s, c) for c in columns])
