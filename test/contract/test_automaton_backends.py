"""Every automaton backend accepts what the semantics says and builds the same automaton."""

from __future__ import annotations

import pytest
from hypothesis import given, settings

from sayso.logic import spot_backend
from sayso.logic.automaton import automaton_of
from sayso.logic.formula import Always, And, Eventually, Not, Prop
from sayso.logic.semantics import satisfies
from sayso.logic.text import parse
from support.logic_formulas import lettered, traces

needs_spot = pytest.mark.skipif(not spot_backend.available(), reason="Spot is not installed")
BACKENDS = ("auto", "python", pytest.param("spot", marks=needs_spot))
every_backend = pytest.mark.parametrize("backend", BACKENDS)


@every_backend
@settings(derandomize=True, deadline=None, max_examples=300)
@given(formula=lettered(), trace=traces())
def test_accepts_exactly_the_traces_that_satisfy_the_formula(backend, formula, trace):
    automaton = automaton_of(formula, backend)
    assert automaton.is_accepting(automaton.run(trace)) == satisfies(formula, trace)


@needs_spot
@settings(derandomize=True, deadline=None, max_examples=300)
@given(lettered())
def test_backends_build_the_same_automaton(formula):
    assert automaton_of(formula, "python") == automaton_of(formula, "spot")


@every_backend
@pytest.mark.parametrize(
    ("text", "trace", "accepted"),
    [
        ("F(g) & G(!d)", ["", "g"], True),
        ("F(g) & G(!d)", ["d", "g"], False),
        ("F(g) & G(!d)", ["", "g", "d"], False),
        ("F(g) & G(!d)", ["", "g", "", "d", "g"], False),
        ("F(a & F(b & F(a)))", ["a", "b", "a"], True),
        ("F(a & F(b & F(a)))", ["a", "b", ""], False),
        ("F(a) & G(!a)", ["a"], False),
        ("X(a)", ["a"], False),
        ("X(a)", ["", "a"], True),
        ("X(a)", ["", "", "a"], False),
        ("WX(a)", [""], True),
        ("WX(a)", ["", ""], False),
        ("!X(true)", [""], True),
        ("!X(true)", ["", ""], False),
        ("!b U a", ["", "b", "a"], False),
        ("!b U a", ["", "a", "b"], True),
        ("a R !b", ["", "", ""], True),
        ("a R !b", ["", "b"], False),
        ("true", [""], True),
        ("false", [""], False),
        ("p | !p", [""], True),
    ],
)
def test_known_cases(backend, text, trace, accepted):
    automaton = automaton_of(parse(text), backend)
    letters = [[Prop(c) for c in step] for step in trace]
    assert automaton.is_accepting(automaton.run(letters)) == accepted


@every_backend
def test_eight_goals_in_any_order_need_one_state_for_each_set_of_open_goals(backend):
    goals = [Eventually(Prop(f"g{i}")) for i in range(8)]
    automaton = automaton_of(And((*goals, Always(Not(Prop("bad"))))), backend)
    assert automaton.states == 2**8 + 1  # and the trap
    assert len(automaton.accepting) == 1


@every_backend
@pytest.mark.parametrize("text", ["false", "F(a) & G(!a)", "a & !a", "G(X(a))"])
def test_what_cannot_be_fulfilled_has_no_accepted_trace(backend, text):
    assert not automaton_of(parse(text), backend).satisfiable


@every_backend
@pytest.mark.parametrize("text", ["true", "F(a) | G(!a)", "WX(true)"])
def test_what_asks_for_nothing_is_fulfilled_from_the_start(backend, text):
    automaton = automaton_of(parse(text), backend)
    assert automaton.is_safe_sink(automaton.initial)
    assert automaton.states == 1
