"""Task progression semantic maps: what standing at each place would do to the task.

After LIMP (Quartey et al. 2024), Algorithm 2, which asks the automaton about every point around
every referent. Here all cells of one class (see `nearness`) are asked about together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sayso.planning.navigation.nearness import Names, NearMap

State = TypeVar("State")
Values = npt.NDArray[np.int8]

GOAL, NEUTRAL, AVOID = 1, 0, -1


def class_values(
    classes: Collection[Names],
    step: Callable[[Names], State],
    state: State,
    target: State,
    harmless: Callable[[State], bool] | None = None,
    standing: Names | None = None,
) -> Values:
    """(len(classes),) GOAL, NEUTRAL or AVOID for each class.

    Args:
        step: the automaton's state after being near exactly these names, everything else as it
            is now.
        state: the automaton's now.
        target: the one wanted.
        harmless: says of another state whether passing through it is as good as staying; by
            default none is, as in the paper.
        standing: the class that the robot stands in and that the automaton has read: a trace
            has a step only where something changes, so that staying in it changes nothing.
    """

    def of(names: Names) -> int:
        if names == standing:
            return NEUTRAL
        following = step(names)
        if following == target:
            return GOAL if target != state else NEUTRAL
        if following == state or (harmless is not None and harmless(following)):
            return NEUTRAL
        return AVOID

    return np.array([of(names) for names in classes], np.int8)


def progression_map(near: NearMap, values: Values) -> Values:
    """(rows, columns) of the classes' values."""
    return values[near.labels]
