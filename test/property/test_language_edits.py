"""Edits of formulas do what they say, and no more."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from sayso.core.errors import Code, SaySoError
from sayso.language.edits import Steps, chain, is_about, moved, replaced, without
from sayso.logic.formula import (
    Always,
    And,
    Eventually,
    Formula,
    Not,
    Prop,
    Referent,
    Until,
    WeakNext,
    propositions,
)
from sayso.logic.semantics import satisfies

few = settings(derandomize=True, deadline=None, max_examples=200)
THINGS = tuple(Referent(noun) for noun in ("cat", "sofa", "fridge", "sink"))
CAT = THINGS[0]
NEAR = tuple(Prop("near", (thing,)) for thing in THINGS)

conjunctive = st.recursive(
    st.sampled_from(NEAR),
    lambda inner: st.one_of(
        *(st.builds(kind, inner) for kind in (Not, Eventually, Always, WeakNext)),
        st.builds(Until, inner, inner),
        st.builds(And, st.lists(inner, min_size=2, max_size=3).map(tuple)),
    ),
    max_leaves=8,
)
traces = st.lists(st.frozensets(st.sampled_from(NEAR)), min_size=1, max_size=6)
orders = st.permutations(NEAR).flatmap(lambda p: st.integers(2, 4).map(lambda n: p[:n]))


@few
@given(conjunctive, st.lists(traces, min_size=1, max_size=8))
def test_without_a_thing_less_is_asked_for_and_never_more(formula: Formula, tries: list) -> None:
    try:
        left = without(formula, CAT)
    except SaySoError as error:
        assert error.code is Code.NOT_UNDERSTOOD
        return
    assert not is_about(left, CAT)
    for trace in tries:
        assert not satisfies(formula, trace) or satisfies(left, trace)


@few
@given(orders, st.data())
def test_a_moved_step_stands_where_it_was_put(order: list[Prop], data: st.DataObject) -> None:
    subject, pivot = data.draw(st.permutations(order))[:2]
    after = data.draw(st.booleans())
    formula = moved(chain(order), pivot.args[0], subject.args[0], after=after)
    steps = list(Steps.of(formula).steps)
    assert steps.index(subject) - steps.index(pivot) == (1 if after else -1)
    rest = [p for p in order if p != subject]
    assert [s for s in steps if s != subject] == rest


@few
@given(conjunctive)
def test_another_thing_takes_the_place_everywhere_and_back(formula: Formula) -> None:
    dog = Referent("dog")
    other = replaced(formula, CAT, dog)
    assert not is_about(other, CAT)
    assert len(propositions(other)) == len(propositions(formula))
    assert replaced(other, dog, CAT) == formula
