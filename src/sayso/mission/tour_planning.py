"""What a task in a flat still needs, and the tours that fulfil it.

The plan that the pipeline carries out has one step for each leg of a tour; the paths are kept
here. What was fulfilled is known from the monitor, so that no obligation is forgotten when a tour
is planned anew. A mission without end is a tour after another: each is a round.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.library import Library
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import Action, Literal, Plan
from sayso.logic.formula import Eventually, Formula, conjunction, of_literal
from sayso.logic.monitor import Monitor
from sayso.mission.gate_conditions import with_walkers
from sayso.planning.navigation.actions import plan_of
from sayso.planning.navigation.check import Walker, check_tour, replay
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.handling import Handling, drives, map_predicates
from sayso.planning.navigation.itinerary import Leg, Outset, Tour
from sayso.planning.navigation.obligations import Obligations, obligations_of
from sayso.planning.navigation.paths import GRID, PathPlanner
from sayso.planning.navigation.places import outset_of, walled_predicates
from sayso.planning.navigation.search_views import next_view
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
        monitor: follows the task.
        library: its predicates say what is true, its operators what can be done.
        footprint_m: length and width of the base.
        planner: of the way of each leg.

    Raises:
        SaySoError: as `obligations_of`.
    """

    def __init__(
        self,
        monitor: Monitor,
        library: Library,
        footprint_m: tuple[float, float],
        planner: PathPlanner = GRID,
    ) -> None:
        self._footprint_m = footprint_m
        self.monitor = monitor
        self._library = library
        self._planner = planner
        self.planned: Planned | None = None

    @property
    def told(self) -> frozenset[str]:
        """The predicates whose truth follows from where the robot is."""
        return map_predicates(self._library.domain()) | walled_predicates(self._library)

    @property
    def endless(self) -> bool:
        """Whether it is a tour after another: each brings about what recurs once more."""
        return self.monitor.task.endless

    def outset(
        self, scene: Scene, grid: OccupancyGrid, excluded: Collection[Action] = ()
    ) -> Outset:
        """What a tour from here has to do.

        Args:
            excluded: actions that cannot be done, as attempts have shown.

        Raises:
            SaySoError: STALE where the base or the state of the task is not observed yet.
        """
        task, states = _task_of(self.monitor.task.round), self.monitor.states
        if scene.robot.base is None or states is None:
            raise SaySoError(
                Code.STALE,
                "it is not known yet where the robot is.",
                hint="see whether localisation and perception run.",
            )
        x, y, _ = scene.robot.base.position
        begun = outset_of(task, scene, with_walkers(grid, scene), self._library, (x, y), grid)
        names = frozenset(str(a) for a in excluded if not self.drives(a))
        return replace(begun, states=states, excluded=names, planner=self._planner)

    def plan(
        self,
        scene: Scene,
        grid: OccupancyGrid,
        solve: Solve,
        excluded: Collection[Action] = (),
    ) -> Plan:
        """A tour for all that is left, checked again here, as a plan with a step for each leg.

        Raises:
            SaySoError: PLAN_INVALID if the check fails; else as `solve`.
        """
        outset = self.outset(scene, grid, excluded)
        tour = solve(outset, scene)
        outset = outset.for_legs(tour.legs)
        check_tour(tour, outset)
        self.planned = Planned(outset, tour)
        return plan_of(tour, outset, self._library.predicates)

    def looks(
        self,
        scene: Scene,
        grid: OccupancyGrid,
        things: Collection[SceneObject | None],
        looked: Sequence[tuple[float, float]],
    ) -> list[Handling]:
        """What may be opened to see things that are lost, the nearest first: lids of what could
        hold one of them, and doors behind which there is floor that was not looked at.

        Args:
            things: as they were seen last; None where they never were.
            looked: places (x, y) [m] that were looked around from.
        """
        outset, seen = self.outset(scene, grid), scene.by_name()
        return sorted(
            (
                look
                for look in outset.flat.showing(outset.situation)
                if _leads_on(outset, look.clears, looked)
                if look.clears or any(_may_hold(seen[look.place], thing) for thing in things)
            ),
            key=lambda look: seen[look.place].distance_to((*outset.position, 0.0)),
        )

    def plan_to(
        self, look: Handling, reason: str, scene: Scene, grid: OccupancyGrid, solve: Solve
    ) -> Plan:
        """A tour to one thing that the task does not ask for, as long as what is lost keeps it from
        the rest; beside what always has to hold, and checked here to break no part of the task.

        Args:
            reason: why it is done, a clause in English.

        Raises:
            SaySoError: PLAN_INVALID if the check fails; else as `obligations_of` and `solve`.
        """
        begun = self.outset(scene, grid)
        wanted = Eventually(conjunction(*(of_literal(Literal(a)) for a in sorted(look.action.add))))
        task, states = begun.task, begun.states or begun.task.initial
        more = obligations_of(wanted)
        start = more.step(more.initial, frozenset())
        there = begun.flat.places.keys()
        quiet = [
            i
            for i, automaton in enumerate(task.automata)
            if automaton.is_accepting(states[i])
            and all(str(a) in there for p in automaton.propositions for a in p.args)
        ]
        beside = task.among(quiet).beside(more)
        outset = replace(begun, task=beside, states=(*(states[i] for i in quiet), *start))
        tour = solve(outset, scene)
        outset = outset.for_legs(tour.legs)
        check_tour(tour, outset)
        replay(tour, replace(begun, task=task.beside(more), states=(*states, *start)))
        self.planned = Planned(outset, tour)
        plan = plan_of(tour, outset, self._library.predicates)
        last = replace(plan.steps[-1], why=reason)
        return replace(plan, steps=(*plan.steps[:-1], last))

    def path(self, step: int, scene: Scene, grid: OccupancyGrid) -> Array:
        """The way of a drive from where the robot is now, checked on the newest map.

        Picking up and putting down move the base, so that a leg may begin elsewhere than planned.

        Returns:
            (N, 2) corners x, y [m, frame `map`].

        Raises:
            SaySoError: UNREACHABLE where the way is not free any more, or would do harm.
        """
        leg, outset = self.leg(step), self.outset(scene, grid)
        here = np.asarray(outset.position)
        planned = np.vstack((here, leg.path[1:])) if len(leg.path) > 1 else here[None]
        ways = Ways(outset, self._footprint_m, _yaw(scene))
        moved = np.linalg.norm(here - leg.path[0]) > _SAME_PLACE_M
        if moved or not _allowed(outset, leg, planned) or not ways.drivable(planned):
            x, y = leg.path[-1]
            other = ways.way(outset.position, leg.path[-1:])
            if other is None or not _allowed(outset, leg, other):
                places = alike(outset, (float(x), float(y)), self._footprint_m)
                other = ways.way(outset.position, places)
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
        return Ways(self.outset(scene, grid), self._footprint_m, _yaw(scene))

    def drives(self, action: Action) -> bool:
        """Whether an action is a way over the floor."""
        return drives(self._library.operators[action.name])

    def leg(self, step: int) -> Leg:
        """The leg behind a step of the newest plan. Raises GATE_CLOSED where there is none."""
        if self.planned is None or step >= len(self.planned.tour.legs):
            raise SaySoError(Code.GATE_CLOSED, f"no tour was planned with a leg {step + 1}.")
        return self.planned.tour.legs[step]


@lru_cache(maxsize=8)
def _task_of(formula: Formula) -> Obligations:
    return obligations_of(formula)


def _leads_on(outset: Outset, door: str, looked: Sequence[tuple[float, float]]) -> bool:
    """Whether there is floor to be looked at once a door is open; true of what is no door."""
    if not door:
        return True
    cleared = outset.situation.cleared | {door}
    opened = replace(outset, situation=replace(outset.situation, cleared=cleared))
    return next_view(opened, looked) is not None


def _may_hold(place: SceneObject, thing: SceneObject | None) -> bool:
    """Whether a thing fits into a place; who lives is in none, and what was never seen may be."""
    if thing is None:
        return True
    pairs = zip(sorted(thing.size), sorted(place.size), strict=True)
    return not thing.living and all(mine < its for mine, its in pairs)


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
