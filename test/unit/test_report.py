"""The report as data: whole for every way in which a task ends."""

from __future__ import annotations

import json
from xml.etree import ElementTree

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.library import builtin_path, load
from sayso.mission.stages import Answer, Decision
from sayso.pipeline import perform
from sayso.reporting.events import Event, EventKind
from sayso.reporting.report import (
    AUTOMATON,
    FORMAT,
    VERSIONS,
    RunReport,
    first_motion_s,
    stage_times,
)
from sayso.worlds.kinematic_table import KinematicTable

PREDICATES = load(builtin_path()).predicates


def report_of(tmp_path, instruction, table=None):
    report = RunReport({"seed": 1}, PREDICATES)
    perform(instruction, table or KinematicTable(), report.add)
    report.write(tmp_path / "run")
    assert (tmp_path / "run" / "report.md").read_text().startswith("# ")
    return json.loads((tmp_path / "run" / "report.json").read_text())


def test_a_success_is_told_whole(tmp_path):
    data = report_of(tmp_path, "Put the red block on the plate. Never touch the mug.")
    assert data["format"] == FORMAT and data["settings"] == {"seed": 1}
    assert data["result"]["code"] == "OK" and data["result"]["succeeded"]
    assert data["verdict"] == "SATISFIED"
    assert "touching" in data["specification"]["grounded_formula"]
    assert [s["action"] for s in data["plans"][0]["steps"]] == [
        "pick_from_table(red_block)",
        "place_on(red_block, plate)",
    ]
    assert [(s["action"].split("(")[0], s["phase"]) for s in data["skills"]] == [
        ("pick_from_table", "started"),
        ("pick_from_table", "finished"),
        ("place_on", "started"),
        ("place_on", "finished"),
    ]
    assert all(c["observed"] for s in data["skills"] for c in s["checks"])
    assert data["trace"][-1]["remaining"] == []
    assert data["first_motion_s"] is not None


@pytest.mark.parametrize(
    ("instruction", "code"),
    [
        ("Juggle the mug.", "NOT_UNDERSTOOD"),
        ("Put the red sofa on the plate.", "UNKNOWN_OBJECT"),
        ("Open the drawer. Never open the drawer.", "CONTRADICTION"),
        ("", "INVALID"),
    ],
)
def test_a_task_that_never_began_is_told_as_well(tmp_path, instruction, code):
    data = report_of(tmp_path, instruction)
    assert data["result"]["code"] == code and not data["result"]["succeeded"]
    assert data["plans"] == data["skills"] == [] and data["first_motion_s"] is None


def test_a_failure_is_told_with_the_last_cause(tmp_path):
    table = KinematicTable(fails=lambda action: SaySoError(Code.EXECUTION, "it | slipped.\nTwice."))
    data = report_of(tmp_path, "Put the red block on the plate.", table)
    assert not data["result"]["succeeded"]
    failed = [s for s in data["skills"] if s["code"] == "EXECUTION"]
    assert len(failed) == 2 and failed[0]["message"].startswith("it | slipped.")
    assert [s["attempt"] for s in failed] == [1, 2]


def test_a_report_of_a_task_under_way_can_be_written(tmp_path):
    report = RunReport()
    report.add(Event(EventKind.INSTRUCTION, "interpret", 0.0, "Open the drawer."))
    report.write(tmp_path)
    assert json.loads((tmp_path / "report.json").read_text())["result"] is None
    report.add(Event(EventKind.RESULT, "interpret", 1.0, "Stopped.", code=Code.STOPPED))
    report.write(tmp_path)
    assert json.loads((tmp_path / "report.json").read_text())["result"]["code"] == "STOPPED"


def test_times_go_to_the_stage_that_took_them():
    events = [
        Event(EventKind.INSTRUCTION, "interpret", 0.0),
        Event(EventKind.SPECIFICATION, "interpret", 0.25),
        Event(EventKind.PLAN, "plan", 0.75),
        Event(EventKind.PLAN, "plan", 1.0),
    ]
    assert stage_times(events) == {"interpret": 0.25, "plan": 0.75}
    assert stage_times([]) == {} and first_motion_s(events) is None


def test_every_version_is_kept_with_what_was_said_and_asked(tmp_path):
    said = ["the red one", "the green block instead"]
    answers = [*(Answer(Decision.CORRECTION, w) for w in said), Answer(Decision.YES)]
    table = KinematicTable(confirm=lambda _: answers.pop(0))
    data = report_of(tmp_path, "Put the block on the plate. Never touch the mug.", table)
    assert data["result"]["succeeded"]
    lines = (tmp_path / "run" / VERSIONS).read_text().splitlines()
    versions = [json.loads(line) for line in lines]
    assert versions == data["specification_versions"]
    assert [v["version"] for v in versions] == [1, 2, 3]
    assert [v["said"] for v in versions[1:]] == said
    assert (
        versions[0]["grounded_formula"] == "" and "3 things" in versions[0]["question"]["message"]
    )
    assert versions[1]["question"] is None
    assert versions[2]["grounding"]["the green block"] == ["green_block"]
    assert versions[2]["structure"][0].startswith("Go on until the green block is on the plate")
    page = (tmp_path / "run" / "report.md").read_text()
    assert "## Versions" in page and "the red one" in page and "could be any of 3" in page


def test_the_automaton_is_drawn_with_the_way_taken(tmp_path):
    report_of(tmp_path, "Put the red block on the plate. Never touch the mug.")
    picture = (tmp_path / "run" / AUTOMATON).read_text()
    arrows = [e for e in ElementTree.fromstring(picture).iter() if e.tag.endswith("path")]
    assert sum(e.get("class") == "taken" for e in arrows) == 1
    assert f"]({AUTOMATON})" in (tmp_path / "run" / "report.md").read_text()
