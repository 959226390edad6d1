"""Whether a wall stands between the robot and a thing."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.occupied import Occupied
from sayso.core.scene import Scene, SceneObject
from sayso.core.walls import walled_off

REACH_M = 1.0
CAT = SceneObject("cat", "cat", "orange", (1.85, 2.0, 0.1), (0.4, 0.2, 0.2))


def flat(*, wall: bool) -> Scene:
    cells = np.zeros((80, 60), bool)
    if wall:
        cells[:, 25:28] = True  # at x = 1.25 to 1.4 m
    return Scene(0.0, (CAT,), occupied=Occupied(cells, (0.0, 0.0), 0.05))


@pytest.mark.parametrize("y", np.arange(1.6, 2.7, 0.13))
def test_a_wall_counts_up_to_the_very_edge_of_reach(y: float) -> None:
    walled, free = flat(wall=True), flat(wall=False)
    for x in np.arange(0.6, 1.2, 0.004):
        place = (float(x), float(y), 0.1)
        if CAT.distance_to(place) <= REACH_M:
            assert walled_off(walled, CAT, place, REACH_M), place
        assert not walled_off(free, CAT, place, REACH_M)
