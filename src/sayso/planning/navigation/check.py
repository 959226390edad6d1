"""An independent check of tours: walks every cell of every path and asks the automata.

It shares nothing with the search but the meaning of places, propositions and automata.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array
from sayso.logic.formula import Formula
from sayso.planning.navigation.flat import Situation
from sayso.planning.navigation.grid import Cell, cells_along
from sayso.planning.navigation.handling import handling
from sayso.planning.navigation.itinerary import Leg, Outset, Tour
from sayso.planning.navigation.nearness import Names, Nearness, around
from sayso.planning.navigation.obligations import Letter, Obligations, Reading, States
from sayso.planning.words import fact, joined

Possible: TypeAlias = "tuple[frozenset[int], ...]"
"""For each clause the states that it may be in."""
Seen: TypeAlias = "frozenset[tuple[int, Letter | None]]"
"""A clause's possible states, each with the letter that led there if it counts steps."""


def check_tour(tour: Tour, outset: Outset) -> None:
    """Returns if each leg can be taken and the whole, step by step, fulfils the task.

    Raises:
        SaySoError: PLAN_INVALID naming the first leg at fault, where, and the clause it breaks.
    """
    walker = replay(tour, outset)
    pending = unfulfilled(outset.task, walker.possible)
    if pending:
        missing = ", ".join(map(outset.quoted, pending))
        raise invalid(f"after the last leg this is still to be done: {missing}.")


def replay(tour: Tour, outset: Outset) -> Walker:
    """Where the robot and the task are after all legs.

    Raises:
        SaySoError: PLAN_INVALID at the first fault.
    """
    walker = Walker(outset.for_legs(tour.legs))
    for number, leg in enumerate(tour.legs, start=1):
        walker.take(leg, f"leg {number}, {leg}, ")
    return walker


def unfulfilled(task: Obligations, possible: Possible) -> tuple[Formula, ...]:
    """The clauses that may be unfulfilled if the trace ended here."""
    return tuple(
        clause
        for clause, automaton, states in zip(task.clauses, task.automata, possible, strict=True)
        if not all(map(automaton.is_accepting, states))
    )


class Walker:
    """Follows a tour cell by cell; the trace has a step where what holds changes.

    Where it is in doubt what the robot is near all that may be seen is followed: for each clause
    the states that it may be in, with the last letter where the clause counts steps.

    Attributes:
        history: the trace so far: what was read, and each clause's possible states after it.
    """

    def __init__(self, outset: Outset) -> None:
        self._outset = outset
        self._grid = outset.flat.grid
        self._standable = outset.standable(outset.situation)
        self.cell: Cell = outset.cell
        self.situation: Situation = outset.situation
        self._distance_m = {n: _distances(outset, n) for n in outset.footprints}
        self._seen = self._seen_at_first()
        self._sides = {n: n in outset.seen_near() for n in outset.counted}
        states = outset.begin(outset.seen_at_start())
        reading = self._reading()
        self._possible = [
            frozenset({(q, self._last(i, reading.true))}) for i, q in enumerate(states)
        ]
        self.history: list[tuple[Reading, Possible]] = [(reading, self.possible)]

    @property
    def possible(self) -> Possible:
        """For each clause, the states that it may be in."""
        return tuple(frozenset(q for q, _ in pairs) for pairs in self._possible)

    @property
    def states(self) -> States:
        """The states that the rest of the task has to be planned from.

        Raises:
            SaySoError: PLAN_INVALID where what may have been seen leaves that open.
        """
        found = self._outset.task.least(self.possible)
        if found is None:
            raise invalid("what may be seen on the way leaves open what is still to be done.")
        return found

    def take(self, leg: Leg, where: str) -> None:
        """Follow one leg."""
        cells = cells_along(self._grid.to_grid(leg.path))
        if tuple(cells[0]) != self.cell:
            raise invalid(f"{where}does not begin where the robot is.")
        if leg.drives:
            for row, column in cells:
                self._enter((int(row), int(column)), where)
            return
        if len(np.unique(cells, axis=0)) > 1:
            raise invalid(f"{where}moves the base.")
        self.situation = self._handled(leg, where)
        self._standable = self._outset.standable(self.situation)
        self._advance(where)

    def _enter(self, cell: Cell, where: str) -> None:
        if not self._standable[cell]:
            raise invalid(f"{where}passes too close to something at {self._spot(cell)}.")
        self.cell = cell
        self._forget()
        self._advance(where)

    def _handled(self, leg: Leg, where: str) -> Situation:
        now = self.situation
        done = handling(leg.operator, leg.args, {x for a in now.facts for x in a.args})
        if missing := now.missing(done):
            facts = joined(fact(x, self._outset.predicates) for x in missing)
            raise invalid(f"{where}needs that {facts}.")
        if done.leaves and self._outset.flat.place(done.place).receives != done.room:
            raise invalid(f"{where}needs room there.")
        if str(done.action) in self._outset.excluded:
            raise invalid(f"{where}failed too often to be tried again.")
        if not now.is_near(done.place, self.names()):
            raise invalid(f"{where}is out of reach.")
        return now.after(done)

    def _advance(self, where: str) -> None:
        reading, before = self._reading(), self.history[-1][0]
        if reading == before and not reading.unsure:
            return
        certain = not reading.unsure and not before.unsure
        self._possible = [self._after(i, reading, certain) for i in range(len(self._possible))]
        if (reading, self.possible) != self.history[-1]:
            self.history.append((reading, self.possible))
        self._check_lost(where)

    def _after(self, index: int, reading: Reading, certain: bool) -> Seen:
        """What a clause may be in after a reading; where that is in doubt, after any number."""
        found = self._step(index, self._possible[index], reading, certain)
        while reading.unsure:
            more = found | self._step(index, found, reading, certain)
            if more == found:
                break
            found = more
        return found

    def _step(self, index: int, seen: Seen, reading: Reading, certain: bool) -> Seen:
        automaton, found = self._outset.task.automata[index], set[tuple[int, Letter | None]]()
        for letter in reading.within(automaton.propositions).letters():
            now = self._last(index, letter)
            for state, last in seen:
                found.add((automaton.step(state, letter), now))
                if not certain and last is not None and last == now:
                    found.add((state, now))  # it may be the step that was read before
        return frozenset(found)

    def _last(self, index: int, letter: Letter) -> Letter | None:
        """What a clause has to remember of a letter: nothing where it does not count steps."""
        task = self._outset.task
        return letter & set(task.automata[index].propositions) if task.counts_steps[index] else None

    def _check_lost(self, where: str) -> None:
        for clause, automaton, states in zip(
            self._outset.task.clauses, self._outset.task.automata, self.possible, strict=True
        ):
            if any(map(automaton.is_trap, states)):
                broken, spot = self._outset.quoted(clause), self._spot(self.cell)
                raise invalid(f"{where}breaks {broken} at {spot}.")

    def names(self) -> Names:
        """What the robot is near for sure."""
        return self.nearness().sure

    def nearness(self) -> Nearness:
        """What the robot is near.

        What was seen at the start goes on being so while the robot comes no nearer to a thing
        that it was not near, or goes no farther from one that it was.
        """
        sure, possible = set[str](), set[str]()
        for name, distances in self._distance_m.items():
            away, reach = float(distances[self.cell]), self._outset.reach[name]
            as_seen = self._as_seen(name, away)
            if name in self._sides and as_seen is None:
                as_seen = self._side(name, away)
            if away <= reach.possible_m and as_seen is not False:
                possible.add(name)
                if away <= reach.sure_m or as_seen:
                    sure.add(name)
        return Nearness(frozenset(sure), frozenset(possible))

    def _as_seen(self, name: str, away: float) -> bool | None:
        if name not in self._seen:
            return None
        seen, first = self._seen[name]
        cell = self._grid.resolution_m
        return seen if (away <= first + cell if seen else away >= first - cell) else None

    def _side(self, name: str, away: float) -> bool:
        """On which side of a border that is crossed once the robot is: that it was on for sure."""
        reach = self._outset.reach[name]
        if not reach.sure_m < away <= reach.possible_m:
            self._sides[name] = away <= reach.sure_m
        return self._sides[name]

    def _seen_at_first(self) -> dict[str, tuple[bool, float]]:
        """Of what was in doubt at the start: whether it was seen to be near, and its distance."""
        found, seen = {}, self._outset.seen_at_start()
        for name, reach in self._outset.reach.items():
            away = float(self._distance_m[name][self.cell])
            if away <= reach.possible_m and (away > reach.sure_m or name not in seen):
                found[name] = (name in seen, away)
        return found

    def _forget(self) -> None:
        """What was seen at the start counts no more once the robot was away from there."""
        for name in list(self._seen):
            if self._distance_m[name][self.cell] > self._outset.reach[name].possible_m:
                del self._seen[name]

    def _reading(self) -> Reading:
        task = self._outset.task
        return self._outset.flat.reading(task.propositions, self.nearness(), self.situation)

    def _spot(self, cell: Cell) -> str:
        x, y = self._grid.centres([cell])[0]
        return f"({x:.2f}, {y:.2f})"


def _distances(outset: Outset, name: str) -> Array:
    """(rows, columns) from a thing's outline, where it can be near; infinite elsewhere [m].

    Where only a margin tells whether a wall is in between, what is close is in doubt, too.
    """
    distances = np.full(outset.flat.grid.shape, np.inf)
    reach = outset.reach[name]
    rows, columns, near = around(outset.flat.grid, outset.footprints[name], reach.possible_m)
    distances[rows, columns] = near
    if name in outset.apart:
        doubtful = np.nextafter(reach.sure_m, np.inf)
        distances[outset.maybe_apart[name]] = np.maximum(
            distances[outset.maybe_apart[name]], doubtful
        )
        distances[outset.apart[name]] = np.inf
    return distances


def invalid(message: str) -> SaySoError:
    """PLAN_INVALID: the plan breaks what it should keep."""
    return SaySoError(
        Code.PLAN_INVALID,
        message[0].upper() + message[1:],
        hint="nothing moved; plan again.",
    )
