"""How much of a predicate was given and how much learned: agreement with the truth, unlabelled.

A predicate is written before anybody has labelled anything, from its words alone: with the priors
of the run, with nonsense for its words, and without priors. What is unknown counts as half right,
so that 0.5 is what knows nothing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import permutations

import numpy as np

from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Atom
from sayso.learning.feedback_clauses import concept_of
from sayso.learning.priors import NONE, Priors
from sayso.learning.synthesis.labels import Concept
from sayso.learning.teaching import PredicateWriter

LEARNED = "learned"
NONSENSE = "nonsense words"
NO_PRIORS = "no priors"
_SYLLABLES = ("bli", "da", "fep", "gor", "ket", "lum", "mip", "ruz", "tov", "wug", "zin", "pash")
_SCENES = 20
"""In how many scenes, at most, agreement is counted."""


@dataclass(frozen=True)
class Writers:
    """Who writes predicates with the run's priors, and who knows nothing."""

    priors: Priors
    informed: PredicateWriter
    uninformed: PredicateWriter


def given_and_learned(
    truth: Mapping[str, Predicate],
    learned: Mapping[str, Predicate],
    scenes: Sequence[Scene],
    writers: Writers,
) -> dict[str, dict[str, float]]:
    """For each true predicate its agreement before any label, by what was known, and when learned.

    Args:
        scenes: that were seen; true predicates that never differ there are left out.
    """
    chosen = spread_over(scenes, _SCENES)
    found = {}
    for number, (name, predicate) in enumerate(truth.items()):
        drafts = _unlabelled(predicate, number, chosen, writers)
        if name in learned:
            drafts[LEARNED] = (learned[name], learned)
        shares = {
            condition: agreement(draft, known, predicate, truth, chosen)
            for condition, (draft, known) in drafts.items()
        }
        told = {condition: round(s, 3) for condition, s in shares.items() if s is not None}
        if told:
            found[name] = told
    return found


def spread_over(scenes: Sequence[Scene], count: int) -> tuple[Scene, ...]:
    """At most so many of the scenes, evenly from first to last."""
    places = np.unique(np.linspace(0, len(scenes) - 1, min(count, len(scenes))).astype(int))
    return tuple(scenes[i] for i in places)


def agreement(
    predicate: Predicate,
    known: Mapping[str, Predicate],
    truth: Predicate,
    true: Mapping[str, Predicate],
    scenes: Sequence[Scene],
) -> float | None:
    """Balanced: the mean of the shares told rightly of what is so, and of what is not.

    Args:
        known, true: the other predicates that either may ask for.

    Returns:
        None where the truth is one-sided in all the scenes.
    """
    right: dict[bool, list[float]] = {True: [], False: []}
    for scene in scenes:
        one = SceneView(scene, {**known, predicate.name: predicate})
        other = SceneView(scene, true)
        for args in permutations(one.objects(), truth.arity):
            wanted = other.truth(Atom(truth.name, args))
            if wanted is not None:
                told = one.truth(Atom(predicate.name, args))
                right[wanted].append(0.5 if told is None else float(told == wanted))
    if not (right[True] and right[False]):
        return None
    return float(np.mean([np.mean(shares) for shares in right.values()]))


def nonsense(predicate: Predicate, number: int) -> Concept:
    """The predicate under a name that means nothing."""
    count = len(_SYLLABLES)
    word = _SYLLABLES[number % count] + _SYLLABLES[(number // count + 5 * number + 1) % count]
    rest = ("", "", " {1}", " {1} and {2}")[predicate.arity]
    who = "{0}" if predicate.arity else "it"
    return Concept(
        word, predicate.parameters, f"{who} {word}s{rest}", f"{who} does not {word}{rest}"
    )


def _unlabelled(
    predicate: Predicate, number: int, scenes: Sequence[Scene], writers: Writers
) -> dict[str, tuple[Predicate, Mapping[str, Predicate]]]:
    """The predicate as its words alone make it, with what it may ask for: nothing."""
    name, arity = predicate.name, predicate.arity
    tries: dict[str, tuple[PredicateWriter, Concept]] = {}
    if writers.priors.name != NONE:
        tries[writers.priors.name] = (writers.informed, concept_of(name, arity, writers.priors))
        tries[NONSENSE] = (writers.informed, nonsense(predicate, number))
    tries[NO_PRIORS] = (writers.uninformed, concept_of(name, arity, Priors(NONE)))
    return {
        condition: (writer.learn(concept, [], scenes=scenes).predicate, {})
        for condition, (writer, concept) in tries.items()
    }
