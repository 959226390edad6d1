"""The numbers that programs compare, each with its Python text.

A measure is a number about the scene, one object or two. It may hold only under guards, such as
"a's centre is between b's sides". What people call it, and where its limit usually is, are prior
knowledge (`learning.priors`).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from functools import cache

import numpy as np

from sayso.core.geometry import Array
from sayso.learning.synthesis.guards import (
    BETWEEN,
    CLOSED,
    HAS,
    NEAREST,
    NOT_SUNK,
    OPENS,
    OVER,
    SAME,
    SENSES_WATER,
    TRUE,
    UP,
    WITHIN,
    Guard,
    Numbers,
    along_way,
    attributes_of,
    difference,
    flag,
)
from sayso.learning.synthesis.tables import SceneTable


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
        kin: another measure whose words may be about this one as well.
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
    kin: str = ""

    @property
    def sides(self) -> tuple[bool, ...]:
        """The sides that mean anything: True for below."""
        return tuple(side for side, meant in ((True, self.below), (False, self.above)) if meant)


def _apart(table: SceneTable) -> Array:
    """(n, n, 3) by how much boxes are apart along each axis; negative where they overlap."""
    one_way = table.low[:, None, :] - table.high[None, :, :]
    return np.asarray(np.maximum(one_way, one_way.transpose(1, 0, 2)))


def _volume(table: SceneTable) -> Numbers:
    return np.asarray(table.size.prod(-1))


def _along(axis: int, name: str, constant: str) -> Measure:
    """How far one thing is beyond another along an axis of the scene."""
    return Measure(
        f"along_{name}",
        2,
        lambda t: difference(t.position[:, axis], t.position[:, axis]),
        f"scene.position({{0}})[{axis}] - scene.position({{1}})[{axis}]",
        f"how far {{0}} is beyond {{1}} along {name}",
        constant,
    )


def _larger(axis: int, name: str) -> Measure:
    """How much larger one thing is than another along an axis of their own."""
    return Measure(
        name,
        2,
        lambda t: difference(t.size[:, axis], t.size[:, axis]),
        f"scene.size({{0}})[{axis}] - scene.size({{1}})[{axis}]",
        f"how much {name} {{0}} is than {{1}}",
        name.upper(),
    )


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


_ALL = (
    Measure(
        "hand_closing", 0, lambda t: np.asarray(t.gripper_max_width - t.gripper_width),
        "scene.gripper_max_width - scene.gripper_width", "how far the hand is closed", "CLOSING",
    ),
    Measure(
        "spare_grip", 1, lambda t: np.asarray(t.gripper_max_width - t.size[:, :2].min(-1)),
        "scene.gripper_max_width - min(scene.size({0})[0], scene.size({0})[1])",
        "how much wider the hand opens than {0}'s narrow side", "SPARE", below=False,
    ),
    Measure(
        "width", 1, lambda t: t.size[:, 0], "scene.size({0})[0]", "the width of {0}", "WIDTH",
    ),
    Measure(
        "depth", 1, lambda t: t.size[:, 1], "scene.size({0})[1]", "the depth of {0}", "DEPTH",
    ),
    Measure(
        "height", 1, lambda t: t.size[:, 2], "scene.size({0})[2]", "the height of {0}", "HEIGHT",
    ),
    Measure(
        "volume", 1, _volume, "scene.size({0})[0] * scene.size({0})[1] * scene.size({0})[2]",
        "the volume of {0}", "VOLUME", unit="m^3",
    ),
    Measure(
        "above_table", 1, lambda t: t.low[:, 2] - t.table_height,
        "scene.bottom({0}) - scene.table_height", "the height of {0}'s underside above the table",
        "TABLE_GAP",
    ),
    Measure(
        "water", 1, lambda t: t.water, "scene.water({0})", "the water in {0}", "WATER",
        guards=((SENSES_WATER, (0,)),), below=False, unit="l",
    ),
    Measure(
        "gripper_distance", 1, lambda t: t.gripper_distance, "scene.gripper_distance({0})",
        "the fingertips' distance from {0}", "REACH",
    ),
    Measure(
        "grip", 1, lambda t: t.gripper_distance, "scene.gripper_distance({0})",
        "the fingertips' distance from {0}", "REACH", guards=((CLOSED, ()), (NEAREST, (0,))),
        above=False,
    ),
    Measure(
        "opening", 1, lambda t: t.opening, "scene.opening({0})", "how far {0} stands open",
        "OPENING", guards=((OPENS, (0,)),),
    ),
    Measure(
        "contact_above", 2, lambda t: np.abs(difference(t.low[:, 2], t.high[:, 2])),
        "abs(scene.bottom({0}) - scene.top({1}))", "the gap between {0}'s underside and {1}'s top",
        "GAP", guards=((OVER, (0, 1)), (UP, (0, 1))), above=False,
    ),
    Measure(
        "sunk_in", 2, lambda t: difference(t.low[:, 2], t.high[:, 2]),
        "scene.bottom({0}) - scene.top({1})", "the height of {0}'s underside over {1}'s rim", "RIM",
        guards=((WITHIN, (0, 1)), (NOT_SUNK, (0, 1))), above=False,
    ),
    Measure(
        "separation", 2, lambda t: np.linalg.norm(np.maximum(_apart(t), 0.0), axis=-1),
        "_separation(scene, {0}, {1})", "the distance between the boxes of {0} and {1}",
        "SEPARATION", above=False,
    ),
    Measure(
        "side_gap", 2, lambda t: np.hypot(*np.maximum(_apart(t), 0.0)[..., :2].transpose(2, 0, 1)),
        "scene.horizontal_gap({0}, {1})", "the distance between {0} and {1}, from above",
        "SIDE_GAP",
    ),
    Measure(
        "distance", 2,
        lambda t: np.hypot(*(difference(t.position[:, i], t.position[:, i]) for i in (0, 1))),
        "scene.horizontal_distance({0}, {1})",
        "the distance between the centres of {0} and {1}, from above", "DISTANCE",
    ),
    _along(0, "x", "AHEAD"),
    _along(1, "y", "ASIDE"),
    Measure(
        "lifted_over", 2, lambda t: difference(t.low[:, 2], t.high[:, 2]),
        "scene.bottom({0}) - scene.top({1})", "the height of {0}'s underside over {1}'s top",
        "LIFT", guards=((OVER, (0, 1)),), below=False,
    ),
    _larger(0, "wider"),
    _larger(2, "taller"),
    # Of two that explain the same the first is taken: the one that is said in fewer words.
    Measure(
        "ahead", 1, lambda t: t.position[:, 0], "scene.position({0})[0]",
        "how far {0} is ahead", "AHEAD", kin="gripper_distance",
    ),
    Measure(
        "reach", 1, lambda t: np.hypot(t.position[:, 0], t.position[:, 1]),
        "sum(v * v for v in scene.position({0})[:2]) ** 0.5",
        "{0}'s distance from the robot's foot", "REACH", kin="gripper_distance",
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
        "turn", 2, lambda t: _folded(difference(_heading(t), _heading(t)), 180.0),
        "_turn(scene, {0}, {1})", "the angle between {0} and {1}, from above", "TURN", unit="deg",
    ),
    Measure(
        "level", 2, lambda t: np.abs(difference(t.high[:, 2], t.high[:, 2])),
        "abs(scene.top({0}) - scene.top({1}))", "how far the tops of {0} and {1} differ in height",
        "LEVEL",
    ),
    Measure(
        "off_file", 2, lambda t: np.abs(difference(t.position[:, 1], t.position[:, 1])),
        "abs(scene.position({0})[1] - scene.position({1})[1])", "how far {0} is out of {1}'s file",
        "FILE",
    ),
    Measure(
        "off_rank", 2, lambda t: np.abs(difference(t.position[:, 0], t.position[:, 0])),
        "abs(scene.position({0})[0] - scene.position({1})[0])", "how far {0} is out of {1}'s rank",
        "RANK",
    ),
    Measure(
        "off_way", 3, lambda t: along_way(t)[1], "_off_way(scene, {0}, {1}, {2})",
        "{0}'s distance from the way from {1} to {2}", "WAY", guards=((BETWEEN, (0, 1, 2)),),
        above=False,
    ),
    Measure(
        "farther", 3, _distance_difference,
        "scene.horizontal_distance({0}, {1}) - scene.horizontal_distance({0}, {2})",
        "how much farther {0} is from {1} than from {2}", "FARTHER",
    ),
)  # fmt: skip
MEASURES: Mapping[str, Measure] = {m.name: m for m in _ALL}
COMPARED = ("width", "depth", "volume", "reach")
"""Numbers of one thing that are compared with another's, beside `taller`, attributes and places."""
MORE = "more "
_ATTRIBUTE = "attribute "


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
        f"the {attribute} of {{0}}", attribute.upper(), guards=((flag(HAS + attribute), (0,)),),
        unit="",
    )  # fmt: skip


def _more(base: Measure) -> Measure:
    other = base.code.replace("{0}", "{1}")
    guards = tuple((guard, (place,)) for guard, _ in base.guards for place in (0, 1))
    return Measure(
        MORE + base.name, 2, lambda t: difference(base.value(t), base.value(t)),
        f"{base.code} - {other}", f"{base.english} less {base.english.replace('{0}', '{1}')}",
        f"MORE_{base.constant}", guards, unit=base.unit,
    )  # fmt: skip


def named(condition: str, below: bool = False) -> tuple[str, ...]:
    """How a condition on an attribute, or on how much there is of it, is said by the attribute's
    own name, whatever is known.
    """
    kind, _, attribute = condition.partition(" ")
    words = attribute.replace("_", " ")
    much = (f"no {words}", f"few {words}") if below else (words, f"has {words}")
    able = (f"can be {words}",)
    found = {TRUE: (words, *_parts(words)), HAS: able, SAME: (f"same {words}",), _ATTRIBUTE: much}
    return found.get(f"{kind} ", ())


def _parts(participle: str) -> tuple[str, ...]:
    """What a thing has of which a participle tells: what is capped has a cap."""
    match = re.fullmatch(r"([a-z]+?)(?:([bdgmnprt])\2)?ed", participle)
    return (f"has {match[1]}{match[2] or ''}",) if match else ()


def measures_of(tables: Iterable[SceneTable]) -> tuple[Measure, ...]:
    """All measures that mean anything in some scenes."""
    numbers = attributes_of(tables, float)
    own = [_ATTRIBUTE + n for n in numbers]
    names = [*MEASURES, *own, *(MORE + n for n in (*COMPARED, *own))]
    return tuple(map(measure, names))
