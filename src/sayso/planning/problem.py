"""What a task planner is asked, and the port that every planner implements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Protocol

from sayso.core.library import Library
from sayso.core.ports import Cancelled
from sayso.core.predicates import Predicate
from sayso.core.symbols import Atom, Domain, Operator, Plan, SymbolicState
from sayso.core.vocabulary import ANY, Vocabulary
from sayso.logic.joint import States
from sayso.logic.progression import Progression

RETRIEVED, NEXT_ACTION, WHOLE_PLAN, PROGRAM = "retrieved", "next action", "whole plan", "program"
FROM_WORDS = (RETRIEVED, NEXT_ACTION, WHOLE_PLAN, PROGRAM)
"""Names of who makes plans that begin with somebody's words: of before, a model's, a program's."""


def never_cancelled() -> bool:
    return False


@dataclass(frozen=True)
class PlanningProblem:
    """One plan is wanted that fulfils a task from where it stands; of an endless one, a round.

    The trace that the task reads has one letter for the end of each action, and before it
    one for what holds *while* the action runs, if that changes the truth of a proposition.

    Attributes:
        domain: the operators that may be used.
        objects: names that operators may be grounded with; always distinct in one action.
        initial: the atoms known to be true. Atoms neither here nor in `unknown` are false.
        task: the whole specification, over grounded propositions.
        states: where its parts stand after reading the initial state; None when nothing was
            read yet, then the initial state is the first letter of the trace.
        unknown: atoms whose truth was not observed. An action that needs one of them, true or
            false, cannot be used until another action has set it; and the plan must satisfy
            the specification whichever way they are.
        avoid: ground actions (name, arguments) that must not be used, such as one that has
            failed for good.
        predicates: for explanations in English; those missing are written as atoms.
        words: what the task was said to be, for planners that go by it; "" where nobody said.
        vocabulary: what actions and kinds of things are called, for the same; and of which types
            things of some category are.
        categories: what kind of thing each object is. An operator is tried only with things of
            its parameters' types; one whose category is not told, or not known, may be anything.
    """

    domain: Domain
    objects: tuple[str, ...]
    initial: frozenset[Atom]
    task: Progression
    states: States | None = None
    unknown: frozenset[Atom] = frozenset()
    avoid: frozenset[tuple[str, tuple[str, ...]]] = frozenset()
    predicates: Mapping[str, Predicate] = field(default_factory=dict)
    words: str = ""
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    categories: Mapping[str, str] = field(default_factory=dict)

    def may_be(self, thing: str, types: str) -> bool:
        """Whether a thing can be of one of some types, joined by "|"."""
        return self.vocabulary.fits(self.categories.get(thing, ""), types)

    def may_take(self, operator: Operator, args: Sequence[str]) -> bool:
        """Whether things can be of the types that an operator is for."""
        return all(map(self.may_be, args, operator.types))

    def choices(self, operator: Operator) -> tuple[tuple[str, ...], ...]:
        """For each parameter of an operator, the things that it may stand for."""
        types = operator.types or (ANY,) * len(operator.parameters)
        return tuple(map(self._of_type, types))

    def _of_type(self, types: str) -> tuple[str, ...]:
        if types not in self._by_type:
            self._by_type[types] = tuple(o for o in self.objects if self.may_be(o, types))
        return self._by_type[types]

    @cached_property
    def _by_type(self) -> dict[str, tuple[str, ...]]:
        return {}


def observed_problem(
    library: Library,
    state: SymbolicState,
    task: Progression,
    states: States | None,
    avoid: frozenset[tuple[str, tuple[str, ...]]] = frozenset(),
    words: str = "",
) -> PlanningProblem:
    """The problem of going on from an observed state with a library's operators."""
    return PlanningProblem(
        domain=library.domain(),
        objects=state.objects,
        initial=state.true_atoms(),
        task=task,
        states=states,
        unknown=state.unknown_atoms(),
        avoid=avoid,
        predicates=library.predicates,
        words=words,
        vocabulary=library.vocabulary,
        categories=state.categories,
    )


@dataclass(frozen=True)
class PlanLimits:
    """What a plan may cost.

    Attributes:
        timeout_s: for all of it.
        cancelled: polled; True ends it.
    """

    timeout_s: float = 10.0
    cancelled: Cancelled = never_cancelled


class TaskPlanner(Protocol):
    """Finds one plan for the whole of a specification.

    Raises `SaySoError`:
        NO_PLAN: proven impossible; the message names what cannot be reached and why.
        PLAN_TIMEOUT: neither a plan nor a proof in time.
        UNSUPPORTED: this planner cannot represent the problem.
        CANCELLED: it was asked to end.
    """

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan: ...
