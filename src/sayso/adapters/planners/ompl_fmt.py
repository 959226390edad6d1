"""FMT* of the Open Motion Planning Library, on a floor of free cells: an alternative to ours."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

import numpy as np
import ompl.base as ob
import ompl.geometric as og
import ompl.util as ou

from sayso.core.geometry import Array
from sayso.planning.navigation.grid import Mask, segments_clear
from sayso.planning.navigation.paths import PathQuestion, improve, out_of_samples

_GOALS = 32
_STEP = 0.25
"""Of the checks along a line, in cells. They may miss a corner, so the whole is checked after."""
_ONE_AT_A_TIME = threading.Lock()  # OMPL draws from one sequence for the process


@dataclass(frozen=True)
class OmplFmt:
    """A `PathPlanner` with OMPL's FMT*; it tries again with four times as many samples.

    Args:
        samples: of the first try.
        most: no try has more.
        timeout_s: after which it gives up.
        seed: of all samples. OMPL has one sequence for a process, which begins anew here.
        smooth: whether the path is pulled straight.
    """

    samples: int = 1000
    most: int = 4000
    timeout_s: float = 30.0
    seed: int = 0
    smooth: bool = True

    def find(self, question: PathQuestion) -> Array:
        """See `PathPlanner`."""
        room = question.reachable()
        straight = question.at_once()
        if straight is not None:
            return straight
        deadline, count = time.monotonic() + self.timeout_s, self.samples
        while count <= self.most and time.monotonic() < deadline:
            with _ONE_AT_A_TIME:
                path = _solve(question, room, count, self.seed, deadline)
            if path is not None and segments_clear(question.free, path[:-1], path[1:]).all():
                return improve(path, question) if self.smooth else path
            count *= 4
        raise out_of_samples(count // 4)


def _solve(
    question: PathQuestion, room: Mask, count: int, seed: int, deadline: float
) -> Array | None:
    ou.noOutputHandler()  # it complains of a sequence that begins anew
    ou.RNG.setSeed(seed + 1)  # none of OMPL's own is 0
    information = _information(room)
    problem = ob.ProblemDefinition(information)
    problem.addStartState(_state(information, question.origin))
    goals = ob.GoalStates(information)
    for end in _ends(question, room, seed):
        goals.addState(_state(information, end))
    problem.setGoal(goals)
    planner = og.FMT(information)
    planner.setNumSamples(count)
    planner.setProblemDefinition(problem)
    planner.setup()
    planner.solve(ob.PlannerTerminationCondition(lambda: time.monotonic() > deadline))
    if not problem.hasExactSolution():
        return None
    return np.array([s[0:2] for s in problem.getSolutionPath().getStates()])


def _ends(question: PathQuestion, room: Mask, seed: int) -> Array:
    """(N, 2) the points (x, y) that will do."""
    if question.ends is not None:
        return question.ends[1:]
    middles = np.argwhere(room & question.goal)[:, ::-1] + 0.5
    return np.random.default_rng(seed).permutation(middles)[:_GOALS]


def _information(free: Mask) -> ob.SpaceInformation:
    rows, columns = free.shape
    space = ob.RealVectorStateSpace(2)
    bounds = ob.RealVectorBounds(2)
    for axis, high in enumerate((columns, rows)):
        bounds.setLow(axis, 0.0)
        bounds.setHigh(axis, high - 1e-6)
    space.setBounds(bounds)
    information = ob.SpaceInformation(space)
    table = free.tolist()  # looked up cell by cell, which lists do faster than arrays
    information.setStateValidityChecker(lambda s: table[int(s[1])][int(s[0])])
    information.setStateValidityCheckingResolution(_STEP / space.getMaximumExtent())
    information.setup()
    return information


def _state(information: ob.SpaceInformation, point: Array) -> ob.State:
    state = information.allocState()
    state[0], state[1] = float(point[0]), float(point[1])
    return state
