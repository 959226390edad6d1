"""The `sayso` command."""

from __future__ import annotations

import argparse
import signal
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from rich.console import Console
from rich.markup import escape

from sayso.cli.demo_options import DEMO_INSTRUCTIONS
from sayso.cli.options import parser
from sayso.core.errors import SaySoError

__all__ = ["DEMO_INSTRUCTIONS", "main", "parser"]

Command = Callable[[argparse.Namespace, Console], int]
INTERRUPTED = 130
"""Exit code of what a signal ended, as shells have it."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; 0 if it did what was asked."""
    options = parser().parse_args(arguments)
    console = Console(soft_wrap=True)
    try:
        with _ending_as_by_ctrl_c():
            return _run(options, console)
    except KeyboardInterrupt:
        console.print("Interrupted.")
        return INTERRUPTED
    except SaySoError as error:
        console.print(f"[red]{error.code.name}[/]: {escape(error.message)}", highlight=False)
        if error.choices:
            console.print(f"Valid: {escape(', '.join(error.choices))}", highlight=False)
        if error.hint:
            console.print(f"Next: {escape(error.hint)}", highlight=False)
        return 1


@contextmanager
def _ending_as_by_ctrl_c() -> Iterator[None]:
    """SIGTERM, and a terminal that closes, interrupt too: what was started is then ended."""

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    # One that is ignored, as under nohup, stays so.
    numbers = [n for n in (signal.SIGTERM, signal.SIGHUP) if signal.getsignal(n) is signal.SIG_DFL]
    for number in numbers:
        signal.signal(number, interrupt)
    try:
        yield
    finally:
        for number in numbers:
            signal.signal(number, signal.SIG_DFL)


def _run(options: argparse.Namespace, console: Console) -> int:
    return _command(options.command)(options, console)


def _command(name: str) -> Command:
    """What a command does; what the others need is not loaded: a stop is not to wait for it."""
    match name:
        case "perform" | "describe" | "stop" | "release":
            from sayso.ros.task import client_command

            return {
                "perform": client_command.perform,
                "describe": client_command.describe,
                "stop": client_command.stop,
                "release": client_command.release,
            }[name]
        case "vision":
            from sayso.evaluation.vision.command import vision

            return vision
        case "replay":
            from sayso.ros.bags.replay_command import replay

            return replay
        case "map":
            from sayso.ros.bags.map_command import make_map

            return make_map
        case "doctor":
            from sayso.ros.nodes.doctor_node import examine

            return examine
        case "calibrate":
            from sayso.ros.nodes.calibration_node import calibrate

            return calibrate
        case "console":
            from sayso.ros.nodes.console_node import serve

            return serve
    return _without_nodes(name)


def _without_nodes(name: str) -> Command:
    """A command that needs no ROS, but where it starts nodes."""
    if name == "demos":
        from sayso.cli.demonstrations import demonstrations

        return demonstrations
    from sayso.cli import commands

    own: Mapping[str, Command] = {
        "demo": commands.demo,
        "library": commands.show_library,
        "read": commands.read_instructions,
        "run": commands.run_program,
        "scene": commands.show_scene,
        "domain": commands.domain,
        "eval": commands.evaluate,
    }
    return own[name]
