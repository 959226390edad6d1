"""The fewest preconditions that tell where an outcome comes about from where it does not.

A row is one way to apply the operator to one transition. It violates some of the candidate
literals, and the operator's prediction was right there or not. Literals are taken one by one,
those first that alone explain a failure, and then put to the test again with all the others in
place. Without noise this is a hitting set of the failures in which every literal is needed; with
noise a literal is needed where failures without it are too many for chance.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.special import bdtr

from sayso.learning.transitions import Bools

Floats = npt.NDArray[np.float64]

_CHANCE = 0.02
"""Failures that chance brings more often than this prove nothing."""

_MANY = 1 / 3
"""Nor do failures that are a smaller share than this, where there is noise."""


@dataclass(frozen=True)
class Evidence:
    """Rows with what they violate and what became of them; equal rows are counted.

    Attributes:
        violated: (rows, literals) 1.0 where the literal is known not to hold.
        right: (rows,) how many had the predicted outcome.
        wrong: (rows,) how many had not.
    """

    violated: Floats
    right: Floats
    wrong: Floats

    @classmethod
    def of(cls, violated: Bools, right: Bools) -> Evidence:
        """From (rows, literals) and (rows,), one for each way to apply the operator."""
        if not len(right):
            return cls(violated.astype(float), np.zeros(0), np.zeros(0))
        # Rows as strings of bytes, with a byte in front lest there be none.
        packed = np.packbits(np.pad(violated, ((0, 0), (1, 0))), axis=1)
        keys = packed.view(np.dtype((np.void, packed.shape[1]))).ravel()
        _, first, group = np.unique(keys, return_index=True, return_inverse=True)
        counts = np.bincount(group, minlength=len(first)).astype(float)
        rights = np.bincount(group, weights=right, minlength=len(first)).astype(float)
        return cls(violated[first].astype(float), rights, counts - rights)


def minimal(evidence: Evidence, required: Bools, noise: float) -> Bools:
    """(literals,) the preconditions: those required, and those that failures call for.

    Of literals that serve alike, the first is taken. `noise` is the share of outcomes that may be
    wrong although the operator is right.
    """
    chosen = required | _alone(evidence, required, noise)
    while True:
        step = _most_useful(evidence, chosen, noise)
        if step is None:
            break
        chosen[step] = True
    return _pruned(evidence, chosen, required, noise)


def needed(right: Floats, wrong: Floats, noise: float) -> Bools:
    """Whether so few right and so many wrong outcomes show that a literal is needed."""
    total = right + wrong
    if not noise:
        return np.asarray(wrong > 0)
    chance = bdtr(right, np.maximum(total, 1.0).astype(np.int64), 1.0 - noise)
    return np.asarray((wrong > _MANY * total) & (chance < _CHANCE))


def _alone(evidence: Evidence, required: Bools, noise: float) -> Bools:
    """Literals without which failures have no other explanation."""
    inside = evidence.violated @ required.astype(float) == 0
    single = inside & (evidence.violated.sum(axis=1) == 1)
    right, wrong = _counts(evidence, single)
    return needed(right, wrong, noise)


def _most_useful(evidence: Evidence, chosen: Bools, noise: float) -> int | None:
    """The literal that keeps out the most failures and the fewest successes."""
    inside = evidence.violated @ chosen.astype(float) == 0
    if not evidence.wrong[inside].any():
        return None
    right, wrong = _counts(evidence, inside)
    useful = needed(right, wrong, noise) & ~chosen
    if not useful.any():
        return None
    return int(np.argmax(np.where(useful, wrong - right, -np.inf)))


def _pruned(evidence: Evidence, chosen: Bools, required: Bools, noise: float) -> Bools:
    """Without literals that the others make superfluous, the last ones first."""
    kept = chosen.copy()
    for literal in np.nonzero(chosen & ~required)[0][::-1]:
        kept[literal] = False
        inside = evidence.violated @ kept.astype(float) == 0
        without = inside & (evidence.violated[:, literal] > 0)
        right, wrong = evidence.right[without].sum(), evidence.wrong[without].sum()
        kept[literal] = bool(needed(np.array(right), np.array(wrong), noise))
    return kept


def _counts(evidence: Evidence, rows: Bools) -> tuple[Floats, Floats]:
    """(literals,) right and wrong outcomes among these rows where the literal is violated."""
    return (
        np.where(rows, evidence.right, 0.0) @ evidence.violated,
        np.where(rows, evidence.wrong, 0.0) @ evidence.violated,
    )
