"""What a Ctrl-C does while a task runs."""

from __future__ import annotations

import _thread
import sys
import threading
import traceback

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built")

from sayso.ros import client_command


def interrupt_main() -> None:
    """As Ctrl-C does, once the main thread has done with starting this one."""
    main = threading.main_thread().ident
    assert main is not None
    while "start" in {f.name for f in traceback.extract_stack(sys._current_frames()[main])}:
        pass
    _thread.interrupt_main()


def test_the_result_is_waited_for_after_ctrl_c() -> None:
    stopped = threading.Event()

    def run() -> str:
        interrupt_main()
        assert stopped.wait(20.0)
        return "result"

    assert client_command._interruptible(run, stopped.set) == "result"


def test_a_failure_is_raised_where_the_person_waits() -> None:
    def run() -> str:
        raise ValueError("gone")

    with pytest.raises(ValueError, match="gone"):
        client_command._interruptible(run, lambda: None)
