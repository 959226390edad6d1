"""`sayso demo --world flat` as people call it: a tour, a task, a cat that comes into the way."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("rclpy", reason="ROS 2 is not installed")
pytest.importorskip("sayso_ros", reason="the interfaces are not built: ./check builds them")

from sayso.core import library
from sayso.core.scene import SceneObject
from sayso.logic.progression import Verdict
from sayso.ros.bags.replay import reevaluate
from sayso.ros.bags.rosbag import read_bag
from sayso.ros.messages.conversions import object_from_msg
from sayso.worlds.flat import scene_file
from sayso.worlds.flat.disturbances import staged
from support.ros_graph import free_domain

TIMEOUT_S = 840.0


@dataclass(frozen=True)
class Run:
    """What a demo left behind."""

    folder: Path
    cache: Path
    code: int
    shown: str

    @property
    def report(self) -> dict:
        return json.loads((self.folder / "report.json").read_text())

    @property
    def done(self) -> bool:
        """Whether the robot observed the task to be done."""
        return self.report["verdict"] == Verdict.SATISFIED.name

    @property
    def disturbed(self) -> bool:
        """Whether what was to happen meanwhile was due before the task ended."""
        return "DISTURBANCE" in self.shown

    def told(self, topic: str, name: str) -> list[SceneObject]:
        """Everything that a topic of the bag tells of one thing, in order."""
        messages = (m.message for m in read_bag(self.folder / "bag", {topic}))
        return [object_from_msg(o) for m in messages for o in m.objects if o.name == name]


def demo(folder: Path, cache: Path, *options: str) -> tuple[int, str]:
    """Exit code and output; ended as by Ctrl-C if it takes too long."""
    command = [sys.executable, "-m", "sayso.cli", "demo", "--world", "flat", "--confirm", "auto"]
    with free_domain() as domain:
        process = subprocess.Popen(
            [*command, "--record", str(folder), *options],
            env={**os.environ, "ROS_DOMAIN_ID": str(domain), "SAYSO_CACHE": str(cache)},
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            stdin=subprocess.DEVNULL,
            text=True,
        )
        try:
            shown, _ = process.communicate(timeout=TIMEOUT_S)
        except subprocess.TimeoutExpired:
            process.send_signal(signal.SIGINT)
            shown, _ = process.communicate(timeout=60.0)
    return process.returncode, shown


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[Run]:
    """A grasp by friction fails now and then: what was not done is tried once more, no oftener.

    So is a run in which no pick ended well, though the can was held: nothing was disturbed then.
    """
    cache = tmp_path_factory.mktemp("cache")
    made: list[Run] = []
    while len(made) < 2 and not any(run.done and run.disturbed for run in made):
        folder = tmp_path_factory.mktemp("demo") / "run"
        made.append(Run(folder, cache, *demo(folder, cache)))
    return made


@pytest.fixture
def run(runs: list[Run]) -> Run:
    return runs[-1]


def test_the_built_in_task_is_done(runs: list[Run]) -> None:
    assert runs[-1].done, runs[-1].shown


def test_what_is_said_of_the_built_in_task_is_true(runs: list[Run]) -> None:
    """Done or not: the robot says which, and has done no harm."""
    for run in runs:
        check_truth(run)


def check_truth(run: Run) -> None:
    report = run.report
    assert (run.code == 0) == (report["result"]["code"] == "OK") == run.done, run.shown
    again = reevaluate(run.folder / "bag", library.load(library.builtin_path("flat")))
    assert again.same, run.shown
    if not report["skills"]:  # refused before anything was watched
        assert not run.done and not again.tasks, run.shown
        cans = run.told("/world/ground_truth", "can")
        assert cans[-1].position == pytest.approx(cans[0].position, abs=0.01), run.shown
        return
    assert again.tasks, run.shown
    truly = again.tasks[0].truly
    assert truly.verdict is (Verdict.SATISFIED if run.done else Verdict.POSSIBLE), run.shown
    assert truly.grounding["cat"] == ("cat_1",)
    can, table = (run.told("/world/ground_truth", n)[-1] for n in ("can", "white_table"))
    off = np.abs(np.subtract(can.position, table.position)[:2]) - np.asarray(table.size[:2]) / 2
    # What slips and falls beside the table is brought to it, too: `placed` says so.
    assert not run.done or max(off) < 0.3, run.shown


def test_what_was_disturbed_is_told_and_was_noticed(run: Run) -> None:
    (cat,) = staged(scene_file.fixed("studio"))
    assert f"DISTURBANCE by the simulator ({cat.when}): {cat.words}" in run.shown
    assert "That did not happen" not in run.shown
    seen = [o.position[:2] for o in run.told("/scene", "orange_cat")]
    apart = [np.hypot(*np.subtract(p, cat.to[:2])) for p in seen]
    assert min(apart) < 0.15 < apart[0], "it was not seen where it went"


def test_the_run_folder_tells_the_whole_story(run: Run) -> None:
    report, folder = run.report, run.folder
    understood = report["specification"]
    assert "not near the cat" in understood["english"] and len(understood["structure"]) == 2
    assert understood["grounding"]["the red can"] == ["red_can"]
    assert understood["english"] in (folder / "report.md").read_text()
    assert json.loads((folder / "versions.jsonl").read_text().splitlines()[0])
    pictures = {p["file"] for p in report["pictures"]}
    for number, plan in enumerate(report["plans"], 1):
        legs = [i for i, s in enumerate(plan["steps"], 1) if s["action"].startswith("go(")]
        wanted = {f"tour_{number}/tour.png", *(f"tour_{number}/leg_{i}.png" for i in legs)}
        assert wanted <= pictures
    for name in pictures:
        with Image.open(folder / name) as picture:
            assert len(picture.convert("RGB").getcolors(1 << 24)) > 3, name
    with Image.open(folder / "film_overview.gif") as film:
        assert film.n_frames > 5
    automaton = (folder / "automaton.svg").read_text()
    assert len(re.findall('class="taken"', automaton)) >= 3
    assert (folder / "referents.png").exists() and (folder / "settings.json").exists()


def test_the_map_is_kept_for_the_next_run(runs: list[Run]) -> None:
    (house,) = (runs[0].cache / "maps").iterdir()
    assert "The map is kept in" in runs[0].shown
    assert {"map.yaml", "map.png"} <= {p.name for p in house.iterdir()}


def test_a_wrong_script_is_named_before_anything_is_started(tmp_path: Path) -> None:
    script = tmp_path / "script.yaml"
    script.write_text("- {when: after step 1, what: cann, to: away}\n")
    folder = tmp_path / "run"
    code, shown = demo(folder, tmp_path, "--disturb", str(script))
    assert code == 1
    assert "entry 1: the scene 'studio' has no 'cann'" in shown
    assert "can, " in shown and "cat_1" in shown
    assert not (folder / "nodes.log").exists()
