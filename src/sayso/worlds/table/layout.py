"""Random layouts: where each thing stands at the start, from a seed."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

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
class Surface:
    """On what a seed puts things: ranges of their middles, and how high it is [m].

    `kept_free` is a range of x and one of y, such as a drawer's way. Things are turned by at most
    `turned_rad` either way.
    """

    height_m: float
    x_m: tuple[float, float]
    y_m: tuple[float, float]
    kept_free: tuple[tuple[float, float], tuple[float, float]] | None = None
    turned_rad: float = np.pi


TABLE_TOP = Surface(0.0, X_M, Y_M, _DRAWER_AREA)


@dataclass(frozen=True)
class Placement:
    """Where a thing's foot is on the table, and how far it is turned about z [rad]."""

    x: float
    y: float
    yaw: float


@dataclass(frozen=True)
class Layout:
    """A start: placements by name, the cabinet's position and the drawer's opening [m].

    `shares` are how far fixtures are along their travel, by name; the others are at 0.
    """

    placements: Mapping[str, Placement]
    cabinet: Vector3
    drawer_opening_m: float
    shares: Mapping[str, float] = field(default_factory=dict)


def random_layout(
    rng: np.random.Generator, things: Sequence[Thing] = MOVABLES, surface: Surface = TABLE_TOP
) -> Layout:
    """A layout in which everything is within reach and well apart.

    Raises:
        SaySoError: INVALID for more things than the table has room for.
    """
    x, y, z = CABINET_POSITION
    dx, dy = rng.uniform(-_CABINET_PLAY_M, _CABINET_PLAY_M, 2)
    ajar = rng.random() < 0.25
    opening = float(rng.uniform(*_AJAR_M)) if ajar else 0.0
    return Layout(_placements(rng, things, surface), (x + dx, y + dy, z), opening)


def _placements(
    rng: np.random.Generator, things: Sequence[Thing], surface: Surface
) -> dict[str, Placement]:
    # Random sequential placing can paint itself into a corner: then begin anew.
    for _ in range(_ATTEMPTS):
        low, high = np.transpose([surface.x_m, surface.y_m])
        spots = rng.uniform(low, high, (_DARTS, 2))
        placed = _place_all(spots, things, surface)
        if placed is not None:
            yaws = rng.uniform(-surface.turned_rad, surface.turned_rad, len(things))
            return {
                thing.name: Placement(float(x), float(y), float(yaw))
                for thing, (x, y), yaw in zip(things, placed, yaws, strict=True)
            }
    raise SaySoError(
        Code.INVALID,
        f"the table has no room for {len(things)} things with space for the hand between them.",
        hint="put fewer or smaller things into the scene, or say where each stands.",
    )


def _place_all(spots: Array, things: Sequence[Thing], surface: Surface) -> list[Array] | None:
    """For each thing in turn the first of the (N, 2) spots that is still free for it."""
    placed: list[Array] = []
    for thing in things:
        free = _allowed(spots, thing.clearance_m, surface)
        for other, at in zip(things, placed, strict=False):
            apart = np.hypot(*(spots - at).T)
            free &= apart >= thing.clearance_m + other.clearance_m + GAP_M
        if not free.any():
            return None
        placed.append(spots[np.argmax(free)])
    return placed


def _allowed(spots: Array, radius: float, surface: Surface) -> npt.NDArray[np.bool_]:
    """Which spots are within reach and leave the drawer its way."""
    x, y = spots.T
    reach = np.hypot(x, y)
    within = np.asarray((reach >= REACH_M[0]) & (reach <= REACH_M[1]))
    if surface.kept_free is None:
        return within
    (x0, x1), (y0, y1) = surface.kept_free
    nearest = np.hypot(
        np.maximum(np.maximum(x0 - x, x - x1), 0.0), np.maximum(np.maximum(y0 - y, y - y1), 0.0)
    )
    return np.asarray(within & (nearest >= radius))
