"""Synthetic frames in over real topics; scenes, truths and answers out."""

from __future__ import annotations

import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from types import SimpleNamespace

import numpy as np
import pytest
from sayso_ros.msg import Scene, Status, SymbolicState
from sayso_ros.srv import DescribeScene, FindObject
from std_msgs.msg import String
from visualization_msgs.msg import Marker, MarkerArray

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import RgbdFrame
from sayso.core.predicates import symbolic_state
from sayso.core.scene import SceneObject
from sayso.ros.messages.conversions import (
    scene_from_msg,
    state_from_msg,
)
from sayso.ros.messages.qos import LATCHED
from sayso.ros.nodes.perception_node import PerceptionNode
from sayso.ros.runtime.libraries import load_library
from support.fake_robot import CAMERAS, FakeRobot
from support.synthetic_frames import block, plate, render

WAIT_S = 20.0
WORLD = (block("red", 0.45, 0.15), block("blue", 0.6, -0.2), plate(0.5, -0.05))


@pytest.fixture(scope="module")
def frames() -> list[RgbdFrame]:
    return [render(WORLD, camera) for camera in CAMERAS]


class Stream:
    """Publishes the frames again and again, each time with a later stamp."""

    def __init__(self, graph, robot: FakeRobot, frames: Sequence[RgbdFrame]) -> None:
        self.frames = list(frames)
        self._robot = robot
        self._lock = threading.Lock()
        self._stamp_s = 100.0
        self._timer = graph.tester.create_timer(0.1, self._tick)

    def _tick(self) -> None:
        with self._lock:
            self._stamp_s += 0.1
            self._robot.publish(self.frames, self._stamp_s)


def test_frames_become_a_scene_and_its_truths(graph, frames) -> None:
    graph.add(PerceptionNode)
    scenes, states = graph.listen(Scene, "/scene"), graph.listen(SymbolicState, "/symbolic_state")
    markers = graph.listen(MarkerArray, "/scene_markers")
    robot = FakeRobot(graph)
    robot.publish_transforms(frames)
    robot.wait_for_perception()
    Stream(graph, robot, frames)

    message = scenes.wait(lambda m: len(m.objects) == 3)

    assert message.source == "rgbd"
    scene = scene_from_msg(message)
    red = scene.by_name()["red_block"]
    assert np.allclose(red.position, WORLD[0].position, atol=0.012)
    assert scene.robot.gripper_width_m == pytest.approx(0.08)
    assert scene.robot.gripper.position[2] > 0.2

    state = state_from_msg(states.wait(lambda m: m.header.stamp == message.header.stamp))
    again = symbolic_state(scene, load_library("tabletop").predicates)
    assert state.truths == again.truths, "the truths are those of the scene as published"
    shown = markers.wait(lambda m: len(m.markers) == 7)
    assert {m.text for m in shown.markers if m.type == Marker.TEXT_VIEW_FACING} >= {"red_block"}


def test_rectified_cameras_on_topics_of_their_own(graph, frames) -> None:
    """Topics as stereo cameras have them, calibration with the raw lens in D and K."""
    graph.add(
        PerceptionNode,
        color_topics=["cameras/{camera}/rgb/image_rect"],
        depth_topics=["cameras/left/depth/registered", "cameras/right/depth/registered"],
        info_topics=["cameras/{camera}/rgb/info"],
        rectified=True,
    )
    scenes = graph.listen(Scene, "/scene")
    robot = FakeRobot(
        graph,
        color="/cameras/{}/rgb/image_rect",
        depth="/cameras/{}/depth/registered",
        info="/cameras/{}/rgb/info",
    )
    robot.raw_lens = [0.1, -0.2, 0.0, 0.0, 0.0]
    robot.publish_transforms(frames)
    robot.wait_for_perception()
    Stream(graph, robot, frames)
    message = scenes.wait(lambda m: len(m.objects) == 3)
    red = scene_from_msg(message).by_name()["red_block"]
    assert np.allclose(red.position, WORLD[0].position, atol=0.012)


def test_topics_that_do_not_fit_the_cameras_are_refused(graph) -> None:
    with pytest.raises(SaySoError, match="depth_topics has 3 topics for 2 cameras") as error:
        graph.add(PerceptionNode, depth_topics=["a", "b", "c"])
    assert error.value.code is Code.CONFIG


def test_questions_about_the_scene_are_answered(graph, frames) -> None:
    graph.add(PerceptionNode)
    scenes = graph.listen(Scene, "/scene")
    robot = FakeRobot(graph)
    robot.publish_transforms(frames)
    robot.wait_for_perception()
    Stream(graph, robot, frames)
    scenes.wait(lambda m: len(m.objects) == 3)
    late = graph.listen(String, "/scene_graph", LATCHED)
    assert late.wait(lambda m: m.data.count("red_block") >= 1)

    told = graph.call(DescribeScene, "/describe_scene", DescribeScene.Request())
    assert told.status.code == Status.OK
    assert "red_block" in told.text and len(told.scene.objects) == 3

    def find(words: str):
        return graph.call(FindObject, "/find_object", FindObject.Request(referent=words))

    assert [o.name for o in find("red_block").objects] == ["red_block"]
    assert [o.name for o in find("the block left of the plate").objects] == ["red_block"]
    missing, unclear = find("the bowl"), find("frobnicate quickly the")
    assert missing.status.code == Status.UNKNOWN_OBJECT
    assert "plate" in missing.status.choices
    assert unclear.status.code == Status.NOT_UNDERSTOOD
    assert unclear.status.span_start >= 0


def test_a_question_waits_for_frames_that_come_late(graph, frames) -> None:
    node = graph.add(PerceptionNode, silent_s=WAIT_S, camera_period_s=0.1)
    scenes = graph.listen(Scene, "/scene")
    robot = FakeRobot(graph)
    robot.publish_transforms(frames)
    robot.wait_for_perception()
    stream = Stream(graph, robot, frames)
    scenes.wait()
    stream.frames = frames[:1]
    graph.wait_until(lambda: "right" in node.silent, "the silence is noticed")
    with ThreadPoolExecutor(1) as pool:
        request = DescribeScene.Request()
        asked = pool.submit(graph.call, DescribeScene, "/describe_scene", request)
        stream.frames = list(frames)
        assert asked.result().status.code == Status.OK


def test_a_silent_camera_stops_the_scene_and_its_return_resumes_it(graph, frames) -> None:
    node = graph.add(PerceptionNode, silent_s=0.8)
    scenes = graph.listen(Scene, "/scene")
    robot = FakeRobot(graph)
    robot.publish_transforms(frames)
    robot.wait_for_perception()
    stream = Stream(graph, robot, frames)
    scenes.wait()

    stream.frames = frames[:1]
    graph.wait_until(lambda: "right" in node.silent, "the silence is noticed")
    asked = graph.call(DescribeScene, "/describe_scene", DescribeScene.Request()).status
    assert asked.code == Status.STALE
    assert "right" in asked.message and "no color" in asked.message
    assert "left" not in node.silent

    scenes.clear()
    stream.frames = list(frames)
    scenes.wait()
    graph.wait_until(lambda: not node.silent, "the return is noticed")


def test_without_transforms_it_says_what_is_missing_and_goes_on(graph, frames) -> None:
    graph.add(PerceptionNode)
    scenes = graph.listen(Scene, "/scene")
    robot = FakeRobot(graph)
    robot.wait_for_perception()
    Stream(graph, robot, frames)

    def why() -> str:
        return graph.call(DescribeScene, "/describe_scene", DescribeScene.Request()).status.message

    deadline = time.monotonic() + WAIT_S
    while "left_optical_frame" not in why():
        assert time.monotonic() < deadline, why()
    assert not scenes.messages
    robot.publish_transforms(frames)
    scenes.wait()


def test_an_unknown_segmenter_is_refused_with_the_known_ones(graph) -> None:
    with pytest.raises(SaySoError) as caught:
        graph.add(PerceptionNode, segmenter="magic")
    assert caught.value.code is Code.CONFIG
    assert {"rgbd", "simulator_segmentation"} <= set(caught.value.choices)


def test_the_simulators_own_segmentation_is_labelled_as_such(graph, frames) -> None:
    assert all(f.instances is not None for f in frames)
    graph.add(PerceptionNode, segmenter="simulator_segmentation")
    scenes = graph.listen(Scene, "/scene")
    robot = FakeRobot(graph)
    robot.publish_transforms(frames)
    robot.publish_labels(frames[0])
    robot.wait_for_perception(segmentation=True)
    Stream(graph, robot, frames)
    message = scenes.wait(lambda m: len(m.objects) == 3)
    assert message.source == "simulator_segmentation"


def test_an_appearance_table_of_ones_own_says_what_things_are(graph, frames, tmp_path) -> None:
    table = tmp_path / "mine.yaml"
    table.write_text(
        "categories:\n  die:\n    shape: cube\n    length_m: [0.03, 0.06]\n"
        "    height_m: [0.03, 0.06]\n    named_by_color: true\n"
    )
    graph.add(PerceptionNode, appearances=str(table))
    scenes = graph.listen(Scene, "/scene")
    robot = FakeRobot(graph)
    robot.publish_transforms(frames)
    robot.wait_for_perception()
    Stream(graph, robot, frames)
    scene = scenes.wait(lambda m: any(o.category == "die" for o in m.objects))
    assert not any(o.category == "block" for o in scene.objects)


def test_an_appearance_table_that_is_none_is_refused(graph, tmp_path) -> None:
    with pytest.raises(SaySoError, match=r"nowhere\.yaml") as error:
        graph.add(PerceptionNode, appearances=str(tmp_path / "nowhere.yaml"))
    assert error.value.code is Code.CONFIG


class OutsideSegmenter:
    """Of an outside package: it takes no table of appearances."""

    def objects(self, frame: RgbdFrame) -> tuple[SceneObject, ...]:
        return ()


def test_an_outside_segmenter_needs_no_table_of_appearances(graph, tmp_path, monkeypatch) -> None:
    outside = SimpleNamespace(name="outside", load=lambda: OutsideSegmenter)

    def entry_points(group: str, name: str = "outside"):
        return [outside] if (group, name) == ("sayso.segmenter", "outside") else []

    monkeypatch.setattr(registry, "entry_points", entry_points)
    table = tmp_path / "mine.yaml"
    table.write_text(
        "categories: {die: {shape: cube, length_m: [0.03, 0.06], height_m: [0.03, 0.06]}}\n"
    )
    assert graph.add(PerceptionNode, segmenter="outside", appearances=str(table))
