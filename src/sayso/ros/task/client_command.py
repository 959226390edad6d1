"""`sayso perform`, `describe` and `stop`: a person at a terminal, on nodes that run already."""

from __future__ import annotations

import argparse
import getpass
import socket
import threading
from collections.abc import Callable
from pathlib import Path

import rclpy
from rclpy.signals import SignalHandlerOptions
from rich.console import Console
from rich.markup import escape
from sayso_ros.action import PerformTask
from sayso_ros.msg import Feedback

from sayso.core.errors import SUCCESS_CODES, Code, SaySoError
from sayso.mission.stages import Decision
from sayso.reporting.events import Event, EventKind, Listener
from sayso.reporting.terminal import TerminalView, ask
from sayso.ros.launch.launch_runner import signals_to
from sayso.ros.task.task_client import TaskClient

CONFIRM = {"ask": PerformTask.Goal.ASK, "auto": PerformTask.Goal.AUTO}
FEEDBACK = {
    Decision.YES: Feedback.CONFIRM,
    Decision.NO: Feedback.REJECT,
    Decision.CORRECTION: Feedback.CORRECTION,
}


def perform(options: argparse.Namespace, console: Console) -> int:
    """Perform on running nodes; 0 if the task was observed to succeed."""
    # Ctrl-C must reach us as KeyboardInterrupt while the client still works, to stop the arm.
    rclpy.init(signal_handler_options=SignalHandlerOptions.NO)
    try:
        with TaskClient(namespace=options.namespace) as client:
            result = perform_with(client, options, console)
    finally:
        rclpy.try_shutdown()
    if result.run_folder:
        console.print(f"\nReport: {Path(result.run_folder) / 'report.md'}", highlight=False)
    return 0 if Code(result.status.code) in SUCCESS_CODES else 1


def perform_with(
    client: TaskClient,
    options: argparse.Namespace,
    console: Console,
    also: Listener = lambda _: None,
) -> PerformTask.Result:
    """Perform an instruction, showing it; Ctrl-C stops the robot and waits for the report.

    `also` is told of every event after it was shown.
    """
    view = TerminalView(console)
    told = ""

    def listen(event: Event) -> None:
        nonlocal told
        view.show(event)
        if event.kind is EventKind.RESULT:
            told = event.text
        also(event)

    def run() -> PerformTask.Result:
        return client.perform(
            options.instruction,
            confirm=CONFIRM[options.confirm],
            listener=listen,
            answer=lambda _: _answer(console),  # the view has shown the question
            timeout_s=options.timeout,
        )

    result = _interruptible(run, lambda: _interrupted(client, console))
    # What could not be written is known only once the result has been told.
    if more := result.status.message.replace(told, "").strip():
        console.print(f"  [yellow]{escape(more)}[/]", highlight=False)
    return result


def _answer(console: Console) -> tuple[int, str]:
    answer = ask(console)
    return FEEDBACK[answer.decision], answer.words


def stop(options: argparse.Namespace, console: Console) -> int:
    """Stop all motion on running nodes."""
    rclpy.init()
    try:
        with TaskClient(name="sayso_stop", namespace=options.namespace) as client:
            token = client.stop(options.reason, holder())
    finally:
        rclpy.try_shutdown()
    console.print(f"Stopped: nothing moves until `sayso release {token}`.", highlight=False)
    return 0


def release(options: argparse.Namespace, console: Console) -> int:
    """Release a stop, or all of them, on running nodes."""
    rclpy.init()
    try:
        with TaskClient(name="sayso_release", namespace=options.namespace) as client:
            released = client.release(options.token, holder())
    finally:
        rclpy.try_shutdown()
    told = "\n".join(f"Released: {stop}" for stop in released) or "No stop holds."
    console.print(told, highlight=False, markup=False)
    return 0


def describe(options: argparse.Namespace, console: Console) -> int:
    """Tell what perception sees, on running nodes."""
    rclpy.init()
    try:
        with TaskClient(name="sayso_describe", namespace=options.namespace) as client:
            console.print(client.describe(), highlight=False, markup=False)
    finally:
        rclpy.try_shutdown()
    return 0


def holder() -> str:
    """Who stops or releases, as others are told."""
    return f"{getpass.getuser()} at {socket.gethostname()}"


def _interrupted(client: TaskClient, console: Console) -> None:
    console.print("\n[yellow]Stopping: the arm comes to rest, the report is written.[/]")
    token = client.stop("interrupted at the terminal", holder())
    console.print(f"Nothing moves until `sayso release {token}`.", highlight=False)


def _interruptible(
    run: Callable[[], PerformTask.Result], interrupted: Callable[[], None]
) -> PerformTask.Result:
    """`run` in a thread, so that Ctrl-C can stop the robot and still wait for the result.

    `interrupted` is called once, in a thread as well: a second Ctrl-C changes nothing.
    """
    outcome: list[PerformTask.Result] = []
    failure: list[BaseException] = []
    ended, asked = threading.Event(), threading.Event()

    def work() -> None:
        try:
            outcome.append(run())
        except BaseException as error:  # noqa: BLE001 - handed to the caller's thread
            failure.append(error)
        ended.set()

    def end() -> None:
        try:
            interrupted()
        except SaySoError as error:  # without a stop there may be no result to wait for
            failure.append(error)
            ended.set()

    def on_signal() -> None:
        if not asked.is_set():
            asked.set()
            threading.Thread(target=end, daemon=True).start()

    threading.Thread(target=work, daemon=True).start()
    with signals_to(on_signal):
        while not ended.wait(0.2):
            pass  # signals are noticed in between
    if failure:
        raise failure[0]
    return outcome[0]
