"""An independent check of tours: walks every cell of every path and asks the automata.

It shares nothing with the search but the meaning of places, propositions and automata.
"""

from __future__ import annotations

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.logic.text import to_text
from sayso.planning.navigation.flat import Situation
from sayso.planning.navigation.grid import Cell, cells_along
from sayso.planning.navigation.itinerary import Leg, Outset, Tour
from sayso.planning.navigation.nearness import Names, near_mask
from sayso.planning.navigation.obligations import Letter, States


def check_tour(tour: Tour, outset: Outset) -> None:
    """Returns if each leg can be taken and the whole, step by step, fulfils the task.

    Raises:
        SaySoError: PLAN_INVALID naming the first leg at fault, where, and the clause it breaks.
    """
    walker = replay(tour, outset)
    if not outset.task.is_done(walker.states):
        missing = ", ".join(f"'{to_text(c)}'" for c in outset.task.pending(walker.states))
        raise _invalid(f"after the last leg this is still to be done: {missing}.")


def replay(tour: Tour, outset: Outset) -> Walker:
    """Where the robot and the task are after all legs.

    Raises:
        SaySoError: PLAN_INVALID at the first fault.
    """
    walker = Walker(outset)
    for number, leg in enumerate(tour.legs, start=1):
        walker.take(leg, f"leg {number}, {leg}, ")
    return walker


class Walker:
    """Follows a tour cell by cell; the trace has a step where what holds changes.

    Attributes:
        history: the trace so far, with the automata's states after each step.
    """

    def __init__(self, outset: Outset) -> None:
        self._outset = outset
        self._grid = outset.flat.grid
        self._standable = outset.standable()
        self._near = {
            n: near_mask(self._grid, outset.flat.place(n).footprint) for n in outset.relevant()
        }
        self.cell: Cell = self._grid.cell_at(outset.position)
        self.situation: Situation = outset.situation
        self.states: States = outset.begin(self.names())
        self.history: list[tuple[Letter, States]] = [(self._letter(), self.states)]
        self._check_lost("the start ")

    def take(self, leg: Leg, where: str) -> None:
        """Follow one leg."""
        cells = cells_along(self._grid.to_grid(leg.path))
        if tuple(cells[0]) != self.cell:
            raise _invalid(f"{where}does not begin where the robot is.")
        if leg.kind == "go":
            for row, column in cells:
                self._enter((int(row), int(column)), where)
            return
        if len(np.unique(cells, axis=0)) > 1:
            raise _invalid(f"{where}moves the base.")
        self.situation = self._handled(leg, where)
        self._advance(where)

    def _enter(self, cell: Cell, where: str) -> None:
        if not self._standable[cell]:
            raise _invalid(f"{where}passes too close to something at {self._spot(cell)}.")
        self.cell = cell
        self._advance(where)

    def _handled(self, leg: Leg, where: str) -> Situation:
        near, now = self.names(), self.situation
        if leg.kind == "pick":
            if now.held:
                raise _invalid(f"{where}needs an empty hand, but {now.held} is held.")
            if not self._outset.flat.place(leg.thing).graspable:
                raise _invalid(f"{where}is of a thing that cannot be picked up.")
            if now.where(leg.thing) not in near:
                raise _invalid(f"{where}is out of reach.")
            return now.picked(leg.thing)
        if now.held != leg.thing or not leg.thing:
            raise _invalid(f"{where}needs it to be held.")
        if not self._outset.flat.place(leg.receptacle).receives or leg.receptacle not in near:
            raise _invalid(f"{where}cannot be done from here.")
        return now.released(leg.receptacle)

    def _advance(self, where: str) -> None:
        letter = self._letter()
        if letter != self.history[-1][0]:
            self.states = self._outset.task.step(self.states, letter)
            self.history.append((letter, self.states))
            self._check_lost(where)

    def _check_lost(self, where: str) -> None:
        lost = self._outset.task.lost(self.states)
        if lost:
            raise _invalid(f"{where}breaks '{to_text(lost[0])}' at {self._spot(self.cell)}.")

    def names(self) -> Names:
        """What the robot is near."""
        return frozenset(n for n, mask in self._near.items() if mask[self.cell])

    def _letter(self) -> Letter:
        task = self._outset.task
        return self._outset.flat.letter(task.propositions, self.names(), self.situation)

    def _spot(self, cell: Cell) -> str:
        x, y = self._grid.centres([cell])[0]
        return f"({x:.2f}, {y:.2f})"


def _invalid(message: str) -> SaySoError:
    return SaySoError(
        Code.PLAN_INVALID,
        message[0].upper() + message[1:],
        hint="nothing moved; plan again.",
    )
