"""The simulated flat: driving, sensing, doors, walkers, disturbances, grasping."""

from __future__ import annotations

import math
from collections.abc import Iterator

import mujoco
import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.planning.navigation.nearness import Footprint
from sayso.worlds.flat import robot, truth
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.model import compile_scene
from sayso.worlds.flat.scene import Door, Walker
from sayso.worlds.flat.scene_file import fixed, fixed_names
from sayso.worlds.flat.sensing import LASER_BEAMS, FlatNoise, laser_angles
from support.flat_scenes import ScriptedMobileArm, item, room, true

SCENE = room(
    item("sofa", "sofa", (5.5, 2.0, 0.0), math.pi),
    item("mug", "mug", (2.0, 0.6, 0.0)),
    doors=(Door("door_1", "door", "wooden", (3.0, 4.0), 0.0),),
    walkers=(Walker("cat_1", "cat", "orange", ((0.5, 3.4), (5.0, 3.4)), 0.5),),
)


@pytest.fixture(scope="module")
def shared() -> Iterator[FlatWorld]:
    world = FlatWorld(SCENE)
    yield world
    world.close()


@pytest.fixture
def world(shared: FlatWorld) -> FlatWorld:
    shared.reset(0)
    return shared


def place(world: FlatWorld) -> np.ndarray:
    return np.array(world.true_base().position[:2])


def test_the_base_obeys_its_limits(world: FlatWorld) -> None:
    limits = world.base.limits
    world.drive(3.0, 4.0, 9.0, valid_s=5.0)
    speeds = []
    for _ in range(20):
        before = world.odometry().velocity
        world.step(0.05)
        speeds.append(world.odometry().velocity)
        change = np.subtract(speeds[-1], before) / 0.05
        assert np.hypot(*change[:2]) <= 1.1 * robot.MAX_ACCELERATION_M_S2 + 0.6
    assert np.hypot(*speeds[-1][:2]) == pytest.approx(limits.speed_m_s, abs=0.05)
    assert speeds[-1][2] == pytest.approx(limits.turn_rad_s, abs=0.05)


def test_a_base_that_nobody_drives_any_more_stops(world: FlatWorld) -> None:
    world.drive(0.8, 0.0, 0.0)
    world.step(0.5)
    assert world.odometry().velocity[0] > 0.5
    world.step(1.0)
    assert abs(world.odometry().velocity[0]) < 0.01
    world.drive(0.8, 0.0, 0.0, valid_s=5.0)
    world.step(0.5)
    world.hold()
    world.step(0.8)
    assert abs(world.odometry().velocity[0]) < 0.01


def test_walls_and_furniture_stop_the_base(world: FlatWorld) -> None:
    world.drive(1.0, 0.0, 0.0, valid_s=20.0)
    world.step(5.0)
    assert "sofa" in world.contacts()
    assert place(world)[0] < 5.05 - world.base.footprint_m[0] / 2 + 0.03
    world.reset(0)
    world.drive(0.0, -1.0, 0.0, valid_s=20.0)
    world.step(5.0)
    assert "walls" in world.contacts()
    assert place(world)[1] > 0.05 + world.base.footprint_m[1] / 2 - 0.03


def test_without_noise_all_say_the_truth(world: FlatWorld) -> None:
    world.drive(0.5, 0.1, 0.5, valid_s=2.0)
    world.step(3.0)
    start = np.array([2.0, 2.0])
    assert np.array(world.odometry().pose.position[:2]) + start == pytest.approx(
        place(world), abs=0.01
    )
    assert world.localisation() == world.true_base()


def test_noise_makes_localisation_waver_and_odometry_drift() -> None:
    world = FlatWorld(SCENE, 3, FlatNoise())
    fixes = np.array([world.localisation().position[:2] for _ in range(200)])
    assert fixes.std(axis=0) == pytest.approx([0.01, 0.01], abs=0.002)
    assert fixes.mean(axis=0) == pytest.approx([2.0, 2.0], abs=0.003)
    world.drive(0.6, 0.0, 0.0, valid_s=2.0)
    world.step(3.0)
    gone = place(world) - (2.0, 2.0)
    error = np.linalg.norm(np.array(world.odometry().pose.position[:2]) - gone)
    assert 1e-5 < error < 0.2
    once, again = world.scan().ranges, world.scan().ranges
    hit = np.isfinite(once) & np.isfinite(again)
    assert np.std(once[hit] - again[hit]) == pytest.approx(0.014, abs=0.003)


def test_the_laser_measures_walls_and_sees_no_robot(world: FlatWorld) -> None:
    ranges = world.scan().ranges
    assert ranges.shape == (LASER_BEAMS,)
    right = ranges[np.argmin(np.abs(laser_angles() + np.pi / 2))]
    assert right == pytest.approx(2.0 - 0.05, abs=0.02)
    assert ranges.min() > 0.5


@pytest.mark.parametrize("place", [(0.9, 2.0), (3.1, 2.0), (2.0, 0.9), (2.0, 3.1)])
def test_the_laser_meets_who_is_near_on_any_side(world: FlatWorld, place) -> None:
    world.move("cat_1", (*place, 0.0))
    world.step(0.01)
    ranges = world.scan().ranges
    hit = np.isfinite(ranges)
    ranges, angles = ranges[hit], laser_angles()[hit]
    met = world.true_base().transform(
        np.column_stack([ranges * np.cos(angles), ranges * np.sin(angles), 0 * angles])
    )[:, :2]
    off = Footprint.of(true(world, "cat_1")).distance_m(met[:, 0], met[:, 1])
    assert np.sum(off < 0.02) >= 10


def test_a_camera_sees_things_where_they_are(world: FlatWorld) -> None:
    frame = world.render("front", instances=True)
    ids = truth.instance_ids(world.scene)
    assert frame.instance_labels[ids["sofa"]] == "blue sofa"
    mask = frame.instances == ids["sofa"]
    assert mask.sum() > 1000
    v, u = np.nonzero(mask)
    z = frame.depth_m[v, u].astype(float)
    k = frame.intrinsics
    points = frame.pose.transform(
        np.column_stack([(u - k.cx) / k.fx * z, (v - k.cy) / k.fy * z, z])
    )
    sofa = true(world, "sofa")
    low, high = sofa.corners().min(axis=0), sofa.corners().max(axis=0)
    inside = np.all((points > low - 0.03) & (points < high + 0.03), axis=1)
    assert inside.mean() > 0.97
    assert world.picture("top").shape == (480, 640, 3)


def test_cameras_fall_silent_and_unknown_ones_are_refused(world: FlatWorld) -> None:
    world.mute("front")
    with pytest.raises(SaySoError) as silent:
        world.render("front")
    assert silent.value.code is Code.STALE
    world.mute("front", False)
    world.render("front")
    for camera in ("top", "rear"):
        with pytest.raises(SaySoError, match="no camera"):
            world.render(camera)


def test_doors_take_their_time(world: FlatWorld) -> None:
    world.set_door("door_1", 0.0)
    world.step(1.0)
    half = true(world, "door_1").attributes["open_share"]
    assert half is not None
    assert 0.3 < half < 1.0
    world.step(1.5)
    shut = true(world, "door_1")
    assert shut.attributes["open_share"] == 0.0
    assert shut.position == pytest.approx((3.0, 4.0, 1.0), abs=0.01)


def test_a_lid_bears_what_stands_on_it_and_lets_it_into_the_open_chest() -> None:
    chest = item("chest", "chest", (4.0, 2.0, 0.0), math.pi)
    world = FlatWorld(room(chest, item("mug", "mug", (3.95, 2.0, 0.5))))
    world.step(0.5)
    assert true(world, "mug").position[2] > 0.5
    assert true(world, "chest").attributes == {"lid_share": 0.0}
    world.operate("chest", "lid_share", 1.0)
    world.step(3.0)
    assert true(world, "chest").attributes == {"lid_share": 1.0}
    inside = true(world, "mug")
    assert 0.1 < inside.position[2] < 0.3
    ids = np.unique(world.render("front", instances=True).instances)
    assert world.instance_labels()[1] == "white chest" and set(ids) <= {0, 1, 2}
    world.close()


def test_a_cat_walks_its_round_and_waits_for_the_robot(world: FlatWorld) -> None:
    world.walk("cat_1")
    world.step(1.0)
    assert true(world, "cat_1").position[0] == pytest.approx(0.5 + 0.5, abs=0.05)
    world.walk("cat_1", False)
    world.step(1.0)
    assert true(world, "cat_1").position[0] == pytest.approx(1.0, abs=0.06)
    world.walk("cat_1")
    world.drive(0.0, 1.0, 0.0, valid_s=1.5)
    world.step(6.0)
    assert "cat_1" not in world.contacts()
    assert true(world, "cat_1").position[0] < 1.6
    world.drive(0.0, -1.0, 0.0, valid_s=1.5)
    world.step(5.0)
    assert true(world, "cat_1").position[0] > 2.0


def test_things_are_moved_and_removed(world: FlatWorld) -> None:
    world.move("mug", (1.0, 1.0, 0.0))
    world.move("sofa", (4.5, 1.0, 0.4))
    world.move("cat_1", (4.0, 3.0, 0.0))
    world.step(0.2)
    assert true(world, "mug").position[:2] == pytest.approx((1.0, 1.0), abs=0.005)
    assert true(world, "sofa").position == pytest.approx((4.5, 1.0, 0.4), abs=0.005)
    assert true(world, "cat_1").position[:2] == pytest.approx((4.0, 3.0))
    world.remove("mug")
    assert "mug" not in {o.name for o in world.truth()}
    world.reset(0)
    assert true(world, "mug").position[:2] == pytest.approx((2.0, 0.6), abs=0.01)
    assert true(world, "sofa").position[0] == pytest.approx(5.5, abs=0.01)


@pytest.mark.parametrize(
    "wrong",
    [
        lambda w: w.move("piano", (0, 0, 0)),
        lambda w: w.remove("door_1"),
        lambda w: w.set_door("gate", 1.0),
        lambda w: w.set_door("door_1", 1.5),
        lambda w: w.walk("mug"),
        lambda w: w.drive(float("nan"), 0, 0),
        lambda w: w.picture("moon"),
    ],
)
def test_what_makes_no_sense_is_refused(world: FlatWorld, wrong) -> None:
    with pytest.raises(SaySoError) as caught:
        wrong(world)
    assert caught.value.code is Code.INVALID


@pytest.mark.parametrize("kind", ["mug", "plush_toy"])
def test_things_are_gripped_by_friction_and_carried(kind: str) -> None:
    scene = room(item("table", "table", (3.0, 2.0, 0)), item("thing", kind, (2.75, 2.0, 0.72)))
    world = FlatWorld(scene)
    arm = ScriptedMobileArm(world)
    before = true(world, "thing")
    arm.pick(before, np.pi / 2)
    assert true(world, "thing").position[2] > before.position[2] + 0.12
    world.drive(-0.5, 0.0, 0.5, valid_s=2.0)
    world.step(3.0)
    carried = true(world, "thing")
    assert carried.position[2] > before.position[2] + 0.12
    assert np.linalg.norm(np.subtract(carried.position[:2], before.position[:2])) > 0.4


@pytest.mark.parametrize("name", fixed_names())
def test_fixed_scenes_stay_as_they_are_when_time_passes(name: str) -> None:
    scene = fixed(name)
    world = FlatWorld(scene)
    world.step(1.5)
    assert world.contacts() == frozenset()
    for entry in scene.items:
        now = true(world, entry.name).position
        assert now == pytest.approx(entry.centre, abs=0.02), entry.name


@pytest.mark.parametrize("kind", ["can", "apple"])
def test_what_is_round_and_rolls_comes_to_rest(kind: str) -> None:
    scene = room(item("thing", kind, (2.0, 2.0, 0.0)), doors=())
    model = compile_scene(scene)
    data = mujoco.MjData(model)
    thing = data.joint("thing")
    radius = scene.items[0].size[0] / 2
    thing.qpos = [2.0, 2.0, radius, math.sqrt(0.5), math.sqrt(0.5), 0.0, 0.0]  # a can lies along y
    thing.qvel[0] = 0.2
    thing.qvel[3:] = [0.0, 0.0, 0.0]
    mujoco.mj_step(model, data, round(3.0 / model.opt.timestep))
    assert 0.0 < thing.qpos[0] - 2.0 < 0.3
    assert np.abs(thing.qvel[:3]).max() < 0.005
