"""What the gate of a robot in a flat asks in addition: of its map, and of those who walk."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from sayso.core.errors import Code
from sayso.planning.navigation.grid import OccupancyGrid
from sayso.skills.gate import Condition, Request

BODY_RADIUS_M = 0.25
"""What is nearer to the base's middle than this is in its way, whatever its heading."""
ON_THE_SPOT_M = 0.05
"""Less of a way is none: the base turns, or comes to rest."""


def way_is_free(grid: Callable[[], OccupancyGrid]) -> Condition:
    """Nothing was seen to stand where the base would come to rest, or on its way there."""

    def blocked(request: Request) -> str | None:
        now, then = request.robot.base, request.predicted.base
        if now is None or then is None or now.position == then.position:
            return None
        floor = grid()
        here, rest = np.asarray(now.position[:2]), np.asarray(then.position[:2])
        gone_m = float(np.hypot(*(rest - here)))
        if gone_m < ON_THE_SPOT_M:
            return None
        for share in np.linspace(1.0, 0.0, max(2, int(gone_m / 0.1)), endpoint=False):
            x, y = (float(v) for v in here + share * (rest - here))
            if floor.clearance_m[floor.cell_at((x, y))] <= BODY_RADIUS_M:
                return f"something stands in the way at ({x:.1f}, {y:.1f})"
        return None

    return Condition("the way is free", blocked, Code.EXECUTION, "it is planned around.")
