"""What each kind of small thing is put together from; all can be gripped across their width."""

from __future__ import annotations

from sayso.core.geometry import Vector3
from sayso.worlds.flat.colors import shade
from sayso.worlds.flat.parts import Part, ball, box, post, slab
from sayso.worlds.things import Rgba

_STEEL: Rgba = (0.75, 0.76, 0.78, 1)
_PAPER: Rgba = (0.93, 0.92, 0.88, 1)
_DARK: Rgba = (0.08, 0.08, 0.09, 1)


def can(size: Vector3, color: Rgba) -> list[Part]:
    """A drinks can with a metal rim."""
    d, _, h = size
    out = [post(d, h, (0, 0, 0), color)]
    out.append(post(0.9 * d, 0.002, (0, 0, h), _STEEL, solid=False))
    out.append(post(1.01 * d, 0.3 * h, (0, 0, 0.35 * h), shade(color, 1.5), solid=False))
    return out


def bottle(size: Vector3, color: Rgba) -> list[Part]:
    """A body, a neck and a cap."""
    d, _, h = size
    out = [post(d, 0.68 * h, (0, 0, 0), color)]
    out.append(post(0.5 * d, 0.22 * h, (0, 0, 0.68 * h), color))
    out.append(post(0.55 * d, 0.1 * h, (0, 0, 0.9 * h), _PAPER))
    out.append(post(1.01 * d, 0.25 * h, (0, 0, 0.25 * h), _PAPER, solid=False))
    return out


def mug(size: Vector3, color: Rgba) -> list[Part]:
    """A cup with a handle at its back; the handle is only seen."""
    d, _, h = size
    out = [post(d, h, (0, 0, 0), color)]
    out.append(post(0.85 * d, 0.002, (0, 0, h), shade(color, 0.4), solid=False))
    for z in (0.2, 0.75):
        out.append(box((0.03, 0.012, 0.012), (-d / 2 - 0.01, 0, z * h), color, solid=False))
    grip = (-d / 2 - 0.025, 0, 0.475 * h)
    out.append(box((0.012, 0.012, 0.65 * h), grip, color, solid=False))
    return out


def book(size: Vector3, color: Rgba) -> list[Part]:
    """Covers around paper, standing on its spine's end."""
    d, w, h = size
    out = [slab((d, w, h), (0, 0, 0), color)]
    out.append(box((0.98 * d, 0.75 * w, 0.98 * h), (0.012 * d, 0, h / 2), _PAPER, solid=False))
    out.append(box((0.004, 0.7 * w, 0.94 * h), (d / 2, 0, h / 2), _PAPER, solid=False))
    return out


def packet(size: Vector3, color: Rgba) -> list[Part]:
    """A box or bag of goods with a label on both faces."""
    d, w, h = size
    out = [slab(size, (0, 0, 0), color)]
    for s in (-1, 1):
        label = (s * d / 2, 0, 0.55 * h)
        out.append(box((0.003, 0.6 * w, 0.4 * h), label, shade(color, 1.6), solid=False))
    return out


def handbag(size: Vector3, color: Rgba) -> list[Part]:
    """A bag with a handle on top."""
    d, w, h = size
    low = 0.72 * h
    out = [slab((d, w, low), (0, 0, 0), color)]
    out.append(slab((1.03 * d, 1.01 * w, 0.2 * low), (0, 0, 0.7 * low), shade(color, 0.7)))
    for s in (-1, 1):
        out.append(slab((0.015, 0.015, h - low), (0, s * 0.3 * w, low), shade(color, 0.5)))
    out.append(box((0.02, 0.62 * w, 0.015), (0, 0, h - 0.008), shade(color, 0.5)))
    return out


def plush(size: Vector3, color: Rgba) -> list[Part]:
    """A sitting bear: body, head, ears, arms and legs."""
    d, w, h = size
    out = [Part("ellipsoid", (0.8 * d, 0.7 * w, 0.56 * h), (0, 0, 0.28 * h), color)]
    out.append(ball(0.46 * h, (0, 0, 0.72 * h), color))
    out.append(slab((0.6 * d, 0.5 * w, 0.02), (0, 0, 0), color))
    for s in (-1, 1):
        out.append(ball(0.16 * h, (0, s * 0.18 * h, 0.92 * h), shade(color, 0.8), solid=False))
        out.append(ball(0.22 * h, (0.3 * d, s * 0.28 * w, 0.12 * h), shade(color, 0.8)))
        arm = (0.12 * d, s * 0.38 * w, 0.42 * h)
        out.append(ball(0.2 * h, arm, shade(color, 0.9), solid=False))
        out.append(ball(0.05 * h, (0.21 * h, s * 0.08 * h, 0.78 * h), _DARK, solid=False))
    out.append(ball(0.07 * h, (0.22 * h, 0, 0.70 * h), _DARK, solid=False))
    return out


def fruit(size: Vector3, color: Rgba) -> list[Part]:
    """A round fruit with a stalk."""
    d, _, h = size
    return [
        Part("ellipsoid", (d, d, 0.94 * h), (0, 0, 0.47 * h), color),
        post(0.008, 0.12 * h, (0, 0, 0.9 * h), (0.25, 0.15, 0.06, 1), solid=False),
    ]


def banana(size: Vector3, color: Rgba) -> list[Part]:
    """Three bent pieces."""
    d, w, h = size
    piece = (d, 0.42 * w, h)
    out = [slab(piece, (0, 0, 0), color)]
    for s in (-1, 1):
        out.append(slab((d, 0.3 * w, 0.8 * h), (-0.25 * d, s * 0.35 * w, 0), color))
    out.append(slab((0.5 * d, 0.04, 0.5 * h), (-0.3 * d, 0.5 * w, 0.1 * h), _DARK, solid=False))
    return out


def cloth(size: Vector3, color: Rgba) -> list[Part]:
    """A folded towel, glove or sponge: two soft layers."""
    d, w, h = size
    out = [slab((d, w, 0.5 * h), (0, 0, 0), color)]
    out.append(slab((0.94 * d, 0.94 * w, 0.5 * h), (0, 0, 0.5 * h), shade(color, 1.15)))
    return out
