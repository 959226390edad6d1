"""Whether what came about is what was asked for: a true trace against the gold formula.

It knows nothing of plans, maps or perception: the gold formula speaks of the flat's own things,
and its truth is read off the trace by the definition of the logic, not by an automaton.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from sayso.evaluation.limp.acting import Letter
from sayso.logic.formula import Always, Eventually, Formula, conjunction
from sayso.logic.semantics import satisfies
from sayso.planning.navigation.obligations import obligations_of
from sayso.planning.navigation.patrol import mission_of


@dataclass(frozen=True)
class Verdict:
    """What a trace is worth.

    Attributes:
        fulfilled: the formula holds of the trace.
        violated: something that must never be came about; nothing later could have helped.
    """

    fulfilled: bool
    violated: bool


def judge(formula: Formula, trace: Sequence[Letter]) -> Verdict:
    """The verdict on a whole trace that came to its end."""
    return Verdict(satisfies(formula, trace), is_lost(formula, trace))


def judge_patrol(
    formula: Formula, prefix: Sequence[Letter], rounds: Sequence[Sequence[Letter]]
) -> Verdict:
    """The verdict on a mission without end: the way there, and some rounds of its loop.

    What is asked for again and again must come about in every round; the rest must hold of the
    whole trace, and of the trace as it was after each round.
    """
    mission = mission_of(formula)
    rest = conjunction(*mission.rest)
    so_far = list(prefix)
    fulfilled = True
    for letters in rounds:
        so_far += letters
        again = all(satisfies(Eventually(p), letters) for p in mission.again if letters)
        fulfilled &= bool(letters) and again and satisfies(rest, so_far)
    return Verdict(fulfilled and bool(rounds), is_lost(rest, so_far))


def is_lost(formula: Formula, trace: Sequence[Letter]) -> bool:
    """Whether nothing that could follow a trace would make it fulfil a formula.

    A contradiction is lost from the start; no trace violates it.
    """
    mission = mission_of(formula)
    if mission.again:
        formula = conjunction(*mission.rest, *(Always(Eventually(p)) for p in mission.again))
    task = obligations_of(formula)
    return not task.can_go_on(task.run(trace))
