"""Tours as values: legs over the floor and handling steps, with what each does to the task."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

import numpy as np

from sayso.core.geometry import Array
from sayso.planning.navigation.flat import Flat, Situation
from sayso.planning.navigation.grid import Cell, Mask
from sayso.planning.navigation.nearness import Names, NearMap, near_map
from sayso.planning.navigation.obligations import Obligations, States
from sayso.planning.navigation.tpsm import Values, progression_map

Kind: TypeAlias = Literal["go", "pick", "release"]

SPEED_M_S = 1.0
HANDLING_S = 10.0
"""How long picking up or putting down is taken to last, for the cost of a tour."""


@dataclass(frozen=True, eq=False)
class Leg:
    """One step of a tour.

    Attributes:
        kind: "go" along `path`; "pick" up or "release" what `thing` names, standing still.
        thing: what is picked up or put down; for "go" the names that the robot is near at its
            end, sorted and joined by commas.
        receptacle: where a thing is put down.
        path: (N, 2) corners x, y [m, frame `map`]; a single point where the robot stands still.
        before, after: the states of the task's automata; where a way passes something useful,
            those after it are even better.
        values: of the classes of the near map, see `tpsm`; empty where it stands still.
        cost_s: the time that it is taken to last.
    """

    kind: Kind
    path: Array
    before: States
    after: States
    thing: str = ""
    receptacle: str = ""
    values: Values = field(default_factory=lambda: np.zeros(0, np.int8))
    cost_s: float = 0.0

    def __str__(self) -> str:
        x, y = self.path[-1]
        match self.kind:
            case "go":
                return f"go to ({x:.1f}, {y:.1f})" + (f", near {self.thing}" if self.thing else "")
            case "pick":
                return f"pick up {self.thing}"
            case _:
                return f"put {self.thing} down at {self.receptacle}"


@dataclass(frozen=True, eq=False)
class Tour:
    """Legs that fulfil a task, in order; `near` is the map that their values refer to."""

    legs: tuple[Leg, ...]
    near: NearMap
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
        """(rows, columns) the task progression semantic map of one "go" leg."""
        return progression_map(self.near, self.legs[index].values)


@dataclass(frozen=True, eq=False)
class Outset:
    """Where a tour starts: a flat, a task and how far it is.

    Attributes:
        position: of the base's centre (x, y) [m].
        states: of the task's automata, having read what holds now; None before the first step.
    """

    flat: Flat
    task: Obligations
    position: tuple[float, float]
    situation: Situation = field(default_factory=Situation)
    states: States | None = None

    def relevant(self) -> tuple[str, ...]:
        """The names that the task speaks of, and where things may lie by now; sorted."""
        names = {str(a) for p in self.task.propositions for a in p.args}
        if names_to_carry(self.task) or self.situation.held:
            names |= {p.name for p in self.flat.places.values() if p.receives}
        return tuple(sorted(names | {r for _, r in self.situation.rests if r in self.flat.places}))

    def near(self) -> NearMap:
        """What is near each cell, of the relevant names."""
        footprints = {n: self.flat.place(n).footprint for n in self.relevant()}
        return near_map(self.flat.grid, footprints)

    def standable(self) -> Mask:
        """Where the base's centre may be."""
        return self.flat.grid.standable()

    def begin(self, near: Names) -> States:
        """The states after the first step, which is read now unless it was already."""
        if self.states is not None:
            return self.states
        letter = self.flat.letter(self.task.propositions, near, self.situation)
        return self.task.step(self.task.initial, letter)


def names_to_carry(task: Obligations) -> frozenset[str]:
    """The things that the task speaks of holding or placing."""
    carrying = ("holding", "placed", "on", "in")
    return frozenset(str(p.args[0]) for p in task.propositions if p.predicate in carrying)
