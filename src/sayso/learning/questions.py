"""What only the person can tell, as questions with what each answer would mean."""

from __future__ import annotations

import re
from dataclasses import dataclass
from enum import Enum

from sayso.core.predicates import Predicate
from sayso.core.scene import Scene
from sayso.core.symbols import Atom, Literal, in_words
from sayso.language.judgements import Judgement, judged
from sayso.learning.synonyms import Synonym
from sayso.learning.synthesis.labels import Concept, Contradiction, Label
from sayso.learning.synthesis.synthesizer import Question

_PICKED = re.compile(
    r"(?:(?:yes|no|well|i (?:mean|meant|think)|it (?:is|was)),? )*(?:that )?(?:the )?"
    r"(?:(?P<first>first|former|earlier)|(?:second|latter|later|last))"
    r"(?: (?:one|thing|time|statement|sentence))?(?: (?:is|was)(?: (?:right|true|correct|so))?)?\W*"
)
"""Which of two sayings was right, and nothing else."""
_ASSENT = re.compile(
    r"(?:(?:yes|yep|yeah|ok|okay|sure|fine|alright|all right|of course|indeed|exactly)[\s,.!]*)+"
)


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
        pressing: whether it is asked at once, and not only where nothing else leads on.
    """

    kind: AskKind
    text: str
    scene: Scene | None = None
    literal: Literal | None = None
    contradiction: Contradiction | None = None
    synonym: Synonym | None = None
    pressing: bool = False


def ask_which(name: str, concept: Concept, contradiction: Contradiction) -> Ask:
    """Which of two contradicting things was right; "yes" is the later one."""
    later = contradiction.later
    return Ask(
        AskKind.CONTRADICTION,
        contradiction.question(concept),
        later.scene,
        literal_of(name, later),
        contradiction=contradiction,
        pressing=True,
    )


def ask_what(name: str, question: Question) -> Ask:
    """Whether a predicate holds where its candidates differ."""
    literal = Literal(Atom(name, question.args))
    return Ask(AskKind.DOUBT, question.text, question.scene, literal, pressing=question.pressing)


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
    """Whether the words say "yes" to the question; None where they tell neither, or tell more."""
    if ask.contradiction:
        picked = _PICKED.fullmatch(" ".join(words.lower().split()))
        return picked and not picked["first"]
    return {Judgement.YES: True, Judgement.NO: False}.get(judged(words, ask.text))


def agrees(words: str) -> bool:
    """Whether words are assent alone, such as "yes" or "ok, sure", and no praise: "well done"."""
    return _ASSENT.fullmatch(words.strip().lower()) is not None


def denied(literal: Literal) -> Literal:
    return literal._replace(positive=not literal.positive)


def _clause(predicate: Predicate, things: tuple[str, ...]) -> str:
    if predicate.english:
        return predicate.english.format(*things)
    return f"{in_words(predicate.name)} holds of {' and '.join(things)}"
