"""What stands fixed at a table and can be worked: drawers, doors, switches, lamps, as data.

A fixture is made of boxes. It may move along or about one joint, and may have a state that is no
matter of physics, such as being lit, which follows the joint of another fixture. While that is so
it may give a state to things that are at a place of it: a kettle beneath running water is filled.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import mujoco
import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose, Vector3
from sayso.core.scene import AttributeValue, SceneObject
from sayso.worlds.table.shapes.bodies import add_box
from sayso.worlds.table.shapes.pieces import Box
from sayso.worlds.things import Rgba, Thing
from sayso.worlds.truth import body_pose

_RELEASED = 0.5
"""Of the share at which a state changes: a joint has to come back to it before it counts again."""
_GLOW: Rgba = (1.0, 0.95, 0.45, 1)
_ARMATURES = {"slide": 0.05, "hinge": 0.005}
"""What a guide adds to what it guides [kg] or [kg m^2]."""
_KINDS = {"slide": mujoco.mjtJoint.mjJNT_SLIDE, "hinge": mujoco.mjtJoint.mjJNT_HINGE}


def _vector(values: Iterable[float]) -> Vector3:
    x, y, z = (float(v) for v in values)
    return x, y, z


@dataclass(frozen=True)
class Joint:
    """How a fixture moves: along an axis, or about one.

    Attributes:
        kind: `slide` or `hinge`.
        axis: in the world's frame.
        pivot: where a hinge's axis goes through, from the fixture's middle [m].
        travel: from where it is placed, [m] or [rad].
        attribute: its share of the travel is known of the thing by this name.
        spring: [N/m] or [Nm/rad], back to where it is placed.
        starts: shares of which a seed draws one.
    """

    kind: str
    axis: Vector3
    travel: float
    attribute: str
    friction: float = 0.0
    damping: float = 1.0
    spring: float = 0.0
    pivot: Vector3 = (0.0, 0.0, 0.0)
    starts: tuple[float, ...] = (0.0,)


@dataclass(frozen=True)
class Given:
    """A truth that a fixture gives to things at a place, for good: geometry, and no physics.

    Attributes:
        attribute: its name, such as `filled`; things alone that have such a state get it.
        at: the place, from the fixture's middle [m].
        radius_m: from the place, seen from above, to a thing's middle at most; the middle is lower
            than the place.
        needs: a state that a thing must have before, '' for none.
        holding: the category of something that must be inside it, '' for none.
    """

    attribute: str
    at: Vector3
    radius_m: float
    needs: str = ""
    holding: str = ""

    def reaches(self, fixture: Pose, thing: Pose) -> bool:
        """Whether a thing is at the place."""
        place = fixture @ Pose(self.at)
        x, y, z = (a - b for a, b in zip(thing.position, place.position, strict=True))
        return math.hypot(x, y) <= self.radius_m and z < 0.0


@dataclass(frozen=True)
class Driven:
    """A truth of a fixture that follows another's joint: not physics, and named so.

    Attributes:
        attribute: its name, such as `lit`.
        by: the other fixture.
        share: from this share of its travel on.
        toggles: changes each time that share is reached, rather than holding while it is.
        gives: what it gives to things while it is true.
        rgba: of the fixture while it is true.
    """

    attribute: str
    by: str
    share: float
    toggles: bool = False
    gives: Given | None = None
    rgba: Rgba = _GLOW


@dataclass(frozen=True)
class Fixture:
    """One of them; without a category it is no thing of the scene, and only stands there.

    Attributes:
        at: middle of its upright box, as it stands with its joint at 0 [m].
        size: of that box, which is what the scene shows of it.
        boxes: what it is made of, from `at`; by default the box itself.
        handle: where a hand takes or pushes it, as a box from `at`; by default the box itself.
        holds: `in` or `on` for what things are put into or on, else ''.
    """

    name: str
    category: str
    color: str
    rgba: Rgba
    at: Vector3
    size: Vector3
    boxes: tuple[Box, ...]
    handle: Box
    joint: Joint | None = None
    driven: Driven | None = None
    holds: str = ""


def fixture_from_data(data: Mapping[str, Any], paints: Mapping[str, Rgba]) -> Fixture:
    """A fixture of a scene's file. Raises KeyError, TypeError or ValueError for what is none."""
    size = _vector(data["size"])
    whole = {"size": size, "at": (0.0, 0.0, 0.0)}
    joint, driven = data.get("joint"), data.get("driven")
    if joint is not None:
        joint = Joint(
            **{
                **joint,
                "axis": _vector(joint["axis"]),
                "pivot": _vector(joint.get("pivot", (0.0, 0.0, 0.0))),
                "starts": tuple(joint.get("starts", (0.0,))),
            }
        )
        if joint.kind not in _KINDS:
            raise ValueError(f"a joint is one of {', '.join(_KINDS)}, not {joint.kind}")
    color, holds = str(data["color"]), str(data.get("holds", ""))
    if holds not in ("", "in", "on"):
        raise ValueError(f"things are held 'in' or 'on' a fixture, not '{holds}'")
    return Fixture(
        str(data["name"]),
        str(data.get("category", "")),
        color,
        paints[color],
        _vector(data["at"]),
        size,
        tuple(map(box_from_data, data.get("boxes", (whole,)))),
        box_from_data(data.get("handle", whole)),
        joint,
        None if driven is None else _driven(driven, paints),
        holds,
    )


def _driven(data: Mapping[str, Any], paints: Mapping[str, Rgba]) -> Driven:
    gives, shown = data.get("gives"), data.get("color")
    made = {k: v for k, v in data.items() if k not in ("gives", "color")}
    return Driven(
        **made,
        gives=None if gives is None else Given(**{**gives, "at": _vector(gives["at"])}),
        rgba=_GLOW if shown is None else paints[shown],
    )


def box_from_data(data: Mapping[str, Any]) -> Box:
    """A box with `size` and, from the middle of what it is of, `at` [m]."""
    return Box(
        "", _vector(v / 2 for v in data["size"]), Pose(_vector(data.get("at", (0.0, 0.0, 0.0))))
    )


def add_fixtures(spec: mujoco.MjSpec, fixtures: Iterable[Fixture]) -> None:
    """Bodies of their names, and joints named alike; joints alone guide what they guide."""
    added: list[str] = []
    for fixture in fixtures:
        body = spec.worldbody.add_body(name=fixture.name, pos=fixture.at)
        for box in fixture.boxes:
            add_box(body, box.half, box.pose, fixture.rgba)
        if fixture.joint is not None:
            _add_joint(body, fixture.name, fixture.joint)
            for other in added:
                spec.add_exclude(bodyname1=other, bodyname2=fixture.name)
        added.append(fixture.name)


def _add_joint(body: mujoco.MjsBody, name: str, joint: Joint) -> None:
    body.add_joint(
        name=name,
        type=_KINDS[joint.kind],
        axis=joint.axis,
        pos=joint.pivot,
        range=[0, joint.travel],
        damping=[joint.damping],
        frictionloss=joint.friction,
        stiffness=[joint.spring],
        armature=_ARMATURES[joint.kind],
    )
    body.mass, body.inertia, body.explicitinertial = 0.3, [1e-3] * 3, True
    body.gravcomp = 1.0  # its guide carries it


def is_inside(thing: Thing, pose: Pose, other: Pose) -> bool:
    """Whether another's middle is in the room of a thing."""
    if thing.room is None:
        return False
    x, y, z = (pose @ thing.room.pose).inverse().transform(np.array([other.position]))[0]
    a, b, c = thing.room.half
    return bool(abs(x) <= a and abs(y) <= b and abs(z) <= c)


class Fixtures:
    """The fixtures of a running simulation: where they stand, and what is driven.

    Args:
        model: its own, of which lamps change colour.
        things: may be given states, and may be inside one another.
    """

    def __init__(
        self,
        fixtures: tuple[Fixture, ...],
        model: mujoco.MjModel,
        data: mujoco.MjData,
        things: Iterable[Thing],
    ) -> None:
        self._model, self._data = model, data
        self._fixtures = {f.name: f for f in fixtures}
        self._drivers = [(f, f.driven) for f in fixtures if f.driven is not None]
        self._places = {
            f.name: int(model.joint(f.name).qposadr[0]) for f in fixtures if f.joint is not None
        }
        self._truths = dict.fromkeys((f.name for f, _ in self._drivers), False)
        self._reached = dict(self._truths)
        self._things = {t.name: t for t in things}
        self._given: set[tuple[str, str]] = set()

    def share(self, name: str) -> float:
        """How far along its travel a fixture is, 0 to 1. Raises INVALID for what does not move."""
        joint = self._joint(name)
        return min(1.0, max(0.0, float(self._data.qpos[self._places[name]]) / joint.travel))

    def put(self, name: str, share: float) -> None:
        """Set how far along its travel it is, at rest. Raises INVALID for what does not move."""
        self._data.qpos[self._places[name]] = self._joint(name).travel * share
        self._data.qvel[self._model.joint(name).dofadr[0]] = 0.0

    def start(self, shares: Mapping[str, float]) -> None:
        """A new start, each fixture where it is said; whatever toggles is off."""
        self._given.clear()
        for name in self._places:
            self.put(name, shares.get(name, 0.0))
        for fixture, driven in self._drivers:
            self._reached[fixture.name] = self.share(driven.by) >= driven.share
            self._set(fixture, self._reached[fixture.name] and not driven.toggles)

    def follow(self) -> None:
        """After each time step: what is driven follows the joints."""
        for fixture, driven in self._drivers:
            share, name = self.share(driven.by), fixture.name
            if share >= driven.share and not self._reached[name]:
                self._reached[name] = True
                self._set(fixture, not self._truths[name] or not driven.toggles)
            elif share < driven.share * (_RELEASED if driven.toggles else 1.0):
                if self._reached[name] and not driven.toggles:
                    self._set(fixture, False)
                self._reached[name] = False
            if driven.gives is not None and self._truths[name]:
                self._give(name, driven.gives)

    def given(self, thing: str) -> Mapping[str, AttributeValue]:
        """The states of a thing, by their names."""
        known = self._things.get(thing)
        return {s: (thing, s) in self._given for s in (known.states if known else ())}

    def _give(self, fixture: str, gives: Given) -> None:
        for name, thing in self._things.items():
            known = not gives.needs or (name, gives.needs) in self._given
            if (
                gives.attribute in thing.states
                and known
                and (name, gives.attribute) not in self._given
            ):
                here, there = (body_pose(self._data, n) for n in (fixture, name))
                if gives.reaches(here, there) and self._holding(thing, there, gives.holding):
                    self._given.add((name, gives.attribute))

    def _holding(self, thing: Thing, pose: Pose, category: str) -> bool:
        """Whether a thing of the category is inside one that is there."""
        inside = (t.name for t in self._things.values() if t.category == category)
        return not category or any(is_inside(thing, pose, body_pose(self._data, n)) for n in inside)

    def things(self, pose: Mapping[str, Pose]) -> tuple[SceneObject, ...]:
        """What the scene has of them. Args: pose: of each body in the world."""
        return tuple(
            SceneObject(
                f.name, f.category, f.color, pose[f.name].position, f.size,
                pose[f.name].orientation, last_seen_s=float(self._data.time),
                attributes=self._attributes(f),
            )
            for f in self._fixtures.values() if f.category
        )  # fmt: skip

    def _attributes(self, fixture: Fixture) -> Mapping[str, AttributeValue]:
        found: dict[str, AttributeValue] = {}
        if fixture.joint is not None:
            found[fixture.joint.attribute] = self.share(fixture.name)
        if fixture.driven is not None:
            found[fixture.driven.attribute] = self._truths[fixture.name]
        return found

    def _set(self, fixture: Fixture, truth: bool) -> None:
        self._truths[fixture.name] = truth
        body = self._model.body(fixture.name)
        first, count = int(body.geomadr[0]), int(body.geomnum[0])
        lit = _GLOW if fixture.driven is None else fixture.driven.rgba
        self._model.geom_rgba[first : first + count] = lit if truth else fixture.rgba

    def _joint(self, name: str) -> Joint:
        fixture = self._fixtures.get(name)
        if fixture is None or fixture.joint is None:
            raise SaySoError(
                Code.INVALID, f"there is no '{name}' that moves.", choices=self._places
            )
        return fixture.joint
