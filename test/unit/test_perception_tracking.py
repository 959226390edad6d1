"""Names, memory and carrying, without images: objects in, scenes out."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.geometry import Pose, quaternion_from_matrix
from sayso.core.scene import RobotState, SceneObject
from sayso.perception.association import associate
from sayso.perception.table import TablePlane
from sayso.perception.tracking import SceneTracker, TrackerConfig
from support.synthetic_frames import SMALL, block, plate
from support.synthetic_frames import render as full_render

DOWN = quaternion_from_matrix(np.diag([1.0, -1.0, -1.0]))
SIZES = {"block": (0.045,) * 3, "mug": (0.08, 0.08, 0.09), "cabinet": (0.24, 0.24, 0.136)}


def render(solids, camera, rng=None):
    """Small pictures: what is tested here needs no more."""
    return full_render(solids, camera, rng=rng, intrinsics=SMALL)


EMPTY = [render([], c) for c in ("left", "right")]
BLIND = [replace(f, depth_m=np.zeros_like(f.depth_m)) for f in EMPTY]


def seen(color, category, x, y, z=0.0225, points=200):
    size = SIZES.get(category, (0.02,) * 3)
    cloud = np.random.default_rng(0).uniform(-0.5, 0.5, (points, 3)) * size + (x, y, z)
    return SceneObject("", category, color, (x, y, z), size, points=cloud.astype(np.float32))


def robot(x=0.3, y=0.0, z=0.4, width=0.08):
    return RobotState(0.0, (), width, Pose((x, y, z), DOWN))


def look(tracker, *objects, state=None, frames=None):
    frames = EMPTY if frames is None else frames
    return tracker.update(objects, frames, state or robot(), TablePlane()).by_name()


def test_names_stay_while_things_move():
    tracker = SceneTracker()
    look(tracker, seen("red", "block", 0.4, 0.0), seen("blue", "block", 0.5, 0.1))
    scene = look(tracker, seen("blue", "block", 0.4, -0.2), seen("red", "block", 0.6, 0.2))
    assert scene["red_block"].position == (0.6, 0.2, 0.0225)
    assert scene["blue_block"].position == (0.4, -0.2, 0.0225)


def test_two_of_a_kind_keep_their_names_apart():
    tracker = SceneTracker()
    look(tracker, seen("red", "block", 0.4, 0.0), seen("red", "block", 0.4, 0.2))
    scene = look(tracker, seen("red", "block", 0.4, 0.23), seen("red", "block", 0.4, 0.03))
    assert scene["red_block"].position[1] < 0.1 < scene["red_block_2"].position[1]


def test_noise_is_averaged_and_moves_are_not():
    tracker = SceneTracker()
    rng = np.random.default_rng(0)
    for _ in range(12):
        x, y = 0.4 + rng.normal(0, 0.002), rng.normal(0, 0.002)
        scene = look(tracker, seen("red", "block", x, y))
    assert np.hypot(scene["red_block"].position[0] - 0.4, scene["red_block"].position[1]) < 0.002
    scene = look(tracker, seen("red", "block", 0.43, 0.0))
    assert scene["red_block"].position[0] == 0.43


def test_a_partly_hidden_thing_keeps_its_box():
    tracker = SceneTracker()
    look(tracker, seen("red", "block", 0.4, 0.0))
    part = replace(
        seen("red", "block", 0.41, 0.0, points=40), size=(0.035,) * 3, position=(0.415, 0.0, 0.02)
    )
    part.points[:] = np.clip(part.points, (0.4, -0.02, 0.0), (0.42, 0.02, 0.045))
    scene = look(tracker, part)
    assert scene["red_block"].position == (0.4, 0.0, 0.0225) and scene["red_block"].visible


def test_what_is_hidden_is_remembered_and_what_is_gone_is_forgotten():
    solids = [block("red", 0.42, 0.0)]
    behind = [render(solids, c) for c in ("left", "right")]
    hidden = [replace(f, depth_m=np.zeros_like(f.depth_m)) for f in behind]
    tracker = SceneTracker()
    for _ in range(3):
        look(tracker, seen("red", "block", 0.42, 0.0), frames=behind)
    for frames in (behind, hidden) * 5:
        scene = look(tracker, frames=frames)
        assert not scene["red_block"].visible
    counts = [len(look(tracker, frames=EMPTY)) for _ in range(TrackerConfig().forget_after)]
    assert counts == [1, 1, 0]


@pytest.mark.parametrize("solid", [plate(0.42, 0.0), block("red", 0.42, 0.0)])
def test_thin_things_are_forgotten_when_gone_and_kept_while_there(solid):
    color, category = solid.label.split()
    thing = SceneObject("", category, color, solid.position, solid.size)
    there = [render([solid], c, rng=np.random.default_rng(0)) for c in ("left", "right")]
    gone = [render([], c, rng=np.random.default_rng(0)) for c in ("left", "right")]
    tracker = SceneTracker()
    for _ in range(3):
        look(tracker, thing, frames=there)
    for _ in range(5):
        assert look(tracker, frames=there)
    for _ in range(3):
        scene = look(tracker, frames=gone)
    assert not scene


def test_an_unknown_thing_must_be_seen_often_and_goes_soon():
    tracker = SceneTracker()
    assert not look(tracker, seen("grey", "object", 0.4, 0.0))
    assert not look(tracker, seen("grey", "object", 0.4, 0.0))
    assert "grey_object" in look(tracker, seen("grey", "object", 0.4, 0.0))
    for _ in range(3):
        scene = look(tracker)
    assert not scene


def test_a_better_view_corrects_what_a_thing_is():
    tracker = SceneTracker()
    look(tracker, seen("purple", "block", 0.40, 0.0, points=60))
    assert set(look(tracker, seen("purple", "mug", 0.41, 0.0, 0.045, points=300))) == {"mug"}
    assert set(look(tracker, seen("purple", "block", 0.40, 0.0, points=60))) == {"mug"}


def grasped(tracker, x=0.4, y=0.0):
    """Close the fingers on a red block at rest."""
    thing = seen("red", "block", x, y)
    look(tracker, thing, state=robot(x, y, 0.3))
    look(tracker, thing, state=robot(x, y, 0.0225))
    look(tracker, thing, state=robot(x, y, 0.0225, width=0.045))
    return look(tracker, thing, state=robot(x, y, 0.0225, width=0.045))


def test_closed_fingers_carry_what_is_between_them():
    tracker = SceneTracker()
    assert grasped(tracker)["red_block"].carried
    unseen = look(tracker, state=robot(0.5, 0.2, 0.3, width=0.045))["red_block"]
    np.testing.assert_allclose(unseen.position, (0.5, 0.2, 0.3), atol=1e-6)
    np.testing.assert_allclose(unseen.points.mean(axis=0), (0.5, 0.2, 0.3), atol=0.01)
    assert unseen.carried and not unseen.visible


def test_a_partial_view_does_not_move_what_is_carried():
    tracker = SceneTracker()
    grasped(tracker)
    part = seen("red", "block", 0.53, 0.2, 0.3, points=30)
    scene = look(tracker, part, state=robot(0.5, 0.2, 0.3, width=0.045))
    np.testing.assert_allclose(scene["red_block"].position, (0.5, 0.2, 0.3), atol=1e-6)
    assert scene["red_block"].carried and scene["red_block"].visible


def test_opening_the_fingers_lets_go_and_it_is_where_it_is_seen_then():
    tracker = SceneTracker()
    grasped(tracker)
    look(tracker, state=robot(0.5, 0.2, 0.05, width=0.045))
    for state in (robot(0.5, 0.2, 0.05, width=0.08), robot(0.5, 0.2, 0.4)):
        block = look(tracker, state=state)["red_block"]
        assert block.let_go and not block.carried and not block.visible
        assert block.off_m == tracker.config.elsewhere_m
        np.testing.assert_allclose(block.position, (0.5, 0.2, 0.05), atol=1e-6)
    rolled = seen("red", "block", 0.5, 0.205)
    block = look(tracker, rolled, state=robot(0.5, 0.2, 0.4))["red_block"]
    assert block.visible and not block.let_go and block.position == rolled.position


def test_part_of_something_where_a_thing_was_let_go_need_not_be_that_thing():
    tracker = SceneTracker()
    grasped(tracker)
    look(tracker, state=robot(0.5, 0.2, 0.05, width=0.045))
    look(tracker, state=robot(0.5, 0.2, 0.05, width=0.08))
    other = seen("red", "mug", 0.56, 0.2, 0.045, points=40)
    assert look(tracker, other, state=robot(0.5, 0.2, 0.4))["red_block"].let_go


def test_a_dropped_thing_seen_elsewhere_is_not_carried():
    tracker = SceneTracker()
    grasped(tracker)
    dropped = seen("red", "block", 0.45, 0.1)
    scene = look(tracker, dropped, state=robot(0.5, 0.2, 0.3, width=0.045))
    assert scene["red_block"].position == (0.45, 0.1, 0.0225)
    assert not scene["red_block"].carried


def test_fingers_that_close_on_nothing_or_pass_by_carry_nothing():
    tracker = SceneTracker()
    thing = seen("red", "block", 0.4, 0.0)
    for width in (0.08, 0.06, 0.04, 0.02, 0.0, 0.0):
        scene = look(tracker, thing, state=robot(0.4, 0.15, 0.02, width))
        assert not scene["red_block"].carried
    for width in (0.08, 0.07, 0.06, 0.05):  # moving fingers have not come to rest on it
        scene = look(tracker, thing, state=robot(0.4, 0.0, 0.02, width))
        assert not scene["red_block"].carried


def test_closing_fingers_centre_a_block():
    tracker = SceneTracker()
    thing = seen("red", "block", 0.4, 0.006)
    for width in (0.08, 0.045, 0.045):
        scene = look(tracker, thing, state=robot(0.4, 0.0, 0.0225, width))
    np.testing.assert_allclose(scene["red_block"].position, (0.4, 0.0, 0.0225), atol=1e-6)


def test_a_cabinet_is_never_carried():
    tracker = SceneTracker()
    thing = seen("brown", "cabinet", 0.6, 0.3, 0.068)
    for _ in range(3):
        scene = look(tracker, thing, state=robot(0.6, 0.3, 0.1, width=0.04))
    assert not scene["cabinet"].carried


def test_association_pairs_each_track_once():
    tracks = {"red_block": seen("red", "block", 0.4, 0.0), "mug": seen("purple", "mug", 0.5, 0.0)}
    found = [
        seen("purple", "object", 0.51, 0.03),
        seen("red", "block", 0.9, 0.0),
        seen("red", "block", 0.8, 0.0),
        seen("green", "block", 0.4, 0.0),
    ]
    assert associate(found, tracks) == ["mug", None, "red_block", None]


def drawer(opening):
    """Pulled towards -x out of a cabinet whose front is at x = 0.6."""
    length = opening + 0.012
    return replace(
        seen("yellow", "drawer", 0.6 - length / 2, 0.3, 0.07),
        size=(length, 0.22, 0.08),
        attributes={"opening_m": opening},
    )


def test_what_lies_in_a_drawer_goes_with_it_while_hidden():
    tracker = SceneTracker()
    thing = seen("green", "block", 0.54, 0.32, 0.06)
    for _ in range(3):
        look(tracker, drawer(0.15), thing)
    for opening in (0.10, 0.05, 0.0):
        scene = look(tracker, drawer(opening), frames=BLIND)
    shut_in = scene["green_block"]
    assert not shut_in.visible
    np.testing.assert_allclose(shut_in.position, (0.69, 0.32, 0.06), atol=1e-6)
    np.testing.assert_allclose(shut_in.points.mean(axis=0), (0.69, 0.32, 0.06), atol=0.01)
    scene = look(tracker, drawer(0.12))
    np.testing.assert_allclose(scene["green_block"].position, (0.57, 0.32, 0.06), atol=1e-6)


@pytest.mark.parametrize(
    ("what", "place"),
    [
        ("before it", (0.40, 0.3, 0.0225)),
        ("beside it", (0.54, 0.45, 0.0225)),
        ("over it", (0.54, 0.3, 0.14)),
        ("on the cabinet", (0.70, 0.3, 0.16)),
    ],
)
def test_what_does_not_lie_in_the_drawer_stays(what, place):
    tracker = SceneTracker()
    for _ in range(3):
        look(tracker, drawer(0.15), seen("green", "block", *place))
    scene = look(tracker, drawer(0.0), frames=BLIND)
    np.testing.assert_allclose(scene["green_block"].position, place, atol=1e-6, err_msg=what)


def test_what_is_seen_in_a_moving_drawer_is_where_it_is_seen():
    tracker = SceneTracker()
    for opening in (0.15, 0.10):
        scene = look(tracker, seen("green", "block", 0.69 - opening, 0.32, 0.06), drawer(opening))
    np.testing.assert_allclose(scene["green_block"].position, (0.59, 0.32, 0.06), atol=1e-6)


def _mug_with_a_block(tracker):
    """A mug at rest with a small block in it, which nobody sees any more."""
    block = replace(seen("red", "block", 0.4, 0.0, 0.02), size=(0.02, 0.02, 0.02))
    for _ in range(3):
        look(tracker, block, seen("purple", "mug", 0.4, 0.0, 0.045, points=600))
    scene = look(tracker, seen("purple", "mug", 0.4, 0.0, 0.045, points=600), frames=BLIND)
    assert not scene["red_block"].visible
    return scene["red_block"]


def test_what_is_hidden_in_a_mug_goes_where_the_hand_carries_the_mug():
    tracker = SceneTracker()
    block = _mug_with_a_block(tracker)
    holding = robot(0.44, 0.0, 0.05, width=0.005)
    look(tracker, frames=BLIND, state=holding)
    look(tracker, frames=BLIND, state=holding)
    scene = look(tracker, frames=BLIND, state=robot(0.54, 0.1, 0.25, width=0.005))
    assert scene["mug"].carried and not scene["red_block"].carried
    assert scene["red_block"].position == pytest.approx((0.5, 0.1, 0.22), abs=1e-6)
    moved = scene["red_block"].points.mean(axis=0) - block.points.mean(axis=0)
    assert moved == pytest.approx((0.1, 0.1, 0.2), abs=1e-5)


def test_what_is_hidden_in_a_mug_goes_where_somebody_puts_the_mug():
    tracker = SceneTracker()
    _mug_with_a_block(tracker)
    scene = look(tracker, seen("purple", "mug", 0.6, 0.1, 0.045, points=600), frames=BLIND)
    assert scene["red_block"].position == pytest.approx((0.6, 0.1, 0.02), abs=1e-6)


def test_what_is_seen_where_it_was_did_not_go_with_the_mug():
    tracker = SceneTracker()
    block = _mug_with_a_block(tracker)
    left = replace(seen("red", "block", 0.4, 0.0, 0.01), size=(0.02, 0.02, 0.02))
    scene = look(tracker, left, seen("purple", "mug", 0.6, 0.1, 0.045, points=600), frames=BLIND)
    assert scene["red_block"].position[:2] == pytest.approx(block.position[:2], abs=0.01)
