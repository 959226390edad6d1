"""What people say while a robot learns, read by a language model: goals and explanations.

Three questions, as InterPreT's Reasoner has them (section IV-A), and one for goals at test time
(section IV-D), each a prompt of its own. The person's words are data in it. A reply is checked
against its schema, against the objects and against the predicates that are known; a fault goes back
to the model once. "Well done" and "go ahead" need no model.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from sayso.core.errors import Code, SaySoError
from sayso.core.ports import LanguageModel, Message
from sayso.core.predicates import Predicate
from sayso.core.symbols import Literal
from sayso.language.lexicon import Lexicon
from sayso.language.model import Prompt, ask, fenced
from sayso.learning.feedback import Action, Feedback, FeedbackKind, read_feedback
from sayso.learning.feedback_words import spoken
from sayso.learning.model.coder import signatures
from sayso.learning.model.replies import Vocabulary, opposites, own_objects

GOAL_PROMPT = ("learning_goal", 1)
UNSATISFIED_PROMPT = ("learning_unsatisfied", 1)
INFEASIBLE_PROMPT = ("learning_infeasible", 1)
TRANSLATE_PROMPT = ("learning_translate", 1)
MOST_CHARACTERS = 2000
"""Longer texts are not read."""

_Data = Mapping[str, Any]
_SIGNALS = (FeedbackKind.REACHED, FeedbackKind.FEASIBLE)


@dataclass(frozen=True)
class ModelReader:
    """Reads feedback by a language model."""

    model: LanguageModel

    def read(
        self,
        text: str,
        objects: Mapping[str, str],
        *,
        action: Action | None = None,
        goal: Sequence[Literal] = (),
        known: Lexicon | None = None,
    ) -> Feedback:
        """See `teaching.FeedbackReader`.

        Raises:
            SaySoError: NOT_UNDERSTOOD for no words, too many, or what the model cannot read;
                MODEL_REPLY if it replies nothing usable twice; MODEL_UNAVAILABLE or MODEL_TIMEOUT.
        """
        _check_length(text)
        signal = _signal(text, objects, action, goal)
        if signal is not None:
            return signal
        predicates = known.predicates if known else {}
        asking = _Asking(self.model, text, objects, predicates)
        if action is not None:
            call = f"{action.name}({', '.join(action.args)})"
            answer = asking.ask(
                INFEASIBLE_PROMPT,
                {"the action": call},
                lambda data: _infeasible(data, asking.vocabulary(data), action, text),
            )
        elif goal:
            wanted = "\n".join(map(str, goal))
            answer = asking.ask(
                UNSATISFIED_PROMPT,
                {"the goal": wanted},
                lambda data: _unsatisfied(data, asking.vocabulary(data), goal, text),
            )
        else:
            answer = asking.ask(
                GOAL_PROMPT, {}, lambda data: _goal(data, asking.vocabulary(data), text)
            )
        return answer


@dataclass(frozen=True)
class GoalTranslator:
    """Reads goals by a language model over known predicates alone: nothing is learned.

    A `FeedbackReader` for the time after training, when a person only says what is wanted. The same
    words of the same things are translated once.
    """

    model: LanguageModel
    _read: dict[tuple[str, ...], Feedback] = field(default_factory=dict, init=False)

    def read(
        self,
        text: str,
        objects: Mapping[str, str],
        *,
        action: Action | None = None,
        goal: Sequence[Literal] = (),
        known: Lexicon | None = None,
    ) -> Feedback:
        """The goal that a text names. Raises as `ModelReader.read`."""
        _check_length(text)
        spoken(text)
        asking = _Asking(self.model, text, objects, known.predicates if known else {})
        said = tuple(m.content for m in asking.messages(Prompt.load(*TRANSLATE_PROMPT), {}))
        if said not in self._read:
            self._read[said] = asking.ask(
                TRANSLATE_PROMPT, {}, lambda data: _goal(data, asking.vocabulary(data), text)
            )
        return self._read[said]


@dataclass(frozen=True)
class _Asking:
    """One text, and what the model is told besides."""

    model: LanguageModel
    text: str
    objects: Mapping[str, str]
    known: Mapping[str, Predicate]

    def vocabulary(self, data: _Data) -> Vocabulary:
        return Vocabulary(self.objects, self.known, data.get("predicates", ()))

    def ask(
        self,
        prompt_of: tuple[str, int],
        more: Mapping[str, str],
        read: Callable[[_Data], Feedback],
    ) -> Feedback:
        """The checked reply. Raises NOT_UNDERSTOOD if the model reports a problem."""
        prompt = Prompt.load(*prompt_of)

        def checked(data: _Data) -> Feedback | str:
            return str(data["problem"]).strip() or read(data)

        answer, _ = ask(self.model, self.messages(prompt, more), prompt.schema, checked)
        if isinstance(answer, str):
            raise SaySoError(Code.NOT_UNDERSTOOD, answer, hint="say it in other words.")
        return answer

    def messages(self, prompt: Prompt, more: Mapping[str, str]) -> tuple[Message, ...]:
        """What the model is asked."""
        return prompt.system(), self._user(more)

    def _user(self, more: Mapping[str, str]) -> Message:
        things = "\n".join(f"{name}: {category}" for name, category in self.objects.items())
        known = "\n".join(signatures(self.known.values()))
        parts = {
            "objects": things or "none",
            "known predicates": known or "none",
            **more,
            "what the person says": self.text,
        }
        return Message("user", "\n".join(fenced(label, text) for label, text in parts.items()))


def _check_length(text: str) -> None:
    if len(text) > MOST_CHARACTERS:
        raise SaySoError(
            Code.NOT_UNDERSTOOD,
            f"the text has {len(text)} characters, {MOST_CHARACTERS} are read.",
            hint="say it in fewer words.",
        )


def _signal(
    text: str, objects: Mapping[str, str], action: Action | None, goal: Sequence[Literal]
) -> Feedback | None:
    """What needs no model: a signal in controlled English. Raises NOT_UNDERSTOOD for no words."""
    if not any(c.isalnum() for c in text):
        spoken(text)
    try:
        feedback = read_feedback(text, objects, action=action, goal=goal)
    except SaySoError:
        return None
    return feedback if feedback.kind in _SIGNALS else None


def _goal(data: _Data, vocabulary: Vocabulary, text: str) -> Feedback:
    literals = vocabulary.literals(data["goal"])
    if not literals:
        raise SaySoError(Code.INVALID, "the goal is empty, and no problem is named.")
    return Feedback(FeedbackKind.GOAL, literals, (), vocabulary.concepts(literals), text)


def _unsatisfied(
    data: _Data, vocabulary: Vocabulary, goal: Sequence[Literal], text: str
) -> Feedback:
    if data["verdict"] == "reached":
        return Feedback(FeedbackKind.REACHED, tuple(goal), (), (), text)
    literals = vocabulary.literals(data["state"])
    return Feedback(FeedbackKind.UNSATISFIED, literals, (), vocabulary.concepts(literals), text)


def _infeasible(data: _Data, vocabulary: Vocabulary, action: Action, text: str) -> Feedback:
    if data["verdict"] == "feasible":
        return Feedback(FeedbackKind.FEASIBLE, (), (), (), text)
    literals = vocabulary.literals(data["state"])
    needed = vocabulary.literals(data["preconditions"])
    own_objects(needed, action.args)
    opposites(needed, literals)
    return Feedback(FeedbackKind.INFEASIBLE, literals, needed, vocabulary.concepts(literals), text)
