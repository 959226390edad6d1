"""Two planners at once: the first answer wins and the other is ended.

Small problems are answered by the first planner before the second is ever started; large ones by
the second alone, if it is quick.
"""

from __future__ import annotations

import logging
from dataclasses import replace
from threading import Event, Thread

from sayso.adapters.planners.fast_downward import FastDownwardPlanner
from sayso.core.clock import Clock, ProcessorClock, SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.core.ports import Cancelled
from sayso.core.symbols import Plan
from sayso.planning.problem import PlanLimits, PlanningProblem, TaskPlanner
from sayso.planning.relevance import FocusedPlanner, is_large
from sayso.planning.search import SearchPlanner

logger = logging.getLogger(__name__)

ANSWERS = (Code.NO_PLAN,)
"""Failures that answer the question; after any other the first planner goes on alone."""

LARGE = 1000
"""Ground actions beyond which the second planner begins: a table with ten things has 400."""

HEAD_START_S = 1.0
"""How long the second planner has a large problem to itself."""

POLL_S = 0.02


class PortfolioPlanner:
    """In-process search at once, and Fast Downward beside it when that takes long.

    Args:
        first: runs in the caller's thread; it must poll `cancelled`.
        second: runs in a thread, from the start for a large problem, else once `delay_s` of
            processor time were spent: on a busy machine too, what is easy is not held up by it.
    """

    def __init__(
        self,
        first: TaskPlanner | None = None,
        second: TaskPlanner | None = None,
        delay_s: float = 0.3,
        clock: Clock | None = None,
    ) -> None:
        race = _Race(first or SearchPlanner(), second or FastDownwardPlanner(), delay_s)
        self._focused = FocusedPlanner(race, clock or SteadyClock())

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        """See `planning.problem.TaskPlanner`."""
        return self._focused.solve(problem, limits)


class _Race:
    """Both planners at one problem; see `PortfolioPlanner`."""

    def __init__(self, first: TaskPlanner, second: TaskPlanner, delay_s: float) -> None:
        self._first = first
        self._second = second
        self._delay_s = delay_s
        self._spent = ProcessorClock()

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        """See `planning.problem.TaskPlanner`."""
        start_s = self._spent.now_s()
        rival = _Rival(self._second, problem, limits.timeout_s)

        def beaten() -> bool:
            if self._spent.now_s() - start_s >= self._delay_s:
                rival.start()
                rival.wait_until_busy(limits.cancelled, min(HEAD_START_S, limits.timeout_s))
            return limits.cancelled() or rival.answered.is_set()

        try:
            if is_large(problem, LARGE):
                rival.start()
                rival.wait_until_ended(limits.cancelled, min(HEAD_START_S, limits.timeout_s))
                if rival.answered.is_set():
                    return rival.answer()
            return self._first.solve(problem, replace(limits, cancelled=beaten))
        except SaySoError as error:
            if error.code is Code.CANCELLED and rival.answered.is_set() and not limits.cancelled():
                return rival.answer()
            raise
        finally:
            rival.stop()


class _Rival:
    """A planner at work in a thread."""

    def __init__(self, planner: TaskPlanner, problem: PlanningProblem, timeout_s: float) -> None:
        self.answered = Event()
        self._planner = planner
        self._problem = problem
        self._timeout_s = timeout_s
        self._stopped = Event()
        self._busy = Event()
        self._ended = Event()
        self._polls = 0
        self._thread: Thread | None = None
        self._plan: Plan | None = None
        self._error: SaySoError | None = None

    def start(self) -> None:
        """Begin, if it has not begun."""
        if self._thread is None:
            self._thread = Thread(target=self._work, name="second planner", daemon=True)
            self._thread.start()

    def wait_until_busy(self, cancelled: Cancelled, timeout_s: float) -> None:
        """Let it prepare undisturbed: two threads of one interpreter only slow each other."""
        self._wait(self._busy, cancelled, timeout_s)

    def wait_until_ended(self, cancelled: Cancelled, timeout_s: float) -> None:
        """Let it work alone for a while."""
        self._wait(self._ended, cancelled, timeout_s)

    def _wait(self, event: Event, cancelled: Cancelled, timeout_s: float) -> None:
        """Each problem is waited for once, whatever for."""
        while self._polls < timeout_s / POLL_S and not event.wait(POLL_S) and not cancelled():
            self._polls += 1

    def answer(self) -> Plan:
        """The plan, or the proof that there is none as an error."""
        if self._plan is None:
            raise self._error or SaySoError(Code.UNKNOWN, "the second planner has no answer.")
        return self._plan

    def stop(self) -> None:
        """End it and wait until it has ended."""
        self._stopped.set()
        if self._thread is not None:
            self._thread.join()

    def _work(self) -> None:
        try:
            self._plan = self._planner.solve(
                self._problem, PlanLimits(self._timeout_s, self._polled)
            )
        except SaySoError as error:
            self._error = error
            if error.code not in (*ANSWERS, Code.CANCELLED):
                logger.warning("the second planner gave up: %s", error)
        finally:
            if self._plan is not None or (self._error and self._error.code in ANSWERS):
                self.answered.set()
            self._busy.set()
            self._ended.set()

    def _polled(self) -> bool:
        """Called by the planner once it has nothing to prepare any more."""
        self._busy.set()
        return self._stopped.is_set()
