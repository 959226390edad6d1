"""The suite of upset tasks: what counts as solved, and what the report says of each kind."""

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.evaluation.cases import Outcome, Row
from sayso.evaluation.upsets import suite
from sayso.evaluation.upsets.runs import UpsetRun
from sayso.evaluation.upsets.suite import Upsets
from sayso.evaluation.upsets.table import kinematic_run
from sayso.pipeline import Outcome as Ended


def judged(monkeypatch, done: UpsetRun, upset: str = "thing_moved") -> Outcome:
    monkeypatch.setitem(suite._RUNS, "kinematic_table", lambda *_: done)
    runs = Upsets("kinematic_table", (upset,), 1)
    return runs.run(runs.cases()[0], 0)


def run(code: Code, *, reached: bool, met: bool = True, broken: tuple[str, ...] = ()) -> UpsetRun:
    at = kinematic_run("thing_moved", 0).upset_at if met else None
    return UpsetRun("Put ...", Ended(code, "because"), at, reached, reached, broken, (), ())


def test_the_goal_must_be_claimed_and_true_with_nothing_forbidden_touched(monkeypatch):
    assert judged(monkeypatch, run(Code.OK, reached=True)).success
    assert not judged(monkeypatch, run(Code.OK, reached=False)).success
    assert not judged(monkeypatch, run(Code.EXECUTION, reached=True)).success
    assert not judged(monkeypatch, run(Code.OK, reached=True, met=False)).success
    broken = judged(monkeypatch, run(Code.OK, reached=True, broken=("mug",)))
    assert not broken.success and broken.code is Code.VIOLATED


def test_what_cannot_be_done_any_more_must_be_named(monkeypatch):
    upset = "thing_taken_away"
    assert judged(monkeypatch, run(Code.NO_PLAN, reached=False), upset).success
    assert not judged(monkeypatch, run(Code.PLAN_TIMEOUT, reached=False), upset).success
    assert not judged(monkeypatch, run(Code.OK, reached=False), upset).success


def test_an_upset_of_another_world_is_named_with_the_choices():
    with pytest.raises(SaySoError) as told:
        Upsets("flat", ("drawer_shut",))
    assert told.value.code is Code.CONFIG and "doors_shut" in told.value.choices


def test_a_drawer_that_is_shut_by_somebody_is_opened_to_see_what_is_in_it():
    done = kinematic_run("drawer_shut", 18)
    assert done.outcome.code is Code.OK and done.reached
    assert done.repairs == ("look", "replan")


def test_the_report_counts_by_kind():
    measures = {"met": True, "in the goal": True, "broken": False, "by replan": 2}
    rows = [
        Row("upsets", "a 0", "thing moved", True, "OK", measures, "", 0, 1.0),
        Row(
            "upsets",
            "a 1",
            "thing moved",
            False,
            "NO_PLAN",
            {**measures, "in the goal": False},
            "",
            0,
            1.0,
        ),
        Row("upsets", "a 2", "thing moved", False, "OK", {"met": False}, "", 0, 1.0),
    ]
    told = Upsets("kinematic_table").summary(rows)
    assert "| thing moved | 2 | 1 | 0 | NO_PLAN 1 | 4 |" in told
