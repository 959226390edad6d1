"""A node's process: one clear line for a wrong configuration, a clean end for a signal."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from sayso.ros.runner import CONFIG_EXIT


def start(domain: int, node: str, *arguments: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", f"from sayso.ros.{node}_node import main; main()"]
    return subprocess.Popen(
        [*command, "--ros-args", *arguments],
        env={**os.environ, "ROS_DOMAIN_ID": str(domain)},
        stderr=subprocess.PIPE,
        text=True,
    )


def test_a_misspelt_parameter_ends_it_with_the_valid_names(domain: int) -> None:
    process = start(domain, "planner", "-p", "plannner:=search")
    _, said = process.communicate(timeout=30)
    assert process.returncode == CONFIG_EXIT
    assert "plannner" in said and "Valid: planner" in said
    assert "Traceback" not in said


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_cleanly(graph, number: int) -> None:
    process = start(graph.domain, "automaton")
    try:
        graph.wait_until(lambda: graph.tester.count_publishers("/task_progress") > 0, "it runs")
        process.send_signal(number)
        _, said = process.communicate(timeout=30)
    finally:
        process.kill()
    assert process.returncode == 0
    assert "Traceback" not in said
