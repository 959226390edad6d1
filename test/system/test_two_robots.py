"""Two robots in two namespaces of one ROS domain.

Each has a task of its own at the same time, then a node that is killed in the midst of one.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso_ros.action import PerformTask
from sayso_ros.msg import GroundTruth

from sayso.core.errors import Code, SaySoError
from sayso.reporting.events import Event, EventKind
from sayso.ros.bags.rosbag import recorded_topics
from sayso.ros.messages.qos import SENSOR
from support.launched import Launched, launched, launched_in
from support.ros_graph import free_domain

TASKS = {"left": "Put the red block on the plate.", "right": "Put the blue block on the plate."}
NEXT = "Put the green block in the bowl. Never touch the mug."
GIVEN = {"segmenter": "simulator_segmentation", "noise": "false"}
SHARED = {"/rosout", "/parameter_events", "/diagnostics"}
Robots = dict[str, Launched]


@pytest.fixture(scope="module")
def robots(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Robots]:
    folder = tmp_path_factory.mktemp("two")
    for name in TASKS:
        (folder / name).mkdir()
    with (
        free_domain() as domain,
        launched_in(
            domain, folder / "left", "demo.launch.xml", namespace="left", seed="1", **GIVEN
        ) as left,
        launched_in(
            domain, folder / "right", "demo.launch.xml", namespace="right", seed="2", **GIVEN
        ) as right,
    ):
        yield {"left": left, "right": right}


def test_each_performs_what_it_was_told(robots: Robots) -> None:
    topics = {n for n, _ in robots["left"].graph.tester.get_topic_names_and_types()} - SHARED
    with ThreadPoolExecutor() as pool:
        running = {n: pool.submit(robot.perform, TASKS[n]) for n, robot in robots.items()}
        results = {n: task.result() for n, task in running.items()}
    assert all(topic.split("/")[1] in TASKS for topic in topics), "nothing is outside of both"
    for name, (result, events) in results.items():
        assert result.status.code == Code.OK, (name, result.status)
        assert result.run_folder == str(robots[name].folder)
        plan = next(e.plan for e in events if e.plan is not None)
        assert any(TASKS[name].split()[2] in str(a) for a in plan.actions), "its own task"


@pytest.fixture
def whole(
    request: pytest.FixtureRequest, robots: Robots, tmp_path: Path
) -> Iterator[tuple[Launched, str]]:
    """A robot and what of it is to be killed; a new robot where an earlier try has done so."""
    executable = str(request.param)
    robot = robots["left" if executable == "perception" else "right"]
    if process_of(robot, executable):
        yield robot, executable
    else:
        with launched(tmp_path, namespace="again", seed="3", **GIVEN) as again:
            yield again, executable


def moving(truth: GroundTruth) -> bool:
    return float(np.abs(truth.joint_velocities).max()) > 0.1


def kill_in_motion(robot: Launched, executable: str) -> PerformTask.Result:
    """Perform, kill a node as the arm moves in the first skill, and see the arm come to rest."""
    name = robot.client.node.resolve_topic_name("world/ground_truth")
    truths = robot.graph.listen(GroundTruth, name, SENSOR)
    (killed,) = process_of(robot, executable)

    def kill() -> None:
        truths.clear()
        truths.wait(moving, 60.0)
        os.kill(killed, signal.SIGKILL)

    killing = threading.Thread(target=kill)

    def on_event(event: Event) -> None:
        if event.kind is EventKind.SKILL and killing.ident is None:
            killing.start()

    try:
        return robot.perform(NEXT, on_event=on_event)[0]
    finally:
        killing.join()
        truths.clear()
        truths.wait(lambda m: not moving(m))


def process_of(robot: Launched, executable: str) -> list[int]:
    """The process id of a node of this launch; none where it has ended."""
    children = subprocess.run(
        ["pgrep", "-f", f"lib/sayso_ros/{executable} ", "-P", str(robot.process.pid)],
        capture_output=True,
        text=True,
        check=False,
    ).stdout.split()
    return [int(child) for child in children]


def report_of(folder: str) -> dict:
    return json.loads((Path(folder) / "report.json").read_text())


@pytest.mark.parametrize("whole", ["perception"], indirect=True)
def test_a_killed_node_stops_the_arm_and_is_named(whole: tuple[Launched, str]) -> None:
    result = kill_in_motion(*whole)
    assert Code(result.status.code) is Code.NODE_UNAVAILABLE, result.status
    assert "'perception' has ended" in result.status.message
    assert result.status.hint
    assert report_of(result.run_folder)["result"]["succeeded"] is False


@pytest.mark.parametrize("whole", ["executor"], indirect=True)
def test_a_killed_executor_is_told_and_its_report_completed(whole: tuple[Launched, str]) -> None:
    robot, _ = whole
    with pytest.raises(SaySoError, match="executor has ended") as error:
        kill_in_motion(*whole)
    assert error.value.code is Code.NODE_UNAVAILABLE
    report = max(robot.folder.rglob("report.json"), key=lambda path: path.stat().st_mtime)

    def completed() -> bool:
        return json.loads(report.read_text())["result"] is not None

    robot.graph.wait_until(completed, "the recorder completes the report")
    data = json.loads(report.read_text())
    assert data["result"]["code"] == "NODE_UNAVAILABLE" and data["plans"] and data["settings"]


def test_each_recorded_what_is_its_own(robots: Robots) -> None:
    """Last: ends both launches."""
    for name, robot in robots.items():
        robot.end()
        assert {t.split("/")[1] for t in recorded_topics(robot.folder / "bag")} == {name}
