"""What a task in a flat still needs, and the tours that fulfil it.

The plan that the pipeline carries out has one step for each leg of a tour; the paths are kept
here. The clauses' automata are followed along the observed states, so that no obligation is
forgotten when a tour is planned anew. A mission without end is a tour after another: each
brings about once more what is to recur.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.core.symbols import Plan, SymbolicState
from sayso.guards import with_walkers
from sayso.logic.formula import Formula, Prop
from sayso.logic.monitor import prop_atom
from sayso.logic.semantics import satisfies
from sayso.planning.navigation.actions import plan_of
from sayso.planning.navigation.check import Walker, check_tour
from sayso.planning.navigation.flat import Flat
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.itinerary import Leg, Outset, Tour
from sayso.planning.navigation.obligations import Letter, Obligations, States, obligations_of
from sayso.planning.navigation.paths import GRID, PathPlanner
from sayso.planning.navigation.patrol import mission_of
from sayso.planning.navigation.places import places_of, situation_of
from sayso.planning.navigation.ways import Ways, alike
from sayso.skills.poses import yaw_of

Solve = Callable[[Outset, Scene], Tour]
"""Plans a tour from an outset whose places are those of the scene."""
_SAME_PLACE_M = 0.1


@dataclass(frozen=True, eq=False)
class Planned:
    """A tour under way and what it was planned for."""

    outset: Outset
    tour: Tour


class TourTask:
    """One task in a flat. States may come on one thread while another plans.

    Args:
        formula: grounded.
        predicates: of the library, for what is graspable, what lies where, and the English.
        planner: of the way of each leg.

    Raises:
        SaySoError: as `obligations_of`.
    """

    def __init__(
        self,
        formula: Formula,
        predicates: Mapping[str, Predicate],
        planner: PathPlanner = GRID,
    ) -> None:
        self._predicates = predicates
        self._planner = planner
        mission = mission_of(formula)
        self.endless = bool(mission.again)
        if self.endless:
            self.task, self._kept = mission.task(*mission.again)
        else:
            self.task = obligations_of(formula)
            self._kept = len(self.task.clauses)
        pairs = (p.args for p in self.task.propositions if len(p.args) == 2)
        self._placed_at = frozenset(str(args[1]) for args in pairs)
        self._lock = threading.Lock()
        self._states: States | None = None
        self._letter: Letter = frozenset()
        self._ended_s: float | None = None
        self.planned: Planned | None = None
        self._again = mission.again
        self._missing = frozenset(mission.again)
        self.rounds = 0

    @property
    def resting(self) -> bool:
        """Whether all that is to recur holds now and nothing else is left: staying will do."""
        with self._lock:
            if not self.endless or self._states is None:
                return False
            rest = zip(self.task.automata[: self._kept], self._states, strict=False)
            done = all(automaton.is_accepting(state) for automaton, state in rest)
            return done and all(satisfies(p, [self._letter]) for p in self._again)

    def skill_finished(self, stamp_s: float) -> None:
        """A skill ended: the first state after it is a step even if nothing changed."""
        with self._lock:
            self._ended_s = stamp_s

    def observe(self, state: SymbolicState) -> None:
        """Take in a state, newer than those before. What is unknown is taken to be as it was."""
        with self._lock:
            boundary = self._ended_s is not None and state.stamp_s > self._ended_s
            if boundary:
                self._ended_s = None
            letter = frozenset(p for p in self.task.propositions if self._holds(p, state))
            if self._states is None or boundary or letter != self._letter:
                before = self.task.initial if self._states is None else self._states
                self._states = self._next_round(self.task.step(before, letter))
                self._count_rounds(letter)
                self._letter = letter

    def outset(
        self, scene: Scene, grid: OccupancyGrid, out_of_reach: frozenset[str] = frozenset()
    ) -> Outset:
        """What a tour from here has to do.

        Args:
            out_of_reach: things that cannot be picked up, as attempts have shown.

        Raises:
            SaySoError: STALE where the base or the state of the task is not observed yet.
        """
        with self._lock:
            states = self._states
        if scene.robot.base is None or states is None:
            raise SaySoError(
                Code.STALE,
                "it is not known yet where the robot is.",
                hint="see whether localisation and perception run.",
            )
        x, y, _ = scene.robot.base.position
        places = places_of(scene, self._predicates, self._placed_at)
        flat = Flat.of(
            with_walkers(grid, scene),
            (replace(p, graspable=p.graspable and p.name not in out_of_reach) for p in places),
        )
        return Outset(
            flat,
            self.task,
            (x, y),
            situation_of(scene, self._predicates),
            states,
            predicates=self._predicates,
            planner=self._planner,
        )

    def plan(
        self,
        scene: Scene,
        grid: OccupancyGrid,
        solve: Solve,
        out_of_reach: frozenset[str] = frozenset(),
    ) -> Plan:
        """A tour for all that is left, checked again here, as a plan with a step for each leg.

        Raises:
            SaySoError: PLAN_INVALID if the check fails; else as `solve`.
        """
        outset = self.outset(scene, grid, out_of_reach)
        tour = solve(outset, scene)
        check_tour(tour, outset)
        self.planned = Planned(outset, tour)
        return plan_of(tour, outset, self._predicates)

    def path(self, step: int, scene: Scene, grid: OccupancyGrid) -> Array:
        """The way of a "go" leg from where the robot is now, checked on the newest map.

        Picking up and putting down move the base, so that a leg may begin elsewhere than planned.

        Returns:
            (N, 2) corners x, y [m, frame `map`].

        Raises:
            SaySoError: UNREACHABLE where the way is not free any more, or would do harm.
        """
        leg, outset = self.leg(step), self.outset(scene, grid)
        here = np.asarray(outset.position)
        planned = np.vstack((here, leg.path[1:])) if len(leg.path) > 1 else here[None]
        ways = Ways(outset, _yaw(scene))
        moved = np.linalg.norm(here - leg.path[0]) > _SAME_PLACE_M
        if moved or not _allowed(outset, leg, planned) or not ways.drivable(planned):
            x, y = leg.path[-1]
            other = ways.way(outset.position, leg.path[-1:])
            if other is None or not _allowed(outset, leg, other):
                other = ways.way(outset.position, alike(outset, (float(x), float(y))))
            if other is None or not _allowed(outset, leg, other):
                raise SaySoError(
                    Code.UNREACHABLE,
                    f"the way to ({leg.path[-1, 0]:.1f}, {leg.path[-1, 1]:.1f}) is not free, or "
                    "not allowed any more.",
                    hint="plan again from what is seen now.",
                )
            return other
        return planned

    def ways(self, scene: Scene, grid: OccupancyGrid) -> Ways:
        """What the robot may drive by itself now, without harm to the task."""
        return Ways(self.outset(scene, grid), _yaw(scene))

    def leg(self, step: int) -> Leg:
        """The leg behind a step of the newest plan. Raises GATE_CLOSED where there is none."""
        if self.planned is None or step >= len(self.planned.tour.legs):
            raise SaySoError(Code.GATE_CLOSED, f"no tour was planned with a leg {step + 1}.")
        return self.planned.tour.legs[step]

    def _holds(self, prop: Prop, state: SymbolicState) -> bool:
        truth = state.truth(prop_atom(prop))
        return prop in self._letter if truth is None else truth

    def _count_rounds(self, letter: Letter) -> None:
        """A round is over when all that recurs came about anew; what only lasts does not count."""
        self._missing -= {
            p for p in self._again if satisfies(p, [letter]) and not satisfies(p, [self._letter])
        }
        if self.endless and not self._missing:
            self.rounds += 1
            self._missing = frozenset(self._again)

    def _next_round(self, states: States) -> States:
        """What recurs is to be brought about once more, as soon as all of it was."""
        kept = self._kept
        if not self.endless or not _all_done(self.task, states, kept):
            return states
        return (*states[:kept], *self.task.initial[kept:])


def _yaw(scene: Scene) -> float | None:
    return None if scene.robot.base is None else yaw_of(scene.robot.base)


def _allowed(outset: Outset, leg: Leg, path: Array) -> bool:
    """Whether the independent check lets a leg be driven along a path."""
    try:
        Walker(outset).take(replace(leg, path=path), "this leg ")
    except SaySoError as error:
        if error.code is not Code.PLAN_INVALID:
            raise
        return False
    return True


def _all_done(task: Obligations, states: States, first: int) -> bool:
    pairs = list(zip(task.automata, states, strict=True))[first:]
    return all(automaton.is_accepting(state) for automaton, state in pairs)
