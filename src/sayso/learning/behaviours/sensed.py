"""What a learner of behaviours is given of a library: the robot's own senses, and nouns."""

from __future__ import annotations

from dataclasses import replace

from sayso.core.library import Library
from sayso.core.vocabulary import Vocabulary

_SENSED = ("movable", "holding", "gripper_empty")


def sensed(library: Library) -> Library:
    """The library without operators, without words for actions and states, and with no predicates
    but those of what is in the hand."""
    words = library.vocabulary
    predicates = {n: library.predicates[n] for n in _SENSED if n in library.predicates}
    vocabulary = Vocabulary(kinds=words.kinds, types=words.types, modifiers=words.modifiers)
    return replace(
        library, predicates=predicates, operators={}, operator_provenance={}, vocabulary=vocabulary
    )
