"""What kinds of things look like, as data: colours, shapes and ranges of sizes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, fields
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal, get_args

from sayso.core.errors import Code, SaySoError
from sayso.perception.kind_tables import KindTable, typed

Shape = Literal["cube", "box", "disc", "round", "fixture", "drawer"]
Range = tuple[float, float]
TABLETOP, SHAPES = "tabletop", "shapes"
"""Built-in tables: blocks and dishes of the table top; the families of shapes."""
ROUND_SHAPES: frozenset[Shape] = frozenset({"disc", "round"})


@dataclass(frozen=True)
class Appearance:
    """How to know one category; the fields are explained in `tabletop_appearance.yaml`."""

    category: str
    shape: Shape
    length_m: Range
    width_m: Range
    height_m: Range
    colors: tuple[str, ...] = ()
    part_of: str = ""
    panel_m: float = 0.0
    tray_m: float = 0.0
    named_by_color: bool = False

    def __post_init__(self) -> None:
        if self.shape not in get_args(Shape):
            raise _error(self.category, f"unknown shape '{self.shape}'", get_args(Shape))
        for name in ("length_m", "width_m", "height_m"):
            low, high = getattr(self, name)
            if not 0 <= low <= high:
                raise _error(self.category, f"{name} must be [least, most] with 0 <= least <= most")
        if (self.shape == "drawer") != bool(self.part_of):
            raise _error(self.category, "`part_of` goes with the shape drawer, and only with it")

    def could_be(self, color: str) -> bool:
        return not self.colors or color in self.colors


Appearances = Mapping[str, Appearance]


@lru_cache(maxsize=1)
def tabletop_appearances() -> Appearances:
    """The built-in table-top categories."""
    return _TABLE.built_in()


def load_appearances(path: Path) -> Appearances:
    """Categories from a YAML file. Raises CONFIG with the entry at fault."""
    return _TABLE.load(path)


def appearances_of(which: str) -> Appearances:
    """Built-in categories by name ("": those of the table top), or those of a file.

    Raises:
        SaySoError: CONFIG with the entry at fault, or for a name that no built-in table has.
    """
    if which in ("", TABLETOP):
        return tabletop_appearances()
    if which == SHAPES:
        return _SHAPES.built_in()
    if "/" not in which and not which.endswith((".yaml", ".yml")):
        text = f"there is no built-in table of appearances '{which}'."
        raise SaySoError(Code.CONFIG, text, choices=(TABLETOP, SHAPES))
    return load_appearances(Path(which).expanduser())


def _appearance(category: str, entry: Mapping[str, Any]) -> Appearance:
    known = {f.name for f in fields(Appearance)} - {"category"}
    ranges = ("length_m", "width_m", "height_m")
    whole = {"width_m": entry["length_m"], **entry}
    values = typed(whole, known, ranges, f"appearance of '{category}'")
    for name in ("panel_m", "tray_m"):
        values[name] = float(values.get(name, 0.0))
    return Appearance(category=category, **values)


_TABLE, _SHAPES = (
    KindTable(f"{name}_appearance.yaml", "categories", "appearances", _appearance)
    for name in (TABLETOP, SHAPES)
)


def _error(category: str, what: str, choices: tuple[str, ...] | list[str] = ()) -> SaySoError:
    return SaySoError(Code.CONFIG, f"appearance of '{category}': {what}.", choices=choices)
