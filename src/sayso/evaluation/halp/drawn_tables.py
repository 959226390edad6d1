"""Tables drawn for the rows of `rows.yaml`, with shapes that no training has."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.evaluation.halp.end_states import so
from sayso.evaluation.halp.execution_rows import TaskRow
from sayso.worlds.table.layout import Layout, Placement, Surface, random_layout
from sayso.worlds.table.shapes.families import draw, seeds
from sayso.worlds.table.shapes.surface import sample
from sayso.worlds.table.table_scene import PAINTS, TableScene, drawn_thing
from sayso.worlds.table.table_world import TableWorld
from sayso.worlds.things import CABINET_POSITION, Thing

_SURFACE = Surface(0.0, (0.30, 0.62), (-0.36, 0.36))
_BLOCK_M = (0.036, 0.050)
_BLOCK_KG_M3 = 650.0
_DRAWS = 400
_ASIDE_M = 0.05
_NEARLY_M = 0.03
_RESTING_S = 1.0
_GAP_M = 0.002
_DEEP_M, _BESIDE_M = 0.01, 0.005
_POINTS = 800
_AWAY = Pose((0.0, 0.0, 0.6))


@dataclass(frozen=True)
class Table:
    """A drawn table.

    Attributes:
        instruction: what is asked.
        names: of the things, by their letters.
        stacked: what is so at first and has to be put so.
    """

    instruction: str
    names: Mapping[str, str]
    scene: TableScene
    stacked: Sequence[str]


def drawn(row: TaskRow, seed: int) -> Table:
    """A table for a row, with shapes that no training has.

    Raises:
        SaySoError: INVALID where there is no room for its things, or none fits into another.
    """
    rng = np.random.default_rng(seed)
    colors = [str(c) for c in rng.permutation([*PAINTS])]
    kinds = {a: str(rng.choice(list(of))) for a, of in row.things.items()}
    things = _things(row, kinds, colors, rng)
    stacked = [s for s in row.start if s.split()[0] in ("in", "on")]
    held_up = {s.split()[1] for s in stacked}
    standing = {a: t for a, t in things.items() if a not in held_up}
    beside = [s for s in row.start if s not in stacked]
    lacking = [s for s in row.ends if s not in row.start and s.split()[0] in ("left", "right")]
    places = dict(_places(standing, beside, lacking, rng))
    spoken = {a: f"{t.color} {t.category}" for a, t in things.items()}
    scene = TableScene(tuple(things.values()), False, Layout(places, CABINET_POSITION, 0.0))
    names = {a: t.name for a, t in things.items()}
    return Table(row.say.format(**spoken), names, scene, stacked)


def _things(
    row: TaskRow, kinds: Mapping[str, str], colors: Sequence[str], rng: np.random.Generator
) -> Mapping[str, Thing]:
    """By their letters; what shall be in another fits into it."""
    within = [s.split()[1:] for s in row.ends if s.split()[0] == "in"]
    for _ in range(_DRAWS):
        things = {
            a: _thing(f"{color}_{kind}", kind, color, rng)
            for (a, kind), color in zip(kinds.items(), colors, strict=False)
        }
        if all(_fits(things[a], things[b]) for a, b in within):
            return things
    raise SaySoError(Code.INVALID, f"in {_DRAWS} draws nothing fitted into {within}.")


def _fits(thing: Thing, other: Thing) -> bool:
    """Whether it would be in the other, as `end_states` says, though it is put beside its middle by
    as much as an arm may."""
    below_m = other.size[2] - _DEEP_M
    names, hand = {"a": "thing", "b": "other"}, RobotState(0.0, gripper=_AWAY)
    return all(
        so("in a b", names, Scene(0.0, (_at("thing", thing, x, below_m), outer), hand))
        for outer in (_at("other", other, 0.0, 0.0),)
        for x in (-_BESIDE_M, _BESIDE_M)
    )


def _at(name: str, thing: Thing, x: float, bottom: float) -> SceneObject:
    points = np.zeros((0, 3), np.float32)
    place = (x, 0.0, bottom + thing.size[2] / 2)
    if thing.drawn is not None:
        shape = draw(*thing.drawn)
        there = sample(shape, _POINTS, np.random.default_rng(0)).points + np.asarray(place)
        points = there.astype(np.float32)
    return SceneObject(name, thing.category, thing.color, place, thing.size, points=points)


def _thing(name: str, kind: str, color: str, rng: np.random.Generator) -> Thing:
    if kind != "block":
        return drawn_thing(name, kind, int(rng.choice(seeds("unseen"))), color)
    edge = float(rng.uniform(*_BLOCK_M))
    size, mass_kg = (edge, edge, edge), _BLOCK_KG_M3 * edge**3
    return Thing(name, kind, color, size, PAINTS[color], mass_kg, edge / 2**0.5)


def _places(
    things: Mapping[str, Thing],
    beside: Sequence[str],
    lacking: Sequence[str],
    rng: np.random.Generator,
) -> Mapping[str, Placement]:
    """Where things stand, by their names; those that shall be beside another are, and those that
    are to be put there are not."""

    def named(statements: Sequence[str]) -> list[tuple[str, str, str]]:
        return [(s, things[a].name, things[b].name) for s, a, b in map(str.split, statements)]

    for _ in range(_DRAWS):
        large_first = sorted(things.values(), key=lambda t: -t.clearance_m)
        spots = random_layout(rng, large_first, _SURFACE).placements
        if all(_aside_m(side, spots[a], spots[b]) > _ASIDE_M for side, a, b in named(beside)) and (
            not any(_is_beside(side, spots[a], spots[b]) for side, a, b in named(lacking))
        ):
            return spots
    raise SaySoError(Code.INVALID, f"in {_DRAWS} draws nothing stood as it shall: {beside}.")


def _aside_m(side: str, a: Placement, b: Placement) -> float:
    return (1.0 if side == "left" else -1.0) * (a.y - b.y)


def _is_beside(side: str, a: Placement, b: Placement) -> bool:
    """Whether it is, or nearly, as `end_states` says."""
    return _aside_m(side, a, b) > abs(a.x - b.x) - _NEARLY_M


def stack(table: Table, world: TableWorld) -> None:
    """Puts things in and on each other, and lets them come to rest."""
    for relation, a, b in map(str.split, table.stacked):
        now = {o.name: o for o in world.truth()}
        over, size = now[table.names[b]], _size(table, a)
        x, y, z = over.position
        height = over.size[2] / 2 if relation == "on" else _floor(over)
        world.move(table.names[a], (x, y, z + height + size[2] / 2 + _GAP_M))
        world.step(_RESTING_S)


def _size(table: Table, letter: str) -> tuple[float, float, float]:
    return next(t.size for t in table.scene.things if t.name == table.names[letter])


def _floor(receptacle: SceneObject) -> float:
    """Height of what a thing comes to lie on in the middle of a receptacle, from its middle [m]."""
    points = receptacle.pose.inverse().transform(receptacle.points.astype(float))
    middle = points[np.hypot(points[:, 0], points[:, 1]) < 0.02]
    return float(middle[:, 2].max())
