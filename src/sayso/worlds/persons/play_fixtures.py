"""How a person who plays works drawers, doors, switches and buttons."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sayso.core.geometry import Array, rotation_matrix
from sayso.skills.poses import moved
from sayso.worlds.persons.hand_plans import OPEN_M, Touch, Via
from sayso.worlds.persons.play_behaviour import (
    AIR_M,
    CLOSED,
    FINGERS,
    OPENED,
    Done,
    Options,
    Things,
    Ways,
    X,
    Z,
    down,
)
from sayso.worlds.persons.play_sight import Sight


def fixture_options(role: str, to: float) -> Options:
    def options(s: Sight) -> Iterator[Things]:
        if not s.held:
            for name in s.called(role):
                if abs(s.share(name) - to) > 0.6:
                    yield {role: name}

    return options


def moved_to(role: str, to: float) -> Done:
    return lambda _, after, things: abs(after.share(things[role]) - to) < 0.15


def shove(role: str, to: float) -> Ways:
    """Closed fingers go to that side of the handle and move it by the rest of its travel."""

    def ways(s: Sight, things: Things, rng: np.random.Generator) -> list[Via] | None:
        name = things[role]
        joint, now = s.joint(name), s.share(name)
        if joint.kind == "hinge" and not s.swings_free(name, to):
            return None
        (first, along), (place, last) = (
            _beside(s, name, share, np.sign(to - now)) for share in (now, to)
        )
        _, half = s.handle(name)
        aside = rng.uniform(-0.4, 0.4) * float(half[0]) * abs(float(joint.axis[1])) * X
        start = down(first - AIR_M * along + aside)
        end = down(place - 0.004 * last + aside)
        return [
            Via(moved(start, 0.11 * Z), CLOSED),
            Via(start, freedom=0.05),
            Via(end, exact=True, freedom=0.03, pushes=name),
            Via(moved(end, -0.03 * last), freedom=0.0),
            Via(moved(end, 0.11 * Z - 0.03 * last), OPENED, freedom=0.05),
        ]

    return ways


def _beside(s: Sight, name: str, share: float, sign: float) -> tuple[Array, Array]:
    """Where closed fingers touch a handle that is at a share of its travel, and which way it goes
    from there: a unit vector."""
    joint, box, now = s.joint(name), s.fixtures[name].handle, s.things[name].pose
    axis, rest = np.asarray(joint.axis, np.float64), joint.travel * (share - s.share(name))
    middle, turn = np.array((now @ box.pose).position), rotation_matrix(now.orientation)
    along = sign * axis
    if joint.kind == "slide":
        middle = middle + rest * axis
    else:
        pivot, turned = s.turned(name, share)
        middle, turn = pivot + turned.apply(middle - pivot), turned.as_matrix() @ turn
        along = sign * np.cross(axis, middle - pivot)
        along = along / np.linalg.norm(along)
    gap = np.abs(turn.T @ along) @ np.array(box.half) + np.abs(along[:2]) @ FINGERS
    return middle - 0.012 * Z - float(gap) * along, along


def drag(role: str, to: float) -> Ways:
    """The hand takes the handle from above and takes it along."""

    def ways(s: Sight, things: Things, _: np.random.Generator) -> list[Via]:
        name = things[role]
        joint, (middle, _half) = s.joint(name), s.handle(name)
        rest = joint.travel * (to - s.share(name)) * np.asarray(joint.axis)
        grasp = down(middle)
        end = moved(grasp, rest)
        return [
            Via(moved(grasp, 0.10 * Z)),
            Via(grasp, Touch("grasp", 0.0, name), freedom=0.05),
            Via(end, Touch("place", OPEN_M, name), exact=True, freedom=0.03),
            Via(moved(end, 0.10 * Z), freedom=0.05),
        ]

    return ways


def press(role: str) -> Ways:
    def ways(s: Sight, things: Things, _: np.random.Generator) -> list[Via]:
        name = things[role]
        middle, half = s.handle(name)
        at = down(middle + (half[2] + 0.009 - 0.95 * s.joint(name).travel) * Z)
        return [
            Via(moved(at, 0.12 * Z), CLOSED),
            Via(moved(at, 0.04 * Z), freedom=0.1),
            Via(at, exact=True, freedom=0.0, pushes=name),
            Via(moved(at, 0.04 * Z), freedom=0.0),
            Via(moved(at, 0.14 * Z), OPENED, freedom=0.1),
        ]

    return ways


def pressed_options(role: str) -> Options:
    def options(s: Sight) -> Iterator[Things]:
        for name in s.called(role) if not s.held else ():
            yield {role: name}

    return options


def anyhow(_: Sight, __: Sight, ___: Things) -> bool:
    return True
