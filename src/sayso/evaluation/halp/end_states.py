"""What is true of drawn things on a table, by their true shapes alone.

It shares nothing with what a robot goes by: neither predicates nor relations.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from sayso.core.geometry import Array, rotation_matrix
from sayso.core.scene import RobotState, Scene, SceneObject

_LIFTED_M = 0.03
_AT_HAND_M = 0.03
_CLOSED_M, _OPEN_M = 0.002, 0.078
_RESTS_M = 0.012
_UPRIGHT_DEG = 20.0
_BELOW_RIM_M = 0.004
_INSIDE_SHARE = 0.8
"""Of the points of what is in a thing, so many are between its sides."""


def so(statement: str, things: Mapping[str, str], scene: Scene) -> bool:
    """Whether "held a", "in a b", "on a b", "left a b" or "right a b" is so.

    Args:
        things: the names of the things by their letters.
        scene: as it truly is, with points all over the things; x leads away from the robot, y to
            its left.
    """
    relation, *letters = statement.split()
    seen = scene.by_name()
    first, *others = (seen[things[letter]] for letter in letters)
    if not others:
        return _held(first, scene.robot)
    if _held(first, scene.robot):
        return False
    return _RELATIONS[relation](first, others[0])


def _held(thing: SceneObject, hand: RobotState) -> bool:
    """It is off the table, and at the fingertips, which are neither open nor shut."""
    points = _points(thing)
    near_m = np.linalg.norm(points - np.asarray(hand.gripper.position), axis=1).min()
    closed = _CLOSED_M < hand.gripper_width_m < _OPEN_M
    return bool(closed and near_m < _AT_HAND_M and points[:, 2].min() > _LIFTED_M)


def _in(thing: SceneObject, other: SceneObject) -> bool:
    """Most of it is between the sides of the other, and it reaches below the rim."""
    points = other.pose.inverse().transform(_points(thing))
    half = np.asarray(other.size) / 2
    between = (np.abs(points[:, :2]) < half[:2]).all(axis=1)
    below = points[:, 2].min() < half[2] - _BELOW_RIM_M
    return bool(between.mean() > _INSIDE_SHARE and below and points[:, 2].mean() > -half[2])


def _on(thing: SceneObject, other: SceneObject) -> bool:
    """It rests on the other's top, with its middle over it."""
    points, under = _points(thing), _points(other)
    gap_m = points[:, 2].min() - under[:, 2].max()
    middle = other.pose.inverse().transform(points.mean(axis=0)[None])[0]
    over = (np.abs(middle[:2]) < np.asarray(other.size[:2]) / 2).all()
    return bool(abs(gap_m) < _RESTS_M and over)


def _beside(sign: float) -> Callable[[SceneObject, SceneObject], bool]:
    def beside(thing: SceneObject, other: SceneObject) -> bool:
        """It stands upright on the table, more to that side of the other than before or behind."""
        points, there = _points(thing), _points(other)
        x, y, _ = points.mean(axis=0) - there.mean(axis=0)
        stands = abs(float(points[:, 2].min())) < _RESTS_M and _upright(thing)
        return bool(stands and sign * y > abs(x) and not _in(thing, other))

    return beside


def _upright(thing: SceneObject) -> bool:
    """Whatever has a drawn shape stands on its foot; a block on any side."""
    up = rotation_matrix(thing.orientation)[2]
    leaning = up[2] if len(thing.points) else np.abs(up).max()
    return bool(leaning > np.cos(np.radians(_UPRIGHT_DEG)))


def _points(thing: SceneObject) -> Array:
    """(N, 3) all over it; of what has no drawn shape, the corners and sides of its box."""
    if len(thing.points):
        return thing.points.astype(float)
    grid = np.stack(np.meshgrid(*[np.linspace(-0.5, 0.5, 7)] * 3), axis=-1).reshape(-1, 3)
    shell = grid[np.abs(grid).max(axis=1) > 0.49]
    return np.asarray(thing.pose.transform(shell * np.asarray(thing.size)))


_RELATIONS: Mapping[str, Callable[[SceneObject, SceneObject], bool]] = {
    "in": _in, "on": _on, "left": _beside(1.0), "right": _beside(-1.0),
}  # fmt: skip
