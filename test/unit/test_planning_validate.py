"""The validator refuses every plan that breaks a rule, and says which step is at fault."""

from __future__ import annotations

from dataclasses import replace

import pytest

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Plan, PlanStep
from sayso.planning.problem import PlanningProblem
from sayso.planning.validate import validate
from support.planning_cases import DEMO, atom, library, operator, problem, tabletop

GOOD = (
    ("pick_from_table", "red_block"),
    ("place_on", "red_block", "plate"),
    ("pick_from_table", "blue_block"),
    ("stack", "blue_block", "red_block"),
)


def plan(*calls: tuple[str, ...]) -> Plan:
    domain = library().domain()
    actions = [domain.operator(name).ground(*args) for name, *args in calls]
    return Plan(tuple(map(PlanStep, actions)), cost=sum(a.cost for a in actions))


def refusal(bad: Plan, case: PlanningProblem) -> str:
    with pytest.raises(SaySoError) as caught:
        validate(bad, case)
    assert caught.value.code is Code.PLAN_INVALID
    return caught.value.message


def test_a_good_plan_passes():
    validate(plan(*GOOD), tabletop(DEMO))


@pytest.mark.parametrize(
    ("calls", "words"),
    [
        (GOOD[1:], "Step 1, place_on(red_block, plate), needs holding(red_block)"),
        (GOOD[:2], "not done"),
        ((*GOOD[2:], *GOOD[:2]), "needs clear(red_block)"),
        ((*GOOD, ("pick_from_table", "mug")), "Step 5, pick_from_table(mug), breaks the task"),
        (((*GOOD[0][:1], "sofa"), *GOOD[1:]), "'sofa', which is not in the scene"),
        ((*GOOD, ("place_on", "plate", "plate")), "names one object twice"),
    ],
)
def test_a_bad_plan_is_refused(calls: tuple[tuple[str, ...], ...], words: str):
    assert words in refusal(plan(*calls), tabletop(DEMO))


def test_a_tampered_action_is_refused():
    good = plan(*GOOD)
    lenient = replace(good.actions[0], preconditions=frozenset())
    steps = (PlanStep(lenient), *good.steps[1:])
    assert "not an instance" in refusal(replace(good, steps=steps), tabletop(DEMO))


def test_what_an_action_ends_of_all_things_alike_counts_though_it_was_not_told_of_them():
    """Such as a step that came in a message, which names its own things alone."""
    beside = "left_of(mug, bowl)"
    case = tabletop(f"G({beside}) & F(holding(mug))", beside)
    assert "breaks the task" in refusal(plan(("pick_from_table", "mug")), case)


def test_an_unknown_operator_is_refused():
    good = plan(*GOOD)
    steps = (PlanStep(replace(good.actions[0], name="throw")), *good.steps[1:])
    assert "no known operator" in refusal(replace(good, steps=steps), tabletop(DEMO))


def test_a_wrong_cost_is_refused():
    assert "costs" in refusal(replace(plan(*GOOD), cost=3.0), tabletop(DEMO))


def test_what_is_seen_only_while_an_action_runs_is_checked():
    case = tabletop("F(open(drawer)) & G(!touching(drawer))")
    assert "breaks the task" in refusal(plan(("open_drawer", "drawer")), case)


def test_what_does_not_change_while_an_action_runs_is_no_letter():
    # The drawer is open at the end of the first step, though something happens during it.
    validate(plan(("open_drawer", "drawer")), tabletop("X(open(drawer))"))
    shown = "X(open(drawer)) & F(touching(drawer))"
    assert "breaks the task" in refusal(plan(("open_drawer", "drawer")), tabletop(shown))


def test_an_avoided_action_is_refused():
    case = tabletop(DEMO, avoid=frozenset({("pick_from_table", ("red_block",))}))
    assert "to be avoided" in refusal(plan(*GOOD), case)


def test_a_step_that_needs_something_unknown_is_refused():
    case = tabletop(DEMO, unknown=frozenset({atom("accessible(drawer)")}))
    calls = (GOOD[0], ("place_in", "red_block", "drawer"))
    assert "not known" in refusal(plan(*calls), case)


def test_every_way_that_an_unknown_proposition_may_be_is_checked():
    wave = operator("wave", add=["waved()"])
    case = problem([wave], [], "F(waved()) & G(!hot())", unknown=frozenset({atom("hot()")}))
    steps = (PlanStep(wave.ground()),)
    assert "breaks the task" in refusal(Plan(steps, cost=1.0), case)


def test_an_accepting_start_accepts_only_the_state_it_was_given():
    case = tabletop("F(on(red_block, plate))", states=(0,))
    assert "not done" in refusal(plan(), case)
