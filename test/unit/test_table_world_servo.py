import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import JointWindow
from sayso.worlds.servo import JointServo

DT = 0.002
V_MAX = np.array([2.0, 1.0])
A_MAX = np.array([10.0, 5.0])


def servo() -> JointServo:
    return JointServo(np.zeros(2), V_MAX, A_MAX)


def window(times, points) -> JointWindow:
    return JointWindow(np.array(times, float), np.array(points, float))


def run(s: JointServo, seconds: float) -> list[tuple[np.ndarray, np.ndarray]]:
    trace = [s.step(DT) for _ in range(round(seconds / DT))]
    return [(np.array(q), np.array(v)) for q, v in trace]


def test_stands_still_without_a_command():
    assert all(np.all(q == 0) and np.all(v == 0) for q, v in run(servo(), 0.1))


def test_interpolates_and_holds_the_last_point():
    s = servo()
    s.follow(window([0.0, 1.0], [[0, 0], [0.5, -0.5]]))
    trace = run(s, 0.5)
    assert trace[-1][0] == pytest.approx([0.25, -0.25], abs=1e-5)
    assert trace[-1][1] == pytest.approx([0.5, -0.5], abs=1e-3)
    trace = run(s, 1.0)
    assert trace[-1][0] == pytest.approx([0.5, -0.5], abs=1e-5)
    assert trace[-1][1] == pytest.approx([0, 0], abs=1e-3)


def test_a_jump_is_followed_no_faster_than_the_joints_may():
    s = servo()
    s.follow(window([0.0], [[1.0, 1.0]]))
    trace = run(s, 1.6)
    speeds = np.array([v for _, v in trace])
    assert speeds.max(axis=0) == pytest.approx(V_MAX)
    assert np.all(np.abs(np.diff(speeds, axis=0)) <= A_MAX * DT + 1e-9)
    assert np.max([q for q, _ in trace], axis=0) == pytest.approx([1.0, 1.0], abs=1e-4)
    assert trace[-1][0] == pytest.approx([1.0, 1.0], abs=1e-4)


def test_a_new_window_replaces_the_old_one():
    s = servo()
    s.follow(window([0.0, 1.0], [[0, 0], [1.0, 0]]))
    run(s, 0.2)
    s.follow(window([0.0, 1.0], [[0.2, 0], [0.0, 0]]))
    assert run(s, 1.2)[-1][0] == pytest.approx([0.0, 0.0], abs=1e-4)


def test_braking_keeps_the_direction_and_the_limits_and_never_turns_back():
    s = servo()
    s.follow(window([0.0, 1.0], [[0, 0], [1.0, 0.8]]))
    before = run(s, 0.7)[-1]
    assert before[1] == pytest.approx([1.0, 0.8], abs=1e-3)
    s.brake()
    trace = run(s, 0.3)
    speeds = np.array([before[1]] + [v for _, v in trace])
    assert np.all(speeds[-1] == 0)
    assert np.all(np.diff(speeds, axis=0) <= 1e-12)
    assert np.all(np.abs(np.diff(speeds, axis=0)) <= A_MAX * DT + 1e-9)
    moving = speeds[speeds[:, 0] > 1e-9]
    assert moving[:, 1] / moving[:, 0] == pytest.approx(0.8, abs=2e-3)
    assert np.count_nonzero(speeds[:, 0]) * DT < 0.3


def test_braking_at_rest_changes_nothing():
    s = servo()
    s.brake()
    assert np.all(run(s, 0.1)[-1][0] == 0)


@pytest.mark.parametrize(
    "bad",
    [
        window([], np.zeros((0, 2))),
        window([0.0], [[0.0]]),
        window([0.0, 0.0], [[0, 0], [1, 1]]),
        window([0.0], [[np.nan, 0]]),
        window([0.0, 1.0], [[0, 0]]),
    ],
)
def test_refuses_a_malformed_window(bad):
    with pytest.raises(SaySoError) as error:
        servo().follow(bad)
    assert error.value.code is Code.INVALID


def test_a_window_that_ends_at_speed_is_not_overshot():
    s = servo()
    s.follow(window([0.0, 0.5, 1.0], [[0, 0], [0.8, 0.4], [0.4, 0.8]]))
    trace = run(s, 2.0)
    reached = np.array([q for q, _ in trace])
    assert reached.max(axis=0) == pytest.approx([0.8, 0.8], abs=0.05)
    assert np.all(reached <= 0.8 + 1e-4)
    assert reached[-1] == pytest.approx([0.4, 0.8], abs=1e-4)


def test_a_window_that_begins_a_little_off_does_not_jolt_an_arm_that_is_gentle():
    """Each does, by the noise of the encoders; what the hand holds slips when the arm jerks."""
    s = JointServo(np.zeros(2), V_MAX, A_MAX, gentle=True)
    s.follow(window([0.0, 1.0], [[0.001, 0.001], [0.001, 0.001]]))
    trace = run(s, 0.4)
    speeds = np.array([v for _, v in trace])
    assert np.all(np.abs(np.diff(speeds, axis=0, prepend=0.0)) < 0.6 * A_MAX * DT)
    assert speeds.max() < 0.03
    assert trace[-1][0] == pytest.approx([0.001, 0.001], abs=1e-5)
