"""Ways of the whole long base, places and headings searched together."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sayso.logic.text import parse
from sayso.planning.navigation.flat import Flat, Place
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.headings import Footing, headings_along
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.nearness import Footprint
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.turning import Lattice, way_with_turns
from sayso.planning.navigation.ways import Ways
from support.flats import DOMAIN

FOOTPRINT_M = (1.10, 0.50)

NICHE = np.array([[4.3, 0.5]])
"""In a niche 0.85 m wide, along the lower wall at the far end of the room."""


def grid() -> OccupancyGrid:
    """A room of 5 m by 4 m."""
    cells = np.full((80, 100), FREE, np.int8)
    cells[[0, -1], :] = OCCUPIED
    cells[:, [0, -1]] = OCCUPIED
    cells[18:30, 66:100] = OCCUPIED
    return OccupancyGrid(cells)


def test_the_base_backs_out_of_where_it_cannot_turn() -> None:
    floor = grid()
    lattice = Lattice.of(Footing(floor, FOOTPRINT_M), np.ones(floor.shape, bool))
    start, goal = (4.3, 0.5, 0.0), np.array([[1.0, 3.0]])
    path = way_with_turns(lattice, start, goal, np.array([math.pi / 2]))
    assert path is not None
    assert np.allclose(path[0], start[:2]) and np.allclose(path[-1], goal[0])
    places = headings_along(path, start[2], Footing(floor, FOOTPRINT_M))
    points, yaws = np.array(places)[:, :2], np.array(places)[:, 2]
    assert Footing(floor, FOOTPRINT_M).fits(points, yaws).all()


def test_a_narrow_place_is_entered_lengthways_only() -> None:
    floor = grid()
    lattice = Lattice.of(Footing(floor, FOOTPRINT_M), np.ones(floor.shape, bool))
    start = (1.0, 3.0, 0.0)
    assert way_with_turns(lattice, start, NICHE, np.array([0.0])) is not None
    assert way_with_turns(lattice, start, NICHE, np.array([math.pi / 2])) is None


@pytest.mark.parametrize("forbidden", [False, True])
def test_own_ways_end_in_narrow_places_unless_the_task_forbids(forbidden: bool) -> None:
    text = "F(near(shelf))" + (" & G(!near(vase))" if forbidden else "")
    places = [
        Place("shelf", Footprint.box(0.4, 3.5, 0.4, 0.4)),
        Place("vase", Footprint.box(4.7, 0.3, 0.1, 0.1)),
    ]
    task = obligations_of(parse(text, grounded=True))
    ways = Ways(Outset(Flat.of(grid(), places, DOMAIN), task, (1.0, 3.0)), FOOTPRINT_M, 0.0)
    assert ways.way((1.0, 3.0), NICHE) is None
    path = ways.way((1.0, 3.0), NICHE, np.zeros(1))
    assert (path is None) == forbidden
    assert ways.fits(NICHE, np.zeros(1))[0] == (not forbidden)
    assert not ways.fits(NICHE, np.full(1, math.pi / 2))[0]
