"""The tables of the LIMP paper, with a run's figures beside the paper's."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median

from sayso.evaluation.cases import Row
from sayso.evaluation.limp_language import (
    PAPER_ALIGNMENT,
    PAPER_WORD_ERRORS,
    SETS,
)
from sayso.evaluation.report import table

PAPER_SUCCESS: Mapping[str, tuple[float, float, float, float, float]] = {
    "NLMap-SayCan": (0.75, 0.96, 1.00, 0.35, 0.38),
    "Code-as-Policies": (0.46, 0.68, 1.00, 0.38, 0.38),
    "LIMP, one stage": (0.63, 0.60, 1.00, 0.62, 0.62),
    "LIMP, two stages, random examples": (0.79, 0.68, 1.00, 0.57, 0.72),
    "LIMP, two stages, similar examples": (0.79, 0.76, 1.00, 0.65, 0.79),
}
"""Table 2 of the paper: share of instructions whose plans succeeded, in each set."""

_RATES = ("referents", "avoidance", "spatial")


def tables(rows: Sequence[Row], interpreted: bool) -> str:
    """Planning success, and if words were interpreted what was understood of them."""
    parts = [
        "## Planning success (paper: Table 2)",
        _by_set(rows, {n: dict(zip(SETS, f, strict=True)) for n, f in PAPER_SUCCESS.items()},
                [_success(r) for r in rows]),
        _violations(rows),
        "## Time of each stage",
        _times(rows),
    ]  # fmt: skip
    if interpreted:
        parts += _language(rows)
    return "\n\n".join(p for p in parts if p)


def _success(row: Row) -> float:
    return float(row.success)


def _by_set(
    rows: Sequence[Row], paper: Mapping[str, Mapping[str, float]], values: Sequence[float | None]
) -> str:
    present = [s for s in SETS if any(r.group == s for r in rows)]
    own = [
        _mean([v for r, v in zip(rows, values, strict=True) if r.group == s and v is not None])
        for s in present
    ]
    body = [("this run", *map(_percent, own))]
    body += [(f"{n} (paper)", *(_percent(f[s]) for s in present)) for n, f in paper.items()]
    return table(("approach", *present), body)


def _violations(rows: Sequence[Row]) -> str:
    broken = [r.case for r in rows if r.measures.get("violation") is True]
    acted = sum("violation" in r.measures for r in rows)
    named = f": {', '.join(broken)}" if broken else ""
    return f"Something that must never be came about in {len(broken)} of {acted} runs{named}."


def _times(rows: Sequence[Row]) -> str:
    names = list(dict.fromkeys(n for r in rows for n in r.measures if n.endswith(" s")))
    body = []
    for name in names:
        values = sorted(float(v) for r in rows if isinstance(v := r.measures.get(name), float))
        high = values[min(len(values) - 1, int(0.95 * len(values)))]
        body.append(
            (name.removesuffix(" s"), f"{1000 * median(values):.1f} ms", f"{1000 * high:.1f} ms")
        )
    return table(("stage", "median", "95 % within"), body)


def _language(rows: Sequence[Row]) -> list[str]:
    """One row of each instruction is enough: all its flats share its words."""
    first = list({_instruction(r): r for r in reversed(rows)}.values())
    aligned = [float(bool(r.measures.get("aligned", r.success))) for r in first]
    paper = {n: dict(zip(SETS, f, strict=True)) for n, f in PAPER_ALIGNMENT.items()}
    body = [("this run", *(_rate(first, name) for name in _RATES))]
    body += [(f"{n} (paper)", *(f"{r:.2f}" for r in f)) for n, f in PAPER_WORD_ERRORS.items()]
    return [
        "## Formulas, by automata against gold formulas",
        _understood(first),
        "## Average word error rates (paper: Table 1)",
        table(("approach", "referents", "avoidance", "spatial relations"), body),
        "What was not understood counts with an error for every word of its gold formula.",
        "## Temporal alignment (paper: Table 2)",
        _by_set(first, paper, aligned),
    ]


def _understood(rows: Sequence[Row]) -> str:
    """Of each set, how many instructions got a formula, an equivalent one, a wrong one."""
    body = []
    for name in [s for s in SETS if any(r.group == s for r in rows)]:
        own = [r for r in rows if r.group == name]
        right = sum(r.measures.get("equivalent") is True for r in own)
        given = sum(r.measures.get("understood") is True for r in own)
        # A contradiction is right if it is refused, or if its formula is one.
        wrong = sum(
            r.measures.get("understood") is True and r.measures.get("equivalent") is not True
            for r in own
        )
        body.append((name, *map(str, (len(own), given, right, wrong))))
    head = ("set", "instructions", "with a formula", "equivalent or rightly refused", "wrong")
    return table(head, body)


def _instruction(row: Row) -> str:
    return row.case.rsplit(" scene ", 1)[0]


def _rate(rows: Sequence[Row], name: str) -> str:
    key = f"{name} word error rate"
    value = _mean([float(v) for r in rows if isinstance(v := r.measures.get(key), int | float)])
    return "-" if value is None else f"{value:.2f}"


def _mean(values: Sequence[float]) -> float | None:
    return fmean(values) if values else None


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f} %"
