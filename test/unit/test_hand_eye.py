"""Hand-eye calibration: exact from exact sightings, within bounds from drawn pictures."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import Intrinsics
from sayso.perception import hand_eye_files
from sayso.perception.camera import project
from sayso.perception.hand_eye import Board, Sighting, View, calibrate, find_board
from sayso.robots.kinematics import ArmKinematics
from support.board_pictures import picture

CAMERA = Intrinsics(640, 480, 600.0, 600.0, 319.5, 239.5)
BOARD = Board()
GRID = np.asarray(BOARD.made().getChessboardCorners(), dtype=float)
MIDDLE = GRID.mean(axis=0)


def turned(rotvec: Array, position: Array) -> Pose:
    angle = float(np.linalg.norm(rotvec))
    axis = rotvec / angle if angle else rotvec
    x, y, z = np.sin(angle / 2) * axis
    px, py, pz = map(float, position)
    return Pose((px, py, pz), (float(x), float(y), float(z), float(np.cos(angle / 2))))


def scene(rng: np.random.Generator, *, on_hand: bool) -> Iterator[tuple[Pose, Pose, Pose, Pose]]:
    """Endlessly the camera, the board, the hand in the base, and the board in the camera, of
    poses in which the camera sees the board."""
    camera = turned(0.2 * rng.normal(size=3), rng.uniform(-0.1, 0.1, 3))
    board = turned(0.2 * rng.normal(size=3), rng.uniform(-0.1, 0.1, 3))
    while True:
        # Half a metre before the camera, turned to it within 35 degrees.
        away = turned(rng.uniform(-0.6, 0.6, 3), np.zeros(3))
        middle = np.array([0.0, 0.0, rng.uniform(0.35, 0.6)]) + 0.04 * rng.normal(size=3)
        seen = Pose(tuple(middle - away.transform(MIDDLE[None])[0]), away.orientation)
        carried = camera @ seen @ board.inverse()
        yield camera, board, carried.inverse() if on_hand else carried, seen


def exact(seen: Pose) -> Sighting:
    return Sighting(project(seen.transform(GRID), CAMERA), GRID)


@pytest.mark.parametrize("on_hand", [True, False])
@settings(max_examples=20)
@given(seed=st.integers(0, 10**6))
def test_exact_sightings_give_the_exact_pose(on_hand: bool, seed: int) -> None:
    poses = scene(np.random.default_rng(seed), on_hand=on_hand)
    taken = [next(poses) for _ in range(8)]
    views = {n: View(exact(s), h) for n, (*_, h, s) in enumerate(taken)}
    found = calibrate(views, CAMERA, on_hand=on_hand)
    camera, board = taken[0][:2]
    assert np.allclose(found.camera.matrix(), camera.matrix(), atol=1e-6)
    assert np.allclose(found.board.matrix(), board.matrix(), atol=1e-6)
    assert max(found.errors_px) < 1e-4


@pytest.mark.parametrize("on_hand", [True, False])
@pytest.mark.parametrize("seed", [11, 12, 13])
def test_pictures_give_the_pose_within_3_mm_and_half_a_degree(on_hand: bool, seed: int) -> None:
    """Ten drawn pictures, an encoder's noise of 0.3 mrad on each joint of the Panda."""
    rng = np.random.default_rng(seed)
    kinematics, views = ArmKinematics(), []
    for camera, _, hand, seen in scene(rng, on_hand=on_hand):
        true = camera
        sighting = find_board(picture(BOARD, seen, CAMERA, rng), BOARD)
        if sighting is None:
            continue
        # What the hand is said to be differs from what it is as much as noisy joints make it.
        joints = np.array(kinematics.home)
        off = kinematics.forward(joints).inverse() @ kinematics.forward(
            joints + 3e-4 * rng.normal(size=len(joints))
        )
        views.append(View(sighting, hand @ off))
        if len(views) == 10:
            break
    found = calibrate(dict(enumerate(views)), CAMERA, on_hand=on_hand)
    difference = true.inverse() @ found.camera
    assert np.linalg.norm(difference.position) < 0.003
    assert np.degrees(2 * np.arccos(min(abs(difference.orientation[3]), 1.0))) < 0.5
    assert found.position_m < 0.003


def test_a_picture_without_the_board_shows_none() -> None:
    assert find_board(np.full((480, 640, 3), 120, np.uint8), BOARD) is None


def refusal(views: list[View], *, on_hand: bool = True) -> SaySoError:
    with pytest.raises(SaySoError) as caught:
        calibrate(dict(enumerate(views, 1)), CAMERA, on_hand=on_hand)
    assert caught.value.code is Code.INVALID
    return caught.value


def taken(count: int, *, on_hand: bool = True) -> list[View]:
    poses = scene(np.random.default_rng(5), on_hand=on_hand)
    return [View(exact(s), h) for *_, h, s in (next(poses) for _ in range(count))]


def test_too_few_views_are_refused() -> None:
    assert "5 views are too few" in str(refusal(taken(5)))


def test_a_hand_that_does_not_turn_is_refused() -> None:
    (view, *_) = taken(1)
    assert "turned too little" in str(refusal([view] * 8))


def test_the_wrong_way_round_is_refused() -> None:
    """What the hand carries was told wrongly."""
    assert "do not fit" in str(refusal(taken(10), on_hand=False))


def test_a_view_with_a_board_that_slipped_is_named() -> None:
    views = taken(10)
    slipped = View(views[3].sighting, views[3].hand @ Pose((0.03, 0.0, 0.0)))
    assert "view 4" in str(refusal([*views[:3], slipped, *views[4:]]))


def test_a_folder_gives_what_its_views_give_and_can_leave_some_out(tmp_path) -> None:
    rng = np.random.default_rng(31)
    setting = hand_eye_files.Setting("left", True, "tool", "optical", CAMERA, BOARD)
    hand_eye_files.begin(tmp_path, setting)
    for camera, _, hand, seen in scene(rng, on_hand=True):
        true, rgb = camera, picture(BOARD, seen, CAMERA, rng)
        if find_board(rgb, BOARD) is None:
            continue
        if hand_eye_files.add(tmp_path, rgb, hand) == 8:
            break
    (tmp_path / "view_02.png").write_bytes(b"")  # what is left out need not be readable
    hand_eye_files.begin(tmp_path, setting)  # to go on in it
    told, found = hand_eye_files.solve(tmp_path, without=(2,))
    assert told == setting
    assert len(found.errors_px) == 7
    assert np.linalg.norm((true.inverse() @ found.camera).position) < 0.003
    measured, anew = hand_eye_files.solve(tmp_path, without=(2,), square_m=0.0303)
    assert measured.board.square_m == 0.0303
    assert anew.camera != found.camera
    with pytest.raises(SaySoError, match="view_02") as caught:
        hand_eye_files.solve(tmp_path)
    assert caught.value.code is Code.CORRUPT
