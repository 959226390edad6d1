"""Somebody who meddles with a flat while the robot is at its task.

As `worlds/table_upsets.py` for a table: each upset is chosen on what truly is there, right before
or while a step is carried out. What is done are `disturbances.Disturbance`s, as a script has them.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace
from functools import cached_property

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Vector3
from sayso.core.scene import SceneObject
from sayso.core.symbols import Action
from sayso.worlds.flat.disturbances import Disturbance, Kind, To
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.free_space import CELL_M, FreeSpace
from sayso.worlds.flat.kinds import kind
from sayso.worlds.flat.scene import Item

Upset = Callable[["FlatMeddler"], tuple[Disturbance, ...]]
_EDGE_M = 0.17
"""From the front edge to the middle of what is put down: within the robot's reach."""
_ASIDE = 0.3
"""Of a top's width, to either side of its middle."""
_APART_M = 0.25
_REACH_M, _NEAR_M = 0.9, 1.0
"""From the middle of the base: what its arm reaches, and what counts as near."""
_ROBOT_M, _GOAL_M = 1.2, 1.3
"""What is put into the way leaves so much room."""
_OPEN = 0.5


class FlatMeddler:
    """What a person in a flat can do to a step: nothing, where there is nothing to do it to.

    Args:
        held: what the robot truly holds, or "".
        forbidden: what the task keeps the robot away from: there nobody puts what it is to take.
    """

    def __init__(
        self,
        world: FlatWorld,
        action: Action,
        held: str,
        rng: random.Random,
        forbidden: Collection[str] = (),
    ) -> None:
        self._world = world
        self._action = action
        self._held = held
        self._rng = rng
        self._forbidden = forbidden
        self._there = {o.name: o for o in world.truth()}
        self._items = {i.name: i for i in world.scene.items}

    def empties_the_hand(self) -> tuple[Disturbance, ...]:
        """And puts what was in it down elsewhere."""
        return self._put_elsewhere(self._held, "somebody takes") if self._held else ()

    def moves_it(self) -> tuple[Disturbance, ...]:
        thing = self._wanted()
        return self._put_elsewhere(thing, "somebody moves") if thing else ()

    def takes_it_away(self) -> tuple[Disturbance, ...]:
        thing = self._wanted()
        return (_change(thing, Kind.ITEM, "away", "somebody takes away"),) if thing else ()

    def occupies_the_place(self) -> tuple[Disturbance, ...]:
        """With something that has nothing to do with it."""
        if not self._held or len(self._action.args) < 2:
            return ()
        place = self._items.get(self._action.args[1])
        others = [n for n in self._small() if n not in (*self._action.args, self._held)]
        if place is None or not others or not kind(place.kind).tops:
            return ()
        other = self._rng.choice(others)
        at = (0.0, 0.0) if kind(place.kind).open_top else (place.size[0] / 2 - _EDGE_M, 0.0)
        spot = _on(place, at, self._items[other].size[2])
        return (_change(other, Kind.ITEM, spot, f"on {place.name} somebody puts"),)

    def shuts_the_doors(self) -> tuple[Disturbance, ...]:
        doors = zip(self._world.scene.doors, self._world.openings(), strict=True)
        shut = [d.name for d, opening in doors if opening > _OPEN]
        return tuple(_change(n, Kind.DOOR, "shut", "somebody shuts") for n in shut)

    def blocks_the_way(self) -> tuple[Disturbance, ...]:
        """With a box on the straight line to where the robot goes; there is another way."""
        goal = self._there.get(next(reversed(self._action.args), ""))
        boxes = [n for n, i in self._items.items() if i.kind == "box"]
        if goal is None or not boxes:
            return ()
        start, end = (np.asarray(p[:2]) for p in (self._base(), goal.position))
        if math.dist(start, end) < _ROBOT_M + _GOAL_M:
            return ()
        for share in (0.5, 0.4, 0.6):
            x, y = (float(v) for v in start + share * (end - start))
            near = math.dist((x, y), start) < _ROBOT_M or math.dist((x, y), end) < _GOAL_M
            if not near and self._passable(boxes[0], (x, y), goal):
                place = (x, y, self._items[boxes[0]].size[2] / 2)
                return (_change(boxes[0], Kind.ITEM, place, "into the way somebody puts"),)
        return ()

    def _passable(self, box: str, at: tuple[float, float], goal: SceneObject) -> bool:
        """Whether there is free floor for it, and from the robot a way round it to the goal."""
        scene, (x, y, _) = self._world.scene, self._base()
        moved = [replace(i, position=(*at, 0.0)) if i.name == box else i for i in scene.items]
        before, after = (
            FreeSpace(replace(scene, items=tuple(items), start=(x, y, 0.0)))
            for items in (scene.items, moved)
        )
        cell = tuple(np.round((np.asarray(at) - before.origin) / CELL_M).astype(int))
        place = self._items.get(goal.name)
        return bool(before.free[cell]) and place is not None and after.reaches(place)

    def _wanted(self) -> str:
        """What the step is to take, if it is not in the hand."""
        thing = next(iter(self._action.args), "")
        return thing if thing in self._small() and thing != self._held else ""

    def _put_elsewhere(self, thing: str, told: str) -> tuple[Disturbance, ...]:
        """On some other top, apart from what stands there, where the robot may come for it."""
        now = self._there[thing].position
        spots = [s for s in self._spots(thing) if math.dist(s[:2], now[:2]) > 2 * _APART_M]
        clear = [
            s
            for s in spots
            if all(math.dist(s, self._there[n].position) > _APART_M for n in self._small())
            and self._may_be_fetched(s)
        ]
        return (_change(thing, Kind.ITEM, self._rng.choice(clear), told),) if clear else ()

    def _may_be_fetched(self, spot: Vector3) -> bool:
        """Whether free floor leads within reach of it, off what the task keeps the robot away from:
        geometry alone, with nothing of how the robot goes about it."""
        kept_off = [i for i in self._items.values() if i.name in self._forbidden]
        return self._floor.comes_within(spot[:2], _REACH_M, kept_off, _NEAR_M)

    @cached_property
    def _floor(self) -> FreeSpace:
        return FreeSpace(self._world.scene)

    def _spots(self, thing: str) -> list[Vector3]:
        height_m = self._items[thing].size[2]
        tops = (i for i in self._items.values() if kind(i.kind).tops and not i.movable)
        return [
            _on(i, (i.size[0] / 2 - _EDGE_M, aside * i.size[1]), height_m)
            for i in tops
            if not kind(i.kind).open_top and i.name not in self._forbidden
            for aside in (-_ASIDE, 0.0, _ASIDE)
        ]

    def _small(self) -> Sequence[str]:
        return [n for n, i in self._items.items() if i.movable and n in self._there]

    def _base(self) -> Vector3:
        return self._world.true_base().position


def make(world: FlatWorld, disturbance: Disturbance) -> None:
    """Do it to a world in this process. Raises INVALID for a kind that no flat has."""
    what, to = disturbance.what, disturbance.to
    if disturbance.kind is Kind.SWITCH:
        raise SaySoError(Code.INVALID, f"no flat has a switch of a robot, such as '{what}'.")
    if disturbance.kind is Kind.DOOR:
        world.set_door(what, 1.0 if to == "open" else 0.0)
    elif disturbance.kind is Kind.WALKER and isinstance(to, str):
        world.walk(what, to == "walk")
    elif isinstance(to, str):
        world.remove(what)
    else:
        x, y, z = (*to, 0.0)[:3]
        world.move(what, (x, y, z))


def _on(place: Item, at: tuple[float, float], height_m: float) -> Vector3:
    """The middle of what stands on a place, `at` forward and left of its own middle [m]."""
    c, s = math.cos(place.yaw), math.sin(place.yaw)
    x, y, foot = place.position
    top = foot + kind(place.kind).tops[-1]
    return x + c * at[0] - s * at[1], y + s * at[0] + c * at[1], top + height_m / 2


def _change(what: str, kind_: Kind, to: To, told: str) -> Disturbance:
    return Disturbance(None, 0.0, what, kind_, to, f"{told} {what}")


UPSETS: Mapping[str, Upset] = {
    "hand_emptied": FlatMeddler.empties_the_hand,
    "thing_moved": FlatMeddler.moves_it,
    "place_occupied": FlatMeddler.occupies_the_place,
    "doors_shut": FlatMeddler.shuts_the_doors,
    "way_blocked": FlatMeddler.blocks_the_way,
    "thing_taken_away": FlatMeddler.takes_it_away,
}
"""By name. After `thing_taken_away` the task cannot be done, and that is what is to be told."""
