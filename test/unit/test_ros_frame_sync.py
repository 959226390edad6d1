"""Frames are put together by stamp, the newest first, and silence is noticed."""

from __future__ import annotations

from sayso.ros.robot.frame_sync import KEEP, FrameSync

MS = 10**6


def sync(cameras=("left", "right"), slop_s: float = 0.01, skew_s: float = 0.1) -> FrameSync:
    return FrameSync(cameras, ("color", "depth"), slop_s, skew_s, now_s=0.0)


def feed(s: FrameSync, camera: str, stamp_ms: int, now_s: float = 0.0, depth_ms: int = 0) -> None:
    s.add(camera, "color", stamp_ms * MS, f"c{stamp_ms}", now_s)
    s.add(camera, "depth", (stamp_ms + depth_ms) * MS, f"d{stamp_ms}", now_s)


def stamps(taken) -> dict[str, int]:
    return {camera: stamp // MS for camera, (stamp, _) in taken.items()}


def test_a_set_needs_every_camera() -> None:
    s = sync()
    feed(s, "left", 100)
    assert s.take() is None
    feed(s, "right", 100)
    assert stamps(s.take()) == {"left": 100, "right": 100}


def test_a_frame_needs_every_part_of_one_time() -> None:
    s = sync(("left",))
    s.add("left", "color", 100 * MS, "c", 0.0)
    s.add("left", "depth", 150 * MS, "d", 0.0)
    assert s.take() is None
    s.add("left", "color", 155 * MS, "c2", 0.0)
    assert s.take()["left"] == (155 * MS, {"color": "c2", "depth": "d"})


def test_the_newest_is_taken_and_older_ones_never_again() -> None:
    s = sync()
    for stamp in (100, 200, 300):
        feed(s, "left", stamp)
        feed(s, "right", stamp)
    assert stamps(s.take()) == {"left": 300, "right": 300}
    assert s.take() is None
    feed(s, "left", 400)
    assert s.take() is None
    feed(s, "right", 400)
    assert stamps(s.take()) == {"left": 400, "right": 400}


def test_cameras_too_far_apart_wait_for_the_later_one() -> None:
    s = sync(skew_s=0.1)
    feed(s, "left", 100)
    feed(s, "right", 300)
    assert s.take() is None
    feed(s, "left", 310)
    assert stamps(s.take()) == {"left": 310, "right": 300}


def test_only_few_messages_are_kept() -> None:
    s = sync(("left",))
    for stamp in range(100, 100 + 50 * (KEEP + 5), 50):
        s.add("left", "color", stamp * MS, "c", 0.0)
    s.add("left", "depth", 100 * MS, "d", 0.0)
    assert s.take() is None


def test_time_set_back_starts_anew() -> None:
    s = sync(("left",))
    feed(s, "left", 5000)
    assert stamps(s.take()) == {"left": 5000}
    feed(s, "left", 40)
    assert stamps(s.take()) == {"left": 40}


def test_silence_names_what_is_missing() -> None:
    s = sync()
    feed(s, "left", 100, now_s=10.0)
    s.add("right", "depth", 100 * MS, "d", 10.0)
    assert s.silent(11.0, 3.0) == {"right": "no color"}
    assert set(s.silent(20.0, 3.0)) == {"left", "right"}
    feed(s, "left", 200, now_s=20.0)
    feed(s, "right", 200, now_s=20.0)
    assert s.silent(21.0, 3.0) == {}


def test_parts_that_never_match_are_named_so() -> None:
    s = sync(("left",), slop_s=0.001)
    for i in range(10):
        s.add("left", "color", (100 + 30 * i) * MS, "c", float(i))
        s.add("left", "depth", (115 + 30 * i) * MS, "d", float(i))
    assert s.silent(9.5, 3.0) == {"left": "its parts never carry the same stamp"}
