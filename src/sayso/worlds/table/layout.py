"""Random layouts: where each thing stands at the start, from a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Vector3
from sayso.worlds.things import CABINET_POSITION, MOVABLES, Thing

GAP_M = 0.065
"""Free space kept between things, so that the 20 cm wide hand gets between them."""

REACH_M = (0.32, 0.66)
X_M = (0.27, 0.64)
Y_M = (-0.38, 0.30)
_DRAWER_AREA = ((0.27, 0.90), (0.18, 0.60))
_CABINET_PLAY_M = 0.015
_AJAR_M = (0.02, 0.06)
_ATTEMPTS, _DARTS = 1000, 200


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


def random_layout(rng: np.random.Generator, things: Sequence[Thing] = MOVABLES) -> Layout:
    """A layout in which everything is within reach and well apart.

    Raises:
        SaySoError: INVALID for more things than the table has room for.
    """
    x, y, z = CABINET_POSITION
    dx, dy = rng.uniform(-_CABINET_PLAY_M, _CABINET_PLAY_M, 2)
    ajar = rng.random() < 0.25
    opening = float(rng.uniform(*_AJAR_M)) if ajar else 0.0
    return Layout(_placements(rng, things), (x + dx, y + dy, z), opening)


def _placements(rng: np.random.Generator, things: Sequence[Thing]) -> dict[str, Placement]:
    # Random sequential placing can paint itself into a corner: then begin anew.
    for _ in range(_ATTEMPTS):
        spots = rng.uniform((X_M[0], Y_M[0]), (X_M[1], Y_M[1]), (_DARTS, 2))
        placed = _place_all(spots, things)
        if placed is not None:
            yaws = rng.uniform(-np.pi, np.pi, len(things))
            return {
                thing.name: Placement(float(x), float(y), float(yaw))
                for thing, (x, y), yaw in zip(things, placed, yaws, strict=True)
            }
    raise SaySoError(
        Code.INVALID,
        f"the table has no room for {len(things)} things with space for the hand between them.",
        hint="put fewer or smaller things into the scene, or say where each stands.",
    )


def _place_all(spots: Array, things: Sequence[Thing]) -> list[Array] | None:
    """For each thing in turn the first of the (N, 2) spots that is still free for it."""
    placed: list[Array] = []
    for thing in things:
        free = _allowed(spots, thing.clearance_m)
        for other, at in zip(things, placed, strict=False):
            apart = np.hypot(*(spots - at).T)
            free &= apart >= thing.clearance_m + other.clearance_m + GAP_M
        if not free.any():
            return None
        placed.append(spots[np.argmax(free)])
    return placed


def _allowed(spots: Array, radius: float) -> npt.NDArray[np.bool_]:
    """Which spots are within reach and leave the drawer its way."""
    x, y = spots.T
    reach = np.hypot(x, y)
    (x0, x1), (y0, y1) = _DRAWER_AREA
    nearest = np.hypot(
        np.maximum(np.maximum(x0 - x, x - x1), 0.0), np.maximum(np.maximum(y0 - y, y - y1), 0.0)
    )
    return np.asarray((reach >= REACH_M[0]) & (reach <= REACH_M[1]) & (nearest >= radius))
