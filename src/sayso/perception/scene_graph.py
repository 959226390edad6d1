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
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import permutations

import numpy as np
import numpy.typing as npt
from scipy.spatial import ConvexHull, cKDTree

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Vector3
from sayso.core.scene import Scene, SceneObject
from sayso.perception.relations import RelationThresholds, is_above, is_in, seen_by
from sayso.perception.settings import TABLE, GroundingSettings
from sayso.perception.shapes import thin
from sayso.perception.viewpoints import FrameOfReference

DIRECTIONS = (
    "behind", "behind left", "left", "before left", "before", "before right", "right",
    "behind right",
)  # fmt: skip
"""Counter-clockwise for the viewer, from straight beyond; the odd ones are diagonal."""

RELATIONS = (
    "in", "contains", "on", "above", "under", "left", "right", "before", "behind", "diagonal",
)  # fmt: skip

_FEWEST = 30  # points that tell of walls
_MOST = 1500  # points that are looked at
_SECTORS = 24
_AROUND = 0.7  # share of the directions in which walls are seen
_RIM_M = 0.005
_RIM_SHARE = 0.25  # of the other's height: shallower than this is on a dish, not in it
_ABOVE_FLOOR = 0.4  # of the way from underside to rim: points above it are of walls
_BESIDE_M = 0.02  # around a thing, which hides what it stands on
_HANGS_M = 0.012
_THINNEST_M = 0.001


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
        if math.hypot(left, beyond) < self.settings.thresholds.side_m:
            return None
        if thing in self.group(other) or other in self.group(thing):
            return None
        return DIRECTIONS[round(math.atan2(left, beyond) / (math.pi / 4)) % 8]

    def holder(self, name: str) -> str | None:
        """What a thing is on, else what it is in; None where it stands or is carried by itself."""
        return self.supports.get(name) or self.containers.get(name)

    def held_by(self, name: str) -> tuple[str, ...]:
        """What a thing is the `holder` of, in the scene's order."""
        return tuple(n for n in self.things if self.holder(n) == name)

    def group(self, name: str) -> tuple[str, ...]:
        """A thing and all that goes with it when it is moved."""
        self._thing(name)
        found = [name]
        for holder in found:
            found += self.held_by(holder)
        return tuple(found)

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


def scene_graph(scene: Scene, settings: GroundingSettings = TABLE) -> SceneGraph:
    """The graph of a scene; what the hand carries is in and on nothing."""
    bodies = [_Body(thing) for thing in scene.objects]
    over = _over(bodies)
    containers: dict[_Body, _Body] = {}
    supports: dict[_Body, _Body] = {}
    drawers = [b for b in bodies if b.slides]
    for body in bodies:
        near = dict.fromkeys((*over[body], *drawers))
        holders = [b for b in near if body.is_in(b) and body not in (b, *_chain(b, containers))]
        if holders:
            containers[body] = min(holders, key=lambda b: b.size)
    for body in bodies:
        inside = _chain(body, containers)
        # What is in a thing rests on its floor, or on what is in it too.
        within = [b for b in over[body] if set(inside) <= set(_chain(b, containers))]
        below = [b for b in within if b.low < body.low]
        hangs = not inside and body.low - scene.table_height_m > settings.touching_m
        support = body.support(below, settings.touching_m, hangs=hangs)
        if support is not None and body not in _holders(support, containers, supports):
            supports[body] = support
    return SceneGraph(
        scene,
        {a.name: b.name for a, b in containers.items()},
        {a.name: b.name for a, b in supports.items()},
        _above(bodies, over, containers, supports, settings),
        settings,
    )


def _above(
    bodies: Sequence[_Body],
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
            if is_above(body.thing, (b.thing,), settings.thresholds, settings.frame)
        ]  # fmt: skip
        found[body.name] = frozenset(
            b.name for b in (*higher, *_chain(body, supports))
            if b not in _chain(body, containers) and body not in _chain(b, containers)
        )  # fmt: skip
    return found


def _over(bodies: Sequence[_Body]) -> _Pairs:
    """By body the others that its centre is over, seen from above."""
    if not bodies:
        return {}
    centres = np.array([b.thing.position for b in bodies])
    within = np.array([b.footprint(centres, 0.0) for b in bodies])
    np.fill_diagonal(within, False)
    return {b: [bodies[j] for j in np.flatnonzero(within[:, i])] for i, b in enumerate(bodies)}


def _chain(body: _Body, links: _Links) -> list[_Body]:
    """What it is linked to, what that is linked to, and so on."""
    found: list[_Body] = []
    while (body_next := links.get(found[-1] if found else body)) is not None:
        found.append(body_next)
    return found


def _holders(body: _Body, containers: _Links, supports: _Links) -> list[_Body]:
    """A body and whatever holds it, in any way."""
    found = [body]
    for holder in found:
        both = (containers.get(holder), supports.get(holder))
        found += [b for b in both if b is not None and b not in found]
    return found


class _Body:
    """One thing with what is asked of it often; `size` orders things by their outlines."""

    def __init__(self, thing: SceneObject) -> None:
        self.thing, self.name = thing, thing.name
        # A thing that was measured flat still has an outline.
        corners = replace(thing, size=_thick(thing.size)).corners()
        self.low, self.high = float(corners[:, 2].min()), float(corners[:, 2].max())
        self.points: Array = thin(thing.points, _MOST).astype(float)
        self.slides = "opening_m" in thing.attributes  # a drawer: its tray is in its cabinet
        outline = ConvexHull(corners[:, :2])
        self._sides: Array = outline.equations  # outward normals (x, y) and offsets
        self.size = (float(outline.volume), thing.name)

    def is_in(self, other: _Body) -> bool:
        """Whether it is deep enough below the other's rim, and walls surround it."""
        if self.thing.carried or self.low < other.low - _RIM_M:
            return False
        if self.size > other.size and not other.slides:
            return False
        if other.slides or len(other.points) < _FEWEST:
            return is_in(self.thing, (other.thing,), RelationThresholds(), FrameOfReference())
        depth = other.high - self.low
        if depth < max(_RIM_M, _RIM_SHARE * (other.high - other.low)):
            return False
        walls = other.points[other.points[:, 2] > self.low + _ABOVE_FLOOR * depth]
        return self._surrounded(walls[~self.footprint(walls, 0.0)])

    def _surrounded(self, walls: Array) -> bool:
        """Whether there are points (N, 3) in most directions from the centre, seen from above."""
        away = walls[:, :2] - self.thing.position[:2]
        turns = np.arctan2(away[:, 1], away[:, 0]) / (2 * np.pi) * _SECTORS
        return len(np.unique(np.floor(turns))) >= _AROUND * _SECTORS

    def support(self, below: Sequence[_Body], gap: float, *, hangs: bool) -> _Body | None:
        """Which of the bodies it stands on, else hangs on if it may hang; None in the air."""
        if self.thing.carried:
            return None
        tops = {b: top for b in below if (top := b.top_under(self, gap)) is not None}
        touched = [b for b, top in tops.items() if self.low - top <= gap]
        if touched:
            return max(touched, key=lambda b: tops[b])
        return next((b for b in below if hangs and b.touches(self)), None)

    def top_under(self, other: _Body, gap: float) -> float | None:
        """Height [m] of what it offers the other to stand on; None where it offers nothing there.

        The other hides its own place, so that points close around that place count.
        """
        if not len(self.points):
            return self.high if self.high <= other.low + gap else None
        close = other.footprint(self.points, _BESIDE_M)
        heights = self.points[close & (self.points[:, 2] <= other.low + gap), 2]
        return float(heights.max()) if len(heights) else None

    def touches(self, other: _Body) -> bool:
        """Whether the two clouds come close to each other anywhere."""
        if not (len(self.points) and len(other.points)):
            return False
        distances, _ = cKDTree(other.points).query(self.points, distance_upper_bound=_HANGS_M)
        return bool(np.isfinite(distances).any())

    def footprint(self, points: Array, margin_m: float) -> npt.NDArray[np.bool_]:
        """Which points (N, 3) are over or under its box, widened by a margin."""
        beyond = points[:, :2] @ self._sides[:, :2].T + self._sides[:, 2]
        return np.asarray((beyond <= margin_m).all(axis=1))


def _thick(size: Vector3) -> Vector3:
    x, y, z = (max(s, _THINNEST_M) for s in size)
    return x, y, z


_Pairs = Mapping[_Body, Sequence[_Body]]
_Links = Mapping[_Body, _Body]
