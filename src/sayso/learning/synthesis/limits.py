"""Limits for a number, from labelled examples and from what physics expects."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array
from sayso.learning.synthesis.tables import Bools

_EDGE = 0.25
"""Share of a margin that a usual limit keeps off its ends."""


def limits(
    values: Array, wanted: Bools, below: bool, usual: float | None, seen: Array
) -> tuple[float, ...]:
    """Limits worth trying: with fewest errors, without misses, without false alarms, the usual.

    Args:
        values: (N,) the number in each labelled example; infinite where it can never hold.
        wanted: (N,) the labels.
        below: whether it holds below the limit, else above.
        usual: the limit where examples leave it open, or None.
        seen: (M,) finite values in scenes without labels.
    """
    if not below:
        mirrored = limits(-values, wanted, True, None if usual is None else -usual, -seen)
        return tuple(-limit for limit in mirrored)
    inner = np.unique(values[np.isfinite(values)])
    ends = np.concatenate(([-np.inf], inner, [np.inf]))
    # At a cut after `ends[i]` what is at or below it holds.
    holds = values[None, :] <= ends[:-1, None]
    misses = (wanted & ~holds).sum(1)
    alarms = (~wanted & holds).sum(1)
    found = (
        _place(ends, cost, usual, seen)
        for cost in (misses + alarms, misses * 1000 + alarms, misses + alarms * 1000)
    )
    # Labels may be wrong, so the usual limit is tried even where they speak against it.
    return tuple(dict.fromkeys(limit for limit in (*found, usual) if limit is not None))


def _place(
    ends: Array, cost: npt.NDArray[np.int64], usual: float | None, seen: Array
) -> float | None:
    """A limit in the widest of the best margins; one with the usual limit goes before."""
    best = np.flatnonzero(cost == cost.min())
    low, high = ends[best], ends[best + 1]
    if usual is not None:
        around = np.flatnonzero((low < usual) & (usual < high))
        if len(around):
            return _near(usual, float(low[around[0]]), float(high[around[0]]))
    widest = int(np.argmax(np.where(np.isfinite(high - low), high - low, -1.0)))
    if np.isfinite(high[widest] - low[widest]):
        return float((low[widest] + high[widest]) / 2)
    found = _open_ended(float(low[widest]), float(high[widest]), seen)
    # A limit on the far side of zero from the usual one could never be met.
    return None if found is not None and usual is not None and found * usual < 0 else found


def _near(usual: float, low: float, high: float) -> float:
    """The usual limit, kept off both ends of its margin."""
    if np.isfinite(low) and np.isfinite(high):
        edge = _EDGE * (high - low)
        return float(np.clip(usual, low + edge, high - edge))
    # The usual limit is wide enough by itself where one side is unknown.
    slack = 0.1 * abs(usual)
    return float(np.clip(usual, low + slack, high - slack))


def _open_ended(low: float, high: float, seen: Array) -> float | None:
    """A limit with examples on one side only: in the widest gap of what was seen beyond them."""
    if not np.isfinite(low) and not np.isfinite(high):
        return None
    end = low if np.isfinite(low) else high
    outward = 1.0 if np.isfinite(low) else -1.0
    reach = max(abs(end), 1e-3) * 0.7
    beyond = np.unique(seen[(outward * (seen - end) >= 0) & (np.abs(seen - end) <= reach)])
    points = np.unique(np.concatenate((beyond, [end, end + outward * reach])))
    widest = int(np.argmax(np.diff(points)))
    return float((points[widest] + points[widest + 1]) / 2)


def interval(values: Array, wanted: Bools, spare: int) -> tuple[float, float] | None:
    """The two limits between which a number lies where it is wanted, with fewest errors.

    Args:
        values, wanted: as of `limits`.
        spare: so many errors fewer than the best single limit leaves, or None is given back.
    """
    order = np.argsort(values, kind="stable")
    ordered = values[order]
    inner = np.flatnonzero(ordered[1:] > ordered[:-1]) + 1
    cuts = np.concatenate(([0], inner, [len(values)]))
    hits = np.concatenate(([0], np.cumsum(np.where(wanted[order], 1, -1))))[cuts]
    # Between the cuts i < j so many more are wanted than not.
    gained = np.triu(hits[None, :] - hits[:, None], 1)
    single = max(int(gained[0].max()), int(gained[:, -1].max()))
    between = gained[1:-1, 1:-1]
    if between.max(initial=0) < single + spare:
        return None
    chosen = np.unravel_index(int(between.argmax()), between.shape)
    low, high = (float(ordered[cuts[i + 1] - 1 : cuts[i + 1] + 1].mean()) for i in chosen)
    return (low, high) if np.isfinite([low, high]).all() else None


_TRIED = 3


def best_rows(values: Array, wanted: Bools) -> tuple[int, ...]:
    """Of several numbers, (rows, N), the few whose best limit leaves the fewest errors."""
    order = np.argsort(values, axis=1, kind="stable")
    hits = np.cumsum(np.where(wanted, 1, -1)[order], axis=1)
    # Ties are passed over: a limit cannot part what is equal.
    ordered = np.take_along_axis(values, order, axis=1)
    parted = np.concatenate((ordered[:, 1:] > ordered[:, :-1], np.ones((len(values), 1), bool)), 1)
    reach = np.where(parted, np.maximum(hits, hits[:, -1:] - hits), -len(wanted)).max(1)
    return tuple(map(int, np.argsort(-reach, kind="stable")[:_TRIED]))


def refits(values: Array, wanted: Bools, below: bool, usual: float | None) -> Iterator[float]:
    """The limits for examples that this number alone decides."""
    if len(values):
        yield from limits(values, wanted, below, usual, np.zeros(0))[:1]
