"""What moves by script: doors that swing, people and cats that walk."""

from __future__ import annotations

import numpy as np

from sayso.core.geometry import Array, Pose
from sayso.worlds.flat.scene import Door, Item, Walker, about_z

DOOR_SPEED = 0.5
"""Openings per second: a door takes two seconds."""
_CLEAR_M = 0.65
"""A leaf keeps so far from the middle of the robot, whose longer half is 0.55 m."""
_STOP_M = 1.1
"""A walker waits while the middle of the robot is this near ahead of it."""


class MovingDoor:
    """A door's leaf, moved at a fixed speed towards where it is told to go.

    Its drive waits while the robot is where the leaf would come to.
    """

    def __init__(self, door: Door) -> None:
        self.door = door
        self.opening = self.target = door.opening

    def step(self, dt_s: float, robot: Array) -> Pose | None:
        """Advance past a robot at (2,); the leaf's new pose, or None where it rests."""
        if self.opening == self.target:
            return None
        change = np.clip(self.target - self.opening, -DOOR_SPEED * dt_s, DOOR_SPEED * dt_s)
        opening = float(np.clip(self.opening + change, 0.0, 1.0))
        if self._gap_m(opening, robot) < min(_CLEAR_M, self._gap_m(self.opening, robot)):
            return None
        self.opening = opening
        return self.door.leaf(opening)

    def _gap_m(self, opening: float, robot: Array) -> float:
        """From the middle of the robot to the leaf."""
        place = Pose((float(robot[0]), float(robot[1]), 0.0))
        along, across, _ = (self.door.leaf(opening).inverse() @ place).position
        beside = abs(along - self.door.width / 2) - self.door.width / 2
        return float(np.hypot(max(beside, 0.0), across))


class MovingLid:
    """An item's lid, rolled at a fixed speed towards where it is told to go."""

    def __init__(self, item: Item) -> None:
        self.item = item
        self.opening = self.target = item.lid

    def step(self, dt_s: float) -> bool:
        """Advance; whether it moved."""
        change = np.clip(self.target - self.opening, -DOOR_SPEED * dt_s, DOOR_SPEED * dt_s)
        self.opening = float(np.clip(self.opening + change, 0.0, 1.0))
        return bool(change)


class MovingWalker:
    """A walker on its round. It waits for what stands in its way rather than pushing it."""

    def __init__(self, walker: Walker) -> None:
        self.walker = walker
        self.walking = walker.walking
        self.place = np.array(walker.path[0], dtype=float)
        self.yaw = 0.0
        self._next = 1 % len(walker.path)

    @property
    def pose(self) -> Pose:
        return Pose((float(self.place[0]), float(self.place[1]), 0.0), about_z(self.yaw))

    def jump(self, x: float, y: float) -> None:
        """Stand somewhere else; the round goes on from there."""
        self.place = np.array([x, y], dtype=float)

    def step(self, dt_s: float, robot: Array) -> Pose | None:
        """Advance past a robot at (2,); the new pose, or None while standing."""
        if not self.walking or len(self.walker.path) < 2:
            return None
        goal = np.array(self.walker.path[self._next])
        way = goal - self.place
        left = float(np.linalg.norm(way))
        if left < 1e-9:
            self._next = (self._next + 1) % len(self.walker.path)
            return None
        ahead = way / left
        to_robot = robot - self.place
        if np.linalg.norm(to_robot) < _STOP_M and float(to_robot @ ahead) > 0:
            return None
        stride = min(self.walker.speed * dt_s, left)
        self.place = self.place + ahead * stride
        self.yaw = float(np.arctan2(ahead[1], ahead[0]))
        if stride >= left:
            self._next = (self._next + 1) % len(self.walker.path)
        return self.pose
