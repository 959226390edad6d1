"""What is true of the relations on a generated table: by how it was made, and by plain geometry.

It shares no code with perception.
"""

from __future__ import annotations

import cmath
from itertools import product

import numpy as np

from support.generated_tables import Placed, Table

_WINDS = {
    "behind": 1, "behind left": 1 + 1j, "left": 1j, "before left": -1 + 1j,
    "before": -1, "before right": -1 - 1j, "right": -1j, "behind right": 1 - 1j,
}  # fmt: skip


class Judge:
    """Answers for one table; the viewer stands at `viewer` (x, y), or looks along +x if None."""

    def __init__(self, table: Table, viewer: tuple[float, float] | None = None) -> None:
        self.things = {t.name: t for t in table.things}
        self.viewer = viewer

    def container(self, name: str) -> str | None:
        """The innermost thing that it is in, with what it rests on left out."""
        thing = self.things[name]
        if thing.how == "in":
            return thing.holder
        return None

    def support(self, name: str) -> str | None:
        thing = self.things[name]
        return thing.holder if thing.how == "on" else None

    def inside(self, name: str) -> list[str]:
        found, at = [], self.container(name)
        while at:
            found.append(at)
            at = self.container(at)
        return found

    def above(self, name: str, other: str) -> bool:
        """It rests on it, maybe with others between, or has its middle over or under the other's
        outline and clearly higher."""
        if other in self.inside(name) or name in self.inside(other):
            return False
        at = self.support(name)
        while at:
            if at == other:
                return True
            at = self.support(at)
        one, two = self.things[name], self.things[other]
        higher = one.pose.position[2] - two.pose.position[2] >= 0.02
        return higher and (_over(one, two) or _over(two, one))

    def group(self, name: str) -> set[str]:
        found = {name}
        while more := {n for n, t in self.things.items() if t.holder in found} - found:
            found |= more
        return found

    def direction(self, name: str, other: str) -> str | None:
        if name in self.group(other) or other in self.group(name):
            return None
        a, b = (complex(*self.things[n].pose.position[:2]) for n in (name, other))
        if abs(a - b) < 0.02:
            return None
        look = 1 + 0j
        if self.viewer is not None:
            look = (a + b) / 2 - complex(*self.viewer)
        seen = (a - b) / look
        return max(_WINDS, key=lambda w: (seen / _WINDS[w]).real * abs(_WINDS[w]))

    def border_deg(self, name: str, other: str) -> float:
        """How far the direction is from the border of the next one."""
        a, b = (complex(*self.things[n].pose.position[:2]) for n in (name, other))
        look = 1 + 0j if self.viewer is None else (a + b) / 2 - complex(*self.viewer)
        angle = cmath.phase((a - b) / look) * 180 / cmath.pi
        return abs((angle + 360) % 45 - 22.5)


def _over(one: Placed, two: Placed) -> bool:
    """Whether one's centre is within the shadow of two's box: beyond no line beside it."""
    half = np.array(two.shape.size) / 2
    corners = two.pose.transform(np.array(list(product((-1, 1), repeat=3))) * half)
    apart = corners[:, :2] - one.pose.position[:2]
    return bool(((apart @ _AROUND).max(axis=0) >= 0).all())


_TURNS = np.linspace(0, 2 * np.pi, 720)
_AROUND = np.stack([np.cos(_TURNS), np.sin(_TURNS)])
