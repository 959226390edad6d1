"""A demonstration recorded from topics, as an arm and its cameras tell them."""

from __future__ import annotations

import numpy as np
import pytest

from sayso import cli
from sayso.core.errors import Code, SaySoError
from sayso.learning.demonstrations import folder as recorded
from sayso.ros.teaching import recording
from sayso.ros.teaching.recording import ShownRecorder
from support.moving_arm import MovingArm

WORDS = "put the block on the plate"


@pytest.fixture
def arm(graph):
    return MovingArm(graph)


@pytest.fixture
def recorder(graph, arm, tmp_path):
    return ShownRecorder(graph.context, "", tmp_path / "shown", cameras=["left"])


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


def test_what_is_seen_before_and_after_a_grasp_is_a_key_frame(graph, arm, recorder):
    recorder.begin(WORDS)
    graph.wait_until(lambda: has(recorder.folder, 10), "the arm's way is written")
    arm.closing.set()
    lines = recorder.folder / recorded.UNFINISHED / "000" / recorded.FILE

    def frames():
        return lines.read_text().count("key_frame") >= 3

    graph.wait_until(frames, "the first key frame, and those of the grasp, are written")
    one = recorded.read(recorder.end().folder)
    _, before, after, last = one.key_frames
    closing = [s.stamp_s for s in one.samples if 0.021 < s.gripper_width_m < 0.079]
    assert before.stamp_s < closing[0] + 0.2 < closing[-1] < after.stamp_s
    # The recording may end before a newer scene is seen than that of the grasp.
    assert after.stamp_s <= last.stamp_s
    assert after.pictures["left"].shape == (3, 4, 3)
    assert len(after.scene.by_name()["block"].points) == 5


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
    assert "has to say what it shows" in capsys.readouterr().out
