"""Shapes as data: convex pieces that touch, surfaces that are seen, and the parts they are of.

Everything is in the shape's own frame [m]: origin at the centre of its upright box, z up.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from sayso.core.geometry import Array, Pose, Vector3, turn_from_z

Rgb: TypeAlias = tuple[float, float, float]


@dataclass(frozen=True)
class Box:
    """A solid box; `half` its half extents. Hidden ones only touch: a surface is seen instead."""

    part: str
    half: Vector3
    pose: Pose = Pose()
    shown: bool = True


@dataclass(frozen=True)
class Cylinder:
    """An upright solid cylinder about `centre`.

    `rolling_m` is the coefficient of rolling friction; without it, it would roll for ever.
    """

    part: str
    radius: float
    half_height: float
    centre: Vector3 = (0.0, 0.0, 0.0)
    shown: bool = True
    friction: float = 1.0
    rolling_m: float = 0.0


@dataclass(frozen=True)
class Capsule:
    """A solid rod with round ends."""

    part: str
    start: Vector3
    end: Vector3
    radius: float


@dataclass(frozen=True)
class Turned:
    """A surface of revolution about z that is seen but touches nothing.

    Attributes:
        profile: (radius, height) from the axis at the bottom, around the outside, to the axis at
            the top, as `lathe.lathe` takes it.
        parts: which part each stretch between two points of the profile is of.
    """

    profile: tuple[tuple[float, float], ...]
    parts: tuple[str, ...]


Piece: TypeAlias = Box | Cylinder | Capsule | Turned


@dataclass(frozen=True)
class Hinge:
    """One part that turns about an axis through `at`: 0 rad as the shape is given."""

    part: str
    at: Vector3
    axis: Vector3
    most_rad: float

    @property
    def frame(self) -> Pose:
        """At the axis, z along it."""
        return Pose(self.at, turn_from_z(self.axis))

    def by(self, rad: float) -> Pose:
        """What turns the part, given as at 0 rad, by an angle."""
        frame = self.frame
        return frame @ about_z(rad) @ frame.inverse()

    def around(self, point: Vector3) -> tuple[float, float, float]:
        """A point's angle about the axis [rad], its distance from it, and how far along [m]."""
        x, y, along = self.frame.inverse().transform(np.array([point]))[0].tolist()
        return float(np.arctan2(y, x)), float(np.hypot(x, y)), along

    def moves(self, piece: Piece) -> bool:
        """Whether a piece turns with the part: its own, and those named after it, as its knob."""
        return not isinstance(piece, Turned) and piece.part.startswith(self.part)


def about_z(rad: float) -> Pose:
    """A turn about z."""
    return Pose((0.0, 0.0, 0.0), (0.0, 0.0, float(np.sin(rad / 2)), float(np.cos(rad / 2))))


@dataclass(frozen=True)
class Shape:
    """What one thing of a family is made of.

    Attributes:
        family: such as `mug`.
        size: of the upright box; a mug's without its handle, a rack's with its pegs.
        mass_kg: of the whole, without a hinged part.
        pieces: of all parts.
        frames: places that matter by name, such as `handle` or `peg_1`; `families` says which.
        hinge: of the part that moves, if one does.
        rgb: as rendered; None where whoever uses the shape chooses.
    """

    family: str
    size: Vector3
    mass_kg: float
    pieces: tuple[Piece, ...]
    frames: Mapping[str, Pose] = field(default_factory=dict, hash=False)
    hinge: Hinge | None = None
    rgb: Rgb | None = None

    @property
    def parts(self) -> tuple[str, ...]:
        """The names of its parts, each once, in the order of their pieces."""
        names: list[str] = []
        for piece in self.pieces:
            names += piece.parts if isinstance(piece, Turned) else (piece.part,)
        return tuple(dict.fromkeys(names))

    def opened(self, rad: float) -> Shape:
        """The shape with its hinged part turned so far; as it is where it has none."""
        if self.hinge is None:
            return self
        hinge, by = self.hinge, self.hinge.by(rad)
        pieces = tuple(_moved(p, by) if hinge.moves(p) else p for p in self.pieces)
        return replace(self, pieces=pieces)


def _moved(piece: Piece, by: Pose) -> Piece:
    """A box or rod elsewhere."""
    if isinstance(piece, Box):
        return replace(piece, pose=by @ piece.pose)
    if isinstance(piece, Capsule):
        (a, b, c), (x, y, z) = by.transform(np.array([piece.start, piece.end])).tolist()
        return replace(piece, start=(a, b, c), end=(x, y, z))
    raise TypeError(f"a {type(piece).__name__} does not turn on a hinge")


def box_corners(half: Vector3) -> Array:
    """The (8, 3) corners, x changing slowest."""
    signs = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)])
    return np.asarray(signs * np.asarray(half))
