"""`sayso eval cape`: plans for VirtualHome's tasks, carried out in its simulator."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from time import perf_counter

from sayso.core.errors import Code, SaySoError
from sayso.evaluation.cape.options import PARTS
from sayso.evaluation.cape.trial import Trial
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.worlds.virtualhome.tasks import Task, task, tasks
from sayso.worlds.virtualhome.world import action_of


class Cape:
    """A part of the study over the tasks that have goals.

    Args:
        part: one of `options.PARTS`.
        every: of the tasks, only each so many-th.
    """

    def __init__(self, part: str = PARTS[0], every: int = 1) -> None:
        if part not in PARTS:
            raise SaySoError(Code.CONFIG, f"there is no part '{part}'.", choices=PARTS)
        self._part, self._every = part, max(1, every)

    def cases(self) -> Sequence[Case]:
        """A case for each task, under its title."""
        return [Case(t.key, t.title) for t in list(tasks().values())[:: self._every]]

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is that every step could be taken and the goal is reached."""
        started_s = perf_counter()
        run: Callable[[Task], Outcome] = {"gold": gold}[self._part]
        outcome = run(task(case.key))
        measures = {**outcome.measures, "task s": perf_counter() - started_s}
        return Outcome(outcome.success, outcome.code, measures, outcome.detail)

    def summary(self, rows: Sequence[Row]) -> str:
        """What the figures do not say."""
        return (
            "Correct is judged by the automaton of the goal and, apart from it, on the simulator's "
            "graph; a case where the two differ has the code POSTCONDITION."
        )


def gold(given: Task) -> Outcome:
    """The data set's program as it is."""
    trial = Trial(given)
    measures: dict[str, Measure] = {"executable": True, "steps": len(given.program)}
    code, detail = Code.OK, ""
    for step in given.program:
        try:
            trial.take(action_of(step, trial.world.observe()))
        except SaySoError as error:
            measures["executable"], code, detail = False, error.code, str(error)
            break
    measures["correct"] = trial.correct
    return _outcome(measures, code, detail)


def _outcome(measures: Mapping[str, Measure], code: Code, detail: str) -> Outcome:
    good = bool(measures["executable"] and measures["correct"])
    return Outcome(good, code, measures, detail)
