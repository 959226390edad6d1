"""What is supposed where nobody knows: optimism in the face of what is not known.

What people alone tell of things ("it is fixed") is unknown of all they did not speak of. Taken for
unknown in a plan, it would forbid all that is new; so it is taken to be as the actions need it.

Actions that never worked yet are taken to bring about what is wanted. Without a plan a learner that
tries anything may bring itself where nothing leads on (a thing is in the hand that goes nowhere).
So it plans as if each action that was never done did the goal, where it is as people said that the
action needs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations

from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Literal, Operator, SymbolicState
from sayso.learning.operators import Learned
from sayso.learning.transitions import variable


def supposed(
    wanted: Iterable[Literal], learned: Learned, skills: Mapping[str, int]
) -> Iterator[Operator]:
    """For each skill that no operator is of, operators that bring about what is wanted.

    Args:
        wanted: of the goal, ground.
        skills: how many things each takes.
    """
    known = {o.operator.skill for o in learned.operators}
    kinds = dict.fromkeys((x.atom.predicate, len(x.atom.args), x.positive) for x in wanted)
    for skill, arity in sorted(skills.items()):
        if skill in known:
            continue
        parameters = tuple(variable(i) for i in range(arity))
        for predicate, count, positive in kinds:
            for number, args in enumerate(permutations(parameters, count)):
                effect = frozenset({Atom(predicate, args)})
                yield Operator(
                    f"{skill}_for_{predicate}_{number}",
                    parameters,
                    learned.needs(skill),
                    effect if positive else frozenset(),
                    frozenset() if positive else effect,
                    cost=1.0 + number,
                    skill=skill,
                )


def presumed(
    state: SymbolicState, predicates: Mapping[str, Predicate], operators: Iterable[Operator]
) -> SymbolicState:
    """The state, where what only people tell and nobody told is as the operators need it.

    What some need to be so and others not to be so stays unknown.
    """
    needs = {x for o in operators for x in o.preconditions}
    wanted = {
        name: {x.positive for x in needs if x.atom.predicate == name}
        for name, p in predicates.items()
        if p.provenance.get("observable") is False
    }
    truths = {
        atom: positive
        for atom in state.unknown_atoms()
        for positive in wanted.get(atom.predicate, ())
        if len(wanted[atom.predicate]) == 1
    }
    return state.changed(truths) if truths else state
