"""One task followed along the observed states, skill ends included.

The automaton node, the executor's own watch and replay all count the steps of a trace here,
so that they cannot differ in what a step is.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping

from sayso.core.predicates import Predicate
from sayso.core.symbols import SymbolicState
from sayso.logic.automaton import Automaton
from sayso.logic.monitor import Monitor, Progress, Truths


class TaskTrace:
    """Where the trace of a task stands; thread-safe.

    Args:
        automaton: of the task's grounded formula.
        predicates: by name, for the English of reasons and obligations.
    """

    def __init__(
        self, automaton: Automaton, predicates: Mapping[str, Predicate] | None = None
    ) -> None:
        self.automaton = automaton
        self._monitor = Monitor(automaton, predicates)
        self._lock = threading.Lock()
        self._skill_ended_s: float | None = None

    def skill_finished(self, stamp_s: float) -> None:
        """A skill ended: the first state after it is a step even if nothing changed."""
        with self._lock:
            self._skill_ended_s = stamp_s

    def observe(self, state: SymbolicState) -> Progress:
        """Take in a state, newer than those before."""
        with self._lock:
            boundary = self._skill_ended_s is not None and state.stamp_s > self._skill_ended_s
            if boundary:
                self._skill_ended_s = None
            return self._monitor.observe(state.truths, boundary)

    def would_violate(self, truths: Truths) -> str | None:
        """Why this observation, if it came next, would make the task impossible, or None."""
        with self._lock:
            return self._monitor.would_violate(truths)
