"""The ways of getting a plan from words done that are compared: the paper's methods and SaySo's.

There is one loop, the main flow's; a strategy says what it does about a step that cannot be
taken. Figures are those of Raman et al., "CAPE", 2024, table I: 100 tasks in 7 scenes, with the
correctness that people voted for.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.planning.words import Cause


@dataclass(frozen=True)
class PaperFigures:
    """A row of the paper's table I: shares in percent, and means over its plans."""

    correct: float
    executable: float
    affordable: float
    graph_similarity: float
    lcs: float
    kappa: float
    steps: float
    corrections: float | None = None


@dataclass(frozen=True)
class Strategy:
    """What is done about a step that cannot be taken; nothing where no field says so: it is left.

    Attributes:
        title: what the method is called in tables.
        cause: how much of the failure a model is told that is asked again.
        candidates: ways of saying a step that a model is asked for.
        geometric: translations are scored by S_g; else by S_w.
        tries: how many of a step's translations are tried, the best first.
        affordance_error: only steps that can be taken are chosen, by an oracle that errs in this
            share of its answers.
        shots: whether a model is shown examples of corrections.
        repairs: the chain of repairers mends the rest of the plan, beginning without a model: what
            is done already is left out, what is lacking is bridged.
        replans: the chain plans anew for the goal, where that is known.
        asks_model: the chain asks a model.
        asks_person: the chain asks a person, who is simulated.
    """

    title: str
    cause: Cause | None = None
    candidates: int = 3
    geometric: bool = False
    tries: int = 1
    affordance_error: float | None = None
    shots: bool = False
    repairs: bool = False
    replans: bool = False
    asks_model: bool = False
    asks_person: bool = False
    paper: PaperFigures | None = None

    @property
    def needs_model(self) -> bool:
        """Whether it means nothing without one; others take a retrieved program for a plan."""
        return self.asks_model or not self.repairs


STRATEGIES: Mapping[str, Strategy] = {
    "huang": Strategy(
        "Huang et al.", paper=PaperFigures(38.15, 72.52, 87.72, 95.54, 20.80, 0.47, 7.21)
    ),
    "resampling": Strategy(
        "re-sampling", candidates=10, tries=10,
        paper=PaperFigures(38.89, 76.43, 75.24, 95.65, 23.45, 0.45, 6.87, 7.67),
    ),
    "saycan": Strategy(
        "SayCan, perfect affordances", affordance_error=0.0,
        paper=PaperFigures(28.89, 100.0, 100.0, 94.17, 22.98, 0.33, 7.56),
    ),
    "saycan-noisy": Strategy(
        "SayCan, noisy affordances", affordance_error=0.06,
        paper=PaperFigures(22.59, 97.33, 99.89, 94.68, 19.43, 0.46, 5.97),
    ),
    "success-only": Strategy(
        "CAPE, success only", Cause.SUCCESS_ONLY,
        paper=PaperFigures(41.11, 97.57, 90.46, 95.49, 23.79, 0.38, 7.68, 1.08),
    ),
    "implicit": Strategy(
        "CAPE, implicit cause", Cause.IMPLICIT,
        paper=PaperFigures(42.22, 97.86, 90.05, 95.64, 23.20, 0.51, 7.48, 0.93),
    ),
    "explicit": Strategy(
        "CAPE, explicit cause", Cause.EXPLICIT,
        paper=PaperFigures(42.59, 98.29, 91.69, 95.69, 23.48, 0.45, 8.16, 0.72),
    ),
    "explicit-sg": Strategy(
        "CAPE, explicit cause, S_g", Cause.EXPLICIT, geometric=True,
        paper=PaperFigures(48.52, 98.57, 91.28, 96.23, 23.30, 0.35, 8.81, 1.31),
    ),
    "few-shot": Strategy(
        "CAPE, few-shot explicit", Cause.EXPLICIT, shots=True,
        paper=PaperFigures(47.04, 98.57, 92.29, 96.05, 24.20, 0.41, 8.69, 0.89),
    ),
    "few-shot-sg": Strategy(
        "CAPE, few-shot explicit, S_g", Cause.EXPLICIT, shots=True, geometric=True,
        paper=PaperFigures(49.63, 96.29, 90.93, 96.29, 23.47, 0.39, 9.35, 1.82),
    ),
    "rules": Strategy("rules", repairs=True),
    "replanning": Strategy("rules, replanning", repairs=True, replans=True),
    "model": Strategy("rules, replanning, model", repairs=True, replans=True, asks_model=True),
    "person": Strategy(
        "rules, replanning, model, person (simulated)",
        repairs=True, replans=True, asks_model=True, asks_person=True,
    ),
}  # fmt: skip
"""By the name that `sayso eval cape --strategy` takes."""


def strategy(name: str) -> Strategy:
    """One of them. Raises CONFIG with the known names."""
    if name not in STRATEGIES:
        raise SaySoError(Code.CONFIG, f"there is no strategy '{name}'.", choices=STRATEGIES)
    return STRATEGIES[name]
