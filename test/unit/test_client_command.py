"""What a Ctrl-C does while a task runs, and how little a stop loads."""

from __future__ import annotations

import _thread
import signal
import subprocess
import sys
import threading

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built")

from sayso.core.errors import Code, SaySoError
from sayso.ros.task import client_command


def interrupt_main() -> None:
    """As Ctrl-C does, once the main thread has done with starting this one."""
    while signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        pass
    _thread.interrupt_main()


def test_the_result_is_waited_for_after_ctrl_c() -> None:
    stopped = threading.Event()

    def run() -> str:
        interrupt_main()
        assert stopped.wait(20.0)
        return "result"

    assert client_command._interruptible(run, stopped.set) == "result"


def test_a_second_ctrl_c_changes_nothing() -> None:
    stopped = threading.Event()
    times = []

    def run() -> str:
        interrupt_main()
        assert stopped.wait(20.0)
        return "result"

    def stop() -> None:
        times.append(1)
        interrupt_main()
        interrupt_main()
        stopped.set()

    assert client_command._interruptible(run, stop) == "result"
    assert times == [1]


def test_a_stop_that_fails_is_told() -> None:
    def run() -> str:
        interrupt_main()
        threading.Event().wait()
        return ""

    def stop() -> None:
        raise SaySoError(Code.NODE_UNAVAILABLE, "no executor")

    with pytest.raises(SaySoError, match="no executor"):
        client_command._interruptible(run, stop)


def test_a_failure_is_raised_where_the_person_waits() -> None:
    def run() -> str:
        raise ValueError("gone")

    with pytest.raises(ValueError, match="gone"):
        client_command._interruptible(run, lambda: None)


def test_a_stop_waits_for_nothing_that_experiments_or_sentences_need():
    stopping = "from sayso import cli; cli.parser().parse_args(['stop']); cli._command('stop'); "
    shown = subprocess.run(
        [sys.executable, "-c", stopping + "import sys; print(*sys.modules)"],
        capture_output=True, text=True, check=True,
    ).stdout.split()  # fmt: skip
    heavy = ("sayso.evaluation.catalogue", "sayso.language.exact", "sayso.worlds.renderer",
             "mujoco", "scipy")  # fmt: skip
    assert "sayso.cli.options" in shown
    assert not [module for module in heavy if module in shown]
