"""What `sayso eval upsets` offers."""

from __future__ import annotations

from collections.abc import Mapping

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
