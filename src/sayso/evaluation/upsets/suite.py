"""`sayso eval upsets`: whole tasks in a world where somebody meddles once."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import in_words
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.evaluation.report import table
from sayso.evaluation.upsets import flat
from sayso.evaluation.upsets import table as on_table
from sayso.evaluation.upsets.options import ENDS_IN_NO_GOAL, UPSETS
from sayso.evaluation.upsets.runs import UpsetRun

_RUNS = {"table": on_table.run, "kinematic_table": on_table.kinematic_run, "flat": flat.run}
_NAMED = frozenset({Code.NO_PLAN, Code.OBJECT_LOST})


class Upsets:
    """Each kind of upset with each seed.

    Args:
        world: one of `options.UPSETS`.
        upsets: kinds of that world; all if there are none.
        seeds: of each kind.
        first: the first of them.
    """

    def __init__(
        self, world: str = "table", upsets: Sequence[str] = (), seeds: int = 20, first: int = 0
    ) -> None:
        known = UPSETS.get(world)
        if known is None:
            raise SaySoError(Code.CONFIG, f"there is no world '{world}' here.", choices=UPSETS)
        for name in upsets:
            if name not in known:
                text = f"nobody upsets the world '{world}' by '{name}'."
                raise SaySoError(Code.CONFIG, text, choices=known)
        self._run = _RUNS[world]
        self._upsets, self._seeds = upsets or known, range(first, first + seeds)

    def cases(self) -> Sequence[Case]:
        """Seed by seed, so that a run that is broken off has some of every kind."""
        return [
            Case(f"{upset} {seed}", in_words(upset), {"upset": upset, "seed": seed})
            for seed in self._seeds
            for upset in self._upsets
        ]

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is the goal, truly reached, and no "never" broken; where the task cannot be done
        any more, that this is told."""
        upset = case.data["upset"]
        done = self._run(upset, case.data["seed"])
        code = Code.VIOLATED if done.broken else done.outcome.code
        claimed = done.outcome.succeeded
        told = code in _NAMED if upset in ENDS_IN_NO_GOAL else claimed and done.reached
        measures: dict[str, Measure] = {
            "met": done.upset_at is not None,
            "in the goal": claimed and done.reached,
            "claimed wrongly": claimed and not done.reached,
            "undone later": done.reached and not done.kept,
            "broken": bool(done.broken),
            "failed skills": len(done.failures),
            **{f"by {name}": n for name, n in Counter(done.repairs).items()},
        }
        success = done.upset_at is not None and told and not done.broken
        return Outcome(success, code, measures, _detail(done))

    def summary(self, rows: Sequence[Row]) -> str:
        """Of each kind: how many it met, and how those ended."""
        body = []
        for group in dict.fromkeys(r.group for r in rows):
            met = [r for r in rows if r.group == group and r.measures.get("met")]
            others = Counter(r.code for r in met if not r.measures["in the goal"])
            named = ", ".join(f"{code} {n}" for code, n in others.most_common()) or "-"
            repairs = sum(int(v or 0) for r in met for n, v in r.measures.items() if n[:3] == "by ")
            goal = sum(bool(r.measures["in the goal"]) for r in met)
            broken = sum(bool(r.measures["broken"]) for r in met)
            body.append((group, str(len(met)), str(goal), str(broken), named, str(repairs)))
        head = ("upset", "met a task", "ended in the goal", "broken", "ended else", "repairs taken")
        return "\n\n".join(("## Upsets", table(head, body)))


def _detail(done: UpsetRun) -> str:
    parts = [done.instruction, f"upset before {done.upset_at}", done.outcome.message]
    broken = [f"BROKEN: {what}" for what in done.broken]
    return "\n".join((*parts, *broken, *done.failures))
