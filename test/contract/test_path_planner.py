"""What every planner of paths must do."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.logic.text import parse
from sayso.planning.navigation.flat import Flat, Place
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import FREE, OccupancyGrid, path_length, segments_clear
from sayso.planning.navigation.itinerary import Outset
from sayso.planning.navigation.nearness import NEAR_M, Footprint
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.paths import GRID, PathPlanner, PathQuestion
from sayso.planning.navigation.tour import plan_tour
from support.flats import DOMAIN
from support.floors import corners_apart, rooms


@pytest.fixture(params=sorted(registry.BACKENDS["path_planner"]))
def planner(request: pytest.FixtureRequest) -> PathPlanner:
    return registry.create("path_planner", request.param)


def floor(door: int = 6) -> np.ndarray:
    free = np.ones((40, 50), bool)
    free[:, 24:26] = False
    free[30 : 30 + door, 24:26] = True
    return free


def corner(free: np.ndarray) -> np.ndarray:
    goal = np.zeros_like(free)
    goal[2:6, 42:47] = True
    return goal


def test_a_path_leads_through_the_door_into_the_goal(planner: PathPlanner) -> None:
    free = floor()
    goal = corner(free)
    path = planner.find(PathQuestion(free, (4, 5), goal))
    assert path[0].tolist() == [5.5, 4.5]
    assert goal[tuple(np.floor(path[-1][::-1]).astype(int))]
    assert segments_clear(free, path[:-1], path[1:]).all()
    length = np.linalg.norm(np.diff(path, axis=0), axis=1).sum()
    by_the_door = np.hypot(24 - 5.5, 30 - 4.5) + 2 + np.hypot(42 - 26, 30 - 6)
    assert by_the_door - 1e-6 <= length <= 1.02 * by_the_door


def test_who_stands_in_the_goal_need_not_move(planner: PathPlanner) -> None:
    free = floor()
    path = planner.find(PathQuestion(free, (4, 44), corner(free)))
    assert (path == [44.5, 4.5]).all()


def test_a_shut_door_is_unreachable_and_not_a_lack_of_time(planner: PathPlanner) -> None:
    free = floor(door=0)
    with pytest.raises(SaySoError, match="no free floor joins the goal") as caught:
        planner.find(PathQuestion(free, (4, 5), corner(free)))
    assert caught.value.code == Code.UNREACHABLE


def test_a_start_that_is_not_free_is_refused(planner: PathPlanner) -> None:
    free = floor()
    with pytest.raises(SaySoError) as caught:
        planner.find(PathQuestion(free, (4, 24), corner(free)))
    assert caught.value.code == Code.PRECONDITION


@pytest.mark.parametrize("seed", [3, 4])
def test_paths_over_furnished_floors_are_clear_and_hardly_longer_than_the_grids(
    planner: PathPlanner, seed: int
) -> None:
    free = rooms(seed, rows=100, columns=120, furniture=6).standable(0.3)
    question = PathQuestion(free, *corners_apart(free, seed))
    path = planner.find(question)
    assert segments_clear(free, path[:-1], path[1:]).all()
    assert question.goal[tuple(np.floor(path[-1][::-1]).astype(int))]
    assert path_length(path) <= 1.02 * path_length(GRID.find(question))


def test_the_same_question_gets_the_same_answer(planner: PathPlanner) -> None:
    free = floor()
    question = PathQuestion(free, (4, 5), corner(free))
    assert np.array_equal(planner.find(question), planner.find(question))


def test_a_path_from_point_to_point_has_these_ends(planner: PathPlanner) -> None:
    free = floor()
    way = Floor(free).from_cell((4, 5)).way_to((4, 44))
    ends = np.array([(5.2, 4.9), (44.7, 4.1)])
    path = planner.find(PathQuestion.along(way, free, ends))
    assert np.array_equal(path[[0, -1]], ends)
    assert segments_clear(free, path[:-1], path[1:]).all()
    at_once = planner.find(PathQuestion.along(way[:1], free, np.array([(5.2, 4.9), (5.7, 4.1)])))
    assert at_once.tolist() == [[5.2, 4.9], [5.7, 4.1]]


def test_a_tours_legs_keep_off_what_they_must_and_end_where_they_have_to(
    planner: PathPlanner,
) -> None:
    grid = OccupancyGrid(np.full((80, 100), FREE, np.int8), resolution_m=0.1)
    boxes = {"sofa": (1.0, 7.0), "bin": (9.0, 6.5), "cat": (5.0, 3.5)}
    places = [Place(n, Footprint.box(x, y, 0.3, 0.3)) for n, (x, y) in boxes.items()]
    task = obligations_of(parse("F(near(bin) & F(near(sofa))) & G(!near(cat))", grounded=True))
    outset = Outset(Flat.of(grid, places, DOMAIN), task, (1.0, 1.0), planner=planner)
    tour = plan_tour(outset)  # which the independent check lets pass
    x, y = np.concatenate([leg.path for leg in tour.legs]).T
    assert (outset.footprints["cat"].distance_m(x, y) > NEAR_M).all()
    best = plan_tour(Outset(outset.flat, task, (1.0, 1.0)))
    assert [leg.args for leg in tour.legs] == [leg.args for leg in best.legs]
    assert tour.length_m <= 1.02 * best.length_m
