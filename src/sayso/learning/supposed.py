"""What actions that never worked yet may be good for: that they bring about what is wanted.

Without a plan a learner that tries anything may bring itself where nothing leads on (a thing is in
the hand that goes nowhere). So it plans as if each action that was never done did the goal, where
it is not as people said that the action needs: optimism in the face of what is not known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import permutations

from sayso.core.symbols import Atom, Literal, Operator
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
