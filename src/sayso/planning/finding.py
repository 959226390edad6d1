"""Looking for what is not seen: actions that may show a thing, taken to show it.

Where a thing is hidden, the likeliest outcome of opening what it may be in is that it is there (Liu
et al., BLADE, CoRL 2024; after "most likely state" planning in Kaelbling and Lozano-Perez, ICRA
2011). What really is seen is planned with afterwards, and a place that was looked at is not looked
at again.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace

from sayso.core.symbols import Atom, Operator
from sayso.planning.problem import PlanningProblem

ANYTHING = "?x"
"""How `Operator.observes` speaks of whatever may be seen."""


@dataclass(frozen=True)
class Find:
    """An operator, done to find a thing.

    Attributes:
        operator: with what it shows, if the thing is there, among its effects.
        base: the operator's name as it is known otherwise.
    """

    operator: Operator
    base: str
    thing: str


def finds(
    problem: PlanningProblem, lost: Collection[str], seen: str, tried: Collection[str] = ()
) -> tuple[Find, ...]:
    """Every way to find things that are not seen.

    Args:
        seen: the predicate that a thing is seen.
        tried: names of finding operators that showed nothing.
    """
    return tuple(
        find
        for operator in problem.domain.operators
        if operator.observes
        for thing in sorted(lost)
        for find in _finds(operator, thing, seen)
        if find.operator.name not in tried
    )


def _finds(operator: Operator, thing: str, seen: str) -> Iterator[Find]:
    for number, atom in enumerate(sorted(operator.observes), 1):
        if ANYTHING in atom.args:
            name = f"{operator.name}_to_find_{thing}" + (f"_{number}" if number > 1 else "")
            english = f"{operator.english} to see whether the {thing.replace('_', ' ')} is there"
            shown = frozenset({atom.substitute({ANYTHING: thing}), Atom(seen, (thing,))})
            found = replace(
                operator, name=name, english=english, add=operator.add | shown,
                skill=operator.skill or operator.name, cost=operator.cost + 1.0,
            )  # fmt: skip
            yield Find(found, operator.name, thing)


def with_finds(
    problem: PlanningProblem, some: Collection[Find], kinds: Collection[Atom]
) -> PlanningProblem:
    """The problem, in which things may be found so.

    Args:
        kinds: of the things that are not seen; all else about them is taken to be false.
    """
    operators = (*problem.domain.operators, *(f.operator for f in some))
    lost = {a for atom in kinds for a in atom.args}
    return replace(
        problem,
        domain=replace(problem.domain, operators=operators),
        initial=problem.initial | frozenset(kinds),
        unknown=frozenset(a for a in problem.unknown if lost.isdisjoint(a.args)),
    )
