"""Motions of the gripper that stop where something is in the way."""

from __future__ import annotations

import math
from collections.abc import Collection

import numpy as np

from sayso.worlds.kitchen2d.gripper import PALM_M, REACH_M, SPEED_M_S, Gripper
from sayso.worlds.kitchen2d.simulation import STEP_S, TABLE_M, Thing

CAREFUL_M_S = 0.35
CLEARANCE_M = 0.03
CEILING_M = 1.0

_BRISK_M_S2, _GENTLE_M_S2 = 20.0, 5.0
"""Acceleration of the empty hand, and of one that carries an open vessel."""
_CLOSE_M = 0.001
_LIMIT = 400


class BlockedError(Exception):
    """A motion ended at something in its way, or what it was for did not come about.

    It never leaves the simulator: the robot is told only that the outcome was not reached.
    """


def move(
    hand: Gripper,
    to: tuple[float, float],
    speed: float = SPEED_M_S,
    guard: Collection[str] | None = None,
) -> str:
    """Move the fingertips to (x, z) [m] in a straight line.

    Args:
        guard: stop at the first touch of anything but these; None to stop for nothing.

    Returns:
        what it stopped at, or ''.
    """
    rate = 0.0
    gain = _GENTLE_M_S2 if hand.held and hand.held.shape.cavity else _BRISK_M_S2
    for _ in range(_LIMIT):
        x, z = hand.position
        dx, dz = to[0] - x, to[1] - z
        left = math.hypot(dx, dz)
        if left < _CLOSE_M:
            return ""
        rate = min(speed, left / STEP_S, rate + gain * STEP_S, math.sqrt(2 * gain * left))
        hand.advance((dx * rate / left, dz * rate / left), -0.3 * hand.angle / STEP_S)
        if guard is not None and (touched := hand.touched()) and touched not in guard:
            return touched
    return ""


def travel(hand: Gripper, x: float, z: float) -> None:
    """Go over everything to above (x, z), then down to it, stopping for nothing.

    Raises BlockedError where something stands in the way down.
    """
    height = max(_height_over(hand, x), z)
    start_x, start_z = hand.position
    if abs(start_x - x) > 0.001:
        move(hand, (start_x, max(height, start_z)))
        move(hand, (x, height))
    if touched := move(hand, (x, z), guard=()):
        raise BlockedError(f"{touched} is in the way")


def lower(hand: Gripper, z: float) -> str:
    """Go down carefully to this height; what was touched on the way, or ''."""
    return move(hand, (hand.position[0], z), CAREFUL_M_S, guard=())


def rise(hand: Gripper) -> None:
    """Go up, clear of what is below."""
    x, z = hand.position
    move(hand, (x, max(_height_over(hand, x), z)))


def turn(
    hand: Gripper,
    pivot: tuple[float, float],
    angle: float,
    duration_s: float,
    drift: tuple[float, float] = (0.0, 0.0),
) -> tuple[float, float]:
    """Turn about a point [m] that itself moves by `drift` [m], until the palm has an angle [rad].

    Returns:
        where the point ends.
    """
    steps = max(1, round(duration_s / STEP_S))
    spin = (angle - hand.angle) / duration_s
    vx, vz = drift[0] / duration_s, drift[1] / duration_s
    for i in range(steps):
        x, z = hand.position
        px, pz = pivot[0] + vx * i * STEP_S, pivot[1] + vz * i * STEP_S
        hand.advance((vx - spin * (z - pz), vz + spin * (x - px)), spin)
    return pivot[0] + drift[0], pivot[1] + drift[1]


def grasp_height(thing: Thing) -> float:
    """Height of the fingertips to take hold of a thing [m]."""
    return thing.bounds()[3] - REACH_M


def hang(hand: Gripper) -> float:
    """How far below the fingertips the hand reaches with what it holds [m]."""
    if hand.held is None:
        return 0.0
    return max(0.0, hand.position[1] - hand.held.bounds()[1])


def _height_over(hand: Gripper, x: float) -> float:
    """Fingertips' height for a way to x over all that stands between [m]."""
    start = hand.position[0]
    reach = PALM_M[0] / 2 + 0.02
    low, high = min(start, x) - reach, max(start, x) + reach
    top = TABLE_M
    for thing in hand.simulation.things.values():
        left, _, right, upper = thing.bounds()
        if thing is not hand.held and right > low and left < high:
            top = max(top, upper)
    return min(CEILING_M, top + hang(hand) + CLEARANCE_M)


def free_place(hand: Gripper, low: float, high: float) -> float:
    """The x nearest to the hand at which a thing can be put on the table, the palm included.

    Places between two wide and low things stay free: plates are pushed there.
    Raises BlockedError where no place is left.
    """
    taken = []
    wide = []
    for thing in hand.simulation.things.values():
        if thing is hand.held:
            continue
        left, _, right, top = thing.bounds()
        taken.append((left - PALM_M[0] / 2 - 0.012, right + PALM_M[0] / 2 + 0.012))
        if right - left > 0.1 and top < TABLE_M + 0.06:
            wide.append((left, right))
    if len(wide) > 1:
        taken.append((min(w[0] for w in wide), max(w[1] for w in wide)))
    start = hand.position[0]
    for x in sorted(np.arange(low, high, 0.01), key=lambda x: abs(x - start)):
        if not any(a < x < b for a, b in taken):
            return float(x)
    raise BlockedError("the table is full")
