"""Predicates written by a language model and mended until they explain all labels.

    concept -> Coder -> trial -> faults -> Corrector -> trial -> ... (bounded)
            -> beside the synthesiser's opinion: what explains all labels is taken

The Coder and the Corrector are InterPreT's (sections IV-B, IV-C); the second opinion is not.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Scene
from sayso.learning.model import coder
from sayso.learning.model.predicate_sandbox import PredicateSandbox, written_by_model
from sayso.learning.model.trial import Trial, faults, tried
from sayso.learning.model.utilities import clashes, completed, helpers, utilities_of
from sayso.learning.synthesis.labels import Concept, Label, contradictions, usable
from sayso.learning.synthesis.source import english_of
from sayso.learning.synthesis.synthesizer import Learned, Question, asked, latest, uses
from sayso.learning.teaching import PredicateWriter

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True)
class _Draft:
    """The model's best text, and what it took.

    Attributes:
        model: the name that the model's server gives; '' if it was not asked.
        corrections: rounds of the Corrector.
    """

    trial: Trial
    model: str
    corrections: int


@dataclass(frozen=True)
class ModelWriter:
    """Writes predicates by a language model, with a synthesiser as the second opinion.

    Attributes:
        opinion: writes without a model; its predicate is taken where the model's explains less.
        process: runs the model's code; whoever made it closes it.
        corrections: rounds of the Corrector, at most.
    """

    model: LanguageModel
    opinion: PredicateWriter
    process: PredicateSandbox
    corrections: int = 3

    def learn(
        self,
        concept: Concept,
        labels: Sequence[Label],
        *,
        predicates: Mapping[str, Predicate] | None = None,
        scenes: Sequence[Scene] = (),
        version: int = 1,
    ) -> Learned:
        """What explains all labels: the model's predicate, or else the second opinion.

        Where the model replies nothing usable, the second opinion is taken, and its provenance
        says so.

        Raises:
            SaySoError: MODEL_UNAVAILABLE or MODEL_TIMEOUT.
        """
        everything = predicates or {}
        second = self.opinion.learn(
            concept, labels, predicates=everything, scenes=scenes, version=version
        )
        known = _usable_by(concept.name, everything)
        work = _Work(self, concept, usable(labels), latest(scenes), known)
        try:
            draft = work.draft(everything.get(concept.name))
        except SaySoError as error:
            if error.code is not Code.MODEL_REPLY:
                raise
            _LOG.warning("%s is not written by the model: %s", concept.name, error.message)
            return _noted(second, {"failed": error.message})
        return work.chosen(draft, second, labels, version)


class _Work:
    """The writing of one predicate."""

    def __init__(
        self,
        writer: ModelWriter,
        concept: Concept,
        labels: Sequence[Label],
        scenes: Sequence[Scene],
        known: Mapping[str, Predicate],
    ) -> None:
        self.writer = writer
        self.concept = concept
        self.labels = labels
        self.scenes = scenes
        self.known = known
        self.helpers = utilities_of(known.values())

    def draft(self, old: Predicate | None) -> _Draft:
        """The best of what the model wrote, now or, where it still does, before."""
        best: _Draft | None = None
        request = coder.coder_request(
            self.concept, self.labels, self._observed(), self.known, self.helpers
        )
        if old is not None and written_by_model(old) and self._means_the_same(old):
            best = _Draft(self._tried(old.source), str(old.provenance.get("model", "")), 0)
        else:
            code, model = self._write(request)
            best = _Draft(self._tried(code), model, 0)
        last = best
        for number in range(1, self.writer.corrections + 1):
            found = faults(last.trial, self.concept, self.labels)
            if not found:
                break
            asked_for = coder.corrector_request(request, last.trial.source, found)
            code, model = self._write(asked_for)
            before, last = last, _Draft(self._tried(code), model, number)
            if last.trial.source == before.trial.source:
                break  # Asked once more, it would say the same once more.
            if last.trial.badness <= best.trial.badness:
                best = last
        return replace(best, corrections=last.corrections)

    def chosen(
        self, draft: _Draft, second: Learned, labels: Sequence[Label], version: int
    ) -> Learned:
        """The model's predicate if it explains all labels, or more of them than the other."""
        wrong, errors = len(draft.trial.wrong), len(draft.trial.errors)
        others = len(_unmet(second.predicate, self.known, self.labels))
        if not second.observable:  # It repeats the labels, and explains none.
            others = max(wrong, len(labels)) + 1
        if draft.trial.unusable or (wrong and wrong >= others) or (errors and not others):
            note = {"by": draft.model, "disagreeing": wrong, "corrections": draft.corrections}
            why = draft.trial.unusable or "; ".join(draft.trial.errors[:1])
            return _noted(second, {**note, "failed": why} if why else note)
        predicate = self._predicate(draft, second, others, labels, version)
        return Learned(
            predicate,
            second.candidates,
            self._question(draft, second.predicate) if not others else None,
            contradictions(self.labels),
        )

    def _write(self, messages: Sequence[Message]) -> tuple[str, str]:
        """The code that the model replies, and the model's name."""
        code, reply = coder.written(self.writer.model, messages)
        return code, reply.model or "language model"

    def _observed(self) -> Sequence[Scene]:
        return self.scenes or [x.scene for x in self.labels]

    def _means_the_same(self, old: Predicate) -> bool:
        """Whether the person has named no other limits or kinds since it was written."""
        return tuple(old.provenance.get("stated", ())) == coder.stated(self.concept)

    def _tried(self, code: str) -> Trial:
        source = completed(code, self.helpers)
        name = self.concept.name
        trial = tried(
            self.writer.process, self.concept, source, self.labels, self.scenes, self.known
        )
        if not trial.unusable and (other := clashes(name, source, self.helpers)):
            return Trial(source, unusable=f"there is another helper '{other[0]}' already")
        return trial

    def _predicate(
        self, draft: _Draft, second: Learned, others: int, labels: Sequence[Label], version: int
    ) -> Predicate:
        concept, source = self.concept, draft.trial.source
        arity = len(concept.parameters)
        provenance = {
            "origin": "learned",
            "by": "model",
            "model": draft.model,
            "prompts": [f"{n} v{v}" for n, v in (coder.CODE_PROMPT, coder.CORRECT_PROMPT)],
            "corrections": draft.corrections,
            "words": list(dict.fromkeys(x.words for x in labels if x.words)),
            "labels": [
                {"args": list(x.args), "truth": x.truth, "stamp_s": x.scene.stamp_s} for x in labels
            ],
            "disagreeing": len(draft.trial.wrong),
            "stated": list(coder.stated(concept)),
            "utilities": {
                h.name: self.helpers[h.name].origin if h.name in self.helpers else concept.name
                for h in helpers(concept.name, source)
            },
            "second_opinion": {"disagreeing": others, "english": _english(second)},
        }
        return Predicate(
            name=concept.name,
            parameters=concept.parameters,
            function=self.writer.process.function(concept.name, source, arity),
            english=concept.english,
            english_not=concept.english_not,
            source=source,
            version=version,
            provenance=provenance,
        )

    def _question(self, draft: _Draft, other: Predicate) -> Question | None:
        """About the latest seen objects of which the two opinions differ; they agree on labels."""
        said = {(id(x.scene), x.args) for x in self.labels}
        known = {**self.known, other.name: other}
        for scene, truths in reversed(draft.trial.truths):
            view = SceneView(scene, known)
            for args in permutations(view.objects(), other.arity):
                one, two = truths.values[args], view.holds(other.name, *args)
                differ = None not in (one, two) and one is not two
                if differ and (id(scene), args) not in said:
                    return Question(scene, args, asked(self.concept, args), 0.5)
        return None


def _usable_by(name: str, predicates: Mapping[str, Predicate]) -> dict[str, Predicate]:
    """The predicates that do not depend on the one to be written."""
    barred = {name}
    while more := {p.name for p in predicates.values() if uses(p.source) & barred} - barred:
        barred |= more
    return {n: p for n, p in predicates.items() if n not in barred}


def _unmet(
    predicate: Predicate, known: Mapping[str, Predicate], labels: Sequence[Label]
) -> list[Label]:
    """The labels that a predicate does not meet."""
    views = {id(x.scene): SceneView(x.scene, {**known, predicate.name: predicate}) for x in labels}
    return [x for x in labels if views[id(x.scene)].holds(predicate.name, *x.args) is not x.truth]


def _english(second: Learned) -> str:
    return english_of(second.candidates[0].program) if second.candidates else ""


def _noted(second: Learned, model: Mapping[str, Any]) -> Learned:
    """The second opinion, with what became of the model's in its provenance."""
    provenance = {**second.predicate.provenance, "model": dict(model)}
    return replace(second, predicate=replace(second.predicate, provenance=provenance))
