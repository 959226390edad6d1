"""What the console's page shows, and who is let in: pure functions."""

from __future__ import annotations

import json
from http import HTTPStatus

import numpy as np
import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.geometry import Pose
from sayso.core.scene import RobotState, Scene, SceneObject
from sayso.core.symbols import Action, Plan, PlanStep
from sayso.mission.stages import Answer, Decision
from sayso.pipeline import perform
from sayso.reporting.events import Event, EventKind, SkillReport
from sayso.ros.console import taught_skills
from sayso.ros.console.access import Access, Address, new_token
from sayso.ros.console.automaton_picture import AutomatonPicture
from sayso.ros.console.board import Board
from sayso.ros.console.page_state import (
    LINES_KEPT,
    MOST_POINTS,
    TaskState,
    after,
    answered,
    gate_data,
    scene_data,
)
from sayso.ros.console.run_history import file_below, listed
from sayso.worlds.kinematic_table import KinematicTable

DEMO = "Put the red block on the plate, then put the blue block on the red block."


def state_after(events, task_id="t"):
    state = TaskState()
    for event in events:
        state = after(state, event, task_id)
    return state


def told(instruction, table=None):
    events = []
    perform(instruction, table or KinematicTable(), events.append)
    return events


@pytest.fixture(scope="module")
def events():
    return told(DEMO)


def test_a_task_that_succeeds_is_shown_whole(events):
    state = state_after(events)
    assert (state.id, state.instruction) == ("t", DEMO)
    assert state.reading is not None and "plate" in state.reading.english
    assert ("the red block", ("red_block",)) in state.reading.things
    assert [s.state for s in state.steps] == ["done"] * 4
    assert all(s.why and s.words for s in state.steps)
    assert {c.when for s in state.steps for c in s.checks} == {"before", "after"}
    assert state.verdict == "satisfied" and not state.remaining
    assert state.result is not None and state.result.good and not state.under_way
    assert json.loads(json.dumps(state.data()))["steps"][0]["state"] == "done"


def test_steps_are_shown_as_they_go_on(events):
    begun = next(i for i, e in enumerate(events) if e.kind is EventKind.SKILL)
    state = state_after(events[: begun + 1])
    assert [s.state for s in state.steps] == ["running", "waiting", "waiting", "waiting"]
    assert state.under_way and state.result is None


def test_one_step_is_told_as_one():
    assert state_after(told("Pick up the mug.")).planner.startswith("1 step by ")


def test_which_things_could_be_meant_is_asked():
    (trouble,) = (
        e.understanding.trouble
        for e in told("Put the block on the plate.")
        if e.kind is EventKind.SPECIFICATION
    )
    assert trouble is not None
    state = state_after(told("Put the block on the plate."))
    assert state.reading is not None and state.reading.trouble is not None
    assert state.reading.trouble.code == "AMBIGUOUS"
    assert set(state.reading.trouble.choices) >= {"red_block", "blue_block"}


def test_a_question_is_asked_until_it_is_answered_or_out_of_date(events):
    asked = state_after([*events[:2], Event(EventKind.QUESTION, "confirm", 0.1, "Is it?")])
    assert asked.question == "Is it?"
    assert answered(asked, "t").question == ""
    assert answered(asked, "of before").question == "Is it?"
    for event in events[2:]:
        if event.kind in (EventKind.SPECIFICATION, EventKind.PLAN, EventKind.RESULT):
            assert after(asked, event, "t").question == ""


def test_an_instruction_of_somebody_else_begins_anew(events):
    state = after(state_after(events), Event(EventKind.INSTRUCTION, "interpret", 0.0, "Go."), "u")
    assert state == TaskState("u", "Go.")
    # Whoever joins late may hear of a task whose beginning is forgotten.
    late = after(state, Event(EventKind.MESSAGE, "plan", 1.0, "something"), "v")
    assert late.id == "v" and not late.steps and late.lines[0].text == "something"


def failure(step):
    action = Action("pick", ("mug",), frozenset(), frozenset(), frozenset(), "pick", 1.0, "pick it")
    report = SkillReport(action, step, 1, True, (), Code.POSTCONDITION, "it slipped")
    return Event(EventKind.SKILL, "execute", 2.0, skill=report)


def test_failures_and_repairs_are_told_where_they_happen(events):
    planned = next(i for i, e in enumerate(events) if e.kind is EventKind.PLAN)
    repair = Plan((PlanStep(failure(0).skill.action, ""),), "retry", 0.0, 0.0)
    told_ = Event(EventKind.PLAN, "recover", 3.0, "once more", plan=repair)
    state = state_after([*events[: planned + 1], failure(1), told_])
    assert [s.state for s in state.steps] == ["waiting", "failed", "waiting", "waiting"]
    assert state.steps[1].trouble is not None
    assert [(x.kind, x.text) for x in state.lines] == [
        ("failure", "Failed, POSTCONDITION: it slipped"),
        ("repair", "Repair (retry): once more"),
    ]
    # A step that the plan does not have changes none of it.
    assert (
        state_after([*events[: planned + 1], failure(9)]).steps
        == state_after(events[: planned + 1]).steps
    )


def test_what_was_told_long_ago_is_forgotten():
    line = [Event(EventKind.MESSAGE, "plan", float(i), str(i)) for i in range(3 * LINES_KEPT)]
    lines = state_after(line).lines
    assert len(lines) == LINES_KEPT and lines[-1].text == str(3 * LINES_KEPT - 1)


def test_a_correction_changes_what_is_shown():
    table = KinematicTable()
    answers = iter(
        (Answer(Decision.CORRECTION, "not the blue block, the green one"), Answer(Decision.YES))
    )
    table.confirm = lambda _: next(answers)
    state = state_after(told(DEMO, table))
    assert state.reading is not None
    assert state.reading.corrections == ("not the blue block, the green one",)
    assert "green" in state.reading.english


def test_stops_are_told_by_who_holds_them():
    assert gate_data(False, ["stopped by ana: hot", "other"])["stops"] == ["ana: hot"]
    assert gate_data(True, []) == {"open": True, "reasons": [], "stops": []}


def test_things_are_boxes():
    thing = SceneObject("red_block", "block", "red", (0.4, 0.0, 0.02), (0.04, 0.04, 0.04))
    (box,) = scene_data(Scene(0.0, (thing,)))["things"]
    assert box["name"] == "red_block" and len(box["corners"]) == 8
    assert sorted(box["corners"])[0] == [0.38, -0.02, 0.0]
    assert box["points"] == []


def test_a_thing_shows_some_of_its_points_and_the_gripper_how_it_is_turned():
    points = np.linspace((0.0, 0.0, 0.0), (0.1234, 0.0, 1.0), 3000).astype(np.float32)
    thing = SceneObject("mug", "mug", "", (0.4, 0.0, 0.02), (0.04, 0.04, 0.04), points=points)
    down, turned = np.eye(4)[0], np.array([np.cos(0.25), np.sin(0.25), 0.0, 0.0])
    for orientation, angle in ((down, 0.0), (turned, 0.5)):
        tool = Pose((0.3, 0.0, 0.4), tuple(float(v) for v in orientation))
        shown = scene_data(Scene(7.0, (thing,), RobotState(gripper=tool, gripper_width_m=0.08)))
        expected = {"at": [0.3, 0.0, 0.4], "turned": angle, "width": 0.08}
        assert shown["gripper"] == expected and shown["stamp_s"] == 7.0
    (mug,) = shown["things"]
    assert len(mug["points"]) == MOST_POINTS
    assert mug["points"][0] == [0.0, 0.0, 0.0] and mug["points"][-1] == [0.123, 0.0, 1.0]


TOKEN = "secret-1"
OWN = "127.0.0.1:8765"
ACCESS = Access(TOKEN, "http", Address().hosts(8765))


@pytest.mark.parametrize(
    ("path", "host", "origin", "expected"),
    [
        (f"/{TOKEN}/", OWN, "", None),
        (f"/{TOKEN}/do/stop", OWN, f"http://{OWN}", None),
        (f"/{TOKEN}/live", "localhost:8765", "http://localhost:8765", None),
        ("/", OWN, "", HTTPStatus.UNAUTHORIZED),
        ("", OWN, "", HTTPStatus.UNAUTHORIZED),
        ("/secret-/x", OWN, "", HTTPStatus.UNAUTHORIZED),
        ("/secret-10/x", OWN, "", HTTPStatus.UNAUTHORIZED),
        ("/s\u00e9cret/", OWN, "", HTTPStatus.UNAUTHORIZED),
        (f"/{TOKEN}/", OWN, "http://hostile.example", HTTPStatus.FORBIDDEN),
        (f"/{TOKEN}/", OWN, "null", HTTPStatus.FORBIDDEN),
        (f"/{TOKEN}/", OWN, f"https://{OWN}", HTTPStatus.FORBIDDEN),
        (f"/{TOKEN}/", OWN, "http://127.0.0.1:80", HTTPStatus.FORBIDDEN),
        (f"/{TOKEN}/", "hostile.example", "", HTTPStatus.FORBIDDEN),
        (f"/{TOKEN}/", "hostile.example", "http://hostile.example", HTTPStatus.FORBIDDEN),
        (f"/{TOKEN}/", "", "", HTTPStatus.FORBIDDEN),
    ],
)
def test_who_is_let_in(path, host, origin, expected):
    assert ACCESS.refusal(path, host, origin) is expected


def test_tokens_are_long_and_never_the_same():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100 and min(map(len, tokens)) >= 32


@pytest.mark.parametrize("host", ["192.168.0.7", "robot.local", "0.0.0.0", "", "::", "8.8.8.8"])
def test_others_reach_it_over_tls_alone(host):
    with pytest.raises(SaySoError) as error:
        Address(host)
    assert error.value.code is Code.CONFIG and error.value.hint


def test_a_certificate_lets_others_in_by_the_name_it_is_for():
    address = Address("robot.local", 443, "c.pem", "k.pem")
    assert address.scheme == "https"
    assert address.hosts(443) == {"robot.local:443", "robot.local"}
    for half in ({"certificate": "c.pem"}, {"key": "k.pem"}):
        with pytest.raises(SaySoError):
            Address(**half)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "::1", "127.8.9.1"])
def test_this_machine_needs_no_certificate(host):
    assert Address(host).scheme == "http"


class TestBoard:
    def test_who_comes_late_gets_the_newest_of_each_part(self):
        board = Board()
        for text in ("1", "2"):
            board.put("task", text)
        board.put("camera/left", b"jpeg")
        assert {p: v for p, _, v in board.newer({})} == {"task": "2", "camera/left": b"jpeg"}

    def test_only_what_changed_is_news(self):
        board, wakes = Board(), []
        with board.watched(lambda: wakes.append(1)):
            for text in ("1", "1", "2"):
                board.put("task", text)
        board.put("task", "3")
        assert len(wakes) == 2
        ((_, number, _),) = board.newer({})
        assert not board.newer({"task": number})


def test_what_was_taught_is_listed_with_how_often_it_was_shown_and_failed(tmp_path):
    for name, text in (("hang", '{"words": "hang the mug on the rack"}'), ("lay", "{")):
        for place in ("demonstrations/00", "demonstrations/01", "failed/00"):
            (tmp_path / "skills" / name / place).mkdir(parents=True)
        (tmp_path / "skills" / name / "skill.json").write_text(text)
        (tmp_path / "skills" / name / "demonstration_00.png").write_bytes(b"")
    hang, lay = taught_skills.listed(tmp_path)
    assert (hang["words"], hang["shown"], hang["failed"]) == ("hang the mug on the rack", 2, 1)
    assert hang["pictures"] == ["demonstration_00.png"] and lay["words"] == ""
    assert taught_skills.listed(tmp_path / "nothing") == []


class TestRuns:
    @pytest.fixture
    def root(self, tmp_path):
        root = tmp_path / "runs"
        (root / "one").mkdir(parents=True)
        result = {"code": "OK", "succeeded": True}
        report = {"instruction": "Stack them.", "result": result}
        (root / "one" / "report.json").write_text(json.dumps(report))
        (root / "one" / "task_2").mkdir()
        (root / "one" / "task_2" / "report.json").write_text("{")
        (root / "one" / "nodes.log").write_text("console: http://127.0.0.1:8765/secret/")
        (tmp_path / "secret.json").write_text("{}")
        (root / "out.json").symlink_to(tmp_path / "secret.json")
        return root

    def test_runs_are_listed_with_how_they_ended(self, root):
        told = {
            run["folder"]: (run["instruction"], run["code"], run["good"]) for run in listed(root)
        }
        assert told == {"one": ("Stack them.", "OK", True), "one/task_2": ("", "CORRUPT", False)}
        assert listed(root / "nothing") == []

    def test_the_files_of_a_report_are_found(self, root):
        assert file_below(root, "one/report.json") == root / "one" / "report.json"

    @pytest.mark.parametrize(
        "path",
        [
            "../secret.json",
            "one/../../secret.json",
            "out.json",
            "one/nodes.log",
            "one",
            "",
            "one/nothing.json",
            "one/report.json\0",
            "x" * 5000,
        ],
    )
    def test_nothing_else_is(self, root, path):
        assert file_below(root, path) is None
        assert file_below(root, str(root.parent / "secret.json")) is None


def test_the_automaton_is_drawn_with_the_way_taken(events):
    picture, drawn = AutomatonPicture(), []
    for event in events:
        picture.follow(event)
        drawn.append(picture.svg)
    assert drawn[0] == "" and drawn[-1].startswith("<svg")
    # Only steps along the automaton draw it anew.
    assert 3 <= len(set(drawn)) < len(events)
    picture.follow(Event(EventKind.INSTRUCTION, "interpret", 0.0, "another"))
    assert picture.svg == ""
