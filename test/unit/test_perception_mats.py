"""A cube on a thin mat is told from one on the table."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.perception.appearance import tabletop_appearances
from sayso.perception.recognition import fit, measure
from sayso.perception.table import TablePlane

EDGE = 0.045


def cube(bottom: float) -> np.ndarray:
    """(N, 3) points of the top and of two sides, with the noise of cameras."""
    random = np.random.default_rng(1)
    spread = random.uniform(-EDGE / 2, EDGE / 2, (3, 800, 3))
    for points, axis in zip(spread, range(3), strict=True):
        points[:, axis] = EDGE / 2
    points = np.concatenate(spread) + random.normal(0.0, 0.0005, (2400, 3))
    return points + np.array([0.5, 0.1, bottom + EDGE / 2])


@pytest.mark.parametrize(("bottom", "expected"), [(0.0, 0.0), (0.006, 0.0045), (0.012, 0.0105)])
def test_what_a_cube_stands_on_shows_in_its_underside(bottom, expected):
    points, table = cube(bottom), TablePlane()
    box = fit(tabletop_appearances()["block"], points, measure(points, table), table)
    assert box.bottom == pytest.approx(expected, abs=0.002)
    assert (box.bottom > 0.0) is (bottom > 0.0)


@pytest.mark.parametrize("shows_m", [0.012, 0.02, EDGE])
def test_a_cube_on_the_table_of_which_something_hides_the_upper_part_is_as_high_as_it_is_long(
    shows_m,
):
    """As under a bowl, which stands out on all sides."""
    points, table = cube(0.0), TablePlane()
    points = points[points[:, 2] < shows_m]
    box = fit(tabletop_appearances()["block"], points, measure(points, table), table)
    assert box.size[2] == pytest.approx(EDGE, abs=0.004) and box.bottom == 0.0
