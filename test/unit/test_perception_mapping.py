"""Maps of the flat from depth and poses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import SceneObject
from sayso.perception.map_files import FREE, OCCUPIED, UNKNOWN, FloorPlan, load_map, save_map
from sayso.perception.mapping import Mapper, MappingSettings
from support.boxed_depth import Box, frame, looking

ROOM: Box = ((0.0, 0.0, 0.0), (5.0, 4.0, 2.5))
TABLE: Box = ((2.0, 1.5, 0.0), (3.0, 2.5, 0.7))
STANDS = [(1.0, 1.0), (4.0, 1.0), (4.0, 3.0), (1.0, 3.0)]


def tour(*boxes: Box) -> Mapper:
    views = [(x, y, yaw) for x, y in STANDS for yaw in np.arange(8) * np.pi / 4]
    mapper = Mapper(MappingSettings(stride=1, hits=2))
    for view in views:
        mapper.add(frame(looking(*view), boxes, ROOM))
    return mapper


@pytest.fixture(scope="module")
def with_table() -> Mapper:
    return tour(TABLE)


def value(plan: FloorPlan, x: float, y: float) -> int:
    column, row = np.floor((np.array([x, y]) - plan.origin) / plan.resolution_m).astype(int)
    return int(plan.cells[row, column])


def test_walls_and_furniture_are_occupied_and_the_floor_between_is_free(
    with_table: Mapper,
) -> None:
    plan = with_table.floor_plan()
    assert value(plan, 2.02, 2.0) == OCCUPIED  # the table's side
    assert value(plan, 0.01 - 0.05, 2.0) == OCCUPIED or value(plan, 0.01, 2.0) == OCCUPIED
    for x, y in STANDS:
        assert value(plan, x, y) == FREE
    free = plan.cells == FREE
    assert free.sum() * plan.resolution_m**2 > 0.85 * (5 * 4 - 1)
    assert not free[_inside(plan, TABLE, margin_m=0.1)].any()


def _inside(plan: FloorPlan, box: Box, margin_m: float) -> np.ndarray:
    rows, columns = plan.cells.shape
    x = (np.arange(columns) + 0.5) * plan.resolution_m + plan.origin[0]
    y = (np.arange(rows) + 0.5) * plan.resolution_m + plan.origin[1]
    (x0, y0, _), (x1, y1, _) = box
    across = (x > x0 + margin_m) & (x < x1 - margin_m)
    return ((y > y0 + margin_m) & (y < y1 - margin_m))[:, None] & across[None, :]


def test_what_no_ray_reached_is_unknown(with_table: Mapper) -> None:
    closet: Box = ((1.5, 1.0, 0.0), (3.5, 3.0, 2.5))
    plan = tour(closet).floor_plan()
    assert value(plan, 2.5, 2.0) == UNKNOWN


def test_a_thing_taken_away_is_cleared() -> None:
    mapper = Mapper(MappingSettings(stride=1, hits=2))
    view = looking(1.0, 2.0, 0.0)
    post: Box = ((2.0, 1.8, 0.0), (2.3, 2.2, 1.2))
    for _ in range(3):
        mapper.add(frame(view, [post], ROOM))
    assert value(mapper.floor_plan(), 2.02, 2.0) == OCCUPIED
    for _ in range(5):
        mapper.add(frame(view, [], ROOM))
    assert value(mapper.floor_plan(), 2.02, 2.0) == FREE


@pytest.mark.parametrize("before", [1, 100])
def test_what_shuts_is_seen_at_once_and_what_opens_soon_however_long_it_was_so(before: int) -> None:
    mapper = Mapper(MappingSettings(stride=1, hits=2))
    view = looking(1.0, 2.0, 0.0)
    door: Box = ((2.0, 1.0, 0.0), (2.05, 3.0, 2.0))
    for boxes, wanted, frames in (([], FREE, before), ([door], OCCUPIED, 2), ([], FREE, 5)) * 2:
        for _ in range(frames):
            mapper.add(frame(view, boxes, ROOM))
        assert value(mapper.floor_plan(), 2.02, 2.0) == wanted


def test_somebody_who_walks_leaves_no_trace() -> None:
    view = looking(1.0, 2.0, 0.0)
    mapper = Mapper(MappingSettings(stride=1, hits=2))
    for y in np.arange(1.0, 3.0, 0.2):
        size = (0.4, 0.4, 1.7)
        person = SceneObject("anna", "person", "", (2.2, float(y), 0.85), size)
        body: Box = ((2.0, y - 0.2, 0.0), (2.4, y + 0.2, 1.7))
        mapper.add(frame(view, [body], ROOM), [person])
    plan = mapper.floor_plan()
    rows = slice(*(int((y - plan.origin[1]) / 0.05) for y in (0.8, 3.2)))
    columns = slice(*(int((x - plan.origin[0]) / 0.05) for x in (1.9, 2.5)))
    assert not (plan.cells[rows, columns] == OCCUPIED).any()


def test_where_the_robot_stands_the_floor_is_free() -> None:
    mapper = Mapper(MappingSettings(stride=1, hits=2))
    post: Box = ((1.4, 1.9, 0.0), (1.6, 2.1, 1.2))
    mapper.add(frame(looking(0.5, 2.0, 0.0), [post], ROOM))
    assert value(mapper.floor_plan(), 1.42, 2.0) == OCCUPIED
    base = Pose((1.5, 2.0, 0.0), (0.0, 0.0, np.sin(np.pi / 4), np.cos(np.pi / 4)))
    mapper.stand(base)
    plan = mapper.floor_plan()
    assert [value(plan, 1.5, y) for y in (1.5, 2.0, 2.5)] == [FREE] * 3
    assert value(plan, 1.42, 2.0) == FREE
    mapper.add(frame(looking(0.5, 2.0, 0.0), [post], ROOM), base=base)
    assert value(mapper.floor_plan(), 1.42, 2.0) == FREE, "the robot mapped itself"


def leaf(opened: float) -> SceneObject:
    """Of a door 1 m wide between (2.5, 1) and its hinge at (2.5, 2), which opens along x."""
    yaw = (opened - 1) * np.pi / 2
    x, y = np.array([2.5, 2.0]) + 0.5 * np.array([np.cos(yaw), np.sin(yaw)])
    turned = (0.0, 0.0, float(np.sin(yaw / 2)), float(np.cos(yaw / 2)))
    size = (1.0, 0.05, 2.0)
    share = {"open_share": opened}
    return SceneObject("door", "door", "", (x, y, 1.0), size, turned, attributes=share)


def test_where_a_doors_leaf_went_the_floor_is_free_though_no_camera_saw_it_go() -> None:
    shut, midway = ((2.47, 1.0, 0.0), (2.53, 2.0, 2.0)), ((2.8, 1.6, 0.0), (2.9, 1.7, 2.0))
    beyond = ((3.5, 0.8, 0.0), (4.0, 1.2, 1.0))
    mapper = tour(shut, midway, beyond)
    mapper.follow([leaf(0.0)])
    places = [(x, 1.5) for x in (2.42, 2.47, 2.52, 2.57)] + [(2.82, 1.65), (2.87, 1.65)]
    before = mapper.floor_plan()
    assert [value(before, *p) for p in places].count(OCCUPIED) >= 3
    mapper.follow([leaf(1.0)])
    plan = mapper.floor_plan()
    assert {value(plan, *p) for p in places} == {FREE}
    assert value(plan, 3.72, 1.17) == OCCUPIED  # what it did not go over stays


def test_a_saved_map_can_be_gone_on_with(with_table: Mapper) -> None:
    plan, voxels = with_table.floor_plan(), with_table.voxels()
    again = Mapper.of_map(plan, voxels, MappingSettings(stride=1, hits=2))
    assert (again.floor_plan().cells == plan.cells).all()
    assert (again.voxels().centres == voxels.centres).all()
    assert (again.voxels().colors == voxels.colors).all()
    for _ in range(6):
        again.add(frame(looking(1.0, 2.0, 0.0), [], ROOM))
    assert value(again.floor_plan(), 2.02, 2.0) == FREE
    with pytest.raises(SaySoError, match=r"voxels of 0\.05 m, but 0\.1 m") as caught:
        Mapper.of_map(plan, voxels, MappingSettings(voxel_m=0.1))
    assert caught.value.code == Code.CONFIG


def test_a_pose_that_is_nowhere_is_an_error() -> None:
    lost = replace(frame(looking(1.0, 1.0, 0.0), [], ROOM), pose=Pose((1e6, 0.0, 0.0)))
    with pytest.raises(SaySoError, match="nowhere") as caught:
        Mapper().add(lost)
    assert caught.value.code == Code.INVALID


def test_voxels_lie_on_surfaces(with_table: Mapper) -> None:
    voxels = with_table.voxels()
    low, high = np.asarray(ROOM)
    beyond = np.maximum(low - voxels.centres, voxels.centres - high).max(axis=1)
    table_low, table_high = np.asarray(TABLE)
    inside = np.minimum(voxels.centres - table_low, table_high - voxels.centres).min(axis=1)
    assert (beyond < 0.05).all()
    assert (inside < 0.05).all()
    assert (voxels.colors == 90).all()


def test_a_tour_without_depth_is_an_error() -> None:
    blank = frame(looking(1.0, 1.0, 0.0), [], ROOM)
    mapper = Mapper()
    mapper.add(replace(blank, depth_m=np.zeros_like(blank.depth_m)))
    with pytest.raises(SaySoError, match="1 frames gave no depth") as caught:
        mapper.floor_plan()
    assert caught.value.code == Code.INVALID
    with pytest.raises(SaySoError, match="there was no frame"):
        Mapper().voxels()


def test_depth_of_another_size_is_an_error() -> None:
    odd = replace(frame(looking(1.0, 1.0, 0.0), [], ROOM), depth_m=np.ones((3, 4), np.float32))
    with pytest.raises(SaySoError, match="80 x 60 pixels of colour, but depth of shape") as caught:
        Mapper().add(odd)
    assert caught.value.code == Code.INVALID


def test_a_saved_map_comes_back(with_table: Mapper, tmp_path: Path) -> None:
    plan, voxels = with_table.floor_plan(), with_table.voxels()
    save_map(tmp_path / "flat", plan, voxels)
    again, cloud = load_map(tmp_path / "flat")
    assert (again.cells == plan.cells).all()
    assert (again.origin, again.resolution_m) == (plan.origin, plan.resolution_m)
    assert (cloud.centres == voxels.centres).all()
    assert (cloud.hits == voxels.hits).all()


def test_a_map_that_does_not_say_where_in_its_voxels_points_lie_can_be_read(
    with_table: Mapper, tmp_path: Path
) -> None:
    save_map(tmp_path, with_table.floor_plan(), with_table.voxels())
    with np.load(tmp_path / "map.npz") as file:
        arrays = {name: file[name] for name in file if name != "leans"}
    np.savez(tmp_path / "map.npz", **arrays)
    plan, voxels = load_map(tmp_path)
    assert not voxels.leans.any()
    again = Mapper.of_map(plan, voxels, MappingSettings(stride=1, hits=2)).floor_plan()
    assert value(again, 2.02, 2.0) == OCCUPIED


def _unlean(folder: Path) -> None:
    with np.load(folder / "map.npz") as file:
        arrays = dict(file)
    arrays["leans"] = arrays["leans"][1:]
    np.savez(folder / "map.npz", **arrays)


def _truncate(folder: Path) -> None:
    path = folder / "map.npz"
    path.write_bytes(path.read_bytes()[:200])


def _unfree(folder: Path) -> None:
    with np.load(folder / "map.npz") as file:
        arrays = dict(file)
    arrays["cells"] = np.full_like(arrays["cells"], OCCUPIED)
    np.savez(folder / "map.npz", **arrays)


@pytest.mark.parametrize(
    ("damage", "code", "says"),
    [
        (_truncate, Code.CORRUPT, "cannot be read"),
        (_unfree, Code.CORRUPT, "no free cell"),
        (_unlean, Code.CORRUPT, "lean"),
        (lambda f: (f / "map.npz").unlink(), Code.CONFIG, "is missing"),
        (lambda f: (f / "map.yaml").unlink(), Code.CONFIG, "there is no map"),
        (lambda f: (f / "map.yaml").write_text(""), Code.CORRUPT, "format"),
        (lambda f: (f / "map.yaml").write_text("{"), Code.CORRUPT, "cannot be read"),
        (
            lambda f: (f / "map.yaml").write_text("format: 1\nresolution: a\n"),
            Code.CORRUPT,
            "resolution",
        ),
    ],
)
def test_a_damaged_map_is_named(
    with_table: Mapper, tmp_path: Path, damage, code: Code, says: str
) -> None:
    save_map(tmp_path, with_table.floor_plan(), with_table.voxels())
    damage(tmp_path)
    with pytest.raises(SaySoError, match=says) as caught:
        load_map(tmp_path)
    assert caught.value.code == code
