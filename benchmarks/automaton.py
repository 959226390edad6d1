"""Time from formula to automata, and of one step, against Spot in the same run.

    python benchmarks/automaton.py [--without-spot] [--instructions FILE]

The gold formulas of the LIMP paper's instructions, and what controlled English makes of the
instructions where their file is given; then families of formulas, as one automaton; then goals in
any order as tasks are followed, part by part, with all that people are shown; then what is too
large. Prints a line for each with milliseconds of processor time and, where Spot was run, how many
times faster than Spot; and the targets that matter.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from functools import partial
from pathlib import Path

from sayso.core.errors import SaySoError
from sayso.evaluation.backends import ModelAccess, Stages, connect, interpreter
from sayso.evaluation.limp_language import bundled_gold, read_gold
from sayso.logic.automaton import Automaton, Backend, automaton_of
from sayso.logic.drawing import picture_of
from sayso.logic.formula import Always, And, Eventually, Formula, Next, Not, Or, Prop, Until
from sayso.logic.monitor import Monitor, prop_atom
from sayso.logic.progression import Progression, progression_of
from sayso.logic.shown import words_of
from sayso.logic.structure import structure_in_words

SPOT_GOALS = 8
"""Spot takes over 20 s for 12 goals; it is compared up to here."""

WHOLE_MS = 10.0
"""For the p95 of instructions."""


def main() -> int:
    """Print the table; exit status 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--without-spot", action="store_true", help="skip the reference")
    parser.add_argument("--instructions", type=Path, help="JSON list with set, n and text")
    options = parser.parse_args()
    spot = not options.without_spot
    missed = [name for name, met in _report(spot, options.instructions) if not met]
    _print(f"missed targets: {', '.join(missed) or 'none'}")
    return bool(missed)


def _report(spot: bool, instructions: Path | None) -> Iterator[tuple[str, bool]]:
    lines = read_gold(bundled_gold()).values()
    gold = [reading for line in lines for reading in line.readings]
    yield _instructions(f"gold formulas of {len(lines)} instructions", gold, spot)
    if instructions is not None:
        yield _instructions("readings of controlled English", list(_read(instructions)), spot)
    for count, limit_ms in ((4, 10.0), (8, 500.0), (10, 5_000.0)):
        taken = _compare(f"{count} unordered goals", _goals(count), spot and count <= SPOT_GOALS)
        yield f"{count} goals <= {limit_ms:g} ms", taken <= limit_ms
    for name, formula, small in _families():
        _compare(name, formula, spot and small)
    for count, limit_ms in ((12, 100.0), (14, 1_000.0), (30, 1_000.0)):
        taken = _task(f"{count} goals as a task", _goals(count))
        yield f"{count} goals with structure <= {limit_ms:g} ms", taken <= limit_ms
    for name, formula in _monsters():
        yield f"{name} refused <= 2 s", _refused(name, formula) <= 2_000.0
    yield "step <= 20 us", _steps()


def _instructions(name: str, formulas: Sequence[Formula], spot: bool) -> tuple[str, bool]:
    ours = _times(formulas, "python")
    line = f"{len(formulas)} {name}: median {statistics.median(ours):.2f} ms, "
    line += f"p95 {_p95(ours):.2f} ms, worst {max(ours):.2f} ms"
    if spot:
        theirs = _times(formulas, "spot")
        line += f"  (Spot's p95 {_p95(theirs):.2f} ms, worst {max(theirs):.2f} ms)"
    _print(line)
    return f"p95 of {name} <= {WHOLE_MS:g} ms", _p95(ours) <= WHOLE_MS


def _read(instructions: Path) -> Iterator[Formula]:
    """What is understood of a file's instructions."""
    read = interpreter(connect(ModelAccess()), Stages())
    for entry in json.loads(instructions.read_text(encoding="utf-8")):
        with suppress(SaySoError):  # not understood: there is no formula
            yield read(entry["text"])


def _compare(name: str, formula: Formula, spot: bool) -> float:
    (ours,) = _times([formula], "python")
    automaton = automaton_of(formula, "python")
    line = f"{name}: {automaton.states} states, {len(automaton.nodes)} decisions, {ours:.2f} ms"
    if spot:
        (theirs,) = _times([formula], "spot")
        line += f"  (Spot {theirs:.2f} ms, {theirs / ours:.1f} times ours)"
    _print(line)
    return ours


def _task(name: str, formula: Formula) -> float:
    """Milliseconds for a task's parts and for all that is shown of it."""

    def work() -> None:
        task = progression_of(formula)
        structure_in_words(formula)
        words_of(task)
        picture_of(task)

    taken = min(map(_ms, [work] * 3))
    _print(f"{name}, structure and picture: {taken:.2f} ms")
    return taken


def _monsters() -> Iterator[tuple[str, Formula]]:
    """Name and formula of what is too large to be worked out."""
    p = [Prop(f"p{i}") for i in range(40)]
    until: Formula = p[0]
    for prop in p[1:14]:
        until = Until(until, prop)
    yield "14 nested untils", until
    ends = tuple(Eventually(And((p[i], Eventually(p[i + 20])))) for i in range(9))
    yield "9 pairs at once", Eventually(And(ends))
    yield (
        "14 responses, one kept",
        Or(tuple(Always(Or((Not(p[i]), Eventually(p[i + 20])))) for i in range(14))),
    )


def _refused(name: str, formula: Formula) -> float:
    def work() -> None:
        with suppress(SaySoError):
            progression_of(formula)

    taken = _ms(work)
    _print(f"{name}: refused after {taken:.0f} ms")
    return taken


def _times(formulas: Iterable[Formula], backend: Backend) -> list[float]:
    """Milliseconds for each formula, best of three."""
    return [min(_ms(partial(automaton_of, f, backend)) for _ in range(3)) for f in formulas]


def _ms(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1e3


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


def _goals(count: int) -> Formula:
    goals = (Eventually(Prop("on", (f"block_{i}", "plate"))) for i in range(count))
    return And((*goals, Always(Not(Prop("touching", ("mug",))))))


def _families() -> Iterator[tuple[str, Formula, bool]]:
    """Name, formula, and whether Spot answers within seconds."""
    p = [Prop(f"p{i}") for i in range(12)]
    chain: Formula = Eventually(p[8])
    for i in reversed(range(8)):
        chain = Eventually(And((p[i], chain)))
    yield "chain of 9", chain, True
    order = [Until(Not(p[i + 1]), p[i]) for i in range(7)]
    yield "8 goals, order by until", And((*map(Eventually, p[:8]), *order)), False
    answers = [Always(Or((Not(p[i]), Eventually(p[i + 4])))) for i in range(4)]
    yield "4 responses", And(tuple(answers)), True
    pairs = [Eventually(And((p[2 * i], Eventually(p[2 * i + 1])))) for i in range(4)]
    yield "4 unordered pairs", And(tuple(pairs)), True
    yield "4 unordered pairs at once", Eventually(And(tuple(pairs))), False
    later = p[1]
    delayed: Formula = later
    for _ in range(6):
        delayed = Next(delayed)
    yield "six steps after", Eventually(And((p[0], delayed))), True


def _steps() -> bool:
    """One automaton step and one observation, for 9 propositions."""
    automaton = automaton_of(_goals(8), "python")
    step_us = _ms(lambda: _walk(automaton)) * 1e3 / 10_000
    monitor = Monitor(Progression.of(_goals(8)))
    atoms = [prop_atom(p) for p in automaton.propositions]
    states = [{a: a == atoms[i % 8] for a in atoms} for i in range(1000)]
    observe_us = _ms(lambda: [monitor.observe(s) for s in states]) * 1e3 / len(states)
    _print(f"step: {step_us:.2f} us, observation by the monitor: {observe_us:.1f} us")
    return step_us <= 20


def _walk(automaton: Automaton) -> None:
    valuation = frozenset(automaton.propositions[:4])
    for _ in range(10_000):
        automaton.step(0, valuation)


def _print(line: str) -> None:
    sys.stdout.write(line + "\n")


if __name__ == "__main__":
    raise SystemExit(main())
