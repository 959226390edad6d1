"""What a node says about itself while it runs."""

from __future__ import annotations

import logging
import os
import subprocess
import sys
from xml.etree import ElementTree

import pytest
from diagnostic_msgs.msg import DiagnosticArray, DiagnosticStatus
from rcl_interfaces.srv import SetParameters
from rclpy.node import Node
from rclpy.parameter import Parameter
from std_msgs.msg import String

from sayso.ros.messages.qos import LATCHED
from sayso.ros.nodes.world_node import WorldNode
from sayso.ros.runtime import diagnostics
from sayso.ros.runtime.diagnostics import TroubleNoted, tell_diagnostics


def test_the_worst_of_late_is_told_and_then_forgotten() -> None:
    noted = TroubleNoted()
    logger = logging.Logger("test")
    logger.addHandler(noted)
    logger.info("fine")
    assert noted.status(0.0).level == DiagnosticStatus.OK
    logger.error("the camera\nis gone")
    logger.warning("slow")
    now_s = max(trouble.stamp_s for trouble in noted._newest.values())
    status = noted.status(now_s)
    assert (status.level, status.message) == (DiagnosticStatus.ERROR, "the camera")
    assert {v.key: v.value for v in status.values} == {
        "warnings since it began": "1", "errors since it began": "1",
    }  # fmt: skip
    assert noted.status(now_s + 2 * diagnostics.LASTING_S).level == DiagnosticStatus.OK


def test_a_running_node_is_on_the_topic(graph) -> None:
    told = graph.listen(DiagnosticArray, "/diagnostics")
    process = subprocess.Popen(
        [sys.executable, "-c", "from sayso.ros.nodes.automaton_node import main; main()",
         "--ros-args", "-r", "__ns:=/left"],
        env={**os.environ, "ROS_DOMAIN_ID": str(graph.domain)},
    )  # fmt: skip
    try:
        (status,) = told.wait().status
    finally:
        process.terminate()
        process.wait(20)
    assert status.name == "/left/automaton: sayso"
    assert status.level == DiagnosticStatus.OK


def test_it_goes_on_while_simulated_time_stands_still(graph, monkeypatch) -> None:
    monkeypatch.setattr(diagnostics, "PERIOD_S", 0.02)
    told = graph.listen(DiagnosticArray, "/diagnostics")
    tell_diagnostics(graph.add(Node, "still", use_sim_time=True), TroubleNoted())
    assert told.wait().status[0].name == "/still: sayso"


@pytest.fixture
def world(graph) -> Node:
    return graph.add(WorldNode, camera_rate_hz=0.0, wrist_rate_hz=0.0)


def test_the_robot_describes_itself_to_who_comes_later(graph, world) -> None:
    text = graph.listen(String, "/robot_description", LATCHED).wait().data
    root = ElementTree.fromstring(text)
    assert root.tag == "robot"
    names = {joint.attrib["name"] for joint in root.iter("joint")}
    assert {"panda_joint1", "panda_finger_joint2"} <= names


def test_what_may_change_while_it_runs_and_what_may_not(graph, world) -> None:
    def set_to(name: str, value: object) -> tuple[bool, str]:
        request = SetParameters.Request(
            parameters=[Parameter(name, value=value).to_parameter_msg()]
        )
        (result,) = graph.call(SetParameters, "/world/set_parameters", request).results
        return result.successful, result.reason

    assert set_to("real_time_factor", 2.5) == (True, "")
    graph.wait_until(lambda: world._pacer._factor == 2.5, "the pace is another")
    assert not set_to("real_time_factor", 1000.0)[0]
    refused, why = set_to("seed", 7)
    assert not refused and "seed" in why
