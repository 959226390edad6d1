"""How surely the robot brings things from here to there in the flat `home`, and where it fails.

    python benchmarks/delivery.py [--tasks 20] [--first 0] [--out FILE] [--cameras]

Each task is a thing, a place to bring it to, something never to go near, and a place to start at,
all drawn from a seed. Physics, encoders and localisation with all noise on; the whole pipeline in
one process. What the robot sees is a MODEL of perception (known boxes with errors), or, with
`--cameras`, its own pictures after a mapping tour, the simulator's segmentation being the finder.

Success is read off the simulator's true state. A task that the robot rightly calls impossible,
because no way keeps off what it must, is told apart. The file has a line for each task; a run that
was broken off goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import logging
import sys
import time
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from sayso.core.errors import Code
from sayso.core.scene import SceneObject
from sayso.evaluation.flat_run.cameras import CameraSight
from sayso.evaluation.flat_run.known_boxes import KnownBoxes, true_floor
from sayso.evaluation.flat_run.robot import Sight
from sayso.evaluation.flat_run.run import FlatRun, Result
from sayso.mission.surveyor import GatedSurveyor
from sayso.planning.navigation.exploration import explore
from sayso.planning.navigation.headings import Footing
from sayso.planning.navigation.nearness import Footprint
from sayso.robots.loading import MOBILE, load_robot
from sayso.skills.poses import upright
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.scene import FlatScene, Item
from sayso.worlds.flat.scene_file import fixed
from sayso.worlds.flat.sensing import FlatNoise

THINGS = {
    "plush_toy": "plush toy between the blue sofa and the television",
    "other_toy": "plush toy on the kitchen counter",
    "book": "book",
    "mug": "mug",
    "apple": "apple",
    "coke": "can",
}
PLACES = {
    "sofa": "blue sofa",
    "red_sofa": "red sofa",
    "bed": "bed",
    "brown_table": "brown table",
    "counter": "kitchen counter",
    "sink": "sink",
    "trash_bin": "trash bin",
    "nightstand_1": "nightstand",
}
"""Not the cabinet: between the table and the open door no base of this size turns to face it."""
LIES = {
    "other_toy": "counter",
    "book": "red_sofa",
    "mug": "brown_table",
    "apple": "sink",
    "coke": "counter",
}
AVOIDED = {"brown_table": "brown table", "plant": "plant", "trash_bin": "trash bin"} | {
    "red_sofa": "red sofa",
    "wardrobe": "wardrobe",
    "fridge": "fridge",
}
_HEADINGS = 24
_NOBODY_M = 1.5
_KEPT_OFF_M = 1.3


@dataclass(frozen=True)
class Delivery:
    """One task."""

    seed: int
    scene: FlatScene
    thing: str
    place: str
    instruction: str


def delivery(seed: int) -> Delivery:
    """The task of a seed; seed 0 is that of the documentation."""
    rng = np.random.default_rng(seed)
    scene = fixed("home")
    thing, place, avoided = "plush_toy", "sofa", "brown_table"
    if seed:
        thing = str(rng.choice(list(THINGS)))
        place = str(rng.choice([p for p in PLACES if p != LIES.get(thing)]))
        spared = (place, LIES.get(thing))
        avoided = str(rng.choice([a for a in AVOIDED if a not in spared]))
        scene = replace(scene, start=_start(scene, avoided, rng))
    words = f"Bring the {THINGS[thing]} to the {PLACES[place]}. "
    return Delivery(seed, scene, thing, place, words + f"Never go near the {AVOIDED[avoided]}.")


def _start(scene: FlatScene, avoided: str, rng: np.random.Generator) -> tuple[float, float, float]:
    """A place where the whole base can turn, with nobody and nothing avoided close by."""
    grid, walkers = true_floor(scene), [w.path[0] for w in scene.walkers]
    outlines = [_outline(i) for i in scene.items if i.name == avoided]
    footing = Footing(grid, load_robot(MOBILE).require_base().footprint_m)
    while True:
        x, y = (float(v) for v in rng.uniform((0.3, 0.3), (11.0, 9.3)))
        if any(np.hypot(x - px, y - py) < _NOBODY_M for px, py in walkers):
            continue
        if any(o.distance_m(np.array(x), np.array(y)) < _KEPT_OFF_M for o in outlines):
            continue
        turns = np.arange(_HEADINGS) * 2 * np.pi / _HEADINGS
        if footing.fits(np.tile((x, y), (_HEADINGS, 1)), turns).all():
            return x, y, float(rng.uniform(-np.pi, np.pi))


def _outline(item: Item) -> Footprint:
    x, y, foot = item.position
    size = item.size
    pose = upright((x, y, foot + size[2] / 2), item.yaw)
    thing = SceneObject(item.name, item.category, "", pose.position, size, pose.orientation)
    return Footprint.of(thing)


def main() -> None:
    """Run what the file does not have yet; print the summary of all it has."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", type=int, default=20)
    parser.add_argument("--first", type=int, default=0, help="seed of the first task")
    parser.add_argument("--out", type=Path, default=Path("runs/delivery.jsonl"))
    parser.add_argument("--cameras", action="store_true", help="with pictures")
    parser.add_argument("--verbose", action="store_true", help="tell what the robot does")
    options = parser.parse_args()
    if options.verbose:
        logging.basicConfig(level=logging.INFO, stream=sys.stdout, format="    %(message)s")
    options.out.parent.mkdir(parents=True, exist_ok=True)
    seeds = range(options.first, options.first + options.tasks)
    done = {line["seed"] for line in _lines(options.out)}
    with options.out.open("a", encoding="utf-8") as out:
        for seed in (s for s in seeds if s not in done):
            line = run(delivery(seed), options.cameras, options.verbose)
            out.write(json.dumps(line) + "\n")
            out.flush()
            _print(_in_words(line))
    report([line for line in _lines(options.out) if line["seed"] in seeds])


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(task: Delivery, cameras: bool = False, verbose: bool = False) -> dict[str, Any]:
    """One task, as a line of the file."""
    begun = time.process_time()
    world = FlatWorld(task.scene, task.seed, FlatNoise())
    sight = CameraSight(world) if cameras else KnownBoxes(world, task.seed)
    try:
        result = _carry_out(task, world, sight, verbose)
    finally:
        world.close()
    outcome, failed = result.outcome, _failures(result)
    return {
        "seed": task.seed,
        "instruction": task.instruction,
        "code": outcome.code.name,
        "message": outcome.message,
        "done": bool(result.truly_done and outcome.succeeded and not result.violations),
        "impossible": outcome.code is Code.NO_PLAN and not failed,
        "violations": [v.clause for v in result.violations],
        "failed": failed,
        "touched": sorted(result.touched - {task.thing, task.place}),
        "time_s": round(result.time_s, 1),
        "cpu_s": round(time.process_time() - begun, 1),
    }


def _carry_out(task: Delivery, world: FlatWorld, sight: Sight, verbose: bool) -> Result:
    def told(words: str) -> None:
        if verbose:
            x, y, _ = world.true_base().position
            _print(f"  {world.time_s:6.1f} s, at ({x:.2f}, {y:.2f}): {words}")

    flat = FlatRun(world, sight, seed=task.seed, on_phase=told)
    if isinstance(sight, CameraSight):
        with flat.robot.gate.authorised(()):
            flat.robot.skills.go_home()
            explore(GatedSurveyor(flat.robot))
    return flat.perform(task.instruction)


def _failures(result: Result) -> list[str]:
    """Each skill that failed, with its reason."""
    return [
        f"{e.skill.action}: {e.skill.code.name}: {e.skill.message}"
        for e in result.events
        if e.skill is not None and e.skill.finished and e.skill.code is not Code.OK
    ]


def _in_words(line: dict[str, Any]) -> str:
    came = "done" if line["done"] else f"{line['code']}: {line['message']}"
    head = f"{line['seed']:3} {line['instruction']} {line['time_s']:.0f} s: {came}"
    notes = [*line["failed"], *(f"BROKEN: {v}" for v in line["violations"])]
    notes += [f"touched {', '.join(line['touched'])}"] if line["touched"] else []
    return "\n      ".join([head, *notes])


def report(lines: list[dict[str, Any]]) -> None:
    """Shares of all, and what failed."""
    possible = [line for line in lines if not line["impossible"]]
    done = [line for line in possible if line["done"]]
    _print(f"{len(done)} of {len(possible)} done; {len(lines) - len(possible)} called impossible")
    _print(f"violations: {sum(len(line['violations']) for line in lines)}")
    touched = Counter(t for line in lines for t in line["touched"])
    _print(f"touched beside what was handled: {dict(touched)}")
    codes = Counter(line["code"] for line in possible if not line["done"])
    _print(f"ended otherwise: {dict(codes)}")
    _print(f"skills that failed: {sum(len(line['failed']) for line in lines)}")
    if done:
        times = [line["time_s"] for line in done]
        _print(f"{np.median(times):.0f} s simulated (median), at most {max(times):.0f} s")


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
