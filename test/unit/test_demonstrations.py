"""Demonstrations on disk, what is wrong with them, and the primitives they are cut into."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

from sayso import cli
from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import Scene, SceneObject
from sayso.learning.demonstrations import folder
from sayso.learning.demonstrations.checks import problems, without_jumps
from sayso.learning.demonstrations.demonstration import (
    HAND,
    Annotation,
    Contact,
    Demonstration,
    KeyFrame,
    Sample,
)
from sayso.learning.demonstrations.segments import segments
from sayso.worlds.persons.demonstrator import demonstrate
from sayso.worlds.persons.hand_plans import PLANS
from sayso.worlds.table.placed import placed
from support.demonstrations import go, grip, put_block_on_plate, turned

SHOWN = put_block_on_plate((0.4, 0.1, 0.3), (0.5, -0.2, 1.0))


def with_sights(demonstration):
    """With a cloud and a picture in its key frame."""
    frame = demonstration.key_frames[0]
    cloud = np.arange(30, dtype=np.float32).reshape(10, 3)
    block, plate = frame.scene.objects
    scene = replace(frame.scene, objects=(replace(block, points=cloud), plate))
    picture = np.arange(4 * 5 * 3, dtype=np.uint8).reshape(4, 5, 3)
    return replace(demonstration, key_frames=(KeyFrame(scene, {"front": picture}),))


def test_what_is_written_is_read(tmp_path):
    shown = with_sights(SHOWN)
    folder.write(shown, tmp_path / "one")
    read = folder.read(tmp_path / "one")
    assert read == shown
    (cloud, *_), (kept, *_) = (
        [o.points for o in d.key_frames[0].scene.objects] for d in (shown, read)
    )
    assert np.array_equal(cloud, kept)
    assert np.array_equal(
        read.key_frames[0].pictures["front"], shown.key_frames[0].pictures["front"]
    )


def test_a_file_that_was_cut_off_is_read_up_to_there(tmp_path):
    folder.write(SHOWN, tmp_path)
    file = tmp_path / folder.FILE
    file.write_bytes(file.read_bytes()[:-3000])
    read = folder.read(tmp_path)
    assert not read.complete
    assert 20 < len(read.samples) < len(SHOWN.samples)
    assert read.samples == SHOWN.samples[: len(read.samples)]
    assert "broke off" in problems(read)[0]


def test_a_recording_that_breaks_off_is_not_complete(tmp_path):
    with (
        pytest.raises(KeyboardInterrupt),
        folder.Recorder(tmp_path / "one", "wave", {}) as recorder,
    ):
        recorder.sample(SHOWN.samples[0])
        raise KeyboardInterrupt
    read = folder.read(tmp_path / "one")
    assert (read.complete, len(read.samples)) == (False, 1)


def test_a_line_that_is_none_is_named(tmp_path):
    folder.write(SHOWN, tmp_path)
    file = tmp_path / folder.FILE
    lines = file.read_text().splitlines()
    lines[5] = json.dumps({"sample": [1.0, 2.0]})
    file.write_text("\n".join(lines) + "\n")
    with pytest.raises(SaySoError, match="line 6") as raised:
        folder.read(tmp_path)
    assert raised.value.code is Code.CORRUPT


def test_a_key_frame_whose_file_is_damaged_is_named(tmp_path):
    folder.write(with_sights(SHOWN), tmp_path)
    (tmp_path / "frame_000.npz").write_bytes(b"PK not a zip")
    with pytest.raises(SaySoError, match="frame_000") as raised:
        folder.read(tmp_path)
    assert raised.value.code is Code.CORRUPT


def test_nothing_is_written_over(tmp_path):
    folder.write(SHOWN, tmp_path)
    with pytest.raises(SaySoError, match="holds a demonstration"):
        folder.write(SHOWN, tmp_path)
    assert folder.read(tmp_path) == SHOWN


@pytest.mark.parametrize("text", ["", '{"format": 9, "words": "", "things": {}, "robot": ""}\n'])
def test_what_is_no_demonstration_is_refused(tmp_path, text):
    (tmp_path / folder.FILE).write_text(text)
    with pytest.raises(SaySoError) as raised:
        folder.read(tmp_path)
    assert raised.value.code is Code.INVALID


def test_a_full_disk_is_named_and_nothing_is_lost(tmp_path, monkeypatch):
    recorder = folder.Recorder(tmp_path / "one", "wave", {})
    recorder.sample(SHOWN.samples[0])

    def full(_):
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(folder.os, "fsync", full)
    with pytest.raises(SaySoError, match="No space left"):
        recorder.key_frame(SHOWN.key_frames[0])
    monkeypatch.undo()
    recorder.close(complete=False)
    assert folder.read(tmp_path / "one").samples == SHOWN.samples[:1]


def test_primitives_of_a_pick_and_place():
    assert [(s.primitive, s.thing) for s in segments(SHOWN)] == [
        ("move-to", "block"), ("grasp", "block"), ("move", "block"), ("place", "block"),
        ("move-to", ""),
    ]  # fmt: skip


def test_without_contacts_the_nearest_thing_is_taken():
    assert segments(replace(SHOWN, contacts=()))[1].thing == "block"


def test_fingers_that_close_on_nothing_take_nothing():
    samples = [*SHOWN.samples[:41]]
    grip(samples, 0.0)
    grip(samples, 0.08)
    wave = replace(SHOWN, samples=tuple(samples), contacts=())
    assert [s.primitive for s in segments(wave)] == ["move-to", "close", "open"]


def pushed(*touches: tuple[float, float]) -> Demonstration:
    """A closed hand goes along for 2 s, and touches a block from when to when."""
    samples = [Sample(0.0, turned((0.3, 0.0, 0.02), 0.0), 0.0)]
    go(samples, [turned((0.4, 0.0, 0.02), 0.0), turned((0.5, 0.0, 0.02), 0.0)])
    contacts = [
        Contact(stamp_s, HAND, "block", touching)
        for begins_s, ends_s in touches
        for stamp_s, touching in ((begins_s, True), (ends_s, False))
    ]
    return replace(SHOWN, samples=tuple(samples), contacts=tuple(contacts))


@pytest.mark.parametrize(
    ("touches", "parts"),
    [
        (((0.6, 0.8), (0.9, 1.1), (1.25, 1.4)), ["move-to", "push", "move-to"]),
        (((0.5, 0.9), (1.2, 1.6)), ["move-to", "push", "move-to", "push", "move-to"]),
        (((0.6, 0.7), (1.2, 1.3)), ["move-to"]),
    ],
)
def test_a_push_that_loses_touch_for_a_moment_is_one(touches, parts):
    assert [s.primitive for s in segments(pushed(*touches))] == parts


def seen_between(demonstration, x_m, lit=False):
    """With a block and a lamp in sight all along: halfway the block is at x, and the lamp is lit or
    not."""

    def frame(stamp_s, at_m, on):
        block = SceneObject("block", "block", "red", (at_m, 0.0, 0.02), (0.04,) * 3)
        lamp = SceneObject("led", "lamp", "", (0.9, 0.0, 0.4), (0.05,) * 3, attributes={"lit": on})
        return KeyFrame(Scene(stamp_s, (block, lamp)))

    frames = frame(0.0, 0.4, False), frame(0.5, 0.4, False), frame(1.1, x_m, lit)
    return replace(demonstration, key_frames=frames)


@pytest.mark.parametrize(
    ("x_m", "lit", "parts"),
    [
        (0.401, False, ["move-to"]),
        (0.43, False, ["move-to", "push", "move-to"]),
        (0.4, True, ["move-to", "push", "move-to"]),
    ],
)
def test_what_is_touched_for_a_little_and_stays_as_it_was_is_brushed(x_m, lit, parts):
    """A press lights a lamp, though the button is back at once."""
    touched = seen_between(pushed((0.55, 1.0)), x_m, lit)
    assert [s.primitive for s in segments(touched)] == parts


def test_what_is_pressed_for_long_was_meant_though_it_stays():
    held = seen_between(pushed((0.55, 1.3)), 0.4)
    assert [s.primitive for s in segments(held)] == ["move-to", "push", "move-to"]


def test_a_hand_that_leaves_what_it_let_go_does_not_push_it():
    """Open fingers go up along its sides, and seem to touch it for so long."""
    *_, leaving = segments(SHOWN)
    (gone,) = [c for c in SHOWN.contacts if c.second == "block" and not c.touching]
    late = SHOWN.samples[leaving.end - 1].stamp_s
    others = tuple(c for c in SHOWN.contacts if c is not gone)
    along = replace(SHOWN, contacts=(*others, replace(gone, stamp_s=late)))
    assert segments(along) == segments(SHOWN)


@pytest.mark.parametrize("task", PLANS)
def test_primitives_agree_with_what_the_person_meant(task):
    agreed = total = 0
    for seed in range(10):
        rng = np.random.default_rng(seed)
        shown = demonstrate(task, placed(PLANS[task].families, seed, rng), rng)
        stamps = shown.demonstration.stamps_s()
        found = [
            (s.primitive, stamps[s.start], stamps[s.end]) for s in segments(shown.demonstration)
        ]
        total += len(shown.truth)
        agreed += sum(
            any(
                p == t.primitive and abs(a - t.start_s) <= 0.2 and abs(b - t.end_s) <= 0.2
                for p, a, b in found
            )
            for t in shown.truth
        )
    assert agreed >= 0.95 * total


def test_a_sound_demonstration_has_no_problems():
    assert problems(SHOWN) == ()


@pytest.mark.parametrize(
    ("spoiled", "told"),
    [
        (replace(SHOWN, complete=False), "broke off"),
        (replace(SHOWN, samples=SHOWN.samples[:1]), "no motion"),
        (replace(SHOWN, samples=SHOWN.samples[::-1]), "backwards"),
        (replace(SHOWN, samples=SHOWN.samples[:50] + SHOWN.samples[100:]), "nothing was recorded"),
        (replace(SHOWN, things={"mug": "mug"}), "mug (mug) is not seen"),
        (replace(SHOWN, things={"plate": "plate"}), "block is taken, which is none of its things"),
        (replace(SHOWN, key_frames=()), "no key frame"),
        (replace(SHOWN, samples=SHOWN.samples[:30]), "nothing is taken"),
        (replace(SHOWN, words=" "), "nothing was said of it"),
        (replace(SHOWN, things={}), "none of its things: it has none"),
    ],
)
def test_what_is_wrong_is_told(spoiled, told):
    assert any(told in p for p in problems(spoiled)), problems(spoiled)


def test_out_of_reach_is_told():
    assert any("reaches 0.40 m" in p for p in problems(SHOWN, reach_m=0.4))


def jumping(demonstration: Demonstration, index: int) -> Demonstration:
    samples = list(demonstration.samples)
    tool = samples[index].tool
    far = Pose((tool.position[0] + 1.0, *tool.position[1:]), tool.orientation)
    samples[index] = Sample(samples[index].stamp_s, far, samples[index].gripper_width_m)
    return replace(demonstration, samples=tuple(samples))


def test_a_hand_that_jumps_is_told_and_its_jumps_are_passed_over():
    spoiled = jumping(SHOWN, 30)
    assert any("jumps" in p for p in problems(spoiled))
    assert without_jumps(spoiled).samples == SHOWN.samples[:30] + SHOWN.samples[31:]
    assert without_jumps(SHOWN) is SHOWN


def test_play_is_cut_into_its_annotated_pieces():
    """The block is taken in the first part, and carried and put down in the second."""
    taken = next(c.stamp_s for c in SHOWN.contacts if c.touching)
    first = Annotation(0.0, taken + 0.5, "lift the block", {"block": "block"}, "lift")
    second = Annotation(taken + 0.5, 99.0, "put it on the plate", SHOWN.things, "place")
    never = Annotation(200.0, 201.0, "wave", {})
    play = replace(SHOWN, words="", things={}, annotations=(first, second, never))
    lift, place = play.pieces()
    assert (lift.words, lift.things, lift.label) == (first.words, first.things, "lift")
    assert [s.primitive for s in segments(lift)] == ["move-to", "grasp", "move"]
    assert [s.primitive for s in segments(place)][-2:] == ["place", "move-to"]
    assert place.samples[0].stamp_s >= second.start_s
    assert place.contacts[0] == Contact(second.start_s, HAND, "block", True)
    assert place.key_frames == SHOWN.key_frames
    assert SHOWN.pieces() == (SHOWN,)


def test_the_command_shows_and_checks(tmp_path, capsys):
    folder.write(SHOWN, tmp_path / "one")
    folder.write(replace(SHOWN, complete=False), tmp_path / "two")
    assert cli.main(["demos", "show", str(tmp_path)]) == 0
    assert "grasp block" in capsys.readouterr().out
    assert cli.main(["demos", "check", str(tmp_path / "one")]) == 0
    assert cli.main(["demos", "check", str(tmp_path)]) == 1
    assert "broke off" in capsys.readouterr().out
    assert cli.main(["demos", "check", str(tmp_path / "none")]) == 1
    assert "holds no demonstration" in capsys.readouterr().out


def damaged(place, change):
    """A demonstration's folder after its lines were changed."""
    folder.write(SHOWN, place)
    file = place / folder.FILE
    file.write_text("".join(change(file.read_text().splitlines(keepends=True))))


def test_a_damaged_one_of_several_is_named_and_all_others_are_told(tmp_path, capsys):
    damaged(tmp_path / "a", lambda lines: [*lines[:5], "{not json\n", *lines[6:]])
    damaged(tmp_path / "b", lambda lines: [])
    damaged(tmp_path / "c", lambda lines: [lines[0].replace('"format": 1', '"format": 7')])
    folder.write(SHOWN, tmp_path / "d")
    for what in ("show", "check"):
        assert cli.main(["demos", what, str(tmp_path)]) == 1
        told = " ".join(capsys.readouterr().out.split())
        assert "a: CORRUPT: line 6" in told and "cut it off before that line" in told
        assert "b: INVALID" in told and "is empty" in told and "record it again" in told
        assert "c: INVALID" in told and "has format 7" in told
        assert ("grasp block" if what == "show" else "all is well") in told


def test_what_is_said_of_no_motion_is_told(tmp_path, capsys):
    """Times beyond the recording, and an end before its start."""
    end_s = SHOWN.samples[-1].stamp_s
    said = [
        Annotation(0.0, end_s, "put the block on the plate", SHOWN.things),
        Annotation(end_s + 5, end_s + 9, "lift the block", SHOWN.things),
        Annotation(2.0, 1.0, "turn the block", SHOWN.things),
    ]
    folder.write(replace(SHOWN, annotations=tuple(said)), tmp_path / "play")
    assert cli.main(["demos", "check", str(tmp_path)]) == 1
    told = " ".join(capsys.readouterr().out.split())
    assert (
        "'lift the block' is said of" in told and "'turn the block' is said of 2.0 to 1.0" in told
    )
    assert "play: put the block on the plate" in told and "all is well" in told
    assert cli.main(["demos", "show", str(tmp_path)]) == 0
    assert "'lift the block' is said of" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (["--plays", "0"], "0 plays"),
        (["--count", "0"], "of 0 behaviours"),
        (["--wrong", "1.5"], "1.5 is no share"),
        (["--behaviours", "fly"], "nobody plays fly"),
    ],
)
def test_play_that_cannot_be_is_refused(tmp_path, capsys, asked, told):
    assert cli.main(["demos", "generate", "play_table", str(tmp_path / "out"), *asked]) == 1
    assert told in " ".join(capsys.readouterr().out.split())
    assert not (tmp_path / "out").exists()
