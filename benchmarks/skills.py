"""How reliably and how fast the skills carry out whole plans on the simulated table.

    python benchmarks/skills.py [--seeds 20] [--plans example drawer bowl mug] [--truth]
        [--robot fr3]

Scenes come from the cameras through perception, with all sensor noise on, unless `--truth`
gives the skills the simulator's own scenes: the reference, in which only motion can fail.
Nothing is tried twice. The ground truth is used to judge only: the arm must never touch what
the plan forbids.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "test"))

from sayso.core.errors import SaySoError
from sayso.core.library import builtin_path, load
from sayso.core.ports import JointWindow
from sayso.evaluation.table_run.robot import build
from sayso.robots.loading import DEFAULT, load_robot, robot_names
from sayso.skills.execute import SkillExecutor
from sayso.worlds.noise import NoiseModel
from sayso.worlds.stepped_senses import SteppedSenses
from sayso.worlds.table.table_world import TableWorld

FORBIDDEN = "mug"
PLANS: dict[str, tuple[str, ...]] = {
    "example": (
        "pick_from_table red_block",
        "place_on red_block plate",
        "pick_from_table blue_block",
        "stack blue_block red_block",
    ),
    "drawer": (
        "open_drawer drawer",
        "pick_from_table green_block",
        "place_in green_block drawer",
        "close_drawer drawer",
    ),
    "bowl": (
        "pick_from_table green_block",
        "place_in green_block bowl",
        "pick_out green_block bowl",
        "place_on green_block coaster",
    ),
    "mug": ("pick_from_table mug", "place_on mug plate", "pick_from mug plate"),
}


@dataclass
class Tally:
    """What the runs of one plan came to; times in simulated seconds, planning in wall ms."""

    done: int = 0
    touched: int = 0
    durations_s: list[float] = field(default_factory=list)
    first_motion_ms: list[float] = field(default_factory=list)
    failures: list[str] = field(default_factory=list)


class Stopwatch:
    """Wall time from a skill's start to the first command that reaches the driver."""

    def __init__(self, world: TableWorld) -> None:
        self._stream: Callable[[JointWindow], None] = world.stream
        self.started_s = 0.0
        self.first_ms: float | None = None
        world.stream = self._timed  # type: ignore[method-assign]

    def start(self) -> None:
        self.started_s, self.first_ms = time.perf_counter(), None

    def _timed(self, window: JointWindow) -> None:
        if self.first_ms is None:
            self.first_ms = 1000 * (time.perf_counter() - self.started_s)
        self._stream(window)


def main() -> None:
    """Print one line for each plan, and each failure with its reason."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--seeds", type=int, default=20)
    parser.add_argument("--plans", nargs="+", choices=PLANS, default=["example"])
    parser.add_argument("--truth", action="store_true", help="scenes from the simulator's truth")
    parser.add_argument("--robot", choices=robot_names(), default=DEFAULT)
    options = parser.parse_args()
    for name in options.plans:
        tally = Tally()
        for seed in range(options.seeds):
            _run(name, seed, options, tally)
        _report(name, options.seeds, tally)


def _run(name: str, seed: int, options: argparse.Namespace, tally: Tally) -> None:
    noise = None if options.truth else NoiseModel()
    world = TableWorld(seed, noise, load_robot(options.robot))
    rig, gate, executor = build(world, perceive=not options.truth)
    watch = Stopwatch(world)
    avoid = frozenset() if FORBIDDEN in name else frozenset({FORBIDDEN})
    rig.wait(1.0)
    begun_s = rig.now_s()
    try:
        with gate.authorised(()):
            _perform(PLANS[name], executor, avoid, watch, tally)
        tally.done += 1
        tally.durations_s.append(rig.now_s() - begun_s)
    except SaySoError as error:
        tally.failures.append(f"seed {seed}: {error}")
    tally.touched += _touched(rig, avoid)
    world.close()


def _perform(
    steps: Sequence[str],
    executor: SkillExecutor,
    avoid: frozenset[str],
    watch: Stopwatch,
    tally: Tally,
) -> None:
    operators = load(builtin_path()).operators
    for step in steps:
        operator, *args = step.split()
        watch.start()
        executor.execute(operators[operator].ground(*args), avoid)
        if watch.first_ms is not None:
            tally.first_motion_ms.append(watch.first_ms)


def _touched(rig: SteppedSenses, avoid: frozenset[str]) -> bool:
    return bool(rig.touched & avoid)


def _report(name: str, runs: int, tally: Tally) -> None:
    first = sorted(tally.first_motion_ms) or [float("nan")]
    duration = statistics.median(tally.durations_s or [float("nan")])
    _print(
        f"{name}: {tally.done} of {runs} done, forbidden things touched in {tally.touched}; "
        f"{duration:.1f} s simulated; skill to first motion: median "
        f"{statistics.median(first):.0f} ms, p95 {first[int(0.95 * (len(first) - 1))]:.0f} ms"
    )
    for failure in tally.failures:
        _print(f"    {failure}")


def _print(text: str) -> None:
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
