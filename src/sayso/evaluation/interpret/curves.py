"""How many symbols were known after each step: as a picture (SVG) and as text."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.evaluation.interpret import paper
from sayso.evaluation.interpret.tables import Runs
from sayso.evaluation.report import table

_WIDTH, _HEIGHT, _MARGIN = 360, 220, 36
_COLOURS = {1: "#c0392b", 2: "#2c6fbb"}
_NAMES = {1: "predicates", 2: "operators"}
_STEPS = (5, 10, 20, 40, 80, 160)

Curve = Sequence[Sequence[int]]
"""(step, predicates, operators), where they changed."""


def at(curve: Curve, step: int, what: int) -> int:
    """How many were known after a step."""
    known = [p[what] for p in curve if p[0] <= step]
    return known[-1] if known else 0


def curves_text(runs: Runs) -> str:
    """Predicates and operators known after some steps, a line for each run."""
    body = []
    for domain, records in runs.items():
        for seed, record in records.items():
            last = record.curve[-1][0] if record.curve else 0
            shown = [
                f"{at(record.curve, s, 1)} + {at(record.curve, s, 2)}" if s <= last else "-"
                for s in _STEPS
            ]
            end = f"{at(record.curve, last, 1)} + {at(record.curve, last, 2)} ({last})"
            body.append((f"{paper.title(domain)} {seed}", *shown, end))
    head = ("predicates + operators after step", *map(str, _STEPS), "the end (step)")
    return table(head, body)


def curves_svg(runs: Runs) -> str:
    """One plot for each domain, side by side: a line for each run and kind of symbol."""
    plots = [
        _plot(n * _WIDTH, paper.title(d), [r.curve for r in records.values() if r.curve])
        for n, (d, records) in enumerate(runs.items())
    ]
    width = _WIDTH * max(1, len(plots))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{_HEIGHT}" '
        f'font-family="sans-serif" font-size="11">\n'
        f'<rect width="{width}" height="{_HEIGHT}" fill="white"/>\n'
        + "\n".join(plots)
        + "\n</svg>\n"
    )


def _plot(left: int, title: str, curves: Sequence[Curve]) -> str:
    steps = max((c[-1][0] for c in curves), default=1) or 1
    most = max((p[k] for c in curves for p in c for k in (1, 2)), default=1) or 1
    wide, high = _WIDTH - 2 * _MARGIN, _HEIGHT - 2 * _MARGIN
    x0, y0 = left + _MARGIN, _HEIGHT - _MARGIN
    lines = [
        f'<text x="{x0}" y="20" font-weight="bold">{title}</text>',
        f'<path d="M{x0},{y0 - high} V{y0} H{x0 + wide}" fill="none" stroke="#888"/>',
        f'<text x="{x0 - 6}" y="{y0 - high + 4}" text-anchor="end">{most}</text>',
        f'<text x="{x0 - 6}" y="{y0 + 4}" text-anchor="end">0</text>',
        f'<text x="{x0 + wide}" y="{y0 + 16}" text-anchor="end">{steps} steps</text>',
    ]
    for what, colour in _COLOURS.items():
        dashes = ' stroke-dasharray="5 3"' if what == 2 else ""
        lines.append(
            f'<text x="{x0 + 90 * (what - 1)}" y="{y0 + 30}" fill="{colour}">{_NAMES[what]}'
            f"{' (dashed)' if what == 2 else ''}</text>"
        )
        for curve in curves:
            way = _stairs([(p[0] / steps * wide, p[what] / most * high) for p in curve])
            lines.append(
                f'<path transform="translate({x0},{y0}) scale(1,-1)" d="{way}" fill="none" '
                f'stroke="{colour}"{dashes}/>'
            )
    return "\n".join(lines)


def _stairs(points: Sequence[tuple[float, float]]) -> str:
    way = "M0,0"
    for x, y in points:
        way += f" H{x:.1f} V{y:.1f}"
    return way
