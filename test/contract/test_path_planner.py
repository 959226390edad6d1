"""What every planner of paths must do."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.planning.navigation.grid import segments_clear
from sayso.planning.navigation.paths import PathPlanner, PathQuestion


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
