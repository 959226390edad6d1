"""A robot that speaks libfranka's protocol, in a process of its own: `python FILE ADDRESS`.

Lines on its input work its switches ("user_stop 1"), or put a thing somewhere ("mug 0.5 0 0.1").
"""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager


class LibfrankaRobot:
    """The other end of the process."""

    def __init__(self, process: subprocess.Popen[str], address: str) -> None:
        self._process, self.address = process, address

    def say(self, line: str) -> None:
        """Have a line carried out, and wait for that."""
        self._process.stdin.write(f"{line}\n")
        self._process.stdin.flush()
        assert self._process.stdout.readline().strip() == "done", line


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
    threading.Thread(target=lambda: [heard.put(line) for line in sys.stdin], daemon=True).start()
    _done()
    while True:
        begun_s = time.perf_counter()
        if not heard.empty():
            _obey(world, heard.get())
            _done()
        for _ in range(10):
            world.step(TICK_S)
        time.sleep(max(0.0, 10 * TICK_S - (time.perf_counter() - begun_s)))


def _done() -> None:
    sys.stdout.write("done\n")
    sys.stdout.flush()


def _obey(world, line: str) -> None:
    word, *values = line.split()
    if word in world.switches():
        world.switches()[word](values[0] == "1")
    elif word == "reset":
        world.reset(1)
    else:
        x, y, z = map(float, values)
        world.move(word, (x, y, z))


if __name__ == "__main__":
    _main(sys.argv[1])
