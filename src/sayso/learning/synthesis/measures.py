"""The numbers that programs compare, each with its Python text.

A measure is a number about the scene, one object or two. It may hold only under guards, such as
"a's centre is between b's sides". What people call it, and where its limit usually is, are prior
knowledge (`learning.priors`).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

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


_BETWEEN = Guard(
    "between_ends",
    3,
    lambda t: _along_way(t)[0],
    "_between_ends(scene, {0}, {1}, {2})",
    "{0} is neither before {1} nor beyond {2}",
    '''def _between_ends(scene, a, b, c):
    """Whether a is neither before b nor beyond c on the way from b to c, from above."""
    way = (scene.position(c) - scene.position(b))[:2]
    to = (scene.position(a) - scene.position(b))[:2]
    return 0.0 < way[0] * to[0] + way[1] * to[1] < way[0] * way[0] + way[1] * way[1]
''',
)


def _along_way(table: SceneTable) -> tuple[Bools, Numbers]:
    """(n, n, n) whether a is between b and c on the way, and how far aside of it [m]."""
    place = table.position[:, :2]
    way = place[None, None, :, :] - place[None, :, None, :]
    to = place[:, None, None, :] - place[None, :, None, :]
    length = (way * way).sum(-1)
    along = (way * to).sum(-1)
    crossed = np.abs(to[..., 0] * way[..., 1] - to[..., 1] * way[..., 0])
    return (along > 0.0) & (along < length), crossed / np.maximum(np.sqrt(length), 1e-9)


def _heading(table: SceneTable) -> Numbers:
    """(n,) of each thing's own x axis, from above [deg]."""
    return np.asarray(np.degrees(np.arctan2(table.rotation[:, 1, 0], table.rotation[:, 0, 0])))


def _aim(table: SceneTable) -> Numbers:
    """(n, n) from a's heading to the way from a to b [deg], 0 to 180."""
    way = table.position[None, :, :2] - table.position[:, None, :2]
    bearing = np.degrees(np.arctan2(way[..., 1], way[..., 0]))
    return np.asarray(np.abs((bearing - _heading(table)[:, None] + 180.0) % 360.0 - 180.0))


def _distance_difference(table: SceneTable) -> Numbers:
    apart = np.linalg.norm(table.position[:, None, :2] - table.position[None, :, :2], axis=-1)
    return np.asarray(apart[:, :, None] - apart[:, None, :], float)


def _folded(degrees: Numbers, period: float) -> Numbers:
    """How far from the nearest multiple of a period."""
    return np.asarray(np.abs((degrees + period / 2) % period - period / 2))


_PLACED = (
    Measure(
        "reach", 1, lambda t: np.hypot(t.position[:, 0], t.position[:, 1]),
        "sum(v * v for v in scene.position({0})[:2]) ** 0.5",
        "{0}'s distance from the robot's foot", "REACH",
    ),
    Measure(
        "aside", 1, lambda t: t.position[:, 1], "scene.position({0})[1]",
        "how far {0} is to the left", "ASIDE",
    ),
    Measure(
        "tilt", 1, lambda t: np.degrees(np.arccos(np.clip(np.abs(t.rotation[:, 2, 2]), 0.0, 1.0))),
        "math.degrees(math.acos(min(1.0, abs(scene.rotation({0})[2][2]))))",
        "the angle between {0}'s own upright and the vertical", "TILT", unit="deg",
    ),
    Measure(
        "skew", 1, lambda t: _folded(_heading(t), 90.0), "_skew(scene, {0})",
        "how far {0} is turned from the table's edges", "SKEW", unit="deg",
    ),
    Measure(
        "aim", 2, _aim, "_aim(scene, {0}, {1})", "the angle from where {0} points to {1}", "AIM",
        unit="deg",
    ),
    Measure(
        "turn", 2, lambda t: _folded(_difference(_heading(t), _heading(t)), 180.0),
        "_turn(scene, {0}, {1})", "the angle between {0} and {1}, from above", "TURN", unit="deg",
    ),
    Measure(
        "level", 2, lambda t: np.abs(_difference(t.high[:, 2], t.high[:, 2])),
        "abs(scene.top({0}) - scene.top({1}))", "how far the tops of {0} and {1} differ in height",
        "LEVEL",
    ),
    Measure(
        "off_file", 2, lambda t: np.abs(_difference(t.position[:, 1], t.position[:, 1])),
        "abs(scene.position({0})[1] - scene.position({1})[1])", "how far {0} is out of {1}'s file",
        "FILE",
    ),
    Measure(
        "off_rank", 2, lambda t: np.abs(_difference(t.position[:, 0], t.position[:, 0])),
        "abs(scene.position({0})[0] - scene.position({1})[0])", "how far {0} is out of {1}'s rank",
        "RANK",
    ),
    Measure(
        "off_way", 3, lambda t: _along_way(t)[1], "_off_way(scene, {0}, {1}, {2})",
        "{0}'s distance from the way from {1} to {2}", "WAY", guards=((_BETWEEN, (0, 1, 2)),),
        above=False,
    ),
    Measure(
        "farther", 3, _distance_difference,
        "scene.horizontal_distance({0}, {1}) - scene.horizontal_distance({0}, {2})",
        "how much farther {0} is from {1} than from {2}", "FARTHER",
    ),
)  # fmt: skip
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
_TURNED = {
    "_skew(": '''def _skew(scene, a):
    """How far a is turned from the scene's axes [deg]."""
    x = scene.rotation(a)[:, 0]
    return abs((math.degrees(math.atan2(x[1], x[0])) + 45.0) % 90.0 - 45.0)
''',
    "_turn(": '''def _turn(scene, a, b):
    """The angle between the first axes of a and b as lines, from above [deg]."""
    x, y = scene.rotation(a)[:, 0], scene.rotation(b)[:, 0]
    angle = math.degrees(math.atan2(x[1], x[0]) - math.atan2(y[1], y[0]))
    return abs((angle + 90.0) % 180.0 - 90.0)
''',
    "_aim(": '''def _aim(scene, a, b):
    """The angle from a's first axis to the way from a to b, from above [deg]."""
    x, way = scene.rotation(a)[:, 0], scene.position(b) - scene.position(a)
    angle = math.degrees(math.atan2(way[1], way[0]) - math.atan2(x[1], x[0]))
    return abs((angle + 180.0) % 360.0 - 180.0)
''',
    "_off_way(": '''def _off_way(scene, a, b, c):
    """How far a is aside of the way from b to c, from above [m]."""
    way = (scene.position(c) - scene.position(b))[:2]
    to = (scene.position(a) - scene.position(b))[:2]
    return abs(to[0] * way[1] - to[1] * way[0]) / max((way * way).sum() ** 0.5, 1e-9)
''',
    "_between_ends(": _BETWEEN.helper,
}
HELPERS: Mapping[str, str] = {
    "_separation(": SEPARATION_HELPER,
    **{g.code.split("{")[0].split("scene,")[0]: g.helper for g in FLAGS.values() if g.helper},
    "_within(": WITHIN.helper,
    **_TURNED,
}
"""Functions that a program's text may call, by how a call of them begins."""

MEASURES: Mapping[str, Measure] = {m.name: m for m in (*_ALL, *_PLACED)}
COMPARED = ("width", "depth", "volume", "reach")
"""Numbers of one thing that are compared with another's, beside `taller`, attributes and places."""
MORE = "more "
_ATTRIBUTE, _TRUE, _SAME, _HAS = "attribute ", "true ", "same ", "has "
OF_THEIR_OWN = ("water_l", "opening_m")
"""Attributes that have measures above."""


def measure(name: str) -> Measure:
    """One of `MEASURES`; `attribute NAME`, a number; or `more MEASURE`, against another thing."""
    return MEASURES.get(name) or _derived(name)


@cache
def _derived(name: str) -> Measure:
    if name.startswith(MORE):
        return _more(measure(name.removeprefix(MORE)))
    attribute = name.removeprefix(_ATTRIBUTE)
    return Measure(
        name, 1, lambda t: t.number(attribute), f'scene.attribute({{0}}, "{attribute}")',
        f"the {attribute} of {{0}}", attribute.upper(), guards=((flag(_HAS + attribute), (0,)),),
        unit="",
    )  # fmt: skip


def _more(base: Measure) -> Measure:
    other = base.code.replace("{0}", "{1}")
    guards = tuple((guard, (place,)) for guard, _ in base.guards for place in (0, 1))
    return Measure(
        MORE + base.name, 2, lambda t: _difference(base.value(t), base.value(t)),
        f"{base.code} - {other}", f"{base.english} less {base.english.replace('{0}', '{1}')}",
        f"MORE_{base.constant}", guards, unit=base.unit,
    )  # fmt: skip


@cache
def flag(name: str) -> Guard:
    """One of `FLAGS`; or `has NAME`, `true NAME`, `same NAME` of an attribute."""
    if name in FLAGS:
        return FLAGS[name]
    kind, attribute = name.split(" ", 1)
    has = f'scene.observes({{0}}, "{attribute}")'
    value = f'scene.attribute({{0}}, "{attribute}")'
    if kind == _HAS.strip():
        return Guard(
            name, 1, lambda t: t.observes(attribute), has, f"{{0}}'s {attribute} is observed"
        )
    if kind == _TRUE.strip():
        return Guard(
            name, 1, lambda t: t.number(attribute) > 0.5, f"({has} and {value})",
            f"{{0}} is {attribute.replace('_', ' ')}",
        )  # fmt: skip
    if attribute in ("category", "color"):
        code = f"(scene.{attribute}({{0}}) == scene.{attribute}({{1}}))"
    else:
        second = [text.replace("{0}", "{1}") for text in (has, value)]
        code = f"({has} and {second[0]} and {value} == {second[1]})"
    return Guard(
        name, 2, lambda t: _alike(t.words(attribute)), code,
        f"the {attribute} of {{0}} and {{1}} is the same",
    )  # fmt: skip


def named(condition: str, below: bool = False) -> tuple[str, ...]:
    """How a condition on an attribute, or on how much there is of it, is said by the attribute's
    own name, whatever is known.
    """
    kind, _, attribute = condition.partition(" ")
    words = attribute.replace("_", " ")
    much = (f"no {words}", f"few {words}") if below else (words, f"has {words}")
    found = {_TRUE: (words,), _SAME: (f"same {words}",), _ATTRIBUTE: much}
    return found.get(f"{kind} ", ())


def _alike(words: Sequence[str]) -> Bools:
    """(n, n) where both have the same words, and any."""
    values = np.array(words, object)
    return np.asarray((values[:, None] == values[None, :]) & (values[:, None] != ""), bool)


def measures_of(tables: Iterable[SceneTable]) -> tuple[Measure, ...]:
    """All measures that mean anything in some scenes."""
    numbers = _attributes(tables, float)
    own = [_ATTRIBUTE + n for n in numbers]
    names = [*MEASURES, *own, *(MORE + n for n in (*COMPARED, *own))]
    return tuple(map(measure, names))


def flags_of(tables: Iterable[SceneTable]) -> tuple[Guard, ...]:
    """All conditions without limits that mean anything in some scenes."""
    tables = list(tables)
    words, truths = _attributes(tables, str), _attributes(tables, bool)
    every = (*words, *truths, *_attributes(tables, float))
    names = [*FLAGS, *(_TRUE + n for n in truths), *(_HAS + n for n in every)]
    return tuple(map(flag, (*names, *(_SAME + n for n in ("category", "color", *words)))))


def words_of(tables: Iterable[SceneTable]) -> tuple[str, ...]:
    """The attributes that are words, beside the category."""
    return ("color", *_attributes(tables, str))


def _attributes(tables: Iterable[SceneTable], kind: type) -> tuple[str, ...]:
    found = {n for t in tables for n, k in t.attributes.items() if k is kind and n.isidentifier()}
    return tuple(sorted(found - set(OF_THEIR_OWN)))
