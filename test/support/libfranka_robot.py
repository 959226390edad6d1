"""A robot that speaks libfranka's protocol, in a process of its own: `python FILE ADDRESS`.

Lines on its input work its switches ("user_stop 1"), put a thing somewhere ("mug 0.5 0 0.1"), or
ask.
"""

from __future__ import annotations

import queue
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from sayso.skills.trajectory import Trajectory


class LibfrankaRobot:
    """The other end of the process."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self._process, self.address = process, address

    def say(self, line: str) -> str:
        """Have a line carried out, and wait for that; what is told of it."""
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        done, _, told = self._process.stdout.readline().strip().partition(" ")
        assert done == "done", line
        return told

    @property
    def time_s(self) -> float:
        """Simulated."""
        return float(self.say("time"))

    def watch(self) -> None:
        """Begin to note what its joints are told, tick by tick."""
        self.say("watch")

    def watched(self) -> np.ndarray:
        """What they were told since (T, 7) [rad], every millisecond."""
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "commanded.npy"
            self.say(f"watched {path}")
            return np.load(path)


def follow(robot: LibfrankaRobot, arm, run: Trajectory, horizon_s=0.4, period_s=0.05) -> None:
    """Send what the gate does: a window in every period of simulated time, to the end."""
    begun_s = robot.time_s
    while (gone_s := robot.time_s - begun_s) < run.duration_s:
        arm.stream(run.window(gone_s, horizon_s))
        while robot.time_s < begun_s + gone_s + period_s:
            arm.read()


@dataclass(frozen=True)
class Smoothness:
    """The greatest of a commanded motion, of each joint (7,) [rad/s], [rad/s^2], [rad/s^3], and
    how far any joint was from the path that was planned, at most [rad]."""

    speed: np.ndarray
    acceleration: np.ndarray
    jerk: np.ndarray
    off_path_rad: float


def smoothness(commanded: np.ndarray, run: Trajectory, tick_s: float = 1e-3) -> Smoothness:
    """Of positions commanded tick by tick (T, 7), on a way that was planned."""
    peaks = (np.abs(np.diff(commanded, n, axis=0)).max(axis=0) / tick_s**n for n in (1, 2, 3))
    path = np.array([run.at(t) for t in np.arange(0.0, run.duration_s + tick_s, 5 * tick_s)])
    off = [np.abs(path - at).max(axis=1).min() for at in commanded[::5]]
    return Smoothness(*peaks, float(max(off)))


@contextmanager
def libfranka_robot(address: str) -> Iterator[LibfrankaRobot]:
    pipe = subprocess.PIPE
    command = [sys.executable, __file__, address]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        try:
            assert process.stdout.readline().strip() == "done"
            yield LibfrankaRobot(process, address)
        finally:
            process.terminate()


def _main(address: str) -> None:
    from sayso.robots.loading import load_robot
    from sayso.worlds.table.libfranka_table import TICK_S, LibfrankaTable

    world = LibfrankaTable(1, None, load_robot("fr3_libfranka"), address)
    world.listen()
    heard: queue.SimpleQueue[str] = queue.SimpleQueue()

    def hear() -> None:
        for line in sys.stdin:
            heard.put(line)
        heard.put("end")  # whoever started it is gone

    threading.Thread(target=hear, daemon=True).start()
    seen: list[np.ndarray] = []
    _done()
    while True:
        due_s = time.monotonic() + 10 * TICK_S
        for _ in range(10):
            world.step(TICK_S)
            seen.append(world.commanded)
        with suppress(queue.Empty):
            while True:
                line = heard.get(timeout=max(0.0, due_s - time.monotonic()))
                if line == "end":
                    return
                _done(_obey(world, line, seen))


def _done(told: str = "") -> None:
    sys.stdout.write(f"done {told}\n")
    sys.stdout.flush()


def _obey(world, line: str, seen: list[np.ndarray]) -> str:
    word, *values = line.split()
    if word == "time":
        return str(world.time_s)
    if word == "watch":
        seen.clear()
    elif word == "watched":
        np.save(values[0], np.array(seen))
    elif word in world.switches():
        world.switches()[word](values[0] == "1")
    elif word == "reset":
        world.reset(1)
    else:
        x, y, z = map(float, values)
        world.move(word, (x, y, z))
    return ""


if __name__ == "__main__":
    _main(sys.argv[1])
