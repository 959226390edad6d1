"""What each kind of appliance is put together from; see `furniture`."""

from __future__ import annotations

from dataclasses import replace

from sayso.core.geometry import Vector3
from sayso.worlds.flat.colors import DARK, STEEL, shade
from sayso.worlds.flat.parts import Part, box, post, slab
from sayso.worlds.things import Rgba

_SCREEN: Rgba = (0.16, 0.22, 0.32, 1)


def fridge(size: Vector3, color: Rgba) -> list[Part]:
    """Two doors, the smaller above, with long handles."""
    d, w, h = size
    out = [slab((d - 0.04, w, h), (-0.02, 0, 0), color)]
    split = 0.62 * h
    for low, high in ((0.04, split - 0.01), (split + 0.01, h - 0.01)):
        front = (0.03, w - 0.02, high - low)
        out.append(slab(front, (d / 2 - 0.025, 0, low), shade(color, 1.1), solid=False))
        bar = (d / 2 + 0.01, w / 2 - 0.07, low + 0.1)
        out.append(slab((0.03, 0.02, 0.5 * (high - low)), bar, STEEL, solid=False))
    return out


def stove(size: Vector3, color: Rgba) -> list[Part]:
    """An oven with four plates on top."""
    d, w, h = size
    out = [slab((d - 0.02, w, h - 0.02), (-0.01, 0, 0), color)]
    out.append(slab((d, w, 0.02), (0, 0, h - 0.02), DARK))
    window = (d / 2 - 0.01, 0, 0.4 * h)
    out.append(box((0.02, 0.75 * w, 0.4 * h), window, DARK, solid=False))
    out.append(box((0.04, 0.7 * w, 0.02), (d / 2, 0, 0.7 * h), STEEL, solid=False))
    for sx in (-1, 1):
        for sy in (-1, 1):
            plate = (sx * d / 4.5, sy * w / 4.5, h)
            out.append(post(0.17, 0.004, plate, (0.3, 0.1, 0.08, 1), solid=False))
    return out


def washer(size: Vector3, color: Rgba) -> list[Part]:
    """A front-loading machine: a round window and a panel of buttons."""
    d, w, h = size
    out = [slab((d - 0.02, w, h), (-0.01, 0, 0), color)]
    out.append(Part("cylinder", (0.36, 0.36, 0.04), (d / 2 - 0.02, 0, 0.45 * h), STEEL, 1.5708))
    glass = (d / 2 - 0.01, 0, 0.45 * h)
    out.append(Part("cylinder", (0.28, 0.28, 0.035), glass, _SCREEN, 1.5708, solid=False))
    out.append(box((0.02, 0.9 * w, 0.1), (d / 2 - 0.015, 0, h - 0.08), DARK, solid=False))
    return out


def dishwasher(size: Vector3, color: Rgba) -> list[Part]:
    """One tall front with a handle and a row of buttons."""
    d, w, h = size
    out = [slab((d - 0.02, w, h), (-0.01, 0, 0), color)]
    out.append(box((0.02, w - 0.03, 0.75 * h), (d / 2 - 0.01, 0, 0.42 * h), STEEL, solid=False))
    out.append(box((0.04, 0.7 * w, 0.03), (d / 2, 0, 0.72 * h), DARK, solid=False))
    return out


def oven(size: Vector3, color: Rgba) -> list[Part]:
    """A microwave: a dark window and a panel at one side."""
    d, w, h = size
    out = [slab((d - 0.01, w, h), (-0.005, 0, 0), color)]
    front = d / 2 - 0.005
    out.append(box((0.01, 0.64 * w, 0.7 * h), (front, -0.12 * w, h / 2), _SCREEN, solid=False))
    out.append(box((0.01, 0.16 * w, 0.7 * h), (front, 0.36 * w, h / 2), STEEL, solid=False))
    return out


def coffee_maker(size: Vector3, color: Rgba) -> list[Part]:
    """A foot, a back with the tank, a head and a jug."""
    d, w, h = size
    out = [slab((d, w, 0.03), (0, 0, 0), color)]
    out.append(slab((0.35 * d, w, h - 0.03), (-0.325 * d, 0, 0.03), color))
    out.append(slab((d, w, 0.25 * h), (0, 0, 0.75 * h), shade(color, 0.8)))
    out.append(post(0.45 * d, 0.4 * h, (0.18 * d, 0, 0.03), (0.25, 0.13, 0.06, 1)))
    return out


def television(size: Vector3, color: Rgba) -> list[Part]:
    """A wide screen on a low stand."""
    d, w, h = size
    stand = 0.45
    out = [slab((d, 0.8 * w, stand), (0, 0, 0), (0.33, 0.30, 0.28, 1))]
    out.append(slab((0.14, 0.3, 0.06), (0, 0, stand), DARK))
    high = h - stand - 0.06
    out.append(slab((0.05, w, high), (0, 0, stand + 0.06), color))
    glass = (0.03, 0, stand + 0.06 + high / 2)
    out.append(box((0.012, w - 0.05, high - 0.05), glass, _SCREEN, solid=False))
    return out


def computer(size: Vector3, color: Rgba) -> list[Part]:
    """A screen on a foot with a keyboard before it."""
    d, w, h = size
    back = -d / 4
    out = [slab((0.16, 0.2, 0.015), (back, 0, 0), color), post(0.03, 0.14, (back, 0, 0), color)]
    out.append(slab((0.03, w, h - 0.12), (back, 0, 0.12), color))
    glass = (back + 0.018, 0, 0.12 + (h - 0.12) / 2)
    out.append(box((0.008, w - 0.03, h - 0.15), glass, _SCREEN, solid=False))
    out.append(slab((0.13, 0.8 * w, 0.02), (d / 2 - 0.07, 0, 0), shade(color, 1.6)))
    return out


def laptop(size: Vector3, color: Rgba) -> list[Part]:
    """A keyboard and a raised screen."""
    d, w, h = size
    out = [slab((d, w, 0.018), (0, 0, 0), color)]
    out.append(slab((0.012, w, h - 0.018), (-d / 2 + 0.006, 0, 0.018), color))
    glass = (-d / 2 + 0.014, 0, h / 2 + 0.01)
    out.append(box((0.006, w - 0.02, h - 0.05), glass, _SCREEN, solid=False))
    out.append(slab((0.5 * d, 0.9 * w, 0.003), (-0.05 * d, 0, 0.018), DARK, solid=False))
    return out


def lamp(size: Vector3, color: Rgba) -> list[Part]:
    """A foot, a pole and a shade."""
    d, _, h = size
    out = [post(0.7 * d, 0.03, (0, 0, 0), DARK), post(0.05, 0.8 * h, (0, 0, 0), DARK)]
    out.append(replace(post(d, 0.2 * h, (0, 0, 0.8 * h), color), shines=True))
    return out


def water_filter(size: Vector3, color: Rgba) -> list[Part]:
    """A dispenser with a water bottle on top."""
    d, w, h = size
    out = [slab((d, w, 0.68 * h), (0, 0, 0), color)]
    out.append(post(0.8 * d, 0.32 * h, (0, 0, 0.68 * h), (0.35, 0.6, 0.85, 0.6)))
    niche = (d / 2 - 0.005, 0, 0.52 * h)
    out.append(box((0.012, 0.6 * w, 0.18 * h), niche, DARK, solid=False))
    return out


def vacuum(size: Vector3, color: Rgba) -> list[Part]:
    """A nozzle, a leaning tube and a dust container."""
    d, w, h = size
    out = [slab((d, w, 0.07), (0, 0, 0), DARK), post(0.05, 0.9 * h, (0, 0, 0.05), STEEL)]
    out.append(post(0.14, 0.28 * h, (0, 0, 0.5 * h), color))
    out.append(box((0.12, 0.04, 0.05), (0.05, 0, 0.95 * h), DARK, solid=False))
    return out
