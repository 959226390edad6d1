"""Where a robot goes to look for what it lost."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.logic.text import parse
from sayso.planning.navigation.flat import Flat, Place
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.nearness import Footprint
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.search_views import next_view
from sayso.planning.navigation.tour import plan_tour
from support.flats import DOMAIN

HERE = (1.0, 1.5)
CAT = Footprint.box(5.0, 0.3, 0.4, 0.4)


def outset() -> Outset:
    """Two rooms with a wide door; the toy that is to be fetched is nowhere on the map."""
    cells = np.full((30, 100), FREE, np.int8)  # 10 m x 3 m in cells of 10 cm
    cells[:8, 40:42] = cells[24:, 40:42] = OCCUPIED
    flat = Flat.of(OccupancyGrid(cells, (0.0, 0.0), 0.1), [Place("cat", CAT)], DOMAIN)
    return Outset(flat, obligations_of(parse("F(near(toy)) & G(!near(cat))", grounded=True)), HERE)


def test_what_is_lost_is_looked_for_where_nothing_was_seen_yet() -> None:
    path = next_view(outset(), [HERE])
    assert path is not None
    assert path[0] == pytest.approx(HERE)
    assert path[-1][0] > 2.5
    assert CAT.distance_m(path[:, 0], path[:, 1]).min() > 1.0, "what is kept off is kept off"


def test_there_is_no_tour_to_what_is_lost() -> None:
    with pytest.raises(SaySoError, match="toy") as caught:
        plan_tour(outset())
    assert caught.value.code is Code.UNKNOWN_OBJECT
