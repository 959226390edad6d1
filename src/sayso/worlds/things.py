"""What stands on the simulated table: names, categories, colours and sizes."""

from __future__ import annotations

from dataclasses import dataclass

from sayso.core.geometry import Vector3
from sayso.worlds.table.shapes.pieces import Box

Rgba = tuple[float, float, float, float]


@dataclass(frozen=True)
class Thing:
    """One kind of object of the table world.

    Attributes:
        name: unique; also the name of its MuJoCo body.
        category: what kind of thing it is.
        color: its colour's name.
        size: of its upright box along its own axes [m].
        rgba: as rendered.
        mass_kg: of the whole.
        clearance_m: radius of the disc around it that its own parts may fill.
        drawn: the family and the seed of its shape; None for what is always on the table.
        boxes: what it is made of, from its middle; none: it is its box.
        handle: where a hand takes it, as a box from its middle; by default its box.
        states: truths that furniture may give it, such as being filled; false at first.
        room: where other things are inside it, as a box from its middle; None: nowhere.
    """

    name: str
    category: str
    color: str
    size: Vector3
    rgba: Rgba
    mass_kg: float
    clearance_m: float
    drawn: tuple[str, int] | None = None
    boxes: tuple[Box, ...] = ()
    handle: Box | None = None
    states: tuple[str, ...] = ()
    room: Box | None = None


BLOCK_EDGE_M = 0.045
_BLOCK = (BLOCK_EDGE_M, BLOCK_EDGE_M, BLOCK_EDGE_M)
_BLOCK_RADIUS_M = BLOCK_EDGE_M / 2 * 2**0.5

MOVABLES: tuple[Thing, ...] = (
    Thing("plate", "plate", "white", (0.20, 0.20, 0.012), (0.84, 0.84, 0.82, 1), 0.30, 0.10),
    Thing("bowl", "bowl", "orange", (0.15, 0.15, 0.05), (0.95, 0.45, 0.04, 1), 0.20, 0.075),
    Thing("mug", "mug", "purple", (0.08, 0.08, 0.09), (0.42, 0.12, 0.62, 1), 0.20, 0.075),
    Thing("coaster", "coaster", "black", (0.10, 0.10, 0.006), (0.04, 0.04, 0.045, 1), 0.04, 0.071),
    Thing("red_block", "block", "red", _BLOCK, (0.82, 0.06, 0.06, 1), 0.06, _BLOCK_RADIUS_M),
    Thing("green_block", "block", "green", _BLOCK, (0.07, 0.58, 0.14, 1), 0.06, _BLOCK_RADIUS_M),
    Thing("blue_block", "block", "blue", _BLOCK, (0.06, 0.2, 0.78, 1), 0.06, _BLOCK_RADIUS_M),
)
"""Everything that can be carried, in the order in which a layout places it: large first."""


@dataclass(frozen=True)
class CabinetShape:
    """The cabinet and its one drawer, which slides towards the robot (-x).

    Lengths in metres. Heights are above the table. The drawer's front panel stands in front
    of the cabinet's front plane; the bar handle is at the centre of the panel's outer face.
    """

    width: float = 0.24
    depth: float = 0.24
    wall: float = 0.008
    roof_top: float = 0.136
    roof_thickness: float = 0.004
    panel_bottom: float = 0.070
    panel_top: float = 0.132
    panel_thickness: float = 0.012
    drawer_depth: float = 0.20
    drawer_wall: float = 0.005
    drawer_rim: float = 0.112
    travel: float = 0.16
    handle_length: float = 0.11
    handle_radius: float = 0.006
    handle_standoff: float = 0.045

    @property
    def panel_width(self) -> float:
        return self.width - 0.004

    @property
    def handle_height(self) -> float:
        return (self.panel_bottom + self.panel_top) / 2


CABINET = CabinetShape()
CABINET_POSITION: Vector3 = (0.56, 0.38, 0.0)
"""Middle of the cabinet's front plane at table height; a layout moves it by up to 1.5 cm."""

CABINET_RGBA: Rgba = (0.36, 0.2, 0.09, 1)
DRAWER_RGBA: Rgba = (0.93, 0.76, 0.1, 1)
HANDLE_RGBA: Rgba = (0.55, 0.57, 0.6, 1)

DRAWER_COLOR = "yellow"
CABINET_COLOR = "brown"
