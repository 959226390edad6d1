"""What happens when a part of the robot dies while the arm moves, one launch for each part.

    python benchmarks/node_failures.py [PART ...]

The launched table, all noise on. As soon as the arm moves in the first skill, the part's process
is killed (SIGKILL), a camera falls silent, `/clock` jumps a thousand seconds ahead and back, or
joints are told that are no numbers, or of the future, for half a second. Told are the simulated
time in which the arm came to rest (joints below 0.02 rad/s; ground truth comes every 0.1 s: from
the last one that moved to the first one at rest), the wall time until a message names the part,
until the result is told and until it comes with report and film, and what is said.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1] / "test"))

from rosgraph_msgs.msg import Clock
from sayso_ros.msg import GroundTruth
from sayso_ros.srv import PerturbWorld
from sensor_msgs.msg import JointState

from sayso.core.errors import SaySoError
from sayso.reporting.events import Event, EventKind
from sayso.robots.loading import load_robot
from sayso.ros.messages.conversions import time_from_msg, time_to_msg
from sayso.ros.messages.qos import SENSOR
from support.launched import Launched, launched

PARTS = ("perception", "automaton", "camera", "world", "executor")
OPTIONAL = ("planner", "interpreter", "recorder")
READINGS = ("clock", "nan", "future")
INSTRUCTION = "Put the green block on the plate. Never touch the mug."
CAMERA = "left"
RESTING_RAD_S = 0.02
PANDA = load_robot("panda")
AHEAD_S = 1000.0


@dataclass
class Watch:
    """The arm's speed over simulated time, and what was said when."""

    now_s: float = 0.0
    speeds: list[tuple[float, float]] = field(default_factory=list)
    said: list[tuple[float, str]] = field(default_factory=list)
    kinds: list[tuple[float, EventKind]] = field(default_factory=list)
    moving: threading.Event = field(default_factory=threading.Event)
    in_skill: bool = False

    def see(self, truth: GroundTruth) -> None:
        speed = float(np.abs(truth.joint_velocities).max())
        self.speeds.append((time_from_msg(truth.header.stamp), speed))
        if self.in_skill and speed > 0.3:
            self.moving.set()

    def hear(self, event: Event) -> None:
        self.said.append((time.monotonic(), event.text))
        self.kinds.append((time.monotonic(), event.kind))
        self.in_skill = self.in_skill or event.kind is EventKind.SKILL

    def tick(self, clock: Clock) -> None:
        now_s = time_from_msg(clock.clock)
        if now_s < self.now_s + AHEAD_S / 2:  # not what a misleading clock tells
            self.now_s = now_s

    def rest_s(self, from_s: float) -> tuple[float, float] | None:
        """Simulated times after which the arm last moved, and first was at rest."""
        moved_s = 0.0
        for t, v in self.speeds:
            if t >= from_s and v < RESTING_RAD_S:
                return moved_s, t - from_s
            moved_s = max(0.0, t - from_s)
        return None


def main() -> None:
    """One launch for each part; a line for each."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("parts", nargs="*", choices=(*PARTS, *OPTIONAL, *READINGS, []))
    for part in parser.parse_args().parts or (*PARTS, *OPTIONAL, *READINGS):
        with tempfile.TemporaryDirectory() as folder:
            print(f"{part:12} {failure(part, Path(folder))}", flush=True)


def failure(part: str, folder: Path) -> str:
    """Let it fail; what was measured, in words."""
    with launched(folder, seed="2") as nodes:
        watch, killed = Watch(), [0.0, 0.0]
        nodes.graph.tester.create_subscription(
            GroundTruth, "/world/ground_truth", watch.see, SENSOR
        )
        nodes.graph.tester.create_subscription(Clock, "/clock", watch.tick, SENSOR)

        ending = how_to_end(part, nodes)  # finding the process takes a while

        def kill() -> None:
            watch.moving.wait(60.0)
            killed[:] = watch.now_s, time.monotonic()
            ending(killed[0])

        thread = threading.Thread(target=kill)
        thread.start()
        try:
            result, _ = nodes.perform(INSTRUCTION, on_event=watch.hear)
            told = f"{result.status.code} {result.status.message}"
        except SaySoError as error:
            told = f"{int(error.code)} {error.message}"
        ended_s = time.monotonic() - killed[1]
        thread.join()
        if part != "world":  # with which arm and clock are gone
            nodes.graph.wait_until(lambda: watch.rest_s(killed[0]) is not None, "rest", 10.0)
        nodes.end()
        named = next((t - killed[1] for t, s in watch.said if part in s and t > killed[1]), None)
        told_s = next((t - killed[1] for t, k in watch.kinds if k is EventKind.RESULT), None)
        rest = watch.rest_s(killed[0])
        report = folder / "report.json"
        said = json.loads(report.read_text())["result"] if report.exists() else None
    return (
        f"rest after {_between(rest)} simulated, named after {_s(named)}, result told after "
        f"{_s(told_s)}, with the report after {_s(ended_s)}: "
        f"{told!r}; report: {said['code'] if said else 'no result'}"
    )


def how_to_end(part: str, nodes: Launched) -> Callable[[float], None]:
    """What lets the part fail, given the time."""
    if part == "camera":
        return lambda _: nodes.perturb(PerturbWorld.Request.MUTE_CAMERA, CAMERA)
    if part in READINGS:
        return lambda now_s: mislead(part, nodes, now_s)
    command = ["pgrep", "-f", f"lib/sayso_ros/{part} ", "-P", str(nodes.process.pid)]
    found = subprocess.run(command, capture_output=True, text=True, check=True)
    return lambda _: os.kill(int(found.stdout), signal.SIGKILL)


def mislead(part: str, nodes: Launched, now_s: float) -> None:
    """What somebody else publishes beside the world for half a second, 100 times a second."""
    tester = nodes.graph.tester
    clocks = tester.create_publisher(Clock, "/clock", 10)
    joints = tester.create_publisher(JointState, "/joint_states", 10)
    names = [*PANDA.joint_names, PANDA.finger_names[0]]
    position = [*(PANDA.home if part == "future" else [math.nan] * 7), 0.04]
    told = JointState(name=names, position=[float(p) for p in position])
    told.header.stamp = time_to_msg(now_s + (AHEAD_S if part == "future" else 0.0))
    pace = threading.Event()
    for _ in range(50):
        if part == "clock":
            clocks.publish(Clock(clock=time_to_msg(now_s + AHEAD_S)))
        else:
            joints.publish(told)
        pace.wait(0.01)


def _between(bounds: tuple[float, float] | None) -> str:
    return "never" if bounds is None else f"{bounds[0]:.2f} to {_s(bounds[1])}"


def _s(seconds: float | None) -> str:
    return "never" if seconds is None else f"{seconds:.2f} s"


if __name__ == "__main__":
    main()
