"""CALVIN's recordings as demonstrations, on files written here in that format.

Poses are those of a hand that works the benchmark's table D, in the benchmark's own frame.
"""

from __future__ import annotations

import os
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from sayso import cli
from sayso.adapters.datasets import calvin
from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import symbolic_state
from sayso.core.symbols import Atom
from sayso.evaluation.blade.learning import learned_from
from sayso.learning.demonstrations import folder
from sayso.learning.demonstrations.segments import segments

ABOVE, HANDLE = (0.18, -0.20, 0.50), (0.18, -0.20, 0.36)
BASE = (-0.34, -0.46, 0.24)
RED, BLUE, PINK = (-0.10, -0.10, 0.48), (0.05, -0.06, 0.48), (0.25, -0.08, 0.48)


class Play:
    """What a hand does, frame by frame, and what is said of it."""

    def __init__(self, first, drawer):
        self.first, self.drawer, self.red = first, drawer, RED
        self.tool, self.width = np.array(ABOVE), 0.08
        self.frames, self.said = [], []
        self.rest()

    def go(self, to, carries=""):
        begun, there = self.tool, np.array(to, float)
        for share in np.linspace(0.1, 1.0, 10):
            before, self.tool = self.tool, begun + share * (there - begun)
            if carries == "drawer":
                self.drawer += before[1] - self.tool[1]
            elif carries:
                self.red = tuple(np.add(self.red, self.tool - before))
            self.note()

    def fingers(self, width):
        for between in np.linspace(self.width, width, 8):
            self.width = float(between)
            self.note()
        self.rest(6)

    def rest(self, frames=10):
        for _ in range(frames):
            self.note()

    def note(self):
        robot = np.zeros(15)
        robot[:7] = (*self.tool, np.pi, 0.0, 0.0, self.width)
        scene = np.zeros(24)
        scene[1] = self.drawer
        for at, block in zip((6, 12, 18), (self.red, BLUE, PINK), strict=True):
            scene[at : at + 3] = block
        self.frames.append((robot, scene))

    def work_drawer(self, words, task, opened):
        start = len(self.frames) - 1
        at = np.subtract(HANDLE, (0.0, self.drawer, 0.0))
        self.go(np.add(at, (0.0, 0.0, 0.14)))
        self.go(at)
        self.fingers(0.03)
        self.go((0.18, -0.20 - opened, 0.36), "drawer")
        self.fingers(0.08)
        self.go((0.18, -0.20 - opened, 0.50))
        self.rest()
        self.say(start, words, task)

    def lift_red(self, words):
        start = len(self.frames) - 1
        self.go(np.add(self.red, (0.0, 0.0, 0.12)))
        self.go(self.red)
        self.fingers(0.04)
        self.go(np.add(self.red, (0.0, 0.0, 0.12)), "red")
        self.rest()
        self.say(start, words, "lift_red_block_table")

    def say(self, start, words, task):
        self.said.append((words, task, (self.first + start, self.first + len(self.frames) - 1)))


def written(split, plays):
    """The benchmark's files. Frames outside what was said are there, too."""
    (split / "lang_annotations").mkdir(parents=True)
    for play in plays:
        for number, (robot, scene) in enumerate(play.frames, play.first):
            still = np.full((4, 4, 3), number % 200, np.uint8)
            np.savez(
                split / f"episode_{number:07d}.npz",
                actions=np.zeros(7), rel_actions=np.zeros(7), robot_obs=robot, scene_obs=scene,
                rgb_static=still, depth_static=np.zeros((4, 4)),
            )  # fmt: skip
    spans = [(p.first, p.first + len(p.frames) - 1) for p in plays]
    np.save(split / "ep_start_end_ids.npy", np.array(spans))
    np.save(split / "scene_info.npy", {"calvin_scene_D": [0, 10**6]})
    said = [s for p in plays for s in p.said]
    told = {
        "language": {"ann": [w for w, _, _ in said], "task": [t for _, t, _ in said],
                     "emb": np.zeros((len(said), 1, 3), np.float32)},
        "info": {"indx": [i for _, _, i in said], "episodes": []},
    }  # fmt: skip
    np.save(split / calvin.WORDS, told)


def opened_and_shut(first, drawer):
    play = Play(first, drawer)
    for words, task, opened in (
        ("go and pull the drawer open", "open_drawer", 0.21),
        ("close the drawer", "close_drawer", 0.01),
    ):
        play.work_drawer(words, task, opened)
    play.lift_red("grasp the red block from the table")
    return play


@pytest.fixture(scope="module")
def split(tmp_path_factory):
    split = tmp_path_factory.mktemp("calvin") / "training"
    plays = [opened_and_shut(first, drawer) for first, drawer in ((100, 0.0), (2000, 0.005))]
    written(split, plays)
    return split


def test_stretches_with_words_become_plays_with_what_was_done(split, tmp_path, capsys):
    assert cli.main(["demos", "import", str(split), str(tmp_path)]) == 0
    assert capsys.readouterr().out.count("3 behaviours") == 2
    places = folder.folders(tmp_path)
    assert [p.name for p in places] == ["frame_0000109", "frame_0002009"]
    shown = folder.read(places[0])
    assert [s.tool.position for s in shown.samples[:1]] == [pytest.approx(np.subtract(ABOVE, BASE))]
    assert all(np.isclose(b - a, 1 / 30) for a, b in pairwise(shown.stamps_s()))
    opening, _, lifting = shown.pieces()
    assert (opening.words, opening.label) == ("go and pull the drawer open", "open_drawer")
    assert dict(opening.things) == {"drawer": "drawer"} and dict(lifting.things) == {
        "block": "red_block"
    }
    before, after = (opening.key_frames[i].scene.by_name()["drawer"] for i in (0, -1))
    assert before.number("open_share") == 0.0
    assert after.number("open_share") == pytest.approx(0.21 / 0.22)
    assert after.position[1] == pytest.approx(before.position[1] - 0.21)
    assert [s.primitive for s in segments(opening) if s.thing] == [
        "move-to", "grasp", "move", "place",
    ]  # fmt: skip
    assert {s.thing for s in segments(opening) if s.thing} == {"drawer"}
    held = lifting.key_frames[-1].scene
    assert [o.name for o in held.objects if o.carried] == ["red_block"]
    assert shown.key_frames[0].pictures["static"].shape == (4, 4, 3)
    assert cli.main(["demos", "import", str(split), str(tmp_path)]) == 0
    told = capsys.readouterr().out.splitlines()
    assert len(told) == 2 and all(line.endswith("was there already") for line in told)


def test_behaviours_are_learned_from_them(split):
    learned = learned_from([read() for _, read in calvin.recordings(split)])
    aims = {str(b.aim) for b in learned.behaviours}
    assert {"open(?a)", "not open(?a)"} <= aims
    last = next(calvin.recordings(split))[1]().pieces()[0].key_frames[-1].scene
    state = symbolic_state(last, learned.library.predicates)
    assert state.truth(Atom("open", ("drawer",)))


# -- what is damaged -----------------------------------------------------------------------------


def _truncate(file):
    file.write_bytes(file.read_bytes()[:-40])


def _robot(file, value):
    with np.load(file) as frame:
        arrays = {**frame, "robot_obs": value}
    np.savez(file, **arrays)


@pytest.mark.parametrize(
    "damage",
    [
        _truncate,
        lambda file: file.unlink(),
        lambda file: file.write_bytes(b""),
        lambda file: _robot(file, np.zeros(14)),
        lambda file: _robot(file, np.full(15, np.nan)),
    ],
    ids=["truncated", "missing", "empty", "short", "no numbers"],
)
def test_a_damaged_frame_is_named_and_all_else_is_imported(tmp_path, capsys, damage):
    plays = [Play(0, 0.0), Play(200, 0.0)]
    for play in plays:
        play.lift_red("take the red block")
    written(tmp_path / "in", plays)
    damage(tmp_path / "in" / "episode_0000030.npz")
    assert cli.main(["demos", "import", str(tmp_path / "in"), str(tmp_path / "out")]) == 1
    assert "episode_0000030.npz" in "".join(capsys.readouterr().out.split())
    assert [p.name for p in folder.folders(tmp_path / "out")] == ["frame_0000209"]


def test_what_cannot_be_written_is_named_and_leaves_nothing_that_looks_done(
    tmp_path, capsys, monkeypatch, split
):
    whole = folder.write

    def full(shown, place):
        if shown.samples[0].stamp_s < 60:
            folder.Recorder(place, "", {}).close(complete=False)
            raise SaySoError(Code.EXECUTION, "no space left")
        whole(shown, place)

    monkeypatch.setattr(folder, "write", full)
    assert cli.main(["demos", "import", str(split), str(tmp_path)]) == 1
    (broken, *_), (done, *_) = (line.split(":") for line in capsys.readouterr().out.splitlines())
    assert [p.name for p in folder.folders(tmp_path)] == [done]
    monkeypatch.setattr(folder, "write", whole)
    assert cli.main(["demos", "import", str(split), str(tmp_path)]) == 0
    assert [p.name for p in folder.folders(tmp_path)] == [broken, done]
    assert all(folder.read(p).complete for p in folder.folders(tmp_path))


class Evil:
    def __reduce__(self):
        return os.mkdir, ("EVIL",)


@pytest.mark.parametrize("name", [str(calvin.WORDS), "scene_info.npy", "ep_start_end_ids.npy"])
@pytest.mark.parametrize("damage", [Evil(), "nothing", {"language": {"ann": ["open it"]}}])
def test_a_file_that_holds_something_else_is_refused_and_carries_nothing_out(
    tmp_path, monkeypatch, name, damage
):
    monkeypatch.chdir(tmp_path)
    play = Play(0, 0.0)
    play.work_drawer("open the drawer", "open_drawer", 0.2)
    written(tmp_path / "in", [play])
    np.save(tmp_path / "in" / name, np.array(damage, dtype=object), allow_pickle=True)
    with pytest.raises(SaySoError, match=Path(name).name) as error:
        [read() for _, read in calvin.recordings(tmp_path / "in")]
    assert error.value.code is Code.CORRUPT
    assert not (tmp_path / "EVIL").exists()


def test_a_folder_that_is_no_split_is_named(tmp_path):
    with pytest.raises(SaySoError, match="auto_lang_ann") as error:
        next(calvin.recordings(tmp_path))
    assert error.value.code is Code.INVALID


def test_what_a_task_leaves_open_is_the_block_that_was_moved(tmp_path):
    play = Play(0, 0.2)
    play.lift_red("take it")
    play.said[0] = ("take it", "lift_block_somewhere", play.said[0][2])
    written(tmp_path, [play])
    ((_, read),) = calvin.recordings(tmp_path)
    assert dict(read().annotations[0].things) == {"block": "red_block"}
