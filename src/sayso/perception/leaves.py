"""Leaves of doors, of which the building tells how far they are open and where they are."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace

import numpy as np

from sayso.core.geometry import Array
from sayso.core.scene import SceneObject
from sayso.perception.recognition import upright, yaw_of

OPEN = "open_share"
"""The attribute of a door."""
_STEP_RAD, _STEP_M = 0.05, 0.05
_SPARE_M = 0.05
"""To each side of a leaf: noise puts some points of it there."""


@dataclass
class Leaves:
    """Remembers where each leaf was when it was last told of."""

    _last: dict[str, SceneObject] = field(default_factory=dict)

    def left(self, things: Iterable[SceneObject]) -> Iterator[SceneObject]:
        """What leaves swept since the last call and stand in no more: boxes, one by one."""
        for leaf in (o for o in things if OPEN in o.attributes):
            before = self._last.get(leaf.name, leaf)
            self._last[leaf.name] = leaf
            if before.attributes[OPEN] != leaf.attributes[OPEN]:
                yield from _swept(before, leaf)


def _swept(before: SceneObject, after: SceneObject) -> Iterator[SceneObject]:
    """The leaf on its way from one place to another, turning about its hinge or sliding."""
    length, width, height = before.size
    grown = 2 * _SPARE_M
    size = (length + grown, width, height) if length < width else (length, width + grown, height)
    yaw = yaw_of(before.orientation)
    turn = math.remainder(yaw_of(after.orientation) - yaw, math.tau)
    way = np.subtract(after.position, before.position)
    steps = max(1, math.ceil(max(abs(turn) / _STEP_RAD, float(np.linalg.norm(way)) / _STEP_M)))
    for share in (k / steps for k in range(steps)):
        x, y, z = (float(v) for v in before.position + _gone(way, turn, share))
        there = upright(yaw + share * turn)
        yield replace(before, position=(x, y, z), orientation=there, size=size)


def _gone(way: Array, turn: float, share: float) -> Array:
    """How far a body's middle is (3,) after a share of its turn about the point that stays."""
    if abs(turn) < 1e-3:
        return share * way
    half = turn / 2
    chord = math.sin(share * half) / math.sin(half)
    aside = (share - 1) * half
    c, s = math.cos(aside), math.sin(aside)
    return chord * np.array([c * way[0] - s * way[1], s * way[0] + c * way[1], way[2]])
