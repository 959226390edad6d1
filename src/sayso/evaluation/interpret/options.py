"""What `sayso eval interpret` can be told, without loading a simulator."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

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
    """

    style: str = "plain"
    wrong: float = 0.0
    strategy: str = "doubt"
    transfer: str = ""
    training: int = TASKS
    testing: int = TASKS
    noise: float = 0.0
    priors: str = PRIORS[0]
    unmet: int = 0

    @property
    def doubtful(self) -> float:
        """The share of what is said or seen in training that the learner takes to be wrong."""
        return max(self.wrong, self.noise)
