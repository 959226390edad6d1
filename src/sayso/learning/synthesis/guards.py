"""The conditions that programs have without a limit of their own, each with its Python text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import combinations

import numpy as np
import numpy.typing as npt

from sayso.core.geometry import Array
from sayso.learning.synthesis.tables import Bools, SceneTable

Numbers = npt.NDArray[np.float64]
TRUE, SAME, HAS, AGREE = "true ", "same ", "has ", "agree "
"""How the name of a condition on an attribute begins."""
OF_THEIR_OWN = ("water_l", "opening_m")
"""Attributes that have measures of their own."""


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


def difference(values: Array, others: Array) -> Numbers:
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
    lambda t: difference(t.position[:, 2], t.position[:, 2]) > 0,
    "scene.position({0})[2] > scene.position({1})[2]",
    "{0}'s centre is higher than {1}'s",
)
NOT_SUNK = Guard(
    "not_sunk",
    2,
    lambda t: difference(t.low[:, 2], t.low[:, 2]) > -0.01,
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


BETWEEN = Guard(
    "between_ends",
    3,
    lambda t: along_way(t)[0],
    "_between_ends(scene, {0}, {1}, {2})",
    "{0} is neither before {1} nor beyond {2}",
    '''def _between_ends(scene, a, b, c):
    """Whether a is neither before b nor beyond c on the way from b to c, from above."""
    way = (scene.position(c) - scene.position(b))[:2]
    to = (scene.position(a) - scene.position(b))[:2]
    return 0.0 < way[0] * to[0] + way[1] * to[1] < way[0] * way[0] + way[1] * way[1]
''',
)


def along_way(table: SceneTable) -> tuple[Bools, Numbers]:
    """(n, n, n) whether a is between b and c on the way, and how far aside of it [m]."""
    place = table.position[:, :2]
    way = place[None, None, :, :] - place[None, :, None, :]
    to = place[:, None, None, :] - place[None, :, None, :]
    length = (way * way).sum(-1)
    along = (way * to).sum(-1)
    crossed = np.abs(to[..., 0] * way[..., 1] - to[..., 1] * way[..., 0])
    return (along > 0.0) & (along < length), crossed / np.maximum(np.sqrt(length), 1e-9)


HELPERS: Mapping[str, str] = {
    "_separation(": '''def _separation(scene, a, b):
    """Distance between the boxes of a and b along the scene's axes [m]."""
    first, second = (scene.low(a), scene.high(a)), (scene.low(b), scene.high(b))
    gaps = [max(first[0][i] - second[1][i], second[0][i] - first[1][i], 0.0) for i in (0, 1, 2)]
    return sum(g * g for g in gaps) ** 0.5
''',
    **{g.code.split("{")[0].split("scene,")[0]: g.helper for g in FLAGS.values() if g.helper},
    "_within(": WITHIN.helper,
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
    "_between_ends(": BETWEEN.helper,
}
"""Functions that a program's text may call, by how a call of them begins."""


@cache
def flag(name: str) -> Guard:
    """One of `FLAGS`; or `has NAME`, `true NAME`, `same NAME`, `agree NAME OTHER` of attributes."""
    if name in FLAGS:
        return FLAGS[name]
    kind, attribute = name.split(" ", 1)
    has = f'scene.observes({{0}}, "{attribute}")'
    value = f'scene.attribute({{0}}, "{attribute}")'
    if kind == HAS.strip():
        return Guard(
            name, 1, lambda t: t.observes(attribute), has, f"{{0}}'s {attribute} is observed"
        )
    if kind == TRUE.strip():
        return Guard(
            name, 1, lambda t: t.number(attribute) > 0.5, f"({has} and {value})",
            f"{{0}} is {attribute.replace('_', ' ')}",
        )  # fmt: skip
    if kind == AGREE.strip():
        return _agreeing(*attribute.split(" "))
    if attribute in ("category", "color"):
        code = f"(scene.{attribute}({{0}}) == scene.{attribute}({{1}}))"
    else:
        second = [text.replace("{0}", "{1}") for text in (has, value)]
        code = f"({has} and {second[0]} and {value} == {second[1]})"
    return Guard(
        name, 2, lambda t: _alike(t.words(attribute)), code,
        f"the {attribute} of {{0}} and {{1}} is the same",
    )  # fmt: skip


def _agreeing(one: str, other: str) -> Guard:
    """Whether two attributes of a thing are the same word: its label tells its kind."""
    codes = [
        f"scene.{a}({{0}})" if a in ("category", "color") else f'scene.attribute({{0}}, "{a}")'
        for a in (one, other)
    ]
    has = [f'scene.observes({{0}}, "{a}")' for a in (one, other) if a not in ("category", "color")]
    return Guard(
        f"{AGREE}{one} {other}", 1, lambda t: _equal(t.words(one), t.words(other)),
        f"({' and '.join((*has, ' == '.join(codes)))})", f"{{0}}'s {one} is its {other}",
    )  # fmt: skip


def _equal(words: Sequence[str], others: Sequence[str]) -> Bools:
    return np.array([a == b != "" for a, b in zip(words, others, strict=True)], bool)


def _alike(words: Sequence[str]) -> Bools:
    """(n, n) where both have the same words, and any."""
    values = np.array(words, object)
    return np.asarray((values[:, None] == values[None, :]) & (values[:, None] != ""), bool)


def flags_of(tables: Iterable[SceneTable]) -> tuple[Guard, ...]:
    """All conditions without limits that mean anything in some scenes."""
    tables = list(tables)
    words, truths = attributes_of(tables, str), attributes_of(tables, bool)
    every = (*words, *truths, *attributes_of(tables, float))
    names = [*FLAGS, *(TRUE + n for n in truths), *(HAS + n for n in every)]
    names += [SAME + n for n in ("category", "color", *words)]
    pairs = combinations(("category", "color", *words), 2)
    names += [
        f"{AGREE}{b} {a}"
        for a, b in pairs
        if any(_equal(t.words(a), t.words(b)).any() for t in tables)
    ]
    return tuple(map(flag, names))


def words_of(tables: Iterable[SceneTable]) -> tuple[str, ...]:
    """The attributes that are words, beside the category."""
    return ("color", *attributes_of(tables, str))


def attributes_of(tables: Iterable[SceneTable], kind: type) -> tuple[str, ...]:
    found = {n for t in tables for n, k in t.attributes.items() if k is kind and n.isidentifier()}
    return tuple(sorted(found - set(OF_THEIR_OWN)))
