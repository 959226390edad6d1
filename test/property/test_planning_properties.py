"""Planners against a blind oracle, on tiny random problems."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sayso.adapters.planners.fast_downward import FastDownwardPlanner
from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Domain, Plan
from sayso.logic.formula import Eventually, Prop
from sayso.logic.progression import Progression
from sayso.planning.problem import PlanningProblem, TaskPlanner
from sayso.planning.product import ExhaustedError, Product, first
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from support.drawn_problems import GROUND, problems
from support.planning_cases import accepted, ground_all, oracle


def cost_of(planner: TaskPlanner, case: PlanningProblem) -> float | None:
    """The cost of the planner's validated plan, None for a proof that there is none."""
    try:
        plan = planner.solve(case)
    except SaySoError as error:
        assert error.code is Code.NO_PLAN, error
        return None
    validate(plan, case)
    return plan.cost


@settings(derandomize=True, deadline=None, max_examples=150)
@given(problems())
def test_search_is_complete_and_optimal(case: PlanningProblem):
    assert cost_of(SearchPlanner(), case) == oracle(case)


@settings(derandomize=True, deadline=None, max_examples=100)
@given(problems())
def test_greedy_search_is_complete(case: PlanningProblem):
    product = Product.of(case)
    assume(product.reader.start >= 0)
    try:
        found: float | None = product.cost(first(product, poll=lambda: None))
    except ExhaustedError:
        found = None
    best = oracle(case)
    assert (found is None) == (best is None)
    assert found is None or best is None or found >= best


@settings(derandomize=True, deadline=None, max_examples=12)
@given(problems())
def test_fast_downward_agrees_on_what_is_possible(case: PlanningProblem):
    assert (cost_of(FastDownwardPlanner(), case) is None) == (oracle(case) is None)


@settings(derandomize=True, deadline=None, max_examples=150)
@given(problems(), st.frozensets(st.sampled_from(GROUND), min_size=1, max_size=3), st.data())
def test_a_plan_with_unknown_atoms_holds_in_every_world(
    case: PlanningProblem, unknown: frozenset[Atom], data: st.DataObject
):
    unsure = replace(case, initial=case.initial - unknown, unknown=unknown)
    best = oracle(unsure)
    assert cost_of(SearchPlanner(), unsure) == best
    if best is not None:
        plan = SearchPlanner().solve(unsure)
        true = data.draw(st.frozensets(st.sampled_from(sorted(unknown))))
        validate(plan, replace(unsure, initial=unsure.initial | true, unknown=frozenset()))


@settings(derandomize=True, deadline=None, max_examples=100)
@given(problems(), st.data())
def test_the_validator_agrees_with_the_oracle_on_every_change_of_a_plan(
    case: PlanningProblem, data: st.DataObject
):
    try:
        plan = SearchPlanner().solve(case)
    except SaySoError:
        return
    changed = _mutated(plan, case, data)
    try:
        validate(changed, case)
    except SaySoError as error:
        assert error.code is Code.PLAN_INVALID
        assert not accepted(changed, case)
    else:
        assert accepted(changed, case)


def _mutated(plan: Plan, case: PlanningProblem, data: st.DataObject) -> Plan:
    """The plan with one step dropped, doubled, or replaced by another action."""
    steps = list(plan.steps)
    assume(steps)
    i = data.draw(st.integers(0, len(steps) - 1))
    others = ground_all(case.domain.operators, case.objects)
    change = data.draw(st.sampled_from(["drop", "double", "replace"]))
    if change == "drop":
        del steps[i]
    elif change == "double":
        steps.insert(i, steps[i])
    else:
        steps[i] = replace(steps[i], action=data.draw(st.sampled_from(others)))
    return replace(plan, steps=tuple(steps), cost=sum(s.action.cost for s in steps))


def test_the_oracle_can_fail():
    case = PlanningProblem(Domain(()), (), frozenset(), Progression.of(Eventually(Prop("s"))))
    assert oracle(case) is None
    with pytest.raises(SaySoError):
        SearchPlanner().solve(case)
