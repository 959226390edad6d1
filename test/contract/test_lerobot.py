"""Demonstrations as LeRobot datasets: what is written follows the format and is read back."""

from __future__ import annotations

import json
import tempfile
from dataclasses import replace
from itertools import pairwise
from pathlib import Path

import cv2
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from sayso import cli
from sayso.adapters.datasets import lerobot
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.learning.demonstrations import folder
from sayso.learning.demonstrations.demonstration import Demonstration, KeyFrame, Sample
from support.demonstrations import put_block_on_plate

pytest.importorskip("pyarrow", reason="needs the extra sayso[datasets]")
import pyarrow.parquet as pq

SHOWN = put_block_on_plate((0.4, 0.1, 0.3), (0.5, -0.2, 1.0))


def with_pictures(demonstration, size=(48, 64)):
    """Red at first, blue from the middle on."""
    (frame,) = demonstration.key_frames
    red, blue = (np.full((*size, 3), c, np.uint8) for c in ((200, 0, 0), (0, 0, 200)))
    later = replace(frame.scene, stamp_s=demonstration.duration_s / 2)
    frames = (KeyFrame(frame.scene, {"front": red}), KeyFrame(later, {"front": blue}))
    return replace(demonstration, key_frames=frames)


def read(dataset):
    """All demonstrations of it."""
    return tuple(recording() for _, recording in lerobot.recordings(dataset))


def test_the_files_are_those_of_the_format(tmp_path):
    other = replace(with_pictures(SHOWN), words="tidy up")
    lerobot.export([with_pictures(SHOWN), other], tmp_path / "set")
    root = tmp_path / "set"
    info = json.loads((root / "meta/info.json").read_text())
    frames = pq.read_table(root / "data/chunk-000/file-000.parquet")
    episodes = pq.read_table(root / "meta/episodes/chunk-000/file-000.parquet").to_pylist()
    tasks = pq.read_table(root / "meta/tasks.parquet")
    stats = json.loads((root / "meta/stats.json").read_text())
    assert (info["codebase_version"], info["fps"], info["total_episodes"]) == ("v3.0", 20, 2)
    assert info["total_frames"] == frames.num_rows == episodes[-1]["dataset_to_index"]
    assert set(frames.column_names) == {
        n for n, f in info["features"].items() if f["dtype"] != "video"
    }
    for name, feature in info["features"].items():
        if feature["dtype"] != "video":
            kind = frames.schema.field(name).type
            value = kind.value_type if feature["shape"] != [1] else kind
            assert str(value).replace("float", "float32") == feature["dtype"]
            assert stats[name]["count"] == [frames.num_rows]
    state = np.array(frames["observation.state"].to_pylist())
    assert state.shape == (frames.num_rows, len(info["features"]["observation.state"]["names"]))
    assert [e["tasks"] for e in episodes] == [["put the block on the plate"], ["tidy up"]]
    assert json.loads(tasks.schema.metadata[b"pandas"])["index_columns"] == ["task"]
    assert tasks.to_pydict() == {"task_index": [0, 1], "task": [e["tasks"][0] for e in episodes]}
    for before, after in pairwise(episodes):
        assert before["dataset_to_index"] == after["dataset_from_index"]


def test_videos_have_a_frame_for_each_row_and_the_pictures_colours(tmp_path):
    lerobot.export([with_pictures(SHOWN)] * 2, tmp_path / "set")
    key = "observation.images.front"
    video = cv2.VideoCapture(str(tmp_path / f"set/videos/{key}/chunk-000/file-000.mp4"))
    pictures = []
    while (frame := video.read())[0]:
        pictures.append(frame[1])
    info = json.loads((tmp_path / "set/meta/info.json").read_text())
    assert len(pictures) == info["total_frames"]
    assert pictures[0].shape == (*info["features"][key]["shape"][:2], 3)
    assert video.get(cv2.CAP_PROP_FPS) == info["fps"]
    one, two = read(tmp_path / "set")
    for shown in (one, two):
        first, last = (k.pictures["front"].mean(axis=(0, 1)) for k in shown.key_frames)
        assert first == pytest.approx((200, 0, 0), abs=12)
        assert last == pytest.approx((0, 0, 200), abs=12)


numbers = st.floats(-2, 2, allow_nan=False, width=32)
steps = st.tuples(
    st.tuples(numbers, numbers, numbers),
    st.tuples(*[st.floats(-1.5, 1.5)] * 3),
    st.floats(0, 0.125, width=32),
)


@settings(max_examples=20, derandomize=True, deadline=None)
@given(st.lists(steps, min_size=2, max_size=8), st.integers(0, 7), st.text(min_size=1, max_size=9))
def test_even_samples_come_back_as_they_were(rows, joints, words):
    samples = tuple(
        Sample(
            i * 0.05,
            Pose(p, tuple(map(float, Rotation.from_rotvec(r).as_quat(canonical=True)))),
            width,
            (0.25,) * joints,
        )
        for i, (p, r, width) in enumerate(rows)
    )
    shown = Demonstration(words, {}, samples, robot="panda")
    with tempfile.TemporaryDirectory() as place:
        lerobot.export([shown], Path(place) / "set")
        (back,) = read(Path(place) / "set")
    assert (back.words, back.robot, len(back.samples)) == (words, "panda", len(samples))
    for a, b in zip(samples, back.samples, strict=True):
        assert b.stamp_s == pytest.approx(a.stamp_s, abs=1e-6)
        assert b.tool.position == pytest.approx(a.tool.position, abs=1e-5)
        assert abs(np.dot(a.tool.orientation, b.tool.orientation)) == pytest.approx(1, abs=1e-6)
        assert b.gripper_width_m == pytest.approx(a.gripper_width_m, abs=1e-6)
        assert b.joint_positions == pytest.approx(a.joint_positions)


def test_what_cannot_be_one_dataset_is_refused(tmp_path):
    other = replace(SHOWN, robot="ur5e")
    for bad in ([], [SHOWN, other], [replace(SHOWN, samples=SHOWN.samples[:1])]):
        with pytest.raises(SaySoError) as raised:
            lerobot.export(bad, tmp_path / "set")
        assert raised.value.code is Code.INVALID
    sizes = [with_pictures(SHOWN), with_pictures(SHOWN, (24, 32))]
    with pytest.raises(SaySoError, match="front have 2 sizes"):
        lerobot.export(sizes, tmp_path / "set")
    assert not (tmp_path / "set").exists()


@pytest.mark.parametrize(
    "file",
    [
        "meta/info.json",
        "data/chunk-000/file-000.parquet",
        "meta/episodes/chunk-000/file-000.parquet",
    ],
)
def test_damaged_files_are_named(tmp_path, file):
    lerobot.export([SHOWN], tmp_path / "set")
    (tmp_path / "set" / file).write_bytes(b"PAR1 no")
    with pytest.raises(SaySoError) as raised:
        read(tmp_path / "set")
    assert raised.value.code is Code.CORRUPT


def test_a_damaged_video_is_named(tmp_path):
    lerobot.export([with_pictures(SHOWN)], tmp_path / "set")
    (video,) = (tmp_path / "set").rglob("*.mp4")
    video.write_bytes(video.read_bytes()[:100])
    with pytest.raises(SaySoError, match=r"file-000\.mp4"):
        read(tmp_path / "set")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda info: info.update(codebase_version="v2.1"), "version v2.1"),
        (lambda info: info["features"]["observation.state"].update(names=["j1"]), "not a tool's"),
    ],
)
def test_other_versions_and_states_are_refused(tmp_path, change, told):
    lerobot.export([SHOWN], tmp_path / "set")
    file = tmp_path / "set/meta/info.json"
    info = json.loads(file.read_text())
    change(info)
    file.write_text(json.dumps(info))
    with pytest.raises(SaySoError, match=told):
        read(tmp_path / "set")


def imported(tmp_path, capsys):
    """The exit code, what is told, and what is there then."""
    code = cli.main(["demos", "import", str(tmp_path / "set"), str(tmp_path / "back")])
    back = {p.name: folder.read(p) for p in folder.found_in(tmp_path / "back")}
    return code, " ".join(capsys.readouterr().out.split()), back


def test_a_damaged_video_is_named_and_the_motions_can_still_be_had(tmp_path, capsys):
    """What is told to be done next works."""
    lerobot.export([with_pictures(SHOWN)], tmp_path / "set")
    (video,) = (tmp_path / "set").rglob("*.mp4")
    video.unlink()
    code, told, back = imported(tmp_path, capsys)
    assert (code, back) == (1, {})
    assert "000: CORRUPT: frame 0" in told and "without 'observation.images.front'" in told
    file = tmp_path / "set/meta/info.json"
    info = json.loads(file.read_text())
    del info["features"]["observation.images.front"]
    file.write_text(json.dumps(info))
    code, _, back = imported(tmp_path, capsys)
    assert code == 0 and len(back["000"].samples) > 20 and not back["000"].key_frames


def test_an_episode_without_its_rows_is_named_and_the_others_are_imported(tmp_path, capsys):
    lerobot.export([SHOWN, SHOWN], tmp_path / "set")
    file = tmp_path / "set/data/chunk-000/file-000.parquet"
    table = pq.read_table(file)
    pq.write_table(table.slice(0, table.num_rows - 5), file)
    code, told, back = imported(tmp_path, capsys)
    assert code == 1 and set(back) == {"000"}
    assert "episode 1 of" in told and "rows" in told


def test_a_camera_that_an_episode_lacks_is_named(tmp_path, capsys):
    lerobot.export([SHOWN], tmp_path / "set")
    file = tmp_path / "set/meta/info.json"
    info = json.loads(file.read_text())
    info["features"]["observation.images.wrist"] = {"dtype": "video"}
    file.write_text(json.dumps(info))
    code, told, _ = imported(tmp_path, capsys)
    assert code == 1 and "observation.images.wrist" in told


def test_an_import_that_broke_off_goes_on(tmp_path, capsys):
    lerobot.export([SHOWN, SHOWN], tmp_path / "set")
    folder.write(SHOWN, tmp_path / "back/000")
    code, told, back = imported(tmp_path, capsys)
    assert code == 0 and "000: was there already" in told
    assert back["000"] == SHOWN and len(back["001"].samples) > 20


def test_the_command_exports_and_imports(tmp_path):
    folder.write(SHOWN, tmp_path / "shown/one")
    assert cli.main(["demos", "export", str(tmp_path / "shown"), str(tmp_path / "set")]) == 0
    assert cli.main(["demos", "import", str(tmp_path / "set"), str(tmp_path / "back")]) == 0
    (back,) = (folder.read(p) for p in folder.folders(tmp_path / "back"))
    assert len(back.samples) == len(SHOWN.samples)
    assert cli.main(["demos", "export", str(tmp_path / "shown")]) == 1
