"""The paper's tables, with a run's figures beside the paper's own."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import fmean, median, stdev

from sayso.evaluation.cases import Row
from sayso.evaluation.interpret import paper
from sayso.evaluation.interpret.given import LEARNED
from sayso.evaluation.interpret.record import SIGNALS, Record, record_of
from sayso.evaluation.report import table

Runs = Mapping[str, Mapping[str, Record]]
"""Domain -> seed -> record."""

_STAGES: Mapping[str, str] = {
    "read": "read what is said",
    "write": "write predicates",
    "operators": "learn operators",
    "translate goal": "translate goal",
    "parse state": "parse state",
    "plan": "plan",
}
"""Stage -> its name in the table."""


def runs_of(rows: Sequence[Row]) -> Runs:
    """The runs by domain and seed."""
    runs: dict[str, dict[str, Record]] = {}
    for row in rows:
        record = record_of(row)
        if record is not None:
            runs.setdefault(row.group, {})[row.case.split()[-1]] = record
    return runs


def tables(runs: Runs, method: str, varied: bool, transfer: str) -> str:
    """All tables that the runs give.

    Args:
        method: whose success it is, as a heading.
        varied: whether the person's words were varied.
        transfer: the domain whose symbols were there to begin with, or ''.
    """
    parts = ["## Success (paper: Table II)", _success(runs, method), _average(runs, method)]
    if transfer and "table" in runs:
        parts += ["## Starting from another domain (paper: Table III)", _transfer(runs["table"])]
    if any(r.steps for records in runs.values() for r in records.values()):
        parts += [
            "## Each run (paper: Table VII)", _each(runs),
            "## Time of each stage (paper: Table IV)", _times(runs),
            "## What training took (paper: Table V)", _counts(runs), _kinds(runs),
            "## Predicates (paper: Tables I and VI)", _predicates(runs, varied),
        ]  # fmt: skip
    if any(r.agreements for records in runs.values() for r in records.values()):
        parts += ["## What was given, and what was learned", _agreements(runs)]
    if failures := _failures(runs):
        parts += ["## Test tasks that failed", failures]
    return "\n\n".join(parts)


def _success(runs: Runs, method: str) -> str:
    """Table II: mean and standard deviation over seeds."""
    others = [m for m in paper.SUCCESS if m != paper.INTERPRET]
    head = ("domain", "test set", method, "with replanning",
            *(f"{m} (paper)" for m in (paper.INTERPRET, *others)))  # fmt: skip
    body = []
    for domain, records in runs.items():
        for place, name in enumerate(paper.SETS):
            of_set = [r.tested[name] for r in records.values() if name in r.tested]
            if of_set:
                again = [t.watching for t in of_set if t.watching is not None]
                theirs = (paper.SUCCESS[m].get(domain) for m in (paper.INTERPRET, *others))
                figures = (_shown(t[place]) if t else "-" for t in theirs)
                body.append((
                    paper.title(domain), name.replace("_", " "),
                    _spread([t.blind for t in of_set]), _spread(again), *figures,
                ))  # fmt: skip
    return table(head, body)


def _average(runs: Runs, method: str) -> str:
    own = [r.tested["combined"].blind for rs in runs.values() for r in rs.values()
           if "combined" in r.tested]  # fmt: skip
    if not own:
        return ""
    if not set(runs) & set(paper.TITLES):
        return f"Average over combined sets: {method} {fmean(own):.2f}."
    theirs = fmean(f[3][0] for f in paper.SUCCESS[paper.INTERPRET].values())
    return (
        f"Average over combined sets: {method} {fmean(own):.2f}, "
        f"{paper.INTERPRET} (paper) {theirs:.2f}."
    )


def _transfer(records: Mapping[str, Record]) -> str:
    body = []
    for place, name in enumerate(paper.SETS):
        own = _spread([r.tested[name].blind for r in records.values() if name in r.tested])
        scratch = paper.SUCCESS[paper.INTERPRET]["table"][place]
        body.append((name.replace("_", " "), own, _shown(paper.TRANSFER[name]), _shown(scratch)))
    head = ("test set", "this run", "bootstrapped (paper)", "from scratch (paper)")
    return table(head, body)


def _each(runs: Runs) -> str:
    body = [
        (f"{paper.title(d)} {seed}",
         *(f"{r.tested[s].blind:.2f}" if s in r.tested else "-" for s in paper.SETS))
        for d, records in runs.items() for seed, r in records.items()
    ]  # fmt: skip
    return table(("run", *(s.replace("_", " ") for s in paper.SETS)), body)


def _times(runs: Runs) -> str:
    """Table IV: over all times that a stage ran, in all runs."""
    body = []
    for stage, title in _STAGES.items():
        seconds = [s for rs in runs.values() for r in rs.values() for s in r.seconds.get(stage, ())]
        if seconds:
            theirs = paper.TIMES.get(title, ("-",) * 3)
            own = (_seconds(median(seconds)), _seconds(min(seconds)), _seconds(max(seconds)))
            body.append((title, str(len(seconds)), *own, " / ".join(theirs)))
    return table(("stage", "times", "median", "least", "most", "paper"), body)


def _counts(runs: Runs) -> str:
    """Table V: counts of each run, in order of seeds."""
    body = []
    for domain, records in runs.items():
        rs = list(records.values())
        theirs = paper.COUNTS.get(domain, dict.fromkeys(("calls", "transitions", "feedback"), "-"))
        body.append((
            paper.title(domain),
            _listed([r.calls for r in rs]), theirs["calls"],
            _listed([r.transitions for r in rs]), theirs["transitions"],
            _listed([r.explained for r in rs]), theirs["feedback"],
            _listed([r.steps for r in rs]),
        ))  # fmt: skip
    head = ("domain", "model calls", "paper", "transitions", "paper", "feedback", "paper", "steps")
    note = (
        "Feedback counts goals, explanations and answers, but no signals. "
        "Steps are proposals, refused ones included."
    )
    return f"{table(head, body)}\n\n{note}"


def _kinds(runs: Runs) -> str:
    """Feedback by kind, the person's mistakes, and what was made to go wrong."""
    every = [r for rs in runs.values() for r in rs.values()]
    kinds = sorted({k for r in every for k in r.feedback}, key=lambda k: (k in SIGNALS, k))
    mistakes = sorted({k for r in every for k in r.mistakes})
    mishaps = sorted({k for r in every for k in r.mishaps})
    body = [
        (f"{paper.title(d)} {seed}", *(str(r.feedback.get(k, 0)) for k in kinds),
         *(str(r.mistakes.get(k, 0)) for k in mistakes),
         *(str(r.mishaps.get(k, 0)) for k in mishaps))
        for d, records in runs.items() for seed, r in records.items()
    ]  # fmt: skip
    words = (k.lower().replace("_", " ") for k in kinds)
    wrong = (*(f"mistake: {k}" for k in mistakes), *(f"mishap: {k}" for k in mishaps))
    return table(("run", *words, *wrong), body)


def _predicates(runs: Runs, varied: bool) -> str:
    body = [
        (f"{paper.title(d)} {seed}", ", ".join(r.predicates), str(len(r.operators)))
        for d, records in runs.items() for seed, r in records.items()
    ]  # fmt: skip
    if varied:
        body += [(f"StoreObjects {n} (paper)", text, "-") for n, text in paper.VARIED.items()]
    else:
        body += [
            (f"{paper.title(d)} (paper)", paper.PREDICATES[d], "-")
            for d in runs
            if d in paper.PREDICATES
        ]
    return table(("run", "predicates", "operators"), body)


def _agreements(runs: Runs) -> str:
    """Balanced agreement with the truth, averaged over all runs."""
    every = [r.agreements for records in runs.values() for r in records.values()]
    found = dict.fromkeys(c for one in every for told in one.values() for c in told)
    conditions = sorted(found, key=lambda c: c == LEARNED)
    rows: dict[str, list[str]] = {}
    for name in sorted({n for one in every for n in one}):
        told = [one[name] for one in every if name in one]
        shares = ([t[c] for t in told if c in t] for c in conditions)
        rows[name] = [f"{fmean(s):.2f}" if s else "-" for s in shares]
    head = ("predicate", *(c if c == LEARNED else f"0 labels: {c}" for c in conditions))
    note = (
        "Of what is so and what is not, the shares told rightly, averaged; 0.50 knows nothing. "
        "'0 labels' is before anybody has said of any thing whether it is so."
    )
    return f"{table(head, [(n, *shares) for n, shares in rows.items()])}\n\n{note}"


def _failures(runs: Runs) -> str:
    lines = [
        f"- {task}: {cause}"
        for records in runs.values()
        for record in records.values()
        for tested in record.tested.values()
        for task, cause in tested.failures.items()
    ]
    return "\n".join(lines)


def _spread(values: Sequence[float]) -> str:
    if not values:
        return "-"
    return f"{fmean(values):.2f} ± {stdev(values) if len(values) > 1 else 0.0:.2f}"


def _shown(figures: paper.Share) -> str:
    return f"{figures[0]:.2f} ± {figures[1]:.2f}"


def _listed(numbers: Sequence[int]) -> str:
    return " / ".join(map(str, numbers))


def _seconds(value: float) -> str:
    return f"{value:.3g} s" if value >= 1 else f"{1000 * value:.3g} ms"
