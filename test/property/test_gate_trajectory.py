"""Timed paths keep the limits and arrive."""

from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from sayso.skills.trajectory import MotionLimits, timed

LIMITS = MotionLimits(np.array([1.0, 2.0, 0.5]), np.array([3.0, 8.0, 2.0]))
PATHS = st.integers(1, 6).flatmap(
    lambda n: arrays(np.float64, (n, 3), elements=st.floats(-2.5, 2.5, width=32))
)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(PATHS)
def test_limits_hold_and_the_goal_is_reached_at_rest(path):
    trajectory = timed(path, LIMITS)
    step = trajectory.times_s[1]
    velocity = np.diff(trajectory.positions, axis=0) / step
    assert np.all(np.abs(velocity) <= LIMITS.velocity * (1 + 1e-6) + 1e-6)
    resting = np.zeros((1, 3))
    acceleration = np.diff(np.concatenate([resting, velocity, resting]), axis=0) / step
    assert np.all(np.abs(acceleration) <= LIMITS.acceleration * (1 + 1e-3) + 1e-3)
    assert np.allclose(trajectory.positions[0], path[0], atol=1e-5)
    assert np.array_equal(trajectory.positions[-1], path[-1])


@settings(derandomize=True, deadline=None, max_examples=100)
@given(PATHS)
def test_the_trajectory_stays_near_the_path(path):
    trajectory = timed(path, LIMITS, deviation_rad=0.02)
    for q in trajectory.positions[:: max(1, len(trajectory.positions) // 50)]:
        assert _distance_to_path(q, path) < 0.0201


def _distance_to_path(q, path):
    if len(path) == 1:
        return np.linalg.norm(q - path[0])
    best = np.inf
    for a, b in pairwise(path):
        way = b - a
        share = np.clip(np.dot(q - a, way) / max(np.dot(way, way), 1e-18), 0, 1)
        best = min(best, np.linalg.norm(q - a - share * way))
    return best
