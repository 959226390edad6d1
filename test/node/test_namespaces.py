"""Whatever a robot's nodes offer or ask for is in their namespace, so that two robots can meet."""

from __future__ import annotations

from typing import Any

import pytest
from rclpy.node import Node
from sayso_ros.msg import Scene

from sayso.ros.bags.rosbag import BagWriter, read_bag, recorded_topics
from sayso.ros.messages.qos import LATCHED
from sayso.ros.nodes.automaton_node import AutomatonNode
from sayso.ros.nodes.console_node import ConsoleNode
from sayso.ros.nodes.executor_node import ExecutorNode
from sayso.ros.nodes.feedback_node import FeedbackNode
from sayso.ros.nodes.flat_perception_node import FlatPerceptionNode
from sayso.ros.nodes.flat_world_node import FlatWorldNode
from sayso.ros.nodes.interpreter_node import InterpreterNode
from sayso.ros.nodes.learner_node import LearnerNode
from sayso.ros.nodes.mapper_node import MapperNode
from sayso.ros.nodes.perception_node import PerceptionNode
from sayso.ros.nodes.planner_node import PlannerNode
from sayso.ros.nodes.recorder_node import RecorderNode
from sayso.ros.nodes.simulated_person_node import SimulatedPersonNode
from sayso.ros.nodes.world_node import WorldNode

OF_ROS = {"/tf", "/tf_static", "/clock", "/rosout", "/parameter_events"}
"""Absolute by convention: who wants them in a namespace remaps them, as the launch files do."""


def names(node: Node) -> set[str]:
    """Of all topics and services that a node has to do with, those of its actions included."""
    asked = (
        node.get_publisher_names_and_types_by_node,
        node.get_subscriber_names_and_types_by_node,
        node.get_service_names_and_types_by_node,
        node.get_client_names_and_types_by_node,
    )
    return {n for ask in asked for n, _ in ask(node.get_name(), node.get_namespace())}


@pytest.mark.parametrize(
    ("kind", "given"),
    [
        (AutomatonNode, {}),
        (ConsoleNode, {"port": 0}),
        (ExecutorNode, {}),
        (ExecutorNode, {"robot": "mobile_panda", "library": "flat", "laser": "scan"}),
        (FeedbackNode, {}),
        (FlatPerceptionNode, {"finder": "simulator"}),
        (FlatWorldNode, {"scene": "studio"}),
        (InterpreterNode, {"library": "flat", "look_for": True}),
        (LearnerNode, {}),
        (MapperNode, {}),
        (PerceptionNode, {}),
        (PlannerNode, {"library": "flat"}),
        (RecorderNode, {}),
        (SimulatedPersonNode, {}),
        (WorldNode, {}),
    ],
)
def test_all_names_are_in_the_namespace(
    graph: Any, tmp_path: Any, kind: Any, given: dict[str, Any]
) -> None:
    folders = {LearnerNode: "library", RecorderNode: "run_folder", FeedbackNode: "log_file",
               PlannerNode: "follow"}  # fmt: skip
    if kind in folders:
        given = {**given, folders[kind]: str(tmp_path / "there")}
    node = graph.add(lambda **of: kind(namespace="left", **of), **given)
    found = names(node)
    assert any(name.startswith("/left/") for name in found)
    assert {name for name in found if not name.startswith("/left/")} <= OF_ROS


def test_what_is_recorded_in_a_namespace_is_read_without_it(
    graph: Any, tmp_path: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: set[str] = set()
    write = BagWriter.write

    def note(self: BagWriter, topic: str, *rest: Any) -> None:
        write(self, topic, *rest)
        written.add(topic)

    monkeypatch.setattr(BagWriter, "write", note)
    for name in ("/left/scene", "/scene", "/right/scene"):
        graph.publisher(Scene, name, LATCHED, peers=0).publish(Scene())
    recorder = graph.add(
        lambda **of: RecorderNode(namespace="left", **of),
        run_folder=str(tmp_path), topics=["scene", "/scene"],
    )  # fmt: skip
    graph.wait_until(lambda: len(written) >= 2, "both are recorded")
    graph.remove(recorder)
    bag = tmp_path / "bag"
    assert recorded_topics(bag, "left") == {"/scene"}
    assert recorded_topics(bag) == {"/left/scene", "/scene"}
    assert [m.topic for m in read_bag(bag, {"/scene"}, "/left/")] == ["/scene"]
