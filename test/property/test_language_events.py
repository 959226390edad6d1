"""The formulas for orders, counts and guards, against definitions counted out on whole traces."""

from __future__ import annotations

from itertools import groupby, permutations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.language.events import (
    AnyOrder,
    Conditioned,
    Either,
    Guarded,
    Repeated,
    Sequence,
    State,
    achieve,
    achieve_by_cases,
    at_least,
    at_most,
    too_long,
)
from sayso.logic.formula import Formula, Not, Prop
from sayso.logic.semantics import satisfies

A, B, C, G = (Prop(n) for n in "abcg")
SETTINGS = settings(derandomize=True, deadline=None, max_examples=200)
TRACES = st.lists(st.frozensets(st.sampled_from([A, B, C, G])), min_size=1, max_size=7)
Trace = list[frozenset[Prop]]


def holds(event_formula: Formula, trace: Trace) -> bool:
    return satisfies(event_formula, tuple(trace))


def intervals(prop: Prop, trace: Trace) -> int:
    """How many maximal runs of steps satisfy the proposition."""
    return sum(value for value, _ in groupby(prop in step for step in trace))


def in_order(props: tuple[Prop, ...], trace: Trace) -> bool:
    """Greedy: each at the first step that satisfies it, not before the one before."""
    step = 0
    for prop in props:
        while step < len(trace) and prop not in trace[step]:
            step += 1
        if step == len(trace):
            return False
    return True


@SETTINGS
@given(TRACES, st.integers(1, 4))
def test_counts_are_of_maximal_intervals(trace: Trace, times: int) -> None:
    assert holds(at_least(A, times), trace) == (intervals(A, trace) >= times)
    assert holds(at_most(A, times), trace) == (intervals(A, trace) <= times)


@SETTINGS
@given(TRACES)
def test_any_order_then_is_some_permutation_then(trace: Trace) -> None:
    event = Sequence((AnyOrder((State(A), State(B))), State(C)))
    expected = any(in_order((*order, C), trace) for order in permutations((A, B)))
    assert holds(achieve(event), trace) == expected


@SETTINGS
@given(TRACES)
def test_sequences_and_choices(trace: Trace) -> None:
    event = Sequence((Either((State(A), Sequence((State(B), State(C))))), State(G)))
    expected = in_order((A, G), trace) or in_order((B, C, G), trace)
    assert holds(achieve(event), trace) == expected


@SETTINGS
@given(TRACES)
def test_a_guard_holds_until_its_event_is_done(trace: Trace) -> None:
    event = Sequence((Guarded(Sequence((State(A), State(B))), G), State(C)))
    expected = any(
        in_order((A, B), trace[: end + 1])
        and B in trace[end]
        and all(G in step for step in trace[:end])
        and any(C in step for step in trace[end:])
        for end in range(len(trace))
    )
    assert holds(achieve(event), trace) == expected


@SETTINGS
@given(TRACES)
def test_repeated_in_a_sequence(trace: Trace) -> None:
    event = Sequence((Repeated(A, 2), State(B)))
    expected = any(
        B in trace[end] and intervals(A, trace[: end + 1]) >= 2 for end in range(len(trace))
    )
    assert holds(achieve(event), trace) == expected


def test_counting_starts_at_one() -> None:
    with pytest.raises(ValueError, match="at least 1"):
        at_least(A, 0)


def test_a_count_of_a_negation_has_no_double_negation() -> None:
    assert "Not(arg=Not" not in repr(at_least(Not(A), 2))


@SETTINGS
@given(TRACES, st.booleans())
def test_what_depends_on_a_condition_is_done_in_its_place(trace: Trace, negated: bool) -> None:
    condition = Not(G) if negated else G
    steps = (State(A), Conditioned(condition, State(B)), State(C))
    so = (G in trace[0]) != negated
    expected = in_order((A, B, C) if so else (A, C), trace)
    assert holds(achieve_by_cases(Sequence(steps)), trace) == expected


@SETTINGS
@given(TRACES, st.booleans())
def test_two_conditions_are_judged_at_the_start(trace: Trace, follows: bool) -> None:
    steps = (Conditioned(G, State(A)), Conditioned(Not(C), State(B), follows=follows), State(C))
    first, second = G in trace[0], C not in trace[0]
    chosen = tuple(p for p, so in ((A, first), (B, second)) if so)
    orders = [chosen] if follows else [(p,) for p in chosen]
    expected = all(in_order((*order, C), trace) for order in (*orders, ()))
    assert holds(achieve_by_cases(Sequence(steps)), trace) == expected


def test_many_conditions_in_an_order_are_too_many_without_looking_at_all_choices() -> None:
    steps = tuple(Conditioned(G, State(A), follows=i > 0) for i in range(200))
    assert too_long(Sequence(steps)) and not too_long(Sequence(steps[:3]))
