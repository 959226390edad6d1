"""Each step of a plan says what it is for."""

from __future__ import annotations

from dataclasses import replace

from sayso.planning.problem import PlanningProblem
from sayso.planning.search import SearchPlanner
from support.planning_cases import DEMO, operator, problem, tabletop


def reasons(case: PlanningProblem) -> list[str]:
    return [s.why for s in SearchPlanner().solve(case).steps]


def test_wishes_and_preconditions_are_told_apart():
    assert reasons(tabletop(DEMO)) == [
        "step 2 (put the red block on the plate) needs that the robot holds the red block",
        "the task asks that the red block is on the plate",
        "step 4 (stack the blue block on the red block) needs that the robot holds the blue block",
        "the task asks that the blue block is on the red block",
    ]


def test_a_part_that_only_later_completes_a_wish_is_credited():
    why = reasons(tabletop("F(on(red_block, plate) & on(blue_block, red_block))"))
    assert why[1] == "the task asks that the red block is on the plate"


def test_what_is_undone_for_a_later_step_is_told():
    steps = SearchPlanner().solve(tabletop("F(in(mug, drawer) & closed(drawer))")).steps
    why = {s.action.name: s.why for s in steps}
    assert (
        "(put the mug in the drawer) needs that the hand can reach into the drawer"
        in why["open_drawer"]
    )
    assert why["close_drawer"] == "the task asks that the drawer is closed"


def test_what_is_seen_only_while_it_runs_is_credited():
    assert reasons(tabletop("F(touching(drawer))")) == [
        "the task asks that the robot touches the drawer"
    ]


def test_keeping_a_rule_is_not_called_a_wish():
    why = reasons(tabletop("F(on(red_block, plate)) & G(!touching(mug))"))
    assert not any("mug" in w for w in why)


def test_atoms_stand_in_where_the_english_is_not_known():
    case = replace(tabletop("F(holding(mug))"), predicates={})
    assert reasons(case) == ["the task asks that holding(mug)"]


def test_a_step_that_only_passes_time_says_so():
    wait = operator("wait")
    assert reasons(problem([wait], [], "X(true)")) == [
        "the order that the task asks for needs a step here"
    ]
