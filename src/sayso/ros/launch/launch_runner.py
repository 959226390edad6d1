"""Run a launch file where `ros2 launch` is absent: one process group per node.

    python -m sayso.ros.launch.launch_runner sayso_ros demo.launch.xml seed:=7

Ctrl-C (or SIGTERM) asks every node to end with SIGINT, then SIGTERM, then SIGKILL. The runner
ends when all nodes have, or when a node marked `on_exit="shutdown"` does.
"""

from __future__ import annotations

import argparse
import ctypes
import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import IO, TextIO

from sayso.core.errors import Code, SaySoError
from sayso.ros.launch import launch_file
from sayso.ros.launch.launch_file import NodeProcess

ESCALATION = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
_PR_SET_PDEATHSIG = 1


@dataclass(frozen=True)
class _Ended:
    """A node's process is gone and its last output is written."""

    name: str
    return_code: int


@dataclass(frozen=True)
class _StopRequested:
    """A signal reached the runner."""


@dataclass
class Runner:
    """Starts nodes, passes their output on, and ends them all together.

    Args:
        nodes: what to start, in this order.
        output: where lines go, each after its node's name in brackets.
        log_folder: if set, each node writes to NAME.log there instead, and only the runner's
            own lines go to `output`.
        grace_s: how long nodes have to end after each signal.
    """

    nodes: Sequence[NodeProcess]
    output: TextIO
    log_folder: Path | None = None
    grace_s: float = 5.0
    processes: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)
    _events: SimpleQueue[_Ended | _StopRequested] = field(default_factory=SimpleQueue)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _failed: bool = False

    def run(self) -> int:
        """Run until the nodes have ended; 0 if none failed before an end was asked for."""
        try:
            self._start_all()
            self._watch()
        finally:
            self._end_all()
        return 1 if self._failed else 0

    def request_stop(self) -> None:
        """Ask for the end of all nodes; a second request does not wait for the first's grace.

        Safe to call from a signal handler or another thread.
        """
        self._events.put(_StopRequested())

    def _start_all(self) -> None:
        if self.log_folder is not None:
            self.log_folder.mkdir(parents=True, exist_ok=True)
        try:
            for name, node in _unique_names(self.nodes):
                self.processes[name] = _start(node)
        finally:
            # Threads only after the last fork: a child must not inherit a lock one of them holds.
            for name, process in self.processes.items():
                self._say(f"{name} started, process {process.pid}")
                threading.Thread(target=self._follow, args=(name, process), daemon=True).start()

    def _watch(self) -> None:
        ends_all = {name for name, node in _unique_names(self.nodes) if node.shutdown_on_exit}
        while self.processes:
            event = self._events.get()
            if isinstance(event, _StopRequested):
                self._say("stopping")
                return
            self._gone(event)
            if event.return_code != 0:
                self._failed = True
            if event.name in ends_all:
                self._say(f"{event.name} has ended, so all others are stopped")
                return

    def _end_all(self) -> None:
        for number in ESCALATION:
            self._signal(number)
            try:
                self._wait_for_ends(None if number is signal.SIGKILL else self.grace_s)
            except Empty:
                self._say(f"{', '.join(self.processes)} still running after {number.name}")
            if not self.processes:
                return

    def _wait_for_ends(self, grace_s: float | None) -> None:
        while self.processes:
            event = self._events.get(timeout=grace_s)
            if isinstance(event, _StopRequested):
                return
            self._gone(event)

    def _signal(self, number: signal.Signals) -> None:
        for process in self.processes.values():
            # The leader may be gone before its children: its group's number stays theirs.
            try:
                os.killpg(process.pid, number)
            except ProcessLookupError:
                continue

    def _gone(self, event: _Ended) -> None:
        self.processes.pop(event.name, None)
        how = f"exit code {event.return_code}"
        if event.return_code < 0:
            how = f"signal {signal.Signals(-event.return_code).name}"
        self._say(f"{event.name} has ended, {how}")

    def _follow(self, name: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None  # for the type checker: opened as a pipe
        if self.log_folder is None:
            self._copy_lines(name, process.stdout)
        else:
            with (self.log_folder / f"{name}.log").open("wb") as log:
                for line in process.stdout:
                    log.write(line)
                    log.flush()
        self._events.put(_Ended(name, process.wait()))

    def _copy_lines(self, name: str, stream: IO[bytes]) -> None:
        for line in stream:
            self._write(f"[{name}] {line.decode(errors='replace').rstrip()}")

    def _say(self, text: str) -> None:
        self._write(f"[launch] {text}")

    def _write(self, line: str) -> None:
        with self._lock:
            self.output.write(line + "\n")
            self.output.flush()


def _unique_names(nodes: Sequence[NodeProcess]) -> Iterator[tuple[str, NodeProcess]]:
    """Each node with a name no other has: `planner`, `planner_2`, ..."""
    seen: dict[str, int] = {}
    for node in nodes:
        seen[node.name] = seen.get(node.name, 0) + 1
        count = seen[node.name]
        yield (node.name if count == 1 else f"{node.name}_{count}"), node


def _start(node: NodeProcess) -> subprocess.Popen[bytes]:
    environment = {**os.environ, "PYTHONUNBUFFERED": "1", **node.environment}
    try:
        return subprocess.Popen(
            node.command,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=end_with_parent(),  # noqa: PLW1509 - no thread runs yet
        )
    except OSError as error:
        raise SaySoError(Code.CONFIG, f"Cannot start {node.command[0]}: {error}.") from error


def end_with_parent() -> Callable[[], None] | None:
    """What makes a child end with us: even a killed runner must not leave a robot commanded."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)

    def ask_kernel() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGINT)

    return ask_kernel


@contextmanager
def signals_to(handle: Callable[[], None]) -> Iterator[None]:
    """Ctrl-C, SIGTERM and a terminal that closes call this instead of what they did before."""
    numbers = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
    before = {n: signal.signal(n, lambda *_: handle()) for n in numbers}
    try:
        yield
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def find_launch_file(package: str, name: str, environment: Mapping[str, str]) -> Path:
    """The launch file `name` of an installed package; CONFIG, with the choices, if none."""
    share = launch_file.package_share(package, launch_file.package_prefixes(environment))
    path = share / "launch" / name
    if not path.is_file():
        choices = sorted(p.name for p in share.glob("launch/*.launch.xml"))
        raise SaySoError(
            Code.CONFIG, f"The package '{package}' has no launch file '{name}'.", choices=choices
        )
    return path


def parse_arguments(texts: Sequence[str]) -> dict[str, str]:
    """`name:=value` words as a mapping; CONFIG for anything else."""
    values = {}
    for text in texts:
        name, separator, value = text.partition(":=")
        if not (separator and name):
            raise SaySoError(Code.CONFIG, f"'{text}' is not of the form name:=value.")
        values[name] = value
    return values


def _command_line() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m sayso.ros.launch.launch_runner")
    parser.add_argument("where", nargs="+", metavar="WHAT", help="PACKAGE FILE, or a path")
    parser.add_argument("--show-args", "-s", action="store_true", help="list the file's arguments")
    parser.add_argument("--log-dir", type=Path, metavar="DIR", help="NAME.log per node, there")
    return parser


def _split(words: Sequence[str]) -> tuple[Path, dict[str, str]]:
    places = [word for word in words if ":=" not in word]
    arguments = parse_arguments([word for word in words if ":=" in word])
    if len(places) == 1:
        return Path(places[0]), arguments
    if len(places) == 2:
        return find_launch_file(places[0], places[1], os.environ), arguments
    raise SaySoError(Code.CONFIG, "Name a package and a launch file, or the path of a launch file.")


def _show_arguments(path: Path, output: TextIO) -> None:
    try:
        for argument in launch_file.declared_arguments(launch_file.parse(path)):
            default = argument.default
            told = "must be given" if default is None else f"default '{default}'"
            output.write(f"{argument.name}: {argument.description} ({told})\n")
        output.flush()
    except BrokenPipeError:  # as of `head`, which has seen enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), output.fileno())


def main(words: Sequence[str] | None = None) -> int:
    """Run the launch file that the command line names; 0 if no node failed."""
    options = _command_line().parse_args(words)
    try:
        path, arguments = _split(options.where)
        if options.show_args:
            _show_arguments(path, sys.stdout)
            return 0
        nodes = launch_file.read(path, arguments, os.environ)
        runner = Runner(nodes, sys.stdout, options.log_dir)
        with signals_to(runner.request_stop):
            return runner.run()
    except SaySoError as error:
        sys.stderr.write(f"{error}\n")
        return 2


if __name__ == "__main__":
    sys.exit(main())
