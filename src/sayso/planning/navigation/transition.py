"""One transition of a task's automata: its progression map, and the path that makes it."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product

import numpy as np

from sayso.core.geometry import Array
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.nearness import Nearness
from sayso.planning.navigation.obligations import States
from sayso.planning.navigation.paths import PathQuestion
from sayso.planning.navigation.tpsm import AVOID, GOAL, Values, class_values, progression_map


@dataclass(frozen=True, eq=False)
class Transition:
    """A path from where the robot stands to where the automata move as wanted.

    Attributes:
        values: (rows, columns) the task progression semantic map.
        path: (N, 2) corners x, y [m, frame `map`]; clear of obstacles and of AVOID cells.
    """

    values: Values
    path: Array


def transition(
    outset: Outset,
    target: States,
    strict: bool = False,
) -> Transition:
    """How to get the task from its states to others by driving alone.

    Args:
        outset: where the robot is; its `states` are those before.
        strict: avoid all that moves the automata elsewhere, as the paper does; otherwise what
            leaves the task no worse off may be passed.

    Raises:
        SaySoError: UNREACHABLE where no way leads there; PLAN_TIMEOUT, PRECONDITION as
            `PathPlanner` says.
    """
    near, free, grid = outset.near(), outset.standable(), outset.flat.grid
    start = grid.cell_at(outset.position)
    states, task = outset.begin(outset.seen_near()), outset.task

    def outcomes(names: Nearness) -> Iterator[States]:
        reading = outset.flat.reading(task.propositions, names, outset.situation)
        return product(*task.outcomes(states, reading))

    values = class_values(
        near.classes,
        outcomes,
        states,
        target,
        harmless=None if strict else lambda after: task.no_worse(states, after),
        standing=None if near.at(start).unsure else near.at(start),
    )
    spread = progression_map(near, values)
    question = PathQuestion(free & (spread != AVOID), start, spread == GOAL)
    corners = outset.planner.find(question)
    return Transition(spread, corners * grid.resolution_m + np.asarray(grid.origin))
