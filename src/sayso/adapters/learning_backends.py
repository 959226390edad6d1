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
from sayso.learning.model.reader import ModelReader
from sayso.learning.model.writer import ModelWriter
from sayso.learning.synthesis.synthesizer import Synthesizer
from sayso.learning.teaching import FeedbackReader, PredicateWriter

EMBEDDER = "character_ngrams"


@dataclass(frozen=True)
class LearningBackends:
    """A reader and a writer.

    Attributes:
        compiler: loads what they wrote, confined.
        close: ends what runs for them.
    """

    reader: FeedbackReader
    writer: PredicateWriter
    compiler: Compiler
    close: Callable[[], None]


def learning_backends(model: LanguageModel | None) -> LearningBackends:
    """Controlled English and the synthesiser; with a model, it reads and writes.

    What it writes runs in a process of its own, from its first use until `close`.
    """
    process = PredicateSandbox()
    synthesizer = Synthesizer(registry.create("embedder", EMBEDDER))
    if model is None:
        return LearningBackends(ControlledEnglish(), synthesizer, compiler(process), process.close)
    writer = ModelWriter(model, synthesizer, process)
    return LearningBackends(ModelReader(model), writer, compiler(process), process.close)
