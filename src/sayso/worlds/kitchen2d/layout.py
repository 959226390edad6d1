"""Where things stand at the beginning: drawn from a seed, with room for the hand around each."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from sayso.core.errors import Code, SaySoError
from sayso.worlds.kitchen2d.gripper import PALM_M
from sayso.worlds.kitchen2d.kinds import COLORS, kind
from sayso.worlds.kitchen2d.scene import TABLE_HALF_M, Item, KitchenScene

_ROOM_M = PALM_M[0] / 2 + 0.014
"""Free space beside each thing, so that the palm can reach down to its neighbour."""
_FAUCET_M = 1.1


@dataclass
class Layout:
    """Draws a scene's things, then places them.

    Attributes:
        random: where all chance comes from.
    """

    random: np.random.Generator
    _drawn: list[Item] = field(default_factory=list)

    def add(self, category: str, on: str = "") -> str:
        """One more thing of a kind; its name, such as `red_can`, which nothing else has."""
        about = kind(category)
        taken = {i.name for i in self._drawn}
        free = [c for c in COLORS if f"{c}_{category}" not in taken]
        if not free:
            raise SaySoError(Code.LIMIT, f"there are only {len(COLORS)} of each kind.")
        color = str(self.random.choice(free))
        item = Item(
            name=f"{color}_{category}",
            kind=category,
            color=color,
            width_m=round(float(self.random.uniform(*about.width_m)), 4),
            height_m=round(float(self.random.uniform(*about.height_m)), 4),
            on=on,
        )
        self._drawn.append(item)
        return item.name

    def scene(self) -> KitchenScene:
        """All things, placed. Raises LIMIT where they do not fit on the table."""
        standing = [i for i in self._drawn if not i.on]
        row = self._ordered(standing)
        widths = [i.width_m for i in row]
        right = _FAUCET_M - 0.25 if any(i.kind == "faucet" for i in standing) else TABLE_HALF_M
        length = right + TABLE_HALF_M - 0.1
        spare = length - sum(widths) - _ROOM_M * len(row)
        if spare < 0:
            raise SaySoError(
                Code.LIMIT, f"{len(row)} things do not fit on the table.", hint="ask for fewer."
            )
        places = self._places(row, spare)
        return KitchenScene(tuple(_placed(i, places) for i in self._drawn))

    def _ordered(self, standing: Sequence[Item]) -> list[Item]:
        """Large things first, a plate between those it may be pushed on, small ones after."""
        small = [i for i in standing if not _large(i) and i.kind != "faucet"]
        flat = [i for i in standing if _large(i) and i.kind not in ("plate", "faucet")]
        plates = [i for i in standing if i.kind == "plate"]
        self.random.shuffle(flat)  # type: ignore[arg-type]
        self.random.shuffle(small)  # type: ignore[arg-type]
        return [*flat[:1], *plates, *flat[1:], *small]

    def _places(self, row: Sequence[Item], spare: float) -> dict[str, float]:
        """The middle of each thing: what is to spare is shared out at random."""
        shares = self.random.dirichlet(np.ones(len(row) + 1)) * spare * 0.9
        # Nothing fits between large things: their gaps are for plates to be pushed across.
        places = {}
        x = -TABLE_HALF_M + 0.05
        for item, share in zip(row, shares, strict=False):
            x += _ROOM_M + (0.0 if _large(item) else float(share)) + item.width_m / 2
            places[item.name] = round(x, 4)
            x += item.width_m / 2
        return places


def _large(item: Item) -> bool:
    return item.width_m > 0.1


def _placed(item: Item, places: dict[str, float]) -> Item:
    if item.on:
        return item
    x = _FAUCET_M if item.kind == "faucet" else places[item.name]
    return Item(item.name, item.kind, item.color, item.width_m, item.height_m, x)
