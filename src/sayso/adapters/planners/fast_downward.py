"""Fast Downward, from the `up-fast-downward` wheel, on the compiled problem.

The wheel's driver is run directly rather than through the engine around it, which can neither
be cancelled nor be given a deadline that ends its child processes.
"""

from __future__ import annotations

import logging
import os
import signal
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from sayso.core.clock import Clock, SteadyClock
from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Action, Plan, PlanStep
from sayso.planning.diagnose import no_plan
from sayso.planning.explain import explained
from sayso.planning.problem import PlanLimits, PlanningProblem
from sayso.planning.search import Budget

if TYPE_CHECKING:
    from sayso.planning.pddl import CompiledText

logger = logging.getLogger(__name__)

POLL_S = 0.02
SOLVED = range(4)
UNSOLVABLE = (10, 11)
EXHAUSTED = range(20, 25)
"""The driver's exit codes: https://www.fast-downward.org/latest/documentation/exit-codes/"""


class FastDownwardPlanner:
    """The first plan that Fast Downward finds.

    Args:
        options: of its driver; the default stops at the first plan of LAMA (Richter and
            Westphal, JAIR 39, 2010), which supports the conditional effects that are needed.
    """

    def __init__(
        self, options: Sequence[str] = ("--alias", "lama-first"), clock: Clock | None = None
    ) -> None:
        self._options = tuple(options)
        self._clock = clock or SteadyClock()

    def solve(self, problem: PlanningProblem, limits: PlanLimits = PlanLimits()) -> Plan:
        """See `planning.problem.TaskPlanner`; MISSING_DEPENDENCY where it is not installed."""
        # Imported on use: what writes PDDL takes as long to load as ten plans of a table to find.
        from sayso.planning.pddl import CompiledText

        started_s = self._clock.now_s()
        budget = Budget(self._clock, limits.timeout_s, limits.cancelled)
        driver = _driver()
        text = CompiledText(problem)
        with tempfile.TemporaryDirectory(prefix="sayso-plan-") as folder:
            code = self._run(driver, text, Path(folder), budget)
            if code in SOLVED:
                actions = text.actions((Path(folder) / "plan").read_text())
                return self._plan(problem, actions, self._clock.now_s() - started_s)
            log = (Path(folder) / "log").read_text(errors="replace")
        if code in UNSOLVABLE:
            raise no_plan(problem, budget)
        raise _failure(code, log)

    def _run(self, driver: Path, text: CompiledText, folder: Path, budget: Budget) -> int:
        """The driver's exit code. It and its children are gone when this returns or raises."""
        domain, task = folder / "domain.pddl", folder / "problem.pddl"
        domain.write_text(text.domain)
        task.write_text(text.problem)
        files = (domain.name, task.name)
        command = [sys.executable, str(driver), "--plan-file", "plan", *self._options, *files]
        with (folder / "log").open("wb") as log:
            process = subprocess.Popen(
                command, cwd=folder, stdout=log, stderr=log, start_new_session=True
            )
            try:
                return _wait(process, budget)
            finally:
                _end(process)

    def _plan(self, problem: PlanningProblem, actions: Sequence[Action], time_s: float) -> Plan:
        steps = tuple(map(PlanStep, actions))
        cost = sum(a.cost for a in actions)
        return explained(Plan(steps, "fast_downward", cost, time_s), problem)


def _driver() -> Path:
    spec = find_spec("up_fast_downward")
    if spec is None or spec.origin is None:
        raise SaySoError(
            Code.MISSING_DEPENDENCY,
            "Fast Downward is not installed.",
            hint="pip install up-fast-downward, or use the planner 'search'.",
        )
    return Path(spec.origin).parent / "downward" / "fast-downward.py"


def _wait(process: subprocess.Popen[bytes], budget: Budget) -> int:
    while True:
        try:
            return process.wait(POLL_S)
        except subprocess.TimeoutExpired:
            budget()


def _end(process: subprocess.Popen[bytes]) -> None:
    """Kill the driver with its children, if they still run."""
    if process.poll() is None:
        os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def _failure(code: int, log: str) -> SaySoError:
    logger.warning("Fast Downward ended with code %d:\n%s", code, log[-2000:])
    if code in EXHAUSTED:
        return SaySoError(
            Code.PLAN_TIMEOUT,
            "Fast Downward ran out of memory or time.",
            hint="ask for less at once.",
        )
    return SaySoError(
        Code.UNSUPPORTED,
        f"Fast Downward gave up on this problem (code {code}).",
        hint="use the planner 'search'.",
    )
