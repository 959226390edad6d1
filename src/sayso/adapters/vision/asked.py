"""What a query for things in a picture asks for."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.logic.formula import COLORS
from sayso.perception.colors import family

_LIGHT = frozenset({"white", "grey"})


@dataclass(frozen=True)
class Asked:
    """Colours and noun of a query such as "red sofa"; the noun has its words apart."""

    colors: tuple[str, ...]
    noun: str

    @classmethod
    def of(cls, query: str) -> Asked:
        words = query.lower().replace("_", " ").split()
        colors = tuple(w for w in words[:-1] if w in COLORS)
        return cls(colors, " ".join(w for w in words if w not in colors))

    def fits(self, seen: str) -> bool:
        """Whether the colours are the one seen; white and grey, orange and brown count as one."""
        return all(family(c) == family(seen) or {c, seen} <= _LIGHT for c in self.colors)
