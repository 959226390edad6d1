"""Rows as tables: success with intervals, measures, failures by code."""

from __future__ import annotations

import json
import math
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, fields
from statistics import fmean, median

from sayso.adapters.llm.metered import Usage
from sayso.evaluation.cases import Row, SuiteSpec

_Z95 = 1.959963984540054
_EXAMPLES = 5
_MEANS = (
    "Mean over the cases of a group that have the measure; a share for what is so or not, and "
    "times in ms."
)


def wilson(successes: int, total: int, z: float = _Z95) -> tuple[float, float]:
    """Wilson's score interval (1927) of a proportion; (0, 1) without any trial."""
    if total == 0:
        return (0.0, 1.0)
    p = successes / total
    centre = p + z * z / (2 * total)
    spread = z * math.sqrt(p * (1 - p) / total + z * z / (4 * total * total))
    scale = 1 + z * z / total
    return (max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale))


@dataclass(frozen=True)
class Prices:
    """Of a language model, for a million tokens of prompts and of completions, in any currency."""

    prompt: float
    completion: float


def markdown(
    rows: Sequence[Row], spec: SuiteSpec, summary: str = "", prices: Prices | None = None
) -> str:
    """The whole report; `summary` is what the suite itself has to say."""
    parts = [f"# {spec.name}", _origins(rows, spec), "## Success", success_table(rows)]
    if table := measures_table(rows):
        parts += ["## Measures", _MEANS, table]
    if failures := failures_table(rows):
        parts += ["## Failures", failures]
    if usage := model_usage(rows, prices):
        parts += ["## Language model", usage]
    if summary:
        parts.append(summary)
    return "\n\n".join(parts) + "\n"


def success_table(rows: Sequence[Row]) -> str:
    """Successes by group and in all, with 95 % intervals and the median time of a case."""
    body = []
    for group, members in _groups(rows):
        solved, total = sum(r.success for r in members), len(members)
        low, high = wilson(solved, total)
        share = f"{100 * solved / total:.1f} %" if total else "-"
        interval = f"{100 * low:.1f} to {100 * high:.1f} %"
        time = f"{median(r.wall_s for r in members):.3g} s" if members else "-"
        body.append((group, str(total), str(solved), share, interval, time))
    head = ("group", "cases", "solved", "share", "95 % interval (Wilson)", "median time")
    return table(head, body)


def measures_table(rows: Sequence[Row]) -> str:
    """Means of the numeric measures by group; '' if there are none."""
    names = list(dict.fromkeys(n for r in rows for n, v in r.measures.items() if _counts(v)))
    if not names:
        return ""
    body = [
        (group, *(_mean(n, [r.measures[n] for r in members if _counts(r.measures.get(n))])
                  for n in names))
        for group, members in _groups(rows)
    ]  # fmt: skip
    return table(("group", *(n.removesuffix(" s") for n in names)), body)


def failures_table(rows: Sequence[Row]) -> str:
    """Failures by code, with the first few cases; '' if there are none."""
    failed = [r for r in rows if not r.success]
    body = []
    for code, count in Counter(r.code for r in failed).most_common():
        cases = [r.case for r in failed if r.code == code]
        more = ", ..." if count > _EXAMPLES else ""
        body.append((_name(code), str(count), ", ".join(cases[:_EXAMPLES]) + more))
    return table(("code", "cases", "such as"), body) if body else ""


def model_usage(rows: Sequence[Row], prices: Prices | None = None) -> str:
    """Calls, tokens and cost of the language model in all; '' if none was asked."""
    names = [f.name.replace("_", " ") for f in fields(Usage)]
    used = Usage(*(sum(_whole(r.measures.get(n)) for r in rows) for n in names))
    if not used.calls:
        return ""
    body = [
        ("used", str(used.calls), str(used.prompt_tokens), str(used.completion_tokens)),
        ("paid for", "", str(used.paid_prompt_tokens), str(used.paid_completion_tokens)),
    ]
    told = table(("", "replies", "prompt tokens", "completion tokens"), body)
    return f"{told}\n\n{_cost(used, prices)}"


def _cost(used: Usage, prices: Prices | None) -> str:
    if prices is None:
        return "Cost: not known without --price. Recorded replies are not paid for again."
    parts = (
        prices.prompt * used.paid_prompt_tokens, prices.completion * used.paid_completion_tokens
    )  # fmt: skip
    return (
        f"Cost: {sum(parts) / 1e6:.4f}, at the --price of {prices.prompt:g} and "
        f"{prices.completion:g} for a million tokens. Recorded replies are not paid for again."
    )


def _whole(measure: object) -> int:
    return measure if isinstance(measure, int) else 0


def table(head: Sequence[str], body: Iterable[Sequence[str]]) -> str:
    """A Markdown table; the first column is text, the others are numbers."""
    lines = [head, ["---", *(["---:"] * (len(head) - 1))], *body]
    return "\n".join(f"| {' | '.join(_cell(c) for c in line)} |" for line in lines)


def _origins(rows: Sequence[Row], spec: SuiteSpec) -> str:
    """Which software, model and seed the rows are from."""
    lines = [f"- options: `{json.dumps(dict(spec.options), sort_keys=True)}`"]
    for name in ("backend", "revision", "commit", "seed"):
        values = sorted({str(getattr(r, name)) for r in rows} - {""})
        if values:
            lines.append(f"- {name}: {', '.join(values)}")
    return "\n".join(lines)


def _groups(rows: Sequence[Row]) -> list[tuple[str, list[Row]]]:
    """Rows by group in order of appearance, and all of them last."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    found = list(groups.items())
    return found if len(found) == 1 else [*found, ("all together", list(rows))]


def _counts(value: object) -> bool:
    return isinstance(value, bool | int | float) and math.isfinite(value)


def _mean(name: str, values: Sequence[object]) -> str:
    """A mean in its unit: names that end in " s" are of seconds; of what is so or not, a share."""
    numbers = [float(v) for v in values if isinstance(v, bool | int | float)]
    if not numbers:
        return "-"
    if all(isinstance(v, bool) for v in values):
        return f"{100 * fmean(numbers):.1f} %"
    return f"{1000 * fmean(numbers):.3g} ms" if name.endswith(" s") else f"{fmean(numbers):.4g}"


def _name(code: str) -> str:
    """A failure whose run itself ended well did the wrong thing."""
    return "wrong result" if code == "OK" else code


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")
