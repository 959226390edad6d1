"""What words about places mean in the world of a library; it declares that as data."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import MISSING, Field, asdict, dataclass, fields
from typing import Any


@dataclass(frozen=True)
class RelationThresholds:
    """How sensitive the comparators are; metres. The defaults suit a table top.

    Attributes:
        side_m: least difference for left, right, in front and behind.
        height_m: least difference of the centres' heights for above and below.
        hanging_m: largest gap, seen from above, to something that hangs above.
        next_to_m: largest gap between the boxes, seen from above, for next to.
        between_m: largest distance from the segment between the two others' centres.
        between_height_share: what heights count in that distance: 1 as in the paper, 0 for the
            distance seen from above.
    """

    side_m: float = 0.02
    height_m: float = 0.02
    hanging_m: float = 0.0
    next_to_m: float = 0.12
    between_m: float = 0.06
    between_height_share: float = 1.0


@dataclass(frozen=True)
class Places(RelationThresholds):
    """What all words about places mean. The defaults suit a table top.

    Attributes:
        origin: what the origin of the scene's frame is, for people.
        table_is_a_thing: False where the table is the ground that everything stands on.
        touching_m: how far measured places of things that touch may be apart.
    """

    origin: str = "the robot's base"
    table_is_a_thing: bool = False
    touching_m: float = 0.015


def read(data: Mapping[str, Any]) -> Places:
    """What a library's index declares; the rest is as it suits a table top.

    Raises:
        ValueError: for what places have not, or a value of another kind.
    """
    known = {f.name: f for f in fields(Places)}
    for name, value in data.items():
        if name not in known:
            raise ValueError(f"places have no '{name}'; there are {', '.join(known)}")
        if not _fits(value, known[name]):
            raise ValueError(f"'{name}' of the places cannot be {value!r}")
    return Places(**data)


def entry(places: Places) -> dict[str, Any]:
    """What `read` reads: what differs from a table top."""
    usual = asdict(Places())
    return {name: value for name, value in asdict(places).items() if value != usual[name]}


def _fits(value: object, field: Field[Any]) -> bool:
    assert field.default is not MISSING
    if isinstance(field.default, float):
        return isinstance(value, float | int) and not isinstance(value, bool) and value >= 0.0
    return isinstance(value, type(field.default))
