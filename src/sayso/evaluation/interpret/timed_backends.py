"""The backends of learning, with what they cost: the model's calls, and the time of writing."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from time import perf_counter

from sayso.adapters.learning_backends import learning_backends
from sayso.adapters.llm.metered import Metered
from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.learning.synthesis.labels import Concept, Label
from sayso.learning.synthesis.synthesizer import Learned
from sayso.learning.teaching import FeedbackReader, PredicateWriter


@dataclass(frozen=True)
class TimedBackends:
    """Who reads what people say, and who writes predicates.

    Attributes:
        calls: of the language model so far.
    """

    reader: FeedbackReader
    writer: TimedWriter
    calls: Callable[[], int]


@contextmanager
def timed_backends(model: Metered | None) -> Iterator[TimedBackends]:
    """`learning_backends`, closed with the `with` block."""
    with closing(learning_backends(model)) as found:
        writer = TimedWriter(found.writer, perf_counter)
        yield TimedBackends(found.reader, writer, lambda: model.usage.calls if model else 0)


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
