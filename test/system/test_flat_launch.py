"""The flat's launch file end to end: a mapping tour, then a task with a "never" that moves."""

from __future__ import annotations

import json
import math
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from geometry_msgs.msg import Point
from sayso_ros.msg import GroundTruth
from sayso_ros.srv import PerturbWorld

from sayso.adapters.sim.flat import robot
from sayso.core.errors import Code
from sayso.core.scene import SceneObject
from sayso.perception.flat_map import has_map
from sayso.planning.navigation.nearness import NEAR_M, Footprint
from sayso.ros.conversions import object_from_msg
from sayso.ros.qos import SENSOR
from sayso.skills.poses import yaw_of
from support.launched import launched

FIRST = "Go to the brown table."
TASK = "Go to the white table. Never go near the cat."
UNDER_WAY_M, AHEAD_M = 0.5, 2.5
"""Once the robot has gone so far, the cat sits so far before it."""
DRIVE_S = 120.0


class Truth:
    """FOR TESTS: where things really are, as the simulator publishes it."""

    def __init__(self, nodes) -> None:
        self.things: dict[str, SceneObject] = {}
        self.least_m = float("inf")
        nodes.graph.tester.create_subscription(
            GroundTruth, "/world/ground_truth", self._take, SENSOR
        )

    @property
    def place(self):
        return np.array(self.things[robot.BODY].position[:2])

    def apart_m(self, name: str) -> float:
        """From the middle of the base to a thing's outline."""
        x, y = (np.array([v]) for v in self.place)
        return float(Footprint.of(self.things[name]).distance_m(x, y)[0])

    def ahead(self, way_m: float) -> tuple[float, float]:
        yaw = yaw_of(self.things[robot.BODY].pose)
        x, y = self.place + way_m * np.array([math.cos(yaw), math.sin(yaw)])
        return float(x), float(y)

    def _take(self, message) -> None:
        self.things = {o.name: object_from_msg(o) for o in message.objects}
        self.least_m = min(self.least_m, self.apart_m("cat_1"))


def test_a_flat_is_mapped_and_a_cat_that_comes_into_the_way_kept_off(tmp_path: Path) -> None:
    run, house = tmp_path / "run", tmp_path / "map"
    run.mkdir()
    arguments = {"scene": "studio", "map_folder": str(house)}
    with launched(run, "flat.launch.xml", **arguments) as nodes, ThreadPoolExecutor(1) as pool:
        mapped = nodes.client.map_flat("", lambda _: None, 300.0)
        assert mapped.status.code == Code.OK.value, (mapped.status.message, nodes.log())
        assert mapped.whole and has_map(house)
        assert mapped.frames > 10

        result, _ = nodes.perform(FIRST)  # the mapping tour ends where it ends
        assert result.status.code in (Code.OK.value, Code.ALREADY_SATISFIED.value)
        truth = Truth(nodes)
        nodes.graph.wait_until(lambda: truth.things, "the truth is told")
        start = truth.place
        task = pool.submit(nodes.perform, TASK)
        nodes.graph.wait_until(
            lambda: task.done() or np.linalg.norm(truth.place - start) > UNDER_WAY_M,
            "the robot is under way",
            DRIVE_S,
        )
        assert not task.done(), task.result()
        x, y = truth.ahead(AHEAD_M)
        nodes.perturb(PerturbWorld.Request.MOVE, "cat_1", Point(x=x, y=y, z=0.0))
        result, _ = task.result()
        assert result.status.code == Code.OK.value, (result.status.message, nodes.log())
        assert truth.apart_m("white_table") <= NEAR_M
        assert truth.least_m > NEAR_M, "it came near the cat"
    report = json.loads((run / "report.json").read_text())
    pictures = [p["file"] for p in report["pictures"]]
    assert {"referents.png", "tour_1/leg_1.png"} <= set(pictures)
    assert all((run / p).stat().st_size for p in pictures)
    assert (run / "automaton.svg").exists()
