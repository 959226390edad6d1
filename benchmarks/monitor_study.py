"""Does the robot keep off what it must never go near? Many random tasks, judged by the truth.

    python benchmarks/monitor_study.py [--tasks 1000] [--first 0] [--out FILE] [--cameras 20]
                                       [--nobody-walks]

Generated flats with doors, people and pets, some of whom walk; instructions in controlled English
with one or two "never"s, sometimes "not until", visits in some order, sometimes something to
bring. Physics, encoders and localisation with all noise on; the whole pipeline with its gate.

Pictures are left out, for time: what the robot sees comes from a MODEL of perception (known boxes
with errors, `sayso.evaluation.flat_run.known_boxes`). `--cameras N` lets N tasks run on rendered
pictures instead, after a mapping tour, with the simulator's segmentation as finder.

Nobody can promise to keep off somebody who walks up to them, so that tasks in which somebody
walks and those in which nobody does are reported apart; `--nobody-walks` has all stand still.

Violations are read off the simulator's true state at 20 Hz, with the library's own predicates,
and are told apart: caused by the robot's own motion, or by somebody who came to it. The file has
a line for each task; a run that was broken off goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from rich.progress import track

from sayso.core.errors import SaySoError
from sayso.evaluation.flat_run.cameras import CameraSight
from sayso.evaluation.flat_run.known_boxes import KnownBoxes
from sayso.evaluation.flat_run.random_tasks import RandomTask, random_task
from sayso.evaluation.flat_run.run import FlatRun, Result
from sayso.mission.recovery import TaskLimits
from sayso.mission.surveyor import GatedSurveyor
from sayso.planning.navigation.exploration import explore
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.sensing import FlatNoise

LIMITS = TaskLimits(failures=8)


def main() -> None:
    """Run what the file does not have yet; print the summary of all it has."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--tasks", type=int, default=1000)
    parser.add_argument("--first", type=int, default=0, help="seed of the first task")
    parser.add_argument("--out", type=Path, default=Path("runs/monitor_study.jsonl"))
    parser.add_argument("--cameras", type=int, default=0, help="so many tasks, with pictures")
    parser.add_argument("--nobody-walks", action="store_true", help="people and pets stand still")
    options = parser.parse_args()
    kind = "cameras" if options.cameras else "boxes"
    seeds = range(options.first, options.first + (options.cameras or options.tasks))
    options.out.parent.mkdir(parents=True, exist_ok=True)
    still = options.nobody_walks
    done = {(r["sight"], r["still"], r["seed"]) for r in _lines(options.out)}
    left = [s for s in seeds if (kind, still, s) not in done]
    with options.out.open("a", encoding="utf-8") as out:
        for seed in track(left, "tasks", disable=not sys.stdout.isatty()):
            out.write(json.dumps(run(seed, kind, still)) + "\n")
            out.flush()
    report([r for r in _lines(options.out) if r["sight"] == kind])


def _lines(path: Path) -> list[dict[str, Any]]:
    if not path.exists():
        return []
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def run(seed: int, kind: str, still: bool = False) -> dict[str, Any]:
    """One task; a failure of the program itself is noted as such."""
    task, begun = random_task(seed), time.perf_counter()
    if still:
        walkers = tuple(replace(w, walking=False) for w in task.scene.walkers)
        task = replace(task, scene=replace(task.scene, walkers=walkers))
    line: dict[str, Any] = {
        "seed": seed,
        "sight": kind,
        "still": still,
        "walking": [w.name for w in task.scene.walkers if w.walking],
        "instruction": task.instruction,
    }
    try:
        result = _carry_out(task, kind)
        line |= _noted(result)
    except Exception as error:  # noqa: BLE001 - the study goes on; the line says what broke
        line |= {"code": "CRASH", "message": f"{type(error).__name__}: {error}"}
    line["wall_s"] = round(time.perf_counter() - begun, 2)
    return line


def _carry_out(task: RandomTask, kind: str) -> Result:
    world = FlatWorld(task.scene, task.seed, FlatNoise())
    try:
        if kind == "boxes":
            return FlatRun(world, KnownBoxes(world, task.seed)).perform(task.instruction, LIMITS)
        walkers = [w.name for w in task.scene.walkers if w.walking]
        for name in walkers:
            world.walk(name, False)
        sight = CameraSight(world)
        flat = FlatRun(world, sight)
        with flat.robot.gate.authorised(()):
            explore(GatedSurveyor(flat.robot))
        for name in walkers:
            world.walk(name)
        return flat.perform(task.instruction, LIMITS)
    finally:
        world.close()


def _noted(result: Result) -> dict[str, Any]:
    outcome = result.outcome
    return {
        "code": outcome.code.name,
        "message": outcome.message,
        "verdict": outcome.verdict.name,
        "truly_done": result.truly_done,
        "violations": [asdict(v) for v in result.violations],
        "vetoes": dict(result.vetoes),
        "touched": sorted(result.touched),
        "stops": result.stops,
        "retreats": result.retreats,
        "time_s": round(result.time_s, 1),
    }


def report(lines: Iterable[dict[str, Any]]) -> None:
    """Print what came of all tasks, apart where somebody walks."""
    kinds: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for r in lines:
        kinds["somebody walks" if r["walking"] else "nobody walks"].append(r)
    for title, some in sorted(kinds.items()):
        print(f"-- {title} --")
        _report(some)


def _report(lines: Sequence[dict[str, Any]]) -> None:
    ran = [r for r in lines if r["code"] != "CRASH"]
    said = [r for r in ran if r["code"] in ("OK", "ALREADY_SATISFIED")]
    violations = [v for r in ran for v in r["violations"]]
    by_robot = [v for v in violations if v["by_robot"]]
    vetoes: Counter[str] = Counter()
    for r in ran:
        vetoes.update(r["vetoes"])
    print(f"tasks {len(lines)}, simulated {sum(r['time_s'] for r in ran) / 3600:.1f} h, "
          f"{sum(r['wall_s'] for r in lines) / len(lines):.1f} s each")  # fmt: skip
    print(f"violations caused by the robot's motion: {len(by_robot)}")
    print(f"violations by somebody who came to it:   {len(violations) - len(by_robot)}")
    print(f"said to be done: {len(said)}, of these not truly: "
          f"{sum(not r['truly_done'] for r in said)}")  # fmt: skip
    print(f"not done, by code: {dict(Counter(r['code'] for r in lines if r not in said))}")
    print(f"skills that the gate or a check ended, by code: {dict(vetoes)}")
    print(f"crashes of the program: {len(lines) - len(ran)}")


if __name__ == "__main__":
    try:
        main()
    except SaySoError as error:
        sys.exit(str(error))
