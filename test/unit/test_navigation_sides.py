"""Where the robot goes to be near a thing when a wall is between them, and where none is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.logic.text import parse
from sayso.planning.navigation.flat import Flat, Place
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.nearness import Footprint, Nearness
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.patrol import plan_patrol
from sayso.planning.navigation.sides import beyond_walls, walls_of
from sayso.planning.navigation.tour import plan_tour
from support.flats import DOMAIN

HERE = (1.5, 1.0)
CABINET = Footprint.box(3.3, 1.0, 0.4, 1.0)
"""With its back to the wall of two cells at x = 3.0 to 3.1."""
CAT = Footprint.box(3.05, 4.5, 0.2, 0.2)


def rooms(door: bool = True) -> OccupancyGrid:
    """Two rooms of 3 m by 6 m; the door is far from the cabinet."""
    cells = np.full((120, 122), FREE, np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = OCCUPIED
    cells[: 80 if door else 120, 60:62] = OCCUPIED
    cells[10:30, 62:70] = OCCUPIED
    return OccupancyGrid(cells)


def outset(text: str = "F(near(cabinet))", door: bool = True, **things: Footprint) -> Outset:
    places = (Place(n, f) for n, f in {"cabinet": CABINET, **things}.items())
    return Outset(
        Flat.of(rooms(door), places, DOMAIN), obligations_of(parse(text, grounded=True)), HERE
    )


def test_the_robot_drives_round_to_the_side_of_the_thing() -> None:
    tour = plan_tour(outset())
    assert tour.legs[-1].path[-1, 0] > 3.1
    through_the_wall = plan_tour(replace(outset(), same_side=False))
    assert through_the_wall.legs[-1].path[-1, 0] < 3.0
    assert tour.length_m > through_the_wall.length_m


def test_where_no_way_leads_to_its_side_the_other_side_of_the_wall_will_do() -> None:
    tour = plan_tour(outset(door=False))
    assert tour.legs[-1].path[-1, 0] < 3.0


@pytest.mark.parametrize("wish", ["F(near(cabinet))", "G(F(near(cabinet)))"])
def test_where_the_task_shuts_the_door_the_other_side_of_the_wall_will_do(wish: str) -> None:
    task = outset(f"{wish} & G(!near(cat))", cat=CAT)
    plans = plan_tour(task) if wish[0] == "F" else plan_patrol(task).there
    assert plans.legs[-1].path[-1, 0] < 3.0


def test_what_must_be_kept_off_may_be_near_through_a_wall_as_before() -> None:
    near, plain = outset().near(), replace(outset(), same_side=False).near()
    behind = outset().flat.grid.cell_at((2.5, 1.0))
    assert near.at(behind) == Nearness(frozenset(), frozenset({"cabinet"}))
    assert plain.at(behind) == Nearness(frozenset({"cabinet"}), frozenset({"cabinet"}))
    possible = [[bool(c.possible) for c in m.classes] for m in (near, plain)]
    assert (near.where(possible[0]) == plain.where(possible[1])).all()


def test_who_stands_behind_the_wall_already_is_near() -> None:
    behind = replace(outset(), position=(2.4, 1.0))
    assert not behind.beyond
    assert plan_tour(behind).legs == ()


def test_furniture_is_no_wall_and_an_open_door_beside_joins_two_rooms() -> None:
    grid, shelf = rooms(), Footprint.box(4.0, 1.0, 0.2, 1.0)
    grid.cells[10:30, 78:82] = OCCUPIED
    walls = walls_of(grid, (CABINET, shelf))
    beyond = beyond_walls(grid, walls, CABINET, 1.15)
    assert beyond[grid.cell_at((2.5, 1.0))]
    assert not beyond[grid.cell_at((4.3, 1.0))]
    grid.cells[35:50, 60:62] = FREE
    beside_a_door = beyond_walls(grid, walls_of(grid, (CABINET, shelf)), CABINET, 1.15)
    assert not beside_a_door[grid.cell_at((2.5, 1.4))]
