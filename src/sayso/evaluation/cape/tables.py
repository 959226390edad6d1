"""Tables of strategies like those of Raman et al., "CAPE", 2024, with the paper's own figures."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from statistics import fmean

from sayso.evaluation.cape.scoring import fleiss_kappa
from sayso.evaluation.cape.strategies import STRATEGIES, PaperFigures
from sayso.evaluation.cases import Row
from sayso.evaluation.report import table

Votes = Mapping[str, Mapping[str, bool]]
_SHARES = ("correct", "executable", "affordable", "graph similarity", "LCS")
_MEANS = ("steps", "corrections", "calls", "tokens", "seconds")
_VOTED = ("voted correct", "kappa")
_NOTE = (
    "Correct is judged by the automaton of the goal, where the plan could first not be taken any "
    "further; a case where the simulator's graph says otherwise has the code POSTCONDITION. "
    "Affordable is the share of steps tried that could be taken; LCS is with the program of the "
    "title that is most alike. Calls and tokens are those of the model a task. The paper's rows "
    "are of other tasks (100 in 7 scenes) and other models, and their correctness was voted for."
)
_COSINES = (
    "The model told no log probabilities of tokens: translations are scored by likeness alone, so "
    "that S_w and S_g choose the same."
)
BEST = "best other plan"
"""The measure whether any other plan of the title reaches the goal."""
_BEST_NOTE = (
    "Best other: some other plan of the title (the task's own and equal ones left out) reaches the "
    "goal, adapted and repaired in the same way. Tasks whose title has no other plan are left out."
)
_SAYCAN = (
    "Chat servers do not tell how probable a given action is: SayCan's scores are those of the "
    "steps that the model said, times likeness."
)


def strategies_table(rows: Sequence[Row], votes: Votes) -> str:
    """Strategies, each beside the paper's figures, and the strategies by title."""
    by_strategy: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_strategy[row.case.rpartition("/")[2]].append(row)
    known = {name: by_strategy[name] for name in STRATEGIES if name in by_strategy}
    voted = _VOTED if votes else ()
    body = []
    for name, members in known.items():
        strategy = STRATEGIES[name]
        body.append(
            (strategy.title, str(len(members)), *_figures(members), *_people(members, votes))
        )
        if strategy.paper:
            paper = _paper(strategy.paper)
            body.append(
                (f"{strategy.title} (paper)", "700", *paper, *_paper_people(strategy.paper, votes))
            )
    parts = [
        "## Strategies", table(("strategy", "plans", *_SHARES, *_MEANS, *voted), body), _NOTE,
    ]  # fmt: skip
    if any(r.measures.get("calls") for r in rows) and not _has_log_probabilities(rows):
        parts.append(_COSINES)
    if any(name.startswith("saycan") for name in known):
        parts.append(_SAYCAN)
    for name, members in known.items():
        compared = [r for r in members if BEST in r.measures]
        if compared:
            parts += [f"## Beside the best other plan: {STRATEGIES[name].title}", _best(compared)]
            parts.append(_BEST_NOTE)
    if len(known) > 1:
        parts += ["## Correct by title", _by_title(known)]
    for name, members in known.items():
        parts += [f"## By title: {STRATEGIES[name].title}", _titles(members)]
    return "\n\n".join(parts)


def _has_log_probabilities(rows: Iterable[Row]) -> bool:
    return any(r.measures.get("log probabilities") for r in rows)


def _figures(rows: Sequence[Row]) -> tuple[str, ...]:
    shares = (_percent(_mean(rows, name)) for name in _SHARES)
    return (*shares, *(_number(_mean(rows, name)) for name in _MEANS))


def _mean(rows: Sequence[Row], name: str) -> float | None:
    """Of a measure that not all rows may have: a case that broke off is neither correct nor
    executable, and counts for nothing else."""
    if name == "seconds":
        return fmean(r.wall_s for r in rows)
    if name == "tokens":
        return fmean(
            sum(_value(r, f"{k} tokens") or 0 for k in ("prompt", "completion")) for r in rows
        )
    if name in ("correct", "executable"):
        return fmean(_value(r, name) or 0.0 for r in rows)
    found = [v for r in rows if (v := _value(r, name)) is not None]
    return fmean(found) if found else None


def _value(row: Row, name: str) -> float | None:
    value = row.measures.get(name)
    return float(value) if isinstance(value, int | float) else None


def _percent(share: float | None) -> str:
    return "-" if share is None else f"{100 * share:.1f}"


def _number(value: float | None) -> str:
    return "-" if value is None else f"{value:.3g}" if value < 1000 else f"{value:.0f}"


def _paper(paper: PaperFigures) -> tuple[str, ...]:
    shares = (paper.correct, paper.executable, paper.affordable, paper.graph_similarity, paper.lcs)
    corrections = "-" if paper.corrections is None else f"{paper.corrections:g}"
    return (*(f"{s:.1f}" for s in shares), f"{paper.steps:g}", corrections, "-", "-", "-")


def _paper_people(paper: PaperFigures, votes: Votes) -> tuple[str, ...]:
    return (f"{paper.correct:.1f}", f"{paper.kappa:g}") if votes else ()


def _people(rows: Iterable[Row], votes: Votes) -> tuple[str, ...]:
    """The share of votes for correct, and Fleiss' kappa over the plans with most's number."""
    if not votes:
        return ()
    given = [list(votes[r.case].values()) for r in rows if r.case in votes]
    if not given:
        return "-", "-"
    usual = Counter(map(len, given)).most_common(1)[0][0]
    counts = [Counter(map(str, v)) for v in given if len(v) == usual]
    kappa = fleiss_kappa(counts)
    share = fmean(fmean(v) for v in given)
    return _percent(share), "-" if kappa is None else f"{kappa:.2f}"


def _by_title(by_strategy: Mapping[str, Sequence[Row]]) -> str:
    titles = sorted({_title(r) for rows in by_strategy.values() for r in rows})
    body = [
        (title, *(_correct([r for r in rows if _title(r) == title])
                  for rows in by_strategy.values()))
        for title in titles
    ]  # fmt: skip
    return table(("title", *(STRATEGIES[name].title for name in by_strategy)), body)


def _titles(rows: Sequence[Row]) -> str:
    """One strategy's figures, title by title."""
    by_title: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_title[_title(row)].append(row)
    body = [(title, str(len(m)), *_figures(m)) for title, m in sorted(by_title.items())]
    return table(("title", "plans", *_SHARES, *_MEANS), body)


def _best(rows: Sequence[Row]) -> str:
    """How many goals the retrieved plan reaches, and how many some other of the title does."""
    by_title: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_title[_title(row)].append(row)
    body = [(title, *_beside(members)) for title, members in sorted(by_title.items())]
    return table(
        ("title", "plans", "correct", "best other", "share"), [*body, ("all", *_beside(rows))]
    )


def _beside(rows: Sequence[Row]) -> tuple[str, ...]:
    correct, best = (sum(bool(r.measures.get(n)) for r in rows) for n in ("correct", BEST))
    return str(len(rows)), str(correct), str(best), _percent(correct / best if best else None)


def _title(row: Row) -> str:
    return str(row.measures.get("title", "(broke off)"))


def _correct(rows: Sequence[Row]) -> str:
    return f"{sum(bool(r.measures.get('correct')) for r in rows)} of {len(rows)}"
