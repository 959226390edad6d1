"""What one run of training and testing is reduced to, as JSON in its row."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from statistics import fmean
from typing import Any

from sayso.evaluation.cases import Row
from sayso.evaluation.interpret.episodes import Episode

SIGNALS = ("FEASIBLE", "REACHED")
"""What a person says without explaining anything; the paper does not count it either."""


@dataclass(frozen=True)
class Tested:
    """One test set.

    Attributes:
        blind: share of tasks done when an episode ends with the first failed action.
        watching: the same with monitoring and new plans; None where that was not tried.
        failures: task and cause, of the episodes that ended at the first failure.
    """

    blind: float
    watching: float | None = None
    failures: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Record:
    """One run.

    Attributes:
        tested: by set.
        feedback: messages of the person in training, by kind.
        steps, transitions: proposals in training; actions carried out.
        reached: training tasks whose goal was reached.
        calls: of the language model, in training.
        seconds: of each time that a stage ran.
        curve: (step, predicates, operators), where any of these changed.
        predicates, operators: names of what was learned.
        mistakes: of the person, by kind.
        mishaps: in training, by kind: actions made to fail or to be seen wrongly.
        agreements: by true predicate and condition; see `given.given_and_learned`.
    """

    tested: Mapping[str, Tested]
    feedback: Mapping[str, int] = field(default_factory=dict)
    steps: int = 0
    transitions: int = 0
    reached: int = 0
    calls: int = 0
    seconds: Mapping[str, Sequence[float]] = field(default_factory=dict)
    curve: Sequence[Sequence[int]] = ()
    predicates: Sequence[str] = ()
    operators: Sequence[str] = ()
    mistakes: Mapping[str, int] = field(default_factory=dict)
    mishaps: Mapping[str, int] = field(default_factory=dict)
    agreements: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    @property
    def explained(self) -> int:
        """Messages but for signals: goals, explanations, answers."""
        return sum(n for kind, n in self.feedback.items() if kind not in SIGNALS)

    def to_json(self) -> str:
        return json.dumps(asdict(self), sort_keys=True)


def record_of(row: Row) -> Record | None:
    """The record in a row; None for a run that broke off."""
    text = row.measures.get("record")
    if not isinstance(text, str):
        return None
    data: dict[str, Any] = json.loads(text)
    tested = {s: Tested(**t) for s, t in data.pop("tested").items()}
    return Record(tested=tested, **data)


def result_of(
    blind: Mapping[str, Episode], watching: Mapping[str, Episode] | None = None
) -> Tested:
    """A set's result from its episodes by task."""
    failures = {
        name: f"{e.ended} [{'; '.join(map(str, e.deeds))}]"
        for name, e in blind.items()
        if not e.reached
    }
    return Tested(
        share(blind.values()), None if watching is None else share(watching.values()), failures
    )


def share(episodes: Any) -> float:
    """Share of episodes that reached their goal."""
    return fmean(e.reached for e in episodes)


def rounded(seconds: Mapping[str, Sequence[float]]) -> dict[str, list[float]]:
    """To what matters of a time."""
    return {stage: [float(f"{s:.3g}") for s in times] for stage, times in seconds.items()}


def changes(points: Sequence[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    """A curve's points where something changed, and the last."""
    kept = [p for p, q in zip(points, [None, *points], strict=False) if q is None or p[1:] != q[1:]]
    return tuple(dict.fromkeys([*kept, *points[-1:]]))
