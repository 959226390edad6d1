"""Controlled English: instructions to specifications, deterministically and without a model.

The grammar is documented in `docs/controlled-english.md`. Whatever it does not cover is
refused, pointing at the words and naming what could have stood there; nothing is guessed.
The parser is a hand-written recursive descent, which never has two readings: the longest known
phrase is taken, a relation belongs to the nearest noun, and mixed "and"/"or" are refused.
"""

from __future__ import annotations

from sayso.language import dialects
from sayso.language.lexicon import Lexicon
from sayso.logic.specification import Specification

SOURCE = "controlled English"


def interpret(text: str, lexicon: Lexicon) -> Specification:
    """The specification that an instruction means.

    Raises:
        SaySoError: NOT_UNDERSTOOD with the span of the words at fault and what could have stood
            there; UNSUPPORTED if the library lacks a predicate that a verb needs; CONTRADICTION
            where the words themselves exclude each other.
    """
    return Specification(text, dialects.sentences(text, lexicon).formula(), SOURCE)
