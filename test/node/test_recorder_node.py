"""A bag holds what was published, unchanged, however the recorder ends."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from rclpy.qos import QoSProfile, ReliabilityPolicy
from rclpy.serialization import serialize_message
from rosbags.rosbag2 import StoragePlugin, Writer
from rosbags.typesys import Stores, get_types_from_msg, get_typestore
from sayso_ros.msg import Feedback, Scene, SceneObject, TaskEvent, TaskProgress
from sensor_msgs.msg import JointState
from std_msgs.msg import String

from sayso.core.errors import Code, SaySoError
from sayso.logic.specification import Specification
from sayso.logic.text import parse
from sayso.ros.bags import rosbag
from sayso.ros.bags.rosbag import read_bag
from sayso.ros.messages.conversions import scene_from_msg, time_to_msg
from sayso.ros.messages.qos import EVENTS, LATCHED
from sayso.ros.messages.specifications import specification_from_msg
from sayso.ros.nodes.recorder_node import TOPICS, RecorderNode, bag_folder, wanted

SENSOR = QoSProfile(depth=10, reliability=ReliabilityPolicy.BEST_EFFORT)


def test_every_kind_of_topic_arrives_whole(graph, tmp_path: Path) -> None:
    late = graph.tester.create_publisher(TaskProgress, "/task_progress", LATCHED)
    late.publish(TaskProgress(task_id="before the recorder"))
    recorder = graph.add(RecorderNode, run_folder=str(tmp_path), look_period_s=0.05)
    scenes = graph.publisher(Scene, "/scene")
    joints = graph.publisher(JointState, "/joint_states", SENSOR)
    graph.wait_until(lambda: reads(recorder, "/joint_states"), "the joints can be received")
    points = [0.25, -1.0, 3.5]
    for i in range(20):
        scenes.publish(Scene(objects=[SceneObject(name=f"block_{i}", points=points)]))
        joints.publish(JointState(name=["panda_joint1"], position=[i / 8]))
        assert scenes.wait_for_all_acked()
    other = graph.tester.create_publisher(String, "/not/wanted", 10)
    other.publish(String(data="no"))
    last = graph.publisher(Feedback, "/feedback")
    last.publish(Feedback(text="the end"))
    assert last.wait_for_all_acked()
    graph.wait_until(lambda: "/task_progress" in recorder.recorded, "progress is recorded")
    graph.executor.remove_node(recorder)
    graph.executor.wake()
    recorder.destroy_node()

    bag = list(read_bag(tmp_path / "bag"))
    names = [m.message.objects[0].name for m in bag if m.topic == "/scene"]
    assert names == [f"block_{i}" for i in range(20)]
    assert list(next(m for m in bag if m.topic == "/scene").message.objects[0].points) == points
    assert {m.topic for m in bag} == {"/task_progress", "/scene", "/joint_states", "/feedback"}
    stamps = [m.stamp_ns for m in bag]
    assert stamps == sorted(stamps)


def reads(recorder: RecorderNode, topic: str) -> bool:
    """Whether its reader knows the writer: what is best-effort is lost before."""
    readers = [s for s in recorder.subscriptions if s.topic_name == topic]
    return any(s.get_publisher_count() for s in readers)


def publish_until_recorded(graph, count: int) -> None:
    publisher = graph.publisher(Feedback, "/feedback", QoSProfile(depth=count))
    for i in range(count):
        publisher.publish(Feedback(text=str(i), stamp=time_to_msg(float(i))))
    assert publisher.wait_for_all_acked()


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_a_signal_ends_it_with_a_whole_bag(graph, tmp_path: Path, number: int) -> None:
    folder = tmp_path / "bag"
    command = (
        "from sayso.ros.nodes import recorder_node as r; r.main()",
        "--ros-args", "-p", f"run_folder:={tmp_path}", "-p", "look_period_s:=0.05",
    )  # fmt: skip
    environment = {**os.environ, "ROS_DOMAIN_ID": str(graph.domain)}
    process = subprocess.Popen([sys.executable, "-c", *command], env=environment)
    try:
        publish_until_recorded(graph, 50)
        process.send_signal(number)
        process.send_signal(number)  # an impatient person: closing must not be interrupted
        assert process.wait(timeout=20) == 0
    finally:
        process.kill()

    assert (folder / "metadata.yaml").exists()
    texts = [m.message.text for m in read_bag(folder)]
    assert texts == [str(i) for i in range(50)], "also what had arrived and nobody had looked at"


def test_an_existing_folder_is_never_overwritten(graph, tmp_path: Path) -> None:
    (tmp_path / "bag").mkdir()
    with pytest.raises(SaySoError) as caught:
        graph.add(RecorderNode, run_folder=str(tmp_path))
    assert caught.value.code is Code.CONFIG


def test_patterns_take_compressed_images_and_leave_raw_ones() -> None:
    assert wanted("/camera/left/color/image_raw/compressed", TOPICS)
    assert wanted("/camera/wrist/color/camera_info", TOPICS)
    assert not wanted("/camera/left/color/image_raw", TOPICS)
    assert not wanted("/camera/left/depth/image_raw", TOPICS)
    assert not wanted("/world/segmentation/left", TOPICS)


def test_what_a_killed_recorder_had_written_is_read(graph, tmp_path: Path) -> None:
    folder = tmp_path / "bag"
    command = (
        "from sayso.ros.bags import rosbag; from sayso.ros.nodes import recorder_node; "
        "rosbag.CHUNK_S = 0.05; recorder_node.main()",
        "--ros-args", "-p", f"run_folder:={tmp_path}", "-p", "look_period_s:=0.05",
    )  # fmt: skip
    environment = {**os.environ, "ROS_DOMAIN_ID": str(graph.domain)}
    process = subprocess.Popen([sys.executable, "-c", *command], env=environment)

    def texts() -> list[str]:
        try:
            return [m.message.text for m in read_bag(folder, {"/feedback"})]
        except SaySoError:  # nothing is on the disk yet
            return []

    try:
        publish_until_recorded(graph, 50)
        graph.wait_until(lambda: texts()[-1:] == ["49"], "all are on the disk")
    finally:
        process.kill()
        process.wait()
    assert not (folder / "metadata.yaml").exists()
    assert texts() == [str(i) for i in range(50)]


def test_a_torn_bag_is_read_to_its_last_whole_chunk(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.setattr(rosbag, "CHUNK_S", 0.0)
    with rosbag.BagWriter(tmp_path / "bag") as writer:
        for number in range(20):
            data = bytes(serialize_message(Feedback(text=str(number))))
            writer.write("/feedback", "sayso_ros/msg/Feedback", number, data)
    (file,) = (tmp_path / "bag").glob("*.mcap")
    whole, torn = file.read_bytes(), tmp_path / "torn"
    torn.mkdir()
    counts = []
    for size in range(100, len(whole), 97):
        (torn / "torn.mcap").write_bytes(whole[:size])
        texts = [m.message.text for m in read_bag(torn)]
        assert texts == [str(i) for i in range(len(texts))]
        counts.append(len(texts))
    assert counts == sorted(counts) and counts[0] == 0 and counts[-1] == 20


def test_the_bag_of_a_run_is_read_by_the_name_of_its_folder_torn_or_whole(tmp_path: Path) -> None:
    with rosbag.BagWriter(tmp_path / "run" / "bag") as writer:
        writer.write(
            "/feedback", "sayso_ros/msg/Feedback", 0, bytes(serialize_message(Feedback(text="a")))
        )
    assert [m.message.text for m in read_bag(tmp_path / "run")] == ["a"]
    (tmp_path / "run" / "bag" / "metadata.yaml").unlink()
    assert [m.message.text for m in read_bag(tmp_path / "run")] == ["a"]


def test_what_was_recorded_before_a_type_grew_is_read_with_what_it_says_nothing_of_empty(
    tmp_path: Path,
) -> None:
    package, older = "sayso_ros/msg/", get_typestore(Stores.ROS2_JAZZY)
    spec = "string instruction\nstring formula\nstring source\nuint32 version\nstring outdated\n"
    older.register(get_types_from_msg(spec, f"{package}Specification"))
    older.register(get_types_from_msg("Specification specification\n", f"{package}TaskEvent"))
    older.register(get_types_from_msg("string name\nstring category\n", f"{package}SceneObject"))
    older.register(get_types_from_msg("SceneObject[] objects\n", f"{package}Scene"))
    types = {name.removeprefix(package): made for name, made in older.types.items()}
    said = types["Specification"]("Open it.", "F(open(drawer))", "person", 2, "")
    things = [types["SceneObject"](name, "block") for name in ("a", "b")]
    recorded = {"TaskEvent": types["TaskEvent"](said), "Scene": types["Scene"](things)}
    with Writer(tmp_path / "bag", version=9, storage_plugin=StoragePlugin.MCAP) as writer:
        for number, (name, message) in enumerate(recorded.items()):
            connection = writer.add_connection(f"/{name}", package + name, typestore=older)
            writer.write(connection, number, older.serialize_cdr(message, package + name))
    event, scene = (m.message for m in read_bag(tmp_path / "bag"))
    assert not hasattr(event.specification, "outdated")
    assert specification_from_msg(event.specification) == Specification(
        "Open it.", parse("F(open(drawer))"), "person", 2
    )
    assert [(o.name, o.living, o.attributes) for o in scene_from_msg(scene).objects] == [
        ("a", False, {}), ("b", False, {}),
    ]  # fmt: skip


def test_a_folder_without_a_bag_is_named_so(tmp_path: Path) -> None:
    (tmp_path / "torn").mkdir()
    with pytest.raises(SaySoError) as caught:
        list(read_bag(tmp_path / "torn"))
    assert caught.value.code is Code.CORRUPT


def test_the_report_of_an_executor_that_ended_is_completed(graph, tmp_path: Path) -> None:
    """In a process of its own, as it is launched: its end is told by the middleware."""
    command = (
        "import rclpy; from sayso.ros.runtime.liveliness import SignOfLife; rclpy.init(); "
        "node = rclpy.create_node('executor'); life = SignOfLife(node); rclpy.spin(node)"
    )
    environment = {**os.environ, "ROS_DOMAIN_ID": str(graph.domain)}
    recorder = graph.add(RecorderNode, run_folder=str(tmp_path), look_period_s=0.05)
    executor = subprocess.Popen([sys.executable, "-c", command], env=environment)
    try:
        events = graph.publisher(TaskEvent, "/task_events", EVENTS)
        told = ((TaskEvent.INSTRUCTION, "Open the drawer."), (TaskEvent.MESSAGE, "reach down"))
        for kind, text in told:
            events.publish(TaskEvent(task_id="t1", kind=kind, text=text, run_folder=str(tmp_path)))
        graph.wait_until(lambda: len(recorder.open_events) == len(told), "the events are there")
        graph.wait_until(lambda: recorder._parts.seen("executor"), "the executor is seen to live")
        assert not (tmp_path / "report.json").exists()
    finally:
        executor.kill()
        executor.wait()
    graph.wait_until((tmp_path / "report.md").exists, "the report is completed")
    report = json.loads((tmp_path / "report.json").read_text())
    assert report["instruction"] == "Open the drawer." and "reach down" in report["messages"]
    assert report["result"]["code"] == "NODE_UNAVAILABLE"
    assert "executor has ended" in report["result"]["message"]


def test_no_report_is_written_outside_of_the_run(graph, tmp_path: Path) -> None:
    run, elsewhere = tmp_path / "run", tmp_path / "elsewhere"
    recorder = graph.add(RecorderNode, run_folder=str(run))
    for place in (elsewhere, run / "task_2", run / ".." / "elsewhere"):
        started = TaskEvent(task_id="t1", kind=TaskEvent.INSTRUCTION, run_folder=str(place))
        recorder._take_event(started)
        assert (recorder._open.folder is not None) == (place == run / "task_2")


def test_without_a_run_folder_each_run_gets_one_of_its_own(tmp_path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    folders = {bag_folder("") for _ in range(2)}
    assert len(folders) == 2
    assert {f.parent.parent for f in folders} == {tmp_path / "runs"}, "which .gitignore knows"
