"""The graph of a scene: what is in, on, above and beside what.

Contact and containment are told from the things' clouds, from their boxes where no cloud is at
hand. A thing is *in* another whose walls surround it on most sides and rise above its underside;
it is *on* another that it touches from above or hangs on. Where one thing is beside another is
told in eight directions of a `FrameOfReference`, diagonals included, as in "Lifelong Robot Learning
with Human Assisted Language Planners" (Parakh et al. 2023, appendix A4), which this follows in the
kinds of its relations. Hidden things keep the places that they are remembered at.
"""

from __future__ import annotations

import math
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import permutations

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.scene import Scene, SceneObject
from sayso.perception.contact import Body
from sayso.perception.relations import is_above, seen_by
from sayso.perception.settings import TABLE, GroundingSettings

DIRECTIONS = (
    "behind", "behind left", "left", "before left", "before", "before right", "right",
    "behind right",
)  # fmt: skip
"""Counter-clockwise for the viewer, from straight beyond; the odd ones are diagonal."""

RELATIONS = (
    "in", "contains", "on", "above", "under", "left", "right", "before", "behind", "diagonal",
)  # fmt: skip


@dataclass(frozen=True)
class Edge:
    """`thing` stands in a relation of `RELATIONS` or `DIRECTIONS` to `other`."""

    thing: str
    relation: str
    other: str


@dataclass(frozen=True)
class SceneGraph:
    """What `scene_graph` finds.

    Attributes:
        scene: what it is of.
        containers: by the name of a thing what it is directly in.
        supports: by the name of a thing what it rests or hangs on, the table and the floor of
            what it is in left out.
        above: by the name of a thing all that it is above, be it on it or higher.
        settings: what places mean.
    """

    scene: Scene
    containers: Mapping[str, str]
    supports: Mapping[str, str]
    above: Mapping[str, frozenset[str]]
    settings: GroundingSettings = TABLE

    @cached_property
    def things(self) -> Mapping[str, SceneObject]:
        """By name, in the scene's order."""
        return self.scene.by_name()

    def holds(self, relation: str, thing: str, other: str) -> bool:
        """Whether a relation of `RELATIONS` or `DIRECTIONS` holds between two things.

        What is in a mug that is in a tray is in the tray, too.

        Raises:
            SaySoError: INVALID for an unknown relation, UNKNOWN_OBJECT for an unknown thing.
        """
        direction = self.direction(thing, other)
        if relation in DIRECTIONS:
            return direction == relation
        if relation not in RELATIONS:
            choices = dict.fromkeys((*RELATIONS, *DIRECTIONS))
            text = f"a scene graph has no relation '{relation}'."
            raise SaySoError(Code.INVALID, text, choices=choices)
        return {
            "in": other in self._around(thing),
            "contains": thing in self._around(other),
            "on": self.supports.get(thing) == other,
            "above": other in self.above[thing],
            "under": thing in self.above[other],
            "diagonal": direction is not None and " " in direction,
        }[relation]

    def direction(self, thing: str, other: str) -> str | None:
        """The one of `DIRECTIONS` in which a thing is from another.

        None between what is held and what holds it, and where the two are in one place.

        Raises:
            SaySoError: UNKNOWN_OBJECT for an unknown thing.
        """
        left, beyond = seen_by(self._thing(thing), self._thing(other), self.settings.frame)
        if math.hypot(left, beyond) < self.settings.places.side_m:
            return None
        if thing in self.group(other) or other in self.group(thing):
            return None
        return DIRECTIONS[round(math.atan2(left, beyond) / (math.pi / 4)) % 8]

    def holder(self, name: str) -> str | None:
        """What a thing is on, else what it is in; None where it stands or is carried by itself."""
        return self.supports.get(name) or self.containers.get(name)

    def held_by(self, name: str) -> tuple[str, ...]:
        """What a thing is the `holder` of, in the scene's order."""
        return self._held.get(name, ())

    def group(self, name: str) -> tuple[str, ...]:
        """A thing and all that goes with it when it is moved."""
        self._thing(name)
        found = [name]
        for holder in found:
            found += self.held_by(holder)
        return tuple(found)

    @cached_property
    def _held(self) -> Mapping[str, tuple[str, ...]]:
        """By name what a thing is the holder of, if it is of any."""
        held: dict[str, tuple[str, ...]] = {}
        for name in self.things:
            if (holder := self.holder(name)) is not None:
                held[holder] = (*held.get(holder, ()), name)
        return held

    @cached_property
    def roots(self) -> tuple[str, ...]:
        """The things that nothing else holds, in the scene's order."""
        return tuple(n for n in self.things if self.holder(n) is None)

    def edges(self) -> Iterator[Edge]:
        """Containment, contact, what else is above what, and directions between the roots."""
        yield from (Edge(thing, "in", other) for thing, other in self.containers.items())
        yield from (Edge(thing, "on", other) for thing, other in self.supports.items())
        for thing, below in self.above.items():
            higher = sorted(below - {self.supports.get(thing, "")})
            yield from (Edge(thing, "above", other) for other in higher)
        for thing, other in permutations(self.roots, 2):
            if direction := self.direction(thing, other):
                yield Edge(thing, direction, other)

    def _thing(self, name: str) -> SceneObject:
        if name not in self.things:
            raise SaySoError(
                Code.UNKNOWN_OBJECT, f"nothing in the scene is '{name}'.", choices=self.things
            )
        return self.things[name]

    def _around(self, name: str) -> tuple[str, ...]:
        """All things that a thing is in, from the innermost on."""
        found: list[str] = []
        while (inside := self.containers.get(found[-1] if found else name)) is not None:
            found.append(inside)
        return tuple(found)


def scene_graph(
    scene: Scene, settings: GroundingSettings = TABLE, enclosing: Container[str] | None = None
) -> SceneGraph:
    """The graph of a scene; what the hand carries is in and on nothing.

    Args:
        enclosing: categories of things that others can be in; None for any, as their clouds
            tell. Among furniture clouds do not: a chair is under a table, not in it.
    """
    bodies = [Body(thing) for thing in scene.objects]
    over = _over(bodies)
    containers = _containers(over, enclosing)
    supports = _supports(over, containers, scene.table_height_m, settings)
    return SceneGraph(
        scene,
        {a.name: b.name for a, b in containers.items()},
        {a.name: b.name for a, b in supports.items()},
        _above(bodies, over, containers, supports, settings),
        settings,
    )


def _containers(over: _Pairs, enclosing: Container[str] | None) -> dict[Body, Body]:
    """By body the smallest that it is in; a drawer's tray is beyond the drawer's box."""
    found: dict[Body, Body] = {}
    drawers = [b for b in over if b.slides]
    for body, near in over.items():
        around = dict.fromkeys((*near, *drawers))
        able = [b for b in around if enclosing is None or b.thing.category in enclosing]
        holders = [b for b in able if body.is_in(b) and body not in (b, *_chain(b, found))]
        if holders:
            found[body] = min(holders, key=lambda b: b.size)
    return found


def _supports(
    over: _Pairs, containers: _Links, ground: float, settings: GroundingSettings
) -> dict[Body, Body]:
    """By body what it stands on; by those that would fall what they hang on."""
    found: dict[Body, Body] = {}
    falling = []
    for body, near in over.items():
        inside = _chain(body, containers)
        # What is in a thing rests on its floor, or on what is in it too.
        within = [b for b in near if set(inside) <= set(_chain(b, containers))]
        low = body.low - ground <= settings.places.touching_m
        # What stands on a floor stands among legs, too; on a table it may be on a mat.
        floor = low and settings.places.table_is_a_thing
        support = None if floor else body.stands_on(within, settings.places.touching_m)
        if support is not None and body not in _holders(support, containers, found):
            found[body] = support
        elif not inside and not low:
            falling.append(body)
    for body in falling:
        hook = body.hangs_on([b for b in over[body] if b not in falling])
        if hook is not None and body not in _holders(hook, containers, found):
            found[body] = hook
    return found


def _above(
    bodies: Sequence[Body],
    over: _Pairs,
    containers: _Links,
    supports: _Links,
    settings: GroundingSettings,
) -> dict[str, frozenset[str]]:
    """Resting on it, on what rests on it, or over it by the comparator; what is in is not."""
    found = {}
    for body in bodies:
        near = (*over[body], *(b for b in bodies if body in over[b]))
        higher = [
            b for b in near
            if is_above(body.thing, (b.thing,), settings.places, settings.frame)
        ]  # fmt: skip
        found[body.name] = frozenset(
            b.name for b in (*higher, *_chain(body, supports))
            if b not in _chain(body, containers) and body not in _chain(b, containers)
        )  # fmt: skip
    return found


def _over(bodies: Sequence[Body]) -> _Pairs:
    """By body the others that its centre is over, seen from above: that of its box or cloud.

    A box that was fitted to a thing that hangs askew may be off, a cloud shows one side only.
    """
    if not bodies:
        return {}
    boxes = np.array([b.thing.position for b in bodies])
    clouds = np.array([b.middle for b in bodies])
    within = np.array([b.footprint(boxes, 0.0) | b.footprint(clouds, 0.0) for b in bodies])
    np.fill_diagonal(within, False)
    return {b: [bodies[j] for j in np.flatnonzero(within[:, i])] for i, b in enumerate(bodies)}


def _chain(body: Body, links: _Links) -> list[Body]:
    """What it is linked to, what that is linked to, and so on."""
    found: list[Body] = []
    while (body_next := links.get(found[-1] if found else body)) is not None:
        found.append(body_next)
    return found


def _holders(body: Body, containers: _Links, supports: _Links) -> list[Body]:
    """A body and whatever holds it, in any way."""
    found = [body]
    for holder in found:
        both = (containers.get(holder), supports.get(holder))
        found += [b for b in both if b is not None and b not in found]
    return found


_Pairs = Mapping[Body, Sequence[Body]]
_Links = Mapping[Body, Body]
