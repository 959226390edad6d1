"""Things in a formula that the person never mentioned: a model's inventions, to be told."""

from __future__ import annotations

import re
from dataclasses import dataclass

from sayso.logic.english import describe
from sayso.logic.formula import Formula, Referent, referents_of

_WORD = re.compile(r"[^\W_]+")
_PLURALS = (("ies", "y"), ("ves", "f"), ("es", ""), ("s", ""))


@dataclass(frozen=True)
class Unsaid:
    """A referent with words of its own description that were not said."""

    referent: Referent
    words: tuple[str, ...]

    def __str__(self) -> str:
        words = " and ".join(f"'{w}'" for w in self.words)
        return f"You did not say {words}, but the reading has {describe(self.referent)}."


def unsaid(formula: Formula, said: str) -> tuple[Unsaid, ...]:
    """The referents, nested ones too, with a noun or colour that does not occur in `said`.

    Singular and plural count as the same word. Size words and spatial relations are not
    compared: people say them in too many ways.
    """
    known = {form for word in _words(said) for form in _forms(word)}
    found: dict[Referent, Unsaid] = {}
    for referent in referents_of(formula, landmarks=True):
        missing = tuple(w for w in _own_words(referent) if not _forms(w) & known)
        if missing:
            found.setdefault(referent, Unsaid(referent, missing))
    return tuple(found.values())


def _own_words(referent: Referent) -> list[str]:
    colors = [a for a in referent.attributes if a not in ("small", "big")]
    return [*colors, *_words(referent.noun)]


def _words(text: str) -> list[str]:
    return _WORD.findall(text.lower())


def _forms(word: str) -> frozenset[str]:
    """The word and what it may be the plural of; `gray` is `grey`."""
    word = "grey" if word == "gray" else word
    singular = {word[: -len(e)] + r for e, r in _PLURALS if word.endswith(e) and len(word) > 3}
    return frozenset({word, *singular})
