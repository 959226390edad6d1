"""Which things a task can do without: with hundreds of things, few matter to any one task.

After Silver et al., "Planning with learned object importance in large problem instances using
graph neural networks" (AAAI 2021): plan with the objects that matter; where there is no plan with
them, with all. What matters is told here by the task and the present state, not learned.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from itertools import islice

from sayso.core.clock import Clock, SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Plan, PlanStep
from sayso.planning.grounding import candidate_actions
from sayso.planning.letters import letter_atoms
from sayso.planning.problem import PlanLimits, PlanningProblem, TaskPlanner

RARE = 3
"""Things that alone, or with so few others, are in some changing state, such as held, matter."""
LARGE = 300
"""Ground actions beyond which a problem is large."""
FEW = 0.5
"""Share of the things, and of the time, for tries with those alone that seem to matter."""
WIDER = (0, 1, 4)
"""So many of each kind of the things that seem not to matter are taken along, try by try."""
_FIRST = 0.8
"""Share of the time for tries that the first may take, and of what is left then the second, ..."""


class FocusedPlanner:
    """Of a large problem, tries first what seems to matter; where that has no plan, some things of
    each other kind as well; and at last the whole, which alone tells that there is none.

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
    for of_each in WIDER:
        few = focused(problem, letters, of_each)
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


def focused(problem: PlanningProblem, letters: Iterable[Atom], of_each: int = 0) -> PlanningProblem:
    """The problem without the things that its task need not know.

    A plan for it is one for the whole problem; where it has none, the whole may have one.

    Args:
        letters: the atoms that the task speaks of.
        of_each: how many of each kind are kept beside: of things of a category of which the same
            is true.
    """
    related = _related(problem)
    kept = {o for atom in letters for o in atom.args} | _in_rare_states(problem)
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


def _some(problem: PlanningProblem, of_each: int, but: Collection[str]) -> set[str]:
    """The first things of each kind, those left out that are kept anyway."""
    if not of_each:
        return set()
    true_of: defaultdict[str, set[tuple[str, int]]] = defaultdict(set)
    for atom in problem.initial:
        for place, thing in enumerate(atom.args):
            true_of[thing].add((atom.predicate, place))
    kinds: defaultdict[tuple[str, frozenset[tuple[str, int]]], list[str]] = defaultdict(list)
    for thing in problem.objects:
        if thing not in but:
            category = problem.categories.get(thing, "")
            kinds[category, frozenset(true_of[thing])].append(thing)
    return {thing for things in kinds.values() for thing in things[:of_each]}


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
