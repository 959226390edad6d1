"""Tables of drawn shapes whose relations are known by how they were put together."""

from __future__ import annotations

from dataclasses import dataclass, field, replace

import numpy as np

from sayso.core.geometry import Pose, quaternion_from_matrix
from sayso.core.scene import Scene, SceneObject
from sayso.worlds.table.shapes.families import SEEDS, Block, Plate, draw
from sayso.worlds.table.shapes.pieces import Shape
from sayso.worlds.table.shapes.surface import sample

ROOTS = ("mug", "bottle", "bowl", "tray", "box", "rack", "book", "shelf", "sink", "plate", "block")
_HUNG = Pose((0, 0, 0), quaternion_from_matrix(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0.0]])))
_LYING = Pose((0, 0, 0), quaternion_from_matrix(np.array([[0, 0, 1], [0, 1, 0], [-1, 0, 0.0]])))
_SHELVED = Pose((0, 0, 0), quaternion_from_matrix(np.array([[0, 1, 0], [0, 0, -1], [-1, 0, 0.0]])))
_AREA_M = ((0.15, 0.80), (-0.50, 0.50))
_ROOM_M = 0.03
_POINTS = 900


@dataclass(frozen=True)
class Placed:
    """One thing as it truly is, and what holds it and how: `in` or `on`."""

    name: str
    shape: Shape
    pose: Pose
    holder: str = ""
    how: str = ""
    carried: bool = False
    visible: bool = True


@dataclass
class Table:
    """What was put where, in turn."""

    rng: np.random.Generator
    things: list[Placed] = field(default_factory=list)

    def put(self, family: str, shape: Shape, pose: Pose, **facts) -> Placed:
        count = sum(t.shape.family == family for t in self.things)
        name = family if not count else f"{family}_{count + 1}"
        shape = replace(shape, rgb=tuple(self.rng.uniform(0.1, 0.8, 3)))
        self.things.append(Placed(name, shape, pose, **facts))
        return self.things[-1]

    def hold(self, family: str, shape: Shape, at: Pose, holder: Placed, how: str) -> Placed:
        """`at` is where the shape's frame is in the holder's."""
        return self.put(family, shape, holder.pose @ at, holder=holder.name, how=how)

    def scene(self) -> Scene:
        """With true boxes and clouds."""
        seen = (_object(t, self.rng) for t in self.things)
        return Scene(0.0, tuple(seen))


def generated(seed: int) -> Table:
    """Three to six things on a table, many of them with something in or on them."""
    rng = np.random.default_rng([seed, 77])
    table = Table(rng)
    taken: list[tuple[float, float, float]] = []
    for family in rng.choice(ROOTS, int(rng.integers(3, 7)), replace=False):
        shape = _shape(str(family), rng)
        if (spot := _spot(shape, taken, rng)) is None:
            continue
        turned = Pose((0, 0, 0), _yaw(float(rng.uniform(-np.pi, np.pi))))
        root = table.put(str(family), shape, Pose((*spot, shape.size[2] / 2), turned.orientation))
        _fill(table, root)
    if rng.random() < 0.3:
        _carry(table)
    return table


def _fill(table: Table, root: Placed) -> None:
    fill = _FILLS.get(root.shape.family)
    if fill is not None and table.rng.random() < 0.75:
        fill(table, root)


def _block(rng: np.random.Generator, low: float = 0.018, high: float = 0.026) -> Shape:
    edge = float(rng.uniform(low, high))
    return Block((edge, edge, edge), 0.02).made()


def _in_hollow(table: Table, root: Placed) -> None:
    block = _block(table.rng)
    floor = -root.shape.size[2] / 2 + 0.007
    placed = table.hold("block", block, Pose((0, 0, floor + block.size[2] / 2)), root, "in")
    if table.rng.random() < 0.5:  # deep inside, so that no camera may see it
        table.things[-1] = replace(placed, visible=False)


def _in_tray(table: Table, root: Placed) -> None:
    floor = root.shape.frames["floor"].position[2]
    aside = root.shape.size[0] / 4
    for x in (-aside, aside)[: int(table.rng.integers(1, 3))]:
        family = str(table.rng.choice(["mug", "block", "bottle", "book"]))
        shape = _block(table.rng, 0.03, 0.045) if family == "block" else _drawn(family, table.rng)
        turn, height = Pose(), shape.size[2]
        if family == "bottle":
            turn, height = Pose((0, 0, 0), _yaw(np.pi / 2)) @ _LYING, shape.size[0]
        if family == "book":
            turn = Pose((0, 0, 0), _yaw(np.pi / 2))
        if _long(shape, family) > root.shape.size[1] - 0.03 or 2 * aside < shape.size[1] + 0.02:
            continue
        held = table.hold(family, shape, Pose((x, 0, floor + height / 2)) @ turn, root, "in")
        if family == "mug" and table.rng.random() < 0.5:
            _in_hollow(table, held)


def _long(shape: Shape, family: str) -> float:
    return shape.size[2] if family == "bottle" else shape.size[0]


def _on_top(table: Table, root: Placed) -> None:
    """A block or two on each other, or a mug, or on a book another one."""
    rng, top = table.rng, root.shape.size[2] / 2
    x = -root.shape.size[0] / 5 if root.shape.family == "box" else 0.0
    family = str(rng.choice(["block", "mug", "book"]))
    if family != "block" and root.shape.family in ("book", "plate", "box"):
        shape = _drawn(family, rng)
        if family == "mug" or root.shape.family == "book":
            held = table.hold(family, shape, Pose((x, 0, top + shape.size[2] / 2)), root, "on")
            _fill(table, held) if family == "mug" else None
            return
    holder = root
    for _ in range(int(rng.integers(1, 3))):
        block, top = _block(rng, 0.035, 0.05), holder.shape.size[2] / 2
        at = Pose((x if holder is root else 0.0, 0, top + block.size[2] / 2))
        holder = table.hold("block", block, at, holder, "on")


def _on_pegs(table: Table, root: Placed) -> None:
    pegs = [n for n in root.shape.frames if n.startswith("peg")]
    for peg in pegs[: int(table.rng.integers(1, 3))]:
        mug = _drawn("mug", table.rng)
        loop = mug.frames["handle"].position
        reach = Pose((0.010, 0, 0))  # the loop's outer bar rests on the peg
        at = root.shape.frames[peg] @ _HUNG @ Pose(tuple(-c for c in loop)) @ reach.inverse()
        table.hold("mug", mug, at, root, "on")


def _in_slots(table: Table, root: Placed) -> None:
    slots = [n for n in root.shape.frames if n.startswith("slot")]
    for slot in slots[: int(table.rng.integers(1, 3))]:
        book = _drawn("book", table.rng)
        at = root.shape.frames[slot] @ Pose((0, 0, book.size[0] / 2)) @ _SHELVED
        table.hold("book", book, at, root, "in")


def _carry(table: Table) -> None:
    """A block in the hand, high over one of the things."""
    under = table.things[int(table.rng.integers(len(table.things)))]
    x, y, _ = under.pose.position
    table.put("block", _block(table.rng), Pose((x, y, 0.45)), carried=True)


_FILLS = {
    "mug": _in_hollow,
    "bowl": _in_hollow,
    "tray": _in_tray,
    "sink": _in_tray,
    "box": _on_top,
    "book": _on_top,
    "plate": _on_top,
    "block": _on_top,
    "rack": _on_pegs,
    "shelf": _in_slots,
}


def _shape(family: str, rng: np.random.Generator) -> Shape:
    if family == "block":
        return _block(rng, 0.04, 0.055)
    if family == "plate":
        return Plate(float(rng.uniform(0.08, 0.11)), 0.012, 0.3).made()
    return _drawn(family, rng)


def _drawn(family: str, rng: np.random.Generator) -> Shape:
    return draw(family, int(rng.integers(SEEDS)))


def _spot(shape: Shape, taken: list, rng: np.random.Generator) -> tuple[float, float] | None:
    """A free place for the upright shape, noted as taken."""
    radius = float(np.hypot(*shape.size[:2])) / 2 + (0.06 if shape.family == "mug" else 0.02)
    for x, y in zip(rng.uniform(*_AREA_M[0], 60), rng.uniform(*_AREA_M[1], 60), strict=True):
        if all(np.hypot(x - a, y - b) > radius + r + _ROOM_M for a, b, r in taken):
            taken.append((x, y, radius))
            return float(x), float(y)
    return None


def _yaw(angle: float):
    return (0.0, 0.0, float(np.sin(angle / 2)), float(np.cos(angle / 2)))


def _object(thing: Placed, rng: np.random.Generator) -> SceneObject:
    points = thing.pose.transform(sample(thing.shape, _POINTS, rng).points)
    return SceneObject(
        thing.name,
        thing.shape.family,
        "",
        thing.pose.position,
        thing.shape.size,
        thing.pose.orientation,
        visible=thing.visible,
        carried=thing.carried,
        points=points.astype(np.float32),
    )
