"""The Coder and the Corrector at work: what was drafted of a predicate, and what came of it."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message
from sayso.core.predicates import Predicate
from sayso.learning.model import coder
from sayso.learning.model.coder import KEEP, UNOBSERVABLE, Written
from sayso.learning.model.trial import Trial, faults
from sayso.learning.synthesis.labels import Concept, Label

_LOG = logging.getLogger(__name__)

LabelKey = tuple[tuple[str, ...], bool, float, str]
"""What makes a label the same when it is told again."""


@dataclass(frozen=True)
class Draft:
    """The model's best text, and what it took.

    Attributes:
        trial: of the text, on all labels.
        model: the name that the model's server gives; '' if it was not asked.
        corrections: rounds of the Corrector.
        kept: why the model would not change it, in its words; '' where it did not say so.
        unobservable: why nothing that is seen tells the predicate; '' where something does.
        tried: other texts that were no better, oldest first.
        missed: the labels and errors that no correction so far mended.
        labels: how many there were then; 0 if it is to be asked again in any case.
    """

    trial: Trial
    model: str = ""
    corrections: int = 0
    kept: str = ""
    unobservable: str = ""
    tried: tuple[str, ...] = ()
    missed: frozenset[LabelKey | str] = field(default_factory=frozenset)
    labels: int = 0

    def fruitless(self, labels: Sequence[Label]) -> bool:
        """Whether corrections were asked for with the same faults before, and did not help.

        With twice the labels it is worth another try.
        """
        if not self.labels or len(labels) >= 2 * self.labels:
            return False
        return bool(self.unobservable or self.trial.unusable) or (
            faults_of(self.trial) <= self.missed
        )


def faults_of(trial: Trial) -> frozenset[LabelKey | str]:
    """What is wrong with a text; the same also after labels were made anew from a recording."""
    missed = {(x.args, x.truth, x.scene.stamp_s, x.words) for x in trial.wrong}
    return frozenset({*missed, *trial.errors})


@dataclass(frozen=True)
class Drafting:
    """One predicate, of which drafts are tried.

    Attributes:
        tried: a text on all labels.
        rounds: of the Corrector, at most.
        known: the other predicates, which a text may ask for.
    """

    model: LanguageModel
    concept: Concept
    labels: Sequence[Label]
    tried: Callable[[str], Trial]
    rounds: int
    known: Mapping[str, Predicate]

    def begun(self, request: Sequence[Message]) -> Draft:
        """The Coder's draft.

        Raises:
            SaySoError: MODEL_REPLY, MODEL_UNAVAILABLE, MODEL_TIMEOUT.
        """
        reply = coder.written(self.model, request, coder.CODE_PROMPT)
        if reply.verdict == UNOBSERVABLE:
            nothing = Trial("", unusable="nothing that is seen tells it")
            return Draft(nothing, reply.model, unobservable=reply.because, labels=len(self.labels))
        return Draft(self.tried(reply.code), reply.model)

    def corrected(self, draft: Draft, request: Sequence[Message]) -> Draft:
        """The best of the draft and its corrections, as long as they do not go in circles.

        A model that gives out in the middle ends the corrections, and takes nothing along.
        """
        best = last = draft
        texts = [*draft.tried]
        count, in_time = 0, True
        while count < self.rounds:
            found = faults(last.trial, self.concept, self.labels)
            if not found or last.unobservable:
                break
            asked = coder.corrector_request(request, last.trial.source, found, texts, self.known)
            try:
                reply = coder.written(self.model, asked, coder.CORRECT_PROMPT)
            except SaySoError as error:
                if error.code not in (Code.MODEL_REPLY, Code.MODEL_TIMEOUT):
                    raise
                _LOG.warning("%s is not corrected: %s", self.concept.name, error.message)
                in_time = error.code is not Code.MODEL_TIMEOUT
                break
            count += 1
            if reply.verdict != coder.CODE:
                best = _refusing(best, last, reply)
                break
            trial = self.tried(reply.code)
            if trial.source in (*texts, last.trial.source):
                break  # Asked once more, it would say the same once more.
            texts.append(last.trial.source)
            last = Draft(trial, reply.model)
            if trial.badness <= best.trial.badness:
                best = last
        others = tuple(t for t in (*texts, last.trial.source) if t != best.trial.source)
        return replace(
            best, corrections=count, tried=others[-self.rounds :] if self.rounds else (),
            missed=faults_of(best.trial), labels=len(self.labels) if in_time else 0,
        )  # fmt: skip


def _refusing(best: Draft, last: Draft, reply: Written) -> Draft:
    """What the model means by not correcting: that its last text is right, or that none can be."""
    if reply.verdict == KEEP and not last.trial.unusable:
        return replace(last, kept=reply.because)
    if reply.verdict == UNOBSERVABLE:
        return replace(best, unobservable=reply.because)
    return best
