"""What parts of a task rule out from here on, and what brings them nearer to their end."""

from __future__ import annotations

from functools import lru_cache

from sayso.core.symbols import Literal
from sayso.logic.automaton import Automaton
from sayso.logic.joint import States
from sayso.logic.monitor import prop_atom
from sayso.logic.progression import Progression


def barred(task: Progression, states: States | None) -> frozenset[Literal]:
    """What must never be seen from here on: any letter with it breaks a part for good."""
    parts = zip(task.automata, task.initial if states is None else states, strict=True)
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
