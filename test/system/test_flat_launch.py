"""The flat's launch file end to end, with a map made before: tasks while the flat changes.

A cat comes into the way, a door is shut: through the world's own services, as
they happen to a robot that is under way. The demo's test makes the mapping tour over ROS.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from geometry_msgs.msg import Point
from sayso_ros.action import PerformTask
from sayso_ros.msg import GroundTruth
from sayso_ros.srv import PerturbWorld
from std_srvs.srv import SetBool

from sayso.core import library
from sayso.core.errors import Code
from sayso.core.scene import SceneObject
from sayso.evaluation.flat_run.tour import tour
from sayso.logic.progression import Verdict
from sayso.perception.flat_map import FlatMap
from sayso.planning.navigation.nearness import NEAR_M, Footprint
from sayso.ros.bags.replay import reevaluate
from sayso.ros.messages.conversions import object_from_msg
from sayso.ros.messages.qos import SENSOR
from sayso.skills.poses import yaw_of
from sayso.worlds.flat import robot, scene_file
from sayso.worlds.flat.flat_world import FlatWorld
from sayso.worlds.flat.scene import Door, FlatScene, Room, Wall
from sayso.worlds.flat.sensing import FlatNoise
from support.flat_scenes import item
from support.launched import Launched, launched

START = (1.2, 3.6, 0.0)
"""Beside the brown table, far from the white one."""
PLACES = tuple(
    (x, y, k * math.tau / 6)
    for x, y in ((1.2, 1.7), (3.2, 3.6), (5.0, 1.6), (7.8, 1.7))
    for k in range(6)
)
"""Where frames for the map are taken: (x, y) [m], yaw [rad]."""
CAT = "Go to the white table. Never go near the cat."
SHUT = "Go to the bookshelf."
OPEN = "Open the door."
AWAY = "Go to the brown table."
UNDER_WAY_M, AHEAD_M = 0.5, 3.2
"""Once the robot has gone so far, the cat sits so far before it."""
DRIVE_S = 120.0


def with_a_closet() -> FlatScene:
    """The studio with a door in its east wall, and a bookshelf behind it."""
    studio = scene_file.fixed("studio")
    east = Wall((6.5, 0.0), (6.5, 5.5))
    corners = ((6.5, 0.2), (9.0, 0.2), (9.0, 3.2), (6.5, 3.2))
    around = tuple(Wall(a, b) for a, b in pairwise(corners))
    closet = Room("closet", (6.5, 0.2), (9.0, 3.2))
    door = Door("closet_door", "door", "wooden", (6.5, 1.5), math.pi / 2, 2.0, "sliding", 1.0)
    return replace(
        studio,
        name="studio_with_closet",
        start=START,
        rooms=(*studio.rooms, closet),
        walls=(*(w for w in studio.walls if w != east), east, *around),
        doors=(door,),
        items=(*(i for i in studio.items if i.name != "plant"),
               item("bookshelf", "bookshelf", (8.8, 1.7, 0.0), math.pi)),
    ).check()  # fmt: skip


def map_of(scene: FlatScene, folder: Path) -> None:
    """Keep a map with the frames that it is made from."""
    world = FlatWorld(scene, 1, FlatNoise())
    try:
        toured = tour(world, PLACES)
    finally:
        world.close()
    FlatMap(toured.mapper, toured.memory, [place[:2] for place in PLACES]).save(folder)


class Truth:
    """FOR TESTS: where things really are, as the simulator publishes it."""

    def __init__(self, nodes: Launched) -> None:
        self.things: dict[str, SceneObject] = {}
        self.least_m = float("inf")
        nodes.graph.tester.create_subscription(
            GroundTruth, "/world/ground_truth", self._take, SENSOR
        )
        nodes.graph.wait_until(lambda: self.things, "the truth is told")

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

    def _take(self, message: GroundTruth) -> None:
        self.things = {o.name: object_from_msg(o) for o in message.objects}
        self.least_m = min(self.least_m, self.apart_m("cat_1"))


class Flat:
    """The launched nodes, with what truly is the case."""

    def __init__(self, nodes: Launched) -> None:
        self.nodes = nodes
        self.truth = Truth(nodes)

    def perform(self, instruction: str, change: Callable[[], None]) -> PerformTask.Result:
        """Perform; make the change once the robot is under way."""
        start = self.truth.place
        with ThreadPoolExecutor(1) as pool:
            task = pool.submit(self.nodes.perform, instruction)
            self.nodes.graph.wait_until(
                lambda: task.done() or np.linalg.norm(self.truth.place - start) > UNDER_WAY_M,
                "the robot is under way",
                DRIVE_S,
            )
            went_m = np.linalg.norm(self.truth.place - start)
            assert not task.done(), f"it ended before more was seen than {went_m:.2f} m of its way"
            change()
            return task.result()[0]

    def be_away_from(self, thing: str) -> None:
        """Where an earlier try of a test ended there, its way would be none."""
        if self.truth.apart_m(thing) <= NEAR_M:
            result, _ = self.nodes.perform(AWAY)
            assert result.status.code == Code.OK.value, result.status
            self.nodes.graph.wait_until(
                lambda: self.truth.apart_m(thing) > NEAR_M, "the robot is somewhere else"
            )

    def move(self, name: str, x: float, y: float, z: float = 0.0) -> None:
        self.nodes.perturb(PerturbWorld.Request.MOVE, name, Point(x=x, y=y, z=z))

    def turn_door(self, name: str, opened: bool) -> None:
        request = SetBool.Request(data=opened)
        answer = self.nodes.graph.call(SetBool, f"/world/doors/{name}", request)
        assert answer.success, answer.message


@pytest.fixture(scope="module")
def flat(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Flat]:
    folder = tmp_path_factory.mktemp("flat")
    run, house, scene = folder / "run", folder / "map", folder / "scene.yaml"
    run.mkdir()
    scene.write_text(scene_file.to_yaml(with_a_closet()))
    map_of(with_a_closet(), house)
    arguments = {"scene": str(scene), "map_folder": str(house)}
    with launched(run, "flat.launch.xml", **arguments) as nodes:
        yield Flat(nodes)


def told(flat: Flat, result: PerformTask.Result) -> tuple[str, str]:
    return result.status.message, flat.nodes.log()


def test_a_cat_that_comes_into_the_way_is_kept_off(flat: Flat) -> None:
    flat.be_away_from("white_table")
    result = flat.perform(CAT, lambda: flat.move("cat_1", *flat.truth.ahead(AHEAD_M)))
    assert result.status.code == Code.OK.value, told(flat, result)
    assert flat.truth.apart_m("white_table") <= NEAR_M
    assert flat.truth.least_m > NEAR_M, "it came near the cat"


def test_the_only_door_that_shuts_on_the_way_keeps_nobody_out(flat: Flat) -> None:
    """It is opened again, unless the robot was through already."""
    flat.move("cat_1", 6.0, 5.0)
    flat.be_away_from("bookshelf")
    result = flat.perform(SHUT, lambda: flat.turn_door("closet_door", False))
    assert result.status.code == Code.OK.value, told(flat, result)
    assert flat.truth.apart_m("bookshelf") <= NEAR_M


def test_the_building_opens_a_door_that_it_is_asked_to(flat: Flat) -> None:
    flat.turn_door("closet_door", False)
    result, _ = flat.nodes.perform(OPEN)
    assert result.status.code == Code.OK.value, told(flat, result)
    assert flat.truth.things["closet_door"].attributes == {"open_share": 1.0}


def test_all_is_recorded_whole_and_was_truly_so(flat: Flat) -> None:
    """Last: ends the launch as Ctrl-C does."""
    assert flat.nodes.end() == 0, flat.nodes.log()
    run = flat.nodes.folder
    report = json.loads((run / "report.json").read_text())
    pictures = [p["file"] for p in report["pictures"]]
    assert "tour_1/leg_1.png" in pictures
    assert all((run / p).stat().st_size for p in pictures)
    assert (run / "automaton.svg").exists()
    judged = reevaluate(run / "bag", library.load(library.builtin_path("flat")))
    assert judged.same
    truly = {t.instruction: t.truly.verdict for t in judged.tasks}
    assert truly[CAT] is truly[SHUT] is truly[OPEN] is Verdict.SATISFIED
