"""Planning in VirtualHome: of 293 things only those are thought of that the task may need.

The goals speak of few things, or of an action upon anything; one operator over all pairs of things
has 85,000 actions. What is left out is told by task and operators, whatever the scene is.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import lru_cache
from heapq import nsmallest

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Operator, Plan, PlanStep
from sayso.logic.formula import propositions
from sayso.logic.monitor import prop_atom
from sayso.logic.progression import Progression
from sayso.planning.achieving import Situation
from sayso.planning.problem import PlanLimits, PlanningProblem
from sayso.planning.relevance import about_all
from sayso.planning.search import SearchPlanner

AT_ONCE = 7
"""Parts of a task that are planned for together; of more, one after the other is planned for."""
SCOPES = ((2, False), (1, True), (6, True))
"""What is tried one after the other: how many things for a part in an action that anything of its
kind can play, and whether for all actions or for those alone that the task speaks of."""


EXPLAINED = SCOPES[1]
"""Of what is said why there is no plan for it."""


class RelevantPlanner:
    """A task planner that is given what matters: first little, then more.

    What matters are the things that the task names, what they are on or in and their rooms, what is
    in the hands, and for actions that the task wants done to anything a few things that they can
    be done to; of the operators those that can contribute.

    Why there is no plan is told of the things that may matter, and not found out again of more.

    Args:
        most_expansions: bounds each search by its work and not by time; see `SearchPlanner`.
    """

    def __init__(self, most_expansions: int | None = None) -> None:
        self._planner = SearchPlanner(most_expansions=most_expansions)
        self._hasty = SearchPlanner(reasons=False, most_expansions=most_expansions)

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        """See `problem.TaskPlanner`; NO_PLAN proves nothing about what was left out."""
        if len(problem.task.parts) > AT_ONCE:
            return self._one_by_one(problem, limits)
        return self._solve(problem, limits)

    def _solve(self, problem: PlanningProblem, limits: PlanLimits) -> Plan:
        told: SaySoError | None = None
        for scope in SCOPES:
            players, anywhere = scope
            few = relevant(problem, players, anywhere=anywhere)
            planner = self._planner if scope == EXPLAINED else self._hasty
            try:
                plan = planner.solve(few, limits)
            except SaySoError as error:
                if error.code is not Code.NO_PLAN:
                    raise
                told = error if told is None or scope == EXPLAINED else told
            else:
                return about_all(plan, problem)
        raise told or SaySoError(Code.NO_PLAN, "nothing was tried.")

    def _one_by_one(self, problem: PlanningProblem, limits: PlanLimits) -> Plan:
        """A plan for one part of the task, then for that and a second, and so on.

        What is about two things, such as where one has to be, comes before what is about one: doors
        are shut when all is in.
        """
        at, steps = Situation.of(problem), list[PlanStep]()
        order = sorted(range(len(problem.task.parts)), key=lambda i: -_widest(problem.task, i))
        for count in range(1, len(order) + 1):
            members = order[:count]
            states = tuple(at.states[i] for i in members)
            part = problem.task.only(members)
            onward = replace(problem, initial=at.true, unknown=at.unknown, task=part, states=states)
            for step in self._solve(onward, limits).steps:
                steps.append(step)
                at = at.after(step.action, problem.task)
        return Plan(tuple(steps), "one by one", sum(s.action.cost for s in steps))


def _widest(task: Progression, part: int) -> int:
    """Of how many things a part of a task speaks in one proposition."""
    return max((len(p.args) for p in propositions(task.clauses[part])), default=0)


def about(problem: PlanningProblem, names: Iterable[str]) -> PlanningProblem:
    """The problem with some things alone, those that the task may need, and what is around them.

    Plans for it are plans for things of the whole scene; an action on it says of no other thing
    that it is let go of.
    """
    letters = frozenset(map(prop_atom, problem.task.propositions))
    kept = {*names, *(name for atom in letters for name in atom.args)}
    for players, anywhere in SCOPES[:2]:
        operators = problem.domain.operators
        chosen = (_contributing if anywhere else _wanted)(operators, letters)
        kept |= _players(problem, chosen, players, kept, besides=anywhere)
    return within(problem, kept | set(_held_or_around(problem, kept)))


def relevant(problem: PlanningProblem, players: int, *, anywhere: bool = False) -> PlanningProblem:
    """The problem with the things and the operators that matter.

    Args:
        players: how many things are thought of for a part that anything of a kind can play.
        anywhere: think of such things for all actions, and not for those alone that are wanted.
    """
    letters = frozenset(map(prop_atom, problem.task.propositions))
    operators = _contributing(problem.domain.operators, letters)
    kept = {name for atom in letters for name in atom.args}
    chosen = operators if anywhere else _wanted(operators, letters)
    kept |= _players(problem, chosen, players, kept, besides=anywhere)
    few = within(problem, kept | set(_held_or_around(problem, kept)))
    return replace(few, domain=replace(problem.domain, operators=operators))


def within(problem: PlanningProblem, kept: set[str] | frozenset[str]) -> PlanningProblem:
    """The problem with some of its things alone."""
    return replace(
        problem,
        objects=tuple(o for o in problem.objects if o in kept),
        initial=frozenset(a for a in problem.initial if kept.issuperset(a.args)),
        unknown=frozenset(a for a in problem.unknown if kept.issuperset(a.args)),
    )


def _wanted(operators: tuple[Operator, ...], letters: frozenset[Atom]) -> tuple[Operator, ...]:
    return tuple(o for o in operators if o.during & letters)


@lru_cache(maxsize=64)
def _contributing(
    operators: tuple[Operator, ...], letters: frozenset[Atom]
) -> tuple[Operator, ...]:
    """Those that can bring about what is wanted, or what others of them need."""
    wanted = {(a.predicate, True) for a in letters} | {(a.predicate, False) for a in letters}
    found: dict[str, Operator] = {}
    while True:
        new = [o for o in operators if o.name not in found and _gives(o) & wanted]
        if not new:
            break
        found.update((o.name, o) for o in new)
        wanted |= {(x.atom.predicate, x.positive) for o in new for x in o.preconditions}
    chosen = [o for o in operators if o.name in found]
    shown = {a.predicate for a in letters}
    return tuple(o for o in chosen if not any(_beats(other, o, shown) for other in chosen))


def _gives(operator: Operator) -> set[tuple[str, bool]]:
    added = {(a.predicate, True) for a in (*operator.add, *operator.during)}
    return added | {(a.predicate, False) for a in operator.delete}


def _beats(one: Operator, other: Operator, shown: set[str]) -> bool:
    """Whether one does the same as another for less, as walking does what running does."""
    return (
        one.cost < other.cost
        and one.parameters == other.parameters
        and one.preconditions <= other.preconditions
        and (one.add, one.delete) == (other.add, other.delete)
        and not any(a.predicate in shown for a in other.during)
    )


def _players(
    problem: PlanningProblem,
    operators: Iterable[Operator],
    count: int,
    named: set[str],
    *,
    besides: bool,
) -> set[str]:
    """For parts in actions that nothing named can play, or others besides: things that can."""
    of_kind = _of_kind(problem)
    changing = {a.predicate for o in problem.domain.operators for a in (*o.add, *o.delete)}
    parts = {_kinds(o, parameter, changing) for o in operators for parameter in o.parameters}
    place = {name: i for i, name in enumerate(problem.objects)}
    near, contained = of_kind["near"], of_kind["contained"]
    found: set[str] = set()
    for kinds in parts:
        fit = set(place).intersection(*(of_kind[k] for k in kinds))
        if besides or named.isdisjoint(fit):
            found.update(
                nsmallest(count, fit - named, lambda o: (o not in near, o in contained, place[o]))
            )
    return found


def _of_kind(problem: PlanningProblem) -> Mapping[str, set[str]]:
    """For each predicate of one thing those of which it holds."""
    of_kind = defaultdict(set)
    for atom in problem.initial:
        if len(atom.args) == 1:
            of_kind[atom.predicate].add(atom.args[0])
    return of_kind


def _kinds(operator: Operator, parameter: str, changing: set[str]) -> frozenset[str]:
    """What a thing has to be, once and for all, to play a part."""
    return frozenset(
        x.atom.predicate
        for x in operator.preconditions
        if x.positive and x.atom.args == (parameter,) and x.atom.predicate not in changing
    )


def _held_or_around(problem: PlanningProblem, kept: set[str]) -> Iterator[str]:
    """What is in the hands, and what those and some other things are on, in, or came from."""
    held = {a.args[0] for a in problem.initial if a.predicate in ("holding", "at")}
    yield from held
    for atom in problem.initial:
        if len(atom.args) == 2 and atom.args[0] in (kept | held):
            yield atom.args[1]
