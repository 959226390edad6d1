"""What a person does to show a skill, in words of places: the true shapes are known.

The tool's z is the approach, its y the direction in which the fingers close.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sayso.core.geometry import Array, Pose, Vector3
from sayso.skills.poses import moved
from sayso.worlds.table.placed import Placed
from sayso.worlds.table.shapes.families import draw
from sayso.worlds.table.shapes.pieces import Capsule, Shape, about_z

OPEN_M = 0.08
_RIM_OPEN_M = 0.05
"""Of the fingers about a rim: wider open, they would strike the other side of a small mug."""
_GRASP_DEEP_M = 0.015
_LIFT_M = 0.14
_HANDLE_DEEP_M = 0.008
"""Below the top of a handle its upper bar is between the fingers."""
_FROM_END_M = 0.025
"""So far from its end a book is taken."""
_HANDLE_LEAN_DEG = 50
"""From straight down, of the hand that takes a handle in its middle."""
_TILT_DEG, _OVER_BIN_M = 125, 0.03
"""How far a mug is tilted to be emptied, and how high over a bin its rim is then."""
_KNOB_SHARE = 0.6
"""So far up its knob a lid is taken."""
_OPENED_DEG, _WITH_LID = 100, 0.3
"""How far a lid is turned up, and the share of that which the hand turns: the knob slips in it."""
_OUT_M, _FROM_BACK_M = 0.050, 0.012
"""A book's end stays so far out of the shelf, and the other one so far from the shelf's back."""


@dataclass(frozen=True)
class Touch:
    """What the fingers do at a place."""

    primitive: str
    width_m: float
    thing: str


@dataclass(frozen=True)
class Turn:
    """About an axis, the z of a frame in the scene, by an angle; the hand turns itself by a share
    of that."""

    axis: Pose
    rad: float
    share: float

    def of(self, start: Pose, part: float = 1.0) -> Pose:
        """Where a pose is after a part of the turn."""
        local, rad = self.axis.inverse() @ start, part * self.rad
        x, y, z = about_z(rad).transform(np.array([local.position]))[0].tolist()
        turned = about_z(self.share * rad) @ Pose((0.0, 0.0, 0.0), local.orientation)
        return self.axis @ Pose((x, y, z), turned.orientation)


@dataclass(frozen=True)
class Via:
    """A place on the hand's way.

    Attributes:
        exact: whether it matters although nothing is taken or let go.
        freedom: how far the way there may stray, 0 to 1.
        slack_m: along this the place may be shifted either way.
        pushes: what the closed hand moves before it on the way there.
        joints: of a guided arm there [rad], whatever they were before; empty: as it comes.
        turn: of what is held on a hinge: the way there is an arc about it from wherever it begins.
    """

    tool: Pose
    touch: Touch | None = None
    exact: bool = False
    freedom: float = 1.0
    slack_m: Vector3 = (0.0, 0.0, 0.0)
    pushes: str = ""
    joints: tuple[float, ...] = ()
    turn: Turn | None = None


@dataclass(frozen=True)
class HandPlan:
    """What the person says, the families of the things by parameter, and where the hand goes.

    Attributes:
        effect: what is true afterwards, over `?a`, `?b`, as the person calls it.
        inside: the parameter in which something small lies at first; '' for none.
    """

    words: str
    effect: str
    families: Mapping[str, str]
    vias: Callable[[Mapping[str, Placed]], list[Via]]
    open_m: float = OPEN_M
    inside: str = ""

    @property
    def categories(self) -> dict[str, str]:
        """What the things are called, by parameter."""
        return {p: draw(family, 0).family for p, family in self.families.items()}


def _hang(things: Mapping[str, Placed]) -> list[Via]:
    """Taken by the rim opposite the handle; the loop goes over a peg from its tip."""
    mug, rack = things["mug"], things["rack"]
    x, z = np.eye(3)[[0, 2]]
    radius = mug.shape.size[0] / 2
    rim = np.array([-radius + 0.0025, 0.0, mug.shape.size[2] / 2 - _GRASP_DEEP_M])
    grasp = mug.pose @ tool_at(rim, -z, x)
    peg = used_peg(rack)
    up = _perpendicular(z, peg[:, 0])
    loop = np.eye(4)
    loop[:3, 0], loop[:3, 1], loop[:3, 2] = up, peg[:, 0], np.cross(up, peg[:, 0])
    loop[:3, 3] = peg[:, 3] + 0.004 * up
    hung = Pose.from_matrix(loop) @ mug.shape.frames["handle"].inverse()
    grip = mug.pose.inverse() @ grasp
    outside = moved(hung, 0.10 * peg[:, 0]) @ grip
    clear = moved(hung @ grip, -0.12 * _approach(hung @ grip))
    take = Touch("grasp", 0.005, mug.name)
    give = Touch("place", _RIM_OPEN_M, mug.name)
    along = tuple(float(v) for v in 0.006 * peg[:, 0])
    return [
        Via(moved(grasp, 0.10 * z)),
        Via(grasp, take, freedom=0.3),
        Via(moved(grasp, _LIFT_M * z), freedom=0.05),
        Via(outside, exact=True),
        Via(hung @ grip, give, freedom=0.1, slack_m=(along[0], along[1], along[2])),
        Via(clear, freedom=0.2),
    ]


def _lay(things: Mapping[str, Placed]) -> list[Via]:
    """Taken from the robot's side, turned until the hand points down, and laid along the tray."""
    bottle, tray = things["bottle"], things["tray"]
    z = np.eye(3)[2]
    away = np.array([*bottle.pose.position[:2], 0.0])
    away /= np.linalg.norm(away)
    radius, height = bottle.shape.size[0] / 2, bottle.shape.size[2]
    middle = np.array([*bottle.pose.position[:2], 0.42 * height])
    grasp = tool_at(middle, away, np.cross(z, away))
    along = _axis_away(tray)
    floor = tray.pose @ tray.shape.frames["floor"]
    middle_off = 0.08 * height  # the hand is below the bottle's middle, which is to be the tray's
    spot = np.asarray(floor.position) + (radius + 0.003) * z - middle_off * along
    laid = tool_at(spot, -z, np.cross(z, along))
    take = Touch("grasp", 2 * radius, bottle.name)
    give = Touch("place", OPEN_M, bottle.name)
    slack = 0.01 * along
    return [
        Via(moved(grasp, -0.10 * away)),
        Via(grasp, take, freedom=0.3),
        Via(moved(grasp, _LIFT_M * z), freedom=0.05),
        Via(moved(laid, _LIFT_M * z), exact=True),
        Via(laid, give, freedom=0.1, slack_m=(float(slack[0]), float(slack[1]), 0.0)),
        Via(moved(laid, _LIFT_M * z), freedom=0.2),
    ]


def _shelve(things: Mapping[str, Placed]) -> list[Via]:
    """Taken from above near the end towards the robot, let down into a slot with that end out."""
    book, shelf = things["book"], things["shelf"]
    z = np.eye(3)[2]
    along = _axis_away(book)
    length, _, height = book.shape.size
    at = np.asarray(book.pose.position)
    end = at - (length / 2 - _FROM_END_M) * along
    grasp = tool_at(end + (height / 2 - _GRASP_DEEP_M) * z, -z, np.cross(z, along))
    slot = _used_slot(shelf)
    depth = shelf.shape.size[0]
    out = np.array([*slot[:2, 0], 0.0])
    reaches = max(depth / 2 + _OUT_M, length - depth / 2 + _FROM_BACK_M)
    spot = slot[:, 3] + (reaches - _FROM_END_M) * out + (height - _GRASP_DEEP_M + 0.004) * z
    shelved = tool_at(spot, -z, np.cross(z, -out))
    up = (shelf.shape.size[2] + 0.03) * z
    take = Touch("grasp", 0.015, book.name)
    give = Touch("place", OPEN_M, book.name)
    return [
        Via(moved(grasp, 0.10 * z)),
        Via(grasp, take, freedom=0.3),
        Via(moved(grasp, _LIFT_M * z), freedom=0.05),
        Via(moved(shelved, up), exact=True),
        Via(shelved, give, freedom=0.05),
        Via(moved(shelved, _LIFT_M * z), freedom=0.2),
    ]


def _take(things: Mapping[str, Placed]) -> list[Via]:
    """Taken from above by the upper part of the handle, and held up."""
    mug = things["mug"]
    y, z = np.eye(3)[1:]
    handle = np.array(mug.shape.frames["handle"].position)
    rods = [p for p in mug.shape.pieces if isinstance(p, Capsule)]
    top = max(p[2] for rod in rods for p in (rod.start, rod.end))
    bar = np.array([handle[0], 0.0, top - _HANDLE_DEEP_M])
    grasp = mug.pose @ tool_at(bar, -z, y)
    take = Touch("grasp", 2 * rods[0].radius, mug.name)
    return [
        Via(moved(grasp, 0.10 * z)),
        Via(grasp, take, freedom=0.3),
        Via(moved(grasp, _LIFT_M * z), freedom=0.05),
    ]


def _empty(things: Mapping[str, Placed]) -> list[Via]:
    """Taken by the handle from outside and above, carried upright, tilted over the bin, and held
    so."""
    mug, waste = things["mug"], things["bin"]
    x, y, z = np.eye(3)
    rods = [p for p in mug.shape.pieces if isinstance(p, Capsule)]
    bar = max((p for rod in rods for p in (rod.start, rod.end)), key=lambda p: p[0])
    middle = np.array([bar[0], 0.0, mug.shape.frames["handle"].position[2]])
    lean = np.radians(_HANDLE_LEAN_DEG)
    grip = tool_at(middle, -np.sin(lean) * x - np.cos(lean) * z, y)
    grasp = mug.pose @ grip
    rim_m = np.array([mug.shape.size[0] / 2, mug.shape.size[2] / 2])
    poured = _poured(waste, lean, rim_m)
    over = Pose(poured.position, _turned_with(poured, grip, mug.pose).orientation)
    back = _approach(grasp)
    take = Touch("grasp", 2 * rods[0].radius, mug.name)
    return [
        Via(moved(grasp, -0.10 * back)),
        Via(grasp, take, freedom=0.3),
        Via(moved(grasp, _LIFT_M * z), freedom=0.05),
        Via(over @ grip, exact=True),
        Via(poured @ grip, exact=True, freedom=0.1),
    ]


def _poured(waste: Placed, lean: float, rim_m: Array) -> Pose:
    """The mug tilted so that its rim's lowest point is over the middle of a bin, and so that the
    hand, which holds its handle at a slant, points away from the robot.

    Args:
        rim_m: (radius, height above the mug's middle) of the rim.
    """
    tilt, z = np.radians(_TILT_DEG), np.eye(3)[2]
    opening = waste.pose @ waste.shape.frames["opening"]
    there = np.asarray(opening.position)
    away = np.array([*there[:2], 0.0]) / np.linalg.norm(there[:2])
    back = -np.cos(lean) / np.sin(tilt)
    aside = back * away + np.sqrt(1.0 - back**2) * np.cross(z, away)
    axis = np.sin(tilt) * aside + np.cos(tilt) * z
    m = np.eye(4)
    m[:3, 2], m[:3, 0] = axis, -(away + np.cos(lean) * axis) / np.sin(lean)
    m[:3, 1] = np.cross(axis, m[:3, 0])
    lowest = rim_m[1] * axis - rim_m[0] * _perpendicular(z, axis)
    m[:3, 3] = there + _OVER_BIN_M * z - lowest
    return Pose.from_matrix(m)


def _turned_with(poured: Pose, grip: Pose, stood: Pose) -> Pose:
    """The mug upright, turned about z so that the hand points as nearly as it can to where it will
    when the mug is tilted."""
    towards = np.arctan2(*_approach(poured @ grip)[1::-1])
    now = np.arctan2(*_approach(stood @ grip)[1::-1])
    half = float(towards - now) / 2
    turn = Pose((0.0, 0.0, 0.0), (0.0, 0.0, float(np.sin(half)), float(np.cos(half))))
    return turn @ Pose((0.0, 0.0, 0.0), stood.orientation)


def _open(things: Mapping[str, Placed]) -> list[Via]:
    """The lid is taken by its knob, from above, and turned up beyond the upright, where it stays.

    It is held loosely, so that the knob turns between the fingers.
    """
    box = things["box"]
    y, z = np.eye(3)[1:]
    hinge, knob = box.shape.hinge, lid_knob(box.shape)
    assert hinge is not None
    top = np.asarray(knob.start) + _KNOB_SHARE * np.subtract(knob.end, knob.start)
    grasp = box.pose @ tool_at(top, -z, y)
    turn = Turn(box.pose @ hinge.frame, float(np.radians(_OPENED_DEG)), _WITH_LID)
    turned = turn.of(grasp)
    take = Touch("grasp", 2 * knob.radius, box.name)
    give = Touch("place", OPEN_M, box.name)
    return [
        Via(moved(grasp, 0.10 * z)),
        Via(grasp, take, freedom=0.3),
        Via(turned, give, turn=turn),
        Via(moved(turned, -0.12 * _approach(turned)), freedom=0.2),
    ]


def lid_knob(shape: Shape) -> Capsule:
    """What a lid is taken by."""
    return next(p for p in shape.pieces if isinstance(p, Capsule) and p.part == "lid_handle")


PLANS: Mapping[str, HandPlan] = {
    "hang": HandPlan(
        "hang the mug on the rack by its handle",
        "hanging_on(?a, ?b)",
        {"mug": "mug", "rack": "rack"},
        _hang,
        _RIM_OPEN_M,
    ),
    "lay": HandPlan(
        "lay the bottle sideways in the tray",
        "laid_in(?a, ?b)",
        {"bottle": "bottle", "tray": "tray"},
        _lay,
    ),
    "shelve": HandPlan(
        "shelve the book in the shelf",
        "shelved_in(?a, ?b)",
        {"book": "upright_book", "shelf": "shelf"},
        _shelve,
    ),
    "take": HandPlan(
        "take the mug by its handle",
        "taken_by_handle(?a)",
        {"mug": "mug"},
        _take,
    ),
    "empty": HandPlan(
        "empty the mug into the bin",
        "emptied_into(?a, ?b)",
        {"mug": "mug", "bin": "waste_bin"},
        _empty,
        inside="mug",
    ),
    "open": HandPlan(
        "open the box's lid",
        "opened(?a)",
        {"box": "box"},
        _open,
    ),
}
"""What the person can show, by name."""


def used_peg(rack: Placed) -> Array:
    """The frame (3, 4) in the world of the peg that points most towards the robot."""
    towards = -np.asarray(rack.pose.position)
    return max(_parts(rack), key=lambda m: float(m[:, 0] @ towards))


def _used_slot(shelf: Placed) -> Array:
    """The frame (3, 4) in the world of the slot that is nearest to the robot."""
    return min(_parts(shelf), key=lambda m: float(np.linalg.norm(m[:2, 3])))


def _parts(thing: Placed) -> list[Array]:
    return [(thing.pose @ f).matrix()[:3] for f in thing.shape.frames.values()]


def _axis_away(thing: Placed) -> Array:
    """The long axis of a thing that stands upright, pointing away from the robot."""
    axis = thing.pose.matrix()[:3, 0]
    return axis if axis @ np.asarray(thing.pose.position) > 0 else -axis


def tool_at(position: Array, approach: Array, closing: Array) -> Pose:
    """The tool at a place [m], by two unit vectors: where it points, how its fingers close."""
    m = np.eye(4)
    m[:3, 0], m[:3, 1], m[:3, 2] = np.cross(closing, approach), closing, approach
    m[:3, 3] = position
    return Pose.from_matrix(m)


def _approach(tool: Pose) -> Array:
    return tool.matrix()[:3, 2]


def _perpendicular(v: Array, axis: Array) -> Array:
    """The part of a vector that is perpendicular to a unit axis, as a unit vector."""
    rest = v - (v @ axis) * axis
    return np.asarray(rest / np.linalg.norm(rest))
