"""The map of a flat saved with a picture for people."""

from __future__ import annotations

from pathlib import Path

from sayso.perception.flat_map import FlatMap
from sayso.perception.map_files import FloorPlan
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.planning.navigation.picture import draw_map

PICTURE = "map.png"


def save_flat_map(flat: FlatMap, folder: Path) -> None:
    """Write the map, what was kept of the tour, and a picture from above with the robot's way.

    Raises:
        SaySoError: as `FlatMap.save`.
    """
    flat.save(folder)
    route = flat.route()
    grid = occupancy_grid(flat.mapper.floor_plan())
    draw_map(grid, paths=[route] if len(route) > 1 else []).save(folder / PICTURE)


def occupancy_grid(plan: FloorPlan) -> OccupancyGrid:
    """A floor plan as planning wants it."""
    return OccupancyGrid(plan.cells, plan.origin, plan.resolution_m)
