"""Names of colours, and how each is painted."""

from __future__ import annotations

from sayso.core.errors import Code, SaySoError
from sayso.worlds.things import Rgba

PALETTE: dict[str, Rgba] = {
    "red": (0.78, 0.08, 0.08, 1),
    "orange": (0.95, 0.45, 0.05, 1),
    "yellow": (0.94, 0.80, 0.10, 1),
    "green": (0.10, 0.55, 0.16, 1),
    "blue": (0.10, 0.25, 0.75, 1),
    "purple": (0.43, 0.14, 0.62, 1),
    "pink": (0.93, 0.50, 0.66, 1),
    "brown": (0.42, 0.25, 0.12, 1),
    "wooden": (0.68, 0.48, 0.28, 1),
    "black": (0.06, 0.06, 0.07, 1),
    "grey": (0.52, 0.53, 0.55, 1),
    "metal": (0.66, 0.68, 0.71, 1),
    "white": (0.90, 0.90, 0.88, 1),
    "glass": (0.62, 0.82, 0.88, 0.35),
}
"""`wooden`, `metal` and `glass` are what things are made of, which people name like colours."""
DARK: Rgba = (0.09, 0.09, 0.10, 1)
STEEL: Rgba = (0.70, 0.72, 0.75, 1)
"""Of parts that have the same colour whatever their thing has."""


def rgba(color: str) -> Rgba:
    """How a colour is painted. Raises INVALID for an unknown one."""
    if color not in PALETTE:
        raise SaySoError(
            Code.INVALID, f"the flat has no colour '{color}'.", choices=sorted(PALETTE)
        )
    return PALETTE[color]


def shade(color: Rgba, factor: float) -> Rgba:
    """The same colour, darker (factor below 1) or lighter."""
    r, g, b = (min(1.0, max(0.0, c * factor)) for c in color[:3])
    return (r, g, b, color[3])
