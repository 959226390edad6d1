"""A tree of frames over time."""

from __future__ import annotations

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.frames import FrameTree, interpolate
from sayso.core.geometry import Pose, quaternion_from_matrix


def turn(angle: float) -> Pose:
    c, s = np.cos(angle), np.sin(angle)
    return Pose(
        (0.0, 0.0, 0.0), quaternion_from_matrix(np.array([[c, -s, 0], [s, c, 0], [0, 0, 1.0]]))
    )


def near(a: Pose, b: Pose) -> bool:
    return bool(np.allclose(a.matrix(), b.matrix(), atol=1e-9))


def test_halfway_is_halfway_in_place_and_turn() -> None:
    a, b = Pose((0.0, 0.0, 0.0)), Pose((1.0, 2.0, 4.0), turn(1.0).orientation)
    half = interpolate(a, b, 0.5)
    assert half.position == (0.5, 1.0, 2.0)
    assert near(Pose((0, 0, 0), half.orientation), turn(0.5))
    assert near(interpolate(a, b, 0.0), a) and near(interpolate(a, b, 1.0), b)


def test_the_shorter_way_round_is_taken() -> None:
    b = turn(0.4)
    flipped = Pose(b.position, tuple(-v for v in b.orientation))
    assert near(interpolate(Pose(), flipped, 0.5), turn(0.2))


def test_a_chain_is_followed_through_the_common_root() -> None:
    tree = FrameTree()
    tree.insert(
        "world", "arm", Pose((1.0, 0.0, 0.0), turn(np.pi / 2).orientation), 0.0, static=True
    )
    tree.insert("arm", "hand", Pose((0.5, 0.0, 0.0)), 0.0, static=True)
    tree.insert("world", "camera", Pose((0.0, 3.0, 0.0)), 0.0, static=True)
    assert np.allclose(tree.lookup("world", "hand", 9.0).position, (1.0, 0.5, 0.0))
    assert np.allclose(tree.lookup("camera", "hand", 9.0).position, (1.0, -2.5, 0.0))
    assert near(tree.lookup("hand", "hand", 9.0), Pose())


def test_moving_frames_are_interpolated_and_remembered_for_a_while() -> None:
    tree = FrameTree(keep_s=5.0)
    for t in range(11):
        tree.insert("world", "hand", Pose((float(t), 0.0, 0.0)), float(t))
    assert tree.lookup("world", "hand", 7.25).position[0] == pytest.approx(7.25)
    assert tree.lookup("world", "hand", 10.1, tolerance_s=0.2).position[0] == 10.0
    for stamp_s in (2.0, 11.0):
        with pytest.raises(SaySoError) as caught:
            tree.lookup("world", "hand", stamp_s, tolerance_s=0.2)
        assert caught.value.code is Code.STALE


def test_time_set_back_forgets_what_was() -> None:
    tree = FrameTree(keep_s=5.0)
    tree.insert("world", "hand", Pose((100.0, 0.0, 0.0)), 100.0)
    tree.insert("world", "hand", Pose((1.0, 0.0, 0.0)), 1.0)
    assert tree.lookup("world", "hand", 1.0).position[0] == 1.0


@pytest.mark.parametrize("frame", ["nowhere", "island"])
def test_what_is_not_connected_is_named(frame: str) -> None:
    tree = FrameTree()
    tree.insert("sea", "island", Pose(), 0.0, static=True)
    with pytest.raises(SaySoError, match=frame):
        tree.lookup("world", frame, 0.0)


def test_a_loop_is_no_endless_walk() -> None:
    tree = FrameTree()
    tree.insert("a", "b", Pose(), 0.0, static=True)
    tree.insert("b", "a", Pose(), 0.0, static=True)
    with pytest.raises(SaySoError, match="loop"):
        tree.lookup("world", "a", 0.0)


@pytest.mark.parametrize(
    ("pose", "stamp_s"),
    [(Pose((np.nan, 0.0, 0.0)), 1.0), (Pose(orientation=(0, 0, np.inf, 1)), 1.0), (Pose(), np.nan)],
)
def test_a_frame_that_is_not_told_in_numbers_is_refused(pose, stamp_s):
    tree = FrameTree()
    with pytest.raises(SaySoError, match="no number") as error:
        tree.insert("map", "base", pose, stamp_s)
    assert error.value.code is Code.INVALID
