"""One answer to "what now?" for a mobile task: a tour, a patrol, or the tour under way."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import PlanStep
from sayso.planning.navigation.actions import plan_of
from sayso.planning.navigation.check import Walker, check_tour
from sayso.planning.navigation.itinerary import Leg, Outset, Tour
from sayso.planning.navigation.nearness import NearMap, Nearness
from sayso.planning.navigation.patrol import mission_of, plan_patrol
from sayso.planning.navigation.sides import things_of
from sayso.planning.navigation.tour import PLAN_S, plan_tour
from sayso.planning.navigation.tpsm import AVOID, GOAL, NEUTRAL, Values


@dataclass(frozen=True, eq=False)
class PlannedLeg:
    """A leg with what it does and why.

    Attributes:
        progression: (rows, columns) its task progression semantic map; None for handling.
        loop: whether it is part of the loop of a mission without end.
    """

    leg: Leg
    step: PlanStep
    progression: Values | None
    loop: bool = False


@dataclass(frozen=True, eq=False)
class Planned:
    """What to do.

    Attributes:
        kept: whether it is what was under way.
    """

    legs: tuple[PlannedLeg, ...]
    kept: bool = False

    @property
    def cost_s(self) -> float:
        """How long it is taken to last; of a loop, once."""
        return sum(planned.leg.cost_s for planned in self.legs)


def planned(outset: Outset, under_way: Sequence[Leg] = (), timeout_s: float = PLAN_S) -> Planned:
    """The legs to take from an outset on.

    Args:
        outset: with `predicates` for the English.
        under_way: what is left of a tour; kept if it still holds. A mission without end is
            always planned anew.

    Raises:
        SaySoError: as `plan_tour` and `plan_patrol`.
    """
    outset.flat.check(outset.task.propositions)
    if mission_of(outset.task.formula).again:
        patrol = plan_patrol(outset, timeout_s)
        tours = zip((patrol.there, patrol.loop), patrol.outsets, (False, True), strict=True)
        legs = (x for tour, begin, loop in tours for x in _explained(tour, begin, loop))
        return Planned(tuple(legs))
    if under_way and _holds(under_way, outset):
        return Planned((), kept=True)
    return Planned(tuple(_explained(plan_tour(outset, timeout_s), outset, False)))


def _holds(under_way: Sequence[Leg], outset: Outset) -> bool:
    try:
        check_tour(Tour(tuple(under_way), outset.near(), outset.cell, outset.situation), outset)
    except SaySoError as error:
        if error.code is not Code.PLAN_INVALID:
            raise
        return False
    return True


def _explained(tour: Tour, outset: Outset, loop: bool) -> Iterator[PlannedLeg]:
    steps = plan_of(tour, outset, outset.predicates).steps
    for i, (leg, step) in enumerate(zip(tour.legs, steps, strict=True)):
        progression = tour.progression(i) if leg.drives else None
        yield PlannedLeg(leg, step, progression, loop)


def costmap(progression: Values, outset: Outset, costs: tuple[int, int, int, int]) -> Values:
    """(rows, columns) a progression map in other numbers, with what the base cannot reach.

    Args:
        costs: for where the base does not fit, goals, what is neither, and what to avoid.
    """
    blocked, goal, neutral, avoid = costs
    values = np.full(progression.shape, neutral, np.int8)
    values[progression == GOAL] = goal
    values[progression == AVOID] = avoid
    values[~outset.floor] = blocked
    return values


def from_costmap(values: Values, costs: tuple[int, int, int, int]) -> Values:
    """(rows, columns) a progression map back from other numbers; NEUTRAL where it is blocked."""
    _, goal, _, avoid = costs
    progression = np.full(values.shape, NEUTRAL, np.int8)
    progression[values == goal] = GOAL
    progression[values == avoid] = AVOID
    return progression


def tour_of_legs(
    legs: Sequence[Leg], outset: Outset, progressions: Sequence[Values | None]
) -> Tour:
    """A tour of which only the legs and their maps are known, checked.

    Raises:
        SaySoError: PLAN_INVALID where it does not hold.
    """
    outset = outset.for_legs(legs)
    near, walker, whole = outset.near(), Walker(outset), []
    for number, (leg, progression) in enumerate(zip(legs, progressions, strict=True), start=1):
        before = walker.states
        walker.take(leg, f"leg {number}, {leg}, ")
        values = leg.values if progression is None else _values(near, progression, outset)
        args = things_of(near.at(walker.cell).sure) if leg.drives else leg.args
        whole.append(replace(leg, before=before, after=walker.states, args=args, values=values))
    tour = Tour(tuple(whole), near, outset.cell, outset.situation)
    check_tour(tour, outset)
    return tour


def _values(near: NearMap[Nearness], progression: Values, outset: Outset) -> Values:
    """(classes,) what a progression map says of each class where the base fits."""
    values, fits = np.full(len(near.classes), AVOID, np.int8), outset.floor
    values[near.labels[fits]] = progression[fits]
    return values
