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
from sayso.learning.model.writer import CORRECTIONS
from sayso.learning.priors import HOUSEHOLD, Priors, priors_named
from sayso.learning.synthesis.labels import Concept, Label
from sayso.learning.synthesis.synthesizer import Learned
from sayso.learning.teaching import FeedbackReader, PredicateWriter


@dataclass(frozen=True)
class TimedBackends:
    """Who reads what people say, and who writes predicates.

    Attributes:
        goals: reads goals of tests.
        priors: what they know before they are told anything.
        calls: of the language model so far.
    """

    reader: FeedbackReader
    writer: TimedWriter
    goals: FeedbackReader
    priors: Priors
    calls: Callable[[], int]


@contextmanager
def timed_backends(
    model: Metered | None,
    priors: str = HOUSEHOLD,
    corrections: int = CORRECTIONS,
    noise: float = 0.0,
) -> Iterator[TimedBackends]:
    """`learning_backends`, closed with the `with` block.

    Args:
        priors: see `priors_named`.
        corrections, noise: see `learning_backends`.
    """
    with closing(learning_backends(model, priors_named(priors), corrections, noise)) as found:
        writer = TimedWriter(found.writer, perf_counter)
        calls = (lambda: model.usage.calls) if model else (lambda: 0)
        yield TimedBackends(found.reader, writer, found.goals, found.priors, calls)


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
