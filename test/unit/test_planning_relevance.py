"""With many things a plan is looked for among those that matter, and then among all."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.adapters.planners.portfolio import PortfolioPlanner
from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Plan
from sayso.planning.grounding import ground
from sayso.planning.letters import letter_atoms
from sayso.planning.problem import PlanLimits, PlanningProblem, TaskPlanner
from sayso.planning.relevance import FocusedPlanner, focused
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from support.drawn_problems import problems
from support.planning_cases import atom, operator, problem, tabletop

MUGS = tuple(f"mug_{n}" for n in range(60))
MORE = frozenset(
    atom(f"{p}({m})") for m in MUGS for p in ("movable", "graspable", "on_table", "clear")
)


def crowded(text: str, *changes: str) -> PlanningProblem:
    """The table with sixty mugs more."""
    case = tabletop(text, *changes)
    return replace(case, objects=(*case.objects, *MUGS), initial=case.initial | MORE)


def few(case: PlanningProblem) -> PlanningProblem:
    return focused(case, letter_atoms(case.task))


def test_what_the_task_does_not_speak_of_is_left_out() -> None:
    case = crowded("F(in(red_block, bowl))")
    assert set(few(case).objects) == {"red_block", "bowl", "drawer"}  # nothing else shuts


def test_what_stands_beside_a_thing_does_not_matter() -> None:
    """Picking it up ends that it is left of all the others."""
    rows = frozenset(
        Atom(side, pair)
        for a, b in pairwise(("red_block", *MUGS))
        for side, pair in (("left_of", (a, b)), ("right_of", (b, a)))
    )
    case = crowded("F(in(red_block, bowl))")
    assert set(few(replace(case, initial=case.initial | rows)).objects) == set(few(case).objects)


def test_states_are_told_apart_by_what_the_task_or_an_action_asks_for() -> None:
    case = few(crowded("F(left_of(red_block, bowl))"))
    names = {a.predicate for a in ground(case, letter_atoms(case.task)).atoms}
    assert names == {"left_of"} | {
        x.atom.predicate for op in case.domain.operators for x in op.preconditions
    } & {a.predicate for op in case.domain.operators for a in op.add | op.delete}
    (beside,) = (a for a in ground(case, letter_atoms(case.task)).atoms if a.predicate == "left_of")
    assert beside.args == ("red_block", "bowl")


def test_what_is_in_the_way_matters() -> None:
    stacked = ("not on_table(mug)", "on(mug, red_block)", "not clear(red_block)")
    held = ("not gripper_empty()", "holding(coaster)", "not on_table(coaster)")
    assert "mug" in few(crowded("F(in(red_block, bowl))", *stacked)).objects
    assert "coaster" in few(crowded("F(in(red_block, bowl))", *held)).objects


@pytest.mark.parametrize("planner", [PortfolioPlanner(), FocusedPlanner(SearchPlanner())])
@pytest.mark.parametrize(
    "text",
    [
        "F(in(red_block, bowl) & in(blue_block, drawer))",
        "F(on(red_block, blue_block) & F(on_table(red_block))) & G(!touching(mug))",
        "F(holding(mug_7) & F(in(mug_7, bowl)))",
    ],
)
def test_a_plan_with_few_things_is_one_for_all(text: str, planner: TaskPlanner) -> None:
    case = crowded(text)
    validate(planner.solve(case), case)


def test_what_happens_to_all_things_is_said_of_all_in_a_plan_with_few() -> None:
    sweep = operator("sweep", ["here(?r)"], [], ["dusty(?r, ?x)"], parameters=("?r",))
    carry = operator("carry", [], ["moved(?a, ?b)"], parameters=("?a", "?b"))
    things = ("hall", "shelf", *(f"thing_{n}" for n in range(18)))
    dust = ["here(hall)", "dusty(hall, shelf)"]
    case = problem([sweep, carry], dust, "F(!dusty(hall, shelf))", things)
    assert len(few(case).objects) < len(things) / 2
    validate(PortfolioPlanner().solve(case), case)


class Noting:
    """Asks a planner, and notes of how many things it was asked about."""

    def __init__(self) -> None:
        self.counts: list[int] = []

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        self.counts.append(len(problem.objects))
        return SearchPlanner().solve(problem, limits)


def test_a_thing_that_only_an_operator_knows_of_is_found_without_all_the_others() -> None:
    things = (*(f"thing_{n}" for n in range(98)), "knife", "bread")
    cut = operator("cut", ["blade(?k)", "near(?t, ?k)"], ["sliced(?t)"], parameters=("?t", "?k"))
    fetch = operator("fetch", ["blade(?k)"], ["near(?t, ?k)"], parameters=("?t", "?k"))
    carry = operator("carry", [], ["moved(?a, ?b)"], parameters=("?a", "?b"))
    case = problem([cut, fetch, carry], ["blade(knife)"], "F(sliced(bread))", things)
    assert "knife" not in few(case).objects
    noting = Noting()
    plan = FocusedPlanner(noting).solve(case)
    assert [s.action.name for s in plan.steps] == ["fetch", "cut"]
    assert noting.counts == [1, 3]  # bread; then the knife, and one of what is no knife
    validate(plan, case)


ANY = " | ".join(f"F(in({mug}, bowl))" for mug in MUGS)
ALL = " & ".join(f"F(in({mug}, bowl))" for mug in MUGS[:6])
NONE = " & ".join(f"G(!touching({mug}))" for mug in MUGS)


@pytest.mark.parametrize("text", [ANY, f"F(in(red_block, bowl)) & {NONE}"])
def test_of_things_of_which_any_or_none_will_do_few_are_tried(text: str) -> None:
    case, noting = crowded(text), Noting()
    plan = FocusedPlanner(noting).solve(case)
    assert len(plan.steps) == 2 and len(noting.counts) == 1 and noting.counts[0] < 10
    validate(plan, case)


def test_things_that_are_all_needed_or_differ_are_not_left_out() -> None:
    noting = Noting()
    validate(FocusedPlanner(noting).solve(crowded(ALL)), crowded(ALL))
    assert len(noting.counts) == 1 and noting.counts[0] >= 6
    hidden = [f"not clear({mug})" for mug in MUGS[:59]]
    case = crowded(ANY)
    case = replace(case, initial=case.initial - {atom(x.removeprefix("not ")) for x in hidden})
    (step, _) = FocusedPlanner(SearchPlanner()).solve(case).steps
    assert step.action.args == (MUGS[59],)


def test_what_is_so_of_a_thing_now_keeps_it() -> None:
    out = " & ".join(f"F(!on_table({mug}))" for mug in MUGS[:5])
    validate(FocusedPlanner(SearchPlanner()).solve(crowded(out)), crowded(out))


def test_only_the_whole_tells_that_there_is_no_plan() -> None:
    things = (*(f"thing_{n}" for n in range(20)), "bread")
    cut = operator("cut", ["blade(?k)"], ["sliced(?t)"], parameters=("?t", "?k"))
    noting = Noting()
    with pytest.raises(SaySoError) as caught:
        FocusedPlanner(noting).solve(problem([cut], [], "F(sliced(bread))", things))
    assert caught.value.code is Code.NO_PLAN
    assert noting.counts[-1] == len(things)
    assert noting.counts == sorted(set(noting.counts))


CROWD = tuple(f"other_{n}" for n in range(20))


@given(tiny=problems(), alike=st.lists(st.sampled_from("ab"), min_size=20, max_size=20))
@settings(max_examples=40)
def test_bystanders_take_no_plan_away(tiny: PlanningProblem, alike: list[str]) -> None:
    try:
        SearchPlanner().solve(tiny)
    except SaySoError:
        return
    crowd = dict(zip(CROWD, alike, strict=True))
    copied = {
        Atom(a.predicate, (other,))
        for a in tiny.initial for other, like in crowd.items() if a.args == (like,)
    }  # fmt: skip
    case = replace(tiny, objects=(*tiny.objects, *CROWD), initial=tiny.initial | copied)
    validate(FocusedPlanner(SearchPlanner()).solve(case), case)
