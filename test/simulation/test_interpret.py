"""`sayso eval interpret` from its command line to its report, in real physics."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from sayso.cli import main
from sayso.core.errors import Code
from sayso.core.failure import Failure
from sayso.core.library import Library, load
from sayso.core.symbols import Plan
from sayso.evaluation.interpret.options import Course
from sayso.evaluation.interpret.practice import DomainPractice, Mishaps, goal_of, reached
from sayso.evaluation.interpret.timed_backends import timed_backends
from sayso.evaluation.interpret.training import trained
from sayso.pipeline import perform
from sayso.planning.problem import TaskPlanner
from sayso.planning.search import SearchPlanner
from sayso.planning.words import Cause, failure_text
from sayso.reporting.events import Event
from sayso.worlds.kitchen2d.domain import kitchen_domain
from support.interpret_double import HastyModel
from support.taught_kitchen import AsSaid, TaughtKitchen

SMALL = ["--domains", "store", "--seeds", "1", "--training", "3", "--testing", "1"]


def run(folder: Path, *options: str) -> list[dict[str, Any]]:
    assert main(["eval", "interpret", *SMALL, *options, "--out", str(folder)]) == 0
    return [json.loads(line) for line in (folder / "rows.jsonl").read_text().splitlines()]


def test_it_learns_is_tested_and_leaves_what_it_learned(tmp_path: Path) -> None:
    row = run(tmp_path, "--style", "varied")[0]
    record = json.loads(row["measures"]["record"])
    assert row["measures"]["canonical"] == 1.0
    assert record["feedback"]["GOAL"] == 3 and record["feedback"]["INFEASIBLE"] > 0
    learned = load(tmp_path / "store_0" / "library")
    assert {"on", "clear"} <= set(learned.predicates) and learned.operators
    assert (tmp_path / "store_0" / "domain.pddl").read_text().count(":action") >= 2
    story = (tmp_path / "store_0" / "story.txt").read_text()
    assert "person: " in story and "learned, version 1" in story
    assert "InterPreT (paper)" in (tmp_path / "report.md").read_text()
    assert (tmp_path / "curves.svg").read_text().startswith("<svg")
    again = run(tmp_path, "--style", "varied")
    assert again == [row]
    for planner in (SearchPlanner(), AsSaid()):
        for upset, (cause, steps) in UPSETS.items():
            repair = repaired_with_what_was_learned(learned, planner, upset.split(", "), cause)
            assert len(repair.steps) == steps, "no more is moved than has to be"


UPSETS = {
    "pick_up purple_can, place_first_on_second purple_can orange_box": (
        "I cannot pick up the orange box because something is on the orange box.",
        4,
    ),
    "pick_up purple_can": (
        "I cannot pick up the orange box because the gripper is occupied.",
        3,
    ),
    "pick_up purple_can, place_first_on_second purple_can orange_shelf": (
        "I cannot place the orange box on the orange shelf because something is on the orange "
        "shelf.",
        5,
    ),
}


def repaired_with_what_was_learned(
    learned: Library, planner: TaskPlanner, upset: list[str], cause: str
) -> Plan:
    domain = kitchen_domain("store")
    (task,) = domain.tasks("training", 0, 1)
    stages = TaughtKitchen(DomainPractice(domain, task), learned, upset, planner)
    events: list[Event] = []
    outcome = perform(task.words, stages, events.append)
    assert outcome.code is Code.OK, outcome.message
    assert reached(stages.practice, goal_of(task))
    (failed,) = (e.skill for e in events if e.skill and e.skill.code)
    failure = Failure(failed.action, failed.code, failed.checks)
    assert failure_text(failure, learned.predicates, Cause.EXPLICIT) == cause
    (plan,) = (e.plan for e in events if e.is_repair and e.code is Code.OK and e.plan)
    assert plan.planner == ("bridge" if isinstance(planner, AsSaid) else "replan")
    return plan


@pytest.mark.parametrize("kind", ["slip", "misseen"])
def test_a_mishap_deceives_the_robot_and_not_those_who_judge(
    kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain = kitchen_domain("store")
    (task,) = domain.tasks("training", 0, 1)
    can = next(i.name for i in task.scene.items if i.kind == "can")
    mishaps = Mishaps()
    practice = DomainPractice(domain, task, mishaps)
    monkeypatch.setattr(mishaps, "draw", lambda: kind)
    assert practice.act("pick_up", [can]) is (kind == "misseen")
    assert practice.mishap
    assert any(o.carried for o in practice.look().objects) is (kind == "misseen")
    assert (practice.observe() != practice.look()) is (kind == "misseen")
    monkeypatch.undo()
    assert practice.act("pick_up", [can]) is (kind == "slip")
    assert practice.observe() == practice.look() and not practice.mishap


def test_mishaps_in_training_are_counted_told_and_learned_from(tmp_path: Path) -> None:
    with timed_backends(None) as backends:
        done = trained(
            kitchen_domain("store"), 0, Course(training=2, noise=0.3), backends, tmp_path
        )
    story = (tmp_path / "story.txt").read_text()
    assert sum(done.mishaps.values()) == story.count("chance: ") > 0
    assert story.count("it slipped") == done.mishaps["slip"]
    assert "on" in done.library.predicates and done.library.operators


@pytest.mark.parametrize("baseline", ["im-objects", "code"])
def test_a_baseline_is_recorded_and_replayed_exactly(tmp_path: Path, baseline: str) -> None:
    tape = str(tmp_path / "tape.jsonl")
    chosen = ["--baseline", baseline, "--model", "hasty"]
    with HastyModel() as server:
        asked = ["--llm", "openai", "--base-url", server.base_url, "--record", tape]
        live = run(tmp_path / "live", *chosen, *asked)
    replayed = run(tmp_path / "again", *chosen, "--llm", "replay", "--cassette", tape)
    paid = {"paid prompt tokens": 0, "paid completion tokens": 0}
    assert live[0]["measures"]["calls"] > 0
    assert replayed[0]["measures"] == {**live[0]["measures"], **paid}
    # The hasty model can do what has nothing in the way.
    measures = live[0]["measures"]
    assert measures["canonical"] + measures["more objects"] == 1
    assert measures["novel goals"] + measures["combined"] == 0


@pytest.mark.parametrize(
    ("options", "named"),
    [
        (["--baseline", "code"], "needs a language model"),
        (["--transfer-from", "store"], "cannot start from itself"),
        (["--wrong", "2"], "share from 0 to 1"),
        (["--noise", "0.5"], "share from 0 to below 0.5"),
        (["--training", "0"], "at least one"),
    ],
)
def test_what_cannot_be_run_is_refused_at_once(
    options: list[str], named: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", "interpret", *SMALL, *options, "--out", str(tmp_path / "run")]) != 0
    assert named in capsys.readouterr().out
