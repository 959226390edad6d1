"""What a learner tells those who watch it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from sayso.core.symbols import Literal
from sayso.learning.synthesis.labels import Contradiction


@dataclass(frozen=True)
class GoalSet:
    """A task begins: what was said, and the literals that are wanted."""

    words: str
    goal: tuple[Literal, ...]


@dataclass(frozen=True)
class PredicateLearned:
    """A predicate is new, or was corrected.

    Attributes:
        before: its text until now; '' for a new one.
        after: its text from now on.
        why: what was said that brought it about.
        disagreeing: labels that it contradicts still.
        observable: whether it is told by what is seen, and not by people alone.
    """

    name: str
    version: int
    before: str
    after: str
    why: str
    disagreeing: int = 0
    observable: bool = True

    @property
    def text(self) -> str:
        """For a person."""
        verb = "corrected" if self.before else "learned"
        against = f", against {self.disagreeing} labels" if self.disagreeing else ""
        unseen = (
            "" if self.observable else "; I cannot see it, and go by what you say of each thing"
        )
        return f"{self.name} {verb}, version {self.version}{against}{unseen}"


@dataclass(frozen=True)
class OperatorsChanged:
    """Operators as PDDL-like lines, those that came and those that went."""

    added: tuple[str, ...]
    removed: tuple[str, ...]

    @property
    def text(self) -> str:
        """For a person."""
        return f"{len(self.added)} operators came, {len(self.removed)} went"


@dataclass(frozen=True, eq=False)
class LabelContradicted:
    """Two things were said that cannot both be right; both are kept until it is settled."""

    predicate: str
    contradiction: Contradiction
    question: str


@dataclass(frozen=True)
class QuestionAsked:
    """Something that only the person can tell."""

    text: str


@dataclass(frozen=True)
class NotUnderstood:
    """Words that could not be read, or not be used, and why."""

    words: str
    why: str

    @property
    def text(self) -> str:
        """For a person."""
        return f"not understood: {self.words} ({self.why})"


LearningEvent: TypeAlias = (
    GoalSet
    | PredicateLearned
    | OperatorsChanged
    | LabelContradicted
    | QuestionAsked
    | NotUnderstood
)
Watcher: TypeAlias = Callable[[LearningEvent], None]
