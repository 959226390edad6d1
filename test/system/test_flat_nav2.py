"""A whole task over ROS whose free legs Nav2 leads: its stand-in beside the flat's launch file."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")
pytest.importorskip("nav2_msgs", reason="Nav2's interfaces are not built: ./check extras")

from sayso_ros.msg import GroundTruth

from sayso.core.errors import Code
from sayso.core.geometry import Pose
from sayso.core.scene import SceneObject
from sayso.evaluation.flat_run.tour import tour
from sayso.perception.flat_map import FlatMap
from sayso.ros.messages.conversions import object_from_msg
from sayso.ros.messages.qos import SENSOR
from sayso.worlds.flat import robot, scene_file
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.sensing import FlatNoise
from support.flat_scenes import item, room
from support.launched import Launched, launched
from support.nav2_double import Nav2Double

SCENE = room(
    item("sofa", "sofa", (5.5, 1.2, 0.0), math.pi, "red"),
    item("toy", "plush_toy", (4.6, 3.4, 0.0), 1.0),
    start=(0.9, 1.2, 0.0),
)
PLACES = tuple((x, y, k * math.tau / 6) for x, y in ((0.9, 1.2), (3.0, 2.0)) for k in range(6))
TASK = "Bring the plush toy to the sofa."


class Led:
    """The launched nodes with Nav2's stand-in, and FOR TESTS what truly is the case."""

    def __init__(self, nodes: Launched) -> None:
        self.nodes = nodes
        self.things: dict[str, SceneObject] = {}
        nodes.graph.tester.create_subscription(
            GroundTruth, "/world/ground_truth", self._take, SENSOR
        )
        nodes.graph.wait_until(lambda: self.things, "the truth is told")
        self.nav2 = nodes.graph.add(lambda **kw: Nav2Double(self.base, **kw))

    def base(self) -> Pose:
        """Nav2 localises itself, and here without an error."""
        pose = self.things[robot.BODY].pose
        return Pose((*pose.position[:2], 0.0), pose.orientation)

    def _take(self, message: GroundTruth) -> None:
        self.things = {o.name: object_from_msg(o) for o in message.objects}


@pytest.fixture
def led(tmp_path: Path) -> Iterator[Led]:
    run, house, scene = tmp_path / "run", tmp_path / "map", tmp_path / "scene.yaml"
    run.mkdir()
    scene.write_text(scene_file.to_yaml(SCENE))
    world = FlatWorld(SCENE, 1, FlatNoise())
    try:
        toured = tour(world, PLACES)
    finally:
        world.close()
    FlatMap(toured.mapper, toured.memory, [place[:2] for place in PLACES]).save(house)
    arguments = {"scene": str(scene), "map_folder": str(house), "navigator": "nav2"}
    with launched(run, "flat.launch.xml", **arguments) as nodes:
        yield Led(nodes)


def test_a_thing_is_brought_where_nav2_leads_the_free_legs(led: Led) -> None:
    result, events = led.nodes.perform(TASK)
    assert result.status.code == Code.OK.value, (result.status.message, led.nodes.log())
    assert led.nav2.goals
    assert set(led.nav2.ended) == {"succeed"}
    assert any("led by the navigator" in str(event) for event in events)
    toy, sofa = led.things["toy"], led.things["sofa"]
    assert np.hypot(*np.subtract(toy.position, sofa.position)[:2]) < 1.2
    drivers = led.nodes.graph.tester.get_publishers_info_by_topic("/cmd_vel")
    assert {d.node_name for d in drivers} == {"executor"}
