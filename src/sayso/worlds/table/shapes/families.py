"""Families of shapes: each a few parameters, drawn evenly from their ranges by a seed.

    family   frames, besides the parts it is made of
    mug      `opening` (middle of the rim), `handle` (middle of the loop; y through it, x outwards)
    bottle   `cap` (its middle)
    bowl     `opening`
    tray     `floor` (its middle)
    box      `opening`, `handle` (the lid's knob)
    rack     `peg_1`, ...: the middle of each peg, x along it outwards
    book     `spine` (x out of it); of an upright one `foot`, too (its lower side's middle)
    shelf    `slot_1`, ...: the middle of each slot's floor, x out of the slot
    sink     `floor`
    bin      `opening`
    plate    none; nor has a block

Mugs face +x with their handle, shelves +x with their open side; a book lies on its cover, its
spine towards -y, an upright one stands on its long edge, its spine up. Further frames are turned
as the shape is.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from dataclasses import Field, dataclass, field, fields, replace
from typing import Any, ClassVar, Literal, Protocol

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, Vector3, quaternion_from_matrix
from sayso.worlds.table.shapes.pieces import (
    Box,
    Capsule,
    Cylinder,
    Hinge,
    Piece,
    Shape,
    Turned,
)
from sayso.worlds.table.shapes.walls import about_x, about_y, about_z, open_box, ring

SEEDS = 40
"""How many shapes of each family are drawn for training and for testing together."""

Split = Literal["training", "unseen"]
_UNSEEN_FROM = SEEDS // 2
Profile = tuple[tuple[float, float], ...]


class Family(Protocol):
    """A dataclass of the parameters of one shape; `made` turns them into the shape."""

    __dataclass_fields__: ClassVar[dict[str, Field[Any]]]

    def made(self) -> Shape: ...


def seeds(split: Split) -> range:
    """Seeds of the shapes for training, or of those that no training sees."""
    return range(_UNSEEN_FROM) if split == "training" else range(_UNSEEN_FROM, SEEDS)


def draw(family: str, seed: int) -> Shape:
    """The shape of a family for a seed, with its colour; the same for the same two.

    Raises:
        SaySoError: INVALID for a family that does not exist.
    """
    if family not in FAMILIES:
        text = f"there is no family of shapes called '{family}'."
        raise SaySoError(Code.INVALID, text, choices=FAMILIES)
    rng = np.random.default_rng([seed, sorted(FAMILIES).index(family)])
    kind = FAMILIES[family]
    values: dict[str, Any] = {f.name: _drawn(f.metadata, rng) for f in fields(kind) if f.metadata}
    red, green, blue = (float(c) for c in rng.uniform(0.08, 0.85, 3))
    return replace(kind(**values).made(), rgb=(red, green, blue))


def _drawn(metadata: Mapping[str, Any], rng: np.random.Generator) -> float | int | str:
    if "among" in metadata:
        choices = metadata["among"]
        chosen: int | str = choices[int(rng.integers(len(choices)))]
        return chosen
    return float(rng.uniform(*metadata["range"]))


def _between(low: float, high: float) -> Any:
    return field(metadata={"range": (low, high)})


def _among(*choices: int | str) -> Any:
    return field(metadata={"among": choices})


@dataclass(frozen=True)
class Block:
    """A solid box; not drawn."""

    size: Vector3
    mass_kg: float

    def made(self) -> Shape:
        x, y, z = self.size
        return Shape("block", self.size, self.mass_kg, (Box("body", (x / 2, y / 2, z / 2)),))


@dataclass(frozen=True)
class Plate:
    """A flat dish; not drawn."""

    radius_m: float
    height_m: float
    mass_kg: float

    def made(self) -> Shape:
        r, half = self.radius_m, self.height_m / 2
        profile = ((0.0, -half), (0.7 * r, -half), (r, half - 0.003), (r, half), (0.0, half))
        disc = Cylinder("body", r, half, shown=False, friction=0.8)
        pieces = (Turned(profile, ("body", "body", "rim", "body")), disc)
        return Shape("plate", (2 * r, 2 * r, 2 * half), self.mass_kg, pieces)


@dataclass(frozen=True)
class Bowl:
    """A round dish with a leaning wall."""

    radius_m: float = _between(0.060, 0.085)
    height_m: float = _between(0.040, 0.065)
    base_share: float = _between(0.5, 0.7)
    wall_m: float = _between(0.004, 0.006)
    mass_kg: float = _between(0.15, 0.35)

    def made(self) -> Shape:
        rim, half, wall = self.radius_m, self.height_m / 2, self.wall_m
        base = self.base_share * rim
        profile = (
            (0.0, -half), (base, -half), (rim, half), (rim - wall, half),
            (base - 0.002, -half + wall), (0.0, -half + wall),
        )  # fmt: skip
        pieces: tuple[Piece, ...] = (
            Turned(profile, ("base", "body", "rim", "inside", "inside")),
            Cylinder("base", base, wall / 2, (0, 0, -half + wall / 2), shown=False),
            *ring("body", base, rim, half, wall),
        )
        frames = {"opening": Pose((0, 0, half))}
        return Shape("bowl", (2 * rim, 2 * rim, 2 * half), self.mass_kg, pieces, frames)


@dataclass(frozen=True)
class Mug:
    """A cup with a handle that can hang on a peg.

    `flare` is the radius at the rim over that of the bottom; the handle's loop reaches half of
    its height up and down from `handle_rise`, a share of the mug's height above the middle.
    """

    radius_m: float = _between(0.034, 0.043)
    flare: float = _between(1.0, 1.2)
    height_m: float = _between(0.075, 0.105)
    wall_m: float = _between(0.004, 0.006)
    handle: str = _among("square", "round", "ear")
    handle_reach_m: float = _between(0.028, 0.038)
    handle_half_m: float = _between(0.024, 0.030)
    handle_rise: float = _between(-0.06, 0.06)
    handle_radius_m: float = _between(0.004, 0.0055)
    mass_kg: float = _between(0.15, 0.35)

    def made(self) -> Shape:
        rim, half, wall = self.radius_m, self.height_m / 2, self.wall_m
        foot, base = rim / self.flare, wall + 0.001
        slope = (rim - foot) / (2 * half)
        profile = (
            (0.0, -half), (foot, -half), (rim, half), (rim - wall, half),
            (foot + slope * base - wall, -half + base), (0.0, -half + base),
        )  # fmt: skip
        pieces: tuple[Piece, ...] = (
            Turned(profile, ("base", "body", "rim", "inside", "inside")),
            Cylinder("base", foot, base / 2, (0, 0, -half + base / 2), shown=False),
            *ring("body", foot, rim, half, wall),
            *self._handle(),
        )
        frames = {"opening": Pose((0, 0, half)), "handle": Pose(self._loop())}
        return Shape("mug", (2 * rim, 2 * rim, 2 * half), self.mass_kg, pieces, frames)

    def _loop(self) -> Vector3:
        z = self.handle_rise * self.height_m
        return (self._side(z) + (self.handle_reach_m - self.handle_radius_m) / 2, 0.0, z)

    def _side(self, z: float) -> float:
        """Outer radius at a height."""
        foot = self.radius_m / self.flare
        return foot + (self.radius_m - foot) * (z / self.height_m + 0.5)

    def _handle(self) -> tuple[Capsule, ...]:
        """Rods along a loop in the plane of x and z, its ends sunk into the wall."""
        middle = self.handle_rise * self.height_m
        points = []
        for out, up in _LOOPS[self.handle]:
            z = middle + up * self.handle_half_m
            x = self._side(z) + (out * self.handle_reach_m if out else -0.003)
            points.append((x, 0.0, z))
        radius = self.handle_radius_m
        return tuple(Capsule("handle", a, b, radius) for a, b in itertools.pairwise(points))


_ROUND = tuple(
    (float(np.sin(t)) if 0 < i < 8 else 0.0, float(np.cos(t)))
    for i, t in enumerate(np.linspace(0, np.pi, 9))
)
_LOOPS: Mapping[str, tuple[tuple[float, float], ...]] = {
    "square": ((0.0, 1.0), (1.0, 1.0), (1.0, -1.0), (0.0, -1.0)),
    "round": _ROUND,
    "ear": ((0.0, 1.0), (0.75, 1.0), (1.0, 0.6), (0.9, -0.2), (0.5, -0.8), (0.0, -1.0)),
}
"""Handles from the top down: how far out (of the reach) and up (of half its height)."""


@dataclass(frozen=True)
class Bottle:
    """A closed bottle with shoulders, a neck and a cap; lengths of its stretches upwards."""

    radius_m: float = _between(0.026, 0.037)
    body_m: float = _between(0.085, 0.130)
    shoulder_m: float = _between(0.015, 0.030)
    neck_m: float = _between(0.015, 0.035)
    neck_share: float = _between(0.40, 0.50)
    cap_m: float = _between(0.014, 0.020)
    mass_kg: float = _between(0.20, 0.45)

    def made(self) -> Shape:
        r, neck = self.radius_m, self.neck_share * self.radius_m
        heights = np.cumsum([0.0, self.body_m, self.shoulder_m, self.neck_m, self.cap_m])
        half = float(heights[-1]) / 2
        foot, body, shoulder, top, end = (float(h) - half for h in heights)
        cap = neck + 0.002
        profile: Profile = (
            (0.0, foot), (r, foot), (r, body), (neck, shoulder), (neck, top),
            (cap, top), (cap, end), (0.0, end),
        )  # fmt: skip
        parts = ("base", "body", "shoulder", "neck", "cap", "cap", "cap")
        pieces: list[Piece] = [Turned(profile, parts), _drum("body", r, foot, body)]
        steps = np.linspace(body, shoulder, 4)
        for i, (low, high) in enumerate(itertools.pairwise(steps)):
            share = (i + 0.5) / (len(steps) - 1)
            pieces.append(_drum("shoulder", r + share * (neck - r), float(low), float(high)))
        pieces += [_drum("neck", neck, shoulder, top), _drum("cap", cap, top, end)]
        frames = {"cap": Pose((0, 0, (top + end) / 2))}
        size = (2 * r, 2 * r, 2 * half)
        return Shape("bottle", size, self.mass_kg, tuple(pieces), frames)


def _drum(part: str, radius: float, low: float, high: float) -> Cylinder:
    return Cylinder(
        part, radius, (high - low) / 2, (0, 0, (low + high) / 2), shown=False, rolling_m=0.001
    )


@dataclass(frozen=True)
class Tray:
    """A flat thing with a low wall; some have grips at their short sides."""

    length_m: float = _between(0.24, 0.34)
    width_m: float = _between(0.17, 0.24)
    height_m: float = _between(0.020, 0.040)
    wall_m: float = _between(0.004, 0.007)
    grips: str = _among("none", "bars")
    mass_kg: float = _between(0.3, 0.7)

    def made(self) -> Shape:
        size = (self.length_m, self.width_m, self.height_m)
        pieces: tuple[Piece, ...] = open_box(size, self.wall_m)
        if self.grips == "bars":
            pieces += tuple(self._grip(side) for side in (-1, 1))
        frames = {"floor": Pose((0, 0, -self.height_m / 2 + self.wall_m))}
        return Shape("tray", size, self.mass_kg, pieces, frames)

    def _grip(self, side: int) -> Capsule:
        x, y, z = side * (self.length_m / 2 + 0.005), self.width_m / 4, self.height_m / 2 - 0.008
        return Capsule("handle", (x, -y, z), (x, y, z), 0.006)


@dataclass(frozen=True)
class Sink:
    """A basin with a broad flat edge."""

    length_m: float = _between(0.30, 0.38)
    width_m: float = _between(0.26, 0.32)
    height_m: float = _between(0.060, 0.100)
    wall_m: float = _between(0.006, 0.009)
    edge_m: float = _between(0.015, 0.030)
    mass_kg: float = _between(1.5, 3.0)

    def made(self) -> Shape:
        size = (self.length_m, self.width_m, self.height_m)
        pieces = (*open_box(size, self.wall_m), *self._edges())
        frames = {"floor": Pose((0, 0, -self.height_m / 2 + self.wall_m))}
        return Shape("sink", size, self.mass_kg, pieces, frames)

    def _edges(self) -> tuple[Box, ...]:
        """Outwards from the top of each wall."""
        x, y, e = self.length_m / 2, self.width_m / 2, self.edge_m / 2
        z = self.height_m / 2 - 0.003
        long = [Box("rim", (x + 2 * e, e, 0.003), Pose((0, s * (y + e), z))) for s in (-1, 1)]
        short = [Box("rim", (e, y, 0.003), Pose((s * (x + e), 0, z))) for s in (-1, 1)]
        return (*long, *short)


@dataclass(frozen=True)
class LiddedBox:
    """A box whose lid turns up at its back (-x) by a knob at its front."""

    length_m: float = _between(0.12, 0.18)
    width_m: float = _between(0.12, 0.20)
    height_m: float = _between(0.060, 0.100)
    wall_m: float = _between(0.004, 0.006)
    knob_m: float = _between(0.020, 0.030)
    mass_kg: float = _between(0.3, 0.6)

    def made(self) -> Shape:
        length, width, height, wall = self.length_m, self.width_m, self.height_m, self.wall_m
        walls = open_box((length, width, height - wall), wall, lift=-wall / 2)
        top = height / 2
        lid = Box("lid", (length / 2, width / 2, wall / 2), Pose((0, 0, top - wall / 2)))
        x = length / 2 - 0.02
        knob = Capsule("lid_handle", (x, 0, top), (x, 0, top + self.knob_m), 0.008)
        frames = {
            "opening": Pose((0, 0, top - wall)),
            "handle": Pose((x, 0, top + self.knob_m / 2)),
        }
        hinge = Hinge("lid", (-length / 2, 0, top - wall), (0, -1, 0), 1.9)
        pieces: tuple[Piece, ...] = (*walls, lid, knob)
        return Shape("box", (length, width, height), self.mass_kg, pieces, frames, hinge)


@dataclass(frozen=True)
class Rack:
    """A post with pegs on a foot, for mugs to hang on by their handles."""

    foot_m: float = _between(0.16, 0.20)
    height_m: float = _between(0.26, 0.32)
    post_m: float = _between(0.010, 0.014)
    pegs: int = _among(2, 3, 4)
    peg_m: float = _between(0.085, 0.100)
    peg_radius_m: float = _between(0.004, 0.0055)
    peg_rise_rad: float = _between(0.25, 0.5)
    mass_kg: float = _between(1.5, 2.5)

    def made(self) -> Shape:
        half = self.height_m / 2
        foot = Box("base", (self.foot_m / 2, self.foot_m / 2, 0.01), Pose((0, 0, -half + 0.01)))
        post = Cylinder("post", self.post_m, half - 0.01, (0, 0, 0.01))
        turns = 2 * np.pi * np.arange(self.pegs) / self.pegs
        rods = tuple(self._peg(i + 1, float(t)) for i, t in enumerate(turns))
        frames = {f"peg_{i + 1}": self._frame(float(t)) for i, t in enumerate(turns)}
        size = (self.foot_m, self.foot_m, self.height_m)
        return Shape("rack", size, self.mass_kg, (foot, post, *rods), frames)

    def _peg(self, number: int, turn: float) -> Capsule:
        frame = self._frame(turn)
        ends = frame.transform(np.array([[-0.5, 0, 0], [0.5, 0, 0]]) * self.peg_m)
        start, end = ((float(x), float(y), float(z)) for x, y, z in ends)
        return Capsule(f"peg_{number}", start, end, self.peg_radius_m)

    def _frame(self, turn: float) -> Pose:
        """The middle of a peg, x along it outwards and a little upwards."""
        rotation = about_z(turn) @ about_y(-self.peg_rise_rad)
        root = np.array([0.0, 0.0, self.height_m / 2 - 0.06])
        x, y, z = root + rotation @ np.array([self.post_m + self.peg_m / 2 - 0.004, 0.0, 0.0])
        return Pose((float(x), float(y), float(z)), quaternion_from_matrix(rotation))


@dataclass(frozen=True)
class Book:
    """Pages between two covers that overhang them a little."""

    length_m: float = _between(0.12, 0.17)
    width_m: float = _between(0.09, 0.12)
    thick_m: float = _between(0.018, 0.035)
    overhang_m: float = _between(0.002, 0.004)
    mass_kg: float = _between(0.15, 0.45)

    def made(self) -> Shape:
        x, y, z = self.length_m / 2, self.width_m / 2, self.thick_m / 2
        cover, over = 0.0015, self.overhang_m
        covers = [Box("cover", (x, y, cover), Pose((0, 0, s * (z - cover)))) for s in (-1, 1)]
        spine = Box("spine", (x, cover, z), Pose((0, -y + cover, 0)))
        pages = Box("pages", (x - over, y - over, z - cover))
        turned = quaternion_from_matrix(about_z(-np.pi / 2))
        frames = {"spine": Pose((0, -y, 0), turned)}
        size = (2 * x, 2 * y, 2 * z)
        return Shape("book", size, self.mass_kg, (*covers, spine, pages), frames)


@dataclass(frozen=True)
class UprightBook(Book):
    """A book that stands, so that a hand can take it."""

    def made(self) -> Shape:
        book = super().made()
        x, y, z = book.size
        up = Pose((0, 0, 0), quaternion_from_matrix(about_x(-np.pi / 2)))
        boxes = (b for b in book.pieces if isinstance(b, Box))
        pieces = tuple(replace(b, pose=up @ b.pose) for b in boxes)
        frames = {name: up @ frame for name, frame in book.frames.items()}
        frames["foot"] = Pose((0, 0, -y / 2))
        return replace(book, size=(x, z, y), pieces=pieces, frames=frames)


@dataclass(frozen=True)
class Shelf:
    """A row of upright slots, open at the front (+x) and at the top."""

    slots: int = _among(2, 3, 4)
    slot_m: float = _between(0.042, 0.055)
    depth_m: float = _between(0.12, 0.15)
    height_m: float = _between(0.11, 0.15)
    wall_m: float = _between(0.006, 0.010)
    mass_kg: float = _between(1.5, 2.5)

    def made(self) -> Shape:
        pitch, wall = self.slot_m + self.wall_m, self.wall_m / 2
        x, y, z = self.depth_m / 2, (self.slots * pitch + self.wall_m) / 2, self.height_m / 2
        floor = Box("floor", (x, y, wall), Pose((0, 0, -z + wall)))
        back = Box("back", (wall, y, z), Pose((-x + wall, 0, 0)))
        sides = [
            Box("wall" if i in (0, self.slots) else "divider", (x, wall, z),
                Pose((0, -y + wall + i * pitch, 0)))
            for i in range(self.slots + 1)
        ]  # fmt: skip
        frames = {
            f"slot_{i + 1}": Pose((0, -y + 2 * wall + self.slot_m / 2 + i * pitch, -z + 2 * wall))
            for i in range(self.slots)
        }
        size = (2 * x, 2 * y, 2 * z)
        return Shape("shelf", size, self.mass_kg, (floor, back, *sides), frames)


@dataclass(frozen=True)
class WasteBin:
    """An upright box without a top, for what is thrown away."""

    length_m: float = _between(0.16, 0.22)
    width_m: float = _between(0.16, 0.20)
    height_m: float = _between(0.08, 0.13)
    wall_m: float = _between(0.004, 0.006)
    mass_kg: float = _between(0.6, 1.0)

    def made(self) -> Shape:
        size = (self.length_m, self.width_m, self.height_m)
        frames = {"opening": Pose((0, 0, self.height_m / 2))}
        return Shape("bin", size, self.mass_kg, open_box(size, self.wall_m), frames)


FAMILIES: Mapping[str, type[Family]] = {
    "mug": Mug,
    "bottle": Bottle,
    "bowl": Bowl,
    "tray": Tray,
    "box": LiddedBox,
    "rack": Rack,
    "book": Book,
    "shelf": Shelf,
    "sink": Sink,
    "upright_book": UprightBook,
    "waste_bin": WasteBin,
}
"""The families that shapes are drawn from; one that is added sorts last, or others' seeds change.

A shape's `family` is what its thing is called: an upright book is a book, a waste bin a bin.
"""
