"""Spatial relations as a generated flat holds or breaks them: clearly, with room to spare.

Seen from the map's origin along +x, as in the LIMP paper (appendix A.4): left is +y, in front
is nearer along x. Between means near the segment, within its ends.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.worlds.flat.scene import Item

SIDE_M = 0.45
NEXT_TO_M = (1.3, 2.6)
BETWEEN_M = (0.5, 1.3)
_ABOVE_M = 0.08
_ENDS = 0.12


@dataclass(frozen=True)
class Relation:
    """A comparator of the logic, such as `isnextto`, and the names of the other items."""

    comparator: str
    others: tuple[str, ...]


_Test = Callable[[Item, Sequence[Item]], bool]


def holds(relation: str, item: Item, others: Sequence[Item]) -> bool:
    """Whether an item clearly stands in a relation to others. Raises INVALID as `arity` does."""
    arity(relation, len(others))
    return _TESTS[relation][0](item, others)


def broken(relation: str, item: Item, others: Sequence[Item]) -> bool:
    """Whether an item clearly does not stand in a relation to others."""
    arity(relation, len(others))
    return _TESTS[relation][1](item, others)


def arity(relation: str, count: int) -> None:
    """Raise INVALID for an unknown comparator or a wrong number of other items."""
    if relation not in _TESTS:
        raise SaySoError(Code.INVALID, f"there is no relation '{relation}'.", choices=_TESTS)
    needed = 2 if relation == "isbetween" else 1
    if count != needed:
        raise SaySoError(Code.INVALID, f"'{relation}' needs {needed} other things, not {count}.")


def _gap(a: Item, b: Item, axis: int) -> float:
    return a.centre[axis] - b.centre[axis]


def _apart(a: Item, b: Item) -> float:
    return float(np.hypot(_gap(a, b, 0), _gap(a, b, 1)))


def _over(a: Item, b: Item) -> bool:
    """Whether a's middle is over b's footprint, or in front of the wall that b hangs on."""
    wide = b.corners(0.05 + (0.5 if b.size[0] < 0.05 or a.size[0] < 0.05 else 0.0))
    low, high = wide.min(axis=0), wide.max(axis=0)
    place = np.array(a.centre[:2])
    return bool(np.all(place >= low) and np.all(place <= high))


def _above(a: Item, others: Sequence[Item]) -> bool:
    (b,) = others
    return (_over(a, b) or _over(b, a)) and _gap(a, b, 2) > _ABOVE_M


def _not_above(a: Item, others: Sequence[Item]) -> bool:
    (b,) = others
    return not (_over(a, b) or _over(b, a)) or _gap(a, b, 2) < -_ABOVE_M


def _segment(a: Item, others: Sequence[Item]) -> tuple[float, float]:
    """Share of the way from one to the other, and the distance to the line through both."""
    p, q = (np.array(o.centre[:2]) for o in others)
    way = q - p
    length = float(np.linalg.norm(way))
    if length < 1e-6:
        return (-1.0, float("inf"))
    to = np.array(a.centre[:2]) - p
    return float(to @ way) / length**2, abs(float(way[0] * to[1] - way[1] * to[0])) / length


def _between(a: Item, others: Sequence[Item]) -> bool:
    share, aside = _segment(a, others)
    return _ENDS < share < 1 - _ENDS and aside < BETWEEN_M[0]


def _not_between(a: Item, others: Sequence[Item]) -> bool:
    share, aside = _segment(a, others)
    return share < -_ENDS or share > 1 + _ENDS or aside > BETWEEN_M[1]


def _side(axis: int, sign: int) -> tuple[_Test, _Test]:
    return (
        lambda a, others: sign * _gap(a, others[0], axis) > SIDE_M,
        lambda a, others: sign * _gap(a, others[0], axis) < -SIDE_M,
    )


_TESTS: dict[str, tuple[_Test, _Test]] = {
    "isbetween": (_between, _not_between),
    "isabove": (_above, _not_above),
    "isbelow": (
        lambda a, others: _above(others[0], (a,)),
        lambda a, others: _not_above(others[0], (a,)),
    ),
    "isleftof": _side(1, 1),
    "isrightof": _side(1, -1),
    "isnextto": (
        lambda a, others: _apart(a, others[0]) < NEXT_TO_M[0],
        lambda a, others: _apart(a, others[0]) > NEXT_TO_M[1],
    ),
    "isinfrontof": _side(0, -1),
    "isbehind": _side(0, 1),
}
"""Each comparator's test that it clearly holds, and that it clearly does not."""
