"""Grasps, places and obstacles as pure geometry."""

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.places import RelationThresholds
from sayso.core.scene import Scene, SceneObject
from sayso.perception.relations import footprint_gap
from sayso.skills.grasps import grasps, handle_grasps
from sayso.skills.obstacles import obstacles
from sayso.skills.placing import SIDES, beside, inside, on_table, on_top
from sayso.skills.poses import approach_direction, downward, moved, upright, yaw_of
from sayso.skills.settings import SkillSettings

SETTINGS = SkillSettings()
EDGE = (0.045, 0.045, 0.045)


def thing(name, category, position, size, yaw=0.0, **more):
    pose = upright(position, yaw)
    return SceneObject(name, category, "", position, size, pose.orientation, **more)


BLOCK = thing("red_block", "block", (0.45, 0.1, 0.0225), EDGE, 0.4)
PLATE = thing("plate", "plate", (0.4, -0.2, 0.006), (0.2, 0.2, 0.012))
MUG = thing("mug", "mug", (0.5, -0.1, 0.045), (0.08, 0.08, 0.09))
BOWL = thing("bowl", "bowl", (0.35, 0.2, 0.025), (0.15, 0.15, 0.05))
DRAWER = thing(
    "drawer", "drawer", (0.48, 0.38, 0.1), (0.16, 0.236, 0.06), attributes={"opening_m": 0.15}
)


def scene(*objects):
    return Scene(0.0, objects)


def test_a_tool_looking_down_closes_along_its_yaw():
    pose = downward(np.array([0.4, 0.0, 0.1]), 0.7)
    assert np.allclose(approach_direction(pose), [0, 0, -1])
    assert np.allclose(pose.matrix()[:3, 1], [np.cos(0.7), np.sin(0.7), 0])
    assert np.isclose(np.linalg.det(pose.matrix()[:3, :3]), 1.0)
    tilted = approach_direction(downward(np.zeros(3), 0.7, 0.35))
    assert np.isclose(tilted[2], -np.cos(0.35))


def test_moved_keeps_the_turn():
    pose = moved(upright((0.1, 0.2, 0.3), 0.5), np.array([0.0, 0.0, 0.1]))
    assert np.isclose(pose.position[2], 0.4) and np.isclose(yaw_of(pose), 0.5)


def test_a_block_is_taken_across_its_faces():
    found = grasps(BLOCK, scene(BLOCK), SETTINGS)
    for grasp in found:
        closing = grasp.tool.matrix()[:3, 1]
        along = np.abs(BLOCK.pose.matrix()[:3, :3].T @ closing)
        assert np.isclose(along.max(), 1.0)
        assert grasp.hold_m == pytest.approx(0.045)
    upright_ones = [g for g in found if g.rank == 0]
    assert len(upright_ones) == 4
    assert all(np.isclose(approach_direction(g.tool)[2], -1) for g in upright_ones)


def test_the_fingertips_stay_off_the_table():
    flat = replace(BLOCK, position=(0.4, 0.0, 0.003), size=(0.05, 0.05, 0.006))
    for grasp in grasps(flat, scene(flat), SETTINGS):
        assert grasp.tool.position[2] - SETTINGS.fingertip_m > 0.003


def test_only_the_narrow_sides_of_a_long_thing_are_used():
    plank = replace(BLOCK, size=(0.2, 0.04, 0.04))
    assert {g.hold_m for g in grasps(plank, scene(plank), SETTINGS)} == {0.04}


def test_a_thing_too_wide_for_the_hand_is_refused_with_its_size():
    with pytest.raises(SaySoError, match="20 x 20 cm") as error:
        grasps(PLATE, scene(PLATE), SETTINGS)
    assert error.value.code is Code.UNSUPPORTED


@pytest.mark.parametrize("hollow", [MUG, BOWL])
def test_hollow_things_are_taken_across_the_wall(hollow):
    for grasp in grasps(hollow, scene(hollow), SETTINGS):
        out = np.asarray(grasp.tool.position)[:2] - hollow.position[:2]
        assert np.isclose(np.linalg.norm(out), hollow.size[0] / 2, atol=0.005)
        across = grasp.tool.matrix()[:2, 1]
        assert np.isclose(abs(across @ out) / np.linalg.norm(out), 1.0)
        top = hollow.position[2] + hollow.size[2] / 2
        assert top - 0.02 < grasp.tool.position[2] < top


def test_the_rim_is_not_taken_where_the_handle_is():
    radii = np.linspace(0.045, 0.07, 10)
    handle = np.column_stack([0.5 + 0 * radii, -0.1 + radii, 0.045 + 0 * radii])
    seen = replace(MUG, points=handle.astype(np.float32))
    for grasp in grasps(seen, scene(seen), SETTINGS):
        x, y = np.asarray(grasp.tool.position)[:2] - MUG.position[:2]
        assert abs(np.arctan2(y, x) - np.pi / 2) > 0.5
    assert len(grasps(seen, scene(seen), SETTINGS)) < len(grasps(MUG, scene(MUG), SETTINGS))


def test_a_handle_is_before_the_drawers_face():
    for grasp in handle_grasps(DRAWER, SETTINGS):
        face = DRAWER.position[0] - DRAWER.size[0] / 2
        assert grasp.tool.position[0] == pytest.approx(face - SETTINGS.handle_standoff_m)
        assert approach_direction(grasp.tool)[0] > 0.4


def test_a_block_is_stacked_square_and_centred():
    for pose in on_top(EDGE, 1.0, BLOCK, scene(BLOCK), SETTINGS):
        assert pose.position[:2] == BLOCK.position[:2]
        assert pose.position[2] == pytest.approx(0.0675 + SETTINGS.release_gap_m)
        turn = (yaw_of(pose) - 0.4) % (np.pi / 2)
        assert min(turn, np.pi / 2 - turn) < 1e-6


def test_a_free_plate_is_used_in_its_middle_and_a_laden_one_beside_the_load():
    free = on_top(EDGE, 0.0, PLATE, scene(PLATE), SETTINGS)
    assert free[0].position[:2] == PLATE.position[:2]
    load = replace(BLOCK, position=(0.4, -0.2, 0.0345))
    for pose in on_top(EDGE, 0.0, PLATE, scene(PLATE, load), SETTINGS):
        away = np.linalg.norm(np.asarray(pose.position)[:2] - load.position[:2])
        assert 0.045 < away < 0.1


def test_a_carried_thing_is_no_load():
    carried = replace(BLOCK, position=(0.4, -0.2, 0.0345), carried=True)
    spots = on_top(EDGE, 0.0, PLATE, scene(PLATE, carried), SETTINGS)
    assert spots[0].position[:2] == PLATE.position[:2]


def test_a_full_coaster_has_no_room():
    coaster = thing("coaster", "coaster", (0.4, 0.0, 0.003), (0.1, 0.1, 0.006))
    load = replace(BLOCK, position=(0.4, 0.0, 0.0285))
    with pytest.raises(SaySoError, match="no free room on coaster"):
        on_top(EDGE, 0.0, coaster, scene(coaster, load), SETTINGS)


def test_inside_a_mug_is_over_its_middle_and_below_its_rim_once_dropped():
    small = (0.03, 0.03, 0.03)
    pose = inside(small, 0.0, MUG, scene(MUG), SETTINGS)[0]
    assert pose.position[:2] == MUG.position[:2]
    assert 0.07 < pose.position[2] - 0.015 < 0.09


def test_what_is_put_in_a_bowl_leaves_room_for_others():
    here = np.asarray(BOWL.position)
    first = np.array(inside(EDGE, 0.0, BOWL, scene(BOWL), SETTINGS)[0].position)
    assert 0.02 < np.linalg.norm((first - here)[:2]) < 0.04
    assert 0.03 < first[2] - 0.0225 < 0.05
    lying = replace(BLOCK, position=(*first[:2], 0.0275))
    second = np.array(inside(EDGE, 0.0, BOWL, scene(BOWL, lying), SETTINGS)[0].position)
    assert np.allclose((first + second)[:2] / 2, here[:2])
    assert second[2] == pytest.approx(first[2])


def test_in_a_small_bowl_a_second_block_comes_beside_the_first_and_a_third_beside_both():
    small = replace(BOWL, size=(0.129, 0.129, 0.063), position=(0.35, 0.2, 0.032))
    middle = replace(BLOCK, position=(0.35, 0.2, 0.023), size=(0.038, 0.038, 0.038))
    here = np.asarray(small.position)
    second = np.array(inside(EDGE, 0.0, small, scene(small, middle), SETTINGS)[0].position)
    assert 0.02 < np.linalg.norm((second - here)[:2]) < 0.05
    leaning = replace(BLOCK, name="second", position=(*second[:2], 0.035))
    third = inside(EDGE, 0.0, small, scene(small, middle, leaning), SETTINGS)[0].position
    assert np.linalg.norm(np.subtract(third, second)[:2]) > 0.045


def test_a_bowl_over_a_small_thing_in_a_bowl_goes_to_its_middle():
    there = replace(BLOCK, position=(*BOWL.position[:2], 0.02), size=(0.03, 0.03, 0.03))
    upper = (0.14, 0.14, 0.05)
    spot = inside(upper, 0.0, BOWL, scene(BOWL, there), SETTINGS)[0].position
    assert np.allclose(spot[:2], BOWL.position[:2])


def test_what_is_put_in_a_bowl_that_is_full_is_let_go_above_what_lies_there():
    lying = replace(BLOCK, position=(*BOWL.position[:2], 0.0275), size=(0.14, 0.14, 0.045))
    for pose in inside(EDGE, 0.0, BOWL, scene(BOWL, lying), SETTINGS):
        assert pose.position[2] - 0.0225 > 0.05


def test_inside_a_tray_is_beside_what_is_in_it_and_within_its_walls():
    tray = thing("tray", "tray", (0.5, 0.0, 0.015), (0.28, 0.2, 0.03), 0.3)
    there = thing("block", "block", (0.5, 0.0, 0.03), EDGE)
    spot = np.asarray(inside(EDGE, 0.0, tray, scene(tray, there), SETTINGS)[0].position)
    assert np.linalg.norm(spot[:2] - (0.5, 0.0)) > 0.045
    local = tray.pose.inverse().transform(spot[None])[0]
    assert np.all(np.abs(local[:2]) + 0.0225 < np.asarray(tray.size[:2]) / 2)


@pytest.mark.parametrize("side", [s for s in SIDES.values() if s.toward], ids=str)
def test_beside_is_on_that_side_and_free(side):
    """Nearest first, and more to that side than along it."""
    other = thing("mug_2", "mug", (0.45, -0.05, 0.045), (0.08, 0.08, 0.09))
    poses = beside(EDGE, 0.0, other, side, scene(other), SETTINGS)
    for pose in poses:
        apart = np.asarray(pose.position[:2]) - other.position[:2]
        along, across = apart @ side.toward, abs(apart @ (-side.toward[1], side.toward[0]))
        assert along > across
        assert along > 0.08 / 2 + 0.045 / 2
    assert abs(poses[0].position[2] - 0.0225) < 0.01


def test_next_to_is_close_by_and_free():
    """However either is turned, the gap between their boxes is one that counts as next to."""
    other = thing("mug_2", "mug", (0.45, -0.05, 0.045), (0.08, 0.12, 0.09), 0.4)
    poses = beside(EDGE, 0.0, other, SIDES["place_next_to"], scene(other), SETTINGS)
    put = [thing("block_9", "block", p.position, EDGE, yaw_of(p)) for p in poses]
    gaps = [footprint_gap(one, other) for one in put]
    assert min(gaps) > 0 and max(gaps) < RelationThresholds().next_to_m


def test_beside_what_stands_far_out_is_as_far_as_the_arm_and_the_cameras_reach():
    other = thing("mug_2", "mug", (0.41, 0.357, 0.04), (0.08, 0.08, 0.08))
    poses = beside((0.073, 0.073, 0.17), 0.0, other, SIDES["place_left_of"], scene(other), SETTINGS)
    for pose in poses:
        assert 0.36 + 0.04 + 0.036 < pose.position[1] < 0.54
        assert np.hypot(*pose.position[:2]) < 0.68


def test_where_there_is_no_room_beside_it_is_said_which_side():
    other = thing("mug_2", "mug", (0.45, -0.05, 0.045), (0.08, 0.08, 0.09))
    wall = thing("tray", "tray", (0.45, 0.3, 0.015), (0.7, 0.6, 0.03))
    left = SIDES["place_left_of"]
    with pytest.raises(SaySoError, match="left of mug_2"):
        beside(EDGE, 0.0, other, left, scene(other, wall), SETTINGS)


def test_where_there_is_no_room_next_to_it_that_is_said():
    other = thing("mug_2", "mug", (0.45, -0.05, 0.045), (0.08, 0.08, 0.09))
    wall = thing("tray", "tray", (0.45, -0.05, 0.015), (0.7, 0.9, 0.03))
    with pytest.raises(SaySoError, match="next to mug_2"):
        beside(EDGE, 0.0, other, SIDES["place_next_to"], scene(other, wall), SETTINGS)


def round_cloud(*stretches, at=(0.5, 0.0)):
    """(N, 3) of upright cylinders on each other: radius, and heights of their ends."""
    angles = np.linspace(0, 2 * np.pi, 24, endpoint=False)
    rings = [
        np.column_stack([at[0] + r * np.cos(angles), at[1] + r * np.sin(angles), z + 0 * angles])
        for r, low, high in stretches
        for z in np.linspace(low, high, 12)
    ]
    return np.concatenate(rings).astype(np.float32)


BOTTLE = thing("bottle", "bottle", (0.5, 0.0, 0.1), (0.075, 0.075, 0.2))
NECKED = replace(BOTTLE, points=round_cloud((0.0375, 0.0, 0.13), (0.015, 0.14, 0.2)))


@pytest.mark.parametrize("palm_m", [0.037, 0.056])
@pytest.mark.parametrize("bottle", [replace(BOTTLE, size=(0.06, 0.06, 0.2)), NECKED])
def test_no_part_of_a_tall_thing_meets_the_palm(bottle, palm_m):
    settings = replace(SETTINGS, palm_m=palm_m)
    widest = bottle.size[0] / 2 if not len(bottle.points) else 0.015
    for grasp in grasps(bottle, scene(bottle), settings):
        corners = np.array([[x, y, 0.2] for x in (-1, 1) for y in (-1, 1)]) * (widest, widest, 1)
        local = grasp.tool.inverse().transform(corners + np.array([0.5, 0, 0]))
        assert local[:, 2].min() > -palm_m
        assert local[:, 2].max() < 0  # its top is between the fingers


def test_a_bottle_that_is_wider_than_the_hand_is_taken_by_its_neck():
    for grasp in grasps(NECKED, scene(NECKED), SETTINGS):
        assert grasp.hold_m == pytest.approx(0.03, abs=0.004)
    with pytest.raises(SaySoError, match="8 x 8 cm"):
        grasps(BOTTLE, scene(BOTTLE), SETTINGS)  # of which no neck was seen


def test_what_is_wide_where_the_fingers_come_down_is_too_wide():
    capped = replace(BOTTLE, points=round_cloud((0.0375, 0.0, 0.17), (0.015, 0.18, 0.2)))
    with pytest.raises(SaySoError) as error:
        grasps(capped, scene(capped), SETTINGS)
    assert error.value.code is Code.UNSUPPORTED


def test_inside_a_drawer_is_between_its_front_and_the_cabinet():
    for pose in inside(EDGE, 0.0, DRAWER, scene(DRAWER), SETTINGS):
        local = DRAWER.pose.inverse().transform(np.array([pose.position]))[0]
        assert np.all(np.abs(local[:2]) + 0.0225 < np.asarray(DRAWER.size[:2]) / 2)


def test_places_on_the_table_are_free_near_and_not_before_the_drawer():
    things = scene(BLOCK, PLATE, MUG, BOWL, DRAWER)
    here = np.array([0.5, -0.3])
    poses = on_table(EDGE, 0.0, things, here, SETTINGS)
    for pose in poses:
        spot = np.asarray(pose.position)[:2]
        assert all(np.linalg.norm(spot - o.position[:2]) > 0.05 for o in things.objects)
        assert not (0.15 < spot[0] < 0.4 and 0.26 < spot[1] < 0.5)
    distances = [np.linalg.norm(np.asarray(p.position)[:2] - here) for p in poses[::8]]
    assert distances == sorted(distances)


def test_a_full_table_is_said_to_be_full():
    heap = thing("heap", "block", (0.5, 0.0, 0.05), (2.0, 2.0, 0.1))
    with pytest.raises(SaySoError, match="no free place"):
        on_table(EDGE, 0.0, scene(heap), np.zeros(2), SETTINGS)


def test_forbidden_things_get_a_wide_margin_and_are_never_exempt():
    found = obstacles(
        scene(BLOCK, MUG),
        SETTINGS,
        avoid=frozenset({"mug"}),
        exempt=frozenset({"mug", "red_block"}),
    )
    assert {o.name: o.margin_m for o in found} == {
        "the table": SETTINGS.table_margin_m,
        "mug": pytest.approx(0.085),  # with a handle that the box does not show
    }


def test_an_open_drawer_can_be_reached_into():
    """No obstacle of the drawer covers the space inside; a closed one has no inside."""
    parts = [o for o in obstacles(scene(DRAWER), SETTINGS) if o.name == "drawer"]
    middle = np.array([DRAWER.position])
    for part in parts:
        local = part.pose.inverse().transform(middle)[0]
        assert np.any(np.abs(local) > np.asarray(part.size) / 2)
    shut = replace(DRAWER, size=(0.012, 0.236, 0.06), attributes={"opening_m": 0.0})
    shut_parts = [o for o in obstacles(scene(shut), SETTINGS) if o.name == "drawer"]
    assert len(shut_parts) == 2


def test_round_things_are_cylinders():
    (_, plate) = obstacles(scene(PLATE), SETTINGS)
    assert plate.shape == "cylinder" and plate.pose == Pose(PLATE.position)


@pytest.mark.parametrize(
    ("size", "most_m"),
    [
        ((0.08, 0.08, 0.09), 0.03),
        ((0.08, 0.045, 0.09), 0.03),  # half of it is behind something
        ((0.10, 0.10, 0.09), 0.03),
        ((0.10, 0.08, 0.09), 0.01),
        ((0.115, 0.08, 0.09), 0.0),
    ],
)
@pytest.mark.parametrize("kind", ["mug", "cup", "coffee mug", "mug of tea", "coffee_cup"])
def test_what_must_not_be_touched_may_have_its_handle_where_none_is_seen(kind, size, most_m):
    """A handle stands out by 3 cm on some side, unless the box shows it."""
    mug = SceneObject("mug", kind, "purple", (0.4, 0.0, 0.045), size)
    (far,) = (
        o for o in obstacles(scene(mug), SETTINGS, avoid=frozenset({"mug"}), avoid_margin_m=0.02)
        if o.name == "mug"
    )  # fmt: skip
    assert far.size[0] / 2 + far.margin_m >= max(size) / 2 + most_m + 0.02 - 1e-9
    (near,) = (o for o in obstacles(scene(mug), SETTINGS) if o.name == "mug")
    assert near.margin_m == SETTINGS.margin_m
