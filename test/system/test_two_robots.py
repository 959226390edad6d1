"""Two robots in two namespaces of one ROS domain, each with a task of its own at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso.core.errors import Code
from sayso.ros.bags.rosbag import recorded_topics
from support.launched import launched_in
from support.ros_graph import free_domain

TASKS = {"left": "Put the red block on the plate.", "right": "Put the blue block on the plate."}
SHARED = {"/rosout", "/parameter_events", "/diagnostics"}


def test_each_performs_what_it_was_told(tmp_path: Path) -> None:
    for name in TASKS:
        (tmp_path / name).mkdir()
    given = {"segmenter": "simulator_segmentation", "noise": "false"}
    with (
        free_domain() as domain,
        launched_in(
            domain, tmp_path / "left", "demo.launch.xml", namespace="left", seed="1", **given
        ) as left,
        launched_in(
            domain, tmp_path / "right", "demo.launch.xml", namespace="right", seed="2", **given
        ) as right,
        ThreadPoolExecutor() as pool,
    ):
        topics = {n for n, _ in left.graph.tester.get_topic_names_and_types()} - SHARED
        running = {
            name: pool.submit(robot.perform, TASKS[name])
            for name, robot in (("left", left), ("right", right))
        }
        results = {name: task.result() for name, task in running.items()}
    assert all(topic.split("/")[1] in TASKS for topic in topics), "nothing is outside of both"
    for name, (result, events) in results.items():
        assert result.status.code == Code.OK, (name, result.status)
        assert result.run_folder == str(tmp_path / name)
        plan = next(e.plan for e in events if e.plan is not None)
        assert any(TASKS[name].split()[2] in str(a) for a in plan.actions), "its own task"
        assert {t.split("/")[1] for t in recorded_topics(tmp_path / name / "bag")} == {name}
