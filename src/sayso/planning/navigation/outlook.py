"""What each class of places does to a task, clause by clause, as arrays.

A clause's next state depends on that clause alone, so that what was found out about one is kept
for all combinations with the states of the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from sayso.planning.navigation.grid import Mask
from sayso.planning.navigation.obligations import Obligations, Reading, States

_OPEN = -1
"""Instead of a state: which of several comes about makes a difference that cannot be told."""

Least = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class ClauseOutlook:
    """Of one clause in one state, for each class of places.

    Attributes:
        least: the state to reckon with after what is seen there.
        fit: whether that is one from which the clause can still be fulfilled, and stays so
            however often what is seen changes.
        harmless: whether the clause is no worse off whatever is seen there.
    """

    least: Least
    fit: Mask
    harmless: Mask


@dataclass(frozen=True, eq=False)
class Outlook:
    """Of a task whose readings in each class are given.

    Attributes:
        readings: for each class what is seen there, all but the place being as it is.
    """

    task: Obligations
    readings: Sequence[Reading]
    _known: dict[tuple[int, int], ClauseOutlook] = field(default_factory=dict)

    def harmless(self, states: States) -> Mask:
        """(classes,) where the task is no worse off."""
        found = [self._of(i, q).harmless for i, q in enumerate(states)]
        return np.asarray(np.logical_and.reduce(found))

    def outcomes(self, states: States) -> list[States | None]:
        """For each class the states to reckon with there; None where the task may suffer."""
        found = [self._of(i, q) for i, q in enumerate(states)]
        fit = np.logical_and.reduce([f.fit for f in found])
        after = np.stack([f.least for f in found], axis=1).tolist()
        return [tuple(q) if ok else None for ok, q in zip(fit, after, strict=True)]

    def _of(self, index: int, state: int) -> ClauseOutlook:
        key = (index, state)
        if key not in self._known:
            looks = [self._look(index, state, reading) for reading in self.readings]
            least, fit, harmless = (np.array(column) for column in zip(*looks, strict=True))
            self._known[key] = ClauseOutlook(least, fit, harmless)
        return self._known[key]

    def _look(self, index: int, state: int, reading: Reading) -> tuple[int, bool, bool]:
        clause, trap = self.task.clause(index), self.task.automata[index].is_trap
        (after,) = clause.outcomes((state,), reading)
        least = clause.least((after,))
        harmless = clause.harmless((state,), reading)
        if least is None:
            return _OPEN, False, harmless
        stays = not reading.unsure or clause.harmless(least, reading)
        return least[0], stays and not trap(least[0]), harmless
