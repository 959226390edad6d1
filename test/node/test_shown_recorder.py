"""A demonstration recorded from topics, as an arm and its cameras tell them."""

from __future__ import annotations

import io
import threading

import numpy as np
import pytest
from PIL import Image
from sayso_ros.msg import Scene as SceneMsg
from sensor_msgs.msg import CompressedImage, JointState

from sayso import cli
from sayso.core.errors import Code, SaySoError
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.learning.demonstrations import folder as recorded
from sayso.robots.loading import load_robot
from sayso.ros.messages.conversions import header, scene_to_msg
from sayso.ros.messages.qos import NEWEST, SENSOR
from sayso.ros.teaching import recording
from sayso.ros.teaching.recording import ShownRecorder
from support.demonstrations import START

PANDA = load_robot("panda")
WORDS = "put the block on the plate"
CLOUD = np.zeros((5, 3), np.float32)


class Arm:
    """An arm that turns about its foot, and a scene that is seen again and again."""

    def __init__(self, graph) -> None:
        self._node = graph.tester
        self._joints = self._node.create_publisher(JointState, "/joint_states", 10)
        self._scenes = self._node.create_publisher(SceneMsg, "/scene", NEWEST)
        self._camera = self._node.create_publisher(
            CompressedImage, "/camera/left/color/image_raw/compressed", SENSOR
        )
        self.blind = threading.Event()
        self.turned_rad = 0.0
        self._node.create_timer(0.02, self._move)
        self._node.create_timer(0.1, self._look)

    def now_s(self) -> float:
        return self._node.get_clock().now().nanoseconds * 1e-9

    def _move(self) -> None:
        self.turned_rad += 0.001
        joints = [PANDA.home[0] + self.turned_rad, *PANDA.home[1:], 0.04]
        names = [*PANDA.joint_names, PANDA.finger_names[0]]
        self._joints.publish(JointState(header=header(self.now_s()), name=names, position=joints))

    def _look(self) -> None:
        things = tuple(
            SceneObject(n, n, "", (0.5, y, 0.02), (0.05, 0.05, 0.04), points=CLOUD)
            for n, y in (("block", 0.1), ("plate", -0.1))
        )
        robot = RobotState(self.now_s(), gripper=START)
        if not self.blind.is_set():
            self._scenes.publish(scene_to_msg(Scene(self.now_s(), things, robot), "base"))
        picture = io.BytesIO()
        Image.new("RGB", (4, 3)).save(picture, "JPEG")
        self._camera.publish(CompressedImage(data=picture.getvalue()))


@pytest.fixture
def arm(graph):
    return Arm(graph)


@pytest.fixture
def recorder(graph, arm, tmp_path):
    return ShownRecorder(graph.tester, tmp_path / "shown", cameras=["left"])


def has(folder, count):
    """Whether so many samples are written to what is being recorded."""
    file = folder / recorded.UNFINISHED / "000" / recorded.FILE
    return file.exists() and file.read_text().count("sample") >= count


def test_what_the_arm_does_becomes_a_demonstration(graph, recorder):
    assert recorder.begin(WORDS) == {"block": "block", "plate": "plate"}
    graph.wait_until(lambda: has(recorder.folder, 10), "the arm's way is written")
    assert recorded.found_in(recorder.folder) == ()
    shown = recorder.end()
    assert shown.folder == recorder.folder / "000" and not recorder.recording
    one = recorded.read(shown.folder)
    assert one.complete and one.words == WORDS and one.robot == "panda"
    assert one.things == {"block": "block", "plate": "plate"}
    assert len(one.samples) >= 10 and np.diff(one.stamps_s()).min() >= recording.PERIOD_S
    first, last = one.key_frames
    assert first.stamp_s < one.samples[0].stamp_s < one.samples[-1].stamp_s < last.stamp_s
    assert len(first.scene.by_name()["block"].points) == 5
    assert last.pictures["left"].shape == (3, 4, 3)
    assert shown.problems == ("nothing is taken or pushed.",)


def test_what_is_not_to_be_kept_is_gone(graph, recorder):
    recorder.begin(WORDS)
    graph.wait_until(lambda: has(recorder.folder, 3), "the arm's way is written")
    assert not recorder.end(keep=False).folder.exists()
    assert recorded.found_in(recorder.folder) == ()


def test_what_breaks_off_stays_and_is_no_demonstration(graph, recorder):
    recorder.begin(WORDS)
    graph.wait_until(lambda: has(recorder.folder, 3), "the arm's way is written")
    recorder.close()
    broken = recorder.folder / recorded.UNFINISHED / "000"
    assert not recorded.read(broken).complete and recorded.found_in(recorder.folder) == ()
    recorder.begin(WORDS)
    assert recorder.end().folder.name == "001"
    assert broken.exists()


def test_words_that_name_nothing_record_nothing(recorder):
    with pytest.raises(SaySoError) as error:
        recorder.begin("wave")
    assert error.value.code is Code.INVALID and not recorder.recording
    assert recorder.begin("wave", ["plate"]) == {"plate": "plate"}
    with pytest.raises(SaySoError) as error:
        recorder.begin(WORDS)
    assert error.value.code is Code.BUSY
    recorder.close()


def test_where_nothing_is_seen_nothing_is_recorded(recorder, arm, monkeypatch):
    monkeypatch.setattr(recording, "SCENE_S", 0.3)
    arm.blind.set()
    with pytest.raises(SaySoError) as error:
        recorder.begin(WORDS)
    assert error.value.code is Code.STALE and not recorder.recording
    with pytest.raises(SaySoError) as error:
        recorder.end()
    assert error.value.code is Code.INVALID


def test_a_full_disk_is_told_at_the_end(graph, recorder, monkeypatch):
    recorder.begin(WORDS)
    graph.wait_until(lambda: has(recorder.folder, 3), "the arm's way is written")
    full = SaySoError(Code.EXECUTION, "no space")

    def refuse(*_):
        raise full

    monkeypatch.setattr(recorder._recorder, "sample", refuse)
    graph.wait_until(lambda: recorder._failed is full, "it is full")
    with pytest.raises(SaySoError) as error:
        recorder.end()
    assert error.value is full and not recorder.recording
    assert len(recorded.read(recorder.folder / recorded.UNFINISHED / "000").samples) >= 3


def test_a_person_at_a_terminal_records_one(graph, arm, tmp_path, monkeypatch, capsys):
    folder = tmp_path / "shown"
    monkeypatch.setenv("ROS_DOMAIN_ID", str(graph.domain))

    def shown():
        graph.wait_until(lambda: has(folder, 5), "the arm's way is written")
        return ""

    monkeypatch.setattr("builtins.input", shown)
    assert cli.main(["demos", "record", str(folder), "--words", WORDS]) == 1
    told = capsys.readouterr().out
    assert "about the block, the plate" in told and "nothing is taken or pushed" in told
    assert recorded.read(folder / "000").complete
    assert cli.main(["demos", "record", str(folder)]) == 1
    assert "has to say what it shows" in capsys.readouterr().err
