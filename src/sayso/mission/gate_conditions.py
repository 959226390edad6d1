"""What the gate of a robot in a flat asks in addition: of its map, and of those who walk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sayso.core.errors import Code
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import in_words
from sayso.planning.navigation.grid import OCCUPIED, OccupancyGrid
from sayso.planning.navigation.nearness import Footprint, near_mask
from sayso.skills.conditions import Condition, Request
from sayso.skills.mover_settings import MOVERS

BODY_RADIUS_M = 0.25
"""What is nearer to the base's middle than this is in its way, whatever its heading."""
ON_THE_SPOT_M = 0.05
"""Less of a way is none: the base turns, or comes to rest."""


BODY_AHEAD_M = 0.60
"""From the base's middle to just before its front: nobody is driven up to nearer than this."""
_WALKER_M = 0.25
"""Ways keep this much more off people and pets than off furniture: as the gate does."""


def movers(scene: Scene) -> tuple[SceneObject, ...]:
    """Who is in the flat: people and pets. The map leaves them out, since they do not stay."""
    return tuple(o for o in scene.objects if o.living)


def with_walkers(grid: OccupancyGrid, scene: Scene) -> OccupancyGrid:
    """The floor with people and pets standing where they were last seen."""
    there = movers(scene)
    if not there:
        return grid
    cells = grid.cells.copy()
    for walker in there:
        cells[near_mask(grid, Footprint.of(walker), _WALKER_M)] = OCCUPIED
    return replace(grid, cells=cells)


def nobody_in_the_way(scene: Callable[[], Scene]) -> Condition:
    """The base does not come to rest right before somebody whom it comes nearer to."""

    def blocked(request: Request) -> str | None:
        now, then = request.robot.base, request.predicted.base
        if now is None or then is None:
            return None
        for walker in movers(scene()):
            z = walker.position[2]
            here = walker.distance_to((*now.position[:2], z))
            rest = walker.distance_to((*then.position[:2], z))
            if rest < min(BODY_AHEAD_M, here - MOVERS.nearer_m):
                return f"{in_words(walker.name)} is in the way"
        return None

    return Condition("nobody in the way", blocked, Code.EXECUTION, "it is planned around.")


def way_is_free(grid: Callable[[], OccupancyGrid]) -> Condition:
    """Nothing was seen to stand where the base would come to rest."""

    def blocked(request: Request) -> str | None:
        now, then = request.robot.base, request.predicted.base
        if now is None or then is None or now.position == then.position:
            return None
        x, y, _ = then.position
        gone_m = float(np.hypot(x - now.position[0], y - now.position[1]))
        if gone_m < ON_THE_SPOT_M:
            return None
        floor = grid()
        if floor.clearance_m[floor.cell_at((x, y))] > BODY_RADIUS_M:
            return None
        return f"something stands in the way at ({x:.1f}, {y:.1f})"

    return Condition("the way is free", blocked, Code.EXECUTION, "it is planned around.")
