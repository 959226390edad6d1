"""Abstract verification finds the least change, and labels along a play are what really was so."""

from __future__ import annotations

from itertools import chain, combinations, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Literal
from sayso.learning.behaviours.labels import Done, ends_alone, propagated
from sayso.learning.behaviours.verification import (
    Change,
    Description,
    changed,
    disagreements,
    verify,
)

ATOMS = (Atom("p", ("?a",)), Atom("q", ("?a",)))
NAMES = ("open", "close")
LITERALS = tuple(Literal(a, v) for a, v in product(ATOMS, (True, False)))


def conditions():
    return st.dictionaries(st.sampled_from(ATOMS), st.booleans()).map(
        lambda d: frozenset(Literal(a, v) for a, v in d.items())
    )


def descriptions():
    return st.fixed_dictionaries(
        {
            n: st.builds(Description, st.just(n), st.just(("?a",)), conditions(), conditions())
            for n in NAMES
        }
    )


def plays():
    call = st.tuples(st.sampled_from(NAMES), st.sampled_from([("x",), ("y",)]))
    return st.lists(st.lists(call, max_size=5), min_size=1, max_size=2)


def universe(found):
    for one in found.values():
        yield from (Change(one.name, "drop need", x) for x in one.needs)
        yield from (Change(one.name, "drop effect", x) for x in one.effects)
        yield from (Change(one.name, "add effect", x) for x in LITERALS)


def sound(found, changes):
    """No behaviour brings about that something is so and that it is not."""
    after = changed(found, changes)
    return all(
        Literal(x.atom, not x.positive) not in one.effects
        for one in after.values()
        for x in one.effects
    )


def least(found, shown):
    """By trying every set of changes, the smallest first."""
    every = sorted(set(universe(found)))
    for chosen in chain.from_iterable(combinations(every, k) for k in range(len(every) + 1)):
        changes = frozenset(chosen)
        if sound(found, changes) and not disagreements(changed(found, changes), shown):
            return len(changes)
    raise AssertionError("dropping every need always does")


@given(descriptions(), plays())
def test_as_few_conditions_are_changed_as_can_be(found, shown):
    verified = verify(found, shown)
    assert not disagreements(verified.descriptions, shown)
    assert verified.left == ()
    assert len(verified.changes) == least(found, shown)


@given(descriptions(), plays())
def test_what_is_tolerated_is_left_and_told(found, shown):
    verified = verify(found, shown, tolerance=0.5)
    counts = {n: sum(name == n for calls in shown for name, _ in calls) for n in NAMES}
    wrong = {(d.demonstration, d.step, shown[d.demonstration][d.step][0]) for d in verified.left}
    for name in NAMES:
        assert sum(n == name for _, _, n in wrong) <= 0.5 * counts[name]
    assert len(verified.changes) <= len(verify(found, shown).changes)


def test_a_forgotten_effect_is_added():
    """A drawer is opened twice with a closing between that nobody wrote down as such."""
    opened = Literal(Atom("p", ("?a",)))
    found = {
        "open": Description(
            "open", ("?a",), frozenset({Literal(opened.atom, False)}), frozenset({opened})
        ),
        "close": Description("close", ("?a",), frozenset({opened}), frozenset()),
    }
    shown = [[("open", ("d",)), ("close", ("d",)), ("open", ("d",))]]
    costs = {Change("open", "drop need", Literal(opened.atom, False)): 3.0}
    costs[Change("open", "drop effect", opened)] = 3.0
    verified = verify(found, shown, costs=costs)
    assert verified.changes == (Change("close", "add effect", Literal(opened.atom, False)),)
    assert verified.errors == {"open": 0.5}


def test_a_behaviour_without_a_description_is_named():
    with pytest.raises(SaySoError, match="no description of 'fly'") as error:
        verify({}, [[("fly", ())]])
    assert error.value.code is Code.INVALID


# -- labels -------------------------------------------------------------------------------------

GROUND = tuple(Atom(p, (x,)) for p in "pq" for x in "xy")


@st.composite
def traces(draw):
    """True states, and the behaviours that changed something between them."""
    state = {a: draw(st.booleans()) for a in GROUND}
    states, done = [dict(state)], []
    for _ in range(draw(st.integers(0, 6))):
        altered = draw(st.sets(st.sampled_from(GROUND), max_size=2))
        needed = draw(st.sets(st.sampled_from(GROUND), max_size=2))
        needs = frozenset(Literal(a, state[a]) for a in needed)
        state |= {a: not state[a] for a in altered}
        done.append(Done(needs, frozenset(Literal(a, state[a]) for a in altered)))
        states.append(dict(state))
    return states, done


@given(traces())
def test_all_labels_are_true_and_none_of_the_ends_is_lost(trace):
    states, done = trace
    spread, ends = propagated(done), ends_alone(done)
    assert not any(spread.conflicts)
    for true, known, near in zip(states, spread.truths, ends.truths, strict=True):
        assert all(true[a] == v for a, v in known.items())
        assert near.items() <= known.items()


@given(traces())
def test_what_was_ever_told_is_known_until_it_is_altered(trace):
    _, done = trace
    known = propagated(done).truths
    for t, one in enumerate(done):
        for atom in known[t].keys() - {x.atom for x in one.effects}:
            assert known[t + 1][atom] == known[t][atom]


def test_what_is_told_to_be_both_is_no_label():
    p = Atom("p")
    closes = Done(frozenset(), frozenset({Literal(p, False)}))
    told = propagated([closes, closes])
    assert p not in told.truths[1] and told.conflicts[1] == {p}
    assert told.truths[2] == {p: False}
