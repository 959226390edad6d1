"""Forty predicates of everyday manipulation that no prior names, with their truth in any room.

They were written before the learner's grammar could say most of them, but by whoever widened it
then: the even ones, whose results were not looked at meanwhile, are no fair test of it either.
Truth is told from the room itself, not from a scene of it; where people would not agree (a mass
about the limit) it is None. Two of the forty nothing that is seen tells.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np

from sayso.worlds.everyday import Room, Thing, across, flat

_WARM = ("red", "orange", "yellow")
Truth = Callable[..., "bool | None"]


@dataclass(frozen=True)
class Everyday:
    """A predicate.

    Attributes:
        number: odd ones were looked at while the grammar was widened.
        english, english_not: clauses with `{0}`, `{1}`, `{2}`.
        truth: of a room and its things; None where people would not agree.
        observable: whether anything that is seen tells it.
    """

    number: int
    name: str
    english: str
    english_not: str
    truth: Truth
    arity: int
    observable: bool = True

    @property
    def parameters(self) -> tuple[str, ...]:
        return ("a", "b", "c")[: self.arity]


def _over(value: float | None, low: float, high: float) -> bool | None:
    """Above both limits, below both, or between: who knows. What has no such value is below."""
    if value is None or value < low:
        return False
    return True if value > high else None


def _under(value: float, low: float, high: float) -> bool | None:
    over = _over(value, low, high)
    return None if over is None else not over


def _both(*truths: bool | None) -> bool | None:
    if False in truths:
        return False
    return None if None in truths else True


def _number(thing: Thing, name: str) -> float | None:
    value = thing.attributes.get(name)
    return None if value is None else float(value)


def _others(room: Room, *apart: Thing) -> list[Thing]:
    return [t for t in room.things.values() if t not in apart]


def _angle(radians: float) -> float:
    """Its size in degrees, 0 to 180."""
    return float(abs((np.degrees(radians) + 180) % 360 - 180))


def _folded(radians: float) -> float:
    """The angle between two lines in degrees, 0 to 90."""
    angle = _angle(radians)
    return min(angle, 180 - angle)


def _askew(a: Thing) -> float:
    """How far a thing is turned from the table's edges in degrees, 0 to 45."""
    angle = _folded(a.yaw)
    return min(angle, 90 - angle)


def _rests_on(a: Thing, b: Thing) -> bool:
    half = max(b.size[:2]) / 2
    return abs(a.bottom - b.top) < 0.01 and a.bottom > 0.005 and flat(a, b) < half


def _inside(a: Thing, b: Thing) -> bool:
    return b.kind == "basket" and a is not b and a.bottom > 0.005 and flat(a, b) < 0.08


def _attribute(name: str, value: object) -> Truth:
    return lambda _, a: a.attributes.get(name) == value


def _hidden(name: str) -> Truth:
    return lambda _, a: bool(a.hidden[name])


def _more(name: str, least: float) -> Truth:
    """Of two things the first has more; None where they are as good as alike."""

    def truth(_: Room, a: Thing, b: Thing) -> bool | None:
        difference = float(a.attributes[name]) - float(b.attributes[name])
        return None if abs(difference) < least else difference > 0

    return truth


def _most(value: Callable[[Thing], float], least: float, same: bool = False) -> Truth:
    """Whether a thing has more of something than all others, or than all others of its kind."""

    def truth(room: Room, a: Thing) -> bool | None:
        rivals = [value(t) for t in _others(room, a) if not same or t.kind == a.kind]
        margin = value(a) - max(rivals, default=-np.inf)
        return None if abs(margin) < least else margin > 0

    return truth


def _near_count(room: Room, a: Thing, within_m: float) -> int:
    return sum(flat(a, t) < within_m for t in _others(room, a))


def _crowded(room: Room, a: Thing) -> bool | None:
    sure, maybe = _near_count(room, a, 0.19), _near_count(room, a, 0.21)
    return None if (sure >= 3) != (maybe >= 3) else sure >= 3


def _lonely(room: Room, a: Thing) -> bool | None:
    return _over(min(flat(a, t) for t in _others(room, a)), 0.19, 0.21)


def _between(_: Room, a: Thing, b: Thing, c: Thing) -> bool | None:
    way, to = across(b, c), across(b, a)
    length = float(np.linalg.norm(way))
    if length < 0.1:
        return False
    along = float(to @ way) / length
    aside = abs(float(to[0] * way[1] - to[1] * way[0])) / length
    return _both(0 < along < length, _under(aside, 0.05, 0.07))


def _nearer(_: Room, a: Thing, b: Thing, c: Thing) -> bool | None:
    difference = flat(a, c) - flat(a, b)
    return None if abs(difference) < 0.01 else difference > 0


def _facing(_: Room, a: Thing, b: Thing) -> bool | None:
    x, y = across(a, b)
    return _under(_angle(float(np.arctan2(y, x)) - a.yaw), 25, 35)


def _beside_the_edge(_: Room, a: Thing) -> bool | None:
    return _over(abs(a.centre[1]), 0.29, 0.31)


def _distance(a: Thing) -> float:
    return float(np.hypot(*a.centre[:2]))


def _burdened(room: Room, a: Thing) -> bool:
    return sum(_rests_on(t, a) for t in _others(room, a)) >= 1 and a.kind in ("book", "box")


def _lit(a: Thing) -> bool:
    return a.attributes.get("lit") is True


def _shone_upon(room: Room, a: Thing) -> bool | None:
    lamps = [flat(a, t) for t in _others(room, a) if _lit(t)]
    return _under(min(lamps, default=9.0), 0.24, 0.26)


def _crowned(room: Room, a: Thing) -> bool:
    return any(_rests_on(t, a) and t.colour in _WARM for t in _others(room, a))


def _festive(room: Room) -> bool:
    return any(t.kind == "ball" and t.colour in _WARM for t in room.things.values())


def _spill_risk(_: Room, a: Thing) -> bool | None:
    return _both((_number(a, "water_l") or 0.0) > 0.05, _beside_the_edge(_, a))


_ROWS: tuple[tuple[str, str, str, Truth, int], ...] = (
    # -- what is observed of a thing besides its box
    ("shining", "{0} is shining", "{0} is not shining", _attribute("lit", True), 1),
    ("unsealed", "{0} is unsealed", "{0} is sealed", _attribute("lid_open", True), 1),
    ("hefty", "{0} is hefty", "{0} is not hefty",
     lambda _, a: _over(_number(a, "mass_kg"), 0.9, 1.1), 1),
    ("chilled", "{0} is chilled", "{0} is not chilled",
     lambda _, a: _under(float(a.attributes["temperature_c"]), 19, 21), 1),
    ("ready_to_go", "{0} is ready to go", "{0} needs juice",
     lambda _, a: _over(_number(a, "charge_share"), 0.35, 0.45), 1),
    ("hers", "{0} is hers", "{0} is not hers", _attribute("owner", "ann"), 1),
    ("seasoning", "{0} is seasoning", "{0} is no seasoning", _attribute("label", "salt"), 1),
    ("warmer", "{0} is warmer than {1}", "{0} is not warmer than {1}",
     _more("temperature_c", 2.0), 2),
    ("outweighs", "{0} outweighs {1}", "{0} does not outweigh {1}", _more("mass_kg", 0.05), 2),
    ("housemates", "{0} belongs with {1}", "{0} does not belong with {1}",
     lambda _, a, b: "owner" in a.attributes and a.attributes.get("owner")
     == b.attributes.get("owner"), 2),
    # -- colour and kind
    ("matches", "{0} matches {1}", "{0} does not match {1}",
     lambda _, a, b: a.colour == b.colour, 2),
    ("twin", "{0} is a twin of {1}", "{0} is no twin of {1}",
     lambda _, a, b: a.kind == b.kind and a.colour == b.colour, 2),
    ("ripe_looking", "{0} looks ripe", "{0} does not look ripe",
     lambda _, a: a.colour in ("red", "orange"), 1),
    ("sombre", "{0} is sombre", "{0} is not sombre", lambda _, a: a.colour == "black", 1),
    # -- how things are turned
    ("toppled", "{0} is toppled", "{0} is not toppled", lambda _, a: a.lying, 1),
    ("crooked", "{0} is crooked", "{0} is not crooked", lambda _, a: _over(_askew(a), 8, 12), 1),
    ("aimed", "{0} is aimed at {1}", "{0} is not aimed at {1}", _facing, 2),
    ("parallel", "{0} is parallel to {1}", "{0} is not parallel to {1}",
     lambda _, a, b: _under(_folded(a.yaw - b.yaw), 8, 12), 2),
    # -- three things
    ("amid", "{0} is amid {1} and {2}", "{0} is not amid {1} and {2}", _between, 3),
    ("sides_with", "{0} sides with {1} against {2}", "{0} does not side with {1} against {2}",
     _nearer, 3),
    # -- the most of all
    ("outermost", "{0} is outermost", "{0} is not outermost",
     _most(lambda t: t.centre[1], 0.01), 1),
    ("giant", "{0} is the giant", "{0} is not the giant", _most(lambda t: t.size[2], 0.005), 1),
    ("handiest", "{0} is handiest", "{0} is not handiest", _most(lambda t: -_distance(t), 0.01), 1),
    ("best_of_its_kind", "{0} is the best of its kind", "{0} is not the best of its kind",
     _most(lambda t: float(t.attributes["mass_kg"]), 0.03, same=True), 1),
    # -- how many
    ("crowded", "{0} is crowded", "{0} is not crowded", _crowded, 1),
    ("lonely", "{0} is lonely", "{0} is not lonely", _lonely, 1),
    ("one_of_a_kind", "{0} is one of a kind", "{0} is not one of a kind",
     lambda room, a: all(t.kind != a.kind for t in _others(room, a)), 1),
    ("burdened", "{0} is burdened", "{0} is not burdened", _burdened, 1),
    # -- what holds of some or of all
    ("gloomy", "it is gloomy", "it is not gloomy",
     lambda room: not any(map(_lit, room.things.values())), 0),
    ("festive", "it is festive", "it is not festive", _festive, 0),
    ("shone_upon", "{0} is shone upon", "{0} is not shone upon", _shone_upon, 1),
    ("crowned", "{0} is crowned", "{0} is not crowned", _crowned, 1),
    ("vacant", "{0} is vacant", "{0} is not vacant",
     lambda room, a: a.kind == "basket" and not any(_inside(t, a) for t in _others(room, a)), 1),
    # -- several at once
    ("grabbable", "{0} is grabbable", "{0} is not grabbable",
     lambda _, a: _both(_under(float(a.attributes["mass_kg"]), 0.45, 0.55),
                        _under(_distance(a), 0.58, 0.62)), 1),
    ("spill_risk", "{0} is a spill risk", "{0} is no spill risk", _spill_risk, 1),
    ("stray", "{0} is a stray", "{0} is no stray",
     lambda _, a: "owner" not in a.attributes, 1),
    ("levels_with", "{0} levels with {1}", "{0} does not level with {1}",
     lambda _, a, b: _under(abs(a.top - b.top), 0.01, 0.014), 2),
    ("in_file", "{0} is in file with {1}", "{0} is not in file with {1}",
     lambda _, a, b: _under(abs(a.centre[1] - b.centre[1]), 0.04, 0.05), 2),
    # -- what nothing that is seen tells
    ("borrowed", "{0} is borrowed", "{0} is not borrowed", _hidden("borrowed"), 1),
    ("breakable", "{0} is breakable", "{0} is not breakable", _hidden("fragile"), 1),
)  # fmt: skip
_UNSEEN = ("borrowed", "breakable")

EVERYDAY: Mapping[str, Everyday] = {
    name: Everyday(number, name, english, english_not, truth, arity, name not in _UNSEEN)
    for number, (name, english, english_not, truth, arity) in enumerate(_ROWS, 1)
}
"""By name, in order."""


def true_of(predicate: Everyday, room: Room, args: tuple[str, ...]) -> bool | None:
    """A predicate's truth for things of a room, by their names."""
    return predicate.truth(room, *(room.things[a] for a in args))
