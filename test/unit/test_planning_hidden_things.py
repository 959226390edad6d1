"""Plans that look for what is not seen: each place once, and again when it is lost anew."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action
from sayso.planning.achieving import Situation
from sayso.planning.hidden_things import Search, lost_to_task, showing, unknown_to_task
from sayso.planning.looking import Look
from sayso.planning.problem import PlanningProblem
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from support.planning_cases import atom, atoms, operator, tabletop
from support.planning_cases import problem as made

LOST = "green_block"
KINDS = atoms("movable(green_block)", "graspable(green_block)", "clear(green_block)")


def hidden(text: str, *changes: str) -> PlanningProblem:
    """The table, of whose green block nothing is known but that there is one."""
    gone = (f"not on_table({LOST})", *(f"not {k}" for k in KINDS))
    return tabletop(text, *changes, *gone, "drawer(chest)", "container(chest)", "closed(chest)")


def with_chest(problem: PlanningProblem) -> PlanningProblem:
    categories = {**problem.categories, "chest": "drawer"}
    return replace(problem, objects=(*problem.objects, "chest"), categories=categories)


@pytest.fixture
def problem() -> PlanningProblem:
    return with_chest(hidden("F(on(green_block, plate))"))


def first(search: Search, problem: PlanningProblem) -> Action:
    """The first step of a valid plan for the problem in which it is looked for the block."""
    wanted = search.extended(problem, {LOST}, KINDS)
    plan = SearchPlanner().solve(wanted)
    validate(plan, wanted)
    return plan.actions[0]


def test_what_is_hidden_is_planned_to_be_where_it_may_be(problem):
    with pytest.raises(SaySoError) as error:
        SearchPlanner().solve(problem)
    assert error.value.code is Code.NO_PLAN
    search = Search("in_sight")
    action = first(search, problem)
    assert search.base(action) == "open_drawer" and action.skill == "open_drawer"
    assert atom("in_sight(green_block)") in action.add
    assert search.base(replace(action, name="close_drawer")) == "close_drawer"


def test_each_place_is_looked_at_once_and_the_search_then_given_up(problem):
    search = Search("in_sight")
    one = first(search, problem)
    search.looked(one)
    other = first(search, problem)
    search.looked(other)
    assert {*one.args, *other.args} == {"drawer", "chest"}
    with pytest.raises(SaySoError) as error:
        first(search, problem)
    assert error.value.code is Code.NO_PLAN


def test_a_door_behind_which_things_were_seen_in_two_places_is_opened_once_for_both():
    opening = replace(
        operator("open", ["shut(?d)"], ["open(?d)"], ["shut(?d)"], parameters=("?d",)),
        observes=frozenset({atom("within(?x, this)"), atom("within(?x, that)")}),
    )
    taking = operator("take", ["in_sight(?x)"], ["holding(?x)"], parameters=("?x",))
    things = ("green_block", "left", "right", "this", "that")
    shut = ("shut(left)", "shut(right)")
    case = made((opening, taking), shut, "F(holding(green_block))", things)
    search = Search("in_sight")
    doors = []
    for _ in range(2):
        wanted = search.extended(case, {LOST}, ())
        action, _ = SearchPlanner().solve(wanted).actions
        doors += action.args
        search.looked(action)
    assert sorted(doors) == ["left", "right"]
    with pytest.raises(SaySoError) as error:
        SearchPlanner().solve(search.extended(case, {LOST}, ()))
    assert error.value.code is Code.NO_PLAN


def test_what_was_found_and_is_lost_again_is_looked_for_in_the_same_place_again(problem):
    search = Search("in_sight")
    one = first(search, problem)
    search.looked(one)
    assert first(search, problem) != one
    search.extended(problem, (), ())  # it is seen
    assert first(search, problem) == one


def test_which_actions_show_what_is_told_by_operators_alone(problem):
    shown = [str(a) for a in showing(problem, (), anything=True)]
    assert shown == ["open_drawer(drawer)", "open_drawer(chest)"]
    unknown = atoms("in(red_block, chest)")
    assert [str(a) for a in showing(problem, unknown, anything=False)] == ["open_drawer(chest)"]
    assert not list(showing(problem, atoms("on(red_block, plate)"), anything=False))


def test_what_the_task_names_and_nobody_sees_is_lost(problem):
    assert not lost_to_task(problem)
    gone = replace(problem, objects=tuple(o for o in problem.objects if o != LOST))
    assert lost_to_task(gone) == {LOST}


def test_what_a_never_names_is_not_missed():
    case = hidden("F(on(red_block, plate)) & G(!touching(green_block))")
    here = Situation.of(case)
    gone = replace(case, objects=tuple(o for o in case.objects if o != LOST), states=here.states)
    assert not lost_to_task(gone)


def test_what_is_left_of_a_task_may_not_be_known():
    inside = atom("in(red_block, drawer)")
    others = atoms("on(red_block, plate)", "in(blue_block, drawer)")
    case = tabletop("F(on(red_block, mug))", unknown=frozenset({inside, *others}))
    assert unknown_to_task(case) == {inside}


def test_where_a_thing_is_that_may_be_in_the_drawer_is_looked_into():
    """Where the block is nobody knows, but that it is on nothing else."""
    inside = atom("in(red_block, drawer)")
    case = tabletop("F(on(red_block, plate))", "not on_table(red_block)", unknown={inside})
    with pytest.raises(SaySoError):
        SearchPlanner().solve(case)
    proposal = Look.before_giving_up(case)
    assert proposal.looks
    assert [str(s.action) for s in proposal.steps] == ["open_drawer(drawer)"]
    assert "not known whether the red block is in the drawer" in proposal.reason
