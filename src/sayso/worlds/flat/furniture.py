"""What each kind of furniture is put together from.

Every builder takes the item's size (depth x, width y, height z) [m] and its colour; parts fill
that box, the front towards +x.
"""

from __future__ import annotations

import math
from dataclasses import replace

from sayso.core.geometry import Vector3
from sayso.worlds.flat.colors import DARK, PALETTE, STEEL, shade
from sayso.worlds.flat.parts import Part, ball, box, legs, post, slab
from sayso.worlds.things import Rgba

_LEAF: Rgba = (0.13, 0.42, 0.14, 1)
_PAPER: Rgba = (0.93, 0.92, 0.88, 1)
CHEST_M: Vector3 = (0.45, 0.70, 0.50)
CHEST_FLOOR_M = 0.12
_CHEST_WALL_M, _LID_ROOM_M, _SLAT_M = 0.015, 0.05, 0.012
LID_SLATS = 8


def sofa(size: Vector3, color: Rgba) -> list[Part]:
    """A seat with cushions between two arms and a back."""
    d, w, h = size
    arm, back = 0.16, 0.22
    inner = w - 2 * arm
    seats = max(1, round(inner / 0.7))
    out = [slab((d, w, 0.30), (0, 0, 0.04), shade(color, 0.8))]
    out.append(slab((back, w, h - 0.34), (-d / 2 + back / 2, 0, 0.34), color))
    for side in (-1, 1):
        at = (back / 2, side * (w - arm) / 2, 0.34)
        out.append(slab((d - back, arm, 0.24), at, color))
    for i in range(seats):
        y = -inner / 2 + (i + 0.5) * inner / seats
        cushion = (d - back - 0.02, inner / seats - 0.02, 0.10)
        out.append(slab(cushion, (back / 2, y, 0.34), shade(color, 1.15)))
    return out


def chair(size: Vector3, color: Rgba) -> list[Part]:
    """Four legs, a seat and a back."""
    d, w, h = size
    seat = 0.44
    out = legs(size, 0.04, seat - 0.04, shade(color, 0.7))
    out.append(slab((d, w, 0.05), (0, 0, seat - 0.04), color))
    out.append(slab((0.05, w, h - seat - 0.15), (-d / 2 + 0.025, 0, seat + 0.15), color))
    for side in (-1, 1):
        rail = (-d / 2 + 0.025, side * (w / 2 - 0.03), seat)
        out.append(slab((0.03, 0.03, 0.16), rail, shade(color, 0.7)))
    return out


def table(size: Vector3, color: Rgba) -> list[Part]:
    """A plate on four legs."""
    d, w, h = size
    top = slab((d, w, 0.04), (0, 0, h - 0.04), color)
    return [top, *legs(size, 0.06, h - 0.04, shade(color, 0.75))]


def desk(size: Vector3, color: Rgba) -> list[Part]:
    """A plate on two side panels, with drawers at one side."""
    d, w, h = size
    side = shade(color, 0.8)
    out = [slab((d, w, 0.035), (0, 0, h - 0.035), color)]
    out += [slab((d, 0.03, h - 0.035), (0, s * (w / 2 - 0.015), 0), side) for s in (-1, 1)]
    out.append(slab((d - 0.04, 0.38, 0.5), (-0.02, w / 2 - 0.22, h - 0.535), side))
    for i in range(3):
        at = (d / 2 - 0.035, w / 2 - 0.22, h - 0.13 - 0.16 * i)
        out.append(box((0.012, 0.34, 0.14), at, color, solid=False))
        out.append(box((0.02, 0.10, 0.012), (at[0] + 0.012, at[1], at[2]), STEEL, solid=False))
    return out


def counter(size: Vector3, color: Rgba) -> list[Part]:
    """Kitchen units under a worktop."""
    d, w, h = size
    out = [slab((d - 0.06, w, 0.1), (-0.03, 0, 0), DARK)]
    out.append(slab((d - 0.03, w, h - 0.14), (-0.015, 0, 0.1), color))
    out.append(slab((d, w, 0.04), (0, 0, h - 0.04), shade(color, 0.6)))
    return out + _fronts(d - 0.03, w, 0.12, h - 0.16, color)


def _fronts(depth: float, width: float, low: float, height: float, color: Rgba) -> list[Part]:
    """Cupboard doors with handles along a front."""
    count = max(1, round(width / 0.5))
    out = []
    for i in range(count):
        y = -width / 2 + (i + 0.5) * width / count
        front = (0.014, width / count - 0.02, height - 0.02)
        middle = low + height / 2
        out.append(box(front, (depth / 2, y, middle), shade(color, 1.12), solid=False))
        handle = (depth / 2 + 0.02, y + width / count / 2 - 0.07, middle)
        out.append(box((0.02, 0.015, min(0.16, height / 2)), handle, STEEL, solid=False))
    return out


def cabinet(size: Vector3, color: Rgba) -> list[Part]:
    """A closed cabinet with two doors."""
    d, w, h = size
    out = [slab((d - 0.02, w, h - 0.06), (-0.01, 0, 0.06), color)]
    out.append(slab((d - 0.08, w - 0.04, 0.06), (-0.02, 0, 0), DARK))
    return out + _fronts(d - 0.02, w, 0.08, h - 0.12, color)


def shelves(size: Vector3, color: Rgba) -> list[Part]:
    """Boards between two sides, open at the front."""
    d, w, h = size
    wall, levels = 0.025, max(2, round(h / 0.38))
    side = shade(color, 0.85)
    out = [slab((d, wall, h), (0, s * (w - wall) / 2, 0), side) for s in (-1, 1)]
    out.append(slab((0.012, w, h), (-d / 2 + 0.006, 0, 0), shade(color, 0.7)))
    for i in range(levels + 1):
        z = i * (h - wall) / levels
        out.append(slab((d - 0.012, w - 2 * wall, wall), (0.006, 0, z), color))
    return out


def bookshelf(size: Vector3, color: Rgba) -> list[Part]:
    """Shelves full of books."""
    d, w, h = size
    levels = max(2, round(h / 0.38))
    paints = [PALETTE[c] for c in ("red", "blue", "green", "orange", "grey", "purple")]
    out = shelves(size, color)
    for level in range(levels):
        z = level * (h - 0.025) / levels + 0.025
        count = int((w - 0.12) / 0.075)
        for i in range(count - level % 3):
            tall = 0.20 + 0.02 * ((3 * i + level) % 4)
            at = (-0.02, -w / 2 + 0.08 + 0.075 * i, z)
            paint = paints[(i * 5 + level * 2) % len(paints)]
            out.append(slab((d * 0.6, 0.06, tall), at, paint, solid=False))
    return out


def sink(size: Vector3, color: Rgba) -> list[Part]:
    """A basin sunk into a unit, with a tap; things can lie in the basin."""
    d, w, h = size
    rim, deep = 0.07, 0.16
    out = [slab((d, w, h - deep), (0, 0, 0), color)]
    for s in (-1, 1):
        out.append(slab((d, rim, deep), (0, s * (w - rim) / 2, h - deep), STEEL))
        at = (s * (d - rim) / 2, 0, h - deep)
        out.append(slab((rim, w - 2 * rim, deep), at, STEEL))
    tap = -d / 2 + 0.035
    out.append(slab((d - 2 * rim, w - 2 * rim, 0.004), (0, 0, h - deep), STEEL))
    out.append(post(0.03, 0.26, (tap, 0, h), STEEL))
    out.append(box((0.18, 0.025, 0.025), (tap + 0.08, 0, h + 0.25), STEEL, solid=False))
    return out + _fronts(d, w, 0.08, h - deep - 0.1, color)


def bed(size: Vector3, color: Rgba) -> list[Part]:
    """A frame, a mattress, pillows and a cover in the bed's colour."""
    d, w, h = size
    out = [slab((d, w, 0.28), (0, 0, 0), PALETTE["wooden"])]
    out.append(slab((0.06, w, h), (-d / 2 + 0.03, 0, 0), PALETTE["wooden"]))
    out.append(slab((d - 0.08, w - 0.06, 0.18), (0.03, 0, 0.28), _PAPER))
    out.append(slab((0.66 * d, w - 0.02, 0.19), (0.16 * d, 0, 0.28), color))
    for side in (-1, 1):
        pillow = (-d / 2 + 0.28, side * w / 4, 0.46)
        out.append(slab((0.32, 0.38 * w, 0.09), pillow, _PAPER, solid=False))
    return out


def plant(size: Vector3, color: Rgba) -> list[Part]:
    """A pot in the plant's colour and leaves above it."""
    d, _, h = size
    pot = 0.36 * h
    out = [post(0.72 * d, pot, (0, 0, 0), color)]
    out.append(post(0.64 * d, 0.01, (0, 0, pot), (0.2, 0.13, 0.08, 1), solid=False))
    out.append(post(0.08 * d, 0.3 * h, (0, 0, pot), PALETTE["brown"], solid=False))
    spots = ((0, 0, 0.8), (0.2, 0.1, 0.66), (-0.18, 0.14, 0.7), (0.02, -0.2, 0.64))
    for i, (x, y, z) in enumerate(spots):
        leaf = shade(_LEAF, 0.85 + 0.15 * (i % 3))
        out.append(ball((0.4 if i else 0.5) * d, (x * d, y * d, z * h), leaf, solid=i == 0))
    return out


def tree(size: Vector3, color: Rgba) -> list[Part]:
    """A tall plant with a trunk in a tub."""
    d, _, h = size
    out = [post(0.6 * d, 0.2 * h, (0, 0, 0), color)]
    out.append(post(0.1 * d, 0.45 * h, (0, 0, 0.2 * h), PALETTE["brown"]))
    for i, (x, z, s) in enumerate(((0, 0.85, 0.6), (0.2, 0.7, 0.5), (-0.2, 0.68, 0.5))):
        leaf = shade(_LEAF, 0.85 + 0.2 * (i % 2))
        out.append(ball(s * d, (x * d, 0.12 * d * (i - 1), z * h), leaf, solid=i == 0))
    return out


def bin_(size: Vector3, color: Rgba) -> list[Part]:
    """Four walls and a floor: open at the top, so that things fall in."""
    d, w, h = size
    wall = 0.015
    out = [slab((d, w, wall), (0, 0, 0), color)]
    for s in (-1, 1):
        out.append(slab((d, wall, h), (0, s * (w - wall) / 2, 0), color))
        out.append(slab((wall, w - 2 * wall, h), (s * (d - wall) / 2, 0, 0), shade(color, 0.85)))
        edge = (0, s * (w - 0.008) / 2, h - 0.04)
        out.append(slab((d + 0.004, 0.02, 0.04), edge, shade(color, 0.6), solid=False))
    return out


def chest(size: Vector3, color: Rgba) -> list[Part]:
    """A box on a base, open at the top, with room in its back for a lid of slats."""
    d, w, h = size
    wall, room = _CHEST_WALL_M, _LID_ROOM_M
    out = [slab((d, w, CHEST_FLOOR_M), (0, 0, 0), color)]
    above = h - CHEST_FLOOR_M
    for s in (-1, 1):
        out.append(slab((d, wall, above), (0, s * (w - wall) / 2, CHEST_FLOOR_M), color))
    for x in (d / 2 - wall / 2, -d / 2 + wall / 2, -d / 2 + room - wall / 2):
        low = above - 2 * _SLAT_M  # the lid runs over it
        out.append(slab((wall, w - 2 * wall, low), (x, 0, CHEST_FLOOR_M), shade(color, 0.85)))
    return out


def lid_slats(size: Vector3, color: Rgba, opening: float) -> list[Part]:
    """The lid of a chest: slats that roll from over the opening, 0, down into its back, 1."""
    d, w, h = size
    corner = -d / 2 + _LID_ROOM_M / 2
    length = d / 2 - corner
    pitch = length / LID_SLATS
    out = []
    for i in range(LID_SLATS):
        along = (i + 0.5) * pitch + opening * length  # from the front edge
        down = max(0.0, along - length)
        at = (d / 2 - min(along, length), 0.0, h - _SLAT_M / 2 - down)
        slat = Part("box", (pitch, w - 0.002, _SLAT_M), at, shade(color, 1.15 - 0.1 * (i % 2)))
        out.append(replace(slat, pitch=min(1.0, down / pitch) * math.pi / 2))
    return out


def board(size: Vector3, color: Rgba) -> list[Part]:
    """A board on a stand with two feet: whiteboards."""
    d, w, h = size
    out = [slab((0.04, w, 0.55 * h), (0, 0, 0.45 * h), STEEL)]
    face = (0.021, 0, 0.45 * h + 0.275 * h)
    out.append(box((0.006, w - 0.05, 0.55 * h - 0.05), face, color, solid=False))
    for s in (-1, 1):
        out.append(slab((0.04, 0.04, 0.5 * h), (0, s * (w / 2 - 0.06), 0), STEEL))
        out.append(slab((d, 0.05, 0.04), (0, s * (w / 2 - 0.06), 0), DARK))
    out.append(slab((0.07, 0.6 * w, 0.02), (0.05, 0, 0.45 * h), STEEL, solid=False))
    return out


def pillar(size: Vector3, color: Rgba) -> list[Part]:
    """A round column with a foot."""
    d, _, h = size
    return [post(0.9 * d, h, (0, 0, 0), color), post(d, 0.12, (0, 0, 0), shade(color, 0.7))]


def picture(size: Vector3, color: Rgba) -> list[Part]:
    """A framed painting or a poster; hung on a wall, only seen."""
    d, w, h = size
    out = [slab((d, w, h), (0, 0, 0), PALETTE["brown"], solid=False)]
    out.append(box((0.006, 0.9 * w, 0.88 * h), (d / 2, 0, h / 2), _PAPER, solid=False))
    patch = (d / 2 + 0.004, -0.1 * w, 0.42 * h)
    out.append(box((0.006, 0.5 * w, 0.5 * h), patch, color, solid=False))
    sun = (d / 2 + 0.005, 0.25 * w, 0.7 * h)
    out.append(box((0.006, 0.2 * w, 0.18 * h), sun, shade(color, 1.4), solid=False))
    return out


def curtain(size: Vector3, color: Rgba) -> list[Part]:
    """A rail with folds hanging from it."""
    d, w, h = size
    folds = max(4, round(w / 0.12))
    out = [box((0.03, w + 0.1, 0.03), (0, 0, h - 0.015), STEEL, solid=False)]
    for i in range(folds):
        y = -w / 2 + (i + 0.5) * w / folds
        x = 0.25 * d * (-1) ** i
        paint = shade(color, 1.0 if i % 2 else 0.85)
        out.append(slab((d / 2, w / folds, h - 0.05), (x, y, 0.02), paint, solid=False))
    out.append(Part("box", (d / 2, w, h), (0, 0, h / 2), color, seen=False))
    return out


def staircase(size: Vector3, color: Rgba) -> list[Part]:
    """Steps that rise away from the front."""
    d, w, h = size
    count = 7
    return [
        slab(
            (d - i * d / count, w, h / count),
            (-i * d / count / 2, 0, i * h / count),
            shade(color, 1.0 - 0.08 * (i % 2)),
        )
        for i in range(count)
    ]


def elevator(size: Vector3, color: Rgba) -> list[Part]:
    """A closed shaft: a frame with a pair of metal doors and a call button."""
    d, w, h = size
    out = [slab((d - 0.04, w, h), (-0.02, 0, 0), (0.60, 0.60, 0.60, 1))]
    for s in (-1, 1):
        leaf = (d / 2 - 0.02, s * 0.19 * w, 0)
        out.append(slab((0.03, 0.37 * w, 0.88 * h), leaf, color, solid=False))
    button = (d / 2 - 0.015, 0.44 * w, 1.05)
    out.append(box((0.02, 0.07, 0.14), button, STEEL, solid=False))
    out.append(box((0.02, 0.3, 0.09), (d / 2 - 0.015, 0, 0.94 * h), DARK, solid=False))
    return out


def robot(size: Vector3, color: Rgba) -> list[Part]:
    """A service robot that stands still: a wheeled foot, a body, a head with eyes."""
    d, w, h = size
    out = [post(0.9 * d, 0.18 * h, (0, 0, 0), DARK)]
    out.append(slab((0.6 * d, 0.62 * w, 0.5 * h), (0, 0, 0.18 * h), color))
    for s in (-1, 1):
        arm = (0.06 * d, s * 0.41 * w, 0.3 * h)
        out.append(slab((0.14 * d, 0.14 * w, 0.36 * h), arm, shade(color, 0.7)))
    out.append(post(0.14 * d, 0.06 * h, (0, 0, 0.68 * h), STEEL))
    out.append(slab((0.46 * d, 0.5 * w, 0.26 * h), (0, 0, 0.74 * h), color))
    for s in (-1, 1):
        out.append(ball(0.12 * w, (0.23 * d, s * 0.12 * w, 0.88 * h), DARK, solid=False))
    return out


def guitar(size: Vector3, color: Rgba) -> list[Part]:
    """A guitar upright in its stand."""
    d, w, h = size
    out = [slab((d, 0.6 * w, 0.03), (0, 0, 0), DARK)]
    low, high = (0, 0, 0.25 * h), (0, 0, 0.46 * h)
    out.append(Part("cylinder", (w, w, 0.09), low, color, 1.5708))
    out.append(Part("cylinder", (0.75 * w, 0.75 * w, 0.09), high, color, 1.5708))
    hole = (0.046, 0, 0.36 * h)
    out.append(Part("cylinder", (0.1, 0.1, 0.01), hole, DARK, 1.5708, solid=False))
    out.append(slab((0.03, 0.06, 0.42 * h), (0.03, 0, 0.52 * h), PALETTE["brown"]))
    out.append(slab((0.035, 0.09, 0.07 * h), (0.03, 0, 0.93 * h), DARK, solid=False))
    return out


def floor_sign(size: Vector3, color: Rgba) -> list[Part]:
    """Two boards that lean on each other."""
    d, w, h = size
    lean = 0.28
    return [
        Part("box", (0.02, w, h), (s * d / 4, 0, h / 2), color, pitch=-s * lean) for s in (-1, 1)
    ]


def person(size: Vector3, color: Rgba) -> list[Part]:
    """A standing figure in clothes of a colour."""
    d, w, h = size
    skin: Rgba = (0.80, 0.60, 0.47, 1)
    out = [post(0.16, 0.47 * h, (0, s * 0.1, 0), (0.15, 0.17, 0.25, 1)) for s in (-1, 1)]
    out.append(Part("ellipsoid", (d, 0.8 * w, 0.42 * h), (0, 0, 0.64 * h), color))
    for s in (-1, 1):
        out.append(post(0.10, 0.36 * h, (0, s * 0.42 * w, 0.44 * h), shade(color, 0.8)))
    out.append(ball(0.13 * h, (0, 0, 0.91 * h), skin))
    out.append(ball(0.132 * h, (-0.02, 0, 0.925 * h), (0.2, 0.12, 0.07, 1), solid=False))
    return out


def cat(size: Vector3, color: Rgba) -> list[Part]:
    """A body on four legs with a head, ears and a tail."""
    d, w, h = size
    out = [Part("ellipsoid", (0.7 * d, w, 0.45 * h), (-0.05 * d, 0, 0.55 * h), color)]
    out.append(ball(0.28 * d, (0.33 * d, 0, 0.75 * h), color))
    for sx in (-1, 1):
        for sy in (-1, 1):
            foot = (0.2 * d * sx - 0.05 * d, 0.3 * w * sy, 0)
            out.append(post(0.05, 0.5 * h, foot, shade(color, 0.8), solid=False))
    for s in (-1, 1):
        ear = (0.33 * d, s * 0.08 * d, 0.96 * h)
        out.append(box((0.03, 0.035, 0.05), ear, shade(color, 0.7), solid=False))
    tail = (-0.45 * d, 0, 0.75 * h)
    out.append(Part("cylinder", (0.03, 0.03, 0.3 * d), tail, color, pitch=-0.6, solid=False))
    return out
