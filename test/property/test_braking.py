"""A stop slows every joint down within its limits and passes nothing that was not sent."""

import numpy as np
from hypothesis import example, given, settings
from hypothesis import strategies as st

from sayso.core.ports import JointWindow
from sayso.skills.trajectory import MotionLimits, braking, timed

LIMITS = MotionLimits(np.array([2.0, 1.5]), np.array([8.0, 6.0]))
POINTS = st.tuples(st.floats(-1.5, 1.5), st.floats(-1.5, 1.5))
HORIZON_S = 0.4
STEP_S = 0.02
"""A stop takes at least this long."""


@settings(derandomize=True, deadline=None, max_examples=150)
@example(goal=(0.0, 0.03125), start_share=0.0, since_s=0.0390625)  # stopped while it speeds up
@given(goal=POINTS, start_share=st.floats(0.0, 1.0), since_s=st.floats(-1.0, 1.0))
def test_a_stop_is_reachable_and_stays_within_what_was_sent(goal, start_share, since_s):
    motion = timed(np.array([[0.0, 0.0], goal]), LIMITS)
    window = motion.window(start_share * motion.duration_s, HORIZON_S)
    stop = braking(window, since_s, LIMITS.acceleration)
    here = [np.interp(since_s, window.times_s, joint) for joint in window.positions.T]
    low, high = window.positions.min(axis=0), window.positions.max(axis=0)
    assert np.allclose(stop.positions[0], here)
    assert np.all(stop.positions >= low - 1e-9) and np.all(stop.positions <= high + 1e-9)
    assert np.all(np.diff(stop.times_s) > 0) and stop.times_s[-1] <= 2 * HORIZON_S
    if len(stop.times_s) > 1:
        _assert_slowed_down(window, since_s, stop)


def _assert_slowed_down(window: JointWindow, since_s: float, stop: JointWindow) -> None:
    """Ever slower along the window, of which the fastest that is ahead is to be slowed down."""
    ahead = window.times_s[1:] > max(since_s, 0.0)
    sent = np.abs(np.diff(window.positions, axis=0)) / np.diff(window.times_s)[:, None]
    fastest = sent[ahead].max(axis=0)
    lasts_s, steps = stop.times_s[-1], len(stop.times_s) - 1
    shares = 1.0 - (np.arange(steps) + 0.5) / steps
    speeds = np.abs(np.diff(stop.positions, axis=0)) / np.diff(stop.times_s)[:, None]
    assert np.all(speeds <= shares[:, None] * fastest + 1e-6)
    needed_s = float((fastest / LIMITS.acceleration).max())
    assert lasts_s <= max(needed_s, STEP_S) + 1e-9
    at_end = np.allclose(stop.positions[-1], window.positions[-1], atol=1e-6)
    assert at_end or lasts_s >= needed_s - 1e-9


@settings(derandomize=True, deadline=None, max_examples=50)
@given(goal=POINTS, left=st.floats(-12.0, -2.0))
def test_a_stop_right_before_the_end_has_times_that_a_message_can_tell_apart(goal, left):
    window = timed(np.array([[0.0, 0.0], goal]), LIMITS).window(0.1, HORIZON_S)
    stop = braking(window, float(window.times_s[-1]) - 10**left, LIMITS.acceleration)
    nanoseconds = np.round(stop.times_s * 1e9)
    assert np.all(np.diff(nanoseconds) > 0) and nanoseconds[-1] > 0
    assert np.allclose(stop.positions[-1], window.positions[-1], atol=10**left * 2.0)


@settings(derandomize=True, deadline=None, max_examples=50)
@given(goal=POINTS, since_s=st.floats(0.0, 0.3))
def test_a_stop_of_a_stop_changes_nothing(goal, since_s):
    window = timed(np.array([[0.0, 0.0], goal]), LIMITS).window(0.3, HORIZON_S)
    stop = braking(window, since_s, LIMITS.acceleration)
    for _ in range(20):
        stop = braking(stop, 0.05, LIMITS.acceleration)
    assert len(stop.positions) == 1
    assert np.all(np.isfinite(stop.positions))
    rest = braking(stop, 0.0, LIMITS.acceleration)
    assert isinstance(rest, JointWindow) and np.array_equal(rest.positions, stop.positions)
