"""The numbers that programs compare, each with its Python text.

A measure is a number about the scene, one object or two. It may hold only under guards, such as
"a's centre is between b's sides". What people call it, and where its limit usually is, are prior
knowledge (`learning.priors`).
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
class Guard:
    """A condition without a tolerance of its own that labels could fit.

    Attributes:
        arity: number of objects that it is about.
        truth: (n, ..., n) for a scene of n objects.
        code: Python, with `{0}`, `{1}` for variables.
        english: a clause with the same places.
        helper: Python of a function that the code calls, or ''.
    """

    name: str
    arity: int
    truth: Callable[[SceneTable], Bools] = lambda _: np.zeros((), bool)
    code: str = ""
    english: str = ""
    helper: str = ""


@dataclass(frozen=True)
class Measure:
    """A number that is compared with a limit.

    Attributes:
        value: (n, ..., n), one axis for each object.
        code, english: of the number, with `{0}`, `{1}`.
        constant: name of its limit in Python.
        guards: with the places of their arguments among the measure's.
        below, above: whether that side means anything.
        unit: of the number.
    """

    name: str
    arity: int
    value: Callable[[SceneTable], Numbers]
    code: str
    english: str
    constant: str
    guards: tuple[tuple[Guard, tuple[int, ...]], ...] = ()
    below: bool = True
    above: bool = True
    unit: str = "m"

    @property
    def sides(self) -> tuple[bool, ...]:
        """The sides that mean anything: True for below."""
        return tuple(side for side, meant in ((True, self.below), (False, self.above)) if meant)


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
CARRIED = Guard("carried", 1, lambda t: t.carried, "scene.carried({0})", "{0} is carried")
FLAGS: Mapping[str, Guard] = {g.name: g for g in (CARRIED, OPENS, OVER, NEAREST, CLOSED)}
"""Conditions that programs may use by themselves."""


def _along(axis: int, name: str, constant: str) -> Measure:
    """How far one thing is beyond another along an axis of the scene."""
    return Measure(
        f"along_{name}",
        2,
        lambda t: _difference(t.position[:, axis], t.position[:, axis]),
        f"scene.position({{0}})[{axis}] - scene.position({{1}})[{axis}]",
        f"how far {{0}} is beyond {{1}} along {name}",
        constant,
    )


def _larger(axis: int, name: str) -> Measure:
    """How much larger one thing is than another along an axis of their own."""
    return Measure(
        name,
        2,
        lambda t: _difference(t.size[:, axis], t.size[:, axis]),
        f"scene.size({{0}})[{axis}] - scene.size({{1}})[{axis}]",
        f"how much {name} {{0}} is than {{1}}",
        name.upper(),
    )


_ALL = (
    Measure(
        "hand_closing",
        0,
        lambda t: np.asarray(t.gripper_max_width - t.gripper_width),
        "scene.gripper_max_width - scene.gripper_width",
        "how far the hand is closed",
        "CLOSING",
    ),
    Measure(
        "spare_grip",
        1,
        lambda t: np.asarray(t.gripper_max_width - t.size[:, :2].min(-1)),
        "scene.gripper_max_width - min(scene.size({0})[0], scene.size({0})[1])",
        "how much wider the hand opens than {0}'s narrow side",
        "SPARE",
        below=False,
    ),
    Measure(
        "width",
        1,
        lambda t: t.size[:, 0],
        "scene.size({0})[0]",
        "the width of {0}",
        "WIDTH",
    ),
    Measure(
        "depth",
        1,
        lambda t: t.size[:, 1],
        "scene.size({0})[1]",
        "the depth of {0}",
        "DEPTH",
    ),
    Measure(
        "height",
        1,
        lambda t: t.size[:, 2],
        "scene.size({0})[2]",
        "the height of {0}",
        "HEIGHT",
    ),
    Measure(
        "volume",
        1,
        _volume,
        "scene.size({0})[0] * scene.size({0})[1] * scene.size({0})[2]",
        "the volume of {0}",
        "VOLUME",
        unit="m^3",
    ),
    Measure(
        "above_table",
        1,
        lambda t: t.low[:, 2] - t.table_height,
        "scene.bottom({0}) - scene.table_height",
        "the height of {0}'s underside above the table",
        "TABLE_GAP",
    ),
    Measure(
        "water",
        1,
        lambda t: t.water,
        "scene.water({0})",
        "the water in {0}",
        "WATER",
        guards=((SENSES_WATER, (0,)),),
        below=False,
        unit="l",
    ),
    Measure(
        "gripper_distance",
        1,
        lambda t: t.gripper_distance,
        "scene.gripper_distance({0})",
        "the fingertips' distance from {0}",
        "REACH",
    ),
    Measure(
        "grip",
        1,
        lambda t: t.gripper_distance,
        "scene.gripper_distance({0})",
        "the fingertips' distance from {0}",
        "REACH",
        guards=((CLOSED, ()), (NEAREST, (0,))),
        above=False,
    ),
    Measure(
        "opening",
        1,
        lambda t: t.opening,
        "scene.opening({0})",
        "how far {0} stands open",
        "OPENING",
        guards=((OPENS, (0,)),),
    ),
    Measure(
        "contact_above",
        2,
        lambda t: np.abs(_difference(t.low[:, 2], t.high[:, 2])),
        "abs(scene.bottom({0}) - scene.top({1}))",
        "the gap between {0}'s underside and {1}'s top",
        "GAP",
        guards=((OVER, (0, 1)), (UP, (0, 1))),
        above=False,
    ),
    Measure(
        "sunk_in",
        2,
        lambda t: _difference(t.low[:, 2], t.high[:, 2]),
        "scene.bottom({0}) - scene.top({1})",
        "the height of {0}'s underside over {1}'s rim",
        "RIM",
        guards=((WITHIN, (0, 1)), (NOT_SUNK, (0, 1))),
        above=False,
    ),
    Measure(
        "separation",
        2,
        lambda t: np.linalg.norm(np.maximum(_apart(t), 0.0), axis=-1),
        "_separation(scene, {0}, {1})",
        "the distance between the boxes of {0} and {1}",
        "SEPARATION",
        above=False,
    ),
    Measure(
        "side_gap",
        2,
        lambda t: np.hypot(*np.maximum(_apart(t), 0.0)[..., :2].transpose(2, 0, 1)),
        "scene.horizontal_gap({0}, {1})",
        "the distance between {0} and {1}, from above",
        "SIDE_GAP",
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
    ),
    _along(0, "x", "AHEAD"),
    _along(1, "y", "ASIDE"),
    Measure(
        "lifted_over",
        2,
        lambda t: _difference(t.low[:, 2], t.high[:, 2]),
        "scene.bottom({0}) - scene.top({1})",
        "the height of {0}'s underside over {1}'s top",
        "LIFT",
        guards=((OVER, (0, 1)),),
        below=False,
    ),
    _larger(0, "wider"),
    _larger(2, "taller"),
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
