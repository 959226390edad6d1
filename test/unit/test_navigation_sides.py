"""Where the robot goes to be near a thing when a wall is between them, and where none is."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.predicates import SceneView
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Atom
from sayso.logic.text import parse
from sayso.planning.navigation.flat import Flat, Place
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.nearness import Footprint, Nearness, Reach
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.patrol import plan_patrol
from sayso.planning.navigation.places import outset_of, walled_predicates
from sayso.planning.navigation.sides import beyond_walls, walls_of
from sayso.planning.navigation.tour import plan_tour
from support.flats import DOMAIN, LIBRARY

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
    flat = Flat.of(rooms(door), places, DOMAIN, walled_predicates(LIBRARY))
    return Outset(flat, obligations_of(parse(text, grounded=True)), HERE)


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


def test_what_surrounds_a_thing_is_no_wall_but_furniture_that_nobody_looked_for() -> None:
    grid, cat = rooms(door=False), Footprint.box(2.7, 4.5, 0.4, 0.2)
    row, _ = grid.cell_at((2.7, 4.5))
    grid.cells[row - 8 : row + 8, 47:60] = OCCUPIED  # up to the wall
    for beside_m in (0.0, 0.2):  # the floor before it is as near as that, where the cat may be
        assert not beyond_walls(grid, walls_of(grid, (cat,)), cat, 1.15, beside_m).any()


BEHIND = Footprint.box(3.38, 2.5, 0.2, 0.4)
"""A cat 0.18 m behind the wall, where it shuts off the way along it."""
PLANT = Footprint.box(1.5, 5.2, 0.3, 0.3)


def ward(rule: str) -> Outset:
    """In the left room 1.25 m are left beside the wall to pass by, to a plant at its other end."""
    flat = outset(f"F(near(plant)) & {rule}", plant=PLANT, cat=BEHIND).flat
    cells = flat.grid.cells.copy()
    cells[:, :35] = OCCUPIED
    grid = replace(flat.grid, cells=cells)
    task = obligations_of(parse(f"F(near(plant)) & {rule}", grounded=True))
    return Outset(replace(flat, grid=grid), task, (2.35, 1.0))


def test_who_is_behind_a_wall_shuts_no_way_off_where_the_same_room_is_meant() -> None:
    with pytest.raises(SaySoError) as raised:
        plan_tour(ward("G(!near(cat))"))
    assert raised.value.code is Code.NO_PLAN
    assert "in the same room" in raised.value.hint
    tour = plan_tour(ward("G(!near_in_room(cat))"))
    start, end = tour.legs[-1].path
    along = start + np.linspace(0.0, 1.0, 50)[:, None] * (end - start)
    assert BEHIND.distance_m(*along.T).min() < 1.0
    assert tour.legs[-1].args == ("plant",)


def test_the_same_room_is_left_alone_as_ever() -> None:
    """The way to the cabinet's side of the wall leads past the cat."""
    task = outset("F(near_in_room(cabinet)) & G(!near_in_room(cat))", cat=CAT)
    with pytest.raises(SaySoError) as raised:
        plan_tour(task)
    assert raised.value.code is Code.NO_PLAN


def test_to_be_sent_to_a_thing_in_its_room_is_to_be_sent_round() -> None:
    tour = plan_tour(outset("F(near_in_room(cabinet))"))
    assert tour.legs[-1].path[-1, 0] > 3.1
    with pytest.raises(SaySoError) as raised:
        plan_tour(outset("F(near_in_room(cabinet))", door=False))
    assert raised.value.code in (Code.NO_PLAN, Code.UNREACHABLE)


@pytest.mark.parametrize("door", [True, False])
@pytest.mark.parametrize("cat", [BEHIND, CAT, Footprint.box(3.24, 2.0, 0.2, 0.2)])
def test_planner_and_observer_agree_on_what_is_near_in_the_same_room(
    cat: Footprint, door: bool
) -> None:
    """Where the planner is sure the predicate says the same; where it is not they may differ."""
    task = outset("G(!near_in_room(cat))", door=door, cat=cat)
    (x, y), size = np.mean(cat.corners, axis=0), np.ptp(cat.corners, axis=0)
    things = (
        SceneObject("cat", "cat", "", (x, y, 0.1), (*size, 0.2)),
        SceneObject("cabinet", "cabinet", "", (3.3, 1.0, 0.5), (0.4, 1.0, 1.0)),
    )
    near, grid = task.near(), task.flat.grid
    differing, told = 0, 0
    for row, column in np.argwhere(grid.cells == FREE)[::7]:
        place = (*grid.centres([(row, column)])[0].tolist(), 0.0)
        scene = Scene(0.0, things, RobotState(base=Pose(place)), occupied=grid.occupied)
        truth = SceneView(scene, LIBRARY.predicates).truth(Atom("near_in_room", ("cat",)))
        here = near.at((row, column))
        if "cat, in the same room" in here.unsure:
            continue
        told += bool(truth)
        differing += truth != ("cat, in the same room" in here.sure)
    assert differing == 0
    assert told > 50


def test_what_is_not_well_known_to_be_there_has_a_wider_margin() -> None:
    """Where others are kept off for sure it is in doubt, and where they are near for sure."""
    sure, unsure = (reach_of((replace(SEEN, off_m=off_m),)) for off_m in (0.05, 0.3))
    assert (sure.sure_m, sure.possible_m) == pytest.approx((0.85, 1.15))
    assert (unsure.sure_m, unsure.possible_m) == pytest.approx((0.65, 1.35))


SEEN = SceneObject("cat", "cat", "", (1.5, 4.0, 0.15), (0.4, 0.2, 0.3))


def reach_of(things: tuple[SceneObject, ...]) -> Reach:
    task = obligations_of(parse("G(!near(cat))", grounded=True))
    return outset_of(task, Scene(0.0, things), rooms(), LIBRARY, HERE).reach["cat"]
