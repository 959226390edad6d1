"""The ports of learning: who reads what a person says, who writes predicates, what is practised on.

InterPreT (section III) splits its work alike: a Reasoner reads feedback, a Coder writes predicates
that a Corrector mends, and a Goal Translator reads goals. Here a `FeedbackReader` reads both kinds
of words, and a `PredicateWriter` writes and mends.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.core.symbols import Literal
from sayso.language.lexicon import Lexicon
from sayso.learning.feedback import Action, Feedback
from sayso.learning.synthesis.labels import Concept, Label
from sayso.learning.synthesis.synthesizer import Learned


class FeedbackReader(Protocol):
    """What a person's words mean for learning."""

    def read(
        self,
        text: str,
        objects: Mapping[str, str],
        *,
        action: Action | None = None,
        goal: Sequence[Literal] = (),
        known: Lexicon | None = None,
    ) -> Feedback:
        """As `feedback.read_feedback`, with the same errors; a model may raise its own besides."""


class PredicateWriter(Protocol):
    """Writes a predicate from what was said of it and where it was said to hold."""

    def learn(
        self,
        concept: Concept,
        labels: Sequence[Label],
        *,
        predicates: Mapping[str, Predicate] | None = None,
        scenes: Sequence[Scene] = (),
        version: int = 1,
    ) -> Learned:
        """As `synthesis.synthesizer.Synthesizer.learn`."""


class Practice(Protocol):
    """Where actions are tried: a simulation, or a robot."""

    @property
    def skills(self) -> Mapping[str, int]:
        """How many objects each action takes."""

    def observe(self) -> Scene:
        """What is perceived now."""

    def act(self, skill: str, args: Sequence[str]) -> bool:
        """Carry out an action; whether the robot itself could tell that it succeeded.

        Raises:
            SaySoError: INVALID or UNKNOWN_OBJECT; nothing has moved then.
        """


class Teacher(Protocol):
    """A person who teaches: InterPreT's five kinds of feedback, as plain words.

    An answer may be empty: the person says nothing.
    """

    def goal(self) -> str:
        """What the robot is to do: "specify goal"."""

    def about(self, action: Action) -> str:
        """To an action that the robot proposes: "signal feasible" or "explain infeasible"."""

    def after(self, action: Action | None) -> str:
        """Once an action has ended (None: before the first, or when asked whether the task is
        done): "explain unsatisfied goal" or "signal goal reached".
        """

    def answer(self, question: str) -> str:
        """To a question that the robot asks."""
