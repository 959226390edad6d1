"""Small suites that worker processes can build."""

from __future__ import annotations

import os
import signal
import threading
from collections.abc import Sequence
from pathlib import Path

from sayso.core.errors import Code, SaySoError
from sayso.evaluation.cases import Case, Outcome, Row, SuiteSpec


class Counting:
    """Cases whose number decides what becomes of them; each is noted in a file when it runs."""

    def __init__(
        self, count: int = 6, notes: str = "", down: bool = False, broken: bool = True
    ) -> None:
        self._count = count
        self._notes = notes
        self._down = down
        self._broken = broken

    def cases(self) -> Sequence[Case]:
        return [
            Case(f"case {i}", "even" if i % 2 == 0 else "odd", {"i": i}) for i in range(self._count)
        ]

    def run(self, case: Case, seed: int) -> Outcome:
        if self._notes:
            with Path(self._notes).open("a") as file:
                file.write(f"{case.key} {os.getpid()}\n")
        i = case.data["i"]
        if i == 3:
            raise SaySoError(Code.NO_PLAN, "there is none.")
        if i == 4 and self._broken:
            raise ZeroDivisionError("oops")
        if i == 5 and self._down:
            raise SaySoError(Code.MODEL_UNAVAILABLE, "down.")
        return Outcome(i != 1, measures={"i": i, "seed": seed, "even": i % 2 == 0, "note": "x"})

    def summary(self, rows: Sequence[Row]) -> str:
        return f"Counted {len(rows)}."


class Twice:
    """A suite with a key twice."""

    def cases(self) -> Sequence[Case]:
        return [Case("same"), Case("same")]

    def run(self, case: Case, seed: int) -> Outcome:
        return Outcome(True)

    def summary(self, rows: Sequence[Row]) -> str:
        return ""


def double(number: int) -> int:
    """Twice the number; 13 is refused, 99 kills the process, 77 interrupts who waits for it."""
    if number == 13:
        raise ValueError("unlucky")
    if number == 99:
        os._exit(1)
    if number == 77:
        os.kill(os.getppid(), signal.SIGINT)
        threading.Event().wait()
    return 2 * number


def counting(**options: object) -> SuiteSpec:
    """The spec of a `Counting` suite; whether server or program work is an access option."""
    access = {k: options.pop(k) for k in ("down", "notes", "broken") if k in options}
    return SuiteSpec("counting", "support.evaluation_suites:Counting", options, access)
