"""What `sayso eval upsets` offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sayso.core.options import option
from sayso.worlds import table_upsets
from sayso.worlds.flat import upsets as flat_upsets

UPSETS: Mapping[str, tuple[str, ...]] = {
    "table": tuple(table_upsets.UPSETS),
    "kinematic_table": tuple(table_upsets.UPSETS),
    "flat": tuple(flat_upsets.UPSETS),
}
"""By world. The simulated table and flat have physics, noise and cameras; the kinematic table has
neither of them."""

ENDS_IN_NO_GOAL = frozenset({"thing_taken_away"})
"""After these the task cannot be done, and that is what is to be told."""


def _listed() -> str:
    return "; ".join(f"{world}: {', '.join(names)}" for world, names in UPSETS.items())


@dataclass(frozen=True)
class Settings:
    """Which tasks are upset how."""

    world: str = option(
        next(iter(UPSETS)),
        "table and flat: simulated, with physics and noisy cameras; kinematic_table: without",
        choices=UPSETS,
    )
    upsets: tuple[str, ...] = option(
        (),
        f"kinds (default: all of the world); {_listed()}",
        "NAME",
        choices=dict.fromkeys(name for names in UPSETS.values() for name in names),
    )
    seeds: int = option(20, "of each kind, from --seed on", "N")
