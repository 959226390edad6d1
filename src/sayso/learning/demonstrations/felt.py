"""Contacts of the hand as they look: fingertips at the surface of what is seen, for a while.

Nothing here knows of the simulator's contacts. What a thing is made of is known, as of furniture
that was modelled before, or is its box.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from sayso.core.geometry import Array, Pose, Vector3, rotation_matrix
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.learning.demonstrations.demonstration import HAND, Contact

_TOUCH_M = 0.004
_LASTS = 2
"""So many looks in a row have to agree."""
_PARTS_M, _PARTS_S = 0.015, 0.4
"""Fingers that stay this near, and are back this soon, have not left a thing: a door that is pushed
swings ahead of them for a moment."""
_LENGTH_M, _TIP_M = 0.035, 0.009
_ACROSS_M, _THICK_M, _WIDER = 0.0105, 0.0143, 0.314
"""Half a finger's width; its thickness at the tip, and how that grows from there."""
_Boxes: TypeAlias = tuple[Array, Array, Array]
MadeOf: TypeAlias = Mapping[str, Sequence[tuple[Pose, Vector3]]]
"""Of things by name, the boxes that they are made of: poses in the thing's frame and half extents
[m]."""


class Felt:
    """Follows scenes, and finds when the hand touches what.

    Args:
        made: of what furniture is made; all other things are their boxes.
    """

    def __init__(self, made: MadeOf) -> None:
        self._made: Mapping[str, _Boxes] = {name: _boxes(parts) for name, parts in made.items()}
        self._touching: set[str] = set()
        self._doubts: dict[str, list[float]] = {}
        self._far: dict[str, int] = {}
        self._contacts: list[Contact] = []

    def take(self, scene: Scene) -> None:
        """The next look."""
        points = _finger_points(scene.robot)
        for thing in scene.objects:
            away_m = _distance(points, thing, self._made.get(thing.name))
            self._note(thing.name, away_m, scene.stamp_s)

    def contacts(self) -> tuple[Contact, ...]:
        """Those that were found, by their time; what was left as the last looks show has ended."""
        left = (
            Contact(since[0], HAND, name, False)
            for name, since in self._doubts.items()
            if name in self._touching and len(since) >= _LASTS
        )
        return tuple(sorted((*self._contacts, *left), key=lambda c: c.stamp_s))

    def _note(self, name: str, away_m: float, stamp_s: float) -> None:
        near, touching = away_m < _TOUCH_M, name in self._touching
        if near is touching:
            self._doubts.pop(name, None)
            self._far.pop(name, None)
            return
        since = self._doubts.setdefault(name, [])
        since.append(stamp_s)
        self._far[name] = self._far.get(name, 0) + 1 if away_m >= _PARTS_M else 0
        gone = self._far[name] >= _LASTS or stamp_s - since[0] > _PARTS_S
        if len(since) >= _LASTS and (near or gone):
            self._contacts.append(Contact(since[0], HAND, name, near))
            (self._touching.add if near else self._touching.discard)(name)
            del self._doubts[name], self._far[name]


def _finger_points(robot: RobotState) -> Array:
    """(N, 3) over both fingers, in the scene's frame."""
    x, share, z = np.meshgrid(
        [-_ACROSS_M, 0.0, _ACROSS_M], [0.0, 1.0], np.linspace(-_LENGTH_M, _TIP_M, 6)
    )
    thick = _THICK_M + _WIDER * (_TIP_M - z)
    y = robot.gripper_width_m / 2 + share * thick
    finger = np.stack([x, y, z], axis=-1).reshape(-1, 3)
    both = np.concatenate([finger, finger * (1.0, -1.0, 1.0)])
    return robot.gripper.transform(both)


def _boxes(parts: Sequence[tuple[Pose, Vector3]]) -> _Boxes:
    """Middles (B, 3), half extents (B, 3) and turns (B, 3, 3) in the thing's frame."""
    return (
        np.array([pose.position for pose, _ in parts]),
        np.array([half for _, half in parts]),
        np.array([rotation_matrix(pose.orientation) for pose, _ in parts]),
    )


def _distance(points: Array, thing: SceneObject, made: _Boxes | None) -> float:
    """From the nearest of the points to what a thing is made of [m]."""
    local = thing.pose.inverse().transform(points)
    if made is None:
        x, y, z = thing.size
        made = _boxes([(Pose(), (x / 2, y / 2, z / 2))])
    middles, halves, turns = made
    off = np.einsum("bji,pbj->pbi", turns, local[:, None] - middles)
    beyond = np.maximum(np.abs(off) - halves, 0.0)
    return float(np.linalg.norm(beyond, axis=2).min())
