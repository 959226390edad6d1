"""Ways that the whole long base can follow, where the shortest way of its middle is none."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sayso.logic.text import parse
from sayso.planning.navigation.flat import Flat, Place
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.headings import HEADINGS, Footing, headings_along
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.nearness import Footprint
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.ways import Ways, alike
from support.flats import DOMAIN

FOOTPRINT_M = (1.10, 0.50)

START, YAW = (1.0, 2.0), 0.0


def outset() -> Outset:
    """A room of 6 m by 4 m; a cabinet stands so near a wall that the base cannot turn between."""
    cells = np.full((80, 120), FREE, np.int8)
    cells[[0, -1], :] = OCCUPIED
    cells[:, [0, -1]] = OCCUPIED
    cells[40:80, 98:100] = OCCUPIED  # a niche at the far end, 1 m wide
    task = obligations_of(parse("F(near(shelf))", grounded=True))
    shelf = Place("shelf", Footprint.box(5.5, 3.9, 0.6, 0.2))
    return Outset(Flat.of(OccupancyGrid(cells), [shelf], DOMAIN), task, START)


def test_places_alike_have_room_for_the_whole_base():
    case = outset()
    footing = Footing(case.flat.grid, FOOTPRINT_M)
    blocked = (5.45, 3.35)  # its middle has room there, its length in no heading
    headings = np.arange(12) * math.pi / 12
    assert case.standable()[case.flat.grid.cell_at(blocked)]
    assert not footing.fits(np.repeat([blocked], 12, axis=0), headings).any()
    places = alike(case, blocked, FOOTPRINT_M)
    assert len(places)
    path = Ways(case, FOOTPRINT_M, YAW).way(START, places)
    assert path is not None
    headings_along(path, YAW, footing)  # raises where the base cannot turn


def test_a_place_that_only_the_middle_of_the_base_fits_is_not_gone_to():
    case = outset()
    goal = np.array([[5.45, 3.35]])
    assert Ways(case, FOOTPRINT_M).way(START, goal) is not None
    assert Ways(case, FOOTPRINT_M, YAW).way(START, goal) is None


def test_who_has_no_room_to_face_a_thing_stays_as_it_stands():
    footing = Footing(outset().flat.grid, FOOTPRINT_M)
    blocked = np.array([[5.45, 3.35]])
    places = headings_along(blocked, 1.32, footing, face=(0.0, 0.0))
    assert {(x, y) for x, y, _ in places} == {(5.45, 3.35)}
    assert places[-1][2] == pytest.approx(1.32, abs=math.tau / HEADINGS)
