"""Predicates written by a language model and mended until they explain all labels.

    concept -> Coder -> trial -> faults -> Corrector -> trial -> ... (bounded)
            -> beside the synthesiser's opinion: what explains all labels is taken

The Coder and the Corrector are InterPreT's (sections IV-B, IV-C); the second opinion is not.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import permutations
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel
from sayso.core.predicates import Predicate, SceneView
from sayso.core.scene import Scene
from sayso.learning.model import coder
from sayso.learning.model.drafts import Draft, Drafting
from sayso.learning.model.predicate_sandbox import PredicateSandbox, written_by_model
from sayso.learning.model.trial import Trial, tried
from sayso.learning.model.utilities import clashes, completed, helpers, utilities_of
from sayso.learning.synthesis.labels import Concept, Label, contradictions, usable
from sayso.learning.synthesis.meaning import NAMED
from sayso.learning.synthesis.programs import Compare, atoms
from sayso.learning.synthesis.source import english_of
from sayso.learning.synthesis.synthesizer import (
    Learned,
    Question,
    asked,
    latest,
    told_by_people,
    uses,
)
from sayso.learning.teaching import PredicateWriter

_LOG = logging.getLogger(__name__)


CORRECTIONS = 3
"""Rounds of the Corrector, at most, if nothing else is said."""
_FEW = 0.2
"""Up to this share of labels, a text that says what is meant may miss as mistakes of people."""


@dataclass(frozen=True)
class ModelWriter:
    """Writes predicates by a language model, with a synthesiser as the second opinion.

    What it drafted is remembered, so that it is not asked again for what did not help.

    Attributes:
        opinion: writes without a model; its predicate is taken where the model's explains less.
        process: runs the model's code; whoever made it closes it.
        corrections: rounds of the Corrector, at most.
    """

    model: LanguageModel
    opinion: PredicateWriter
    process: PredicateSandbox
    corrections: int = CORRECTIONS
    _drafts: dict[str, tuple[tuple[str, ...], Draft]] = field(default_factory=dict, init=False)
    """By predicate: what was stated of it, and the best draft of it."""

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

        Where the model replies nothing usable, or not in time, the second opinion is taken, and
        its provenance says so; the model is asked again when it is to be written next.

        Raises:
            SaySoError: MODEL_UNAVAILABLE.
        """
        everything = predicates or {}
        second = self.opinion.learn(
            concept, labels, predicates=everything, scenes=scenes, version=version
        )
        known = _usable_by(concept.name, everything)
        work = _Work(self, concept, usable(labels), latest(scenes), known)
        stated = coder.stated(concept)
        before = self._drafts.get(concept.name)
        try:
            draft = work.draft(
                everything.get(concept.name), before[1] if before and before[0] == stated else None
            )
        except SaySoError as error:
            if error.code not in (Code.MODEL_REPLY, Code.MODEL_TIMEOUT):
                raise
            _LOG.warning("%s is not written by the model: %s", concept.name, error.message)
            return _noted(second, {"failed": error.message})
        self._drafts[concept.name] = stated, draft
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

    def draft(self, old: Predicate | None, before: Draft | None) -> Draft:
        """The best of what the model wrote, now or, where it still does, before.

        Args:
            old: the predicate as it is now.
            before: the best draft when it was last asked, if the person stated the same then.
        """
        written = old is not None and written_by_model(old)
        if old is not None and written and self._means_the_same(old):
            model = str(old.provenance.get("model", ""))
            same = before is not None and before.trial.source == old.source
            before = before if same else Draft(self._tried(old.source), model)
        present = old.source if old is not None and written else ""
        request = coder.coder_request(
            self.concept, self.labels, self._observed(), self.known, self.helpers, present
        )
        drafting = Drafting(
            self.writer.model, self.concept, self.labels, self._tried, self.writer.corrections,
            self.known,
        )  # fmt: skip
        if before is None:
            return drafting.corrected(drafting.begun(request), request)
        if not before.unobservable:
            before = replace(before, trial=self._tried(before.trial.source))
        if before.fruitless(self.labels):
            return replace(before, corrections=0)
        if before.unobservable or before.trial.unusable:
            return drafting.corrected(drafting.begun(request), request)
        return drafting.corrected(before, request)

    def chosen(
        self, draft: Draft, second: Learned, labels: Sequence[Label], version: int
    ) -> Learned:
        """The model's predicate if it explains all labels, or more of them than the other."""
        others = len(_unmet(second.predicate, self.known, self.labels))
        if not second.observable:  # It repeats the labels, and explains none.
            others = max(len(draft.trial.wrong), len(labels)) + 1
        if draft.unobservable:
            return self._not_seen(draft, second, others, labels, version)
        if self._beaten(draft, second, others):
            note = {"by": draft.model, "disagreeing": len(draft.trial.wrong),
                    "corrections": draft.corrections}  # fmt: skip
            why = draft.trial.unusable or "; ".join(draft.trial.errors[:1])
            return _noted(second, {**note, "failed": why} if why else note)
        predicate = self._predicate(draft, second, others, labels, version)
        return Learned(
            predicate,
            second.candidates,
            self._question(draft, second) if not others else None,
            contradictions(self.labels),
        )

    def _beaten(self, draft: Draft, second: Learned, others: int) -> bool:
        """Whether the second opinion, which misses so many labels, is the better one."""
        wrong, errors = len(draft.trial.wrong), len(draft.trial.errors)
        if draft.trial.unusable or (errors and not others):
            return True
        if not wrong or wrong < others:
            return False
        return not (self._sensible(draft.trial) and _overfits(second, wrong - others, draft.kept))

    def _sensible(self, trial: Trial) -> bool:
        """Whether a text misses only as much as people may mistake, and tells both signs apart."""
        met = {x.truth for x in self.labels} == {
            x.truth for x in self.labels if x not in trial.wrong
        }
        return met and not trial.errors and len(trial.wrong) <= _FEW * len(self.labels)

    def _not_seen(
        self, draft: Draft, second: Learned, others: int, labels: Sequence[Label], version: int
    ) -> Learned:
        """As people tell it, unless what is seen tells what it is true of and what it is not."""
        note = {"by": draft.model, "unobservable": draft.unobservable}
        if not others and {x.truth for x in self.labels} == {True, False}:
            return _noted(second, note)
        told = told_by_people(self.concept, labels, self._observed(), version)
        return _noted(told, note)

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
        self, draft: Draft, second: Learned, others: int, labels: Sequence[Label], version: int
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
            **({"kept": draft.kept} if draft.kept else {}),
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

    def _question(self, draft: Draft, second: Learned) -> Question | None:
        """About the latest seen objects of which the two opinions differ; they agree on labels.

        What has nothing to do with the person's words is not worth a question.
        """
        if _likeness(second) < NAMED:
            return None
        other = second.predicate
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


def _likeness(second: Learned) -> float:
    """Of the second opinion to the person's words; 1 where it does not tell."""
    return second.candidates[0].likeness if second.candidates else 1.0


def _overfits(second: Learned, gained: int, kept: str) -> bool:
    """Whether an opinion has more parts and fitted limits than it explains more labels.

    One part that the person's words name is none, whatever its limit, unless the model tells why
    its own text is to be kept.
    """
    if not second.candidates:
        return False
    parts = list(atoms(second.candidates[0].program))
    if not kept and len(parts) == 1 and _likeness(second) >= NAMED:
        return False
    return len(parts) + sum(isinstance(p, Compare) and not p.stated for p in parts) > gained


def _english(second: Learned) -> str:
    return english_of(second.candidates[0].program) if second.candidates else ""


def _noted(second: Learned, model: Mapping[str, Any]) -> Learned:
    """The second opinion, with what became of the model's in its provenance."""
    provenance = {**second.predicate.provenance, "model": dict(model)}
    return replace(second, predicate=replace(second.predicate, provenance=provenance))
