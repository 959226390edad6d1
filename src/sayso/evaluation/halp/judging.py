"""Whether a taught skill did what it should, by the true shapes alone.

It knows nothing of learning: it gets where the tool went and how wide the fingers were. What lies
between the fingers when they close goes with the hand; the hand and what it holds may not pass
through anything.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import cv2
import numpy as np

from sayso.core.geometry import Array, Pose, Vector3, rotation_matrix
from sayso.worlds.table.placed import Placed
from sayso.worlds.table.shapes.pieces import Box, Capsule, Cylinder
from sayso.worlds.table.shapes.surface import sample

_HOLDING = ("take", "empty")
"""After these tasks the thing is in the hand."""
_LIFTED_M = 0.04
_BETWEEN_FINGERS = [(x, 0.0, z) for x in (-0.01, 0.0, 0.01) for z in (-0.02, -0.01, 0.0)]
"""Points in the tool's frame."""
_SPILLS_DEG, _EMPTIES_DEG = 60, 110
"""From its tilt on something may fall out of a mug; from the second on all does."""
_FALL_M = 0.15
"""From at most so high above a bin."""
_SLIDES_M = 0.010
"""So far the fingers may slide along a knob that they hold, or aside."""
_TIPS_DEG = 10
"""A box that leans more does not stand."""
_LEANS_DEG = 30
"""A thin book may lean so far in a broad slot."""

Pinch = tuple[Pose, float]
"""Where the tool is and how wide the fingers are [m]."""

Solid = Box | Cylinder | Capsule

_POINTS = 3000
_DEEP_M = 0.002
"""Things may reach so far into each other: shapes are sampled, and plastic gives."""
_TABLE_GIVES_M = 0.004
_FEW = 3
_FINGER = np.array([[-0.010, 0.010], [0.004, 0.016], [-0.045, 0.004]])
"""A finger's box in the tool's frame, y from its inner face outwards [m].

A thing that stands gives way by some millimetres to a finger that slides along it.
"""
_PALM = np.array([[-0.030, 0.030], [-0.100, 0.100], [-0.170, -0.105]])
_PAD = np.array([[-0.010, 0.010], [-0.040, 0.040], [-0.020, 0.004]])
"""Between the fingertips: what is there when they close is held."""
_CLOSING_M = 1e-4


@dataclass(frozen=True)
class Judgement:
    """Whether it was done, and if not, why not."""

    done: bool
    why: str = ""


class _FailedError(Exception):
    """What the hand did cannot be."""


def judge(task: str, things: Mapping[str, Placed], course: Sequence[Pinch]) -> Judgement:
    """Of a task of `hand_plans.PLANS`, by where the hand went."""
    try:
        after = _played(things, course, task in _HOLDING)
    except _FailedError as failed:
        return Judgement(False, str(failed))
    return judge_end(task, after, course[-1])


def judge_end(task: str, things: Mapping[str, Placed], hand: Pinch) -> Judgement:
    """Of a task of `hand_plans.PLANS`, by where things and the hand came to be."""
    ends = {"hang": _hung, "lay": _laid, "shelve": _shelved, "empty": _poured, "open": _opened}
    try:
        if task == "take":
            _taken_by_handle(things, hand)
        else:
            ends[task](things)
    except _FailedError as failed:
        return Judgement(False, str(failed))
    return Judgement(True)


def judge_emptied(inner: Vector3, waste: Placed) -> Judgement:
    """Whether what was in a mug, now at a place, came to lie in a bin."""
    x, y, z = waste.pose.inverse().transform(np.array([inner]))[0]
    length, width, height = waste.shape.size
    if abs(x) < length / 2 and abs(y) < width / 2 and abs(z) < height / 2:
        return Judgement(True)
    return Judgement(False, "what was in the mug is not in the bin")


def _played(
    things: Mapping[str, Placed], course: Sequence[Pinch], holds: bool
) -> dict[str, Placed]:
    """Where things are in the end. The first of them is what is handled.

    Args:
        holds: whether it is to be in the hand then.
    """
    now = dict(things)
    name = next(iter(things))
    clouds = {n: _cloud(p, number) for number, (n, p) in enumerate(things.items())}
    grip: Pose | None = None
    took = course[0][0]
    before = course[0][1]
    for index, (tool, width_m) in enumerate(course):
        thing = now[name]
        if grip is not None:
            if thing.shape.hinge is None:
                thing = now[name] = replace(thing, pose=tool @ grip)
            else:
                thing = now[name] = _turned(things[name], took, tool)
                clouds[name] = _cloud(thing, 0)
            _require_apart(thing, clouds[name], [p for n, p in now.items() if n != name])
            if "bin" in now:
                _require_nothing_spilt(now)
        _require_free_hand(tool, max(width_m, _gap_m(thing, clouds[name], tool, width_m, grip)),
                           [(p, clouds[n]) for n, p in now.items()])  # fmt: skip
        closed = width_m < before - _CLOSING_M and not _closes_on(course, index)
        if closed and grip is None:
            thing = now[name] = _pinched(thing, clouds[name], tool)
            grip, took = tool.inverse() @ thing.pose, tool
        elif width_m > before + _CLOSING_M:
            grip = None
        before = width_m
    if grip is not None and not holds:
        raise _FailedError("it was never let go")
    if now[name] == things[name]:
        raise _FailedError("it was never taken")
    return now


def _closes_on(course: Sequence[Pinch], index: int) -> bool:
    """Whether the fingers go on closing after this."""
    return index + 1 < len(course) and course[index + 1][1] < course[index][1] - _CLOSING_M


def _cloud(thing: Placed, number: int) -> Array:
    return sample(thing.shape, _POINTS, np.random.default_rng([17, number])).points


def _in_tool(thing: Placed, cloud: Array, tool: Pose) -> Array:
    return (tool.inverse() @ thing.pose).transform(cloud)


def _within(points: Array, box: Array) -> np.typing.NDArray[np.bool_]:
    return np.asarray(((points > box[:, 0]) & (points < box[:, 1])).all(axis=1))


def _gap_m(thing: Placed, cloud: Array, tool: Pose, width_m: float, grip: Pose | None) -> float:
    """How wide the fingers are kept open by what is between them."""
    points = _in_tool(thing, cloud, tool)
    between = points[_within(points, _PAD)]
    if len(between) <= _FEW or (grip is None and width_m > np.ptp(between[:, 1])):
        return 0.0
    return float(2 * np.abs(between[:, 1]).max()) + 0.001


def _pinched(thing: Placed, cloud: Array, tool: Pose) -> Placed:
    """The thing after the fingers closed on it, and so centred it between them."""
    points = _in_tool(thing, cloud, tool)
    between = points[_within(points, _PAD)]
    if len(between) <= _FEW:
        raise _FailedError("the fingers closed on nothing")
    if thing.shape.hinge is not None:
        return thing  # its lid alone is taken, and its weight keeps the rest where it is
    middle = (between[:, 1].min() + between[:, 1].max()) / 2
    shift = rotation_matrix(tool.orientation)[:, 1] * -middle
    x, y, z = (float(v) for v in np.asarray(thing.pose.position) + shift)
    return replace(thing, pose=Pose((x, y, z), thing.pose.orientation))


def _turned(thing: Placed, took: Pose, tool: Pose) -> Placed:
    """A thing with its lid as the hand turned it, that took it closed; along its knob the fingers
    may slide a little."""
    hinge = thing.shape.hinge
    assert hinge is not None
    to_thing = thing.pose.inverse()
    (_, *before), (_, *after) = (hinge.around((to_thing @ t).position) for t in (took, tool))
    if float(np.abs(np.subtract(after, before)).max()) > _SLIDES_M:
        raise _FailedError(f"the hand left the way that the lid of the {thing.shape.family} goes")
    return thing.opened(thing.turned_rad(took, tool))


def _require_free_hand(tool: Pose, width_m: float, things: Sequence[tuple[Placed, Array]]) -> None:
    """Neither fingers nor palm are inside a thing."""
    for thing, cloud in things:
        points = _in_tool(thing, cloud, tool)
        folded = np.column_stack([points[:, 0], np.abs(points[:, 1]) - width_m / 2, points[:, 2]])
        for what, box, where in (("fingers", _FINGER, folded), ("palm", _PALM, points)):
            inner = box + np.array([_DEEP_M, -_DEEP_M])
            if _within(where, inner).sum() > _FEW:
                raise _FailedError(f"the {what} struck the {thing.shape.family}")


def _require_apart(thing: Placed, cloud: Array, others: Sequence[Placed]) -> None:
    """What is held passes through nothing, the table at z = 0 included."""
    points = thing.pose.transform(cloud)
    if (points[:, 2] < -_TABLE_GIVES_M).sum() > _FEW:
        raise _FailedError(f"the {thing.shape.family} was pushed into the table")
    for other in others:
        local = other.pose.inverse().transform(points)
        deep = np.max([_depth_m(piece, local) for piece in _solid(other)], axis=0)
        if (deep > _DEEP_M).sum() > _FEW:
            raise _FailedError(f"the {thing.shape.family} went through the {other.shape.family}")


def _solid(thing: Placed) -> list[Solid]:
    return [p for p in thing.shape.pieces if isinstance(p, Box | Cylinder | Capsule)]


def _depth_m(piece: Solid, points: Array) -> Array:
    """(N,) how deep points are inside a piece; less than 0 outside."""
    if isinstance(piece, Box):
        local = piece.pose.inverse().transform(points)
        return np.asarray((np.asarray(piece.half) - np.abs(local)).min(axis=1))
    if isinstance(piece, Cylinder):
        away = points - np.asarray(piece.centre)
        side = piece.radius - np.hypot(away[:, 0], away[:, 1])
        return np.asarray(np.minimum(side, piece.half_height - np.abs(away[:, 2])))
    start, along = np.asarray(piece.start), np.subtract(piece.end, piece.start)
    share = np.clip((points - start) @ along / (along @ along), 0, 1)
    away_m = np.linalg.norm(points - start - share[:, None] * along, axis=1)
    return np.asarray(piece.radius - away_m)


def _hung(things: Mapping[str, Placed]) -> None:
    """A peg goes through the loop of the mug's handle, not at its very tip."""
    mug, rack = things["mug"], things["rack"]
    to_mug = mug.pose.inverse() @ rack.pose
    rods = [p for p in mug.shape.pieces if isinstance(p, Capsule)]
    loop = np.array([rods[0].start, *(r.end for r in rods)])[:, [0, 2]]
    for peg in rack.shape.pieces:
        if isinstance(peg, Capsule):
            tip, root = to_mug.transform(np.array([peg.end, peg.start]))
            share = tip[1] / (tip[1] - root[1]) if tip[1] != root[1] else -1.0
            place = tip + share * (root - tip)
            length = float(np.linalg.norm(root - tip))
            spot = (float(place[0]), float(place[2]))
            inside = cv2.pointPolygonTest(loop.astype(np.float32), spot, False) > 0
            if 0.01 / length < share < 1.0 and inside:
                return
    raise _FailedError("no peg goes through the handle")


def _taken_by_handle(things: Mapping[str, Placed], hand: Pinch) -> None:
    """The mug is off the table, and the fingers are closed on a rod of its handle."""
    mug, (tool, width_m) = things["mug"], hand
    if mug.pose.transform(_cloud(mug, 0))[:, 2].min() < _LIFTED_M:
        raise _FailedError("the mug is not off the table")
    pad = (mug.pose.inverse() @ tool).transform(np.array(_BETWEEN_FINGERS))
    rods = [p for p in mug.shape.pieces if isinstance(p, Capsule)]
    if max(float(_depth_m(rod, pad).max()) for rod in rods) < 0:
        raise _FailedError("the handle is not between the fingers")
    if width_m > 3 * rods[0].radius:
        raise _FailedError("the fingers are not closed on the handle")


def _laid(things: Mapping[str, Placed]) -> None:
    """The bottle lies on the tray's floor, within its walls."""
    bottle, tray = things["bottle"], things["tray"]
    axis = rotation_matrix(bottle.pose.orientation)[:, 2]
    if abs(float(np.degrees(np.arcsin(np.clip(axis[2], -1, 1))))) > 15:
        raise _FailedError("the bottle does not lie")
    points = (tray.pose.inverse() @ bottle.pose).transform(_cloud(bottle, 0))
    length, width, _ = tray.shape.size
    if (np.abs(points[:, 0]) > length / 2).any() or (np.abs(points[:, 1]) > width / 2).any():
        raise _FailedError("the bottle reaches out of the tray")
    floor = tray.shape.frames["floor"].position[2]
    if not -0.003 < points[:, 2].min() - floor < 0.02:
        raise _FailedError("the bottle was not let go on the floor of the tray")


def _opened(things: Mapping[str, Placed]) -> None:
    """The lid is turned up beyond the upright, where it stays, and the box stands."""
    box = things["box"]
    if rotation_matrix(box.pose.orientation)[2, 2] < np.cos(np.radians(_TIPS_DEG)):
        raise _FailedError("the box was tipped over")
    lid = next(p for p in box.shape.pieces if isinstance(p, Box) and p.part == "lid")
    if rotation_matrix(lid.pose.orientation)[2, 2] > 0.0:
        raise _FailedError("the lid fell shut")


def _require_nothing_spilt(things: Mapping[str, Placed]) -> None:
    """What is in the mug leaves it over the bin only."""
    if _tilt_deg(things["mug"]) > _SPILLS_DEG and not _over_opening(things):
        raise _FailedError("what was in the mug was spilt")


def _poured(things: Mapping[str, Placed]) -> None:
    """The mug is tilted so far that nothing stays in it, its rim low over the bin."""
    if _tilt_deg(things["mug"]) < _EMPTIES_DEG:
        raise _FailedError("the mug is not tilted enough")
    if not _over_opening(things):
        raise _FailedError("the mug is not over the bin")


def _tilt_deg(thing: Placed) -> float:
    up = rotation_matrix(thing.pose.orientation)[2, 2]
    return float(np.degrees(np.arccos(np.clip(up, -1, 1))))


def _over_opening(things: Mapping[str, Placed]) -> bool:
    """Whether the lowest point of the mug's rim is over the bin's inside, not too high."""
    mug, waste = things["mug"], things["bin"]
    around = np.linspace(0, 2 * np.pi, 60)
    radius, top = mug.shape.size[0] / 2, mug.shape.size[2] / 2
    rim = np.column_stack([radius * np.cos(around), radius * np.sin(around), top + 0 * around])
    lip = min(mug.pose.transform(rim), key=lambda p: float(p[2]))
    x, y, z = waste.pose.inverse().transform(lip[None])[0]
    length, width, height = waste.shape.size
    return bool(abs(x) < length / 2 and abs(y) < width / 2 and 0 < z - height / 2 < _FALL_M)


def _shelved(things: Mapping[str, Placed]) -> None:
    """The book stands between two of the shelf's walls, on its floor, most of it inside."""
    book, shelf = things["book"], things["shelf"]
    to_shelf = shelf.pose.inverse() @ book.pose
    thick, up = rotation_matrix(to_shelf.orientation)[:, 1:].T
    if up[2] < np.cos(np.radians(_LEANS_DEG)):
        raise _FailedError("the book does not stand")
    points = to_shelf.transform(_cloud(book, 0))
    depth, width, _ = shelf.shape.size
    if not -0.003 < points[:, 2].min() - shelf.shape.frames["slot_1"].position[2] < 0.015:
        raise _FailedError("the book is not on the floor of the shelf")
    inside = points[(np.abs(points[:, 0]) < depth / 2) & (np.abs(points[:, 1]) < width / 2)]
    if len(inside) < len(points) / 2:
        raise _FailedError("most of the book is out of the shelf")
    if abs(thick[1]) < np.cos(np.radians(_LEANS_DEG)):
        raise _FailedError("the book stands across the slots")
