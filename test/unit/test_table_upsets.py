"""Somebody meddles with the table once while a task goes on: it ends in the goal, or is named."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.errors import Code
from sayso.core.scene import Scene
from sayso.logic.progression import Verdict
from sayso.pipeline import perform
from sayso.reporting.report import RunReport
from sayso.worlds.kinematic_table import KinematicTable, example_objects, with_opening
from sayso.worlds.table_upsets import UPSETS, MeddledTable

STACK = (
    "Put the red block on the plate, then put the blue block on the red block. Never touch the mug."
)
CLOSE = "Put the green block in the drawer and close it."
POSSIBLE = sorted(set(UPSETS) - {"thing_taken_away"})


def performed(upset: str, begun: int, instruction: str):
    table, report = MeddledTable(upset, begun, seed=begun), RunReport()
    return perform(instruction, table, report.add), table, report


@pytest.mark.parametrize("upset", POSSIBLE)
@pytest.mark.parametrize(("begun", "instruction"), [(1, STACK), (2, CLOSE)])
def test_a_task_that_somebody_upsets_ends_in_its_goal(upset, begun, instruction):
    outcome, table, report = performed(upset, begun, instruction)
    assert outcome.code is Code.OK, outcome.message
    assert outcome.verdict is Verdict.SATISFIED
    assert not any("mug" in action.args for action in table.done if instruction is STACK)
    failed = [e.skill for e in report.events if e.skill and e.skill.code is not Code.OK]
    repairs = report.as_data()["repairs"]
    assert bool(repairs) == bool(failed)
    assert all(r["taken"] for r in repairs)


@pytest.mark.parametrize("upset", sorted(UPSETS))
def test_each_upset_happens_to_some_task(upset):
    cases = [(begun, words) for words in (CLOSE, STACK) for begun in (1, 0, 2)]
    assert any(performed(upset, *case)[1].upset_at is not None for case in cases)


def test_what_somebody_hides_in_the_drawer_is_found():
    outcome, table, report = performed("thing_hidden_in_the_drawer", 0, STACK)
    assert table.upset_at is not None
    assert outcome.code is Code.OK
    first, second = report.as_data()["repairs"]
    assert (first["repairer"], first["steps"]) == ("look", ["open_drawer(drawer)"])
    assert (second["repairer"], second["failure"]) == ("replan", "OBJECT_LOST")


def test_what_went_out_of_sight_without_a_failure_is_looked_for():
    """The drawer is left ajar around the block, and pushing it to goes well."""
    outcome, table, report = performed("drawer_left_ajar", 3, CLOSE)
    assert table.upset_at is not None
    assert table.upset_at.name == "close_drawer"
    assert outcome.code is Code.OK, outcome.message
    (repair,) = report.as_data()["repairs"]
    assert (repair["repairer"], repair["failure"]) == ("look", "NO_PLAN")
    assert repair["steps"] == ["open_drawer(drawer)"]
    assert "the green block is not seen" in repair["reason"]


def test_what_is_in_no_place_is_named_once_each_was_looked_at():
    class Robbed(KinematicTable):
        """Somebody takes the block away once the words are agreed on."""

        def watch(self, understanding):
            gone = tuple(o for o in self._scene.objects if o.name != "green_block")
            self._scene = replace(self._scene, objects=gone)
            return super().watch(understanding)

    table, report = Robbed(), RunReport()
    outcome = perform("Put the green block on the plate. Never touch the mug.", table, report.add)
    assert outcome.code is Code.NO_PLAN
    assert [str(a) for a in table.done] == ["open_drawer(drawer)"]
    first, second = report.as_data()["repairs"]
    assert first["taken"] and not second["taken"]


def test_what_was_taken_away_is_named():
    outcome, table, _ = performed("thing_taken_away", 0, CLOSE)
    assert table.upset_at is not None
    assert outcome.code is Code.NO_PLAN
    assert "green_block" in outcome.message


@pytest.mark.parametrize("opening_m", [0.021, 0.025, 0.079])
def test_a_drawer_that_is_ajar_is_opened_before_anything_is_put_in(opening_m):
    table = KinematicTable(with_opening(Scene(0.0, example_objects()), "drawer", opening_m).objects)
    outcome = perform("Put the red block in the drawer.", table, lambda _: None)
    assert outcome.code is Code.OK
    assert [a.name for a in table.done] == ["open_drawer", "pick_from_table", "place_in"]


def test_a_drawer_that_somebody_leaves_ajar_is_opened_again():
    outcome, table, report = performed("drawer_left_ajar", 2, CLOSE)
    assert table.upset_at is not None
    assert table.upset_at.name == "place_in"
    assert outcome.code is Code.OK
    assert [a.name for a in table.done].count("open_drawer") == 2
    (repair,) = report.as_data()["repairs"]
    assert repair["cause"] == "not accessible(drawer)"
