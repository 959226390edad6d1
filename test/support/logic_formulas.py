"""Hypothesis strategies for formulas, referents and traces.

What is drawn from is made once: a strategy made anew within each draw is also checked anew.
"""

from __future__ import annotations

from functools import cache, partial
from typing import Any

from hypothesis import strategies as st

from sayso.logic.formula import (
    COMPARATORS,
    Always,
    And,
    Bottom,
    Eventually,
    Formula,
    Next,
    Not,
    Or,
    Prop,
    Referent,
    Relation,
    Release,
    Top,
    Until,
    WeakNext,
)

LETTERS = tuple(Prop(name) for name in "abc")
PREDICATES = (
    ("on", 2), ("in", 2), ("on_table", 1), ("holding", 1), ("touching", 1), ("open", 1),
    ("gripper_empty", 0),
)  # fmt: skip


def formulas(
    propositions: st.SearchStrategy[Prop], max_leaves: int = 8
) -> st.SearchStrategy[Formula]:
    """Formulas of every kind; And and Or have two or three members."""
    leaves = propositions | st.sampled_from([Top(), Bottom()])
    return st.recursive(
        leaves,
        lambda inner: st.one_of(
            *(st.builds(kind, inner) for kind in (Not, Next, WeakNext, Eventually, Always)),
            *(st.builds(kind, inner, inner) for kind in (Until, Release)),
            *(
                st.builds(kind, st.lists(inner, min_size=2, max_size=3).map(tuple))
                for kind in (And, Or)
            ),
        ),
        max_leaves=max_leaves,
    )


def lettered(max_leaves: int = 8) -> st.SearchStrategy[Formula]:
    """Formulas over three letters."""
    return formulas(st.sampled_from(LETTERS), max_leaves)


def traces(min_size: int = 1) -> st.SearchStrategy[list[frozenset[Prop]]]:
    return st.lists(st.frozensets(st.sampled_from(LETTERS)), min_size=min_size, max_size=7)


@cache
def referents() -> st.SearchStrategy[Referent]:
    plain = st.builds(
        Referent,
        st.sampled_from(["block", "plate", "mug", "plush toy", "orange"]),
        st.sets(st.sampled_from(["red", "small", "orange", "big"]), max_size=2).map(
            lambda words: tuple(sorted(words))
        ),
        st.just(()),
        st.sampled_from(["the", "a", "all"]),
    )
    return st.recursive(
        plain, lambda inner: st.builds(_related, plain, _relations(inner)), max_leaves=4
    )


def _relations(others: st.SearchStrategy[Referent]) -> st.SearchStrategy[tuple[Relation, ...]]:
    relations = {
        name: st.tuples(*[others] * count).map(partial(Relation, name))
        for name, count in COMPARATORS.items()
    }
    relation = st.sampled_from(sorted(COMPARATORS)).flatmap(relations.__getitem__)
    return st.lists(relation, min_size=1, max_size=2).map(tuple)


def _related(plain: Referent, relations: tuple[Relation, ...]) -> Referent:
    return Referent(plain.noun, plain.attributes, relations, plain.quantifier)


@cache
def described() -> st.SearchStrategy[Prop]:
    """Propositions about referents."""
    return _of_each_arity(referents())


@cache
def grounded() -> st.SearchStrategy[Prop]:
    """Propositions about names of objects."""
    names = st.sampled_from(["red_block", "blue_block", "red_block_2", "mug", "plate"])
    return _of_each_arity(names)


def _of_each_arity(arguments: st.SearchStrategy[Any]) -> st.SearchStrategy[Prop]:
    propositions = {p: st.tuples(*[arguments] * p[1]).map(partial(Prop, p[0])) for p in PREDICATES}
    return st.sampled_from(PREDICATES).flatmap(propositions.__getitem__)
