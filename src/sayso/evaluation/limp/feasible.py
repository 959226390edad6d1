"""Whether a formula can be fulfilled in a flat at all, by flooding the floor.

States of the automata, with what is held and lies where, are flooded over the floor: from all
places reached in a state to all places joined to them on which the state stays, then over to the
states that the cells beside them lead to. It is exhaustive, finds no plan, and shares no search
with the planners that are judged.
"""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

import numpy as np
from scipy import ndimage

from sayso.core.symbols import Atom
from sayso.logic.formula import Eventually, Formula, conjunction
from sayso.logic.monitor import prop_atom
from sayso.planning.navigation.flat import Flat, Situation
from sayso.planning.navigation.grid import BASE_RADIUS_M, Indices, Mask
from sayso.planning.navigation.nearness import NEAR_M, near_mask
from sayso.planning.navigation.obligations import Obligations, States, obligations_of
from sayso.planning.navigation.patrol import mission_of

MARGIN_M = 0.3
"""A task that is possible only with `near` taken exactly is no fair test."""
ROOM_M = 0.05
"""To spare on each side of the base: a map made of what a camera saw is thicker than the truth."""

Names = frozenset[str]
_Node = tuple[States, Situation]


def feasible(formula: Formula, flat: Flat, start: tuple[float, float]) -> bool:
    """Whether some way from the start fulfils a grounded formula, with room to spare.

    Of a mission without end, everything that recurs is asked for once.
    """
    mission = mission_of(formula)
    once = conjunction(*mission.rest, *(Eventually(p) for p in mission.again))
    task = obligations_of(once)
    # At both ends does not mean between them: what is near through a wall comes with the reach.
    return all(
        _Flood(flat, task, start, near_m).succeeds()
        for near_m in (NEAR_M - MARGIN_M, NEAR_M, NEAR_M + MARGIN_M)
    )


@dataclass
class _Flood:
    flat: Flat
    task: Obligations
    start: tuple[float, float]
    near_m: float
    _reached: dict[_Node, Mask] = field(default_factory=dict)
    _todo: deque[tuple[_Node, Mask]] = field(default_factory=deque)

    def __post_init__(self) -> None:
        self._free = self.flat.grid.standable(BASE_RADIUS_M + ROOM_M)
        self._labels, self._classes = self._near()
        asked = {prop_atom(p) for p in self.task.propositions}
        asked = {a for a in asked if a.predicate not in self.flat.map_predicates}
        # Nothing is shut away there.
        able = {Atom(p, a.args[:1]) for a in asked if a.args for p in ("graspable", "in_the_open")}
        able |= {Atom("accessible", (thing,)) for a in asked for thing in a.args}
        self._begin = Situation(frozenset({Atom("hand_empty"), *able}))
        self._handlings = self.flat.handlings(frozenset(asked), self._begin)

    def succeeds(self) -> bool:
        """Whether a state is reached in which the task is done."""
        cell = self.flat.grid.cell_at(self.start)
        now = self._begin
        letter = self.flat.letter(self.task.propositions, self._classes[self._labels[cell]], now)
        begin = np.zeros(self._free.shape, bool)
        begin[cell] = self._free[cell]
        self._enter((self.task.step(self.task.initial, letter), now), begin)
        while self._todo:
            node, cells = self._todo.popleft()
            if self.task.is_done(node[0]):
                return True
            self._spread(node, cells)
        return False

    def _near(self) -> tuple[Indices, list[Names]]:
        """(rows, columns) of which set of things each cell is near, and these sets."""
        names = sorted(n for n, p in self.flat.places.items() if p.receives)
        names += sorted({str(a) for p in self.task.propositions for a in p.args} - set(names))
        grid, places = self.flat.grid, self.flat.places
        masks = [near_mask(grid, places[n].footprint, self.near_m).ravel() for n in names]
        sets, labels = np.unique(np.array(masks).T, axis=0, return_inverse=True)
        classes = [frozenset(n for n, near in zip(names, row, strict=True) if near) for row in sets]
        return labels.reshape(grid.shape), classes

    def _enter(self, node: _Node, cells: Mask) -> None:
        """Reach these cells in a state, as far as they are new."""
        if self.task.is_lost(node[0]):
            return
        known = self._reached.setdefault(node, np.zeros(self._free.shape, bool))
        fresh = cells & ~known
        if fresh.any():
            known |= fresh
            self._todo.append((node, fresh))

    def _spread(self, node: _Node, cells: Mask) -> None:
        states, now = node
        following = self._following(node)
        stays = np.array([after == states for after in following])[self._labels]
        region = ndimage.binary_propagation(cells, mask=(stays & self._free) | cells)
        self._reached[node] |= region
        beside = ndimage.binary_dilation(region) & self._free & ~region
        for after, labels in self._by_state(following, beside).items():
            self._enter((after, now), beside & np.isin(self._labels, labels))
        self._handle(node, region)

    def _following(self, node: _Node) -> list[States]:
        """The states after standing in each class."""
        states, now = node
        letters = (self.flat.letter(self.task.propositions, names, now) for names in self._classes)
        return [self.task.step(states, letter) for letter in letters]

    def _by_state(self, following: list[States], where: Mask) -> dict[States, list[int]]:
        groups: dict[States, list[int]] = {}
        for label in np.unique(self._labels[where]):
            groups.setdefault(following[label], []).append(int(label))
        return groups

    def _handle(self, node: _Node, region: Mask) -> None:
        """Pick up or put down wherever that can be done from the region."""
        states, now = node
        for label in np.unique(self._labels[region]):
            names = self._classes[label]
            for then in self._situations(now, names):
                letter = self.flat.letter(self.task.propositions, names, then)
                after = self.task.step(states, letter)
                self._enter((after, then), region & (self._labels == label))

    def _situations(self, now: Situation, names: frozenset[str]) -> list[Situation]:
        return [
            now.after(h)
            for h in self._handlings
            if now.is_near(h.place, names) and not now.missing(h)
        ]
