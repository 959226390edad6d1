"""Truths kept as tables of all things are what the same truths are atom by atom."""

from __future__ import annotations

from itertools import permutations, product

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sayso.core.predicates import ManyFunction, NotObserved, Predicate, symbolic_state
from sayso.core.scene import Scene, SceneObject
from sayso.core.symbols import NUMBERS, Atom, Literal, SymbolicState, Truths

ARITIES = {"in_table": 2, "listed": 2, "flag_in_table": 1, "flag": 1, "nothing": 0}
IN_TABLES = ("in_table", "flag_in_table")
STRANGE = (Atom("in_table", ("a", "a")), Atom("in_table", ("z", "a")), Atom("unheard", ("a",)))
"""Atoms that no table has a place for."""
Known = dict[Atom, "bool | None"]


def atoms_of(objects: tuple[str, ...]) -> list[Atom]:
    return [Atom(p, args) for p, k in ARITIES.items() for args in permutations(objects, k)]


@st.composite
def truths_of(draw: st.DrawFn) -> tuple[Truths, Known]:
    """Truths with tables, and what they say of all atoms."""
    objects = tuple(draw(st.permutations("abcd"))[: draw(st.integers(0, 4))])
    three = st.sampled_from((False, False, True, None))
    known = {atom: draw(three) for atom in atoms_of(objects)}
    tables = {p: np.zeros((len(objects),) * ARITIES[p], np.int8) for p in IN_TABLES}
    for atom, truth in known.items():
        if atom.predicate in tables:
            tables[atom.predicate][tuple(map(objects.index, atom.args))] = NUMBERS[truth]
    listed = {a: t for a, t in known.items() if a.predicate not in tables and t is not False}
    return Truths(objects, ARITIES, listed, tables), known


def not_false(known: Known) -> Known:
    return {a: t for a, t in known.items() if t is not False}


@given(truths_of())
def test_tables_are_a_mapping_of_all_atoms(case: tuple[Truths, Known]) -> None:
    truths, known = case
    assert dict(truths) == known
    assert len(truths) == len(known) == len(list(truths))
    assert all(atom in truths for atom in known)
    assert all(atom not in truths and truths.get(atom, "no") == "no" for atom in STRANGE)
    assert truths.exceptions == not_false(known)
    assert {type(t) for t in truths.values()} <= {bool, type(None)}
    assert truths.sparse == {
        a: t for a, t in not_false(known).items() if a.predicate not in truths.dense
    }
    assert all((t != 0).sum() > len(truths.objects) for t in truths.dense.values())


@given(truths_of())
def test_tables_equal_the_same_truths_as_a_list(case: tuple[Truths, Known]) -> None:
    truths, known = case
    listed = Truths(reversed(truths.objects), ARITIES, not_false(known))
    assert truths == listed and listed == truths and truths == known
    if truths.objects:
        other = Atom("flag_in_table", (truths.objects[0],))
        for changed in (
            truths.changed({other: not known[other]}),
            {**known, other: not known[other]},
        ):
            assert truths != changed and listed != changed
    assert truths != Truths((*truths.objects, "z"), ARITIES, not_false(known))
    assert truths != Truths(truths.objects, {**ARITIES, "more": 1}, not_false(known))


@given(truths_of())
def test_a_state_of_tables_is_one_of_atoms(case: tuple[Truths, Known]) -> None:
    truths, known = case
    state, plain = (SymbolicState(0.0, truths.objects, t) for t in (truths, known))
    assert state.true_atoms() == plain.true_atoms() == {a for a, t in known.items() if t}
    assert (
        state.unknown_atoms() == plain.unknown_atoms() == {a for a, t in known.items() if t is None}
    )
    for atom, positive in product((*known, *STRANGE), (True, False)):
        assert state.holds(Literal(atom, positive)) is plain.holds(Literal(atom, positive))


@given(truths_of(), st.data())
def test_changed_truths_leave_the_others(case: tuple[Truths, Known], data: st.DataObject) -> None:
    truths, known = case
    new = data.draw(
        st.dictionaries(
            st.sampled_from([*known, *STRANGE]), st.sampled_from((True, False, None)), max_size=6
        )
    )
    state = SymbolicState(0.0, truths.objects, truths).changed(new)
    assert dict(truths) == known  # as before
    assert dict(state.truths) == {**known, **{a: t for a, t in new.items() if a in known}}
    assert state.exceptions == not_false({**known, **new})
    listed = Truths(truths.objects, ARITIES, not_false(known))
    assert state == SymbolicState(0.0, truths.objects, listed).changed(new)


def unseen(scene: object, *which: object) -> None:
    raise NotObserved("anything")


def test_what_was_not_observed_is_unknown_of_all_but_a_thing_and_itself() -> None:
    """Also of names that are expected and not in the scene."""
    both = Predicate("by", ("a", "b"), ManyFunction(unseen))  # type: ignore[arg-type]
    things = tuple(SceneObject(n, "block", "", (0.0, 0.0, 0.0), (1.0, 1.0, 1.0)) for n in "ab")
    state = symbolic_state(Scene(0.0, things), {"by": both}, ("c",))
    assert state.true_atoms() == frozenset()
    assert state.unknown_atoms() == {Atom("by", pair) for pair in permutations("abc", 2)}
