"""Which controlled English a library speaks: a flat's if it knows `near`, otherwise a table's."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol

from sayso.language.events import Sequence
from sayso.language.flat.tasks import FlatSentences
from sayso.language.flat.things import FlatThings
from sayso.language.lexicon import Lexicon
from sayso.language.phrases import NounPhrases
from sayso.language.sentences import Sentences
from sayso.language.tokens import Cursor
from sayso.logic.formula import Formula, Referent


class Reader(Protocol):
    """A parser of whole instructions; both methods raise NOT_UNDERSTOOD."""

    def formula(self) -> Formula:
        """The instruction's meaning."""

    def parts(self) -> tuple[Sequence, tuple[Formula, ...]]:
        """What is to happen, and what holds throughout."""


def of_flat(lexicon: Lexicon) -> bool:
    """Whether the library is one of a robot that drives to things."""
    return "near" in lexicon.predicates


def sentences(text: str, lexicon: Lexicon, mentioned: Iterable[Referent] = ()) -> Reader:
    """A parser for a text, in whose beginning pronouns may stand for what is `mentioned`."""
    kind = FlatSentences if of_flat(lexicon) else Sentences
    return kind(text, lexicon, mentioned)


def noun_phrases(cursor: Cursor, lexicon: Lexicon) -> NounPhrases:
    """A parser for the names of things."""
    return FlatThings(cursor, lexicon) if of_flat(lexicon) else NounPhrases(cursor, lexicon)
