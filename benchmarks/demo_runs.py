"""Whole runs of the demo on random tables, judged by the simulator's own state.

Each seed is a fresh `sayso demo` with all noise on: cameras, physics, every node. A run counts
as honest if what it said agrees with what really happened.

    python benchmarks/demo_runs.py [--runs 20] [--first-seed 1] [--folder DIR] [INSTRUCTION]
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from rich.console import Console
from rich.progress import track

from sayso.cli import DEMO_INSTRUCTIONS
from sayso.ros.bags.rosbag import read_bag

TABLE = DEMO_INSTRUCTIONS["table"]
TRUTH, ARM = "/world/ground_truth", "/arm/joint_trajectory"
EVENTS = "/task_events"


@dataclass(frozen=True)
class Run:
    """One seed's outcome."""

    seed: int
    code: str
    really_done: bool | None
    touched_mug: bool
    elapsed_s: float
    stages_s: dict[str, float]
    first_command_s: float | None
    message: str

    @property
    def said_done(self) -> bool:
        return self.code == "OK"

    @property
    def honest(self) -> bool:
        return self.really_done is None or self.said_done <= self.really_done


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("instruction", nargs="?", default=TABLE)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--first-seed", type=int, default=1)
    parser.add_argument("--folder", type=Path, help="where the run folders stay")
    options = parser.parse_args()
    folder = options.folder or Path(tempfile.mkdtemp(prefix="sayso_runs_"))
    seeds = range(options.first_seed, options.first_seed + options.runs)
    console = Console(soft_wrap=True)
    runs = []
    for seed in track(seeds, "Running", console=console):
        runs.append(run(seed, options.instruction, folder / f"seed_{seed}"))
        console.print(row(runs[-1]), highlight=False)
    summary(runs, console)
    console.print(f"Run folders: {folder}")
    return 0 if all(r.honest and not r.touched_mug for r in runs) else 1


def run(seed: int, instruction: str, folder: Path) -> Run:
    command = [sys.executable, "-m", "sayso.cli", "demo", instruction, "--seed", str(seed)]
    subprocess.run(
        [*command, "--confirm", "auto", "--record", str(folder)], capture_output=True, check=False
    )
    try:
        report = json.loads((folder / "report.json").read_text())
    except FileNotFoundError:
        return Run(seed, "NO_REPORT", None, False, 0.0, {}, None, "")
    really, touched, first_s = judge(folder / "bag", instruction)
    result = report["result"] or {"code": "NO_RESULT", "elapsed_s": 0.0, "message": ""}
    return Run(
        seed, result["code"], really, touched, result["elapsed_s"], report["stages_s"], first_s,
        result["message"],
    )  # fmt: skip


def judge(bag: Path, instruction: str) -> tuple[bool | None, bool, float | None]:
    """What really was so in the end, whether the mug was touched, when the arm first was told."""
    touched, last = False, None
    told_ns, told_s, first_s = None, 0.0, None
    for message in read_bag(bag, {TRUTH, ARM, EVENTS}):
        if message.topic == TRUTH:
            last = message.message
            touched |= "mug" in last.robot_contacts
        elif message.topic == EVENTS:
            told_ns, told_s = message.stamp_ns, message.message.elapsed_s
        elif first_s is None and told_ns and message.message.points:
            first_s = told_s + (message.stamp_ns - told_ns) * 1e-9
    if instruction != TABLE or last is None:
        return None, touched, first_s
    return stacked(last), touched, first_s


def stacked(truth: Any) -> bool:
    """Whether red is on the plate and blue on red."""
    at = {
        o.name: np.array([o.pose.position.x, o.pose.position.y, o.pose.position.z])
        for o in truth.objects
    }
    red, blue, plate = at["red_block"], at["blue_block"], at["plate"]
    on_plate = np.hypot(*(red - plate)[:2]) < 0.1 and 0.01 < red[2] - plate[2] < 0.05
    on_red = np.hypot(*(blue - red)[:2]) < 0.03 and 0.03 < blue[2] - red[2] < 0.06
    return bool(on_plate and on_red)


def row(run: Run) -> str:
    first = "-" if run.first_command_s is None else f"{run.first_command_s:.2f}"
    truth = {True: "true", False: "NOT TRUE", None: "not judged"}[run.really_done]
    mug = ", MUG TOUCHED" if run.touched_mug else ""
    message = "" if run.said_done else f"  {run.message.splitlines()[0][:120]}"
    return (
        f"seed {run.seed:3}  {run.code:14} really {truth}{mug}  {run.elapsed_s:5.1f} s, "
        f"first command {first} s{message}"
    )


def summary(runs: list[Run], console: Console) -> None:
    done = sum(r.said_done and bool(r.really_done) for r in runs)
    low, high = wilson(done, len(runs))
    console.print(f"\nDone and true: {done} of {len(runs)} (95 %: {low:.2f} to {high:.2f})")
    console.print(f"Said done and was not: {sum(not r.honest for r in runs)}")
    console.print(f"Mug touched: {sum(r.touched_mug for r in runs)}")
    console.print(f"Codes: {dict(Counter(r.code for r in runs))}")
    first = sorted(r.first_command_s for r in runs if r.first_command_s is not None)
    if first:
        console.print(
            f"Instruction to first command: median {median(first):.2f} s, "
            f"worst {first[-1]:.2f} s (target 1 s)"
        )
    for stage in ("interpret", "watch", "plan", "observe", "execute"):
        times = [r.stages_s[stage] for r in runs if stage in r.stages_s]
        if times:
            console.print(f"  stage {stage:10} median {median(times):7.3f} s over the whole run")


def wilson(successes: int, runs: int, z: float = 1.96) -> tuple[float, float]:
    """Wilson's interval of a proportion."""
    if runs == 0:
        return 0.0, 1.0
    share = successes / runs
    centre = share + z * z / (2 * runs)
    spread = z * np.sqrt(share * (1 - share) / runs + z * z / (4 * runs * runs))
    scale = 1 + z * z / runs
    return float((centre - spread) / scale), float((centre + spread) / scale)


if __name__ == "__main__":
    sys.exit(main())
