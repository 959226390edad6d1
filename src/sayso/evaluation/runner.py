"""Runs a suite's cases, writes each row at once, and goes on where an earlier run stopped.

A run's folder:

    run.json     what is run: suite, options, seed, backend; another run needs another folder
    rows.jsonl   one row a line, in the order in which cases ended
    report.md    tables, written anew at the end
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import WorkerPool
from sayso.evaluation.cases import Case, CaseRunner, Origin, Row, SuiteSpec
from sayso.evaluation.report import Prices, markdown

AGAIN = frozenset(
    code.name
    for code in (
        Code.MODEL_UNAVAILABLE,
        Code.MODEL_TIMEOUT,
        Code.MISSING_DEPENDENCY,
        Code.CANCELLED,
        Code.UNKNOWN,
    )
)
"""Outcomes that say nothing about the case: no answer of the model, something not installed, or a
failure of the program or the machine. It is run again when the run is resumed.
"""

_NO_ANSWER = frozenset({Code.MODEL_UNAVAILABLE.name, Code.MODEL_TIMEOUT.name})
UNANSWERED_CASES = 5
"""After so many on end a run stops."""

Progress = Callable[[int, int], None]
"""Told how many cases are done, of how many."""


def run(
    spec: SuiteSpec,
    origin: Origin,
    folder: Path,
    pool: WorkerPool,
    progress: Progress | None = None,
    prices: Prices | None = None,
) -> tuple[Row, ...]:
    """All rows of the run, one for each case, in the suite's order; earlier ones are kept.

    Args:
        prices: of the language model, for the report.

    Raises:
        SaySoError: MODEL_UNAVAILABLE if the language model did not answer several times on end,
            after the report on what was done before; CONFIG if the folder holds another run or a
            suite's keys are not unique; CORRUPT for rows that cannot be read; what building the
            suite raises.
    """
    suite = spec.build()
    cases = _distinct(suite.cases())
    _claim(folder, _identity(spec, origin))
    rows = _finished(folder / "rows.jsonl")
    todo = [c for c in cases if c.key not in rows]
    tell = progress or _silent
    tell(len(cases) - len(todo), len(cases))
    silence = Silence()
    for row in _run(CaseRunner(spec.text, origin), todo, pool, folder / "rows.jsonl"):
        rows[row.case] = row
        tell(sum(c.key in rows for c in cases), len(cases))
        if silence.goes_on(row):
            break
    ordered = tuple(rows[c.key] for c in cases if c.key in rows)
    report = markdown(ordered, spec, suite.summary(ordered), prices)
    (folder / "report.md").write_text(report, encoding="utf-8")
    silence.tell(len(cases) - len(ordered))
    return ordered


class Silence:
    """Cases on end that the language model did not answer: to go on would only cost time."""

    def __init__(self) -> None:
        self._unanswered: list[Row] = []

    def goes_on(self, row: Row) -> bool:
        """Takes in the next row; whether it is time to stop."""
        self._unanswered = [*self._unanswered, row] if row.code in _NO_ANSWER else []
        return len(self._unanswered) >= UNANSWERED_CASES

    def tell(self, left: int) -> None:
        """Raises MODEL_UNAVAILABLE if it was time to stop."""
        if len(self._unanswered) >= UNANSWERED_CASES and left:
            last = self._unanswered[-1].detail
            raise SaySoError(
                Code.MODEL_UNAVAILABLE,
                f"stopped, with {left} cases left: the language model did not answer "
                f"{UNANSWERED_CASES} cases on end. The last time: {last}",
                hint="see to the server, then run the same command again with this --out.",
            )


def _silent(done: int, total: int) -> None:
    """Progress that nobody watches."""


def _distinct(cases: Any) -> tuple[Case, ...]:
    keys: set[str] = set()
    for case in cases:
        if case.key in keys:
            raise SaySoError(Code.CONFIG, f"the case '{case.key}' is there twice.")
        keys.add(case.key)
    return tuple(cases)


def _identity(spec: SuiteSpec, origin: Origin) -> dict[str, Any]:
    return {
        "suite": spec.name,
        "options": dict(spec.options),
        "seed": origin.seed,
        "backend": origin.backend,
        "revision": origin.revision,
    }


def _claim(folder: Path, identity: Mapping[str, Any]) -> None:
    """Makes the folder this run's, or checks that it is."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SaySoError(
            Code.CONFIG, f"the folder {folder} cannot be made: {error.strerror}.",
            hint="name another folder.",
        ) from error  # fmt: skip
    path = folder / "run.json"
    text = json.dumps(identity, indent=2, sort_keys=True) + "\n"
    if not path.exists():
        path.write_text(text, encoding="utf-8")
        return
    try:
        there = json.loads(path.read_text(encoding="utf-8"))
    except ValueError as error:
        raise SaySoError(
            Code.CORRUPT, f"{path} is not valid JSON: {error}.",
            hint="name another folder, or remove that file and run with the same options.",
        ) from error  # fmt: skip
    differing = [k for k in identity if not isinstance(there, dict) or there.get(k) != identity[k]]
    if json.loads(text) != there and differing:
        raise SaySoError(
            Code.CONFIG,
            f"{folder} holds another run: {', '.join(differing)} differ.",
            hint="name another folder, or run with the options of its run.json.",
        )


def _run(runner: CaseRunner, todo: list[Case], pool: WorkerPool, path: Path) -> Iterator[Row]:
    """Rows as they come, each on disk before it is told."""
    with path.open("a", encoding="utf-8") as file:
        for row in pool.map(runner, todo):
            file.write(row.to_json() + "\n")
            file.flush()
            os.fsync(file.fileno())
            yield row


def _finished(path: Path) -> dict[str, Row]:
    """Rows by case, of several the last. A last line that was cut off is removed."""
    if not path.exists():
        return {}
    data = path.read_bytes()
    whole = data[: data.rfind(b"\n") + 1]
    if len(whole) < len(data):
        with path.open("r+b") as file:
            file.truncate(len(whole))
    rows: dict[str, Row] = {}
    for number, line in enumerate(whole.decode("utf-8", "replace").splitlines(), start=1):
        try:
            row = Row.from_json(line)
        except (ValueError, TypeError) as error:
            raise SaySoError(
                Code.CORRUPT,
                f"line {number} of {path} is no row: {error}.",
                hint="remove the line; its case is then run again.",
            ) from error
        rows[row.case] = row
    return {key: row for key, row in rows.items() if row.code not in AGAIN}
