"""`sayso demos record`: a demonstration from a robot whose nodes run already."""

from __future__ import annotations

import argparse
from contextlib import ExitStack

import rclpy
from rclpy.signals import SignalHandlerOptions
from rich.console import Console

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import in_words
from sayso.ros.task.task_client import TaskClient
from sayso.ros.teaching.recording import ShownRecorder


def record(options: argparse.Namespace, console: Console) -> int:
    """Record until Enter is pressed; 1 if anything is wrong with what was shown.

    Raises:
        SaySoError: INVALID without words; as `ShownRecorder` and `TaskClient.be_guided`.
    """
    if not options.words:
        text = "a demonstration has to say what it shows."
        raise SaySoError(Code.INVALID, text, hint="--words 'hang the mug on the rack'")

    def say(text: str) -> None:
        console.print(text, highlight=False, markup=False)

    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        with TaskClient(name="demos_record", namespace=options.namespace) as client:
            robot = options.robot or "panda"
            recorder = ShownRecorder(client.node.context, options.namespace, options.path, robot)
            with ExitStack() as last:
                last.callback(recorder.close)
                about = recorder.begin(options.words, options.things)
                if options.guided:
                    last.callback(client.let_go, client.be_guided(say, lambda s: say(s.message)))
                things = ", ".join(map(in_words, about.values()))
                say(f"Recording {options.words!r}, about {things}. Show it.")
                _until_enter(console)
                shown = recorder.end()
    finally:
        rclpy.try_shutdown()
    say(f"{shown.folder}: {shown.duration_s:.1f} s")
    for line in (*shown.steps, *shown.problems):
        say(f"  {line}")
    return int(bool(shown.problems))


def _until_enter(console: Console) -> None:
    """Ctrl-C leaves what there is as broken off."""
    console.input("Press Enter when it was shown; Ctrl-C breaks it off. ")
