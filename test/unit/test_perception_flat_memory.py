"""The frames of a tour: which are kept, and how they survive on disk."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.perception.flat.memory import FrameMemory, MemorySettings
from support.flat_frames import remembered, seen, sofa, tour

SOLIDS = [sofa(4.0, 0.0)]


def at(x: float, yaw: float = 0.0):
    return seen(SOLIDS, (x, 0.0, 1.4), (x + 3 * np.cos(yaw), 3 * np.sin(yaw), 0.4))


def test_only_new_views_are_kept() -> None:
    memory = FrameMemory()
    kept = [memory.add(f) for f in (at(0.0), at(0.1), at(0.3), at(0.3, 0.15), at(0.3, 0.4))]
    assert kept == [True, False, True, False, True]
    assert len(memory) == 3
    assert memory.offered == 5


def test_the_oldest_of_like_views_goes_when_memory_is_full() -> None:
    memory = FrameMemory(MemorySettings(most=3))
    for x in (0.0, 1.0, 1.3, 3.0):
        memory.add(at(x))
    assert [round(f.pose.position[0], 1) for f in memory] == [0.0, 1.3, 3.0]


def test_a_renewed_view_replaces_the_old_one() -> None:
    memory = remembered([at(0.0), at(1.0)])
    memory.renew(replace(at(0.05), stamp_s=9.0))
    assert [f.stamp_s for f in memory] == [0.0, 9.0]


def test_frames_survive_on_disk(tmp_path: Path) -> None:
    frames = tour(SOLIDS)
    remembered(frames).save(tmp_path)
    loaded = FrameMemory.load(tmp_path)
    assert len(loaded) == len(frames)
    for before, after in zip(frames, loaded, strict=True):
        assert (after.pose, after.camera, after.stamp_s) == (
            before.pose,
            before.camera,
            before.stamp_s,
        )
        assert np.abs(after.depth_m - before.depth_m).max() < 0.00051
        assert np.abs(after.rgb.astype(int) - before.rgb).mean() < 6
        assert np.array_equal(after.instances, before.instances)
        assert after.instance_labels == before.instance_labels
    loaded.save(tmp_path)  # over the very files that it reads from
    assert len(list(FrameMemory.load(tmp_path))) == len(frames)


def test_a_damaged_tour_names_its_part(tmp_path: Path) -> None:
    remembered(tour(SOLIDS)).save(tmp_path)
    picture = tmp_path / "000001.depth.png"
    whole = picture.read_bytes()
    picture.write_bytes(whole[: len(whole) // 3])
    with pytest.raises(SaySoError, match=r"000001\.depth\.png") as cut:
        list(FrameMemory.load(tmp_path))
    assert cut.value.code is Code.CORRUPT
    picture.unlink()
    with pytest.raises(SaySoError, match="missing") as gone:
        FrameMemory.load(tmp_path)
    assert gone.value.code is Code.CORRUPT
    index = tmp_path / "tour.json"
    for damage in ("", "[]", json.dumps({"format": 99}), '{"format": 1, "frames": [{}]}'):
        index.write_text(damage)
        with pytest.raises(SaySoError) as broken:
            FrameMemory.load(tmp_path)
        assert broken.value.code is Code.CORRUPT
    index.unlink()
    with pytest.raises(SaySoError, match="no tour") as none:
        FrameMemory.load(tmp_path)
    assert none.value.code is Code.CONFIG


def test_an_empty_tour_and_one_without_depth_are_refused(tmp_path: Path) -> None:
    memory = FrameMemory()
    with pytest.raises(SaySoError, match="no frame"):
        memory.save(tmp_path)
    frame = at(0.0)
    assert not memory.add(replace(frame, depth_m=np.zeros_like(frame.depth_m)))
    with pytest.raises(SaySoError, match="depth") as blind:
        memory.check()
    assert blind.value.code is Code.INVALID
    with pytest.raises(SaySoError, match="shape"):
        memory.add(replace(frame, depth_m=frame.depth_m[::2]))
    assert not list(tmp_path.iterdir())
