"""What a laser shows: all that is known explains its own returns, whatever the noise."""

from __future__ import annotations

import math

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.geometry import Pose
from sayso.core.scene import SceneObject
from sayso.mission.forecast import Coming
from sayso.mission.laser_obstacles import Sweep, unknown_obstacles
from sayso.mission.retreat import step_away
from sayso.planning.navigation.grid import FREE, OCCUPIED, OccupancyGrid
from sayso.planning.navigation.nearness import Footprint
from sayso.skills.poses import upright

FOOTPRINT_M = (1.10, 0.50)

few = settings(derandomize=True, deadline=None, max_examples=40)
HERE = (2.5, 2.5)
seeds = st.integers(0, 2**31 - 1)
angles = st.floats(-math.pi, math.pi)


def floor() -> OccupancyGrid:
    cells = np.full((100, 100), FREE, np.int8)
    cells[[0, -1], :] = cells[:, [0, -1]] = OCCUPIED
    return OccupancyGrid(cells)


def on_edges(rng: np.random.Generator, thing: SceneObject, count: int) -> np.ndarray:
    """Places on a box's sides, seen from above, off by the noise of laser, map and place."""
    along = rng.uniform(-0.5, 0.5, (count, 2))
    side = rng.integers(0, 2, count)
    along[np.arange(count), side] = rng.choice([-0.5, 0.5], count)
    local = np.column_stack([along * thing.size[:2], np.zeros(count)])
    return thing.pose.transform(local)[:, :2] + rng.normal(0.0, 0.03, (count, 2))


def box(x: float, y: float, yaw: float, size: tuple[float, float]) -> SceneObject:
    pose: Pose = upright((x, y, 0.3), yaw)
    return SceneObject("box", "box", "", pose.position, (*size, 0.6), pose.orientation)


@few
@given(seeds, angles, angles, st.floats(0.9, 1.6), st.floats(0.05, 0.8), st.floats(0.05, 0.8))
def test_known_things_explain_their_returns(seed, bearing, yaw, apart, length, width) -> None:
    x, y = HERE[0] + apart * math.cos(bearing), HERE[1] + apart * math.sin(bearing)
    thing = box(x, y, yaw, (length, width))
    points = on_edges(np.random.default_rng(seed), thing, 40)
    sweep = Sweep(0.0, upright((*HERE, 0.0), yaw), points, FOOTPRINT_M)
    assert not unknown_obstacles(sweep, floor(), [thing])


@few
@given(seeds, angles)
def test_walls_on_the_map_explain_their_returns(seed, yaw) -> None:
    rng = np.random.default_rng(seed)
    wall = np.column_stack([rng.uniform(0.2, 4.8, 60), np.full(60, 4.95)])
    points = wall + rng.normal(0.0, 0.03, wall.shape)
    assert not unknown_obstacles(
        Sweep(0.0, upright((2.5, 3.5, 0.0), yaw), points, FOOTPRINT_M), floor(), ()
    )


@few
@given(seeds, angles, angles, st.floats(0.95, 1.8))
def test_what_nothing_explains_is_told_whole(seed, bearing, yaw, apart) -> None:
    x, y = HERE[0] + apart * math.cos(bearing), HERE[1] + apart * math.sin(bearing)
    points = on_edges(np.random.default_rng(seed), box(x, y, yaw, (0.3, 0.2)), 12)
    found = unknown_obstacles(
        Sweep(0.0, upright((*HERE, 0.0), yaw), points, FOOTPRINT_M), floor(), ()
    )
    assert sum(len(f.points) for f in found) == len(points)
    assert found[0].distance_m(HERE) <= apart


@few
@given(angles, st.floats(1.2, 2.5), angles, st.floats(0.1, 1.0))
def test_a_step_back_never_comes_nearer_and_is_worth_it(bearing, apart, course, speed) -> None:
    x, y = HERE[0] + apart * math.cos(bearing), HERE[1] + apart * math.sin(bearing)
    velocity = speed * np.array([math.cos(course), math.sin(course)])
    coming = Coming(Footprint.box(x, y, 0.5, 0.3), velocity)
    end = step_away(HERE, [coming], lambda places: np.ones(len(places), bool))
    if end is not None:
        now = coming.distance_m(np.array([HERE, end]), np.zeros(2))
        assert now[1] >= now[0] - 0.06
        later = coming.distance_m(np.array([HERE, end]), np.full(2, 3.0))
        assert max(now[1], later[1]) > 0


def test_what_is_the_robot_is_told_by_how_long_and_wide_it_is() -> None:
    points = np.array([[HERE[0] + 0.45, HERE[1] + y] for y in (-0.05, 0.0, 0.05)])
    base = upright((*HERE, 0.0), 0.0)
    assert not unknown_obstacles(Sweep(0.0, base, points, FOOTPRINT_M), floor(), ())
    assert unknown_obstacles(Sweep(0.0, base, points, (0.6, 0.4)), floor(), ())
