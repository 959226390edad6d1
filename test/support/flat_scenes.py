"""Small flats for tests, and an arm that moves by true poses."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache

import numpy as np

from sayso.core.geometry import Pose, Vector3, quaternion_from_matrix
from sayso.core.ports import JointWindow
from sayso.core.scene import SceneObject
from sayso.robots.kinematics import ArmKinematics
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.kinds import KINDS
from sayso.worlds.flat.scene import Door, FlatScene, Item, Room, Walker, Wall


def item(name: str, kind: str, position: Vector3, yaw: float = 0.0, color: str = "") -> Item:
    shape = KINDS[kind]
    return Item(name, kind, kind, color or shape.color, position, yaw, shape.size)


def room(
    *items: Item,
    doors: tuple[Door, ...] = (),
    walkers: tuple[Walker, ...] = (),
    start: tuple[float, float, float] = (2.0, 2.0, 0.0),
) -> FlatScene:
    """One room of 6 m by 4 m with its corner at the origin."""
    corners = ((0.0, 0.0), (6.0, 0.0), (6.0, 4.0), (0.0, 4.0))
    walls = tuple(Wall(a, b) for a, b in zip(corners, corners[1:] + corners[:1], strict=True))
    only = Room("room", (0.0, 0.0), (6.0, 4.0))
    return FlatScene("test_room", (only,), walls, doors, items, walkers, start)


def true(world: FlatWorld, name: str) -> SceneObject:
    return next(o for o in world.truth() if o.name == name)


@lru_cache(maxsize=1)
def _kinematics() -> ArmKinematics:
    return ArmKinematics()


class ScriptedMobileArm:
    """GatedMotions the arm of a standing robot to tool poses of the map, fingers down."""

    def __init__(self, world: FlatWorld) -> None:
        self.world = world

    def go(self, position: Vector3, closing_yaw: float, duration_s: float) -> None:
        """Bring the tool to a point; the fingers close along the yaw."""
        c, s = np.cos(closing_yaw), np.sin(closing_yaw)
        closing, approach = np.array([c, s, 0.0]), np.array([0.0, 0.0, -1.0])
        turn = np.column_stack([np.cross(closing, approach), closing, approach])
        target = Pose(position, quaternion_from_matrix(turn))
        start = np.array(self.world.robot_state().joint_positions)
        in_arm = (self.world.true_base() @ self.world.base.mount).inverse() @ target
        goal = _kinematics().inverse(in_arm, start)
        assert goal is not None, f"unreachable: {position}"
        share = (1 - np.cos(np.pi * np.linspace(0, 1, 40))) / 2
        times = np.linspace(0, duration_s, 40)
        self.world.stream(JointWindow(times, start + share[:, None] * (goal - start)))
        self.world.step(duration_s + 0.3)

    def pick(
        self,
        thing: SceneObject,
        closing_yaw: float,
        below_top_m: float = 0.03,
        closed: Callable[[], object] = lambda: None,
    ) -> None:
        """From above, near the top of the thing, then up by 20 cm.

        Args:
            closed: called when the fingers have closed, before the hand goes up.
        """
        x, y, z = thing.position
        grasp = z + thing.size[2] / 2 - below_top_m
        self.world.grip(0.08, 20.0)
        self.go((x, y, grasp + 0.20), closing_yaw, 3.0)
        self.go((x, y, grasp), closing_yaw, 1.5)
        self.world.grip(0.0, 30.0)
        self.world.step(0.6)
        closed()
        self.go((x, y, grasp + 0.20), closing_yaw, 1.5)
