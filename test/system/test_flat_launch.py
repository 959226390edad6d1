"""The flat's launch file end to end: a mapping tour, then a task with a "never"."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso_ros.msg import GroundTruth

from sayso.adapters.sim.flat import robot
from sayso.core.errors import Code
from sayso.perception.flat_map import has_map
from sayso.planning.navigation.nearness import NEAR_M, Footprint
from sayso.ros.conversions import object_from_msg
from sayso.ros.qos import SENSOR
from support.launched import launched

TASK = "Go to the white table. Never go near the cat."


class Nearness:
    """FOR TESTS: how near the robot really was to things, as the simulator publishes it."""

    def __init__(self, nodes, name) -> None:
        self.least_m, self.last_m, self._name = float("inf"), {}, name
        nodes.graph.tester.create_subscription(
            GroundTruth, "/world/ground_truth", self._take, SENSOR
        )

    def _take(self, message) -> None:
        things = {o.name: object_from_msg(o) for o in message.objects}
        x, y, _ = (np.array([v]) for v in things[robot.BODY].position)
        for name, thing in things.items():
            self.last_m[name] = float(Footprint.of(thing).distance_m(x, y)[0])
        self.least_m = min(self.least_m, self.last_m[self._name])


def test_a_flat_is_mapped_and_a_task_carried_out_in_it(tmp_path: Path) -> None:
    run, house = tmp_path / "run", tmp_path / "map"
    run.mkdir()
    arguments = {"scene": "studio", "map_folder": str(house)}
    with launched(run, "flat.launch.xml", **arguments) as nodes:
        mapped = nodes.client.map_flat("", lambda _: None, 300.0)
        assert mapped.status.code == Code.OK.value, (mapped.status.message, nodes.log())
        assert mapped.whole and has_map(house)
        assert mapped.frames > 10

        near = Nearness(nodes, "cat_1")
        nodes.graph.wait_until(lambda: "cat_1" in near.last_m, "the truth is told")
        begun_near = near.last_m["cat_1"] <= NEAR_M  # the mapping tour ends where it ends
        result, _ = nodes.perform(TASK)
        if begun_near:
            assert result.status.code == Code.VIOLATED.value
            return
        assert result.status.code == Code.OK.value, (result.status.message, nodes.log())
        assert near.last_m["white_table"] <= NEAR_M
        assert near.least_m > NEAR_M, "it came near the cat"
    report = json.loads((run / "report.json").read_text())
    pictures = [p["file"] for p in report["pictures"]]
    assert "tour_1/leg_1.png" in pictures
    assert all((run / p).stat().st_size for p in pictures)
    assert (run / "automaton.svg").exists()
