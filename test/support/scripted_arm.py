"""GatedMotions the simulated arm by true poses: shows what physics allows, nothing more."""

from __future__ import annotations

from functools import lru_cache

import numpy as np

from sayso.core.geometry import Array, Pose, Vector3, quaternion_from_matrix, rotation_matrix
from sayso.core.ports import JointWindow
from sayso.core.scene import SceneObject
from sayso.robots.kinematics import ArmKinematics
from sayso.worlds.table.table_world import TableWorld
from sayso.worlds.things import CABINET

DOWN = 0.0
ACROSS = -np.pi / 2
"""Closing along y, as at the ready pose."""


def tool(position: Vector3, yaw: float, lean: float = DOWN) -> Pose:
    """The tool pointing down; its fingers close along x turned by yaw; `lean` tips it to +x."""
    c, s = np.cos(yaw), np.sin(yaw)
    closing = np.array([c, s, 0.0])
    approach = np.array([np.sin(lean), 0.0, -np.cos(lean)])
    matrix = np.column_stack([np.cross(closing, approach), closing, approach])
    return Pose(position, quaternion_from_matrix(matrix))


@lru_cache(maxsize=1)
def _kinematics() -> ArmKinematics:
    return ArmKinematics()


class ScriptedArm:
    """Open-loop motions in joint space and along straight lines."""

    def __init__(self, world: TableWorld) -> None:
        self.world = world
        self.kinematics = _kinematics()
        self.touched: set[str] = set()

    @property
    def joints(self) -> Array:
        return np.array(self.world.robot_state().joint_positions)

    def go(self, target: Pose, duration_s: float = 1.2) -> None:
        """Through joint space, smoothly."""
        start = self.joints
        goal = self.kinematics.inverse(target, start)
        assert goal is not None, f"unreachable: {target}"
        self._follow(start, goal, duration_s)

    def line(self, target: Pose, duration_s: float = 0.8, steps: int = 12) -> None:
        """Straight, keeping the orientation of the target."""
        a = np.array(self.world.robot_state().gripper.position)
        b = np.array(target.position)
        for i in range(1, steps + 1):
            x, y, z = a + (b - a) * i / steps
            goal = self.kinematics.inverse(
                Pose((float(x), float(y), float(z)), target.orientation), self.joints
            )
            assert goal is not None
            here = self.joints
            step_s = max(duration_s / steps, float(np.max(np.abs(goal - here))) / 0.9)
            self.world.stream(JointWindow(np.array([0.0, step_s]), np.vstack([here, goal])))
            self.wait(step_s)
        self.wait(0.15)

    def grip(self, width_m: float, force_n: float = 30.0) -> None:
        self.world.grip(width_m, force_n)
        self.wait(0.5)

    def wait(self, seconds: float) -> None:
        for _ in range(max(1, round(seconds / 0.02))):
            self.world.step(0.02)
            self.touched |= self.world.contacts()

    def pick(self, obj: SceneObject) -> None:
        """From above, across the faces of a box."""
        x, y, z = obj.position
        yaw = flat_yaw(obj)
        self.grip(0.08)
        self.go(tool((x, y, 0.28), yaw))
        self.line(tool((x, y, z), yaw))
        self.grip(0.0)
        self.line(tool((x, y, 0.28), yaw))

    def place(self, position: Vector3, yaw: float = ACROSS) -> None:
        """Put what is held down with the tool at a position."""
        x, y, z = position
        self.go(tool((x, y, 0.28), yaw))
        self.line(tool((x, y, z + 0.002), yaw))
        self.grip(0.08)
        self.line(tool((x, y, 0.28), yaw))

    def push_shut(self, drawer: SceneObject) -> None:
        """Push a drawer's handle back with closed fingers."""
        x, y, z = handle(drawer)
        self.grip(0.0)
        self.go(tool((x - 0.06, y, 0.28), ACROSS))
        self.line(tool((x - 0.06, y, z), ACROSS))
        self.line(tool((x - 0.01 + (drawer.number("opening_m") or 0.0), y, z), ACROSS), 2.0)
        self.line(tool((x - 0.10, y, z), ACROSS))

    def _follow(self, start: Array, goal: Array, duration_s: float) -> None:
        share = (1 - np.cos(np.pi * np.linspace(0, 1, 40))) / 2
        duration_s = max(duration_s, float(np.max(np.abs(goal - start))) / 0.9)
        times = np.linspace(0, duration_s, 40)
        self.world.stream(JointWindow(times, start + share[:, None] * (goal - start)))
        self.wait(duration_s + 0.15)


def flat_yaw(obj: SceneObject) -> float:
    """The closing direction across a box's faces that is nearest to the y axis."""
    x_axis = rotation_matrix(obj.orientation)[:, 0]
    yaw = float(np.arctan2(x_axis[1], x_axis[0]))
    return _nearest(yaw, ACROSS)


def _nearest(yaw: float, to: float) -> float:
    return to + (yaw - to + np.pi / 4) % (np.pi / 2) - np.pi / 4


def handle(drawer: SceneObject) -> Vector3:
    """Middle of a drawer's bar handle."""
    x, y, z = drawer.position
    return (x - drawer.size[0] / 2 - CABINET.handle_standoff, y, z)


def open_drawer(arm: ScriptedArm, drawer: SceneObject, opening_m: float) -> None:
    """Grasp the handle from above, pull, let go."""
    x, y, z = handle(drawer)
    end = x - opening_m + (drawer.number("opening_m") or 0.0)
    arm.grip(0.035)
    arm.go(tool((x, y, 0.28), np.pi))
    arm.line(tool((x, y, z + 0.004), np.pi))
    arm.grip(0.0, 40.0)
    arm.line(tool((end, y, z + 0.004), np.pi), 2.0)
    arm.grip(0.04)
    arm.line(tool((end, y, 0.28), np.pi))


def stack_on_plate(arm: ScriptedArm, lower: str, upper: str) -> None:
    """Put one block on the plate and another on top of it."""

    def now(name: str) -> SceneObject:
        return next(o for o in arm.world.truth() if o.name == name)

    for name, support in ((lower, "plate"), (upper, lower)):
        arm.pick(now(name))
        x, y, z = now(support).position
        arm.place((x, y, z + now(support).size[2] / 2 + now(name).size[2] / 2))
    arm.wait(0.3)


def lift_by_rim(arm: ScriptedArm, dish: SceneObject) -> None:
    """One finger in, one finger out, at a point of the rim away from any handle."""
    grip_x, grip_y, angle = _rim_point(dish)
    depth = dish.position[2] + dish.size[2] / 2 - 0.012
    arm.grip(0.05)
    arm.go(tool((grip_x, grip_y, 0.3), angle))
    arm.line(tool((grip_x, grip_y, depth), angle))
    arm.grip(0.0, 40.0)
    arm.line(tool((grip_x, grip_y, 0.3), angle))


def _rim_point(dish: SceneObject) -> tuple[float, float, float]:
    x, y, _ = dish.position
    radius = dish.size[0] / 2 - 0.003
    ahead = rotation_matrix(dish.orientation)[:, 0]  # where a mug has its handle
    for turn in (0.0, 0.4, -0.4):
        for side in (ACROSS, -ACROSS):
            angle = side + turn
            if dish.category != "mug" or ahead @ [np.cos(angle), np.sin(angle), 0.0] < 0.5:
                reach = radius * np.array([np.cos(angle), np.sin(angle)])
                return x + reach[0], y + reach[1], ACROSS + turn
    raise AssertionError("no place on the rim is free")
