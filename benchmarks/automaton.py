"""Time from formula to automaton, and of one step, against Spot in the same run.

    python benchmarks/automaton.py [--without-spot]

Prints one line for each family of formulas with milliseconds and, where Spot was run, how many
times faster than Spot; and the targets that matter.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import permutations

from sayso.logic.automaton import Automaton, Backend, automaton_of
from sayso.logic.formula import Always, And, Eventually, Formula, Next, Not, Or, Prop, Until
from sayso.logic.monitor import Monitor, prop_atom
from sayso.logic.text import parse

SPOT_GOALS = 8
"""Spot takes over 20 s for 12 goals; it is compared up to here."""

TYPICAL = (
    "F(on({0}, plate))",
    "F(on({0}, plate) & F(on({1}, {0})))",
    "F(on({0}, plate) & F(on({1}, {0}))) & G(!touching(mug))",
    "F(on({0}, plate)) & F(on({1}, plate)) & F(on({2}, coaster)) & G(!touching(mug))",
    "F(open(drawer) & F(in({0}, drawer) & F(closed(drawer)))) & G(!touching(bowl))",
    "(!open(drawer) U on({0}, plate)) & F(open(drawer) & F(in({1}, drawer)))",
    "F(on({0}, plate) | on({0}, coaster)) & F(on({1}, {0})) & G(!touching(mug) & !touching(bowl))",
    "F(on({0}, plate) & X(F(!on({0}, plate) & X(F(on({0}, plate))))))",
    "(F(on({0}, plate)) | F(in({0}, bowl))) & G(open(drawer) -> F(closed(drawer)))",
    "F(on({0}, {1}) & F(on({2}, {0}))) & F(closed(drawer)) & (!holding({2}) U on({0}, {1}))",
)


def main() -> int:
    """Print the table; exit status 1 where a target is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--without-spot", action="store_true", help="skip the reference")
    spot = not parser.parse_args().without_spot
    missed = [name for name, met in _report(spot) if not met]
    _print(f"missed targets: {', '.join(missed) or 'none'}")
    return bool(missed)


def _report(spot: bool) -> Iterator[tuple[str, bool]]:
    typical = list(_typical())
    ours = _times(typical, "python")
    reference = f"Spot {_p95(_times(typical, 'spot')):8.2f}" if spot else ""
    _print(
        f"{len(typical)} typical instructions: median {statistics.median(ours):.2f} ms, "
        f"p95 {_p95(ours):.2f} ms  {reference}"
    )
    yield "typical p95 <= 10 ms", _p95(ours) <= 10
    for count, limit_ms in ((4, 10.0), (8, 500.0), (10, 5_000.0), (12, 20_000.0)):
        taken = _compare(f"{count} unordered goals", _goals(count), spot and count <= SPOT_GOALS)
        yield f"{count} goals <= {limit_ms:g} ms", taken <= limit_ms
    for name, formula, small in _families():
        _compare(name, formula, spot and small)
    yield "step <= 20 us", _steps()


def _compare(name: str, formula: Formula, spot: bool) -> float:
    (ours,) = _times([formula], "python")
    automaton = automaton_of(formula, "python")
    line = f"{name}: {automaton.states} states, {len(automaton.nodes)} decisions, {ours:.2f} ms"
    if spot:
        (theirs,) = _times([formula], "spot")
        line += f"  (Spot {theirs:.2f} ms, {theirs / ours:.1f} times ours)"
    _print(line)
    return ours


def _times(formulas: Iterable[Formula], backend: Backend) -> list[float]:
    """Milliseconds for each formula, best of three."""
    return [min(_ms(partial(automaton_of, f, backend)) for _ in range(3)) for f in formulas]


def _ms(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return (time.perf_counter() - start) * 1e3


def _p95(values: list[float]) -> float:
    return sorted(values)[int(0.95 * (len(values) - 1))]


def _typical() -> Iterator[Formula]:
    """150 instructions' formulas: ten patterns with the blocks in different roles."""
    names = [f"{colour}_block" for colour in ("red", "green", "blue", "yellow")]
    for roles in list(permutations(names, 3))[:15]:
        for pattern in TYPICAL:
            yield parse(pattern.format(*roles), grounded=True)


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
    monitor = Monitor(automaton)
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
