"""The automata by which a task is shown to people: one of the whole where that is small.

Parts that do not depend on each other multiply: ten goals in any order have a thousand states.
Nobody reads those; such a task is shown part by part.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.core.predicates import Predicate
from sayso.logic.analysis import transitions_in_words
from sayso.logic.automaton import Automaton, automaton_of
from sayso.logic.diagrams import Budget
from sayso.logic.english import read_back
from sayso.logic.formula import conjunction
from sayso.logic.joint import Joint, States
from sayso.logic.progression import Progression

MOST_TOGETHER, MOST_ALONE = 128, 400
"""States of an automaton of several parts, and of one, that is shown."""
_MOST_WORK = 30_000


@dataclass(frozen=True, eq=False)
class Shown:
    """An automaton that is shown; of an endless task, that of a round.

    Attributes:
        part: the number of the part that it is of; None where it is of the whole task.
        numbers: of the whole, its state for the states of the parts that a trace can lead to.
    """

    automaton: Automaton
    part: int | None
    numbers: Mapping[States, int]

    def state(self, states: States) -> int:
        """Its state where the parts are in these."""
        if self.part is not None:
            return states[self.part]
        lost = (q for q in range(self.automaton.states) if self.automaton.is_trap(q))
        return self.numbers.get(states, next(lost, self.automaton.initial))


def shown(task: Progression) -> tuple[Shown, ...]:
    """One automaton of the whole task, or those of its parts where that is too large."""
    whole = whole_of(task)
    return (whole,) if whole else tuple(Shown(a, i, {}) for i, a in enumerate(task.automata))


def whole_of(task: Progression) -> Shown | None:
    """A task's one automaton; None where that has too many states to be shown."""
    if len(task.parts) == 1:
        (automaton,) = task.automata
        return Shown(automaton, 0, {}) if automaton.states <= MOST_ALONE else None
    if _at_least(task) > MOST_TOGETHER:
        return None
    formula = conjunction(*task.clauses)
    try:
        automaton = automaton_of(formula, order=task.propositions, budget=Budget(_MOST_WORK))
        if automaton.states > MOST_TOGETHER:
            return None
        return Shown(automaton, None, _numbers(task, automaton))
    except SaySoError as error:
        if error.code is not Code.UNSUPPORTED:
            raise
        return None


def words_of(
    task: Progression, predicates: Mapping[str, Predicate] | None = None, limit: int = 100
) -> tuple[str, ...]:
    """The transitions of what is shown of a task, a sentence each; at most about `limit`."""
    seen = shown(task)
    if len(seen) == 1:
        return transitions_in_words(seen[0].automaton, predicates, limit)
    sentences: list[str] = []
    for number, one in enumerate(seen, start=1):
        if len(sentences) >= limit:
            return (*sentences, f"{len(seen) - number + 1} more parts are not shown.")
        meaning = read_back(one.automaton.formula, predicates or {})
        sentences.append(f"Part {number} of {len(seen)}: {meaning}")
        sentences += transitions_in_words(one.automaton, predicates, limit - len(sentences))
    return tuple(sentences)


def _at_least(task: Progression) -> int:
    """As many states as parts that share nothing have together."""
    live = [sum(not a.is_trap(q) for q in range(a.states)) for a in task.automata]
    return math.prod(max(live[i] for i in group) for group in task.joint.groups())


def _numbers(task: Progression, automaton: Automaton) -> dict[States, int]:
    both = Joint((*task.automata, automaton), task.joint.order)
    found: dict[States, int] = {task.initial: automaton.initial}
    todo = [(*task.initial, automaton.initial)]
    budget = Budget(_MOST_WORK)
    for here in todo:
        for there in both.successors(here, budget):
            if there[:-1] not in found:
                found[there[:-1]] = there[-1]
                todo.append(there)
    return found
