"""What an action needs in the now is planned for once it comes first, and looked at before it."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.adapters import registry
from sayso.core.errors import Code, SaySoError
from sayso.core.failure import Failure
from sayso.core.scene import SceneObject
from sayso.core.symbols import Check, Operator, PlanStep
from sayso.planning.bridging import Bridge
from sayso.planning.problem import PlanningProblem, TaskPlanner
from sayso.planning.repair import BrokenPlan
from sayso.planning.repairers import LearnSkill
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from sayso.worlds.kinematic_table import KinematicTable
from support.planning_cases import library, operator, parse_literal, problem

SLIDE = replace(
    operator("slide", ["shut(?d)"], ["open(?d)"], ["shut(?d)"], parameters=("?d",)),
    in_the_now=frozenset({parse_literal("not in_way(?x, ?d)")}),
)
TAKE_AWAY = operator(
    "take_away", ["loose(?x)", "in_way(?x, ?d)"], [], ["in_way(?x, ?d)"], parameters=("?x", "?d")
)
FETCH = operator("fetch", ["open(?d)"], ["holding(?x)"], parameters=("?x", "?d"))
THINGS = ("mug", "bowl", "left", "right")


def planner() -> TaskPlanner:
    made: TaskPlanner = registry.create("planner", "in_the_now[search]")
    return made


def doors(*facts: str, operators: tuple[Operator, ...] = (SLIDE, TAKE_AWAY)) -> PlanningProblem:
    initial = ("shut(left)", "shut(right)", "loose(mug)", *facts)
    return problem(operators, initial, "F(open(left))", THINGS)


def actions(case: PlanningProblem) -> list[str]:
    plan = planner().solve(case)
    validate(plan, case)
    return [str(a) for a in plan.actions]


def test_what_stands_before_this_door_is_taken_away_and_before_the_other_left() -> None:
    case = doors("in_way(mug, left)", "in_way(bowl, right)")
    assert [str(a) for a in SearchPlanner().solve(case).actions] == ["slide(left)"]
    assert actions(case) == ["take_away(mug, left)", "slide(left)"]
    assert actions(doors("in_way(bowl, right)")) == ["slide(left)"]


def test_what_is_not_known_is_looked_at_when_its_turn_comes() -> None:
    unknown = frozenset({parse_literal("in_way(mug, left)").atom})
    assert actions(replace(doors(), unknown=unknown)) == ["slide(left)"]


def test_what_cannot_be_taken_away_is_named() -> None:
    with pytest.raises(SaySoError) as caught:
        planner().solve(doors("in_way(bowl, left)"))
    assert caught.value.code is Code.NO_PLAN
    assert "in_way(bowl, left)" in caught.value.message and caught.value.hint


def test_a_repair_takes_away_what_turned_out_to_be_in_the_way() -> None:
    case = doors("in_way(mug, left)")
    slide = SLIDE.ground("left")
    lacked = Check(parse_literal("not in_way(mug, left)"), False)
    broken = BrokenPlan(Failure(slide, Code.PRECONDITION, (lacked,)), (PlanStep(slide),), case)
    mended = Bridge().propose(broken)
    assert [str(s.action) for s in mended.steps] == ["take_away(mug, left)", "slide(left)"]
    for repairer, there in ((Bridge(), "bowl"), (LearnSkill(), "mug")):  # the bowl is not loose
        lacked = Check(parse_literal(f"not in_way({there}, left)"), False)
        failure = Failure(slide, Code.PRECONDITION, (lacked,))
        operators = (SLIDE,) if there == "mug" else (SLIDE, TAKE_AWAY)
        hopeless = doors(f"in_way({there}, left)", operators=operators)
        with pytest.raises(SaySoError, match=f"in_way.{there}, left"):
            repairer.propose(BrokenPlan(failure, (PlanStep(slide),), hopeless))


def test_what_a_later_action_will_lack_is_planned_with() -> None:
    """What stands there already, and what the plan itself would put there."""
    for free in (
        operator("unlock", ["in_way(mug, left)"], ["shut(left)"]),
        operator("lean", [], ["shut(left)", "in_way(mug, left)"]),
    ):
        there = ("in_way(mug, left)",) if free.name == "unlock" else ()
        case = doors(*there, operators=(SLIDE, TAKE_AWAY, free))
        case = replace(case, initial=case.initial - {parse_literal("shut(left)").atom})
        assert [str(a) for a in SearchPlanner().solve(case).actions][1:] == ["slide(left)"]
        assert actions(case) == [f"{free.name}()", "take_away(mug, left)", "slide(left)"]


def test_what_comes_later_and_cannot_be_mended_is_no_matter_yet() -> None:
    free = operator("unlock", [], ["shut(left)"])
    case = doors("in_way(bowl, left)", operators=(SLIDE, free))
    case = replace(case, initial=case.initial - {parse_literal("shut(left)").atom})
    assert actions(case) == ["unlock()", "slide(left)"]


def test_whoever_acts_looks_at_it_right_before() -> None:
    """The mug may only be taken while nothing lies on the plate."""
    table = KinematicTable()
    pick = library().domain().operator("pick_from_table")
    wary = replace(pick, in_the_now=frozenset({parse_literal("not on(?x, plate)")}))
    needs = wary.ground("mug").needs(table.scene.by_name())
    assert parse_literal("not on(red_block, plate)") in needs
    assert parse_literal("not on(plate, plate)") not in needs
    assert pick.ground("mug").needs(table.scene.by_name()) == pick.ground("mug").preconditions

    plate = table.scene.by_name()["plate"]
    low = plate.position[2] + plate.size[2] / 2
    x, y, _ = plate.position
    size = (0.04, 0.04, 0.04)
    table.add(SceneObject("crumb", "block", "red", (x, y, low + 0.02), size))
    with pytest.raises(SaySoError) as caught:
        table.act(wary.ground("mug"), 0, lambda _: None)
    assert caught.value.code is Code.PRECONDITION
    assert "on(crumb, plate)" in caught.value.message
    table.act(pick.ground("mug"), 0, lambda _: None)
