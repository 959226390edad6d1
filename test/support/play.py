"""A learner of behaviours in tests, given the robot's own senses and the play table's nouns."""

from __future__ import annotations

from sayso.adapters import registry
from sayso.core.library import builtin_path, load
from sayso.learning.behaviours.learner import BehaviourLearner
from sayso.learning.behaviours.sensed import sensed
from sayso.learning.synthesis.synthesizer import Synthesizer


def learner(wrong: float = 0.0) -> BehaviourLearner:
    synthesizer = Synthesizer(registry.create("embedder", "character_ngrams"))
    return BehaviourLearner(synthesizer, sensed(load(builtin_path("play_table"))), wrong)
