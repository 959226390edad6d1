"""A flat as data: walls, doors, things, and who walks about.

Frame `map`: metres, z up, the floor at z = 0. Angles in radians about z.
"""

from __future__ import annotations

import itertools
from dataclasses import dataclass
from typing import Literal

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose, Quaternion, Vector3
from sayso.worlds.flat.colors import rgba
from sayso.worlds.flat.kinds import WALKING, kind
from sayso.worlds.flat.parts import Part

Point2 = tuple[float, float]
WALL_HEIGHT_M = 2.2
WALL_THICKNESS_M = 0.10
DOOR_HEIGHT_M = 2.0
RESERVED = ("world", "floor", "walls", "mobile_base")
"""Names of the model's own bodies; those of the robot's arm have a slash, as no item has."""


def about_z(yaw: float) -> Quaternion:
    """The turn about z as a quaternion (x, y, z, w)."""
    return (0.0, 0.0, float(np.sin(yaw / 2)), float(np.cos(yaw / 2)))


@dataclass(frozen=True)
class Room:
    """A named rectangle of floor between two corners [m]."""

    name: str
    low: Point2
    high: Point2


@dataclass(frozen=True)
class Wall:
    """A straight wall between two points [m]; doors in it leave gaps."""

    start: Point2
    end: Point2


@dataclass(frozen=True)
class Door:
    """A door in a wall.

    Attributes:
        name: unique.
        category: what people call it, such as `door` or `door_with_posters`.
        color: of its leaf.
        at: the middle of the gap [m].
        yaw: along the wall, from the hinge.
        width: of the gap [m].
        motion: a hinged leaf turns to the wall's left by up to 90 degrees; a sliding one runs
            back along the wall.
        opening: 0 shut to 1 open.
        posters: how many hang on it.
    """

    name: str
    category: str
    color: str
    at: Point2
    yaw: float
    width: float = 1.3
    motion: Literal["hinged", "sliding"] = "hinged"
    opening: float = 1.0
    posters: int = 0

    def leaf(self, opening: float) -> Pose:
        """Where the leaf's frame is at an opening: foot, hinge side, x along the leaf."""
        along = np.array([np.cos(self.yaw), np.sin(self.yaw)])
        hinge = np.array(self.at) - along * self.width / 2
        turn = self.yaw
        if self.motion == "hinged":
            turn += opening * np.pi / 2
        else:
            aside = np.array([-along[1], along[0]]) * (WALL_THICKNESS_M + 0.03)
            hinge = hinge - along * opening * self.width * 0.97 + aside
        return Pose((float(hinge[0]), float(hinge[1]), 0.0), about_z(turn))


@dataclass(frozen=True)
class Item:
    """A piece of furniture or a thing that can be carried.

    Attributes:
        name: unique; also the name of its body.
        kind: of the catalogue (`kinds.KINDS`).
        category: what people call it; may say more than the kind, such as `multigrain_chips`.
        color: a name of the palette.
        position: the middle of its foot [m].
        yaw: which way its front faces.
        size: depth, width, height [m].
        lid: how far its lid is open at first, 0 shut to 1 open; only of kinds that have one.
    """

    name: str
    kind: str
    category: str
    color: str
    position: Vector3
    yaw: float
    size: Vector3
    lid: float = 0.0

    @property
    def movable(self) -> bool:
        return kind(self.kind).movable

    @property
    def centre(self) -> Vector3:
        x, y, z = self.position
        return (x, y, z + self.size[2] / 2)

    def parts(self) -> list[Part]:
        """Its shapes, in its own frame."""
        return kind(self.kind).build(self.size, rgba(self.color))

    def corners(self, margin: float = 0.0) -> Array:
        """The (4, 2) corners of its footprint, grown by a margin [m], in order."""
        dx, dy = self.size[0] / 2 + margin, self.size[1] / 2 + margin
        local = np.array([[dx, dy], [-dx, dy], [-dx, -dy], [dx, -dy]])
        c, s = np.cos(self.yaw), np.sin(self.yaw)
        return np.asarray(local @ np.array([[c, s], [-s, c]]) + np.array(self.position[:2]))


@dataclass(frozen=True)
class Walker:
    """A person or a cat that follows way points round and round.

    Attributes:
        name: unique.
        kind: `person` or `cat`.
        color: of clothes or fur.
        path: way points [m]; it starts at the first.
        speed: [m/s].
        walking: False until it is told to start.
    """

    name: str
    kind: str
    color: str
    path: tuple[Point2, ...]
    speed: float = 0.6
    walking: bool = False


@dataclass(frozen=True)
class FlatScene:
    """A whole flat. `start` is the robot's (x, y, yaw). `check` proves that it makes sense."""

    name: str
    rooms: tuple[Room, ...]
    walls: tuple[Wall, ...]
    doors: tuple[Door, ...]
    items: tuple[Item, ...]
    walkers: tuple[Walker, ...] = ()
    start: tuple[float, float, float] = (0.0, 0.0, 0.0)

    @property
    def bounds(self) -> tuple[Point2, Point2]:
        """The corners (low, high) of the rectangle around all rooms."""
        low = np.min([r.low for r in self.rooms], axis=0)
        high = np.max([r.high for r in self.rooms], axis=0)
        return (float(low[0]), float(low[1])), (float(high[0]), float(high[1]))

    def names(self) -> tuple[str, ...]:
        """Names of everything that can be named: items, doors, walkers."""
        items = (i.name for i in self.items)
        return (*items, *(d.name for d in self.doors), *(w.name for w in self.walkers))

    def item(self, name: str) -> Item:
        """The item of that name. Raises INVALID for an unknown one."""
        for item in self.items:
            if item.name == name:
                return item
        raise SaySoError(
            Code.INVALID,
            f"the flat has no item '{name}'.",
            choices=(i.name for i in self.items),
        )

    def check(self) -> FlatScene:
        """Itself, if it makes sense. Raises INVALID that names the part at fault."""
        if not self.rooms:
            raise SaySoError(Code.INVALID, "a flat needs at least one room.")
        _check_names(self)
        for room in self.rooms:
            if not (room.low[0] < room.high[0] and room.low[1] < room.high[1]):
                raise SaySoError(Code.INVALID, f"room '{room.name}' has no area.")
        for item in self.items:
            kind(item.kind)
            rgba(item.color)
            if min(item.size) <= 0:
                raise SaySoError(Code.INVALID, f"item '{item.name}' has a size that is not > 0.")
            if not 0.0 <= item.lid <= float(kind(item.kind).lidded):
                text = (
                    f"item '{item.name}' needs a lid open within 0 to 1, or is of a kind without."
                )
                raise SaySoError(Code.INVALID, text)
        for door in self.doors:
            _check_door(self, door)
        for walker in self.walkers:
            _check_walker(walker)
        return self


def _check_names(scene: FlatScene) -> None:
    names = sorted((*scene.names(), *RESERVED))
    for a, b in itertools.pairwise(names):
        if a == b:
            raise SaySoError(Code.INVALID, f"the name '{a}' is used twice or reserved.")


def _check_door(scene: FlatScene, door: Door) -> None:
    rgba(door.color)
    if not (0.0 <= door.opening <= 1.0 and door.width > 0):
        raise SaySoError(
            Code.INVALID, f"door '{door.name}' needs an opening within 0 to 1 and a width > 0."
        )
    if not any(holds_door(w, door) for w in scene.walls):
        raise SaySoError(
            Code.INVALID,
            f"door '{door.name}' is in no wall.",
            hint="its gap must lie within a wall, and its yaw along the wall.",
        )


def _check_walker(walker: Walker) -> None:
    rgba(walker.color)
    if walker.kind not in WALKING:
        raise SaySoError(
            Code.INVALID, f"a '{walker.kind}' such as '{walker.name}' cannot walk.", choices=WALKING
        )
    if not walker.path or walker.speed <= 0:
        raise SaySoError(
            Code.INVALID, f"walker '{walker.name}' needs at least one way point and a speed > 0."
        )


def holds_door(wall: Wall, door: Door) -> bool:
    """Whether the door's gap lies within the wall."""
    start, end = np.array(wall.start), np.array(wall.end)
    length = float(np.linalg.norm(end - start))
    if length <= 0:
        return False
    along = (end - start) / length
    offset = np.array(door.at) - start
    across = abs(float(along[0] * offset[1] - along[1] * offset[0]))
    turned = abs(float(np.sin(door.yaw - np.arctan2(along[1], along[0]))))
    place = float(offset @ along)
    return (
        across < 0.05
        and turned < 0.02
        and door.width / 2 - 1e-6 <= place <= length - door.width / 2 + 1e-6
    )


def wall_pieces(scene: FlatScene) -> list[Wall]:
    """The walls without the gaps of their doors."""
    return [piece for wall in scene.walls for piece in _pieces(wall, scene.doors)]


def _pieces(wall: Wall, doors: tuple[Door, ...]) -> list[Wall]:
    start, end = np.array(wall.start), np.array(wall.end)
    length = float(np.linalg.norm(end - start))
    along = (end - start) / length
    gaps = sorted(
        (float((np.array(d.at) - start) @ along), d.width) for d in doors if holds_door(wall, d)
    )
    cuts = [0.0]
    for middle, width in gaps:
        cuts += [middle - width / 2, middle + width / 2]
    cuts.append(length)
    spans = [(cuts[i], cuts[i + 1]) for i in range(0, len(cuts), 2)]
    return [Wall(_at(start, along, a), _at(start, along, b)) for a, b in spans if b - a > 0.01]


def _at(start: Array, along: Array, distance: float) -> Point2:
    x, y = start + along * distance
    return (float(x), float(y))
