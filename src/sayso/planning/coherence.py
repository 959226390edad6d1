"""How much the steps of a plan make of one another: what a person says at once belongs together."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TypeAlias

from sayso.core.symbols import Action, PlanStep
from sayso.planning.problem import PlanningProblem

About: TypeAlias = Callable[[Action], Sequence[str]]
"""The things that a step names, of those that its action is on."""


def things_of(action: Action) -> Sequence[str]:
    """All things that an action is on."""
    return action.args


def unlikely(
    steps: Iterable[PlanStep], problem: PlanningProblem, about: About = things_of
) -> tuple[int, int]:
    """How little steps make of one another: how many serve nothing, since they bring about what
    passes alone, no later step needs that while it lasts, and the next one is about other things;
    then, how often the next step is about other things.

    Args:
        about: what a step says that it is about.
    """
    operators = problem.domain.operators
    passing = {a.predicate for o in operators for a in o.delete if not {*a.args} & {*o.parameters}}
    actions = [s.action for s in steps]
    idle = changes = 0
    for n, action in enumerate(actions, start=1):
        if any(_is_about_the_same(action, other, about) for other in actions[n : n + 1]):
            continue
        changes += 1
        passes = bool(action.add) and passing.issuperset(a.predicate for a in action.add)
        idle += passes and not serves(action, actions[n:])
    return idle, changes


def _is_about_the_same(action: Action, other: Action, about: About) -> bool:
    """Whether one of two actions is on something that the other names.

    Two things are not spoken of together since they happen to be taken out of the same cupboard.
    """
    named, its = set(about(action)), set(about(other))
    return not (named.isdisjoint(other.args) and its.isdisjoint(action.args))


def serves(action: Action, later: Iterable[Action]) -> bool:
    """Whether a later action needs what this one adds, as long as that lasts."""
    added = action.add
    for other in later:
        if any(x.positive and x.atom in added for x in other.preconditions):
            return True
        kept = {effect for effect, condition in other.add_where if condition in added}
        added = (added - other.delete) | (kept & action.add)
    return False


def fleeting(problem: PlanningProblem) -> frozenset[str]:
    """What some action ends of all things alike."""
    operators = problem.domain.operators
    return frozenset(a.predicate for o in operators for a in o.delete if not o.binds(a))
