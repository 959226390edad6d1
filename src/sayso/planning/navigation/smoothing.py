"""Paths pulled straight, without leaving the free cells."""

from __future__ import annotations

import numpy as np

from sayso.core.geometry import Array
from sayso.planning.navigation.grid import Mask, path_length, segments_clear

_POINTS = 60
"""Of a path that is pulled straight: all pairs of them are looked at."""
_ROUNDS = 4
_CORNER = 1e-6
"""What a corner costs [cells], so that none is left on a straight line."""
_ENOUGH = 1e-3
"""A round that shortens the path by less than this share is the last."""


def straighten(path: Array, free: Mask) -> Array:
    """A path with the same ends, no longer, through free cells as the path is itself.

    Points are spread along the path and the shortest way over those that see each other is
    taken, until that no longer helps: the string pulled tight in its own class of ways.

    Args:
        path: (N, 2) corners (x, y) in units of cells, each leg clear.
        free: (rows, columns).
    """
    best = path
    for number in range(_ROUNDS):
        points = spread(best, _POINTS, shift=number / _ROUNDS)
        shorter = _shortest(points, free)
        gain = path_length(best) - path_length(shorter)
        if gain > 0:
            best = shorter
        if number and gain <= _ENOUGH * path_length(best):
            break
    return best


def spread(path: Array, count: int, shift: float = 0.0) -> Array:
    """The path's corners and `count` more points along it, evenly, shifted by a share."""
    corners = without_straights(path)
    lengths = np.r_[0.0, np.cumsum(np.linalg.norm(np.diff(corners, axis=0), axis=1))]
    even = (np.arange(count) + shift) * float(lengths[-1]) / count
    places = np.unique(np.r_[even, lengths])
    if len(places) < 2:
        return path[[0, -1]]
    return np.stack([np.interp(places, lengths, corners[:, axis]) for axis in (0, 1)], axis=1)


def without_straights(path: Array) -> Array:
    """The path's ends and the points at which it turns."""
    steps = np.diff(path, axis=0)
    moved = np.linalg.norm(steps, axis=1) > 0
    points, steps = path[np.r_[True, moved]], steps[moved]
    turn = steps[:-1, 0] * steps[1:, 1] - steps[:-1, 1] * steps[1:, 0]
    back = (steps[:-1] * steps[1:]).sum(axis=1) < 0
    return points[np.r_[True, (turn != 0) | back, True]] if len(steps) else path[[0, -1]]


def _shortest(points: Array, free: Mask) -> Array:
    """The shortest way from the first to the last point, along points that see each other."""
    n = len(points)
    i, j = np.triu_indices(n, 1)
    clear = segments_clear(free, points[i], points[j])
    # Neighbours along the path see each other: rounding must not make the path break there.
    cost = np.full((n, n), np.inf)
    keep = clear | (j == i + 1)
    cost[i[keep], j[keep]] = np.linalg.norm(points[j[keep]] - points[i[keep]], axis=1) + _CORNER
    reach, before = np.full(n, np.inf), np.zeros(n, np.intp)
    reach[0] = 0.0
    for k in range(1, n):
        ways = reach[:k] + cost[:k, k]
        before[k] = int(ways.argmin())
        reach[k] = ways[before[k]]
    corners = [n - 1]
    while corners[-1]:
        corners.append(int(before[corners[-1]]))
    return points[corners[::-1]]
