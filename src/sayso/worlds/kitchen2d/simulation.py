"""The physics: things, table and water as Box2D bodies, advanced in steps of 10 ms.

Box2D likes lengths around 1, so one of its units is a decimetre; everything that this module
gives out is in metres. Water is made of small round bodies.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, TypeAlias

import Box2D
import numpy as np

from sayso.worlds.kitchen2d.kinds import kind
from sayso.worlds.kitchen2d.scene import TABLE_HALF_M, Item, KitchenScene, unknown_object
from sayso.worlds.kitchen2d.shapes import RIM_M, Polygon, Shape, shape

Body: TypeAlias = Any
"""A Box2D body; Box2D comes without types."""

UNITS_PER_M = 10.0
STEP_S = 0.01
TABLE_M = 0.1
"""Height of the table's top."""
DROP_M = 0.006
"""Radius of a drop of water."""
DROP_L = 0.01
"""Litres that a drop stands for."""

SOLID, HAND, WATER = 1, 2, 4
"""Collision groups. The hand is a frame that water runs through."""

_ITERATIONS = (8, 3)
_CREEP = 0.02 * UNITS_PER_M
"""Speed below which a thing counts as still."""


@dataclass(frozen=True)
class Thing:
    """One item and its body."""

    item: Item
    shape: Shape
    body: Body

    @property
    def name(self) -> str:
        return self.item.name

    @property
    def position(self) -> tuple[float, float]:
        """(x, z) of its box's centre [m]."""
        x, z = self.body.position
        return x / UNITS_PER_M, z / UNITS_PER_M

    @property
    def angle(self) -> float:
        """Turn from upright, counterclockwise seen with x to the right [rad]."""
        return float(self.body.angle)

    def bounds(self) -> tuple[float, float, float, float]:
        """Left, low, right and high of what it takes up [m]."""
        corners = self.corners()
        (left, low), (right, high) = corners.min(axis=0), corners.max(axis=0)
        return float(left), float(low), float(right), float(high)

    def corners(self) -> Any:
        """(N, 2) corners of its parts [m]."""
        local = np.array([c for p in self.shape.polygons for c in p])
        cos, sin = np.cos(self.angle), np.sin(self.angle)
        return local @ np.array([[cos, sin], [-sin, cos]]) + np.array(self.position)

    def inside(self, x: float, z: float) -> bool:
        """Whether a point [m] is in the thing's cavity."""
        if self.shape.cavity is None:
            return False
        half, floor, rim = self.shape.cavity
        a, b = self.body.GetLocalPoint((x * UNITS_PER_M, z * UNITS_PER_M))
        return bool(abs(a) <= half * UNITS_PER_M and floor <= b / UNITS_PER_M <= rim)


class Simulation:
    """A kitchen that obeys physics. The same scene and seed give the same course of events.

    `placing_m` is the standard deviation of where the hand puts things down.
    """

    def __init__(self, scene: KitchenScene, seed: int = 0, placing_m: float = 0.0) -> None:
        self.placing_m = placing_m
        self.world: Body = Box2D.b2World(gravity=(0.0, -9.81 * UNITS_PER_M), doSleep=True)
        self.random = np.random.default_rng(seed)
        self.time_s = 0.0
        self.drops: list[Body] = []
        self.things: dict[str, Thing] = {}
        self._static("table", [(-TABLE_HALF_M, TABLE_M - 0.1, TABLE_HALF_M, TABLE_M)])
        self._static("floor", [(-9.0, -0.7, 9.0, -0.6)])
        for item in scene.items:
            self.things[item.name] = self._thing(item)
        self.settle(100)

    def thing(self, name: str) -> Thing:
        """The thing of this name. Raises UNKNOWN_OBJECT."""
        try:
            return self.things[name]
        except KeyError:
            raise unknown_object(name, list(self.things)) from None

    def step(self) -> None:
        """Advance by `STEP_S`."""
        self.world.Step(STEP_S, *_ITERATIONS)
        self.time_s += STEP_S

    def settle(self, limit: int = 80) -> None:
        """Let things come to rest, for at most so many steps."""
        for _ in range(limit):
            self.step()
            if not self.moving():
                return

    def moving(self, apart_from: Iterable[Body] = ()) -> bool:
        """Whether a thing still moves. Drops do not count: water is never quite still."""
        ignored = list(apart_from)
        for thing in self.things.values():
            body = thing.body
            if body.awake and body.type == Box2D.b2_dynamicBody and body not in ignored:
                velocity = body.linearVelocity
                if velocity.lengthSquared > _CREEP**2 or abs(body.angularVelocity) > 0.3:
                    return True
        return False

    def emit(self, x_m: float, z_m: float) -> None:
        """One drop of water at rest there."""
        fixture = Box2D.b2FixtureDef(
            shape=Box2D.b2CircleShape(radius=DROP_M * UNITS_PER_M),
            density=1.0,
            friction=0.0,
            restitution=0.0,
            filter=Box2D.b2Filter(categoryBits=WATER, maskBits=SOLID | WATER),
        )
        self.drops.append(
            self.world.CreateDynamicBody(
                position=(x_m * UNITS_PER_M, z_m * UNITS_PER_M),
                fixtures=fixture,
                linearDamping=0.5,
                fixedRotation=True,
            )
        )

    def drops_in(self, thing: Thing) -> int:
        """How many drops are in a thing's cavity."""
        if thing.shape.cavity is None:
            return 0
        return sum(thing.inside(*self._metres(d)) for d in self.drops)

    def water_l(self, thing: Thing) -> float:
        """Litres of water in a thing."""
        return self.drops_in(thing) * DROP_L

    def drop_positions(self) -> list[tuple[float, float]]:
        """(x, z) of each drop [m]."""
        return [self._metres(d) for d in self.drops]

    def drain(self) -> int:
        """Take away the water that is in nothing; how many drops that were."""
        holders = [t for t in self.things.values() if t.shape.cavity]
        kept = []
        for drop in self.drops:
            place = self._metres(drop)
            if any(t.inside(*place) for t in holders):
                kept.append(drop)
            else:
                self.world.DestroyBody(drop)
        spilled = len(self.drops) - len(kept)
        self.drops = kept
        return spilled

    @staticmethod
    def _metres(body: Body) -> tuple[float, float]:
        x, z = body.position
        return x / UNITS_PER_M, z / UNITS_PER_M

    def _thing(self, item: Item) -> Thing:
        about = kind(item.kind)
        form = shape(about.form, item.width_m, item.height_m)
        x, low = item.x_m, TABLE_M
        if item.on:
            support = self.things[item.on]
            x, low = item.x_m + support.position[0], _seat(support)
        make = self.world.CreateStaticBody if about.fixed else self.world.CreateDynamicBody
        body = make(
            position=(x * UNITS_PER_M, (low + item.height_m / 2) * UNITS_PER_M),
            fixtures=[fixture(p, about.density, SOLID) for p in form.polygons],
        )
        body.userData = item.name
        return Thing(item, form, body)

    def _static(self, name: str, boxes: Iterable[tuple[float, float, float, float]]) -> None:
        polygons = [((a, b), (c, b), (c, d), (a, d)) for a, b, c, d in boxes]
        body = self.world.CreateStaticBody(fixtures=[fixture(p, 1.0, SOLID) for p in polygons])
        body.userData = name


def fixture(polygon: Polygon, density: float, group: int) -> Any:
    """A part of a body; `density` relative to water."""
    mask = SOLID if group == HAND else SOLID | HAND | WATER
    return Box2D.b2FixtureDef(
        shape=Box2D.b2PolygonShape(
            vertices=[(x * UNITS_PER_M, z * UNITS_PER_M) for x, z in polygon]
        ),
        density=density,
        friction=0.5,
        restitution=0.0,
        filter=Box2D.b2Filter(categoryBits=group, maskBits=mask),
    )


def _seat(support: Thing) -> float:
    """Height at which a thing stands on another's middle [m]."""
    top = support.position[1] + support.item.height_m / 2
    return top - RIM_M if kind(support.item.kind).form == "plate" else top
