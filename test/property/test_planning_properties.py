"""Planners against a blind oracle, on tiny random problems."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from sayso.adapters.planners.fast_downward import FastDownwardPlanner
from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Domain, Literal, Operator, Plan, ground_all
from sayso.logic.formula import (
    Always,
    Eventually,
    Formula,
    Next,
    Not,
    Prop,
    Until,
    WeakNext,
    conjunction,
    disjunction,
)
from sayso.logic.progression import Progression
from sayso.planning.problem import PlanningProblem, TaskPlanner
from sayso.planning.product import ExhaustedError, Product, first
from sayso.planning.search import SearchPlanner
from sayso.planning.validate import validate
from support.planning_cases import oracle

OBJECTS = ("a", "b")
LIFTED = [Atom("p", ("?x",)), Atom("q", ("?x",)), Atom("r", ("?x", "?y")), Atom("s")]
GROUND = [Atom(x.predicate, args) for x in LIFTED[:2] for args in (("a",), ("b",))]
GROUND += [Atom("r", ("a", "b")), Atom("r", ("b", "a")), Atom("s")]


@st.composite
def operators(draw: st.DrawFn, name: str) -> Operator:
    parameters = draw(st.sampled_from([("?x",), ("?x", "?y")]))
    usable = [x for x in LIFTED if set(x.args) <= set(parameters)]
    some = st.frozensets(st.sampled_from(usable), max_size=2)
    needs = draw(some)
    signs = draw(st.lists(st.booleans(), min_size=len(needs), max_size=len(needs)))
    return Operator(
        name,
        parameters,
        frozenset(Literal(x, sign) for x, sign in zip(sorted(needs), signs, strict=True)),
        draw(some),
        draw(some),
        draw(st.frozensets(st.sampled_from(usable), max_size=1)),
        cost=float(draw(st.integers(0, 3))),
    )


PROPS: st.SearchStrategy[Formula] = st.sampled_from([Prop(x.predicate, x.args) for x in GROUND])
FORMULAS = st.recursive(
    st.one_of(PROPS, PROPS.map(Not)),
    lambda inner: st.one_of(
        inner.map(Eventually),
        inner.map(Always),
        inner.map(Next),
        inner.map(WeakNext),
        st.tuples(inner, inner).map(lambda p: conjunction(*p)),
        st.tuples(inner, inner).map(lambda p: disjunction(*p)),
        st.tuples(inner, inner).map(lambda p: Until(*p)),
    ),
    max_leaves=5,
)


NOTHING = st.just(frozenset[Prop]())


@st.composite
def problems(draw: st.DrawFn) -> PlanningProblem:
    names = [f"act{i}" for i in range(draw(st.integers(1, 3)))]
    task = Progression.of(draw(FORMULAS))
    assume(task.can_begin())
    case = PlanningProblem(
        Domain(tuple(draw(operators(n)) for n in names)),
        OBJECTS,
        draw(st.frozensets(st.sampled_from(GROUND))),
        task,
    )
    letters = st.frozensets(st.sampled_from(task.propositions)) if task.propositions else NOTHING
    trace = draw(st.one_of(st.none(), st.lists(letters, min_size=1, max_size=3)))
    return case if trace is None else replace(case, states=task.run(trace))


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
        assert not _accepted(changed, case)
    else:
        assert _accepted(changed, case)


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


def _accepted(plan: Plan, case: PlanningProblem) -> bool:
    """Whether the plan can be carried out to acceptance: a literal reading of the semantics."""
    task = case.task

    def letter(state: frozenset[Atom]) -> frozenset[Prop]:
        return frozenset(
            p
            for p in task.propositions
            if Atom(p.predicate, p.args) in state  # type: ignore[arg-type]
        )

    state, q = case.initial, case.states
    if q is None:
        q = task.step(task.initial, letter(state))
    for action in plan.actions:
        if not action.applicable(state):
            return False
        if letter(state | action.during) != letter(state):
            q = task.step(q, letter(state | action.during))
        state = action.apply(state)
        q = task.step(q, letter(state))
    return task.is_done(q)


def test_the_oracle_can_fail():
    case = PlanningProblem(Domain(()), (), frozenset(), Progression.of(Eventually(Prop("s"))))
    assert oracle(case) is None
    with pytest.raises(SaySoError):
        SearchPlanner().solve(case)
