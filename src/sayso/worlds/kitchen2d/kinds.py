"""The kinds of things in the 2D kitchen: their form, their usual sizes and what they can do.

Lengths are metres. `width` is along x, `height` along z; the kitchen is a vertical plane.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from sayso.core.errors import Code, SaySoError

Form: TypeAlias = Literal["block", "chamfered", "plate", "cup", "tub", "tap"]
"""What a thing is made of: see `shapes`."""

Range: TypeAlias = tuple[float, float]

GRIPPER_MAX_M = 0.08
"""How wide the gripper opens."""


@dataclass(frozen=True)
class Kind:
    """A kind of thing.

    Attributes:
        width_m, height_m: what a generator draws its size from.
        fixed: stands where it stands, whatever pushes it.
        density: relative to water.
    """

    name: str
    form: Form
    width_m: Range
    height_m: Range
    fixed: bool = False
    density: float = 0.6


def _small(name: str, width: Range, height: Range) -> Kind:
    return Kind(name, "block", width, height)


def _food(name: str, height: Range = (0.036, 0.044)) -> Kind:
    # Wider than any cup's mouth: food goes into pots only.
    return Kind(name, "chamfered", (0.066, 0.072), height)


_KINDS = (
    # Large things that stay where they are.
    Kind("shelf", "block", (0.22, 0.26), (0.03, 0.04), fixed=True),
    Kind("coaster", "block", (0.13, 0.16), (0.014, 0.018), fixed=True),
    Kind("tray", "block", (0.18, 0.21), (0.02, 0.028), fixed=True),
    Kind("mat", "block", (0.28, 0.31), (0.011, 0.013), fixed=True),
    Kind("napkin", "block", (0.25, 0.27), (0.010, 0.012), fixed=True),
    Kind("board", "block", (0.22, 0.25), (0.028, 0.034), fixed=True),
    # A plate is too wide for the gripper, and slides.
    Kind("plate", "plate", (0.19, 0.21), (0.03, 0.031), density=0.8),
    # Small things that are carried and stacked.
    _small("block", (0.05, 0.06), (0.045, 0.06)),
    _small("can", (0.055, 0.065), (0.065, 0.08)),
    _small("box", (0.06, 0.072), (0.05, 0.06)),
    _small("tin", (0.062, 0.072), (0.036, 0.044)),
    _small("jar", (0.055, 0.065), (0.07, 0.085)),
    _small("carton", (0.06, 0.07), (0.075, 0.09)),
    _small("sponge", (0.065, 0.073), (0.036, 0.042)),
    _small("bread", (0.062, 0.072), (0.05, 0.06)),
    _small("butter", (0.055, 0.065), (0.036, 0.044)),
    _small("honey", (0.055, 0.065), (0.06, 0.075)),
    _small("cheese", (0.06, 0.07), (0.04, 0.05)),
    _small("cereal", (0.06, 0.07), (0.08, 0.095)),
    # Cooking.
    Kind("pot", "tub", (0.172, 0.178), (0.165, 0.175), fixed=True, density=5.0),
    Kind("basket", "tub", (0.172, 0.178), (0.15, 0.16), fixed=True, density=5.0),
    Kind("cup", "cup", (0.071, 0.073), (0.088, 0.094)),
    Kind("faucet", "tap", (0.16, 0.16), (0.46, 0.46), fixed=True),
    _food("sausage"),
    _food("potato"),
    _food("carrot"),
    _food("tomato", (0.04, 0.046)),
    _food("mushroom"),
    _food("egg", (0.04, 0.046)),
)

KINDS: Mapping[str, Kind] = {k.name: k for k in _KINDS}

FOOD = frozenset({"sausage", "potato", "carrot", "tomato", "mushroom", "egg"})
COLORS = ("red", "green", "blue", "yellow", "orange", "purple", "white", "black")


def kind(name: str) -> Kind:
    """The kind of this name. Raises INVALID, naming those there are."""
    try:
        return KINDS[name]
    except KeyError:
        raise SaySoError(
            Code.INVALID, f"the 2D kitchen knows no '{name}'.", choices=sorted(KINDS)
        ) from None
