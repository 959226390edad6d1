"""Which things a task can do without: with hundreds of things, few matter to any one task.

After Silver et al., "Planning with learned object importance in large problem instances using
graph neural networks" (AAAI 2021): plan with the objects that matter; where there is no plan with
them, with all. What matters is told here by the task and the present state, not learned.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from sayso.core.symbols import Atom
from sayso.planning.problem import PlanningProblem

RARE = 3
"""Things that alone, or with so few others, are in some changing state, such as held, matter."""


def focused(problem: PlanningProblem, letters: Iterable[Atom]) -> PlanningProblem:
    """The problem without the things that its task need not know.

    A plan for it is one for the whole problem; where it has none, the whole may have one.

    Args:
        letters: the atoms that the task speaks of.
    """
    related = _related(problem)
    kept = {o for atom in letters for o in atom.args} | _in_rare_states(problem)
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


def _related(problem: PlanningProblem) -> list[Atom]:
    """What is, or may be, true of several things and can be changed."""
    changing = _changing(problem)
    atoms = (*problem.initial, *problem.unknown)
    return [a for a in atoms if len(a.args) > 1 and a.predicate in changing]


def _in_rare_states(problem: PlanningProblem) -> set[str]:
    changing = _changing(problem)
    single = [a for a in problem.initial if len(a.args) == 1 and a.predicate in changing]
    counts = Counter(a.predicate for a in single)
    return {a.args[0] for a in single if counts[a.predicate] <= RARE}


def _changing(problem: PlanningProblem) -> frozenset[str]:
    operators = problem.domain.operators
    return frozenset(a.predicate for op in operators for a in (*op.add, *op.delete))
