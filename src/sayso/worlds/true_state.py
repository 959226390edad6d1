"""A simulator's true state in the form that the library's predicates read. For scoring alone.

What the predicates ask of the robot is joined of two: its base is where it truly is, arm and
fingers are where its encoders, which are right to a hair, say.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

import numpy as np

from sayso.core.geometry import Pose, quaternion_from_matrix, rotation_matrix
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.perception.categories import category_of

HANDY_M = 0.36
"""Longest side of what the hand can carry."""
_GRIP_M = 0.05
_FINGERS_M = (0.004, 0.077)


def named(things: Iterable[SceneObject]) -> tuple[SceneObject, ...]:
    """Each thing under the noun that people use for it."""
    return tuple(
        replace(thing, category=category_of(thing.category.replace("_", " "))) for thing in things
    )


def stood_up(thing: SceneObject) -> SceneObject:
    """A box that lies on another side, as one that stands there turned about the vertical only:
    the same box, whose first two axes are level, as perception fits it and predicates take it."""
    axes = rotation_matrix(thing.orientation)
    up = int(np.argmax(abs(axes[2])))
    if up == 2:
        return thing
    first = (up + 1) % 3
    z = axes[:, up] * np.sign(axes[2, up])
    x = axes[:, first]
    turned = np.column_stack([x, np.cross(z, x), z])
    size = (thing.size[first], thing.size[(first + 1) % 3], thing.size[up])
    return replace(thing, orientation=quaternion_from_matrix(turned), size=size)


def robot_at(base: Pose | None, state: RobotState) -> RobotState:
    """The robot with its base where it truly is; an arm that stands still as it is."""
    if base is None or state.base is None:
        return state
    tool = base @ state.base.inverse() @ state.gripper
    return replace(state, gripper=tool, base=base)


def true_scene(
    stamp_s: float,
    things: Iterable[SceneObject],
    robot: RobotState,
    handy: Collection[str] | None = None,
    frame: str = "map",
) -> Scene:
    """What truly is there; carried is what closed fingers have between them. A block that lies on
    its side is a block that stands.

    Args:
        robot: as `robot_at` gives it.
        handy: names of what can be carried; by default whatever is no longer than `HANDY_M`.
    """
    closed = _FINGERS_M[0] < robot.gripper_width_m < _FINGERS_M[1]

    def held(thing: SceneObject) -> bool:
        small = max(thing.size) <= HANDY_M if handy is None else thing.name in handy
        return closed and small and thing.distance_to(robot.gripper.position) < _GRIP_M

    there = (stood_up(t) if t.category == "block" else t for t in things)
    return Scene(stamp_s, tuple(replace(t, carried=held(t)) for t in there), robot, frame=frame)
