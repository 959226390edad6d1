"""The shipped launch file when a node dies or the person presses Ctrl-C in mid-motion."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso_ros.msg import GroundTruth
from sayso_ros.srv import PerturbWorld

from sayso.core import library
from sayso.core.errors import Code, SaySoError
from sayso.reporting.events import Event, EventKind
from sayso.ros.bags.replay import reevaluate
from sayso.ros.messages.qos import SENSOR
from support.launched import Launched, launched

INSTRUCTION = "Put the green block on the plate. Never touch the mug."


def moving(truth: GroundTruth) -> bool:
    return float(np.abs(truth.joint_velocities).max()) > 0.1


def perform_and_disturb(nodes: Launched, disturb) -> object:
    """Perform; call `disturb` when the arm moves in the first skill."""
    truths = nodes.graph.listen(GroundTruth, "/world/ground_truth", SENSOR)
    threads: list[threading.Thread] = []

    def wait_and_disturb() -> None:
        truths.clear()
        truths.wait(moving, 60.0)
        disturb()

    def on_event(event: Event) -> None:
        if event.kind is EventKind.SKILL and not threads:
            threads.append(threading.Thread(target=wait_and_disturb))
            threads[0].start()

    try:
        return nodes.perform(INSTRUCTION, on_event=on_event)[0]
    finally:
        threads[0].join()
        truths.clear()
        truths.wait(lambda m: not moving(m))


def process_of(nodes: Launched, executable: str) -> int:
    """The process id of a node of this launch."""
    children = subprocess.run(
        ["pgrep", "-f", f"lib/sayso_ros/{executable} ", "-P", str(nodes.process.pid)],
        capture_output=True,
        text=True,
        check=True,
    ).stdout.split()
    assert len(children) == 1
    return int(children[0])


@pytest.mark.parametrize("name", ["automaton", "perception"])
def test_a_killed_node_stops_the_arm_and_is_named(tmp_path: Path, name: str):
    with launched(tmp_path, seed="2") as nodes:
        killed = process_of(nodes, name)
        result = perform_and_disturb(nodes, lambda: os.kill(killed, signal.SIGKILL))
        assert Code(result.status.code) is Code.NODE_UNAVAILABLE
        assert f"'{name}' has ended" in result.status.message
        assert result.status.hint
        assert json.loads((tmp_path / "report.json").read_text())["result"]["succeeded"] is False


def test_a_camera_that_falls_silent_stops_the_arm_and_is_named(tmp_path: Path):
    with launched(tmp_path, seed="2") as nodes:
        mute = PerturbWorld.Request.MUTE_CAMERA
        result = perform_and_disturb(nodes, lambda: nodes.perturb(mute, "left"))
        assert Code(result.status.code) is Code.STALE
        assert "camera 'left' is silent" in result.status.message


def test_a_killed_executor_is_told_and_its_report_completed(tmp_path: Path):
    with launched(tmp_path, seed="2") as nodes:
        killed = process_of(nodes, "executor")
        with pytest.raises(SaySoError, match="executor has ended") as error:
            perform_and_disturb(nodes, lambda: os.kill(killed, signal.SIGKILL))
        assert error.value.code is Code.NODE_UNAVAILABLE
        report = tmp_path / "report.json"

        def completed() -> bool:
            return json.loads(report.read_text())["result"] is not None

        nodes.graph.wait_until(completed, "the recorder completes the report")
    data = json.loads(report.read_text())
    assert data["result"]["code"] == "NODE_UNAVAILABLE" and data["plans"] and data["settings"]


def test_ctrl_c_in_mid_motion_leaves_bag_and_report_whole(tmp_path: Path):
    with launched(tmp_path, seed="2") as nodes:
        truths = nodes.graph.listen(GroundTruth, "/world/ground_truth", SENSOR)

        def press_ctrl_c() -> None:
            truths.wait(moving, 60.0)
            nodes.process.send_signal(signal.SIGINT)

        pressing = threading.Thread(target=press_ctrl_c)

        def on_event(event: Event) -> None:
            if event.kind is EventKind.SKILL and pressing.ident is None:
                pressing.start()

        result, _ = nodes.perform(INSTRUCTION, on_event=on_event)
        assert Code(result.status.code) in (Code.STOPPED, Code.CANCELLED)
        assert nodes.end() == 0, nodes.log()
    data = json.loads((tmp_path / "report.json").read_text())
    assert data["result"]["code"] in ("STOPPED", "CANCELLED")
    again = reevaluate(tmp_path / "bag", library.load(library.builtin_path()).predicates)
    assert again.same
    assert len(again.tasks) == 1
