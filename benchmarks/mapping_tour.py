"""How much of a flat a tour finds by itself, how far it drives for that, and how long it takes.

    python benchmarks/mapping_tour.py [--scenes home office lobby 1 2 3] [--out FOLDER]

A number is the seed of a generated flat. The robot knows nothing at first; it drives by its own
noisy localisation and maps by its noisy front camera. The simulator's truth only scores:

- floor: true cells on which the robot's middle could be, that the map knows as free
- room: of these, where the map also has room for the robot and a way to there
- wrong: cells free in the map that are in truth in a wall or in furniture
- seen: things larger than 30 cm of which some frame shows 500 pixels or more
"""

from __future__ import annotations

import argparse
import sys
import time
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "test"))

from sayso.core.errors import SaySoError
from sayso.core.geometry import Array, Pose
from sayso.core.ports import RgbdFrame
from sayso.perception.map_files import save_map
from sayso.planning.navigation.exploration import Exploration, explore, nearest_stand
from sayso.planning.navigation.geodesic import Floor
from sayso.planning.navigation.grid import FREE, Mask, OccupancyGrid
from sayso.planning.navigation.picture import draw_map
from sayso.worlds.flat import truth
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.free_space import CELL_M, FreeSpace
from sayso.worlds.flat.generate import generate
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.scene_file import fixed
from sayso.worlds.flat.sensing import FlatNoise
from support.flat_rover import FlatRover

PIXELS = 500
LARGE_M = 0.3


@dataclass
class Seen:
    """What frames showed, by the simulator's own segmentation; and how long mapping took."""

    pixels: dict[int, int] = field(default_factory=dict)
    frames: int = 0

    def __call__(self, frame: RgbdFrame, _: Pose) -> None:
        self.frames += 1
        ids, counts = np.unique(frame.instances, return_counts=True)
        for number, count in zip(ids.tolist(), counts.tolist(), strict=True):
            self.pixels[number] = max(self.pixels.get(number, 0), count)


def main() -> None:
    """Print a line for each scene."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--scenes", nargs="+", default=["home", "office", "lobby", "1", "2", "3"])
    parser.add_argument("--out", type=Path, help="folder for maps and pictures")
    options = parser.parse_args()
    print("scene     floor    room   wrong     seen   way  views  frames  simulated   wall")
    for name in options.scenes:
        report(generate(int(name)) if name.isdigit() else fixed(name), options.out)


def report(scene: FlatScene, out: Path | None) -> None:
    """Tour one flat and print how it went."""
    world, seen = FlatWorld(scene, 1, FlatNoise()), Seen()
    rover = FlatRover(world, seen=seen, instances=True)
    began_s, began = world.time_s, time.monotonic()
    try:
        tour = explore(rover)
    except SaySoError as error:
        print(f"{scene.name}: {error}")
        tour = Exploration()
    wall_s, took_s = time.monotonic() - began, world.time_s - began_s
    grid = rover.floor()
    floor, room, wrong = scored(scene, grid, rover.position())
    numbers = truth.instance_ids(scene)
    large = [i.name for i in scene.items if not i.movable and max(i.size) > LARGE_M]
    missed = [n for n in large if seen.pixels.get(numbers[n], 0) < PIXELS]
    print(
        f"{scene.name:8} {floor:6.1%} {room:7.1%} {wrong:7.2%} {len(large) - len(missed):4}/"
        f"{len(large):<3} {rover.driven_m:4.0f} m {len(tour.views):5} {seen.frames:7} "
        f"{took_s:8.0f} s {wall_s:5.0f} s"
        + (f"  missed {', '.join(missed)}" if missed else "")
        + (f"  touched {', '.join(sorted(rover.touched))}" if rover.touched else "")
        + "".join(f"\n  {error}" for error in tour.failures),
        flush=True,
    )
    if out is not None:
        save_map(out / scene.name, rover.mapper.floor_plan(), rover.mapper.voxels())
        draw_map(grid, paths=[tour.route()] if tour.paths else []).save(
            out / scene.name / "map.png"
        )
    world.close()


def scored(
    scene: FlatScene, grid: OccupancyGrid, position: tuple[float, float]
) -> tuple[float, float, float]:
    """Shares of the true floor that is known, and that is in reach; of free cells that are not."""
    true = FreeSpace(scene)
    i, j = np.nonzero(true.free)
    points = true.origin + np.stack([i, j], axis=1) * CELL_M
    free = grid.standable()
    reach = Floor(free).connected(nearest_stand(grid, free, position))
    known, roomy = (at(grid, mask, points).mean() for mask in (grid.cells == FREE, reach))
    cells = grid.centres(np.argwhere(grid.cells == FREE))
    index = np.rint((cells - true.origin) / CELL_M).astype(int)
    inside = ((index >= 0) & (index < true.free.shape)).all(axis=1)
    blocked = true._blocked(scene)
    wrong = np.zeros(len(cells), bool)
    wrong[inside] = blocked[tuple(index[inside].T)]
    return float(known), float(roomy), float(wrong.mean())


def at(grid: OccupancyGrid, mask: Mask, points: Array) -> Mask:
    """(N,) the mask's values at points [m]; False outside the map."""
    column, row = np.floor(grid.to_grid(points)).astype(int).T
    rows, columns = grid.shape
    inside = (row >= 0) & (row < rows) & (column >= 0) & (column < columns)
    values = np.zeros(len(points), bool)
    values[inside] = mask[row[inside], column[inside]]
    return values


if __name__ == "__main__":
    main()
