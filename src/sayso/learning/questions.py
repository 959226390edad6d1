"""What only the person can tell, as questions with what each answer would mean."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from enum import Enum

from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.core.symbols import Atom, Literal, in_words
from sayso.learning.synonyms import Synonym
from sayso.learning.synthesis.labels import Concept, Contradiction, Label
from sayso.learning.synthesis.synthesizer import Question

_YES = re.compile(r"(yes|yeah|yep|correct|right|true|exactly|sure|that is (so|right|true)|it is)\b")
_NO = re.compile(r"(no|nope|wrong|false|not|that is (not|wrong|false)|it is not|it isn't)\b")
_UNSURE = re.compile(r"(no idea|i do not|i don't|i cannot|i can't|that i do not)\b")
_AGREEMENT = re.compile(
    r"(?:(?:yes|yep|yeah|ok|okay|sure|fine|alright|all right|of course|indeed|exactly)[\s,.!]*)+"
)
_FIRST = re.compile(r"\b(first|former|earlier)\b")
_SECOND = re.compile(r"\b(second|latter|later|last)\b")


class AskKind(Enum):
    """What a question is about."""

    CONTRADICTION = "two things that cannot both be right"
    DOUBT = "what a predicate means"
    SYNONYM = "whether two predicates are one"


@dataclass(frozen=True, eq=False)
class Ask:
    """A question.

    Attributes:
        scene: that it is about; None for a synonym.
        literal: what "yes" would say of it.
        contradiction: to be settled.
        synonym: to be agreed to.
    """

    kind: AskKind
    text: str
    scene: Scene | None = None
    literal: Literal | None = None
    contradiction: Contradiction | None = None
    synonym: Synonym | None = None


def ask_which(name: str, concept: Concept, contradiction: Contradiction) -> Ask:
    """Which of two contradicting things was right; "yes" is the later one."""
    later = contradiction.later
    return Ask(
        AskKind.CONTRADICTION,
        contradiction.question(concept),
        later.scene,
        literal_of(name, later),
        contradiction=contradiction,
    )


def ask_what(name: str, question: Question) -> Ask:
    """Whether a predicate holds where its candidates differ."""
    literal = Literal(Atom(name, question.args))
    return Ask(AskKind.DOUBT, question.text, question.scene, literal)


def ask_same(synonym: Synonym, kept: Predicate, other: Predicate) -> Ask:
    """Whether two predicates mean the same."""
    things = ("one thing", "another")
    first = _clause(kept, things)
    second = _clause(other, tuple(things[i] for i in synonym.order))
    text = f"Is it the same to say that {first} and that {second}?"
    return Ask(AskKind.SYNONYM, text, synonym=synonym)


def literal_of(name: str, label: Label) -> Literal:
    return Literal(Atom(name, label.args), label.truth)


def agreed(ask: Ask, words: str) -> bool | None:
    """Whether the words say "yes" to the question; None where they tell neither."""
    text = re.sub(r"\s+", " ", words.strip().lower())
    if _UNSURE.match(text):
        return None
    if ask.contradiction and (_FIRST.search(text) or _SECOND.search(text)):
        return not _FIRST.search(text)
    if ask.contradiction:
        return None
    if _NO.match(text):
        return False
    return True if _YES.match(text) else None


def agrees(words: str) -> bool:
    """Whether words are an agreement and nothing else, such as "yes" or "ok, sure"."""
    return _AGREEMENT.fullmatch(words.strip().lower()) is not None


def denied(literal: Literal) -> Literal:
    return replace(literal, positive=not literal.positive)


def _clause(predicate: Predicate, things: tuple[str, ...]) -> str:
    if predicate.english:
        return predicate.english.format(*things)
    return f"{in_words(predicate.name)} holds of {' and '.join(things)}"
