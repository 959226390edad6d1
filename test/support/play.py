"""What is given to the learner of behaviours in tests: the robot's own state, and some nouns."""

from __future__ import annotations

from dataclasses import replace

from sayso.adapters import registry
from sayso.core.library import Library, builtin_path, load
from sayso.core.vocabulary import Kind, Type, Vocabulary
from sayso.learning.behaviours.learner import BehaviourLearner
from sayso.learning.synthesis.synthesizer import Synthesizer

NOUNS = Vocabulary(
    kinds=(
        Kind(("lamp", "light"), frozenset({"lamp"})),
        Kind(("slider", "door"), frozenset({"slider"})),
    ),
    types=(Type("lamp", "a lamp"), Type("slider", "a sliding door")),
)


def given() -> Library:
    """What is in the hand, and no operators."""
    known = load(builtin_path()).predicates
    names = ("movable", "holding", "gripper_empty")
    mine = {name: replace(known[name], types=()) for name in names}
    return Library("play", mine, {}, {}, NOUNS)


def learner(wrong: float = 0.0) -> BehaviourLearner:
    synthesizer = Synthesizer(registry.create("embedder", "character_ngrams"))
    return BehaviourLearner(synthesizer, given(), wrong)
