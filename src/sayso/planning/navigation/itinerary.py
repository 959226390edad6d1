"""Tours as values: legs over the floor and handling steps, with what each does to the task."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Operator
from sayso.logic.formula import Formula, Prop
from sayso.logic.monitor import prop_atom
from sayso.logic.text import to_text
from sayso.planning.navigation.flat import Flat, Situation
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import BASE_RADIUS_M, Cell, Mask
from sayso.planning.navigation.handling import Handling, drives
from sayso.planning.navigation.nearness import (
    NEAR_M,
    Footprint,
    Names,
    NearMap,
    Nearness,
    Reach,
    around,
    nearness_map,
)
from sayso.planning.navigation.obligations import Obligations, States
from sayso.planning.navigation.paths import GRID, PathPlanner
from sayso.planning.navigation.sides import beyond_walls, in_room, is_in_room, thing_of
from sayso.planning.navigation.tpsm import Values
from sayso.planning.words import quoted

SPEED_M_S = 1.0
MARGIN_M = 0.15
"""How far a place may be off, with what localisation and perception err by."""


@dataclass(frozen=True, eq=False)
class Leg:
    """One step of a tour.

    Attributes:
        operator: what is done.
        args: to what; of a drive the names of all that the robot is near at its end, sorted.
        path: (N, 2) corners x, y [m, frame `map`]; a single point where the robot stands still.
        before, after: the states of the task's automata; where a way passes something useful,
            those after it are even better.
        values: of the classes of the near map, see `tpsm`; empty where it stands still.
        cost_s: the time that it is taken to last.
    """

    operator: Operator
    args: tuple[str, ...]
    path: Array
    before: States
    after: States
    values: Values = field(default_factory=lambda: np.zeros(0, np.int8))
    cost_s: float = 0.0

    @property
    def drives(self) -> bool:
        """Whether the base moves along the path."""
        return drives(self.operator)

    def __str__(self) -> str:
        if not self.drives:
            return self.operator.english.format(*self.args)
        x, y = self.path[-1]
        where = f"({x:.1f}, {y:.1f})" + (f", near {', '.join(self.args)}" if self.args else "")
        return self.operator.english.format(where)


@dataclass(frozen=True, eq=False)
class Tour:
    """Legs that fulfil a task, in order; `near` is the map that their values refer to."""

    legs: tuple[Leg, ...]
    near: NearMap[Nearness]
    start: Cell
    situation: Situation = field(default_factory=Situation)

    @property
    def length_m(self) -> float:
        """Of all ways together."""
        return float(
            sum(np.linalg.norm(np.diff(leg.path, axis=0), axis=1).sum() for leg in self.legs)
        )

    @property
    def cost_s(self) -> float:
        """What the tour is taken to last, driving and handling."""
        return sum(leg.cost_s for leg in self.legs)

    def progression(self, index: int) -> Values:
        """(rows, columns) the task progression semantic map of one drive."""
        return self.legs[index].values[self.near.labels]


@dataclass(frozen=True, eq=False)
class Outset:
    """Where a tour starts: a flat, a task and how far it is.

    Attributes:
        position: of the base's centre (x, y) [m].
        states: of the task's automata, having read what holds now; None before the first step.
        excluded: actions that cannot be done, as attempts have shown, as `str` tells them.
        margin_m: how far off the places of the robot and of things may be, together.
        radius_m: of the disc that stands for the base.
        predicates: by name, for the English of explanations; without them formulas are quoted.
        planner: of the way of each leg, once it is chosen from where to where.
        same_side: whether it is sent only to where no wall stands between it and the thing, of
            things for which there is such a place.
        clears: whether it may see to what is in the way without being asked to.
        unknown: of what the task speaks of, what nobody observed to be so or not.
    """

    flat: Flat
    task: Obligations
    position: tuple[float, float]
    situation: Situation = field(default_factory=Situation)
    states: States | None = None
    excluded: frozenset[str] = frozenset()
    margin_m: float = MARGIN_M
    radius_m: float = BASE_RADIUS_M
    predicates: Mapping[str, Predicate] = field(default_factory=dict, repr=False)
    planner: PathPlanner = GRID
    same_side: bool = True
    clears: bool = False
    unknown: frozenset[Atom] = frozenset()

    def __post_init__(self) -> None:
        if not 0 <= self.margin_m < NEAR_M:
            raise SaySoError(
                Code.INVALID, f"a margin is at least 0 and less than {NEAR_M} m: {self.margin_m}."
            )

    def relevant(self) -> tuple[str, ...]:
        """The names that the task speaks of, and where things may lie by now; sorted.

        Not those that are nowhere on the map, which the robot may be looking for.
        """
        names = {str(a) for p in self.task.propositions for a in p.args}
        left = {place for _, place in self.situation.moved}
        names |= {h.place for h in self.handlings} | left
        beside = {str(p.args[0]) for p in self.task.propositions if p.predicate in self.flat.walled}
        if beside:
            beside |= left | {h.place for h in self.handlings if h.leaves in beside}
        here = self.flat.places.keys()
        return tuple(sorted((names & here) | set(map(in_room, beside & here))))

    @cached_property
    def handlings(self) -> tuple[Handling, ...]:
        """What the robot may do standing still, of all that may bring the task on."""
        told = self.flat.map_predicates
        atoms = frozenset(prop_atom(p) for p in self.task.propositions if p.predicate not in told)
        asked = self.flat.handlings(atoms, self.situation, self.excluded)
        by_action = {(h.operator.name, h.action.args): h for h in (*asked, *self._clearing())}
        return tuple(by_action[key] for key in sorted(by_action))

    def _clearing(self) -> tuple[Handling, ...]:
        return self.flat.clearing(self.situation, self.excluded) if self.clears else ()

    def clearing_unasked(self) -> Outset | None:
        """As if what is in the way might be seen to, too, such as a door that is shut.

        None where nothing is in the way that is not seen to already.
        """
        cleared = replace(self, clears=True)
        return cleared if len(cleared.handlings) > len(self.handlings) else None

    def for_legs(self, legs: Iterable[Leg]) -> Outset:
        """The outset with which some legs are judged: seeing to what they see to unasked."""
        asked = {(h.operator.name, h.action.args) for h in self.handlings}
        unasked = {(x.operator.name, x.args) for x in legs if not x.drives} - asked
        return (self.clearing_unasked() if unasked else None) or self

    def putting_down_as_asked(self) -> Outset | None:
        """As if things could be put down only where the task wants something put.

        None where that leaves a thing that is to be held nowhere to go, or nothing out.
        """
        wanted = set(map(prop_atom, self.task.propositions))
        asked = [h for h in self.handlings if h.leaves and h.action.add & wanted]
        kept = {h.place for h in asked}
        carried = self.situation.along.union(h.takes for h in self.handlings if h.takes)
        places = self.flat.places
        needless = {n for n, p in places.items() if p.receives and n not in kept}
        if not needless or not carried <= {h.leaves for h in asked}:
            return None
        bare = {n: replace(p, receives="") if n in needless else p for n, p in places.items()}
        return replace(self, flat=replace(self.flat, places=bare))

    def near(self) -> NearMap[Nearness]:
        """What is near each cell, of the relevant names."""
        beyond = {**self.beyond, **self.maybe_apart}
        return nearness_map(
            self.flat.grid, self.footprints, self.reach, beyond, self._behind, self.apart
        )

    @cached_property
    def apart(self) -> dict[str, Mask]:
        """Of names in the same room, where a wall stands in between for sure: (rows, columns).

        The thing may be a margin off: what is beside it then is not behind a wall.
        """
        return {
            name: self._beyond(name, self.reach[name].possible_m, self._margin(name))
            for name in self.footprints
            if is_in_room(name)
        }

    @cached_property
    def maybe_apart(self) -> dict[str, Mask]:
        """Of names in the same room, where a wall may stand in between: (rows, columns)."""
        return {name: self._beyond(name, self.reach[name].sure_m) for name in self.apart}

    def has_walls_around(self, name: str) -> bool:
        """Whether some of what is near a thing is so only through a wall."""
        return bool(self._beyond(name, NEAR_M).any())

    def _beyond(self, name: str, reach_m: float, beside_m: float = 0.0) -> Mask:
        flat = self.flat
        return beyond_walls(flat.grid, flat.walls, self.footprints[name], reach_m, beside_m)

    @cached_property
    def _behind(self) -> dict[str, Mask]:
        """Where the base may be only once something that can be cleared is out of the way."""
        doors = {h.clears for h in self.handlings} - {"", *self.situation.cleared}
        rest = self.floor & ~self.standable()
        found = {d: rest & ~self._standable(frozenset(doors - {d})) for d in sorted(doors)}
        both = rest & ~np.logical_or.reduce([rest & False, *found.values()])
        return {d: mask | both for d, mask in found.items()}

    @cached_property
    def beyond(self) -> dict[str, Mask]:
        """Where a wall stands between the robot and what the task names; see `same_side`.

        Not of what is counted: there a visit is one, whatever stands in between. Nor of what
        the robot is behind already.
        """
        found: dict[str, Mask] = {}
        grid = self.flat.grid
        named = {str(a) for p in self.task.propositions for a in p.args} & self.footprints.keys()
        for name in sorted(named - self.counted) if self.same_side else ():
            reach, footprint = self.reach[name], self.footprints[name]
            beyond = self._beyond(name, reach.possible_m)
            rows, columns, distance = around(grid, footprint, reach.sure_m)
            goal = (distance <= reach.sure_m) & self.room[rows, columns]
            elsewhere = beyond.any() and not beyond[self.cell]
            if elsewhere and (goal & ~beyond[rows, columns]).any():
                found[name] = beyond
        return found

    def on_any_side(self) -> Outset | None:
        """The outset with walls left out of account; None where that changes nothing."""
        return replace(self, same_side=False) if self.beyond else None

    @cached_property
    def footprints(self) -> dict[str, Footprint]:
        """Of the relevant names."""
        return {n: self.flat.place(thing_of(n)).footprint for n in self.relevant()}

    @cached_property
    def reach(self) -> dict[str, Reach]:
        """From where each relevant name is near.

        A thing far back on a table is out of the reach that would leave no doubt. There the
        robot is taken to be near it where it comes about as near as it can.
        """
        return {name: self._reach(name, footprint) for name, footprint in self.footprints.items()}

    @cached_property
    def counted(self) -> Names:
        """The names of what the robot must not come near once more than it needs to.

        "At most once" could never be kept if whoever is in doubt sees all changes that may be:
        a way across the border, from where it is surely not near to where it surely is or back,
        is taken to be seen as one change.
        """
        told, walled, counts = self.flat.map_predicates, self.flat.walled, self.task.counts
        return frozenset(
            n
            for n in self.footprints
            if any(
                counts(Prop(p, (thing_of(n),)))
                for p in (walled if is_in_room(n) else told - walled)
            )
        )

    def _margin(self, name: str) -> float:
        """The margin of a thing: wider where its place is not well known."""
        further_m = self.flat.place(thing_of(name)).further_m
        return min(self.margin_m + further_m, NEAR_M - self.flat.grid.resolution_m)

    def _reach(self, name: str, footprint: Footprint) -> Reach:
        rows, columns, distance = around(self.flat.grid, footprint, NEAR_M)
        reached = distance[self.room[rows, columns]]
        nearest = float(reached.min(initial=np.inf))
        margin_m = self._margin(name)
        sure = NEAR_M - margin_m
        if nearest <= NEAR_M:
            sure = max(sure, min(NEAR_M, nearest + self.flat.grid.resolution_m))
        return Reach(sure, NEAR_M + margin_m)

    @cached_property
    def room(self) -> Mask:
        """(rows, columns) what the robot can drive to, whatever the task forbids or is shut."""
        free, cell = self.floor, self.cell
        return Floor(free).connected(cell) if free[cell] else free

    @property
    def cell(self) -> Cell:
        """Where the robot is. Raises INVALID outside the map."""
        return self.flat.grid.cell_at(self.position)

    def standable(self, now: Situation | None = None) -> Mask:
        """Where the base's centre may be; by default as things are at first."""
        return self._standable((now or self.situation).cleared)

    @cached_property
    def floor(self) -> Mask:
        """(rows, columns) as `standable`, once all is out of the way that can be cleared."""
        doors = frozenset(h.clears for h in self.handlings if h.clears)
        return self._standable(self.situation.cleared | doors)

    def _standable(self, cleared: Names) -> Mask:
        return self.flat.without(cleared).standable_from(self.cell, self.radius_m)

    def distance_m(self, name: str, cell: Cell | None = None) -> float:
        """From a cell's centre, by default where the robot is, to the outline of a thing.

        Infinite where a wall stands between it and a name in the same room.
        """
        cell = cell or self.cell
        if is_in_room(name) and self._beyond(name, NEAR_M)[cell]:
            return np.inf
        x, y = self.flat.grid.centres([cell])[0]
        return float(self.footprints[name].distance_m(np.array(x), np.array(y)))

    def seen_near(self) -> Names:
        """What the robot is near now, as a watcher says it, without a doubt."""
        return frozenset(n for n in self.footprints if self.distance_m(n) <= NEAR_M)

    def seen_at_start(self) -> Names:
        """As `seen_near`, without what would have broken the task had it been seen already."""
        seen = self.seen_near()
        if self.states is None:
            return seen
        return frozenset(n for n in seen if not self.broken_by(n))

    def broken_by(self, name: str) -> bool:
        """Whether the task is lost if the robot is now seen to be near one thing."""
        letter = self.flat.letter(self.task.propositions, frozenset({name}), self.situation)
        states = self.task.initial if self.states is None else self.states
        return self.task.is_lost(self.task.step(states, letter))

    def quoted(self, clause: Formula) -> str:
        """A part of the task, for people."""
        return quoted(clause, self.predicates) if self.predicates else f"'{to_text(clause)}'"

    def begin(self, near: Names) -> States:
        """The states after the first step, which is read now unless it was already."""
        if self.states is not None:
            return self.states
        letter = self.flat.letter(self.task.propositions, near, self.situation)
        return self.task.step(self.task.initial, letter)
