"""Which things a task can do without: with hundreds of things, few matter to any one task.

After Silver et al., "Planning with learned object importance in large problem instances using
graph neural networks" (AAAI 2021): plan with the objects that matter; where there is no plan with
them, with all. What matters is told here by the task and the present state, not learned.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import replace
from itertools import islice

from sayso.core.clock import Clock, SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Plan, PlanStep
from sayso.logic.automaton import Automaton
from sayso.planning.grounding import candidate_actions
from sayso.planning.letters import letter_atoms
from sayso.planning.problem import PlanLimits, PlanningProblem, TaskPlanner

RARE = 3
"""Things that alone, or with so few others, are in some changing state, such as held, matter."""
LARGE = 300
"""Ground actions beyond which a problem is large."""
FEW = 0.5
"""Share of the things, and of the time, for tries with those alone that seem to matter."""
ALIKE = 3
"""Of the things that the task speaks of alike, and that are alike, so many are tried first."""
WIDER = (0, 1, 4)
"""So many of each kind of the things that seem not to matter are taken along, try by try."""
_FIRST = 0.8
"""Share of the time for tries that the first may take, and of what is left then the second, ..."""


class FocusedPlanner:
    """Of a large problem, tries first what seems to matter, without most of those of which any will
    do; where that has no plan, some things of each other kind as well; and at last the whole, which
    alone tells that there is none.

    Grounding all operators on 240 things takes a hundred times as long as on those few.

    Args:
        planner: is asked.
    """

    def __init__(self, planner: TaskPlanner, clock: Clock | None = None) -> None:
        self._planner = planner
        self._clock = clock or SteadyClock()

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        """See `problem.TaskPlanner`."""
        end_s = self._clock.now_s() + limits.timeout_s
        left_s = limits.timeout_s * FEW
        for few in _ever_more(problem) if is_large(problem) else ():
            try_s, left_s = left_s * _FIRST, left_s * (1 - _FIRST)
            try:
                plan = self._planner.solve(few, replace(limits, timeout_s=try_s))
                return about_all(plan, problem)
            except SaySoError as error:
                if error.code not in (Code.NO_PLAN, Code.PLAN_TIMEOUT):
                    raise
        left_s = max(0.0, end_s - self._clock.now_s())
        return self._planner.solve(problem, replace(limits, timeout_s=left_s))


def _ever_more(problem: PlanningProblem) -> Iterator[PlanningProblem]:
    """The problem with few of its things, then with more, as long as these are few."""
    letters, count = tuple(letter_atoms(problem.task)), 0
    spare = _spare(problem, letters)
    tries = [(0, spare)] if spare else []
    for of_each, but in (*tries, *((n, frozenset[str]()) for n in WIDER)):
        few = focused(problem, letters, of_each, but)
        if len(few.objects) > len(problem.objects) * FEW:
            return
        if len(few.objects) > count:
            count = len(few.objects)
            yield few


def is_large(problem: PlanningProblem, actions: int = LARGE) -> bool:
    """Whether there are more ground actions than so many."""
    more = islice(candidate_actions(problem), actions, None)
    return next(more, None) is not None


def about_all(plan: Plan, problem: PlanningProblem) -> Plan:
    """A plan for some of the things, with its actions about all of them."""
    steps = (
        PlanStep(
            problem.domain.operator(s.action.name).ground(*s.action.args, objects=problem.objects),
            s.why,
        )
        for s in plan.steps
    )
    return replace(plan, steps=tuple(steps))


def focused(
    problem: PlanningProblem,
    letters: Iterable[Atom],
    of_each: int = 0,
    spare: Collection[str] = (),
) -> PlanningProblem:
    """The problem without the things that its task need not know.

    A plan for it is one for the whole problem; where it has none, the whole may have one.

    Args:
        letters: the atoms that the task speaks of.
        of_each: how many of each kind are kept beside: of things of a category of which the same
            is true.
        spare: things that the task speaks of and that are tried without.
    """
    related = _related(problem)
    kept = {o for atom in letters for o in atom.args}.difference(spare) | _in_rare_states(problem)
    kept |= _some(problem, of_each, kept)
    waiting = list(kept)
    while waiting:  # what is on or in it, and on or in that
        thing = waiting.pop()
        above = {a.args[0] for a in related if thing in a.args[1:]} - kept
        kept |= above
        waiting += above
    kept |= {o for a in related if a.args[0] in kept for o in a.args[1:]}
    return replace(
        problem,
        objects=tuple(o for o in problem.objects if o in kept),
        initial=frozenset(a for a in problem.initial if kept.issuperset(a.args)),
        unknown=frozenset(a for a in problem.unknown if kept.issuperset(a.args)),
    )


def _spare(problem: PlanningProblem, letters: Iterable[Atom]) -> frozenset[str]:
    """All but some of the things that are alike and that the task speaks of alike: as "any block".

    Nothing of what it says of them is so, or may be: without them it never comes to be so, as in a
    plan that does nothing with them. None of them where some part of the task needs that.
    """
    said: defaultdict[str, set[Atom]] = defaultdict(set)
    known = problem.initial | problem.unknown
    named = [a for a in letters if a.args]
    for atom in named:
        for thing in atom.args:
            said[thing].add(atom.substitute({thing: ""}))
    for thing in {o for atom in named if atom in known for o in atom.args}:
        del said[thing]
    spoken = {thing: frozenset(atoms) for thing, atoms in said.items()}
    groups = [g for g in _beyond_some(spoken, spoken) if _can_do_without(problem, g)]
    if not groups or not _can_do_without(problem, frozenset().union(*groups)):
        return frozenset()
    related = set(_related(problem))
    telling = (a for a in problem.initial if len(a.args) == 1 or a in related)
    alike = {spoken[group[0]] for group in groups}
    kinds = _kinds(problem, telling, {t for t in spoken if spoken[t] in alike})
    likeness = {thing: (kind, spoken[thing]) for thing, kind in kinds.items()}
    return frozenset().union(*_beyond_some(kinds, likeness))


def _beyond_some(things: Iterable[str], likeness: Mapping[str, Hashable]) -> list[list[str]]:
    """Of each group of things that are alike all but the first `ALIKE`, where there are more."""
    alike: defaultdict[Hashable, list[str]] = defaultdict(list)
    for thing in things:
        alike[likeness[thing]].append(thing)
    return [group[ALIKE:] for group in alike.values() if len(group) > ALIKE]


def _can_do_without(problem: PlanningProblem, spare: Collection[str]) -> bool:
    """Whether each part of the task alone can be fulfilled though nothing of these comes to be."""
    task = problem.task
    return all(
        _accepts_without(automaton, state, spare)
        for automaton, state in zip(task.automata, problem.states or task.initial, strict=True)
    )


def _accepts_without(automaton: Automaton, state: int, spare: Collection[str]) -> bool:
    never = {p: False for p in automaton.propositions if not set(spare).isdisjoint(p.args)}
    reached = [state]
    for one in reached:
        if automaton.is_accepting(one):
            return True
        reached += automaton.possible_steps(one, never).difference(reached)
    return False


def _some(problem: PlanningProblem, of_each: int, but: Collection[str]) -> set[str]:
    """The first things of each kind, those left out that are kept anyway."""
    if not of_each:
        return set()
    of_kind: defaultdict[Hashable, list[str]] = defaultdict(list)
    others = set(problem.objects).difference(but)
    for thing, kind in _kinds(problem, problem.initial, others).items():
        of_kind[kind].append(thing)
    return {thing for things in of_kind.values() for thing in things[:of_each]}


def _kinds(
    problem: PlanningProblem, atoms: Iterable[Atom], things: Collection[str]
) -> dict[str, Hashable]:
    """By thing, in the problem's order, its category and which of some atoms are about it."""
    true_of: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for atom in atoms:
        for place, thing in enumerate(atom.args):
            true_of[thing].add((atom.predicate, place))
    return {
        thing: (problem.categories.get(thing, ""), frozenset(true_of[thing]))
        for thing in problem.objects
        if thing in things
    }


def _related(problem: PlanningProblem) -> list[Atom]:
    """What is, or may be, true of several things, can be changed, and some action needs.

    What lies left of a thing, which picking it up ends, bears on no other action.
    """
    needed = {x.atom.predicate for op in problem.domain.operators for x in op.preconditions}
    telling = needed & _changing(problem)
    atoms = (*problem.initial, *problem.unknown)
    return [a for a in atoms if len(a.args) > 1 and a.predicate in telling]


def _in_rare_states(problem: PlanningProblem) -> set[str]:
    changing = _changing(problem)
    single = [a for a in problem.initial if len(a.args) == 1 and a.predicate in changing]
    counts = Counter(a.predicate for a in single)
    return {a.args[0] for a in single if counts[a.predicate] <= RARE}


def _changing(problem: PlanningProblem) -> frozenset[str]:
    operators = problem.domain.operators
    return frozenset(a.predicate for op in operators for a in (*op.add, *op.delete))
