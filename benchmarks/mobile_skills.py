"""How reliably and how fast the mobile robot picks things up and puts them down in the flat.

    python benchmarks/mobile_skills.py [--seeds 3] [--things mug can] [--places floor table]
        [--robot spot]    (that one needs the extra spot)

Every kind of graspable thing at every kind of place, in physics with all sensor noise on. Scenes
are made from the simulator's truth plus noise (1 cm from afar, 4 mm from close by), so that only
the skills are measured: perception is not. Nothing is tried twice beyond what the skills do.
"""

from __future__ import annotations

import argparse
import math
import statistics
import sys
import time
from collections import defaultdict
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "test"))

from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.predicates import SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Atom
from sayso.robots.loading import MOBILE, load_robot
from sayso.robots.profile import RobotProfile
from sayso.skills.skill import Route
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.kinds import KINDS
from sayso.worlds.flat.scene import FlatScene
from sayso.worlds.flat.sensing import FlatNoise
from support.flat_rig import build
from support.flat_scenes import item, room
from support.flats import pick, put

THINGS = tuple(k.name for k in KINDS.values() if k.movable)
PLACES = ("floor", "table", "small_table", "counter", "sofa", "shelf", "rack", "bed")
RECEPTACLES = ("table", "sofa", "counter", "trash_bin", "sink", "basket", "person", "fridge")


@dataclass
class Tally:
    """What the runs of one thing or place came to."""

    runs: int = 0
    done: int = 0
    times_s: list[float] = field(default_factory=list)


def main() -> None:
    """Print the shares of success by thing, place and receptacle, and each failure's reason."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=1)
    parser.add_argument("--first", type=int, default=0, help="the first seed")
    parser.add_argument("--things", nargs="+", choices=THINGS, default=THINGS)
    parser.add_argument("--places", nargs="+", choices=PLACES, default=PLACES)
    parser.add_argument("--robot", default=MOBILE, help="a profile")
    options = parser.parse_args()
    robot = load_robot(options.robot)
    picks: dict[str, Tally] = defaultdict(Tally)
    releases: dict[str, Tally] = defaultdict(Tally)
    begun = time.perf_counter()
    for seed in range(options.first, options.first + options.seeds):
        for i, place in enumerate(options.places):
            for j, thing in enumerate(options.things):
                receptacle = RECEPTACLES[(i + j + 3 * seed) % len(RECEPTACLES)]
                _run(robot, thing, place, receptacle, seed, picks, releases)
    _report("pick", picks)
    _report("release", releases)
    _print(f"{time.perf_counter() - begun:.0f} s of wall time")


def scene_of(thing: str, place: str, receptacle: str, seed: int) -> FlatScene:
    """A room with a thing at a place of the one half and a receptacle in the other."""
    rng = np.random.default_rng(seed)
    goal = {"person": "pillar"}.get(receptacle, receptacle)
    items = [item("receptacle", goal, (0.55, 3.3, 0.0), 0.0)]
    yaw = float(rng.uniform(-0.4, 0.4))
    if place == "floor":
        at = (float(rng.uniform(4.0, 4.8)), float(rng.uniform(1.0, 2.5)), 0.0)
        return room(*items, item("thing", thing, at, yaw), start=(2.2, 1.6, 0.0))
    kind = KINDS[place]
    support = item("support", place, (5.95 - 0.05 - kind.size[0] / 2, 1.6, 0.0), math.pi)
    depth, half = kind.size[0] / 2, kind.size[1] / 2
    wide = half - (0.3 if place == "sofa" else 0.15)
    inward = float(rng.uniform(0.10, min(0.30, depth)))
    x = support.position[0] - depth + inward
    y = support.position[1] + float(rng.uniform(-wide, wide))
    on = item("thing", thing, (x, y, kind.tops[-1]), math.pi + yaw)
    return room(*items, support, on, start=(2.2, 1.6, 0.0))


def _run(
    robot: RobotProfile,
    thing: str,
    place: str,
    receptacle: str,
    seed: int,
    picks: dict[str, Tally],
    releases: dict[str, Tally],
) -> None:
    world = FlatWorld(scene_of(thing, place, receptacle, seed), seed, FlatNoise(), robot)
    senses, gate, skills, ways = build(world, seed)
    what = f"{thing} on {place}, to {receptacle}, seed {seed}"
    with gate.authorised(()):
        for action, tallies, keys in (
            (pick("thing"), picks, (f"of {thing}", f"from {place}", "all")),
            (put("thing", "receptacle"), releases, (f"at {receptacle}", f"of {thing}", "all")),
        ):
            begun_s = senses.now_s()
            done = True
            try:
                skills.execute(action, route=Route(ways))
            except SaySoError as error:
                done = False
                _print(f"  {what}: {action.name}: {error}")
            if done and not _true(world, action.name):
                done = False
                _print(f"  {what}: {action.name}: it is not so in truth")
            for key in keys:
                tallies[key].runs += 1
                tallies[key].done += done
                tallies[key].times_s.append(senses.now_s() - begun_s)
            if not done:
                break
    if senses.touched - {"thing"}:
        _print(f"  {what}: touched {sorted(senses.touched)}")
    world.close()


def _true(world: FlatWorld, name: str) -> bool:
    """Whether the thing was really lifted, or really is at the receptacle."""
    objects = {o.name: o for o in world.truth()}
    if name == "pick":
        return objects["thing"].distance_to(_tool(world)) < 0.06
    view = SceneView(
        Scene(world.time_s, tuple(objects.values())), load(builtin_path("flat")).predicates
    )
    return view.truth(Atom("placed", ("thing", "receptacle"))) is True


def _tool(world: FlatWorld) -> tuple[float, float, float]:
    robot = world.robot_state()
    base = robot.base
    if base is None:
        raise SaySoError(80, "no base")  # type: ignore[arg-type]
    return (world.true_base() @ base.inverse() @ robot.gripper).position


def _report(name: str, tallies: dict[str, Tally]) -> None:
    for key, tally in tallies.items():
        median = statistics.median(tally.times_s)
        _print(
            f"{name} {key}: {tally.done} of {tally.runs} ({100 * tally.done / tally.runs:.0f} %), "
            f"{median:.1f} s simulated, at most {max(tally.times_s):.1f} s"
        )


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
