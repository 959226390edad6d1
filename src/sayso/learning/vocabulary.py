"""Predicates in the making: what was said of each, and their mending where they misjudge labels.

InterPreT's Coder and Corrector, bounded: each new label is tried to be met once, together with all
labels before it, and what cannot be met is kept and counted.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import permutations

from sayso.core.errors import SaySoError
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Scene
from sayso.core.symbols import Atom
from sayso.learning.events import NotUnderstood, PredicateLearned
from sayso.learning.experience import Labels
from sayso.learning.predicate_code import compile_learned
from sayso.learning.states import States
from sayso.learning.synonyms import CALLED, Synonym, also_called
from sayso.learning.synthesis.labels import Concept, Label
from sayso.learning.synthesis.synthesizer import Learned, Question
from sayso.learning.teaching import PredicateWriter

_LOG = logging.getLogger(__name__)
_ROUNDS = 3
"""A corrected predicate may call for the correction of those that use it."""
_RIVAL = 0.1
"""Belief from which a program is worth a try against the one that is believed most."""


class Vocabulary:
    """The predicates that there are, with what people said of them.

    Attributes:
        questions: for each predicate, what would split the candidates for it best.
        entries: how much of the experience there is, for the provenance of what is written.
    """

    def __init__(self, predicates: Mapping[str, Predicate], writer: PredicateWriter) -> None:
        self.predicates = dict(predicates)
        self.states = States(self.predicates)
        self.questions: dict[str, Question] = {}
        self.entries = 0
        self._writer = writer
        self._concepts: dict[str, Concept] = {}
        self._stale: set[str] = set()
        self._given_up: set[str] = set()
        self._accepted: dict[str, set[Label]] = {}
        self._rivals: dict[str, tuple[Predicate, ...]] = {}
        self._weighed: dict[str, set[Label]] = {}

    @property
    def arities(self) -> dict[str, int]:
        """How many arguments each predicate takes, those included that are not written yet."""
        spoken_of = {n: len(c.parameters) for n, c in self._concepts.items()}
        return spoken_of | {p.name: p.arity for p in self.predicates.values()}

    def concept(self, name: str) -> Concept:
        """What was said of a predicate that there is."""
        return self._concepts.get(name) or _concept_of(self.predicates[name])

    def recall(self, concepts: Iterable[Concept], accepted: Labels) -> None:
        """Take up what was said before, and which labels the predicates were written from."""
        known = {n: p for n, p in self.predicates.items() if p.provenance.get("entries")}
        self.meet(concepts)
        self._stale -= set(known)
        for name in known:
            self._accepted[name] = self.misjudged(name, accepted.get(name, ()))

    def meet(self, concepts: Iterable[Concept]) -> None:
        """Learn of predicates that are spoken of; new ones, and new words for known ones."""
        for concept in concepts:
            known = self._concepts.get(concept.name)
            if known is None and concept.name in self.predicates:
                known = _concept_of(self.predicates[concept.name])
            merged = concept if known is None else _merged(known, concept)
            if concept.name not in self.predicates or (
                known is not None and merged.definitions != known.definitions
            ):
                self._stale.add(concept.name)
            self._concepts[concept.name] = merged
            self._given_up.discard(concept.name)

    def mend(
        self, labels: Labels, scenes: Sequence[Scene], why: str, *, recalling: bool = False
    ) -> tuple[PredicateLearned | NotUnderstood, ...]:
        """Write what is new, and correct what misjudges a label.

        Args:
            recalling: take up what was said before; what cannot be written now waits and is told.

        Raises:
            SaySoError: as the writer's, but not while recalling.
        """
        events: list[PredicateLearned | NotUnderstood] = []
        failed: set[str] = set()
        for _ in range(_ROUNDS):
            waiting = [n for n in self._waiting(labels) if n not in failed | self._given_up]
            if not waiting:
                break
            for name in waiting:
                own = labels.get(name, ())
                try:
                    events.append(self._written(name, own, scenes, why))
                except SaySoError as error:
                    if not recalling:
                        raise
                    failed.add(name)
                    events.append(_not_written(name, own, error))
                except Exception as error:  # noqa: BLE001 - its mistakes must not end all learning
                    _LOG.exception("the predicate %s cannot be written", name)
                    self._given_up.add(name)
                    events.append(_not_written(name, own, error))
        for name in self._rivals:
            self._weigh(name, labels.get(name, ()))
        return tuple(events)

    def _weigh(self, name: str, labels: Sequence[Label]) -> None:
        """Drop what else the predicate might be where a new label says that it is not."""
        new = set(labels) - self._weighed.get(name, set())
        self._weighed[name] = set(labels)
        for label in new - self._accepted.get(name, set()):
            self._rivals[name] = tuple(
                r for r in self._rivals[name] if self._view(r, label.scene).truth(
                    Atom(name, label.args)) in (None, label.truth)
            )  # fmt: skip

    def _view(self, rival: Predicate, scene: Scene) -> SceneView:
        """The scene with a predicate as it may be."""
        return SceneView(scene, {**self.predicates, rival.name: rival})

    def merge(self, synonym: Synonym) -> None:
        """Drop a predicate that is another's; what it was called stays known."""
        name, kept = synonym.other, self.predicates[synonym.kept]
        self.predicates[kept.name] = also_called(kept, synonym)
        self.predicates.pop(name, None)
        self._concepts.pop(name, None)
        self.questions.pop(name, None)
        self._rivals.pop(name, None)
        self._weighed.pop(name, None)
        self.states.use(self.predicates)

    def disputed(self, scene: Scene) -> frozenset[Atom]:
        """The atoms of which other programs that may be right say otherwise than the predicates."""
        found: set[Atom] = set()
        for name, rivals in self._rivals.items():
            for rival in rivals:
                view = self._view(rival, scene)
                atoms = (Atom(name, a) for a in permutations(view.objects(), rival.arity))
                found.update(a for a in atoms if view.truth(a) != self.states.truth(scene, a))
        return frozenset(found)

    def misjudged(self, name: str, labels: Sequence[Label]) -> set[Label]:
        """The labels that the predicate contradicts, or that it is to hold as people tell it."""
        told = self.predicates[name].provenance.get("observable") is False
        missed = (None, True, False) if told else (True, False)
        truths = ((x, self.states.truth(x.scene, Atom(name, x.args))) for x in labels)
        return {x for x, truth in truths if truth in missed and truth is not x.truth}

    def _waiting(self, labels: Labels) -> list[str]:
        found = [n for n in self._concepts if n in self._stale]
        for name, own in labels.items():
            known = name in self.predicates and name not in found
            if known and self.misjudged(name, own) - self._accepted.get(name, set()):
                found.append(name)
        return found

    def _written(
        self, name: str, labels: Sequence[Label], scenes: Sequence[Scene], why: str
    ) -> PredicateLearned:
        old = self.predicates.get(name)
        concept = self.concept(name) if old else self._concepts[name]
        learned = self._writer.learn(
            concept,
            labels,
            predicates=self.predicates,
            scenes=scenes,
            version=old.version + 1 if old else 1,
        )
        self._stale.discard(name)
        told = {**learned.predicate.provenance, "entries": self.entries}
        if old and CALLED in old.provenance:
            told[CALLED] = old.provenance[CALLED]
        self.predicates[name] = replace(learned.predicate, provenance=told)
        self.states.use(self.predicates)
        self._accepted[name] = self.misjudged(name, labels)
        self._rivals[name], self._weighed[name] = _rivals(learned), set(labels)
        self.questions.pop(name, None)
        if learned.question:
            self.questions[name] = learned.question
        return PredicateLearned(
            name,
            learned.predicate.version,
            old.source if old else "",
            learned.predicate.source,
            why,
            len(self._accepted[name]),
            learned.observable,
        )


def _rivals(learned: Learned) -> tuple[Predicate, ...]:
    """What else the predicate may be, as far as that is worth a try."""
    if not learned.observable:
        return ()
    best, arity = learned.predicate, learned.predicate.arity
    likely = (c.source for c in learned.candidates[1:] if c.belief >= _RIVAL)
    return tuple(
        replace(best, function=compile_learned(best.name, source, arity), source=source)
        for source in (*likely, *learned.variants)
    )


def _not_written(name: str, labels: Sequence[Label], error: Exception) -> NotUnderstood:
    words = next((x.words for x in reversed(labels) if x.words), name)
    return NotUnderstood(words, f"the predicate {name} cannot be written now: {error}")


def _concept_of(predicate: Predicate) -> Concept:
    return Concept(predicate.name, predicate.parameters, predicate.english, predicate.english_not)


def _merged(known: Concept, said: Concept) -> Concept:
    """All words and definitions of both."""
    return replace(
        known,
        words=tuple(dict.fromkeys((*known.words, *said.words))),
        definitions=tuple(dict.fromkeys((*known.definitions, *said.definitions))),
    )
