"""Who reads what people say and who writes predicates, with a model or without."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from sayso.adapters import registry
from sayso.core.library import Compiler
from sayso.core.ports import LanguageModel
from sayso.learning.controlled_english import ControlledEnglish
from sayso.learning.model.libraries import compiler
from sayso.learning.model.predicate_sandbox import PredicateSandbox
from sayso.learning.model.reader import GoalTranslator, ModelReader
from sayso.learning.model.writer import CORRECTIONS, ModelWriter
from sayso.learning.priors import Priors, household
from sayso.learning.synthesis.search import Settings
from sayso.learning.synthesis.synthesizer import Synthesizer
from sayso.learning.teaching import FeedbackReader, PredicateWriter

EMBEDDER = "character_ngrams"


@dataclass(frozen=True)
class LearningBackends:
    """A reader and a writer.

    Attributes:
        goals: reads goals over what is known, when nothing is learned any more.
        priors: what they know before they are told anything.
        compiler: loads what they wrote, confined.
        close: ends what runs for them.
    """

    reader: FeedbackReader
    writer: PredicateWriter
    goals: FeedbackReader
    priors: Priors
    compiler: Compiler
    close: Callable[[], None]


def learning_backends(
    model: LanguageModel | None,
    priors: Priors | None = None,
    corrections: int = CORRECTIONS,
    noise: float = 0.0,
) -> LearningBackends:
    """Controlled English and the synthesiser; with a model, it reads and writes.

    What it writes runs in a process of its own, from its first use until `close`.

    Args:
        priors: none given: what SaySo comes with.
        corrections: of a predicate's text that the model is asked for in a row, at most.
        noise: share of what is said and seen that may be wrong; the synthesiser expects at least
            its usual share.
    """
    priors = priors or household()
    process = PredicateSandbox()
    settings = Settings(noise=max(noise, Settings.noise))
    synthesizer = Synthesizer(registry.create("embedder", EMBEDDER), settings, priors)
    reader: FeedbackReader = ControlledEnglish(priors)
    goals = reader
    writer: PredicateWriter = synthesizer
    if model is not None:
        reader, goals = ModelReader(model), GoalTranslator(model)
        writer = ModelWriter(model, synthesizer, process, corrections)
    return LearningBackends(reader, writer, goals, priors, compiler(process), process.close)
