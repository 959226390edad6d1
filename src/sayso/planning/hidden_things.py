"""Looking for what is not seen: actions that may show a thing, taken to show it.

Where a thing is hidden, the likeliest outcome of opening what it may be in is that it is there (Liu
et al., BLADE, CoRL 2024; after "most likely state" planning in Kaelbling and Lozano-Perez, ICRA
2011). What really is seen is planned with afterwards, and a place that was looked at is not looked
at again. Which actions show what, their operators say (`Operator.observes`); nobody else reads it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from itertools import chain

from sayso.core.symbols import Action, Atom, Operator
from sayso.logic.formula import propositions
from sayso.planning.achieving import unified
from sayso.planning.grounding import candidate_actions
from sayso.planning.problem import PlanningProblem

ANYTHING = "?x"
"""How `Operator.observes` speaks of whatever may be seen."""


def lost_to_task(problem: PlanningProblem) -> frozenset[str]:
    """Things that what is left of the task is about and that are not seen."""
    return _named(problem) - set(problem.objects)


def unknown_to_task(problem: PlanningProblem) -> frozenset[Atom]:
    """What is not known of things that what is left of the task is about, and some action shows."""
    shown = {a.predicate for o in problem.domain.operators for a in o.observes}
    about = (a for a in problem.unknown if a.predicate in shown)
    named = _named(problem)
    return frozenset(a for a in about if not named.isdisjoint(a.args))


def _named(problem: PlanningProblem) -> frozenset[str]:
    """The things of those parts of the task that are not fulfilled: a "never" mostly is."""
    task = problem.task
    parts = task.clauses if problem.states is None else task.pending(problem.states)
    spoken = chain.from_iterable(map(propositions, parts))
    return frozenset(str(a) for p in spoken for a in p.args)


def shows_anything(operator: Operator) -> bool:
    """Whether a thing, whatever it is, may be seen once an operator has ended."""
    return any(ANYTHING in atom.args for atom in operator.observes)


def showing(
    problem: PlanningProblem, unknown: Collection[Atom], anything: bool
) -> Iterator[Action]:
    """Actions after which it is seen whether some atom is true.

    Args:
        anything: whether those that may show a thing, whatever it is, are among them.
    """
    looking = [o for o in problem.domain.operators if o.observes]
    for c in candidate_actions(problem, looking):
        binding = dict(zip(c.operator.parameters, c.args, strict=True))
        seen = [a.substitute(binding) for a in c.operator.observes]
        if (anything and shows_anything(c.operator)) or any(
            unified(one, atom, {}) is not None for one in seen for atom in unknown
        ):
            yield c.operator.ground(*c.args, objects=problem.objects)


@dataclass(frozen=True)
class _Find:
    """An operator, done to find a thing.

    Attributes:
        operator: with what it shows, if the thing is there, among its effects.
        base: the operator's name as it is known otherwise.
    """

    operator: Operator
    base: str
    thing: str


class Search:
    """Plans that find what is not seen, one place after the other.

    Args:
        seen: the predicate that a thing is seen.
    """

    def __init__(self, seen: str) -> None:
        self._seen = seen
        self._finds: dict[str, _Find] = {}
        self._tried: dict[tuple[str, tuple[str, ...]], str] = {}

    def extended(
        self, problem: PlanningProblem, lost: Collection[str], kinds: Collection[Atom]
    ) -> PlanningProblem:
        """The problem, in which things may be found wherever they were not looked for yet.

        Args:
            lost: what is not seen now.
            kinds: of what kind such things are; all else about those is taken to be false.
        """
        self._tried = {way: thing for way, thing in self._tried.items() if thing in lost}
        self._finds = {
            find.operator.name: find
            for operator in problem.domain.operators
            for thing in sorted(lost)
            for find in self._ways(operator, thing)
        }
        operators = (*problem.domain.operators, *(f.operator for f in self._finds.values()))
        about = {a for atom in kinds for a in atom.args}
        return replace(
            problem,
            domain=replace(problem.domain, operators=operators),
            initial=problem.initial | frozenset(kinds),
            unknown=frozenset(a for a in problem.unknown if about.isdisjoint(a.args)),
            avoid=problem.avoid.union(self._tried),
        )

    def base(self, action: Action) -> str:
        """The name of an action's operator as it is known otherwise."""
        find = self._finds.get(action.name)
        return find.base if find else action.name

    def looked(self, action: Action) -> None:
        """An action was done: what it was to show is there, or is not, wherever it shows things."""
        if (find := self._finds.get(action.name)) is not None:
            for name, other in self._finds.items():
                if (other.base, other.thing) == (find.base, find.thing):
                    self._tried[name, action.args] = find.thing

    def _ways(self, operator: Operator, thing: str) -> Iterator[_Find]:
        for number, atom in enumerate(sorted(operator.observes), 1):
            if ANYTHING in atom.args:
                name = f"{operator.name}_to_find_{thing}" + (f"_{number}" if number > 1 else "")
                english = (
                    f"{operator.english} to see whether the {thing.replace('_', ' ')} is there"
                )
                shown = frozenset({atom.substitute({ANYTHING: thing}), Atom(self._seen, (thing,))})
                found = replace(
                    operator, name=name, english=english, add=operator.add | shown,
                    skill=operator.skill or operator.name, cost=operator.cost + 1.0,
                )  # fmt: skip
                yield _Find(found, operator.name, thing)
