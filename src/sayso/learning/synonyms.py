"""Predicates with two names: found by their truth on all that was seen, merged on consent."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations, permutations

from sayso.core.errors import Code, SaySoError
from sayso.core.library import Library
from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Literal, Operator, SymbolicState

CALLED = "also_called"
"""Of a predicate's provenance: the names of those that were merged into it."""


@dataclass(frozen=True)
class Synonym:
    """Two predicates that were true and false together, always.

    Attributes:
        kept, other: their names; `kept` is the one that was there first, unless `usable` turned it.
        order: for each argument of `other`, which argument of `kept` it is: (1, 0) for
            `under(a, b)` and `on(b, a)`.
        true, false: how many atoms were seen with either truth.
    """

    kept: str
    other: str
    order: tuple[int, ...]
    true: int
    false: int


def synonyms(
    states: Iterable[SymbolicState], arities: Mapping[str, int], least: int = 5
) -> tuple[Synonym, ...]:
    """Predicates that agree wherever both are known.

    Args:
        arities: the predicates to compare, oldest first.
        least: how often, at least, both must have been true, and both false: what is always
            true has nothing in common with what is always true.
    """
    seen = list({id(s): s for s in states}.values())
    found = []
    for kept, other in combinations(arities, 2):
        if arities[kept] == arities[other]:
            orders = permutations(range(arities[kept]))
            counted = (_agreement(seen, kept, other, order) for order in orders)
            agreed = [s for s in counted if s and min(s.true, s.false) >= least]
            found += agreed[:1]
    return tuple(found)


def _agreement(
    states: Sequence[SymbolicState], kept: str, other: str, order: tuple[int, ...]
) -> Synonym | None:
    counts = {True: 0, False: 0}
    for state in states:
        for args in permutations(state.objects, len(order)):
            # `order` read backwards: the arguments of `other` stand where `kept` has them.
            truth = state.truth(Atom(kept, args))
            same = state.truth(Atom(other, tuple(args[i] for i in order)))
            if truth is None or same is None:
                continue
            if truth != same:
                return None
            counts[truth] += 1
    return Synonym(kept, other, order, counts[True], counts[False])


def usable(synonym: Synonym, predicates: Mapping[str, Predicate]) -> Synonym | None:
    """The synonym, turned round where another predicate asks for the one that would go; None where
    others ask for both.
    """
    for found in (synonym, _turned(synonym)):
        if not _users(found.other, predicates):
            return found
    return None


def _turned(synonym: Synonym) -> Synonym:
    order = tuple(synonym.order.index(i) for i in range(len(synonym.order)))
    return replace(synonym, kept=synonym.other, other=synonym.kept, order=order)


def _users(name: str, predicates: Mapping[str, Predicate]) -> list[str]:
    """The predicates whose texts ask for another."""
    quoted = re.compile(rf"""["']{re.escape(name)}["']""")
    return [p.name for p in predicates.values() if p.name != name and quoted.search(p.source)]


def also_called(kept: Predicate, synonym: Synonym) -> Predicate:
    """The predicate with the other's name in its provenance, and how the arguments stand there."""
    names = {**kept.provenance.get(CALLED, {}), synonym.other: list(synonym.order)}
    return replace(kept, provenance={**kept.provenance, CALLED: names})


def by_present_names(
    literals: Iterable[Literal], predicates: Mapping[str, Predicate]
) -> tuple[Literal, ...]:
    """The literals with the names that merged predicates go by now."""
    return tuple(_by_present_name(x, predicates) for x in literals)


def _by_present_name(literal: Literal, predicates: Mapping[str, Predicate]) -> Literal:
    name, args = literal.atom.predicate, literal.atom.args
    if name in predicates:
        return literal
    for predicate in predicates.values():
        order = predicate.provenance.get(CALLED, {}).get(name)
        if order is not None and len(order) == len(args):
            places = tuple(args[order.index(i)] for i in range(len(args)))
            return Literal(Atom(predicate.name, places), literal.positive)
    return literal


def merged(library: Library, synonym: Synonym) -> Library:
    """The library with one predicate in place of both, in all operators.

    Raises:
        SaySoError: INVALID if another predicate's text asks for the one that goes.
    """
    if users := _users(synonym.other, library.predicates):
        raise SaySoError(
            Code.INVALID,
            f"'{synonym.other}' cannot be merged: {users[0]} asks for it.",
            hint=f"let {users[0]} ask for '{synonym.kept}' first.",
        )
    return replace(
        library,
        predicates={n: p for n, p in library.predicates.items() if n != synonym.other},
        operators={n: _renamed(o, synonym) for n, o in library.operators.items()},
    )


def _renamed(operator: Operator, synonym: Synonym) -> Operator:
    def atom(old: Atom) -> Atom:
        if old.predicate != synonym.other:
            return old
        places = (old.args[synonym.order.index(i)] for i in range(len(old.args)))
        return Atom(synonym.kept, tuple(places))

    return replace(
        operator,
        preconditions=frozenset(Literal(atom(x.atom), x.positive) for x in operator.preconditions),
        add=frozenset(map(atom, operator.add)),
        delete=frozenset(map(atom, operator.delete)),
        during=frozenset(map(atom, operator.during)),
    )
