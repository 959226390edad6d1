"""Whatever a policy asks for, what reaches the driver keeps the limits and ends at rest inside."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import SaySoError
from sayso.skills.gate import MotionGate
from sayso.skills.gate_limits import GateLimits
from sayso.skills.trajectory import MotionLimits
from support.still_arm import StillArm, StillKinematics

KINEMATICS, GATE = StillKinematics(), GateLimits(high=(0.6, 0.5, 0.9))
SPEED, GAIN = KINEMATICS.velocity_limits, KINEMATICS.acceleration_limits
SHARES = st.floats(-0.3, 1.3, allow_nan=False)
GOALS = st.lists(st.tuples(SHARES, SHARES, SHARES), min_size=1, max_size=6)
LEAPS = st.one_of(st.none(), st.floats(allow_nan=True, allow_infinity=True))


@settings(derandomize=True, deadline=None, max_examples=60)
@given(goals=GOALS, leap=LEAPS, pause_s=st.floats(0.0, 0.5), period_s=st.floats(0.02, 0.1))
def test_what_is_sent_keeps_the_limits_and_ends_at_rest_inside(goals, leap, pause_s, period_s):
    arm, sent, asked = StillArm(), [], []
    gate = MotionGate(arm, KINEMATICS, GATE)
    gate.authorise(())
    low, high = KINEMATICS.limits.T
    points = [low + np.array(g) * (high - low) for g in goals]
    send = arm.stream
    arm.stream = lambda window: (sent.append(window), send(window))

    def policy(seen):
        asked.append(seen)
        turn = len(asked) // 5
        if turn >= len(points):
            arm.wait(pause_s)
            return None if leap is None else seen.command + leap
        return seen.towards(points[turn], MotionLimits(SPEED, GAIN))

    def blocked(path):
        return "a post" if np.any((path[:, 0] > 0.5) & (path[:, 1] < 0.0)) else None

    try:
        gate.stream(policy, blocked, arm, period_s=period_s)
    except SaySoError:
        assert arm.log[-1] == "hold"
    for window in sent:
        assert np.isfinite(window.positions).all() and (np.diff(window.times_s) > 0).all()
        speeds = np.abs(np.diff(window.positions, axis=0)) / np.diff(window.times_s)[:, None]
        assert (speeds <= SPEED + 1e-6).all()
        assert (speeds[-1] <= 0.5 * GAIN * 0.02 + 1e-6).all(), "it ends at rest"
        for place in window.positions[1:]:
            tool = np.array(KINEMATICS.forward(place).position)
            assert (tool >= GATE.low).all() and (tool <= np.array(GATE.high) + 1e-9).all()
            assert (place >= low).all() and (place <= high).all()
            assert blocked(place[None]) is None
