"""Rooms of everyday things, drawn at random: on a table, on and in each other, with attributes.

For studies of learning: a room knows more of its things than a scene of it shows.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from sayso.core.geometry import Array, Pose, Quaternion, Vector3
from sayso.core.scene import AttributeValue, RobotState, Scene, SceneObject

REACH_X, REACH_Y = (0.25, 0.85), (-0.5, 0.5)
"""The table, in the robot's frame [m]."""
COLOURS = ("red", "orange", "yellow", "green", "blue", "black", "white")
_OWNERS = ("ann", "ben", "cleo")
_LABELS = ("salt", "sugar", "flour")
_NOISE_M = 0.0008


@dataclass(frozen=True)
class _Kind:
    """Sizes [m], mass [kg], and what can be observed of a kind of thing besides."""

    size: Vector3
    mass_kg: float
    tops: bool = False
    lies: bool = False
    charged: bool = False
    lit: bool = False
    labelled: bool = False
    lid: bool = False
    holds_water: bool = False
    open_top: bool = False


KINDS: Mapping[str, _Kind] = {
    "cup": _Kind((0.08, 0.08, 0.10), 0.3, lies=True, holds_water=True),
    "bowl": _Kind((0.14, 0.14, 0.06), 0.4, holds_water=True),
    "plate": _Kind((0.20, 0.20, 0.02), 0.5, tops=True),
    "box": _Kind((0.16, 0.11, 0.08), 0.9, tops=True, lid=True),
    "book": _Kind((0.21, 0.15, 0.03), 0.7, tops=True),
    "lamp": _Kind((0.12, 0.12, 0.24), 1.1, charged=True, lit=True),
    "phone": _Kind((0.07, 0.15, 0.01), 0.2, charged=True),
    "torch": _Kind((0.04, 0.16, 0.04), 0.25, charged=True, lit=True),
    "jar": _Kind((0.09, 0.09, 0.12), 0.6, labelled=True, lid=True),
    "bottle": _Kind((0.07, 0.07, 0.22), 0.8, lies=True, labelled=True),
    "ball": _Kind((0.08, 0.08, 0.08), 0.15),
    "basket": _Kind((0.26, 0.22, 0.12), 0.5, open_top=True),
}
_DRAWN = (*KINDS, "bottle", "basket", "basket", "cup", "lamp")
_SMALL = ("cup", "ball", "torch", "phone", "jar")


@dataclass(frozen=True)
class Thing:
    """One thing as it is.

    Attributes:
        centre: of its box [m].
        size: along its own axes [m].
        yaw: of its own x axis, from above [rad].
        lying: whether it lies on its side, its own z axis level.
        attributes: what a robot observes besides.
        hidden: what no robot observes.
    """

    name: str
    kind: str
    colour: str
    centre: Vector3
    size: Vector3
    yaw: float = 0.0
    lying: bool = False
    attributes: Mapping[str, AttributeValue] = field(default_factory=dict)
    hidden: Mapping[str, AttributeValue] = field(default_factory=dict)

    @property
    def height(self) -> float:
        """As it stands or lies [m]."""
        return self.size[1] if self.lying else self.size[2]

    @property
    def bottom(self) -> float:
        return self.centre[2] - self.height / 2

    @property
    def top(self) -> float:
        return self.centre[2] + self.height / 2

    def observed(self, random: np.random.Generator) -> SceneObject:
        """As a robot sees it, a little off."""
        place = np.array(self.centre) + random.normal(0.0, _NOISE_M, 3)
        x, y, z = map(float, place)
        return SceneObject(
            self.name, self.kind, self.colour, (x, y, z), self.size, _turned(self.yaw, self.lying),
            attributes=self.attributes,
        )  # fmt: skip


@dataclass(frozen=True)
class Room:
    """Things at one time, and how they are seen."""

    things: Mapping[str, Thing]
    scene: Scene


def drawn_room(seed: int) -> Room:
    """A room of 8 to 12 things; the same for the same seed."""
    random = np.random.default_rng([seed, 40])
    things: dict[str, Thing] = {}
    wanted = int(random.integers(8, 13))
    for _ in range(200):
        if len(things) == wanted:
            break
        if made := _drawn(random, things):
            things[made.name] = made
    gripper = Pose((0.3, 0.0, 0.6))
    seen = tuple(t.observed(random) for t in things.values())
    return Room(things, Scene(float(seed), seen, RobotState(0.0, (), 0.08, gripper)))


def _drawn(random: np.random.Generator, things: Mapping[str, Thing]) -> Thing | None:
    """One more thing, on the table or with another; None where it has no room."""
    name = str(random.choice(_DRAWN))
    base = _base(random, things)
    if base is not None and (base.kind == "basket" or name in ("lamp", "basket", "bottle", "box")):
        name = str(random.choice(_SMALL))
    kind = KINDS[name]
    width, depth, height = (float(v) for v in np.array(kind.size) * random.uniform(0.85, 1.15, 3))
    size = (width, depth, height)
    lying = kind.lies and base is None and bool(random.random() < 0.4)
    tall = size[1] if lying else size[2]
    x, y, bottom = _spot(random, base)
    if base is None and not _free(x, y, size, things):
        return None
    attributes = _attributes(random, kind)
    hidden = {
        "fragile": bool(random.random() < 0.5), "borrowed": bool(random.random() < 0.5)
    }  # fmt: skip
    colour = str(random.choice(COLOURS))
    place = (x, y, bottom + tall / 2)
    return Thing(
        f"{name}_{len(things)}", name, colour, place, size, _yaw(random), lying, attributes, hidden
    )


def _base(random: np.random.Generator, things: Mapping[str, Thing]) -> Thing | None:
    if random.random() > 0.35:
        return None
    chosen = "basket" if random.random() < 0.25 else ""
    bases = [t for t in things.values() if KINDS[t.kind].tops or t.kind == chosen]
    if not bases:
        return None
    return bases[int(random.integers(len(bases)))]


def _spot(random: np.random.Generator, base: Thing | None) -> tuple[float, float, float]:
    if base is None:
        return float(random.uniform(*REACH_X)), float(random.uniform(*REACH_Y)), 0.0
    x, y, _ = base.centre
    dx, dy = random.uniform(-0.03, 0.03, 2)
    return x + float(dx), y + float(dy), 0.01 if base.kind == "basket" else base.top


def _free(x: float, y: float, size: Sequence[float], things: Mapping[str, Thing]) -> bool:
    reach = max(size) / 2
    return all(
        np.hypot(x - t.centre[0], y - t.centre[1]) > 0.55 * (2 * reach + max(t.size)) / 1.1
        for t in things.values()
        if t.bottom < 0.005
    )


def _yaw(random: np.random.Generator) -> float:
    """Along the table as often as not."""
    if random.random() < 0.5:
        return float(random.integers(-1, 3)) * np.pi / 2 + float(random.normal(0.0, 0.01))
    return float(random.uniform(-np.pi, np.pi))


def _attributes(random: np.random.Generator, kind: _Kind) -> dict[str, AttributeValue]:
    found: dict[str, AttributeValue] = {
        "mass_kg": kind.mass_kg * float(random.uniform(0.4, 2.5)),
        "temperature_c": float(random.uniform(4.0, 60.0)),
    }
    if random.random() < 0.75:
        found["owner"] = str(random.choice(_OWNERS))
    if kind.charged:
        found["charge_share"] = float(random.uniform(0.0, 1.0))
    if kind.lit:
        found["lit"] = bool(random.random() < 0.5)
    if kind.labelled:
        found["label"] = str(random.choice(_LABELS))
    if kind.lid:
        found["lid_open"] = bool(random.random() < 0.5)
    if kind.holds_water:
        found["water_l"] = float(random.choice([0.0, 0.0, 0.1, 0.2, 0.3]))
    return found


def _turned(yaw: float, lying: bool) -> Quaternion:
    """Turned about the vertical; lying: first about its own x axis by a quarter."""
    c, s = float(np.cos(yaw / 2)), float(np.sin(yaw / 2))
    if not lying:
        return (0.0, 0.0, s, c)
    h = float(np.sqrt(0.5))
    return (h * c, h * s, h * s, h * c)


def flat(one: Thing, other: Thing) -> float:
    """Distance between two centres, from above [m]."""
    return float(np.hypot(*(np.array(one.centre) - np.array(other.centre))[:2]))


def across(one: Thing, other: Thing) -> Array:
    """(2,) from the first centre to the second, from above [m]."""
    return np.asarray((np.array(other.centre) - np.array(one.centre))[:2])
