"""One task followed along the observed states; shared by the automaton node and by replay."""

from __future__ import annotations

from collections.abc import Mapping

from sayso.core.predicates import Predicate
from sayso.core.symbols import SymbolicState
from sayso.logic.automaton import compile_formula
from sayso.logic.formula import Formula
from sayso.logic.monitor import Monitor, Progress


class WatchedTask:
    """A task's id, its automaton, and where the trace stands.

    Raises:
        SaySoError: CONTRADICTION if nothing satisfies the formula.
    """

    def __init__(self, task_id: str, formula: Formula, predicates: Mapping[str, Predicate]) -> None:
        self.task_id = task_id
        self.automaton = compile_formula(formula, predicates=predicates)
        self._monitor = Monitor(self.automaton, predicates)
        self._skill_ended_s: float | None = None

    def skill_finished(self, stamp_s: float) -> None:
        """A skill ended: the first state after it is a step even if nothing changed."""
        self._skill_ended_s = stamp_s

    def observe(self, state: SymbolicState) -> Progress:
        """Take in a state, newer than those before."""
        boundary = self._skill_ended_s is not None and state.stamp_s > self._skill_ended_s
        if boundary:
            self._skill_ended_s = None
        return self._monitor.observe(state.truths, boundary)
