"""What the gate of a robot in a flat asks in addition: of its map, and of those who walk."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from sayso.core.errors import Code
from sayso.core.geometry import Array
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import in_words
from sayso.planning.navigation.grid import OCCUPIED, OccupancyGrid
from sayso.planning.navigation.headings import Footing
from sayso.planning.navigation.nearness import Footprint, near_mask
from sayso.skills.conditions import Condition, Request
from sayso.skills.mover_settings import MOVERS
from sayso.skills.poses import yaw_of

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


def stays_around(path: Array, width_m: float) -> Condition:
    """The base stays within so much of a path (N, 2) of the map."""
    starts, ends = path[:-1], path[1:]
    along = ends - starts
    lengths = np.maximum((along**2).sum(axis=1), 1e-12)

    def strays(request: Request) -> str | None:
        then = request.predicted.base
        if then is None:
            return None
        here = np.asarray(then.position[:2])
        share = np.clip(((here - starts) * along).sum(axis=1) / lengths, 0.0, 1.0)
        off_m = float(np.linalg.norm(starts + share[:, None] * along - here, axis=1).min())
        if off_m <= width_m:
            return None
        return f"the navigator leads {off_m:.1f} m off the way that was checked"

    hint = "see why it goes another way, such as its costmap."
    return Condition("stays around its way", strays, Code.EXECUTION, hint)


def stands_free(grid: Callable[[], OccupancyGrid], footprint_m: tuple[float, float]) -> Condition:
    """The whole base has room where it would come to rest, with the heading that it has there.

    Args:
        footprint_m: length and width of the base.
    """

    def stands(request: Request) -> str | None:
        now, then = request.robot.base, request.predicted.base
        if now is None or then is None or now == then:
            return None
        x, y, _ = then.position
        if Footing(grid(), footprint_m).fits(np.array([[x, y]]), np.array([yaw_of(then)]))[0]:
            return None
        return f"the base would have no room at ({x:.1f}, {y:.1f})"

    return Condition("room for the base", stands, Code.EXECUTION, "it is planned around.")


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
