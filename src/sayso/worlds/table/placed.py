"""Shapes put on the table, and how a camera sees them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from sayso.core.geometry import Array, Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.worlds.table.shapes.families import draw
from sayso.worlds.table.shapes.pieces import Shape
from sayso.worlds.table.shapes.surface import reach_m, sample

_POINTS = 1200
_NOISE_M = 0.001
_FIRST_M, _SECOND_M, _ASIDE_M = (0.35, 0.48), (0.50, 0.65), 0.35
"""How far from the robot the thing that is handled stands, and the one behind it."""
_TRIES = 1000


@dataclass(frozen=True)
class Placed:
    """A shape in the world; `pose` is that of the shape's frame."""

    name: str
    shape: Shape
    pose: Pose

    def opened(self, rad: float) -> Placed:
        """With its hinged part turned by an angle from where its shape has it."""
        return replace(self, shape=self.shape.opened(rad))

    def turned_rad(self, before: Pose, after: Pose) -> float:
        """By how much the hinged part turned that a tool held before and after; not beyond its end.

        0 where it has none.
        """
        if (hinge := self.shape.hinge) is None:
            return 0.0
        a, b = (hinge.around((self.pose.inverse() @ tool).position)[0] for tool in (before, after))
        return float(np.clip((b - a + np.pi) % (2 * np.pi) - np.pi, 0.0, hinge.most_rad))


def placed(families: Mapping[str, str], seed: int, rng: np.random.Generator) -> dict[str, Placed]:
    """One or two shapes that stand on the table at z = 0 before the robot, apart, turned anyhow.

    Args:
        families: by parameter; the first stands nearer to the robot.
        seed: of the shapes.
    """
    shapes = {parameter: draw(family, seed) for parameter, family in families.items()}
    for _ in range(_TRIES):
        depths = zip(shapes, (_FIRST_M, _SECOND_M), strict=False)
        spots = {p: rng.uniform((near, -_ASIDE_M), (far, _ASIDE_M)) for p, (near, far) in depths}
        if _apart(spots.values(), shapes.values()):
            break
    return {p: Placed(p, s, _standing(s, spots[p], rng)) for p, s in shapes.items()}


def _apart(spots: Iterable[Array], shapes: Iterable[Shape]) -> bool:
    pairs = combinations(zip(spots, shapes, strict=True), 2)
    return all(
        float(np.linalg.norm(np.subtract(a, b))) - reach_m(first) - reach_m(second) > 0.05
        for (a, first), (b, second) in pairs
    )


def _standing(shape: Shape, spot: Array, rng: np.random.Generator) -> Pose:
    half = float(rng.uniform(-np.pi, np.pi)) / 2
    place = (float(spot[0]), float(spot[1]), shape.size[2] / 2)
    return Pose(place, (0.0, 0.0, float(np.sin(half)), float(np.cos(half))))


def seen(things: Sequence[Placed], tool: Pose, stamp_s: float, rng: np.random.Generator) -> Scene:
    """The things as clouds of points from all around, a millimetre of noise on each point."""
    objects = []
    for thing in things:
        cloud = thing.pose.transform(sample(thing.shape, _POINTS, rng).points)
        cloud += rng.normal(0.0, _NOISE_M, cloud.shape)
        objects.append(_object(thing, cloud.astype(np.float32), stamp_s))
    return Scene(stamp_s, tuple(objects), RobotState(stamp_s, gripper=tool))


def _object(thing: Placed, cloud: np.typing.NDArray[np.float32], stamp_s: float) -> SceneObject:
    """What tracking tells of a cloud: its upright box, no more."""
    low, high = cloud.min(axis=0).astype(float), cloud.max(axis=0).astype(float)
    x, y, z = ((low + high) / 2).tolist()
    a, b, c = (high - low).tolist()
    return SceneObject(
        thing.name, thing.shape.family, "", (x, y, z), (a, b, c), last_seen_s=stamp_s, points=cloud
    )
