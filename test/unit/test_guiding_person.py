"""A person who guides the arm by what a page shows: what they see of a mug and a rack."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.geometry import Array, Pose
from sayso.worlds.persons.guiding_person import Goal, Mug, Presses, giving, pegs, taking
from sayso.worlds.table.shapes.families import draw
from sayso.worlds.table.shapes.pieces import about_z
from sayso.worlds.table.shapes.surface import sample

NEAR_M = 0.008
HAND = np.array([0.307, 0.0, 0.487, 0.0])


def standing(family: str, seed: int, x: float, y: float, yaw: float) -> tuple[Pose, Array]:
    """Where its frame is, and points of it."""
    shape = draw(family, seed)
    pose = Pose((x, y, shape.size[2] / 2)) @ about_z(yaw)
    points = sample(shape, 1500, np.random.default_rng(seed)).points
    return pose, pose.transform(points)


@pytest.mark.parametrize("seed", range(20, 26))
def test_a_mug_s_handle_is_seen_by_its_points(seed: int) -> None:
    pose, points = standing("mug", seed, 0.45, -0.3, 0.3 * seed)
    loop = (pose @ draw("mug", seed).frames["handle"]).position
    mug = Mug.of(points)
    assert mug.middle + mug.loop == pytest.approx(loop, abs=NEAR_M)


@pytest.mark.parametrize("seed", range(20, 26))
def test_a_rack_s_pegs_are_seen_by_its_points(seed: int) -> None:
    pose, points = standing("rack", seed, 0.5, -0.03, 0.4 * seed)
    frames = [pose @ f for f in draw("rack", seed).frames.values()]
    found = pegs(points)
    assert len(found) == len(frames)
    for middle, along in found:
        frame = min(frames, key=lambda f: np.linalg.norm(np.subtract(f.position, middle)))
        assert middle == pytest.approx(frame.position, abs=0.012)
        assert along @ (frame.transform(np.eye(3)[:1])[0] - frame.position) > 0.97


def test_the_loop_is_led_over_a_peg_from_its_tip_and_let_down_wherever_the_mug_slipped() -> None:
    mug_at, mug_points = standing("mug", 36, 0.43, -0.30, 0.0)
    rack_at, rack_points = standing("rack", 27, 0.508, -0.034, 1.49)
    take = taking(mug_points, rack_points, HAND)
    assert [g.fingers for g in take.goals if g.fingers] == [1, -1]
    grip = _hand(take.goals[2].place).inverse() @ Pose((0.0, 0.008, 0.0)) @ mug_at
    lifted = take.goals[-1].place
    held = (_hand(lifted) @ grip @ mug_at.inverse()).transform(mug_points)
    give = giving(held, take, lifted)
    assert [g.fingers for g in give if g.fingers] == [1]
    loops = [
        (_hand(g.place) @ grip @ draw("mug", 36).frames["handle"]).position for g in give[1:-1]
    ]
    frames = [rack_at @ f for f in draw("rack", 27).frames.values()]
    peg = min(frames, key=lambda f: np.linalg.norm(np.subtract(f.position, loops[-1])))
    along = [peg.inverse().transform(np.array([at]))[0] for at in loops]
    assert along[0][0] > 0.08 and along[-1] == pytest.approx((-0.005, 0.0, -0.008), abs=0.012)
    for x, y, z in along[1:]:
        assert x > 0.0 or (abs(y) < 0.007 and abs(z) < 0.022), (x, y, z)


def test_presses_last_as_long_as_the_hand_was_seen_to_take() -> None:
    presses, now = Presses(np.array([0.1, 0.1, 0.1, 0.5])), np.zeros(4)
    goal = Goal(np.array([0.2, 0.0, -0.05, 0.0]), 0.004)
    held_s = presses.towards(goal, now)
    assert held_s == pytest.approx([2.0, 0.0, -0.5, 0.0])
    slower = now + 0.5 * held_s * presses.speeds
    presses.saw(now, held_s, slower)
    assert presses.speeds == pytest.approx([0.075, 0.1, 0.075, 0.5])
    assert not presses.towards(goal, goal.place + 0.003 * np.array([1.0, 1.0, 1.0, 1.0])).any()


def _hand(place: Array) -> Pose:
    x, y, z, turned = (float(v) for v in place)
    return Pose((x, y, z)) @ about_z(turned) @ Pose((0.0, 0.0, 0.0), (1.0, 0.0, 0.0, 0.0))
