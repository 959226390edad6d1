"""From noisy synthetic frames to the scene and the predicates that tasks are made of."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.library import builtin_path, load
from sayso.core.predicates import SceneView
from sayso.core.scene import RobotState, SceneObject
from sayso.core.symbols import Atom
from sayso.perception.appearance import Appearance, tabletop_appearances
from sayso.perception.drawers import assemble_drawers
from sayso.perception.fusion import fuse
from sayso.perception.recognition import place_off_m, yaw_of
from sayso.perception.rgbd_segmenter import RgbdSegmenter
from sayso.perception.scene_perception import ScenePerception
from sayso.perception.shapes import quarter_turn
from sayso.perception.table import TablePlane
from support.synthetic_frames import block, cabinet, render
from support.table_scenes import FULL, OPENING_M, apart, both, full_frames, full_scene

PLACES = {
    "plate": (0.42, 0.05, 0.006),
    "red_block": (0.42, 0.06, 0.0345),
    "blue_block": (0.5, -0.2, 0.0225),
    "green_block": (0.5, -0.2, 0.0675),
    "mug": (0.34, -0.25, 0.045),
    "coaster": (0.62, 0.1, 0.003),
    "bowl": (0.62, -0.1, 0.025),
    "yellow_block": (0.62, -0.1, 0.0285),
    "cabinet": (0.68, 0.38, 0.068),
    "drawer": (0.56 - (OPENING_M + 0.012) / 2, 0.38, 0.101),
    "purple_block": (0.49, 0.38, 0.0975),
}


def test_every_object_is_found_once_and_nothing_else():
    assert {o.name for o in full_scene().objects} == set(PLACES)


@pytest.mark.parametrize("name", PLACES)
def test_an_object_is_where_it_is(name):
    assert apart(full_scene().by_name()[name], PLACES[name]) < 0.008


@pytest.mark.parametrize("name", PLACES)
def test_how_far_an_object_may_be_off_is_told(name):
    seen = full_scene().by_name()[name]
    assert apart(seen, PLACES[name]) < 1.5 * seen.off_m < 0.1


def test_the_fewer_pixels_show_it_or_the_worse_its_box_fits_the_farther_it_may_be_off():
    (known,) = RgbdSegmenter().objects(render([block("red", 0.45, 0.15)], "left"))
    whole, few, astray = (
        place_off_m(replace(known, size=size), known.points[::step], hollow=False)
        for size, step in ((known.size, 1), (known.size, 4), ((0.06, *known.size[1:]), 1))
    )
    assert 0.0 < whole < few
    assert whole < astray
    inside = known.points * 0.5 + np.asarray(known.position) * 0.5
    off_m = [place_off_m(known, inside.astype(np.float32), hollow=h) for h in (True, False)]
    assert off_m[0] < off_m[1]


def test_what_was_seen_keeps_its_name_when_more_things_become_known():
    perception = ScenePerception(RgbdSegmenter())
    robot = RobotState(0.0)
    before = perception.observe([render([block("red", 0.45, 0.15)], "left")], robot)
    die = Appearance("die", "cube", (0.01, 0.02), (0.01, 0.02), (0.01, 0.02))
    known = {**tabletop_appearances(), "die": die}
    perception.know(known, RgbdSegmenter(appearances=known))
    after = perception.observe([], robot)
    assert [o.name for o in after.objects] == [o.name for o in before.objects] == ["red_block"]


@pytest.mark.parametrize(("name", "yaw"), [("red_block", 0.3), ("green_block", 0.4)])
def test_a_block_is_turned_as_it_is(name, yaw):
    seen = full_scene().by_name()[name]
    assert abs(quarter_turn(yaw_of(seen.orientation) - yaw)) < 0.1
    np.testing.assert_allclose(seen.size, 0.045, atol=0.004)


def test_the_drawer_says_how_far_it_stands_open():
    drawer = full_scene().by_name()["drawer"]
    assert drawer.attributes["opening_m"] == pytest.approx(OPENING_M, abs=0.004)
    pull = drawer.pose.matrix()[:3, 0] * -1
    np.testing.assert_allclose(pull, [-1, 0, 0], atol=0.05)
    # The handle belongs to it, so that it can be grasped where it is.
    assert drawer.points[:, 0].min() < 0.56 - OPENING_M - 0.04


def test_the_table_is_estimated():
    tilted = [render(FULL[:2], c, table_m=-0.02) for c in ("left", "right")]
    scene = ScenePerception(RgbdSegmenter()).observe(tilted, RobotState())
    assert scene.table_height_m == pytest.approx(-0.02, abs=0.001)
    assert full_scene().table_height_m == pytest.approx(0.0, abs=0.001)


@pytest.mark.parametrize(
    ("atom", "truth"),
    [
        (Atom("on", ("red_block", "plate")), True),
        (Atom("on", ("green_block", "blue_block")), True),
        (Atom("on", ("blue_block", "green_block")), False),
        (Atom("on", ("red_block", "coaster")), False),
        (Atom("on_table", ("blue_block",)), True),
        (Atom("on_table", ("green_block",)), False),
        (Atom("clear", ("blue_block",)), False),
        (Atom("clear", ("green_block",)), True),
        (Atom("in", ("yellow_block", "bowl")), True),
        (Atom("in", ("purple_block", "drawer")), True),
        (Atom("in", ("red_block", "bowl")), False),
        (Atom("open", ("drawer",)), True),
        (Atom("closed", ("drawer",)), False),
        (Atom("gripper_empty"), True),
        (Atom("touching", ("mug",)), False),
    ],
)
def test_the_built_in_predicates_hold_on_what_is_seen(atom, truth):
    view = SceneView(full_scene(), load(builtin_path()).predicates)
    assert view.truth(atom) is truth


def test_a_shut_drawer_is_closed():
    scene = ScenePerception(RgbdSegmenter()).observe(both(cabinet(0.56, 0.38)), RobotState())
    view = SceneView(scene, load(builtin_path()).predicates)
    assert view.truth(Atom("closed", ("drawer",))) is True
    assert view.opening("drawer") < 0.01


def test_a_drawer_without_its_cabinet_is_not_guessed_at():
    (drawer,) = (o for o in full_scene().objects if o.category == "drawer")
    assert assemble_drawers([drawer], tabletop_appearances(), TablePlane()) == ()


def test_two_of_a_kind_get_numbers():
    solids = (block("red", 0.4, 0.1), block("red", 0.4, -0.1))
    scene = ScenePerception(RgbdSegmenter()).observe(both(solids), RobotState())
    assert {o.name for o in scene.objects} == {"red_block", "red_block_2"}


def test_an_empty_table_and_no_frames_give_an_empty_scene():
    perception = ScenePerception(RgbdSegmenter())
    assert perception.observe(both(()), RobotState()).objects == ()
    assert perception.observe([], RobotState(stamp_s=3.0)).stamp_s == 3.0


def test_a_frame_without_any_depth_shows_nothing():
    frame = full_frames()[0]
    blind = replace(frame, depth_m=np.full_like(frame.depth_m, np.nan))
    assert RgbdSegmenter().objects(blind) == ()


@pytest.mark.parametrize(("sure", "kind"), [(1.0, "bowl"), (0.8, "object")])
def test_what_all_views_are_sure_of_stays_so_though_the_hand_leaves_little_to_see(sure, kind):
    """The rim of a bowl that is held, seen by two cameras."""
    rng = np.random.default_rng(0)
    rim = rng.uniform((0.45, 0.1, 0.25), (0.53, 0.11, 0.26), (200, 3)).astype(np.float32)
    view = SceneObject("", "bowl", "pink", (0.5, 0.1, 0.25), (0.15, 0.15, 0.05), confidence=sure)
    bowl = Appearance("bowl", "round", (0.1, 0.2), (0.1, 0.2), (0.03, 0.08))
    views = [[replace(view, points=rim[:100])], [replace(view, points=rim[100:])]]
    (seen,) = fuse(views, {"bowl": bowl}, TablePlane(0.0))
    assert seen.category == kind
