"""How fast the simulated flat runs, senses and is generated, and how many things are gripped.

    python benchmarks/flat_simulator.py [--seeds 20]

References, measured in the same run: bare `mj_step` for physics; a loop of single rays for the
laser.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from pathlib import Path

import mujoco
import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "test"))

from sayso.core.errors import SaySoError
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.generate import Wanted, generate
from sayso.worlds.flat.kinds import KINDS
from sayso.worlds.flat.model import TIMESTEP_S
from sayso.worlds.flat.relations import Relation
from sayso.worlds.flat.scene_file import fixed, fixed_names
from sayso.worlds.flat.sensing import SWEEP_BEAMS, FlatNoise
from support.flat_scenes import ScriptedMobileArm, item, room, true

BETWEEN = Relation("isbetween", ("sofa", "television"))
WISHES = (
    Wanted("sofa", "red_sofa"),
    Wanted("television", "television"),
    Wanted("toy", "green_plush_toy", (BETWEEN,)),
    Wanted("other_toy", "green_plush_toy", unlike=(BETWEEN,)),
    Wanted("table", "brown_table"),
    Wanted("mug", "mug", (Relation("isabove", ("table",)),)),
    Wanted("door", "door_with_posters"),
    Wanted("cat_1", "cat"),
)


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    seeds = parser.parse_args().seeds
    for name in fixed_names():
        report_speed(name)
    report_generation(seeds)
    report_grasps()


def report_speed(name: str) -> None:
    """Physics and senses of a fixed scene, each beside its reference."""
    world = FlatWorld(fixed(name), 0, FlatNoise())
    for walker in world.scene.walkers:
        world.walk(walker.name)
    model, data = world._model, world._data
    ours = median_s(lambda: world.step(1.0))
    steps = round(1.0 / TIMESTEP_S)
    bare = median_s(lambda: [mujoco.mj_step(model, data) for _ in range(steps)])
    scan, loop = median_s(world.scan), median_s(lambda: ray_by_ray(world))
    frame = median_s(lambda: world.render("front"))
    print(
        f"{name}: real-time factor {1 / ours:.1f} (mj_step alone {1 / bare:.1f}); "
        f"laser {scan * 1e3:.2f} ms (ray by ray {loop * 1e3:.2f} ms); "
        f"frame 640x480 with noise {frame * 1e3:.0f} ms"
    )
    world.close()


def ray_by_ray(world: FlatWorld) -> None:
    """A scan by single rays."""
    hit = np.zeros(1, np.int32)
    start = np.array([*world.true_base().position[:2], 0.3])
    groups = np.array([1, 1, 0, 0, 0, 0], np.uint8)
    for angle in np.linspace(0, 2 * np.pi, 2 * SWEEP_BEAMS):
        beam = np.array([np.cos(angle), np.sin(angle), 0.0])
        mujoco.mj_ray(world._model, world._data, start, beam, groups, 1, -1, hit)


def report_generation(seeds: int) -> None:
    """How long a flat with wishes takes, and how often none is found."""
    took, failed, factors = [], 0, []
    for seed in range(seeds):
        start = time.process_time()
        try:
            scene = generate(seed, WISHES)
        except SaySoError as error:
            failed += 1
            print(f"  seed {seed}: {error}")
            continue
        took.append(time.process_time() - start)
        world = FlatWorld(scene)
        start = time.process_time()
        world.step(1.0)
        factors.append(1 / (time.process_time() - start))
    print(
        f"generated flats: median {np.median(took):.2f} s, longest {max(took):.2f} s, "
        f"none found {failed} of {seeds}; lowest real-time factor {min(factors):.1f}"
    )


def report_grasps() -> None:
    """Every kind of small thing, gripped by friction from a table and driven away with."""
    kinds = [k for k in KINDS.values() if k.movable]
    carried = [k.name for k in kinds if carries(k.name)]
    missing = sorted({k.name for k in kinds} - set(carried))
    print(f"carried away: {len(carried)} of {len(kinds)} kinds; not: {', '.join(missing) or '-'}")


def carries(kind: str) -> bool:
    """Whether one thing is still in the hand after a drive."""
    height = 0.50
    scene = room(
        item("support", "small_table", (2.95, 2.0, 0.0)), item("thing", kind, (2.80, 2.0, height))
    )
    world = FlatWorld(scene)
    arm, before = ScriptedMobileArm(world), true(world, "thing")
    across = np.pi / 2 if before.size[1] <= before.size[0] else 0.0
    try:
        arm.pick(before, across, min(0.03, before.size[2] / 2))
    except AssertionError:
        return False
    world.drive(-0.5, 0.0, 0.5, valid_s=2.0)
    world.step(3.0)
    return true(world, "thing").position[2] > before.position[2] + 0.12


def median_s(work: Callable[[], object], times: int = 5) -> float:
    """Median processor time of a few calls after a first one; other work does not count."""
    work()
    took = []
    for _ in range(times):
        start = time.process_time()
        work()
        took.append(time.process_time() - start)
    return float(np.median(took))


if __name__ == "__main__":
    main()
