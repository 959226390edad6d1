"""Finding a place for one item in a flat that is being furnished."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from sayso.core.geometry import Vector3
from sayso.worlds.flat import relations
from sayso.worlds.flat.free_space import overlap
from sayso.worlds.flat.kinds import KINDS, Kind
from sayso.worlds.flat.relations import Relation
from sayso.worlds.flat.scene import WALL_THICKNESS_M, Door, FlatScene, Item, Room

_DARTS = 150
_WALL_GAP_M = WALL_THICKNESS_M / 2 + 0.015
_APART_M = 0.05
_HANG_M = 1.30
_START_CLEAR_M = 0.9
_ARMREST_M = 0.16
_REACH_IN_M = 0.30
"""How far from the front edge things are put on furniture: an arm must get there."""


class Placer:
    """Throws darts until one place suits: free, and in the wanted relations.

    Args:
        scene: the flat, with the items placed so far.
        rng: decides.
    """

    def __init__(self, scene: FlatScene, rng: np.random.Generator) -> None:
        self.scene, self._rng = scene, rng

    def place(
        self, item: Item, wanted: Sequence[Relation] = (), unwanted: Sequence[Relation] = ()
    ) -> Item | None:
        """The item at a place that suits, or None if none was found."""
        near = [o for r in wanted for o in self._others(r)]
        for dart in range(_DARTS):
            spot = self._dart(item, near, aimed=bool(near) and dart % 4 != 3, wanted=wanted)
            if spot is not None and self._suits(spot, wanted, unwanted) and self._fits(spot):
                return spot
        return None

    # -- darts -----------------------------------------------------------------------------

    def _dart(
        self, item: Item, near: Sequence[Item], *, aimed: bool, wanted: Sequence[Relation]
    ) -> Item | None:
        kind = KINDS[item.kind]
        over = [self._others(r)[0] for r in wanted if r.comparator == "isabove"]
        under = [self._others(r)[0] for r in wanted if r.comparator == "isbelow"]
        if kind.stand == "hung":
            return self._hung(item, near if aimed else ())
        if kind.stand == "on" and not (under and kind.movable):
            return self._on(item, over, near if aimed else ())
        if aimed:
            return self._aimed(item, near)
        return self._by_wall(item) if kind.stand == "wall" else self._anywhere(item)

    def _room(self) -> Room:
        return self.scene.rooms[int(self._rng.integers(len(self.scene.rooms)))]

    def _by_wall(self, item: Item) -> Item:
        room, side = self._room(), int(self._rng.integers(4))
        yaw = side * np.pi / 2
        away = item.size[0] / 2 + _WALL_GAP_M
        (x0, y0), (x1, y1) = room.low, room.high
        half = item.size[1] / 2 + _WALL_GAP_M
        along_x = self._uniform(x0 + half, x1 - half)
        along_y = self._uniform(y0 + half, y1 - half)
        x, y = ((x0 + away, along_y), (along_x, y0 + away), (x1 - away, along_y),
                (along_x, y1 - away))[side]  # fmt: skip
        return _at(item, (x, y, 0.0), yaw)

    def _anywhere(self, item: Item) -> Item:
        room = self._room()
        edge = max(item.size[:2]) / 2 + _WALL_GAP_M
        x = self._uniform(room.low[0] + edge, room.high[0] - edge)
        y = self._uniform(room.low[1] + edge, room.high[1] - edge)
        return _at(item, (x, y, 0.0), int(self._rng.integers(4)) * np.pi / 2)

    def _aimed(self, item: Item, near: Sequence[Item]) -> Item:
        """On the floor, around the middle of the others or anywhere on their segment."""
        share = self._rng.dirichlet(np.ones(len(near)))
        middle = share @ np.array([o.centre[:2] for o in near])
        x, y = middle + self._rng.normal(0.0, 0.9, 2)
        return _at(item, (float(x), float(y), 0.0), int(self._rng.integers(4)) * np.pi / 2)

    def _hung(self, item: Item, near: Sequence[Item]) -> Item:
        flat = self._by_wall(replace(item, size=(0.0, *item.size[1:])))
        spot = replace(flat, size=item.size)
        if near and self._rng.random() < 0.7:
            other = near[0]
            back = -(other.size[0] / 2 - 0.02)
            c, s = np.cos(other.yaw), np.sin(other.yaw)
            place = (other.centre[0] + c * back, other.centre[1] + s * back, 0.0)
            spot = _at(item, place, other.yaw)
        tall = max((o.position[2] + o.size[2] for o in near), default=0.0)
        x, y, _ = spot.position
        return _at(item, (x, y, min(1.65, max(_HANG_M, tall + 0.05))), spot.yaw)

    def _on(self, item: Item, over: Sequence[Item], near: Sequence[Item]) -> Item | None:
        """On furniture with a free top; a thing that can be carried may lie on the floor."""
        tops = [i for i in (over or self.scene.items) if KINDS[i.kind].tops]
        if near and not over:
            if KINDS[item.kind].movable and self._rng.random() < 0.6:
                return self._aimed(item, near)
            tops = [i for i in tops if i not in near] or tops
        if not tops:
            return None
        return self._on_top(item, tops[int(self._rng.integers(len(tops)))])

    def _on_top(self, item: Item, support: Item) -> Item | None:
        kind = KINDS[support.kind]
        edge = 0.03 + max(item.size[:2]) / 2 if not kind.open_top else 0.12
        half = np.array(support.size[:2]) / 2 - edge
        half[1] -= _ARMREST_M if support.kind in ("sofa", "armchair") else 0.0
        if half.min() < 0 and item.movable:
            return None
        half = np.maximum(half, 0.0)
        back = -half[0] if kind.stand == "free" else max(-half[0], half[0] - _REACH_IN_M)
        local = np.array([self._uniform(back, half[0]), self._uniform(-half[1], half[1])])
        c, s = np.cos(support.yaw), np.sin(support.yaw)
        x = support.position[0] + c * local[0] - s * local[1]
        y = support.position[1] + s * local[0] + c * local[1]
        top = support.position[2] + _top_of(support, kind)
        turn = self._uniform(-0.4, 0.4) if item.movable else 0.0
        return _at(item, (float(x), float(y), top), support.yaw + turn)

    def _uniform(self, low: float, high: float) -> float:
        return float(self._rng.uniform(min(low, high), max(low, high)))

    # -- checks ----------------------------------------------------------------------------

    def _others(self, relation: Relation) -> list[Item]:
        return [self.scene.item(n) for n in relation.others]

    def _suits(self, spot: Item, wanted: Sequence[Relation], unwanted: Sequence[Relation]) -> bool:
        return all(relations.holds(r.comparator, spot, self._others(r)) for r in wanted) and all(
            relations.broken(r.comparator, spot, self._others(r)) for r in unwanted
        )

    def _fits(self, spot: Item) -> bool:
        if not any(_within(spot, room) for room in self.scene.rooms):
            return False
        low, high = spot.position[2], spot.position[2] + spot.size[2]
        if low < _HANG_M and not self._clear_of_ways(spot):
            return False
        grown = spot.corners(_APART_M / 2 if low < 0.01 else 0.005)
        for other in self.scene.items:
            o_low, o_high = other.position[2], other.position[2] + other.size[2]
            touching = low < o_high - 1e-6 and o_low < high - 1e-6
            if touching and not _lies_in(spot, other) and overlap(grown, other.corners(0.02)):
                return _lies_under(spot, other)
        return True

    def _clear_of_ways(self, spot: Item) -> bool:
        """Clear of doors, their leaves and where the robot starts."""
        if spot.position[2] > 0.01:
            return True
        if _distance(spot, self.scene.start[:2]) < _START_CLEAR_M:
            return False
        return all(_clear_of_door(spot, d) for d in self.scene.doors)


def _at(item: Item, position: Vector3, yaw: float) -> Item:
    x, y, z = (float(v) for v in position)
    return replace(item, position=(x, y, z), yaw=float(yaw))


def _top_of(support: Item, kind: Kind) -> float:
    """The preferred top, moved with the height where the item is not of its default size."""
    top = kind.tops[-1]
    return top + (support.size[2] - kind.size[2]) if top > kind.size[2] / 2 else top


def _within(spot: Item, room: Room) -> bool:
    margin = 0.0 if spot.size[0] < 0.05 else _WALL_GAP_M - 0.005
    corners = spot.corners()
    return bool(
        np.all(corners >= np.array(room.low) + margin - 0.03)
        and np.all(corners <= np.array(room.high) - margin + 0.03)
    )


def _lies_in(spot: Item, other: Item) -> bool:
    """Whether the spot is inside an open receptacle, on its own top, or on a seat."""
    kind = KINDS[other.kind]
    if not kind.tops:
        return False
    top = other.position[2] + _top_of(other, kind)
    return spot.position[2] >= top - 1e-6 and bool(
        np.linalg.norm(np.subtract(spot.position[:2], other.position[:2])) < max(other.size[:2]) / 2
    )


def _lies_under(spot: Item, other: Item) -> bool:
    """Whether a small thing lies on the floor between the legs of a table."""
    return spot.movable and spot.position[2] < 0.01 and KINDS[other.kind].name in (
        "table", "small_table", "desk",
    ) and bool(
        np.all(np.abs(np.subtract(spot.position[:2], other.position[:2]))
               < np.array(other.size[:2]).min() / 2 - 0.14)
    )  # fmt: skip


def _distance(spot: Item, place: tuple[float, ...]) -> float:
    offset = np.array(place[:2]) - np.array(spot.position[:2])
    c, s = np.cos(spot.yaw), np.sin(spot.yaw)
    local = np.array([c * offset[0] + s * offset[1], -s * offset[0] + c * offset[1]])
    return float(np.linalg.norm(np.maximum(np.abs(local) - np.array(spot.size[:2]) / 2, 0.0)))


def _clear_of_door(spot: Item, door: Door) -> bool:
    along = np.array([np.cos(door.yaw), np.sin(door.yaw)])
    aside = np.array([-along[1], along[0]])
    if _distance(spot, door.at) < 1.15:
        return False
    hinge = np.array(door.at) - along * door.width / 2
    way = aside if door.motion == "hinged" else -along
    spots = (tuple(hinge + way * share * door.width) for share in (0.25, 0.5, 0.75, 1.0))
    return all(_distance(spot, s) > 0.35 for s in spots)
