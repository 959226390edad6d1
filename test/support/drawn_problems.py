"""Tiny random planning problems, for Hypothesis."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import assume
from hypothesis import strategies as st

from sayso.core.symbols import Atom, Domain, Literal, Operator
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
from sayso.planning.problem import PlanningProblem

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
