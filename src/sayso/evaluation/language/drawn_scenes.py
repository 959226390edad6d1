"""Scenes to speak of, drawn at random: everything stands clearly apart.

What a description picks out must not hang on a threshold, so things are at least 20 cm apart on a
table and 1.5 m in a flat, but for what lies on or in something.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import dist
from random import Random

from sayso.core.geometry import Vector3
from sayso.evaluation.language.scenes import Thing

Sizes = dict[str, Vector3]
TABLE_SIZES: Sizes = {
    "block": (0.045, 0.045, 0.045), "plate": (0.18, 0.18, 0.02), "bowl": (0.15, 0.15, 0.06),
    "mug": (0.08, 0.08, 0.09), "coaster": (0.1, 0.1, 0.01), "tray": (0.2, 0.14, 0.02),
    "drawer": (0.2, 0.16, 0.08),
}  # fmt: skip
FLAT_SIZES: Sizes = {
    "sofa": (0.9, 1.8, 0.8), "bed": (1.5, 2.0, 0.5), "fridge": (0.7, 0.7, 1.75),
    "desk": (0.7, 1.4, 0.74), "table": (0.8, 1.2, 0.72), "chair": (0.45, 0.45, 0.88),
    "plant": (0.4, 0.4, 1.1), "television": (0.3, 1.1, 0.7), "trash bin": (0.3, 0.3, 0.4),
    "person": (0.5, 0.5, 1.75), "cat": (0.45, 0.2, 0.3), "mug": (0.09, 0.09, 0.1),
    "can": (0.066, 0.066, 0.12), "box": (0.3, 0.3, 0.25),
}  # fmt: skip
_COLORS = ("red", "green", "blue", "yellow", "white", "black", "brown", "grey", "orange", "purple")
SMALLER, LARGER = 0.7, 1.5
"""How much two sizes of one kind differ from the usual."""


_CLEARLY = 0.15
"""How much farther to the left something is that is left of something, at least [m]."""
_DIRECTIONS = {"left of": (1, 1.0), "right of": (1, -1.0), "behind": (0, 1.0),
               "in front of": (0, -1.0)}  # fmt: skip
"""The axis and its sign, seen from the robot."""
_MUCH_CLOSER = 0.6
"""Distance of the closest thing as a share of the next one's, at most."""


def picked_out(how: str, group: Sequence[Thing], landmark: Thing) -> Thing | None:
    """The only thing of a group that a description fits, if no other comes close to fitting."""
    if how in ("smallest", "largest"):
        ordered = sorted(group, key=lambda t: t.size[0], reverse=how == "largest")
        return ordered[0] if ordered[0].size[0] != ordered[1].size[0] else None
    if how == "closest":
        ordered = sorted(group, key=lambda t: dist(t.position, landmark.position))
        first, second = (dist(t.position, landmark.position) for t in ordered[:2])
        return ordered[0] if first <= _MUCH_CLOSER * second else None
    if how == "on":
        fitting = [t for t in group if _lies_on(t, landmark)]
        return fitting[0] if len(fitting) == 1 else None
    if how in ("leftmost", "rightmost"):
        ordered = sorted(group, key=lambda t: t.position[1], reverse=how == "leftmost")
        apart = abs(ordered[0].position[1] - ordered[1].position[1])
        return ordered[0] if apart > _CLEARLY else None
    axis, side = _DIRECTIONS[how]
    offsets = [(side * (t.position[axis] - landmark.position[axis]), t) for t in group]
    clear = [t for offset, t in offsets if offset > _CLEARLY]
    unclear = [t for offset, t in offsets if -_CLEARLY <= offset <= _CLEARLY]
    alone = len(clear) == 1 and not unclear
    return clear[0] if alone and _in_line(clear[0], landmark, 1 - axis) else None


def _lies_on(thing: Thing, other: Thing) -> bool:
    over = all(
        abs(t - o) < s / 2
        for t, o, s in zip(thing.position[:2], other.position[:2], other.size[:2], strict=True)
    )
    return over and thing.position[2] > other.position[2]


def _in_line(thing: Thing, landmark: Thing, axis: int) -> bool:
    """Whether they differ along the other axis alone, so that sides do not hang on the viewer."""
    return abs(thing.position[axis] - landmark.position[axis]) < _CLEARLY


def table_scene(rng: Random) -> tuple[Thing, ...]:
    """A table: three or four blocks, one or two plates and mugs, and containers."""
    kinds = ["block"] * rng.choice((3, 3, 4)) + ["plate"] * rng.choice((1, 2))
    kinds += ["mug"] * rng.choice((1, 2)) + ["bowl", "drawer"]
    kinds += [k for k in ("coaster", "tray") if rng.random() < 0.7]
    places = [(0.38 + 0.22 * i, 0.45 - 0.22 * j, 0.0) for i in range(2) for j in range(5)]
    rng.shuffle(places)
    things = _things(rng, kinds, TABLE_SIZES, places)
    return _stacked(rng, things)


def flat_scene(rng: Random) -> tuple[Thing, ...]:
    """A flat: furniture on the floor, somebody to keep off, and small things on furniture."""
    kinds = ["sofa", "bed", "fridge", "table", *["desk"] * rng.choice((1, 2))]
    kinds += ["chair"] * rng.choice((2, 3)) + ["trash bin", "plant", "television", "person", "cat"]
    places = [(1.0 + 2.6 * i, 1.0 + 2.6 * j, 0.0) for i in range(4) for j in range(4)]
    rng.shuffle(places)
    furniture = _things(rng, kinds, FLAT_SIZES, places)
    small = ["mug"] * rng.choice((1, 2)) + ["can"] * rng.choice((1, 2, 3)) + ["box"]
    tops = [_on_top(t, dy) for t in furniture if t.category in ("desk", "table")
            for dy in (-0.4, 0.0, 0.4)]  # fmt: skip
    rng.shuffle(tops)
    return furniture + _things(rng, small, FLAT_SIZES, tops)


def _on_top(thing: Thing, dy: float) -> Vector3:
    x, y, z = thing.position
    return (x, y + dy, z + thing.size[2] / 2)


def _things(
    rng: Random, kinds: Sequence[str], sizes: Sizes, feet: Sequence[Vector3]
) -> tuple[Thing, ...]:
    """Things of these kinds at these places, those of one kind of different colours.

    Two blocks may have one colour: then one is small and one big.
    """
    colors = {kind: rng.sample(_COLORS, kinds.count(kind)) for kind in dict.fromkeys(kinds)}
    found = []
    for kind, foot in zip(kinds, feet, strict=False):
        color = colors[kind].pop()
        found.append(_thing(kind, color, sizes[kind], foot, kinds.count(kind) > 1))
    return tuple(_two_sizes(rng, found))


def _two_sizes(rng: Random, things: list[Thing]) -> list[Thing]:
    blocks = [t for t in things if t.category == "block"]
    if len(blocks) < 4 or rng.random() < 0.5:
        return things
    small, big = rng.sample(blocks, 2)
    smaller = _scaled(small, big.color, SMALLER, f"small_{big.color}_block")
    larger = _scaled(big, big.color, LARGER, f"big_{big.color}_block")
    return [smaller if t is small else larger if t is big else t for t in things]


def _scaled(thing: Thing, color: str, factor: float, name: str) -> Thing:
    x, y, z = thing.position
    length, width, height = (factor * s for s in thing.size)
    foot = z - thing.size[2] / 2
    return Thing(name, thing.category, color, (x, y, foot + height / 2), (length, width, height))


def _thing(kind: str, color: str, size: Vector3, foot: Vector3, several: bool) -> Thing:
    noun = kind.replace(" ", "_")
    name = f"{color}_{noun}" if several else noun
    position = (foot[0], foot[1], foot[2] + size[2] / 2)
    attributes = {"opening_m": 0.0} if kind == "drawer" else {}
    return Thing(name, kind, color, position, size, attributes)


def _stacked(rng: Random, things: tuple[Thing, ...]) -> tuple[Thing, ...]:
    """Sometimes a block lies on a plate already, and sometimes a mug on another flat thing."""
    if rng.random() < 0.6:
        return things
    pairs = [("block", "plate"), ("mug", "coaster"), ("mug", "tray")][: rng.choice((1, 2, 3))]
    for kind, below in pairs:
        things = _put_on(things, kind, below)
    return things


def _put_on(things: tuple[Thing, ...], kind: str, below: str) -> tuple[Thing, ...]:
    thing = next(t for t in things if t.category == kind)
    place = next((t for t in things if t.category == below), None)
    if place is None:
        return things
    x, y, z = place.position
    moved = (x, y, z + (place.size[2] + thing.size[2]) / 2)
    new = Thing(thing.name, thing.category, thing.color, moved, thing.size)
    return tuple(new if t is thing else t for t in things)
