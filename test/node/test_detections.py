"""What perception sees, told in vision_msgs to nodes that know nothing of SaySo."""

from __future__ import annotations

import sys

import numpy as np
import pytest
from sayso_ros.msg import Scene as SceneMsg
from sayso_ros.srv import LookFor

from sayso.core.geometry import Pose
from sayso.core.scene import Scene
from sayso.ros.nodes.flat_perception_node import FlatPerceptionNode
from sayso.ros.nodes.perception_node import PerceptionNode
from sayso.ros.robot import detection_topics as topics
from support.fake_robot import CAMERAS, FakeRobot
from support.flat_frames import cat, seen, sofa, table
from support.synthetic_frames import block, plate, render

WORLD = (block("red", 0.45, 0.15), block("blue", 0.6, -0.2), plate(0.5, -0.05))


def test_without_the_package_perception_runs_and_tells_nothing_of_it(graph, monkeypatch) -> None:
    monkeypatch.setitem(sys.modules, "vision_msgs", None)
    monkeypatch.delitem(sys.modules, "sayso.ros.messages.detections", raising=False)
    node = graph.add(PerceptionNode)
    node._detections.tell(Scene(0.0, ()), ())
    told = dict(graph.tester.get_publisher_names_and_types_by_node("perception", "/"))
    assert not [name for name in told if topics.DETECTIONS in name]


def assert_told_how_sure(detection) -> None:
    covariance = detection.results[0].pose.covariance.reshape(6, 6)
    assert np.all(np.diag(covariance) > 0.0) and np.array_equal(covariance, covariance.T)


class TestWithThePackage:
    """Where vision_msgs is installed, or its interfaces are built: ./check extras."""

    @pytest.fixture(autouse=True)
    def messages(self):
        name = "vision_msgs.msg"
        return pytest.importorskip(name, reason="vision_msgs is not built: ./check extras")

    @pytest.fixture
    def told(self, graph, messages):
        """The newest detections in 3D, and of each camera in 2D, of the same things."""
        frames = [render(WORLD, camera) for camera in CAMERAS]
        graph.add(PerceptionNode)
        boxes = graph.listen(messages.Detection3DArray, "/detections")
        shown = {
            c: graph.listen(messages.Detection2DArray, f"/camera/{c}/detections") for c in CAMERAS
        }
        robot = FakeRobot(graph)
        robot.publish_transforms(frames)
        robot.wait_for_perception()
        stamps = iter(np.arange(100.0, 200.0, 0.1))
        timer = graph.tester.create_timer(0.1, lambda: robot.publish(frames, next(stamps)))
        seen = boxes.wait(lambda m: len(m.detections) == 3)
        in_2d = {c: inbox.wait(lambda m: len(m.detections) == 3) for c, inbox in shown.items()}
        timer.cancel()
        return seen, in_2d, frames

    def test_each_thing_that_is_seen_is_a_box_with_its_kind_and_name(self, told) -> None:
        seen, _, _ = told
        assert seen.header.frame_id == "world"
        by_id = {d.id: d for d in seen.detections}
        assert set(by_id) == {"red_block", "blue_block", "plate"}
        red = by_id["red_block"]
        (result,) = red.results
        assert result.hypothesis.class_id == "block"
        assert 0.0 < result.hypothesis.score <= 1.0
        p = red.bbox.center.position
        assert np.allclose((p.x, p.y, p.z), WORLD[0].position, atol=0.012)
        size = (red.bbox.size.x, red.bbox.size.y, red.bbox.size.z)
        assert np.allclose(size, WORLD[0].size, atol=0.015)
        assert red.header == seen.header
        for detection in seen.detections:
            assert_told_how_sure(detection)

    def test_each_picture_has_a_box_around_the_pixels_of_each_thing(self, told) -> None:
        _, in_2d, frames = told
        for frame in frames:
            message = in_2d[frame.camera]
            assert message.header.frame_id == f"{frame.camera}_optical_frame"
            for detection in message.detections:
                label = detection.id.replace("_", " ") if "_" in detection.id else "white plate"
                (number,) = (n for n, text in frame.instance_labels.items() if text == label)
                rows, columns = np.nonzero(frame.instances == number)
                box = detection.bbox
                edges = (
                    box.center.position.x - box.size_x / 2,
                    box.center.position.y - box.size_y / 2,
                    box.center.position.x + box.size_x / 2,
                    box.center.position.y + box.size_y / 2,
                )
                true = (columns.min(), rows.min(), columns.max(), rows.max())
                assert np.allclose(edges, true, atol=6.0), detection.id

    def test_a_hypothesis_in_a_picture_says_where_the_thing_is_for_the_camera(self, told) -> None:
        _, in_2d, frames = told
        for frame in frames:
            for detection in in_2d[frame.camera].detections:
                if detection.id == "plate":
                    continue
                at = detection.results[0].pose.pose.position
                true = frame.pose.inverse().transform(
                    np.array([next(s.position for s in WORLD if s.color in detection.id)])
                )[0]
                assert np.allclose((at.x, at.y, at.z), true, atol=0.02)


class TestOfAFlat:
    """The same topics of `flat_perception`, whose camera stands in the map."""

    THINGS = (sofa(3.6, -1.2), table(3.0, 0.9), cat(2.2, 0.0))

    @pytest.fixture(autouse=True)
    def messages(self):
        name = "vision_msgs.msg"
        return pytest.importorskip(name, reason="vision_msgs is not built: ./check extras")

    @pytest.fixture
    def told(self, graph, messages):
        frame = seen(self.THINGS)
        graph.add(FlatPerceptionNode, finder="simulator", cameras=["front"], self_filter="")
        boxes = graph.listen(messages.Detection3DArray, "/detections")
        shown = graph.listen(messages.Detection2DArray, "/camera/front/detections")
        scenes = graph.listen(SceneMsg, "/scene")
        robot = FakeRobot(graph, ["front"], scene="map")
        robot.publish_transforms([frame], base_link=Pose(), panda_link0=Pose((0.0, 0.0, 0.5)))
        robot.publish_labels(frame)
        robot.wait_for_perception(segmentation=True)
        stamps = iter(np.arange(100.0, 200.0, 0.2))
        timer = graph.tester.create_timer(0.2, lambda: robot.publish([frame], next(stamps)))
        scenes.wait()
        graph.call(LookFor, "/look_for", LookFor.Request(nouns=["sofa", "table", "cat"]))
        seen_3d = boxes.wait(lambda m: len(m.detections) == len(self.THINGS))
        seen_2d = shown.wait(lambda m: len(m.detections) == len(self.THINGS))
        timer.cancel()
        return seen_3d, seen_2d, frame

    def test_each_thing_is_a_box_in_the_map_with_its_kind_and_name(self, told) -> None:
        message, _, _ = told
        assert message.header.frame_id == "map"
        for detection in (*message.detections, *told[1].detections):
            assert_told_how_sure(detection)
        by_id = {d.id: d for d in message.detections}
        assert set(by_id) == {"blue_sofa", "brown_table", "orange_cat"}
        for thing in self.THINGS:
            detection = by_id[thing.label.replace(" ", "_")]
            assert detection.results[0].hypothesis.class_id == thing.label.split()[-1]
            p, size = detection.bbox.center.position, detection.bbox.size
            # From one place only the near sides show, so that a middle is nearer than it is.
            assert np.allclose((p.x, p.y), thing.position[:2], atol=max(thing.size[:2]) / 2)
            assert size.z == pytest.approx(thing.size[2], abs=0.06)

    def test_its_picture_has_a_box_around_the_pixels_of_each(self, told) -> None:
        _, message, frame = told
        assert message.header.frame_id == "front_optical_frame"
        numbers = {text: n for n, text in frame.instance_labels.items()}
        for detection in message.detections:
            number = numbers[detection.id.replace("_", " ")]
            rows, columns = np.nonzero(frame.instances == number)
            x, y = detection.bbox.center.position.x, detection.bbox.center.position.y
            true = ((columns.min() + columns.max()) / 2, (rows.min() + rows.max()) / 2)
            assert np.allclose((x, y), true, atol=8.0), detection.id
            depth = detection.results[0].pose.pose.position.z
            shown = np.median(frame.depth_m[rows, columns])
            assert depth == pytest.approx(shown, abs=0.6)
