"""Who reads what people say and who writes predicates, from a node's parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from sayso.adapters import registry
from sayso.core.library import Compiler
from sayso.learning.controlled_english import ControlledEnglish
from sayso.learning.model.code_process import CodeProcess
from sayso.learning.model.libraries import compiler
from sayso.learning.model.reader import ModelReader
from sayso.learning.model.writer import ModelWriter
from sayso.learning.synthesis.synthesizer import Synthesizer
from sayso.learning.teaching import FeedbackReader, PredicateWriter

EMBEDDER = "character_ngrams"


class ModelConfig(Protocol):
    """Parameters of a node that uses a language model."""

    @property
    def llm(self) -> str: ...
    @property
    def model(self) -> str: ...
    @property
    def base_url(self) -> str: ...
    @property
    def cassette(self) -> str: ...


@dataclass(frozen=True)
class Minds:
    """A reader and a writer.

    Attributes:
        compiler: loads what they wrote, confined.
        close: ends what runs for them.
    """

    reader: FeedbackReader
    writer: PredicateWriter
    compiler: Compiler
    close: Callable[[], None]


def minds(config: ModelConfig) -> Minds:
    """Controlled English and the synthesiser; with a model, it reads and writes."""
    process = CodeProcess()
    synthesizer = Synthesizer(registry.create("embedder", EMBEDDER))
    if config.llm == "none":
        return Minds(ControlledEnglish(), synthesizer, compiler(process), process.close)
    given = {name: getattr(config, name) for name in ("model", "base_url", "cassette")}
    options: dict[str, Any] = {name: value for name, value in given.items() if value}
    model = registry.create("llm", config.llm, **options)
    writer = ModelWriter(model, synthesizer, process)
    return Minds(ModelReader(model), writer, compiler(process), process.close)
