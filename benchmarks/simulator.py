"""How fast the simulated world runs and renders, and how reliably true-pose grasps work.

    python benchmarks/simulator.py [--seeds 20]

References, measured in the same run: bare `mj_step` for physics, and mujoco's own `Renderer`
(one pass for colour, one for depth) for images.
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

from sayso.core.scene import SceneObject
from sayso.worlds import cameras
from sayso.worlds.noise import NoiseModel
from sayso.worlds.table.table_model import TIMESTEP_S
from sayso.worlds.table.table_world import TableWorld
from sayso.worlds.things import BLOCK_EDGE_M
from support.scripted_arm import ScriptedArm, lift_by_rim, open_drawer, stack_on_plate

TASKS = ("block on plate", "block on block", "mug lifted", "bowl lifted", "drawer opened")


def main() -> None:
    """Print all figures."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seeds", type=int, default=20)
    seeds = parser.parse_args().seeds
    world = TableWorld(0, NoiseModel())
    report_speed(world)
    report_manipulation(world, seeds)


def report_speed(world: TableWorld) -> None:
    """Physics and images, each beside its reference."""
    model, data = world._model, world._data
    steps = round(1.0 / TIMESTEP_S)
    bare = median_s(lambda: [mujoco.mj_step(model, data) for _ in range(steps)])
    ours = median_s(lambda: world.step(1.0))
    print(f"physics: real-time factor {1 / ours:.1f}; mj_step alone {1 / bare:.1f}")
    frame = median_s(lambda: world.render("left"))
    seen = median_s(lambda: world.render("left", instances=True))
    reference = reference_render_s(model, data)
    print(
        f"frame 640x480, colour + depth + noise: {frame * 1e3:.0f} ms, with segmentation "
        f"{seen * 1e3:.0f} ms; mujoco.Renderer, no noise: {reference * 1e3:.0f} ms"
    )
    print(f"picture for people, with shadows: {median_s(world.picture) * 1e3:.0f} ms")


def reference_render_s(model: mujoco.MjModel, data: mujoco.MjData) -> float:
    """Seconds for colour, then depth, by mujoco's own class."""
    with mujoco.Renderer(model, cameras.HEIGHT, cameras.WIDTH) as renderer:

        def frame() -> None:
            renderer.disable_depth_rendering()
            renderer.update_scene(data, "left")
            renderer.render()
            renderer.enable_depth_rendering()
            renderer.render()

        return median_s(frame)


def report_manipulation(world: TableWorld, seeds: int) -> None:
    """Successes of scripted motions by true poses."""
    done = dict.fromkeys(TASKS, 0)
    for seed in range(seeds):
        for task, success in manipulate(world, seed).items():
            done[task] += success
            if not success:
                print(f"  seed {seed}: {task} failed")
    for task, count in done.items():
        print(f"{task}: {count} of {seeds}")


def manipulate(world: TableWorld, seed: int) -> dict[str, bool]:
    """Try everything on one layout, each from a fresh start."""
    arm = fresh(world, seed)
    stack_on_plate(arm, "red_block", "blue_block")
    level = [now(world, n).position[2] for n in ("red_block", "blue_block")]
    expected = [0.012 + BLOCK_EDGE_M / 2, 0.012 + 1.5 * BLOCK_EDGE_M]
    stacked = np.abs(np.subtract(level, expected)) < 0.004
    lifted = []
    for name in ("mug", "bowl"):
        arm = fresh(world, seed)
        lift_by_rim(arm, now(world, name))
        lifted.append(now(world, name).position[2] > 0.15)
    arm = fresh(world, seed)
    open_drawer(arm, now(world, "drawer"), 0.12)
    opened = (now(world, "drawer").number("opening_m") or 0.0) > 0.10
    return dict(zip(TASKS, [*map(bool, stacked), *lifted, opened], strict=True))


def fresh(world: TableWorld, seed: int) -> ScriptedArm:
    world.reset(seed)
    return ScriptedArm(world)


def now(world: TableWorld, name: str) -> SceneObject:
    return next(o for o in world.truth() if o.name == name)


def median_s(work: Callable[[], object], times: int = 5) -> float:
    """Median wall time of a few calls after a first one."""
    work()
    took = []
    for _ in range(times):
        start = time.perf_counter()
        work()
        took.append(time.perf_counter() - start)
    return float(np.median(took))


if __name__ == "__main__":
    main()
