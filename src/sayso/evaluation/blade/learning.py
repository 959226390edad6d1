"""What plays at the play table teach, given the robot's own senses and English."""

from __future__ import annotations

from collections.abc import Sequence

from sayso.adapters import registry
from sayso.adapters.learning_backends import EMBEDDER
from sayso.core.library import builtin_path, load
from sayso.core.ports import LanguageModel
from sayso.learning.behaviours.learner import BehaviourLearner, LearnedBehaviours
from sayso.learning.behaviours.pieces import in_english
from sayso.learning.demonstrations.demonstration import Demonstration
from sayso.learning.model.wordings import ModelWordings
from sayso.learning.synthesis.synthesizer import Synthesizer

GIVEN = "play_table"
"""The library with the senses of the hand, and nouns."""


def learned_from(
    plays: Sequence[Demonstration],
    wrong: float = 0.0,
    ends: bool = False,
    model: LanguageModel | None = None,
) -> LearnedBehaviours:
    """Args and errors as of `BehaviourLearner`; a model reads what was said, if there is one."""
    synthesizer = Synthesizer(registry.create("embedder", EMBEDDER))
    read = ModelWordings(model) if model else in_english
    given = load(builtin_path(GIVEN))
    return BehaviourLearner(synthesizer, given, wrong, ends, read).learn(plays)
