"""Collision-free joint paths for an arm through OMPL's RRT-Connect.

RRT-Connect: Kuffner and LaValle, "RRT-Connect: An efficient approach to single-query path
planning", ICRA 2000. A straight line in joint space is tried first: on an open table it is
nearly always free, and takes a few milliseconds.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt
import ompl.base as ob
import ompl.geometric as og
import ompl.util as ou

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Obstacle
from sayso.robots.collision import ArmCollision
from sayso.robots.loading import load_robot
from sayso.robots.profile import RobotProfile

Array = npt.NDArray[np.float64]
logger = logging.getLogger(__name__)

RESOLUTION_M = 0.02
"""Largest distance that any point of the arm moves between checked configurations."""

_SEARCH_RESOLUTION_RAD = 0.03
_PATIENCE = 10.0
"""A search that has to share the processor takes up to so many times as long as it may compute."""


class OmplMotionPlanner:
    """`core.ports.MotionPlanner` with OMPL over a MuJoCo collision world; thread-safe.

    Args:
        robot: whose arm is moved.
        seed: of OMPL's random numbers. OMPL keeps one sequence for the whole process, so runs
            repeat exactly when the questions come in the same order.
    """

    def __init__(self, robot: RobotProfile | None = None, *, seed: int = 1) -> None:
        ou.setLogLevel(ou.LogLevel.LOG_ERROR)
        ou.noOutputHandler()  # it warns on stdout when a second planner sets the seed
        ou.RNG.setSeed(seed)
        robot = robot or load_robot()
        self._collision = ArmCollision(robot)
        self._levers_m = robot.levers_m
        self._limits = self._collision.limits
        self._rng = np.random.default_rng(seed)

    def plan(
        self,
        start: Array,
        goal: Array,
        obstacles: Sequence[Obstacle],
        *,
        held: Obstacle | None = None,
        timeout_s: float = 5.0,
    ) -> Array:
        with self._collision.lock:
            self._arrange(start, obstacles, held)
            self._check_ends(start, goal)
            if self._hit_between(start, goal) is None:
                return np.array([start, goal])
            path = self._search(start, goal, timeout_s)
            return path if path is not None else self._explain(start, goal)

    def blocked(
        self, path: Array, obstacles: Sequence[Obstacle], *, held: Obstacle | None = None
    ) -> str | None:
        with self._collision.lock:
            self._arrange(path[0], obstacles, held)
            hits = (self._hit_between(a, b) for a, b in pairwise(path))
            return next((h for h in hits if h), None)

    def _arrange(self, start: Array, obstacles: Sequence[Obstacle], held: Obstacle | None) -> None:
        self._collision.arrange(obstacles, held)
        self._collision.tolerate(start)

    def _check_ends(self, start: Array, goal: Array) -> None:
        for joints, what in ((start, "The arm stands"), (goal, "The pose to reach is")):
            if (name := self._collision.hit(joints)) is not None:
                raise SaySoError(
                    Code.UNREACHABLE,
                    f"{what} too near to {name}.",
                    hint=f"move {name} out of the way, or choose another place.",
                )

    def _hit_between(self, a: Array, b: Array) -> str | None:
        """What the straight joint line runs into; the middle first, as it is likeliest hit."""
        steps = max(1, int(np.ceil(np.abs(b - a) @ self._levers_m / RESOLUTION_M)))
        for fraction in _spread(steps):
            if (name := self._collision.hit(a + fraction * (b - a))) is not None:
                return name
        return None

    def _search(self, start: Array, goal: Array, timeout_s: float) -> Array | None:
        information = self._information()
        problem = ob.ProblemDefinition(information)
        problem.setStartAndGoalStates(_state(information, start), _state(information, goal))
        planner = og.RRTConnect(information)
        planner.setRange(0.8)
        planner.setProblemDefinition(problem)
        planner.setup()
        computed_s, end_s = time.thread_time() + timeout_s, time.monotonic() + _PATIENCE * timeout_s

        def over() -> bool:
            return time.thread_time() > computed_s or time.monotonic() > end_s

        planner.solve(ob.PlannerTerminationCondition(over))
        if not problem.hasExactSolution():
            return None
        found = problem.getSolutionPath()
        return self._shorten(np.array([s[0 : len(start)] for s in found.getStates()]))

    def _information(self) -> ob.SpaceInformation:
        space = ob.RealVectorStateSpace(len(self._limits))
        bounds = ob.RealVectorBounds(len(self._limits))
        for i, (low, high) in enumerate(self._limits):
            bounds.setLow(i, float(low))
            bounds.setHigh(i, float(high))
        space.setBounds(bounds)
        information = ob.SpaceInformation(space)
        information.setStateValidityChecker(self._validity())
        information.setStateValidityCheckingResolution(
            _SEARCH_RESOLUTION_RAD / space.getMaximumExtent()
        )
        information.setup()
        return information

    def _validity(self) -> Callable[[ob.State], bool]:
        hit, count = self._collision.hit, len(self._limits)
        return lambda state: hit(np.array(state[0:count])) is None

    def _shorten(self, path: Array, attempts: int = 60) -> Array:
        """Random shortcuts between points of the path (Geraerts and Overmars 2007), then again
        between its corners."""
        for _ in range(attempts):
            if len(path) == 2:
                break
            path = self._shortcut(path, np.sort(self._rng.uniform(0.0, len(path) - 1.0, 2)))
        return path

    def _shortcut(self, path: Array, cut: Array) -> Array:
        i, j = int(cut[0]), int(cut[1])
        if i == j:
            return path
        a = path[i] + (cut[0] - i) * (path[i + 1] - path[i])
        b = path[j] + (cut[1] - j) * (path[min(j + 1, len(path) - 1)] - path[j])
        if self._hit_between(a, b) is not None:
            return path
        return np.concatenate([path[: i + 1], [a, b], path[j + 1 :]])

    def _explain(self, start: Array, goal: Array) -> Array:
        name = self._hit_between(start, goal)
        raise SaySoError(
            Code.UNREACHABLE,
            f"no free path was found; {name} is in the way.",
            hint=f"move {name} out of the way, or allow more time for the search.",
        )


def _state(information: ob.SpaceInformation, joints: Array) -> ob.State:
    state = information.allocState()
    for i, value in enumerate(joints):
        state[i] = float(value)
    return state


def _spread(steps: int) -> list[float]:
    """Fractions 1/steps .. 1, coarse to fine, so that a collision is met early."""
    order = list(range(1, steps + 1))
    stride = 1 << max(0, steps.bit_length() - 1)
    coarse_first: dict[int, None] = {}
    while stride:
        coarse_first.update(dict.fromkeys(order[stride - 1 :: stride]))
        stride >>= 1
    return [i / steps for i in coarse_first]
