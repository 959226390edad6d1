"""Walls on the map are as thick as in truth, however noisy depth and places are."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from sayso.core.geometry import Pose
from sayso.core.ports import RgbdFrame
from sayso.perception.map_files import OCCUPIED, FloorPlan
from sayso.perception.mapping import Mapper, MappingSettings
from support.boxed_depth import Box, frame, looking

ROOM: Box = ((0.0, 0.0, 0.0), (5.0, 4.0, 2.5))
VIEWS = [(1.0, y, yaw) for y in (1.2, 2.0, 2.8) for yaw in (-0.4, 0.0, 0.4)] * 3
PLACE_M, DEPTH_PER_M = 0.015, 0.0015


def noisy(view: RgbdFrame, rng: np.random.Generator) -> RgbdFrame:
    """The frame as a camera gives it that does not know exactly where it is."""
    z = view.depth_m
    depth = z + DEPTH_PER_M * z * z * rng.standard_normal(z.shape)
    x, y, height = view.pose.position
    dx, dy = PLACE_M * rng.standard_normal(2)
    pose = Pose((x + dx, y + dy, height), view.pose.orientation)
    return replace(view, depth_m=depth.astype(np.float32), pose=pose)


def seen(*boxes: Box, height_m: float = 0.8, down: float = 0.3) -> FloorPlan:
    rng = np.random.default_rng(3)
    mapper = Mapper(MappingSettings(stride=1, hits=3))
    for view in VIEWS:
        mapper.add(noisy(frame(looking(*view, height_m, down), boxes, ROOM), rng))
    return mapper.floor_plan()


@pytest.mark.parametrize("offset_m", [0.0, 0.025, 0.0375])
def test_a_wall_takes_the_cells_that_it_covers_about_half_and_no_others(offset_m: float) -> None:
    face = 3.0 + offset_m
    plan = seen(((face, 0.0, 0.0), (face + 0.1, 4.0, 2.5)))
    begins = np.array([_first(plan, y) for y in np.arange(1.02, 3.0, 0.05)]) - face
    assert (begins < 0.051).all(), "a hole"
    assert (begins > -0.026).mean() > 0.95
    assert (begins > -0.076).all()


def _first(plan: FloorPlan, y: float) -> float:
    """Where the middle of the first occupied cell along x is."""
    occupied = np.flatnonzero(plan.cells[int((y - plan.origin[1]) / 0.05)] == OCCUPIED)
    return float((occupied[0] + 0.5) * plan.resolution_m + plan.origin[0])


@pytest.mark.parametrize("gap_m", [0.10, 1.0])
@pytest.mark.parametrize("side_m", [0.03, 0.06])
def test_a_chair_leg_stays_on_the_map_even_right_before_a_wall(gap_m: float, side_m: float) -> None:
    wall: Box = ((3.01, 0.0, 0.0), (3.11, 4.0, 2.5))
    x0 = 3.01 - gap_m - side_m
    leg: Box = ((x0, 1.96, 0.0), (x0 + side_m, 1.96 + side_m, 0.5))
    plan = seen(wall, leg)
    occupied = np.argwhere(plan.cells == OCCUPIED)[:, ::-1] * plan.resolution_m + plan.origin
    middle = occupied + plan.resolution_m / 2 - (x0 + side_m / 2, 1.96 + side_m / 2)
    assert (np.abs(middle).max(axis=1) < side_m / 2 + 0.04).any()


def test_a_table_keeps_the_rim_of_its_top() -> None:
    top: Box = ((2.51, 1.51, 0.70), (3.49, 2.49, 0.73))
    plan = seen(top, height_m=1.4, down=0.5)
    x = (np.arange(plan.cells.shape[1]) + 0.5) * plan.resolution_m + plan.origin[0]
    y = (np.arange(plan.cells.shape[0]) + 0.5) * plan.resolution_m + plan.origin[1]
    along = plan.cells[(y > 1.6) & (y < 2.4)]
    assert (along[:, (x > 2.51) & (x < 2.6)] == OCCUPIED).all()
    assert not (along[:, (x > 2.0) & (x < 2.50)] == OCCUPIED).any()
