"""How far a camera's map of a flat is off its walls and furniture, and what that costs in room.

    python benchmarks/map_walls.py [--scenes home office lobby] [--seed 1]

The robot is put at places all over the floor and looks around, with the noise of all senses on;
the simulator's truth only scores. Cells of the map are compared with the true outlines:

- thick: cells taken as occupied that lie wholly outside of everything, for each metre of outline;
  by more than one and by more than two cells
- room lost: of the clearance of true free cells 0.3 to 0.7 m from anything, by which ways are
  planned; its median and what 95 % of these cells keep within [cm]
- tight: of the cells on which the base's middle fits truly with less than 5 cm to spare, those
  on which it fits on the map
- open: true blocked cells of outlines, seen from the floor, that the map takes to be free, and
  those of them that are more than 5 cm inside
"""

from __future__ import annotations

import argparse
import time
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy import ndimage

from sayso.core.geometry import Array
from sayso.evaluation.limp.seeing import survey
from sayso.perception.map_files import FREE, OCCUPIED, FloorPlan
from sayso.perception.mapping import Mapper, MappingSettings
from sayso.planning.navigation.grid import BASE_RADIUS_M, OccupancyGrid
from sayso.worlds.flat.scene import WALL_THICKNESS_M, FlatScene, wall_pieces
from sayso.worlds.flat.scene_file import fixed

Mask = npt.NDArray[np.bool_]
LEAF_M = 0.06
OVERHEAD_M = 1.25
SPARE_M = 0.05
DEEP_M = 0.03


@dataclass(frozen=True)
class Walls:
    """Scores of one map; see the module."""

    thick: tuple[float, float, float]
    lost_cm: tuple[float, float]
    tight: float
    open: tuple[float, float]

    def line(self) -> str:
        """For the table."""
        more = "".join(f"{v:7.2f}" for v in self.thick)
        lost = "".join(f"{v:7.1f}" for v in self.lost_cm)
        return f"{more}  {lost}  {self.tight:7.1%}  {self.open[0]:7.2%} {self.open[1]:7.2%}"


def main() -> None:
    """Print a line for each scene."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", nargs="+", default=["home", "office", "lobby"])
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    print(HEADER, end="")
    for name in options.scenes:
        scene, mapper = fixed(name), Mapper(MappingSettings(stride=4))
        spent = 0.0
        for frame, base in survey(scene, options.seed):
            began = time.process_time()
            mapper.add(frame)
            mapper.stand(base)
            spent += time.process_time() - began
        print(f"{name:8}", scored(scene, mapper.floor_plan()).line(), f"{spent:6.1f} s", flush=True)


HEADER = "scene     thick/m   >1     >2   lost cm    95%    tight     open    deep   mapping\n"


def scored(scene: FlatScene, plan: FloorPlan) -> Walls:
    """The map's cells against the true outlines."""
    grid = OccupancyGrid(plan.cells, plan.origin, plan.resolution_m)
    size = plan.resolution_m
    rows, columns = np.indices(grid.shape)
    centres = np.stack([columns, rows], axis=-1) * size + grid.origin + size / 2
    depth = depth_inside(scene, centres.reshape(-1, 2)).reshape(grid.shape)
    blocked = depth >= 0
    truth = OccupancyGrid(np.where(blocked, OCCUPIED, FREE).astype(np.int8), grid.origin, size)
    reached = _reached(scene, truth)
    rim = blocked & ndimage.binary_dilation(reached)
    occupied = grid.cells == OCCUPIED
    apart = -depth
    metres = max(int(rim.sum()) * size, size)
    half = size * np.sqrt(0.5)
    thick = tuple(
        float((occupied & reached & (apart > half + k * size)).sum() / metres) for k in range(3)
    )
    some = reached & (truth.clearance_m > 0.3) & (truth.clearance_m < 0.7)
    lost = 100 * (truth.clearance_m - grid.clearance_m)[some]
    tight = reached & truth.standable() & ~truth.standable(BASE_RADIUS_M + SPARE_M)
    opened = rim & (grid.cells == FREE)
    return Walls(
        (thick[0], thick[1], thick[2]),
        (float(np.median(lost)), float(np.quantile(lost, 0.95))),
        float(grid.standable()[tight].mean()),
        (float(opened.sum() / rim.sum()), float((opened & (depth > DEEP_M)).sum() / rim.sum())),
    )


def _reached(scene: FlatScene, truth: OccupancyGrid) -> Mask:
    """Free floor that is joined to the start: elsewhere nothing is to be mapped."""
    labels, _ = ndimage.label(truth.cells == FREE)
    start = truth.cell_at(scene.start[:2])
    return np.asarray(labels == labels[start])


def depth_inside(scene: FlatScene, points: Array) -> Array:
    """(N,) how deep points (x, y) are inside of something that blocks the way; else negative."""
    deepest = np.full(len(points), -np.inf)
    for item in scene.items:
        if item.position[2] < OVERHEAD_M and not item.movable:
            deepest = np.maximum(deepest, _in_box(points, item.position[:2], item.yaw, item.size))
    for wall in wall_pieces(scene):
        deepest = np.maximum(deepest, _in_strip(points, wall.start, wall.end, WALL_THICKNESS_M))
    for door in scene.doors:
        leaf = door.leaf(door.opening)
        end = leaf.transform(np.array([[door.width, 0.0, 0.0]]))[0]
        deepest = np.maximum(deepest, _in_strip(points, leaf.position[:2], end[:2], LEAF_M))
    return deepest


def _in_box(points: Array, middle: object, yaw: float, size: tuple[float, ...]) -> Array:
    d = points - np.asarray(middle)
    c, s = np.cos(yaw), np.sin(yaw)
    local = np.column_stack([c * d[:, 0] + s * d[:, 1], c * d[:, 1] - s * d[:, 0]])
    beyond = np.abs(local) - np.asarray(size[:2]) / 2
    outside = np.linalg.norm(np.maximum(beyond, 0), axis=1)
    return np.asarray(np.where(outside > 0, -outside, -beyond.max(axis=1)))


def _in_strip(points: Array, start: object, end: object, thick_m: float) -> Array:
    a, way = np.asarray(start, float), np.asarray(end, float) - np.asarray(start, float)
    share = np.clip((points - a) @ way / max(float(way @ way), 1e-12), 0, 1)
    return np.asarray(thick_m / 2 - np.linalg.norm(points - a - share[:, None] * way, axis=1))


if __name__ == "__main__":
    main()
