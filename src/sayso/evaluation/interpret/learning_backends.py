"""Who reads what people say and who writes predicates: with a language model, or without one."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from time import perf_counter

from sayso.adapters.embeddings.character_ngrams import CharacterNgrams
from sayso.adapters.llm.metered import Metered
from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.learning.controlled_english import ControlledEnglish
from sayso.learning.model.code_process import CodeProcess
from sayso.learning.model.reader import ModelReader
from sayso.learning.model.writer import ModelWriter
from sayso.learning.synthesis.labels import Concept, Label
from sayso.learning.synthesis.synthesizer import Learned, Synthesizer
from sayso.learning.teaching import FeedbackReader, PredicateWriter


@dataclass(frozen=True)
class LearningBackends:
    """Who reads what people say, and who writes predicates.

    Attributes:
        calls: of the language model so far.
    """

    reader: FeedbackReader
    writer: TimedWriter
    calls: Callable[[], int]


@contextmanager
def learning_backends(model: Metered | None) -> Iterator[LearningBackends]:
    """Controlled English and the synthesiser; with a model, it reads and writes.

    What it writes runs in a process that ends with the `with` block.
    """
    synthesizer = Synthesizer(CharacterNgrams())
    if model is None:
        yield LearningBackends(
            ControlledEnglish(), TimedWriter(synthesizer, perf_counter), lambda: 0
        )
        return
    with closing(CodeProcess()) as process:
        writer = TimedWriter(ModelWriter(model, synthesizer, process), perf_counter)
        yield LearningBackends(ModelReader(model), writer, lambda: model.usage.calls)


class TimedWriter:
    """A writer of predicates that keeps how long each took.

    Args:
        clock: seconds since any moment.
    """

    def __init__(self, writer: PredicateWriter, clock: Callable[[], float]) -> None:
        self._writer = writer
        self._clock = clock
        self.seconds: list[float] = []

    def learn(
        self,
        concept: Concept,
        labels: Sequence[Label],
        *,
        predicates: Mapping[str, Predicate] | None = None,
        scenes: Sequence[Scene] = (),
        version: int = 1,
    ) -> Learned:
        started = self._clock()
        try:
            return self._writer.learn(
                concept, labels, predicates=predicates, scenes=scenes, version=version
            )
        finally:
            self.seconds.append(self._clock() - started)
