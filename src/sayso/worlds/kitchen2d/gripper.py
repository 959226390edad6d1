"""The gripper: a palm with two fingers, moved by a velocity servo, that feels what it touches.

The palm is wider than a pot's mouth, so things in a pot are out of its reach. Once both
fingers press on a thing the grip holds it like a stiff joint.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from sayso.worlds.kitchen2d.kinds import GRIPPER_MAX_M
from sayso.worlds.kitchen2d.shapes import Polygon
from sayso.worlds.kitchen2d.simulation import (
    HAND,
    STEP_S,
    UNITS_PER_M,
    Body,
    Simulation,
    Thing,
    fixture,
)

FINGER_M = 0.05
"""Length of a finger below the palm."""
FINGER_WIDTH_M = 0.008
PALM_M = (0.172, 0.015)
REACH_M = 0.025
"""How far below a thing's top the fingertips take hold of it."""
SPEED_M_S = 2.0
CLOSING_M_S = 0.25
HOME_M = (0.0, 0.62)

_CLOSING_STEPS = 30
_PLAY = 0.011
"""Of a locked finger, in Box2D's units: limits closer together than 0.01 draw it to where it began.
"""


class Gripper:
    """The hand of one simulation. Its position is the point between the fingertips [m]."""

    def __init__(self, simulation: Simulation) -> None:
        self.simulation = simulation
        self.held: Thing | None = None
        self._grip: Any = None
        world = simulation.world
        x, z = HOME_M
        self._palm = self._body((x, z + FINGER_M + PALM_M[1] / 2), _box(*PALM_M), 40.0)
        self._fingers = tuple(
            self._body(
                (x + side * (GRIPPER_MAX_M + FINGER_WIDTH_M) / 2, z + FINGER_M / 2),
                _box(FINGER_WIDTH_M, FINGER_M),
                40.0,
            )
            for side in (-1, 1)
        )
        self._slides = [
            world.CreatePrismaticJoint(
                bodyA=self._palm, bodyB=f, anchor=f.position, axis=(1, 0), enableLimit=True
            )
            for f in self._fingers
        ]
        self._lock()
        self._tip = np.array([0.0, -(FINGER_M + PALM_M[1] / 2)])

    @property
    def position(self) -> tuple[float, float]:
        """(x, z) between the fingertips [m]."""
        x, z = self._palm.GetWorldPoint(tuple(self._tip * UNITS_PER_M))
        return x / UNITS_PER_M, z / UNITS_PER_M

    @property
    def angle(self) -> float:
        return float(self._palm.angle)

    @property
    def width(self) -> float:
        """Distance between the fingers [m]."""
        left, right = (f.position for f in self._fingers)
        return max(0.0, float((right - left).length) / UNITS_PER_M - FINGER_WIDTH_M)

    def bodies(self) -> tuple[Body, ...]:
        """Palm, fingers and what they hold: all that moves with the hand."""
        held = (self.held.body,) if self.held else ()
        return (self._palm, *self._fingers, *held)

    def polygons(self) -> Iterator[Any]:
        """(N, 2) corners of palm and fingers [m], for pictures."""
        for body in (self._palm, *self._fingers):
            vertices = body.fixtures[0].shape.vertices
            yield np.array([body.GetWorldPoint(v) for v in vertices]) / UNITS_PER_M

    def advance(
        self,
        speed: tuple[float, float],
        spin: float = 0.0,
        closing: tuple[float, float] = (0.0, 0.0),
    ) -> None:
        """One step with this velocity of the fingertips' point [m/s] and turn [rad/s].

        `closing` is each finger's own speed towards the middle [m/s].
        """
        world_tip = self._palm.GetWorldPoint(tuple(self._tip * UNITS_PER_M))
        vx, vz = speed[0] * UNITS_PER_M, speed[1] * UNITS_PER_M
        for body in self.bodies():
            x, z = body.worldCenter - world_tip
            body.linearVelocity = (vx - spin * z, vz + spin * x)
            body.angularVelocity = spin
        if any(closing):
            self._slide(closing[0], -closing[1])
        self.simulation.step()

    def _slide(self, left: float, right: float) -> None:
        """Give the fingers their own speeds to the right [m/s], and free them to move."""
        across = self._palm.GetWorldVector((UNITS_PER_M, 0.0))
        for finger, slide, rate in zip(self._fingers, self._slides, (left, right), strict=True):
            slide.limits = (-1.0, 1.0)
            finger.linearVelocity = finger.linearVelocity + rate * across

    def _lock(self) -> None:
        """Fix the fingers where they are in the hand."""
        for slide in self._slides:
            at = slide.translation
            slide.limits = (at - _PLAY, at + _PLAY)

    def hold(self, steps: int = 1) -> None:
        """Stay where it is."""
        x, z = self.position
        for _ in range(steps):
            now_x, now_z = self.position
            self.advance(((x - now_x) / STEP_S, (z - now_z) / STEP_S))

    def grasp(self, thing: Thing) -> bool:
        """Close the fingers until both press on the thing; whether they do."""
        x, z = self.position
        for _ in range(_CLOSING_STEPS):
            pressing = [thing.body in self._touching(f) for f in self._fingers]
            if all(pressing):
                self._lock()
                self._take(thing)
                return True
            if self.width < 0.001:
                break
            now_x, now_z = self.position
            self.advance(
                ((x - now_x) / STEP_S, (z - now_z) / STEP_S), 0.0, (CLOSING_M_S, CLOSING_M_S)
            )
        self._lock()
        return False

    def open(self, width: float = GRIPPER_MAX_M) -> None:
        """Let go and move each finger to half this width from the middle [m]."""
        if self._grip is not None:
            self.simulation.world.DestroyJoint(self._grip)
        self._grip, self.held = None, None
        x, z = self.position
        for _ in range(_CLOSING_STEPS):
            missing = [width / 2 - out for out in self._spread()]
            if max(map(abs, missing)) < 0.0005:
                break
            speeds = np.clip(np.array(missing) / STEP_S, -CLOSING_M_S, CLOSING_M_S)
            now_x, now_z = self.position
            self.advance(
                ((x - now_x) / STEP_S, (z - now_z) / STEP_S), 0.0, (-speeds[0], -speeds[1])
            )
        self._lock()

    def _spread(self) -> tuple[float, float]:
        """How far the left and the right finger's inner side is from the middle [m]."""
        left, right = (abs(self._along(i)) / UNITS_PER_M - FINGER_WIDTH_M / 2 for i in (0, 1))
        return left, right

    def _along(self, i: int) -> float:
        """A finger's place along the palm, in Box2D's units."""
        return float(self._palm.GetLocalPoint(self._fingers[i].position).x)

    def touched(self) -> str:
        """The name of something solid that the hand, or what it holds, touches; '' for none."""
        own = self.bodies()
        for body in own:
            for other in self._touching(body):
                if other.userData is not None and other not in own:
                    return str(other.userData)
        return ""

    def _touching(self, body: Body) -> list[Body]:
        return [edge.other for edge in body.contacts if edge.contact.touching]

    def _take(self, thing: Thing) -> None:
        self._grip = self.simulation.world.CreateWeldJoint(
            bodyA=self._palm,
            bodyB=thing.body,
            anchor=thing.body.worldCenter,
        )
        self.held = thing

    def _body(self, centre: tuple[float, float], polygon: Polygon, density: float) -> Body:
        body = self.simulation.world.CreateDynamicBody(
            position=(centre[0] * UNITS_PER_M, centre[1] * UNITS_PER_M),
            fixtures=fixture(polygon, density, HAND),
            gravityScale=0.0,
            allowSleep=False,
        )
        body.userData = "gripper"
        return body


def _box(width: float, height: float) -> Polygon:
    x, z = width / 2, height / 2
    return ((-x, -z), (x, -z), (x, z), (-x, z))
