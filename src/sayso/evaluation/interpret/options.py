"""What `sayso eval interpret` can be told, without loading a simulator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sayso.core.options import option
from sayso.worlds.domains import KITCHEN

DOMAINS = KITCHEN
"""Those of the paper: StoreObjects, SetTable, CookMeal."""
STYLES = ("plain", "varied")
WORLDS = ("kitchen2d", "arm")
STRATEGIES = ("doubt", "random")
MONOLOGUE_PROMPT = ("baseline_monologue", 1)
POLICY_PROMPT = ("baseline_policy", 1)
PROMPTS: Mapping[str, tuple[str, int]] = {
    "im-objects": MONOLOGUE_PROMPT,
    "im-scene": MONOLOGUE_PROMPT,
    "im-preconditions": MONOLOGUE_PROMPT,
    "code": POLICY_PROMPT,
}
"""Compared planner -> its prompt."""
BASELINES = tuple(PROMPTS)
TRAINED_BASELINES = ("im-scene", "im-preconditions")
"""Those that use what was learned in training."""
TASKS = 10
PRIORS = ("household", "none")
"""What learning without a model may know from the start, besides a file of one's own."""
UNMET = 3
"""Proposals after each lesson of a demonstration in a domain that is a file; see `Course`."""
HALVES = ("odd", "even", "all")
"""Of the everyday predicates: those whose results were looked at while the grammar was widened, the
others, both."""


@dataclass(frozen=True)
class Course:
    """How a robot is trained and tested.

    Attributes:
        style: of the person's words, one of `STYLES`.
        wrong: share of the person's explanations that are wrong.
        noise: share of the actions in training that fail or are seen wrongly, by chance.
        strategy: of exploration, one of `STRATEGIES`.
        transfer: a domain that is learned first, whose predicates are kept; '' for none.
        training, testing: tasks to learn from, and in each test set.
        priors: what is known before anybody says anything: `household`, `none`, or a file.
        unmet: proposals after each lesson of what was never tried so; see `learning.unmet`.
        corrections: of a predicate's text that a language model is asked for in a row.
    """

    style: str = option("plain", "of the person's words", choices=STYLES)
    wrong: float = option(0.0, "of the person's explanations that are wrong", "SHARE")
    strategy: str = option("doubt", "what is tried where no plan is followed", choices=STRATEGIES)
    transfer: str = option(
        "",
        "learn this domain first and keep its predicates",
        "DOMAIN",
        flags=("--transfer-from",),
    )
    training: int = TASKS
    testing: int = TASKS
    noise: float = option(
        0.0,
        "of the actions in the 2D kitchen's training that fail or are seen wrongly by chance",
        "SHARE",
    )
    priors: str = option(
        PRIORS[0],
        "what is known of words, kinds and usual tolerances before anybody says anything",
        "FILE|none",
    )
    unmet: int = option(
        0,
        "proposals after each training task of what was never tried so (default: none)",
        "N",
    )
    corrections: int = option(
        3, "of a predicate's text that a language model is asked for in a row, at most", "N"
    )

    @property
    def doubtful(self) -> float:
        """The share of what is said or seen in training that the learner takes to be wrong."""
        return max(self.wrong, self.noise)


@dataclass(frozen=True)
class Settings:
    """Where a course is run, and how often."""

    domains: tuple[str, ...] = option(
        DOMAINS,
        "store, table, cook (StoreObjects, SetTable, CookMeal, the default), lighting, "
        "sorting, discs, tools, or folders of domains",
        "DOMAIN",
    )
    seeds: int = option(3, "runs of each domain", "N")
    training: int | None = option(None, "training tasks (default: 10)")
    testing: int | None = option(None, "tasks of a test set (default: 10; on the arm 5)")
    baseline: str = option("", "test another planner", choices=BASELINES)
    world: str = option(
        WORLDS[0],
        "kitchen2d, or arm: the simulated table over ROS (store and table)",
        choices=WORLDS,
    )
    speed: float = option(1.0, "of the arm's world: simulated seconds per second, at most", "N")


@dataclass(frozen=True)
class Predicates:
    """How everyday predicates are learned."""

    labels: tuple[int, ...] = option((10, 30), "right labels for each", "N")
    priors: str = option(
        PRIORS[0],
        "what is known of words, kinds and usual tolerances beforehand",
        "FILE|none",
    )
    half: str = option("all", "by number", choices=HALVES)
