"""Task progression semantic maps: what standing at each place would do to the task.

After LIMP (Quartey et al. 2024), Algorithm 2, which asks the automaton about every point around
every referent. Here all cells of one class (see `nearness`) are asked about together.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from sayso.planning.navigation.nearness import NearMap

State = TypeVar("State")
Place = TypeVar("Place")
Values = npt.NDArray[np.int8]

GOAL, NEUTRAL, AVOID = 1, 0, -1


def class_values(
    classes: Collection[Place],
    outcomes: Callable[[Place], Iterable[State]],
    state: State,
    target: State,
    harmless: Callable[[State], bool] | None = None,
    standing: Place | None = None,
) -> Values:
    """(len(classes),) GOAL, NEUTRAL or AVOID for each class.

    Args:
        outcomes: the states that the automaton may be in after what is seen from a class,
            everything else as it is now: several where it is in doubt what is near.
        state: the automaton's now.
        target: the one wanted; a goal is where no doubt is left of it.
        harmless: says of another state whether passing through it is as good as staying; by
            default none is, as in the paper.
        standing: the class that the robot stands in and that the automaton has read: a trace
            has a step only where something changes, so that staying in it changes nothing.
    """

    def of(near: Place) -> int:
        if near == standing:
            return NEUTRAL
        following = set(outcomes(near))
        if following == {target} != {state}:
            return GOAL
        others = following - {state, target}
        return AVOID if any(harmless is None or not harmless(q) for q in others) else NEUTRAL

    return np.array([of(near) for near in classes], np.int8)


def progression_map(near: NearMap[Place], values: Values) -> Values:
    """(rows, columns) of the classes' values."""
    return values[near.labels]
