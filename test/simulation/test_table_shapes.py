"""Shapes of many families in physics: they rest, hold, hang and lie by contact alone."""

from dataclasses import replace

import mujoco
import numpy as np
import pytest

from sayso.core.geometry import Pose, quaternion_from_matrix
from sayso.worlds.table.furniture import FLOOR_Z
from sayso.worlds.table.layout import Layout, Placement
from sayso.worlds.table.shapes.families import FAMILIES, SEEDS, Block, draw, seeds
from sayso.worlds.table.shapes.surface import inside
from sayso.worlds.table.table_scene import TableScene, drawn_thing
from sayso.worlds.table.table_world import TableWorld
from sayso.worlds.things import CABINET_POSITION
from support.shaped_table import ShapedTable, tilt

_GRID_M = 0.6


def _turned(rotation, position=(0.0, 0.0, 0.0)) -> Pose:
    return Pose(tuple(map(float, position)), quaternion_from_matrix(np.asarray(rotation, float)))


@pytest.mark.parametrize("family", FAMILIES)
def test_every_shape_rests_upright_where_it_was_put(family):
    """Twenty at a time, well apart on the floor."""
    for split in ("training", "unseen"):
        shapes = {f"{family}_{seed}": draw(family, seed) for seed in seeds(split)}
        table = ShapedTable(shapes)
        places = {n: (_GRID_M * (i % 5), 3 + _GRID_M * (i // 5)) for i, n in enumerate(shapes)}
        for name, shape in shapes.items():
            table.stand(name, shape, *places[name], FLOOR_Z)
        table.wait(1.0)
        for name, shape in shapes.items():
            pose = table.pose(name)
            assert pose.position[:2] == pytest.approx(places[name], abs=1e-3), name
            assert pose.position[2] == pytest.approx(FLOOR_Z + shape.size[2] / 2, abs=2e-3), name
            assert tilt(pose) < 0.01 and np.abs(table.speed(name)).max() < 5e-3, name


def _hang(seed: int, rack_seed: int) -> tuple[ShapedTable, Pose, str]:
    """A mug whose handle's loop is around the middle of a rack's first peg, just let go."""
    mug, rack = draw("mug", seed), draw("rack", rack_seed)
    table = ShapedTable({"mug": mug, "rack": rack})
    table.stand("rack", rack, 0.4, 0.0)
    peg = Pose((0.4, 0.0, rack.size[2] / 2 + 0.0005)) @ rack.frames["peg_1"]
    # The handle points up and the peg goes through it: the mug hangs below.
    hung = _turned([[0, 1, 0], [0, 0, 1], [1, 0, 0]])
    loop = mug.frames["handle"].position
    table.put("mug", peg @ hung @ Pose(tuple(-c for c in loop)))
    return table, peg, f"mug {seed} on rack {rack_seed}"


@pytest.mark.parametrize("seed", [0, 7, 13, 21, 26, 39])
def test_a_mug_hangs_by_its_handle_on_a_peg_and_stays_there(seed):
    table, peg, which = _hang(seed, seed)
    table.wait(1.0)
    early = table.pose("mug")
    table.wait(1.0)
    pose, mug = table.pose("mug"), draw("mug", seed)
    loop = (pose @ mug.frames["handle"]).position
    assert loop[2] < peg.position[2] + 0.03, which
    along = peg.inverse().transform(np.array([loop]))[0]
    assert abs(along[0]) < 0.06 and np.hypot(*along[1:]) < 0.03, which
    assert pose.position[2] - max(mug.size) / 2 > 0.03, f"{which} stands on something"
    assert np.linalg.norm(np.subtract(pose.position, early.position)) < 0.01, which


@pytest.mark.parametrize("seed", [1, 22, 30])
def test_a_block_dropped_into_a_mug_stays_in_it_and_goes_with_it(seed):
    mug = draw("mug", seed)
    block = replace(Block((0.02, 0.02, 0.02), 0.01).made(), rgb=(0.8, 0.1, 0.1))
    table = ShapedTable({"mug": mug, "block": block})
    table.stand("mug", mug, 0.4, 0.0)
    table.put("block", Pose((0.405, 0.0, mug.size[2] + 0.03)))
    table.wait(1.0)
    assert _is_in_mug(table, mug)
    for _ in range(500):  # up and aside, as in a hand
        table.data.joint("mug").qvel[:] = [0.1, 0.0, 0.05 + 9.81 * 0.002, 0.0, 0.0, 0.0]
        table.wait(0.002)
    assert table.pose("mug").position == pytest.approx((0.5, 0.0, mug.size[2] / 2 + 0.05), abs=0.01)
    assert _is_in_mug(table, mug)


def _is_in_mug(table, mug) -> bool:
    x, y, z = table.pose("mug").inverse().transform(np.array([table.pose("block").position]))[0]
    return bool(np.hypot(x, y) < mug.size[0] / 2 and abs(z) < mug.size[2] / 2)


@pytest.mark.parametrize("seed", [2, 17, 25, 33])
def test_a_bottle_laid_in_a_tray_rests_in_it(seed):
    bottle, tray = draw("bottle", seed), draw("tray", seed)
    table = ShapedTable({"bottle": bottle, "tray": tray})
    table.stand("tray", tray, 0.4, 0.0)
    lying = [[0, 0, 1], [0, 1, 0], [-1, 0, 0]]
    floor = (Pose((0.4, 0.0, tray.size[2] / 2)) @ tray.frames["floor"]).position[2]
    table.put("bottle", _turned(lying, (0.4, 0.0, floor + bottle.size[0] / 2 + 0.002)))
    table.wait(2.0)
    x, y, _ = np.subtract(table.pose("bottle").position, table.pose("tray").position)
    assert abs(x) < tray.size[0] / 2 and abs(y) < tray.size[1] / 2
    assert tilt(table.pose("bottle")) == pytest.approx(np.pi / 2, abs=0.15)
    assert np.abs(table.speed("bottle")).max() < 0.02


@pytest.mark.parametrize("seed", [3, 24])
def test_a_book_stands_in_a_slot_of_a_shelf(seed):
    book, shelf = draw("book", seed), draw("shelf", seed)
    table = ShapedTable({"book": book, "shelf": shelf})
    table.stand("shelf", shelf, 0.4, 0.0)
    slot = Pose((0.4, 0.0, shelf.size[2] / 2 + 0.0005)) @ shelf.frames["slot_1"]
    upright = _turned([[0, 1, 0], [0, 0, -1], [-1, 0, 0]])  # its length up, its spine at the back
    table.put("book", slot @ Pose((0, 0, book.size[0] / 2 + 0.002)) @ upright)
    table.wait(2.0)
    _, y, z = slot.inverse().transform(np.array([table.pose("book").position]))[0]
    assert abs(y) < 0.02 and z > 0.8 * book.size[0] / 2
    assert np.abs(table.speed("book")).max() < 0.02


@pytest.mark.parametrize("seed", [4, 28])
def test_the_lid_of_a_box_opens_and_falls_shut(seed):
    box = draw("box", seed)
    table = ShapedTable({"box": box})
    table.stand("box", box, 0.4, 0.0)
    table.wait(0.3)
    lid = table.data.joint("box/lid")
    assert lid.qpos[0] == pytest.approx(0.0, abs=0.02)
    lid.qpos[0] = 1.2
    table.wait(0.02)
    assert table.data.body("box/lid").xpos[2] == pytest.approx(
        table.pose("box").position[2], abs=0.3
    )
    table.wait(1.5)
    assert lid.qpos[0] == pytest.approx(0.0, abs=0.05)
    assert tilt(table.pose("box")) < 0.02


def test_seeds_of_training_and_testing_are_apart_and_many():
    assert not set(seeds("training")) & set(seeds("unseen"))
    assert len(seeds("training")) + len(seeds("unseen")) == SEEDS >= 30


def test_a_mug_is_hollow():
    mug = draw("mug", 5)
    middle = np.array([[0.0, 0.0, 0.0], [0.0, 0.0, mug.size[2] / 2 - 0.001]])
    assert not any(inside(piece, middle).any() for piece in mug.pieces)


@pytest.mark.parametrize("seed", [0, 21])
def test_an_opened_box_is_as_its_hinge_has_it_in_physics_and_the_lid_is_the_boxs(seed):
    scene = TableScene(
        (drawn_thing("box", "box", seed, "red"),),
        False,
        Layout({"box": Placement(0.5, 0.1, 0.7)}, CABINET_POSITION, 0.0),
    )
    world = TableWorld(seed, scene=scene)
    try:
        shape = draw("box", seed)
        (thing,) = world.truth()
        assert thing.attributes["open_share"] == pytest.approx(0.0, abs=3e-3)
        world._data.joint("box/lid").qpos[0] = 1.8
        world.step(0.01)
        (thing,) = world.truth()
        rad = thing.attributes["open_share"] * shape.hinge.most_rad
        assert rad > 1.7
        knob = next(p for p in shape.opened(rad).pieces if p.part == "lid_handle")
        (geom,) = (
            g
            for g in range(world._model.ngeom)
            if world._model.geom_type[g] == mujoco.mjtGeom.mjGEOM_CAPSULE
            and world._model.body(world._model.geom_bodyid[g]).name == "box/lid"
        )
        middle = np.mean([knob.start, knob.end], axis=0)[None]
        assert thing.pose.transform(middle)[0] == pytest.approx(
            world._data.geom_xpos[geom], abs=1e-3
        )
        assert world._owner[geom] == "box"
    finally:
        world.close()
