"""A kitchen before anything happens: which things there are and where they stand."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.worlds.kitchen2d.kinds import kind

TABLE_HALF_M = 1.2
"""The table reaches from minus this to plus this along x."""


@dataclass(frozen=True)
class Item:
    """One thing.

    Attributes:
        name: unique, such as `red_can`.
        kind: its name in `kinds`; the category that perception reports.
        x_m: where its middle is on the table, or on `on`, from that thing's middle.
        on: the thing it stands on; '' for the table.
    """

    name: str
    kind: str
    color: str
    width_m: float
    height_m: float
    x_m: float = 0.0
    on: str = ""


@dataclass(frozen=True)
class KitchenScene:
    """The things of one task, supports before what stands on them.

    Raises INVALID for an unknown kind or support and for a name that is there twice.
    """

    items: tuple[Item, ...]

    def __post_init__(self) -> None:
        names: set[str] = set()
        for item in self.items:
            kind(item.kind)
            if item.name in names:
                raise SaySoError(Code.INVALID, f"the kitchen has two things named {item.name}.")
            if item.on and item.on not in names:
                raise SaySoError(
                    Code.INVALID,
                    f"{item.name} stands on '{item.on}', which is not there before it.",
                    choices=sorted(names),
                    hint="list a support before what stands on it.",
                )
            names.add(item.name)

    def item(self, name: str) -> Item:
        """The thing of this name. Raises UNKNOWN_OBJECT."""
        for item in self.items:
            if item.name == name:
                return item
        raise unknown_object(name, [i.name for i in self.items])


def unknown_object(name: str, names: list[str]) -> SaySoError:
    """The error for a name that nothing in the kitchen has."""
    return SaySoError(
        Code.UNKNOWN_OBJECT, f"there is no '{name}' in the kitchen.", choices=sorted(names)
    )
