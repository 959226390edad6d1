"""The study on the arm: what is run, kept task by task, and how it is reported.

run.json      domains, seeds and manner: another study needs another folder
tasks.jsonl   a line for each task that ended, or broke off; of several for a task the last counts
report.md     the paper's Fig. 5 beside this run
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from pathlib import Path
from statistics import fmean
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.worlds.table.tasks import (
    DOMAINS,
    TEST_SETS,
    TESTING,
    TRAINING,
    TableTask,
    table_tasks,
)
from sayso.worlds.table.trial import Trial

PAPER: Mapping[tuple[str, str], float] = {
    ("store", "novel_goals"): 0.6,
    ("store", "combined"): 0.2,
}
"""Success rates that the paper gives in words (section V-B3); the rest of Fig. 5 is a picture."""
TARGETS: Mapping[str, float] = {"canonical": 0.9, "combined": 0.8}


@dataclass(frozen=True)
class Study:
    """What is run.

    Attributes:
        style, wrong: of the simulated person, see `worlds.persons.teacher.Manner`.
        training, testing: tasks to learn from, and in each test set.
    """

    domains: tuple[str, ...] = DOMAINS
    seeds: tuple[int, ...] = (0,)
    style: str = "plain"
    wrong: float = 0.0
    training: int = TRAINING
    testing: int = TESTING


def tasks_of(study: Study, domain: str, seed: int) -> Iterator[TableTask]:
    """All tasks of one run, training first."""
    yield from table_tasks(domain, "training", seed, study.training)
    for test_set in TEST_SETS:
        yield from table_tasks(domain, test_set, seed, study.testing)


class StudyFolder:
    """A study's rows on disk; what ended is not run again, what broke off is.

    Raises:
        SaySoError: CONFIG if the folder holds another study.
    """

    def __init__(self, path: Path, study: Study) -> None:
        self.path = path
        path.mkdir(parents=True, exist_ok=True)
        self._rows = path / "tasks.jsonl"
        text = json.dumps(asdict(study), indent=2) + "\n"
        note = path / "run.json"
        if note.exists() and note.read_text(encoding="utf-8") != text:
            raise SaySoError(
                Code.CONFIG,
                f"{path} holds a study with other options.",
                hint="name another folder with --out.",
            )
        note.write_text(text, encoding="utf-8")

    def rows(self) -> dict[str, Trial]:
        """The last row of each task, by its name; a line that was cut off is left out."""
        lines = self._rows.read_text(encoding="utf-8").splitlines() if self._rows.exists() else []
        found = (_trial(line) for line in lines)
        return {t.name: t for t in found if t is not None}

    def todo(self, tasks: Iterable[TableTask]) -> list[TableTask]:
        """Those that have not ended yet."""
        rows = self.rows()
        return [t for t in tasks if t.name not in rows or rows[t.name].broken]

    def add(self, trial: Trial) -> None:
        """Keep a row."""
        with self._rows.open("a", encoding="utf-8") as file:
            file.write(json.dumps(asdict(trial)) + "\n")

    def library(self, domain: str, seed: int) -> Path:
        """Where a run's library grows."""
        return self.path / f"{domain}_{seed}" / "library"

    def report(self) -> str:
        """Writes the report; its text."""
        text = report(self.rows().values())
        (self.path / "report.md").write_text(text, encoding="utf-8")
        return text


def _trial(line: str) -> Trial | None:
    try:
        data: dict[str, Any] = json.loads(line)
    except ValueError:
        return None
    known = {f.name for f in fields(Trial)}
    data["said"] = tuple(data["said"])
    return Trial(**{k: v for k, v in data.items() if k in known})


def report(trials: Iterable[Trial]) -> str:
    """Tables as markdown."""
    rows = list(trials)
    parts = ["# InterPreT on the arm", "", *_tests(rows), "", *_trainings(rows), "", *_misses(rows)]
    return "\n".join(parts) + "\n"


def _tests(rows: Sequence[Trial]) -> list[str]:
    lines = [
        "| domain | test set | tasks | reached | without a failed action | paper | target |",
        "|---|---|---|---|---|---|---|",
    ]
    for domain in DOMAINS:
        for test_set in TEST_SETS:
            own = [t for t in rows if (t.domain, t.test_set) == (domain, test_set)]
            if own:
                paper, target = PAPER.get((domain, test_set)), TARGETS.get(test_set)
                cells = [
                    domain, test_set, str(len(own)), _share(t.reached for t in own),
                    _share(t.unfailing for t in own),
                    "" if paper is None else f"{paper:.0%}",
                    "" if target is None else f"{target:.0%}",
                ]  # fmt: skip
                lines.append(f"| {' | '.join(cells)} |")
    return lines


def _trainings(rows: Sequence[Trial]) -> list[str]:
    lines = [
        "| domain | seed | training tasks | reached | explanations | proposals | actions |",
        "|---|---|---|---|---|---|---|",
    ]
    runs = sorted({(t.domain, t.seed) for t in rows if t.test_set == "training"})
    for domain, seed in runs:
        own = [t for t in rows if (t.domain, t.seed, t.test_set) == (domain, seed, "training")]
        cells = [
            domain, seed, len(own), sum(t.reached for t in own),
            sum(t.explanations for t in own), sum(t.proposals for t in own),
            sum(t.actions for t in own),
        ]  # fmt: skip
        lines.append(f"| {' | '.join(map(str, cells))} |")
    return lines


def _misses(rows: Sequence[Trial]) -> list[str]:
    tested = [t for t in rows if t.test_set != "training"]
    broken = [f"- {t.name}: broke off, {t.code}, {t.message}" for t in rows if t.broken]
    return [
        f"- {t.name}: {'reached' if t.reached else 'not reached'}"
        f"{f', {t.failed} failed' if t.failed else ''}{f', {t.message}' if t.message else ''}"
        for t in tested
        if not t.unfailing and not t.broken
    ] + broken


def _share(values: Iterable[bool]) -> str:
    return f"{fmean(values):.0%}"
