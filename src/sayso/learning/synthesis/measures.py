"""The numbers that programs compare, each with its Python text and with words for it.

A measure is a number about the scene, one object or two. It may hold only under guards, such as
"a's centre is between b's sides". Tolerances have a usual value where physics gives one: things
that touch are seen a few millimetres apart. Nothing here knows a domain's things or sizes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array
from sayso.learning.synthesis.tables import Bools, SceneTable

Numbers = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Words:
    """What people say where a measure is beyond its limit.

    Attributes:
        phrases: separated by ';', without the objects.
        usual: the limit where labels leave it open; None if only labels can tell.
        something, nothing: said of an object where another thing, or none, stands so to it, if
            that is more than "something ..." before a phrase.
        swapped: said with the two objects the other way round.
        into: said of an object that stands so to some other, where "something" is left out.
    """

    phrases: str = ""
    usual: float | None = None
    something: str = ""
    nothing: str = ""
    swapped: str = ""
    into: str = ""


@dataclass(frozen=True)
class Guard:
    """A condition without a tolerance of its own that labels could fit.

    Attributes:
        arity: number of objects that it is about.
        truth: (n, ..., n) for a scene of n objects.
        code: Python, with `{0}`, `{1}` for variables.
        english: a clause with the same places.
        helper: Python of a function that the code calls, or ''.
        words: what people say where it holds, for one that programs use by itself.
    """

    name: str
    arity: int
    truth: Callable[[SceneTable], Bools] = lambda _: np.zeros((), bool)
    code: str = ""
    english: str = ""
    helper: str = ""
    words: Words = Words()


@dataclass(frozen=True)
class Measure:
    """A number that is compared with a limit.

    Attributes:
        value: (n, ..., n), one axis for each object.
        code, english: of the number, with `{0}`, `{1}`.
        constant: name of its limit in Python.
        guards: with the places of their arguments among the measure's.
        below, above: words for either side; None where that side means nothing.
        unit: of the number.
    """

    name: str
    arity: int
    value: Callable[[SceneTable], Numbers]
    code: str
    english: str
    constant: str
    guards: tuple[tuple[Guard, tuple[int, ...]], ...] = ()
    below: Words | None = None
    above: Words | None = None
    unit: str = "m"

    def side(self, below: bool) -> Words | None:
        return self.below if below else self.above


def split(text: str) -> tuple[str, ...]:
    """The phrases of a text."""
    return tuple(p.strip() for p in text.split(";") if p.strip())


def _difference(values: Array, others: Array) -> Numbers:
    """(n, n) first minus second."""
    return np.asarray(values[:, None] - others[None, :], float)


def _over(table: SceneTable) -> Bools:
    centre = table.position[:, None, :2]
    inside = (table.low[None, :, :2] < centre) & (centre < table.high[None, :, :2])
    return np.asarray(inside.all(-1))


def _within(table: SceneTable) -> Bools:
    left = table.low[:, None, :2] > table.low[None, :, :2] - 0.01
    right = table.high[:, None, :2] < table.high[None, :, :2] + 0.01
    return np.asarray((left & right).all(-1))


def _nearest(table: SceneTable) -> Bools:
    distance = table.gripper_distance
    return np.asarray(distance <= distance.min(initial=np.inf))


_CLOSED_M = 0.003


def _closed(table: SceneTable) -> Bools:
    return np.asarray(table.gripper_width < table.gripper_max_width - _CLOSED_M)


def _apart(table: SceneTable) -> Array:
    """(n, n, 3) by how much boxes are apart along each axis; negative where they overlap."""
    one_way = table.low[:, None, :] - table.high[None, :, :]
    return np.asarray(np.maximum(one_way, one_way.transpose(1, 0, 2)))


def _volume(table: SceneTable) -> Numbers:
    return np.asarray(table.size.prod(-1))


ON = "on; on top of; onto; upon; rests on; lies on; stands on; stacked on; placed on; put on"
_ON_TABLE = (
    "on table; on the table; rests on table; placed on table; put on table; lies on the table"
)
IN = "in; into; inside; inside of; within; contained in; put in; placed in"
HELD = (
    "held by the gripper; the gripper holds; holding; in the gripper; in hand; in the hand; "
    "grasped; the robot holds; carried by the gripper; held"
)
_FREE = (
    "gripper empty; hand empty; the hand is empty; the gripper is empty; gripper free; hand free; "
    "the gripper holds nothing; hand open"
)
_BUSY = "gripper occupied; gripper already holds something; hand full; has an object in hand"
_GRASPABLE = (
    "graspable; can be grasped; small enough to be grasped by the gripper; fits in the gripper; "
    "narrow enough for the gripper; not too wide for the gripper; can be picked up"
)
_BIG = "large; big; roomy; spacious; large enough; big enough; has room"

OVER = Guard(
    "over",
    2,
    _over,
    "_over(scene, {0}, {1})",
    "{0}'s centre is between {1}'s sides",
    '''def _over(scene, a, b):
    """Whether a's centre is between b's sides, seen from above."""
    x, y, _ = scene.position(a)
    low, high = scene.low(b), scene.high(b)
    return low[0] < x < high[0] and low[1] < y < high[1]
''',
)
WITHIN = Guard(
    "within",
    2,
    _within,
    "_within(scene, {0}, {1})",
    "{0} is between {1}'s sides",
    '''def _within(scene, a, b):
    """Whether a's box is between b's sides, seen from above, or sticks out by 1 cm at most."""
    low, high, sides_low, sides_high = scene.low(a), scene.high(a), scene.low(b), scene.high(b)
    return all(sides_low[i] - 0.01 < low[i] and high[i] < sides_high[i] + 0.01 for i in (0, 1))
''',
)
UP = Guard(
    "up",
    2,
    lambda t: _difference(t.position[:, 2], t.position[:, 2]) > 0,
    "scene.position({0})[2] > scene.position({1})[2]",
    "{0}'s centre is higher than {1}'s",
)
NOT_SUNK = Guard(
    "not_sunk",
    2,
    lambda t: _difference(t.low[:, 2], t.low[:, 2]) > -0.01,
    "scene.bottom({0}) > scene.bottom({1}) - 0.01",
    "{0} is not below {1}",
)
NEAREST = Guard(
    "nearest",
    1,
    _nearest,
    "_nearest(scene, {0})",
    "{0} is the nearest thing to the fingertips",
    '''def _nearest(scene, a):
    """Whether nothing is nearer to the fingertips than a."""
    reach = scene.gripper_distance(a)
    return all(reach <= scene.gripper_distance(b) for b in scene.objects())
''',
)
CLOSED = Guard(
    "closed",
    0,
    _closed,
    f"scene.gripper_width < scene.gripper_max_width - {_CLOSED_M}",
    "the hand is not fully open",
)
SENSES_WATER = Guard(
    "senses_water", 1, lambda t: t.senses_water, "scene.senses_water({0})", "water is sensed in {0}"
)
OPENS = Guard("opens", 1, lambda t: t.opens, "scene.opens({0})", "{0} is of a kind that opens")
CARRIED = Guard(
    "carried",
    1,
    lambda t: t.carried,
    "scene.carried({0})",
    "{0} is carried",
    words=Words(HELD, something=_BUSY, nothing=_FREE),
)
FLAGS: Mapping[str, Guard] = {g.name: g for g in (CARRIED, OPENS, OVER, NEAREST, CLOSED)}
"""Conditions that programs may use by themselves."""

_FITS = "narrower than; fits on; fits in; fits into; smaller than"


def _along(axis: int, name: str, constant: str, before: str, beyond: str) -> Measure:
    """How far one thing is beyond another along an axis of the scene."""
    return Measure(
        f"along_{name}",
        2,
        lambda t: _difference(t.position[:, axis], t.position[:, axis]),
        f"scene.position({{0}})[{axis}] - scene.position({{1}})[{axis}]",
        f"how far {{0}} is beyond {{1}} along {name}",
        constant,
        below=Words(before, -0.02),
        above=Words(beyond, 0.02),
    )


def _larger(axis: int, name: str, smaller: str, larger: str) -> Measure:
    """How much larger one thing is than another along an axis of their own."""
    return Measure(
        name,
        2,
        lambda t: _difference(t.size[:, axis], t.size[:, axis]),
        f"scene.size({{0}})[{axis}] - scene.size({{1}})[{axis}]",
        f"how much {name} {{0}} is than {{1}}",
        name.upper(),
        below=Words(smaller, 0.0),
        above=Words(larger, 0.0),
    )


_ALL = (
    Measure(
        "hand_closing",
        0,
        lambda t: np.asarray(t.gripper_max_width - t.gripper_width),
        "scene.gripper_max_width - scene.gripper_width",
        "how far the hand is closed",
        "CLOSING",
        below=Words(_FREE, 0.003),
        above=Words(_BUSY, 0.003),
    ),
    Measure(
        "spare_grip",
        1,
        lambda t: np.asarray(t.gripper_max_width - t.size[:, :2].min(-1)),
        "scene.gripper_max_width - min(scene.size({0})[0], scene.size({0})[1])",
        "how much wider the hand opens than {0}'s narrow side",
        "SPARE",
        above=Words(_GRASPABLE, 0.002),
    ),
    Measure(
        "width",
        1,
        lambda t: t.size[:, 0],
        "scene.size({0})[0]",
        "the width of {0}",
        "WIDTH",
        below=Words("narrow; narrow enough; slim; small"),
        above=Words("wide; wide enough; broad; roomy; " + _BIG),
    ),
    Measure(
        "depth",
        1,
        lambda t: t.size[:, 1],
        "scene.size({0})[1]",
        "the depth of {0}",
        "DEPTH",
        below=Words("shallow; narrow"),
        above=Words("deep; wide"),
    ),
    Measure(
        "height",
        1,
        lambda t: t.size[:, 2],
        "scene.size({0})[2]",
        "the height of {0}",
        "HEIGHT",
        below=Words("thin; thin enough; flat; flat enough; low; low enough; short"),
        above=Words("tall; tall enough; high; thick"),
    ),
    Measure(
        "volume",
        1,
        _volume,
        "scene.size({0})[0] * scene.size({0})[1] * scene.size({0})[2]",
        "the volume of {0}",
        "VOLUME",
        below=Words("small; little; tiny; small enough; light"),
        above=Words("large; big; huge; bulky; heavy"),
        unit="m^3",
    ),
    Measure(
        "above_table",
        1,
        lambda t: t.low[:, 2] - t.table_height,
        "scene.bottom({0}) - scene.table_height",
        "the height of {0}'s underside above the table",
        "TABLE_GAP",
        below=Words(_ON_TABLE, 0.006),
        above=Words("lifted; raised; in the air; off the table; above the table", 0.03),
    ),
    Measure(
        "water",
        1,
        lambda t: t.water,
        "scene.water({0})",
        "the water in {0}",
        "WATER",
        guards=((SENSES_WATER, (0,)),),
        above=Words(
            "has water; contains water; filled with water; water in it; holds water; "
            "full of water; full; wet",
            0.005,
        ),
        unit="l",
    ),
    Measure(
        "gripper_distance",
        1,
        lambda t: t.gripper_distance,
        "scene.gripper_distance({0})",
        "the fingertips' distance from {0}",
        "REACH",
        below=Words("near the gripper; close to the gripper; at the gripper", 0.05),
        above=Words("far from the gripper; out of reach", 0.05),
    ),
    Measure(
        "grip",
        1,
        lambda t: t.gripper_distance,
        "scene.gripper_distance({0})",
        "the fingertips' distance from {0}",
        "REACH",
        guards=((CLOSED, ()), (NEAREST, (0,))),
        below=Words(HELD, 0.02, something=_BUSY, nothing=_FREE),
    ),
    Measure(
        "opening",
        1,
        lambda t: t.opening,
        "scene.opening({0})",
        "how far {0} stands open",
        "OPENING",
        guards=((OPENS, (0,)),),
        below=Words("closed; shut", 0.02),
        above=Words("open; opened; stands open", 0.02),
    ),
    Measure(
        "contact_above",
        2,
        lambda t: np.abs(_difference(t.low[:, 2], t.high[:, 2])),
        "abs(scene.bottom({0}) - scene.top({1}))",
        "the gap between {0}'s underside and {1}'s top",
        "GAP",
        guards=((OVER, (0, 1)), (UP, (0, 1))),
        below=Words(
            ON,
            0.015,
            something="covered; something on top of it; has another object on its top; loaded",
            nothing="clear; nothing on it; free on top; has nothing on top; bare; room on top",
            swapped="supports; carries; under; below; beneath; underneath",
        ),
    ),
    Measure(
        "sunk_in",
        2,
        lambda t: _difference(t.low[:, 2], t.high[:, 2]),
        "scene.bottom({0}) - scene.top({1})",
        "the height of {0}'s underside over {1}'s rim",
        "RIM",
        guards=((WITHIN, (0, 1)), (NOT_SUNK, (0, 1))),
        below=Words(
            IN,
            -0.02,
            something="has something in it; contains something",
            nothing="empty; has nothing in it; contains nothing",
            swapped="contains; holds; encloses; around",
            into="in a container; contained; in some container; shut in",
        ),
    ),
    Measure(
        "separation",
        2,
        lambda t: np.linalg.norm(np.maximum(_apart(t), 0.0), axis=-1),
        "_separation(scene, {0}, {1})",
        "the distance between the boxes of {0} and {1}",
        "SEPARATION",
        below=Words("touches; touching; in contact with; against", 0.006),
    ),
    Measure(
        "side_gap",
        2,
        lambda t: np.hypot(*np.maximum(_apart(t), 0.0)[..., :2].transpose(2, 0, 1)),
        "scene.horizontal_gap({0}, {1})",
        "the distance between {0} and {1}, from above",
        "SIDE_GAP",
        below=Words("next to; near; beside; close to; by; adjacent to", 0.1),
        above=Words("far from; away from; apart from", 0.1),
    ),
    Measure(
        "distance",
        2,
        lambda t: np.hypot(
            _difference(t.position[:, 0], t.position[:, 0]),
            _difference(t.position[:, 1], t.position[:, 1]),
        ),
        "scene.horizontal_distance({0}, {1})",
        "the distance between the centres of {0} and {1}, from above",
        "DISTANCE",
        below=Words("centred on; in the middle of; aligned with", 0.02),
        above=Words("off the middle of; not aligned with", 0.02),
    ),
    _along(0, "x", "AHEAD", "in front of; before", "behind; beyond"),
    _along(1, "y", "ASIDE", "right of; to the right of", "left of; to the left of"),
    Measure(
        "lifted_over",
        2,
        lambda t: _difference(t.low[:, 2], t.high[:, 2]),
        "scene.bottom({0}) - scene.top({1})",
        "the height of {0}'s underside over {1}'s top",
        "LIFT",
        guards=((OVER, (0, 1)),),
        above=Words(
            "above; over; higher than", -0.015, swapped="below; under; beneath; lower than"
        ),
    ),
    _larger(0, "wider", _FITS, "wider than; too wide for; larger than; bigger than; does not fit"),
    _larger(
        2,
        "taller",
        "shorter than; lower than; thinner than",
        "taller than; higher than; thicker than",
    ),
)
SEPARATION_HELPER = '''def _separation(scene, a, b):
    """Distance between the boxes of a and b along the scene's axes [m]."""
    first, second = (scene.low(a), scene.high(a)), (scene.low(b), scene.high(b))
    gaps = [max(first[0][i] - second[1][i], second[0][i] - first[1][i], 0.0) for i in (0, 1, 2)]
    return sum(g * g for g in gaps) ** 0.5
'''
HELPERS: Mapping[str, str] = {
    "_separation(": SEPARATION_HELPER,
    **{g.code.split("{")[0].split("scene,")[0]: g.helper for g in FLAGS.values() if g.helper},
    "_within(": WITHIN.helper,
}
"""Functions that a program's text may call, by how a call of them begins."""

MEASURES: Mapping[str, Measure] = {m.name: m for m in _ALL}
