"""Maps of the flat from depth and poses."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.perception.mapping import (
    FREE,
    OCCUPIED,
    UNKNOWN,
    FloorPlan,
    Mapper,
    MappingSettings,
    load_map,
    map_frames,
    save_map,
)
from support.boxed_depth import Box, frame, looking

ROOM: Box = ((0.0, 0.0, 0.0), (5.0, 4.0, 2.5))
TABLE: Box = ((2.0, 1.5, 0.0), (3.0, 2.5, 0.7))
STANDS = [(1.0, 1.0), (4.0, 1.0), (4.0, 3.0), (1.0, 3.0)]


def tour(*boxes: Box) -> Mapper:
    views = [(x, y, yaw) for x, y in STANDS for yaw in np.arange(8) * np.pi / 4]
    return map_frames(
        (frame(looking(*view), boxes, ROOM) for view in views), MappingSettings(stride=1, hits=2)
    )


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
    mapper = map_frames([replace(blank, depth_m=np.zeros_like(blank.depth_m))])
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
