"""Random layouts: where each thing stands at the start, from a seed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from sayso.adapters.sim.things import CABINET_POSITION, MOVABLES, Thing
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Vector3

GAP_M = 0.065
"""Free space kept between things, so that the 20 cm wide hand gets between them."""

REACH_M = (0.32, 0.66)
X_M = (0.28, 0.62)
Y_M = (-0.36, 0.30)
_DRAWER_AREA = ((0.27, 0.90), (0.20, 0.60))
_CABINET_PLAY_M = 0.015
_AJAR_M = (0.02, 0.06)


@dataclass(frozen=True)
class Placement:
    """Where a thing's foot is on the table, and how far it is turned about z [rad]."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class Layout:
    """A start: placements by name, the cabinet's position and the drawer's opening [m]."""

    placements: Mapping[str, Placement]
    cabinet: Vector3
    drawer_opening_m: float


def random_layout(rng: np.random.Generator) -> Layout:
    """A layout in which everything is within reach and well apart."""
    x, y, z = CABINET_POSITION
    dx, dy = rng.uniform(-_CABINET_PLAY_M, _CABINET_PLAY_M, 2)
    ajar = rng.random() < 0.25
    opening = float(rng.uniform(*_AJAR_M)) if ajar else 0.0
    return Layout(_placements(rng), (x + dx, y + dy, z), opening)


def _placements(rng: np.random.Generator) -> dict[str, Placement]:
    # Random sequential placing can paint itself into a corner: then begin anew.
    for _ in range(500):
        placed: dict[str, Placement] = {}
        discs: list[tuple[float, float, float]] = []
        for thing in MOVABLES:
            spot = _spot(rng, thing, discs)
            if spot is None:
                break
            placed[thing.name] = spot
            discs.append((spot.x, spot.y, thing.clearance_m))
        else:
            return placed
    raise SaySoError(Code.UNKNOWN, "no layout was found; the table is too small for its things.")


def _spot(
    rng: np.random.Generator, thing: Thing, discs: list[tuple[float, float, float]]
) -> Placement | None:
    for _ in range(60):
        x, y = float(rng.uniform(*X_M)), float(rng.uniform(*Y_M))
        if _free(x, y, thing.clearance_m, discs):
            return Placement(x, y, float(rng.uniform(-np.pi, np.pi)))
    return None


def _free(x: float, y: float, radius: float, discs: list[tuple[float, float, float]]) -> bool:
    if not REACH_M[0] <= np.hypot(x, y) <= REACH_M[1]:
        return False
    (x0, x1), (y0, y1) = _DRAWER_AREA
    nearest = np.hypot(max(x0 - x, 0.0, x - x1), max(y0 - y, 0.0, y - y1))
    if nearest < radius:
        return False
    return all(np.hypot(x - a, y - b) >= radius + r + GAP_M for a, b, r in discs)
