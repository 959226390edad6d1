"""What a person who plays at a table sees: where each block is, and where a handle is."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.spatial.transform import Rotation

from sayso.core.geometry import Array, Pose, rotation_matrix
from sayso.core.scene import Scene, SceneObject
from sayso.worlds.table.fixtures import Fixture, Joint, is_inside
from sayso.worlds.table.shapes.pieces import Box
from sayso.worlds.table.table_world import TableWorld
from sayso.worlds.things import Thing

HAND, TABLE, LOST = "hand", "table", ""
_RESTS_M = 0.012
_OVER_M = 0.035
_STANDS_M = 0.05
_AT_SHARE = 0.15
"""So near to a share of its travel a fixture is taken to be there."""
States = Mapping[str, Mapping[str, object]]
"""Of things by role or category, their attributes, `at`, where they are, and `holds`, what is in
them."""


@dataclass(frozen=True)
class Sight:
    """The true scene of a world, its fixtures by name, and the things that others can be inside."""

    scene: Scene
    fixtures: Mapping[str, Fixture]
    grips: Mapping[str, Box]
    surface_m: tuple[tuple[float, float], tuple[float, float]]
    rooms: Mapping[str, Thing] = field(default_factory=dict)

    @staticmethod
    def of(world: TableWorld) -> Sight:
        fixtures = {f.name: f for f in world.table.fixtures}
        surface = world.table.surface
        grips = {t.name: t.handle for t in world.table.things if t.handle is not None}
        rooms = {t.name: t for t in world.table.things if t.room is not None}
        return Sight(world.true_scene(), fixtures, grips, (surface.x_m, surface.y_m), rooms)

    @cached_property
    def things(self) -> Mapping[str, SceneObject]:
        return self.scene.by_name()

    @cached_property
    def held(self) -> str:
        """The block in the hand, or ''."""
        return next((o.name for o in self.scene.objects if o.carried), "")

    @cached_property
    def blocks(self) -> Mapping[str, str]:
        """Where each block is: `HAND`, `TABLE`, the thing that it is in or on, or `LOST`."""
        loose = [o for o in self.scene.objects if o.name not in self.fixtures]
        return {o.name: self._where(o) for o in loose}

    def of_category(self, category: str) -> tuple[str, ...]:
        """Names of the fixtures of a category."""
        return tuple(f.name for f in self.fixtures.values() if f.category == category)

    def joint(self, name: str) -> Joint:
        """That of a fixture that moves."""
        joint = self.fixtures[name].joint
        assert joint is not None  # only asked of those that have one
        return joint

    def share(self, name: str) -> float:
        """How far a fixture is along its travel."""
        return float(self.things[name].attributes[self.joint(name).attribute])

    def called(self, word: str) -> tuple[str, ...]:
        """The things of a category, or the one of that name."""
        return tuple(o.name for o in self.scene.objects if word in (o.name, o.category))

    def shows(self, name: str, wanted: Mapping[str, object]) -> bool:
        """Whether a thing is at a place (`at`: a category), `holds` another, and has attributes."""
        thing = self.things[name]
        for attribute, value in wanted.items():
            if attribute == "at":
                at = self.blocks[name]
                if at != value and at not in self.of_category(str(value)):
                    return False
            elif attribute == "holds":
                if not any(self.blocks.get(n) == name for n in self.called(str(value))):
                    return False
            elif isinstance(value, bool):
                if thing.attributes.get(attribute) is not value:
                    return False
            elif abs(float(thing.attributes[attribute]) - float(str(value))) > _AT_SHARE:
                return False
        return True

    def parts(
        self, states: States, things: Mapping[str, str], by: str = "", least: int = 0
    ) -> dict[str, str] | None:
        """For each role a thing that is as it says; None where there is none for one of them.

        Args:
            things: have their roles already.
            by: of things that a fixture of this kind drives, that which the one in `things` does.
            least: so many roles have to be asked for, else None.
        """
        if len(states) < least:
            return None
        found = {}
        for role, wanted in states.items():
            some = (things[role],) if role in things else self.called(role)
            driven = [n for n in some if by and self.driver_of(n) == things.get(by)]
            fit = [n for n in driven or some if self.shows(n, wanted)]
            if not fit:
                return None
            found[role] = fit[0]
        return found

    def driver_of(self, name: str) -> str:
        """The fixture whose joint drives a state of this one, or ''."""
        fixture = self.fixtures.get(name)
        return "" if fixture is None or fixture.driven is None else fixture.driven.by

    def grip(self, name: str) -> Box:
        """By what a thing is taken, from its middle; by default its whole box."""
        x, y, z = self.things[name].size
        return self.grips.get(name, Box("", (x / 2, y / 2, z / 2)))

    def handle(self, name: str) -> tuple[Array, Array]:
        """Its middle, and its half extents along the world's axes [m]."""
        box = self.fixtures[name].handle
        middle = self.things[name].pose @ box.pose
        turned = np.abs(rotation_matrix(middle.orientation))
        return np.array(middle.position), np.asarray(turned @ np.array(box.half))

    def clear(self, block: str) -> bool:
        """Whether nothing stands on a block; what is inside one goes with it."""
        return block in self.rooms or block not in self.blocks.values()

    def turned(self, name: str, share: float) -> tuple[Array, Rotation]:
        """How a hinge would carry what is at a pivot (3,) of a fixture to a share of its travel."""
        joint = self.joint(name)
        pivot = np.array((self.things[name].pose @ Pose(joint.pivot)).position)
        rest = joint.travel * (share - self.share(name))
        return pivot, Rotation.from_rotvec(rest * np.asarray(joint.axis, np.float64))

    def swings_free(self, name: str, share: float) -> bool:
        """Whether nothing loose stands in the upright box around a door and its end."""
        door = self.things[name]
        pivot, turn = self.turned(name, share)
        end = pivot + turn.apply(np.array(door.position) - pivot)
        spread = np.abs(turn.as_matrix() @ rotation_matrix(door.orientation))
        after = spread @ np.array(door.size) / 2
        before, here = reach(door.pose, door.size), np.array(door.position)
        low, high = np.minimum(here - before, end - after), np.maximum(here + before, end + after)
        loose = (self.things[n] for n, at in self.blocks.items() if at != HAND)
        return not any(
            (np.array(o.position) + r > low).all() and (np.array(o.position) - r < high).all()
            for o, r in ((o, reach(o.pose, o.size)) for o in loose)
        )

    def apart(self, x: float, y: float, gap_m: float, besides: str) -> bool:
        """Whether all other blocks that are not held are farther from a spot, seen from above."""
        others = (self.things[b] for b, at in self.blocks.items() if at != HAND and b != besides)
        return all(np.hypot(o.position[0] - x, o.position[1] - y) > gap_m for o in others)

    def _where(self, block: SceneObject) -> str:
        if block.carried:
            return HAND
        for name, room in self.rooms.items():
            if name != block.name and is_inside(room, self.things[name].pose, block.pose):
                return name
        for fixture in self.fixtures.values():
            if fixture.holds and _holds(fixture.holds, self.things[fixture.name], block):
                return fixture.name
        return next(self._beneath(block), LOST)

    def _beneath(self, block: SceneObject) -> Iterator[str]:
        low = block.position[2] - reach(block.pose, block.size)[2]
        for other in self.scene.objects:
            if other.name in self.fixtures or other.name == block.name or other.carried:
                continue
            top = other.position[2] + reach(other.pose, other.size)[2]
            off = np.hypot(*np.subtract(block.position[:2], other.position[:2]))
            if abs(low - top) < _RESTS_M and off < _OVER_M:
                yield other.name
        (x0, x1), (y0, y1) = self.surface_m
        x, y, _ = block.position
        near = x0 - 0.12 < x < x1 + 0.12 and y0 - _STANDS_M < y < y1 + _STANDS_M
        if near and abs(low - self.scene.table_height_m) < _RESTS_M:
            yield TABLE


def reach(pose: Pose, size: tuple[float, float, float]) -> Array:
    """(3,) half extents along the world's axes of a box [m]."""
    return np.asarray(np.abs(rotation_matrix(pose.orientation)) @ np.array(size) / 2)


def _holds(how: str, room: SceneObject, thing: SceneObject) -> bool:
    """Whether a thing is in a fixture, or stands on it."""
    off = np.abs(np.subtract(thing.position, room.position))
    if not (off[:2] < np.array(room.size[:2]) / 2).all():
        return False
    low = thing.position[2] - float(reach(thing.pose, thing.size)[2]) - room.position[2]
    top = room.size[2] / 2
    return abs(low - top) < _RESTS_M if how == "on" else -top - _RESTS_M < low < top - 0.005
