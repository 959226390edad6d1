"""Whether a robot asks to be taught when it should: the decisions of HALP.

Parakh et al. 2023, section IV-B: a model gets a scene in words and the functions, and writes a
program; there people judged it. Here each task says what is right (`decision_tasks`). Tasks with
taught skills are tried twice: with the skills' names alone, and with their docstrings.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from sayso.adapters.llm.access import ModelAccess
from sayso.core.errors import Code
from sayso.evaluation.backends import connect
from sayso.evaluation.cases import Case, Measure, Outcome, Row
from sayso.evaluation.halp.deciding import ByGrammar, ByProgram
from sayso.evaluation.halp.decision_tasks import Added, Task, bundled, read, wrong

_PAPER = {
    "needed": 0.91, "not_needed": 0.87, "reuse, name alone": 0.50, "reuse, docstring": 0.75
}  # fmt: skip


class Decisions:
    """Right decisions by kind of task; questions are counted apart from wrong ones.

    Args:
        sets: names of `decision_tasks.SETS`.
        files: of further tasks.
    """

    def __init__(
        self,
        sets: Sequence[str] = ("paper",),
        files: Sequence[str] = (),
        access: Mapping[str, Any] | None = None,
    ) -> None:
        tasks = (t for f in (*map(bundled, sets), *map(Path, files)) for t in read(f))
        self._by_key = variants_of(tasks)
        self.model = connect(ModelAccess(**(access or {})))
        self._who = ByProgram(self.model) if self.model else ByGrammar()

    def cases(self) -> Sequence[Case]:
        return [Case(k, _group(k, t), {"text": t.instruction}) for k, t in self._by_key.items()]

    def run(self, case: Case, seed: int) -> Outcome:
        """Success is a decision that is right; a question is none."""
        task = self._by_key[case.key]
        decision = self._who.decide(task)
        reason = decision.question or wrong(task, decision)
        measures: dict[str, Measure] = {
            "asked": bool(decision.question),
            "wrong": bool(reason) and not decision.question,
            "relearned": bool(decision.learns) and bool(task.skills) and not task.learn,
            "asks to be shown": "; ".join(decision.learns) or None,
        }
        return Outcome(not reason, Code.OK, measures, reason)

    def summary(self, rows: Sequence[Row]) -> str:
        """The table, with the paper's figures beside it."""
        lines = [
            "| tasks | right | asked | wrong | relearned | of decisions right | HALP |",
            "|---|---|---|---|---|---|---|",
        ]
        for group in dict.fromkeys(r.group for r in rows):
            some = [r for r in rows if r.group == group]
            right, asked = sum(r.success for r in some), _count(some, "asked")
            decided = len(some) - asked
            share = f"{right / decided:.2f}" if decided else "-"
            lines.append(
                f"| {group} | {right} of {len(some)} | {asked} | {decided - right} | "
                f"{_count(some, 'relearned')} | {share} | {_PAPER.get(group, '')} |"
            )
        return "\n".join(lines)


def variants_of(tasks: Iterable[Task]) -> dict[str, Task]:
    """Tasks by key; those with taught skills twice, by names alone and with docstrings."""
    return {f"{t.key} {how}".strip(): t for one in tasks for how, t in _variants(one)}


def _count(rows: Sequence[Row], measure: str) -> int:
    return sum(bool(r.measures.get(measure)) for r in rows)


def _variants(task: Task) -> list[tuple[str, Task]]:
    """A task with taught skills by their names alone, and with docstrings."""
    if not task.skills:
        return [("", task)]
    bare = tuple(Added(s.name, s.parameters) for s in task.skills)
    return [("name alone", replace(task, skills=bare)), ("docstring", task)]


def _group(key: str, task: Task) -> str:
    how = "name alone" if key.endswith("name alone") else "docstring"
    return f"{task.kind}, {how}" if task.skills else task.kind
