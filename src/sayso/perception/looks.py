"""Kinds of things in a flat by their measures: named only where one kind fits and no other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.perception.kind_tables import KindTable, typed

Range = tuple[float, float]
Place = Literal["floor", "top", "both"]
_SOFTNESS: Mapping[str, float] = {"length_m": 0.10, "width_m": 0.10, "height_m": 0.05}
"""Relative excess over a range that costs as much as one sigma."""
_NOISE_M = 0.006
_SOLIDITY_SOFTNESS = 0.06


@dataclass(frozen=True)
class Measures:
    """What is seen of one thing.

    Attributes:
        length_m, width_m: of the smallest rectangle around it, seen from above.
        height_m: from what it stands on to its top.
        solidity: share of its outline's convex hull in the image that it fills: low for what
            has legs.
        color: its name.
        on_floor: False for what stands on furniture.
    """

    length_m: float
    width_m: float
    height_m: float
    solidity: float
    color: str
    on_floor: bool


@dataclass(frozen=True)
class Look:
    """How one kind looks; the fields are explained in `flat_looks.yaml`."""

    category: str
    length_m: Range
    width_m: Range
    height_m: Range
    solidity: Range = (0.0, 1.5)
    stands: Place = "both"
    colors: tuple[str, ...] = ()
    rival: bool = False

    def __post_init__(self) -> None:
        for name in ("length_m", "width_m", "height_m", "solidity"):
            low, high = getattr(self, name)
            if not 0 <= low <= high:
                raise _error(self.category, f"{name} must be [least, most] with 0 <= least <= most")
        if self.stands not in get_args(Place):
            raise _error(self.category, f"it cannot stand on '{self.stands}'", get_args(Place))

    def score(self, seen: Measures) -> float:
        """1 where all measures lie in their ranges, falling off like a Gaussian outside."""
        here = self.stands == "both" or (self.stands == "floor") == seen.on_floor
        if not here or (self.colors and seen.color not in self.colors):
            return 0.0
        misfits = [
            self._misfit(name, seen, softness, _NOISE_M) for name, softness in _SOFTNESS.items()
        ]
        misfits.append(self._misfit("solidity", seen, 0.0, _SOLIDITY_SOFTNESS))
        return float(np.exp(-0.5 * sum(m * m for m in misfits)))

    def _misfit(self, name: str, seen: Measures, softness: float, noise: float) -> float:
        low, high = getattr(self, name)
        return _beyond(getattr(seen, name), low, high, softness, noise)


Looks = Mapping[str, Look]


def name(
    seen: Measures, looks: Looks, least: float = 0.6, rivals_most: float = 0.3
) -> tuple[str, float] | None:
    """The category that alone fits, with its score; None if none or several do.

    Args:
        least: score that the best category must have.
        rivals_most: score that no other one may have.
    """
    best, *others = sorted(((k.score(seen), k) for k in looks.values()), key=lambda p: -p[0])
    score, look = best
    rival = max((s for s, _ in others), default=0.0)
    if look.rival or score < least or rival > rivals_most:
        return None
    return look.category, score * (1 - rival / 2)


@lru_cache(maxsize=1)
def flat_looks() -> Looks:
    """The built-in kinds."""
    return _TABLE.built_in()


def load_looks(path: Path) -> Looks:
    """Kinds from a YAML file. Raises CONFIG with the entry at fault."""
    return _TABLE.load(path)


def _look(category: str, entry: Mapping[str, Any]) -> Look:
    known = {f.name for f in fields(Look)} - {"category"}
    ranges = ("length_m", "width_m", "height_m", "solidity")
    return Look(category=category, **typed(entry, known, ranges, f"look of '{category}'"))


_TABLE = KindTable("flat_looks.yaml", "looks", "looks", _look)


def _beyond(value: float, low: float, high: float, softness: float, noise: float) -> float:
    """How many sigmas a value lies outside a range."""
    if value > high:
        return (value - high) / (softness * high + noise)
    if value < low:
        return (low - value) / (softness * low + noise)
    return 0.0


def _error(category: str, what: str, choices: tuple[str, ...] = ()) -> SaySoError:
    return SaySoError(Code.CONFIG, f"look of '{category}': {what}.", choices=choices)
