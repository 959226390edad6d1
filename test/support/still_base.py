"""A base without physics that does what it is told, with an arm that only tells its joints."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene
from sayso.skills.poses import upright
from support.still_arm import StillArm

BRAKE_M_S2 = 1.5


class StillBase(StillArm):
    """`BaseDriver`, `ArmDriver` and `Senses` in one.

    Attributes:
        place: x, y [m] and yaw [rad].
        stuck: the base does not move.
        lost: nobody knows where the base is.
        noise: of each pose told: x, y [m].
        late_s: so old scenes are.
        told_late_s: so old poses are when they are told.
        acts_late_s: so long a command takes to have effect.
    """

    def __init__(self, place: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> None:
        super().__init__()
        self.place = np.array(place)
        self.stuck = self.lost = False
        self.noise = self.late_s = self.told_late_s = self.acts_late_s = 0.0
        self._past = [(self.time_s, self.place.copy())]
        self._speed = np.zeros(3)
        self._orders = [(self.time_s, np.zeros(3))]
        self._rng = np.random.default_rng(0)

    def drive(self, forward_m_s: float, left_m_s: float, turn_rad_s: float) -> None:
        self.log.append("drive")
        self._orders.append((self.time_s, np.array([forward_m_s, left_m_s, turn_rad_s])))

    def halt(self) -> None:
        self.log.append("halt")
        self._orders.append((self.time_s, np.zeros(3)))

    @property
    def speed_m_s(self) -> float:
        return float(np.hypot(*self._speed[:2]))

    @property
    def pose(self) -> Pose:
        x, y, yaw = (float(v) for v in self.place)
        return upright((x, y, 0.0), yaw)

    def robot(self) -> RobotState:
        state = super().robot()
        if self.lost:
            return state
        stamp_s = state.stamp_s - self.told_late_s
        x, y, yaw = next((p for t, p in reversed(self._past) if t <= stamp_s), self._past[0][1])
        dx, dy = self.noise * self._rng.standard_normal(2)
        base = upright((float(x + dx), float(y + dy), 0.0), float(yaw))
        return replace(state, stamp_s=stamp_s, base=base, gripper=base @ state.gripper)

    def scene(self) -> Scene:
        return Scene(self.time_s - self.late_s, (), self.robot(), frame="map")

    def wait(self, duration_s: float) -> None:
        begun_s, steps = self.time_s, round(duration_s / 0.01)
        super().wait(duration_s)
        for step in range(steps):
            limits = 0.01 * np.array([BRAKE_M_S2, BRAKE_M_S2, 3.0])
            heard_s = begun_s + 0.01 * step - self.acts_late_s + 1e-6
            wanted = next((v for t, v in reversed(self._orders) if t <= heard_s), np.zeros(3))
            self._speed += np.clip(wanted - self._speed, -limits, limits)
            if not self.stuck:
                c, s = np.cos(self.place[2]), np.sin(self.place[2])
                forward, left, turn = self._speed
                self.place += 0.01 * np.array(
                    [c * forward - s * left, s * forward + c * left, turn]
                )
            self._past.append((begun_s + 0.01 * (step + 1) - 1e-6, self.place.copy()))
