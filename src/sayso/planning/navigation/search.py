"""The cheapest order of places, instances and handling steps that fulfils a task.

Uniform-cost search over (automaton states, what is held and lies where, where the robot stands).
A way may pass whatever leaves the task no worse off (`Obligations.no_worse`): then what was
planned from its end still completes the task. Everything else is closed to it, and since that
depends only on the set of closed classes, distances are kept by that set.
"""

from __future__ import annotations

import heapq
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import compress, count

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.planning.navigation.flat import Situation
from sayso.planning.navigation.geodesic import Field, Floor
from sayso.planning.navigation.grid import Cell, Mask
from sayso.planning.navigation.handling import Handling
from sayso.planning.navigation.itinerary import SPEED_M_S, Outset
from sayso.planning.navigation.nearness import Names
from sayso.planning.navigation.obligations import Reading, States
from sayso.planning.navigation.outlook import Outlook

Classes = frozenset[int]
_Goals = tuple[Classes, tuple[tuple[States, Classes], ...]]


@dataclass(frozen=True)
class Node:
    """A point of the search: what was achieved, and where the robot stands."""

    states: States
    situation: Situation
    cell: Cell


@dataclass(frozen=True)
class Move:
    """How one node leads to the next.

    Attributes:
        handling: what is done; None where the robot drives.
        region: the classes in any of which a way may end.
        passable: the classes that it may pass.
        plain: whether its region is passable too, so that where it ends may be chosen freely.
        approach: where it is not plain, the classes before the region in which it may be seen
            to have been reached already, or not yet; once in there the way stays in there.
    """

    before: Node
    after: Node
    cost_s: float
    handling: Handling | None = None
    region: Classes = frozenset()
    passable: Classes = frozenset()
    plain: bool = True
    approach: Classes = frozenset()


@dataclass
class Terrain:
    """The floor as a task sees it; remembers distances."""

    outset: Outset
    _floors: dict[Classes, Floor] = field(default_factory=dict)
    _fields: dict[tuple[Classes, Cell], Field] = field(default_factory=dict)
    _stands: dict[Classes, Cell] = field(default_factory=dict)
    _cells: dict[Classes, Mask] = field(default_factory=dict)
    _approaches: dict[tuple[Classes, Classes, Cell], tuple[Field, Field]] = field(
        default_factory=dict
    )

    def __post_init__(self) -> None:
        self.near = self.outset.near()
        self.free = self.outset.floor
        reached = np.unique(self.near.labels[self.free])
        self.classes = tuple(int(c) for c in reached)
        self._readings: dict[tuple[int, Situation], Reading] = {}
        self._outlooks: dict[Situation, Outlook] = {}
        self._open: dict[Names, Mask] = {}

    def names(self, label: int) -> Names:
        """What a class is near for sure."""
        return self.near.classes[label].sure

    def label(self, cell: Cell) -> int:
        """The class of a cell."""
        return int(self.near.labels[cell])

    def reading(self, label: int, now: Situation) -> Reading:
        """What is seen to hold where the robot stands in a class."""
        key = (label, now)
        if key not in self._readings:
            propositions, near = self.outset.task.propositions, self.near.classes[label]
            self._readings[key] = self.outset.flat.reading(propositions, near, now)
        return self._readings[key]

    def outlook(self, now: Situation) -> Outlook:
        """What each of `classes` does to the task."""
        if now not in self._outlooks:
            readings = [self.reading(c, now) for c in self.classes]
            self._outlooks[now] = Outlook(self.outset.task, readings)
        return self._outlooks[now]

    def passable(self, node: Node) -> Classes:
        """The classes that leave the task no worse off, and the one that the robot is in."""
        harmless = self.outlook(node.situation).harmless(node.states)
        found = compress(self.classes, harmless & self.open(node.situation))
        return frozenset((*found, self.label(node.cell)))

    def open(self, now: Situation) -> Mask:
        """(classes,) whether nothing that can be cleared is in the way."""
        if now.cleared not in self._open:
            behind = (self.near.classes[c].behind for c in self.classes)
            self._open[now.cleared] = np.array([b <= now.cleared for b in behind])
        return self._open[now.cleared]

    def cells(self, classes: Classes) -> Mask:
        """(rows, columns) the standable cells of some classes."""
        found = self._cells.get(classes)
        if found is None:
            chosen = np.zeros(len(self.near.classes), bool)
            chosen[list(classes)] = True
            found = self._cells[classes] = self.free & chosen[self.near.labels]
        return found

    def floor(self, passable: Classes) -> Floor:
        """The floor where ways may lead."""
        if passable not in self._floors:
            self._floors[passable] = Floor(self.cells(passable))
        return self._floors[passable]

    def field(self, passable: Classes, cell: Cell) -> Field:
        """Distances from a cell."""
        key = (passable, cell)
        if key not in self._fields:
            self._fields[key] = self.floor(passable).from_cell(cell)
        return self._fields[key]

    def approaching(self, passable: Classes, approach: Classes, cell: Cell) -> tuple[Field, Field]:
        """Distances from a cell, and those of ways that go over into the approach; 1 too long."""
        key = (passable, approach, cell)
        if key not in self._approaches:
            first = self.field(passable, cell)
            inside = self.cells(passable & approach) & np.isfinite(first.cells)
            sources = np.argwhere(inside)
            costs = first.cells[inside] + 1  # an edge of no length would be no edge
            second = self.floor(approach).from_cells(sources, costs)
            self._approaches[key] = (first, second)
        return self._approaches[key]

    def stand(
        self, region: Classes, passable: Classes, origin: Cell, approach: Classes = frozenset()
    ) -> tuple[Cell, float] | None:
        """A cell of the region to go to and its distance [m]; None where no way leads.

        One cell stands for a region wherever it is reached from, so that few distances are
        needed: the nearest to whoever asked first. Where exactly a tour stops is chosen
        afterwards, for the whole tour at once.
        """
        if approach:
            distances = self.approaching(passable, approach, origin)[1].cells - 1
        else:
            distances = self.field(passable, origin).cells
        cell = None if approach else self._stands.get(region)
        if cell is None or not np.isfinite(distances[cell]):
            costs = np.where(self.cells(region), distances, np.inf)
            row, column = divmod(int(costs.argmin()), costs.shape[1])
            if not np.isfinite(costs[row, column]):
                return None
            cell = (row, column)
            if not approach:
                self._stands.setdefault(region, cell)
        return cell, float(distances[cell]) * self.outset.flat.grid.resolution_m


def best_moves(terrain: Terrain, start: Node, timeout_s: float, home: bool = False) -> list[Move]:
    """The cheapest moves from a node to one at which the task is done; [] if it is already.

    Args:
        home: whether the way back to the start counts too.

    Raises:
        SaySoError: NO_PLAN where none are left to try; PLAN_TIMEOUT.
    """
    search, deadline = _Search(terrain), time.monotonic() + timeout_s
    task, order = terrain.outset.task, count()
    best = {start: 0.0}
    came: dict[Node, Move] = {}
    ends: dict[Node, float] = {}
    heap = [(0.0, next(order), start)]
    while heap:
        cost, _, node = heapq.heappop(heap)
        if node in ends and cost >= ends[node]:
            return _trail(came, node)
        if cost > best[node]:
            continue
        if task.is_done(node.states):
            ends[node] = cost + (search.back(node, start) if home else 0.0)
            if np.isfinite(ends[node]):
                heapq.heappush(heap, (ends[node], next(order), node))
            if not home:
                continue
        if time.monotonic() > deadline:
            raise SaySoError(
                Code.PLAN_TIMEOUT,
                f"no tour was found within {timeout_s:g} s.",
                hint="allow more time, or ask for less at once.",
            )
        for move in search.moves(node):
            total = cost + move.cost_s
            if total < best.get(move.after, np.inf):
                best[move.after] = total
                came[move.after] = move
                heapq.heappush(heap, (total, next(order), move.after))
    raise SaySoError(Code.NO_PLAN, "no tour fulfils the task.")


def _trail(came: dict[Node, Move], node: Node) -> list[Move]:
    moves: list[Move] = []
    while node in came:
        moves.append(came[node])
        node = moves[-1].before
    return moves[::-1]


class _Search:
    """What may be done next, remembered by what it depends on."""

    def __init__(self, terrain: Terrain) -> None:
        self._terrain = terrain
        self._flat = terrain.outset.flat
        self._task = terrain.outset.task
        self._handlings: dict[str, list[Handling]] = {}
        for handling in terrain.outset.handlings:
            self._handlings.setdefault(handling.place, []).append(handling)
        self._ways: dict[tuple[States, Situation], _Goals] = {}
        self._betweens: dict[tuple[States, States, Situation], Classes] = {}
        self._borders: dict[tuple[States, States, Situation], Classes] = {}

    def back(self, node: Node, home: Node) -> float:
        """The time of the way from a node to another's cell; infinite where none leads."""
        distances = self._terrain.field(self._terrain.passable(node), node.cell).cells
        metres = float(distances[home.cell]) * self._flat.grid.resolution_m
        return metres / SPEED_M_S

    def moves(self, node: Node) -> Iterator[Move]:
        """All that may be done from a node."""
        yield from self._handling(node)
        label = self._terrain.label(node.cell)
        passable, goals = self._goals(node.states, node.situation)
        passable = passable | {label}
        for after, region in goals:
            if label not in region:
                yield from self._go(node, after, region, passable)

    def _go(self, node: Node, after: States, region: Classes, passable: Classes) -> Iterator[Move]:
        if region <= passable:
            yield from self._way(node, after, region, passable, plain=True)
            return
        within = self._between(node.states, after, node.situation)
        found = list(self._way(node, after, region & within, passable, approach=within))
        border = self._border(node.states, after, node.situation)
        yield from found or self._way(node, after, region, passable | region | border)

    def _way(
        self,
        node: Node,
        after: States,
        region: Classes,
        passable: Classes,
        *,
        plain: bool = False,
        approach: Classes = frozenset(),
    ) -> Iterator[Move]:
        """The move along one kind of way, where one leads there."""
        found = self._terrain.stand(region, passable, node.cell, approach) if region else None
        if found is not None:
            cell, metres = found
            end = Node(after, node.situation, cell)
            cost = metres / SPEED_M_S
            yield Move(node, end, cost, None, region, passable, plain, approach)

    def _border(self, states: States, target: States, now: Situation) -> Classes:
        """The classes of the borders that are crossed once, between two states of the task."""
        key = (states, target, now)
        if key not in self._borders:
            counted = self._terrain.outset.counted
            self._borders[key] = frozenset(
                c
                for c in (self._classes(now) if counted else ())
                if (unsure := self._terrain.near.classes[c].unsure)
                and unsure <= counted
                and self._task.crossed(states, target, self._terrain.reading(c, now))
            )
        return self._borders[key]

    def _classes(self, now: Situation) -> Iterator[int]:
        return compress(self._terrain.classes, self._terrain.open(now))

    def _between(self, states: States, target: States, now: Situation) -> Classes:
        """The classes where it does not matter which of the two are the task's states."""
        key = (states, target, now)
        if key not in self._betweens:
            self._betweens[key] = frozenset(
                c
                for c in self._classes(now)
                if self._task.between(states, target, self._terrain.reading(c, now))
            )
        return self._betweens[key]

    def _handling(self, node: Node) -> Iterator[Move]:
        near, now = self._terrain.names(self._terrain.label(node.cell)), node.situation
        for place, handlings in self._handlings.items():
            if now.is_near(place, near):
                for handling in handlings:
                    if not now.missing(handling):
                        yield from self._handle(handling, node)

    def _handle(self, handling: Handling, node: Node) -> Iterator[Move]:
        then, label = node.situation.after(handling), self._terrain.label(node.cell)
        states = self._outcome(node.states, self._terrain.reading(label, then))
        if states is not None:
            yield Move(node, Node(states, then, node.cell), handling.action.cost, handling)

    def _outcome(self, states: States, reading: Reading) -> States | None:
        """The states to reckon with after something was seen; None where the task may suffer."""
        after = self._task.worst(states, reading)
        if after is None or self._task.is_lost(after):
            return None
        return after if not reading.unsure or self._task.harmless(after, reading) else None

    def _goals(self, states: States, now: Situation) -> _Goals:
        """The classes that may be passed, and what to go for: (states then, classes)."""
        known = self._ways.get((states, now))
        if known is None:
            classes, outlook = self._terrain.classes, self._terrain.outlook(now)
            free = self._terrain.open(now)
            passable = frozenset(compress(classes, outlook.harmless(states) & free))
            groups: dict[tuple[States, str], set[int]] = {}
            for c, after, there in zip(classes, outlook.outcomes(states), free, strict=True):
                if there and after is not None:
                    self._add_goals(groups, c, after, after != states, now)
            goals = tuple((after, frozenset(cs)) for (after, _), cs in groups.items())
            known = self._ways[states, now] = (passable, tuple(dict.fromkeys(goals)))
        return known

    def _add_goals(
        self,
        groups: dict[tuple[States, str], set[int]],
        label: int,
        after: States,
        progress: bool,
        now: Situation,
    ) -> None:
        if progress:
            groups.setdefault((after, ""), set()).add(label)
        for name in self._wanted(now):
            if name in self._terrain.names(label):
                groups.setdefault((after, name), set()).add(label)

    def _wanted(self, now: Situation) -> tuple[str, ...]:
        """The places to go to for something that could be done there."""
        return tuple(
            now.where(place)
            for place, handlings in self._handlings.items()
            if any(not now.missing(h) for h in handlings)
        )
