"""What `sayso eval cape` offers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sayso.adapters import registry
from sayso.core.options import option
from sayso.evaluation.cape.strategies import STRATEGIES
from sayso.robots.loading import MOBILE

PARTS: Mapping[str, str] = {
    "gold": "the data set's programs as they are",
    "scratch": "plans made from the goal alone",
    "perturbed": "the programs with one error in each, repaired without a model",
    "words": "plans that a model says, or the program of the most alike other task, by --strategy",
    "errands": "somebody's plans with errors for six errands in a kitchen and a lab, repaired "
    "without a model, as they are and with --copies of each error more",
    "errands_flat": "the same plans in the flat, where driving, grasping, doors and lids are "
    "physical and seen by cameras, --copies times with other noise",
    "steps": "random steps: do the operators allow what the simulator does?",
}
GOALS = ("known", "hidden")
"""Whether repairs see the goal, or the plan alone, and a model is told it, or the title alone."""
TITLES = ("held out", "shared")
"""Whether other tasks of a task's own title may be an example, or be retrieved, for it."""
PLANS = ("steps", "whole")
"""Whether a model is asked for a plan step by step, or for all of it."""


@dataclass(frozen=True)
class Settings:
    """What is carried out."""

    part: str = option(
        "",
        "; ".join(f"{name}: {what}" for name, what in PARTS.items())
        + " (default: words with --strategy, else gold)",
        choices=PARTS,
    )
    strategies: tuple[str, ...] = option(
        (),
        f"for --part words, one or several of {', '.join(STRATEGIES)}",
        "NAME",
        choices=STRATEGIES,
        flags=("--strategy",),
    )
    plan: str = option(
        PLANS[0],
        "whether a model says a plan step by step or as a whole (--part words)",
        choices=PLANS,
    )
    goal: str = option(
        GOALS[0],
        "whether repairs see it and a model is told it (--part perturbed and words)",
        choices=GOALS,
    )
    titles: str = option(
        TITLES[0],
        "whether tasks of a task's own title may be examples for it (--part words)",
        choices=TITLES,
    )
    embedder: str = option(
        "character_ngrams",
        "which tasks and actions are alike (minilm: extra sayso[embeddings])",
        choices=registry.names("embedder"),
    )
    votes: str = option("", "case, person and correct: people's judgements", "CSV")
    every: int = option(1, "only each N-th of the tasks", "N")
    limit: int = option(0, "at most so many cases", "N")
    robot: str = option(
        MOBILE, f"of --part errands_flat: {MOBILE}, or spot (extra sayso[spot])", "NAME"
    )
    copies: int = option(2, "of each error in each program", "N")
    steps: int = option(60, "random steps from each task's beginning", "N")
