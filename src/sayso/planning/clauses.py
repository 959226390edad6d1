"""The automata of a formula's top-level conjuncts, followed side by side.

A conjunction's automaton tracks every combination of its clauses' states. Estimates and
explanations need only the clauses, which are few and small.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import lru_cache

from sayso.core.symbols import Literal
from sayso.logic.automaton import Automaton, automaton_of
from sayso.logic.formula import Formula, Prop, clauses
from sayso.logic.monitor import prop_atom

States = tuple[int, ...]
"""One state for each clause."""


@lru_cache(maxsize=512)
def clause_automaton(formula: Formula) -> Automaton:
    """The automaton of one clause; kept, since replanning asks for the same ones."""
    return automaton_of(formula, "python")


def clause_automata(automaton: Automaton) -> tuple[Automaton, ...]:
    """The automata of the clauses of an automaton's formula."""
    return tuple(map(clause_automaton, clauses(automaton.formula)))


def states_at(automaton: Automaton, state: int | None) -> States:
    """Clause states that accept together what the whole automaton accepts from a state.

    Which trace led to the state is not known, and does not matter: the clauses after any
    trace that leads there accept the same continuations. None is before any letter.
    """
    word = word_to(automaton, state) if state is not None else ()
    return tuple(a.run(word) for a in clause_automata(automaton))


def word_to(automaton: Automaton, state: int) -> tuple[frozenset[Prop], ...]:
    """A shortest trace after which the automaton is in a state that can be reached."""
    words: dict[int, tuple[frozenset[Prop], ...]] = {automaton.initial: ()}
    queue = [automaton.initial]
    for here in queue:
        if state in words:
            break
        for there in automaton.successors(here):
            if there not in words:
                guard = automaton.guards(here, there)[0]
                words[there] = (*words[here], frozenset(p for p, true in guard if true))
                queue.append(there)
    return words[state]


def read(automata: Collection[Automaton], states: States, valuation: frozenset[Prop]) -> States:
    """The clause states after one letter."""
    return tuple(a.step(q, valuation) for a, q in zip(automata, states, strict=True))


def barred(automaton: Automaton, state: int | None) -> frozenset[Literal]:
    """What must never be seen from here on: any letter with it breaks a clause for good."""
    parts = zip(clause_automata(automaton), states_at(automaton, state), strict=True)
    return frozenset(x for part, at in parts for x in _barred(part, at))


@lru_cache(maxsize=512)
def _barred(automaton: Automaton, state: int) -> tuple[Literal, ...]:
    open_states = [q for q in _reachable(automaton, state) if not automaton.is_trap(q)]
    return tuple(
        Literal(prop_atom(prop), truth)
        for prop in automaton.propositions
        for truth in (True, False)
        if all(
            automaton.is_trap(after)
            for q in open_states
            for after in automaton.possible_steps(q, {prop: truth})
        )
    )


@lru_cache(maxsize=4096)
def _reachable(automaton: Automaton, state: int) -> frozenset[int]:
    """The states that some letters lead to, the state itself included."""
    found = {state}
    for here in (queue := [state]):
        fresh = [q for q in automaton.successors(here) if q not in found]
        found.update(fresh)
        queue += fresh
    return frozenset(found)


def advances(automaton: Automaton, after: int, otherwise: int) -> bool:
    """Whether a state is further on the way to acceptance than another one is.

    It is if the other can still come to it, and it cannot go back to the other or is nearer to
    acceptance.
    """
    if after not in _reachable(automaton, otherwise):
        return False
    if otherwise not in _reachable(automaton, after):
        return True
    return _letters_left(automaton, after) < _letters_left(automaton, otherwise)


def _letters_left(automaton: Automaton, state: int) -> float:
    """The fewest letters to acceptance; infinite where there is no way."""
    left = {state: 0.0}
    for here in (queue := [state]):
        if here in automaton.accepting:
            return left[here]
        for q in automaton.successors(here):
            if q not in left:
                left[q] = left[here] + 1
                queue.append(q)
    return float("inf")
