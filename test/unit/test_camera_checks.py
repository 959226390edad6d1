"""What a check of cameras says of frames that are right, and of each fault."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.diagnostics import Level
from sayso.core.geometry import Pose
from sayso.core.ports import RgbdFrame
from sayso.perception.camera_checks import (
    LevelSurface,
    check_agreement,
    check_depth,
    check_surface,
)
from support.synthetic_frames import block, cabinet, mug, render

TABLE = LevelSurface("table", (0.2, -0.6), (0.9, 0.6))
THINGS = (
    block("red", 0.45, 0.15), block("blue", 0.6, -0.2), mug(0.4, -0.1), *cabinet(0.65, 0.25),
)  # fmt: skip


@pytest.fixture(scope="module")
def frames() -> tuple[RgbdFrame, RgbdFrame]:
    rng = np.random.default_rng(7)
    return render(THINGS, "left", rng=rng), render(THINGS, "right", rng=rng)


def moved(frame: RgbdFrame, up_m: float = 0.0, turn_deg: float = 0.0) -> RgbdFrame:
    half = np.radians(turn_deg) / 2
    turn = Pose((0.0, 0.0, up_m), (float(np.sin(half)), 0.0, 0.0, float(np.cos(half))))
    return replace(frame, pose=turn @ frame.pose)


def test_frames_that_are_right_are_ok(frames) -> None:
    found = [d for f in frames for d in (*check_depth(f), *check_surface(f, TABLE))]
    found += check_agreement(frames, TABLE)
    assert [d.level for d in found] == [Level.OK] * 5


@pytest.mark.parametrize(
    ("factor", "says"), [(1000.0, "m away and more"), (0.001, "m away and more")]
)
def test_depth_in_the_wrong_unit_is_told(frames, factor, says) -> None:
    (found,) = check_depth(replace(frames[0], depth_m=frames[0].depth_m * np.float32(factor)))
    assert says in found.text
    assert "millimetres" in found.cure


def test_depth_that_is_missing_is_told(frames) -> None:
    (found,) = check_depth(replace(frames[0], depth_m=np.zeros_like(frames[0].depth_m)))
    assert "0 % of its pixels" in found.text


def test_depth_of_another_size_is_told(frames) -> None:
    (found,) = check_depth(replace(frames[0], depth_m=frames[0].depth_m[::2, ::2]))
    assert "colour is 640 x 480, depth 320 x 240, the calibration 640 x 480" in found.text


@pytest.mark.parametrize(
    ("up_m", "turn_deg", "level"),
    [(0.1, 0.0, Level.ERROR), (0.025, 0.0, Level.WARN), (0.0, 8.0, Level.ERROR)],
)
def test_a_camera_that_is_said_to_be_elsewhere_is_told(frames, up_m, turn_deg, level) -> None:
    (found,) = check_surface(moved(frames[0], up_m, turn_deg), TABLE)
    assert found.level is level
    assert "appears" in found.text


def test_a_camera_that_looks_away_is_told(frames) -> None:
    (found,) = check_surface(moved(frames[0], 3.0), TABLE)
    assert found.level is Level.WARN
    assert "no level table" in found.text


def test_cameras_that_are_swapped_are_told(frames) -> None:
    left, right = frames
    swapped = (replace(left, pose=right.pose), replace(right, pose=left.pose))
    (found,) = check_agreement(swapped, TABLE)
    assert found.level is Level.ERROR
    assert "swapped" in found.cure


def test_a_camera_that_is_shifted_contradicts_the_other(frames) -> None:
    left, right = frames
    shifted = replace(left, pose=Pose((0.15, 0.1, 0.0)) @ left.pose)
    (found,) = check_agreement((shifted, right), TABLE)
    assert found.level is Level.ERROR
    assert "calibrate" in found.cure


def test_nothing_is_said_of_an_empty_table() -> None:
    assert not list(check_agreement((render((), "left"), render((), "right")), TABLE))
