"""The seen surface of a shape as triangles and as points, each told which part it is of.

For learning and scoring only: what a robot sees of a thing comes from its cameras.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array, rotation_matrix
from sayso.worlds.table.shapes.lathe import lathe
from sayso.worlds.table.shapes.pieces import (
    Box,
    Capsule,
    Cylinder,
    Piece,
    Shape,
    Turned,
    box_corners,
)

_FACES: Integers = np.array(
    [(0, 1, 3), (0, 3, 2), (4, 6, 7), (4, 7, 5), (0, 4, 5), (0, 5, 1),
     (2, 3, 7), (2, 7, 6), (0, 2, 6), (0, 6, 4), (1, 5, 7), (1, 7, 3)]
)  # fmt: skip
_SEGMENTS = 48
_ROUND_STEPS = 6
_DEEP_M = 1e-6
_SURPLUS = 1.5
Bools = npt.NDArray[np.bool_]
Integers = npt.NDArray[np.int64]


@dataclass(frozen=True)
class Mesh:
    """Triangles: vertices (N, 3) [m], faces (M, 3), and of each face the part (M,) that it is
    of and the number (M,) of its piece."""

    vertices: Array
    faces: Integers
    parts: npt.NDArray[np.str_]
    pieces: Integers

    def areas(self) -> Array:
        """(M,) [m^2]."""
        a, b, c = (self.vertices[self.faces[:, i]] for i in range(3))
        return np.asarray(np.linalg.norm(np.cross(b - a, c - a), axis=1) / 2)


@dataclass(frozen=True)
class Sample:
    """Points (N, 3) [m] of a surface, their part (N,)."""

    points: Array
    parts: npt.NDArray[np.str_]

    def of(self, part: str) -> Array:
        """The points (K, 3) of one part."""
        return np.asarray(self.points[self.parts == part])


def mesh(shape: Shape) -> Mesh:
    """Everything that is seen of a shape; pieces may reach into each other."""
    vertices: list[Array] = []
    faces: list[Integers] = []
    parts: list[str] = []
    pieces: list[int] = []
    count = 0
    for number, piece in enumerate(shape.pieces):
        if not _seen(piece):
            continue
        corners, triangles, names = _triangles(piece)
        vertices.append(corners)
        faces.append(triangles + count)
        parts += names
        pieces += [number] * len(triangles)
        count += len(corners)
    return Mesh(np.concatenate(vertices), np.concatenate(faces), np.array(parts), np.array(pieces))


def reach_m(shape: Shape) -> float:
    """How far a shape reaches from its upright axis."""
    return float(np.linalg.norm(mesh(shape).vertices[:, :2], axis=1).max())


def sample(shape: Shape, count: int, rng: np.random.Generator) -> Sample:
    """`count` points even over the outside: none of a piece's surface inside another piece."""
    whole = mesh(shape)
    areas = whole.areas()
    points: Array = np.zeros((0, 3))
    parts = whole.parts[:0]
    while len(points) < count:
        chosen = rng.choice(len(areas), int(_SURPLUS * count), p=areas / areas.sum())
        found = _on_triangles(whole.vertices[whole.faces[chosen]], rng)
        outside = ~_buried(shape, found, whole.pieces[chosen])
        points = np.concatenate([points, found[outside]])
        parts = np.concatenate([parts, whole.parts[chosen][outside]])
    return Sample(points[:count], parts[:count])


def inside(piece: Piece, points: Array) -> Bools:
    """Which points (N, 3) are deeper than a micrometre inside a piece."""
    if isinstance(piece, Box):
        local = (points - piece.pose.position) @ rotation_matrix(piece.pose.orientation)
        return np.asarray((np.abs(local) < np.asarray(piece.half) - _DEEP_M).all(axis=1))
    if isinstance(piece, Cylinder):
        away = points - piece.centre
        deep = np.hypot(away[:, 0], away[:, 1]) < piece.radius - _DEEP_M
        return np.asarray(deep & (np.abs(away[:, 2]) < piece.half_height - _DEEP_M))
    if isinstance(piece, Capsule):
        return _distance(points, piece) < piece.radius - _DEEP_M
    return _in_profile(np.array(piece.profile), points)


def _buried(shape: Shape, points: Array, of: Integers) -> Bools:
    """Which points are inside another piece than the one (N,) that they are of."""
    buried = np.zeros(len(points), bool)
    for number, piece in enumerate(shape.pieces):
        if _seen(piece):
            buried |= (of != number) & inside(piece, points)
    return buried


def _seen(piece: Piece) -> bool:
    return isinstance(piece, Turned | Capsule) or piece.shown


def _on_triangles(corners: Array, rng: np.random.Generator) -> Array:
    """One even random point (N, 3) on each triangle (N, 3, 3)."""
    u, v = rng.random((2, len(corners), 1))
    over = u + v > 1
    u, v = np.where(over, 1 - u, u), np.where(over, 1 - v, v)
    a, b, c = corners.swapaxes(0, 1)
    return np.asarray(a + u * (b - a) + v * (c - a))


def _distance(points: Array, rod: Capsule) -> Array:
    start, along = np.asarray(rod.start), np.subtract(rod.end, rod.start)
    share = np.clip((points - start) @ along / (along @ along), 0.0, 1.0)
    return np.asarray(np.linalg.norm(points - start - share[:, None] * along, axis=1))


def _in_profile(profile: Array, points: Array) -> Bools:
    """Which points a turned profile surrounds: even-odd rule across a level line."""
    radius, height = np.hypot(points[:, 0], points[:, 1]) + _DEEP_M, points[:, 2]
    odd = np.zeros(len(points), bool)
    for (r0, z0), (r1, z1) in itertools.pairwise(profile):
        if z0 == z1:
            continue
        between = (z0 <= height) != (z1 <= height)
        odd ^= between & (r0 + (height - z0) * (r1 - r0) / (z1 - z0) > radius)
    return odd


def _triangles(piece: Piece) -> tuple[Array, Integers, list[str]]:
    if isinstance(piece, Box):
        corners = piece.pose.transform(box_corners(piece.half))
        return corners, _FACES, [piece.part] * len(_FACES)
    if isinstance(piece, Turned):
        vertices, faces = lathe(piece.profile, _SEGMENTS)
        first, *bands, last = piece.parts
        names = [first] * _SEGMENTS + [last] * _SEGMENTS
        names += [band for band in bands for _ in range(2 * _SEGMENTS)]
        return vertices, np.asarray(faces, np.int64), names
    if isinstance(piece, Cylinder):
        r, h = piece.radius, piece.half_height
        vertices, faces = lathe([(0, -h), (r, -h), (r, h), (0, h)], _SEGMENTS)
        return vertices + piece.centre, np.asarray(faces, np.int64), [piece.part] * len(faces)
    vertices, rod_faces = _rod(piece)
    return vertices, rod_faces, [piece.part] * len(rod_faces)


def _rod(rod: Capsule) -> tuple[Array, Integers]:
    along = np.subtract(rod.end, rod.start)
    length = float(np.linalg.norm(along))
    turns = np.linspace(-np.pi / 2, 0, _ROUND_STEPS)
    low = [(rod.radius * np.cos(t), rod.radius * np.sin(t)) for t in turns]
    high = [(r, length - z) for r, z in reversed(low)]
    profile = [(0.0, -rod.radius), *low[1:], *high[:-1], (0.0, length + rod.radius)]
    vertices, faces = lathe(profile, _SEGMENTS // 2)
    return vertices @ _upwards(along / length).T + rod.start, np.asarray(faces, np.int64)


def _upwards(axis: Array) -> Array:
    """A rotation (3, 3) that takes z to a unit axis (3,)."""
    aside = np.eye(3)[int(np.argmin(np.abs(axis)))]
    x = np.cross(aside, axis)
    x /= np.linalg.norm(x)
    return np.column_stack([x, np.cross(axis, x), axis])
