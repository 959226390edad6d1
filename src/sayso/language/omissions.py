"""What a model's reading and the person's words do not share, both ways.

What the reading has and nobody said is told. What was said and the reading lacks is told too; a
prohibition, an exception or a number that it lacks makes the reading unusable, unless the model
says why it asks for nothing.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError
from sayso.language.naming import forms, standard, words_of
from sayso.logic.english import describe
from sayso.logic.formula import (
    COLORS,
    SIZES,
    Formula,
    Not,
    Prop,
    Quantified,
    Referent,
    referents_of,
    walk,
)

_FORBIDDING = re.compile(
    r"\b(?:never|not|cannot|avoid(?:ing)?|without|except|excluding|nothing|none|neither|nor"
    r"|nobody|nowhere|only|(?:stay|keep|steer|staying|keeping|steering) (?:away|clear|off|out)"
    r"|leave \w+(?: \w+){0,3} alone|(?:every|any|all|no)\w* but)\b|n['\u2019]t\b",
    re.IGNORECASE,
)
_REMARK = re.compile(
    r"\b(?:do|does)(?: not|n['\u2019]t) (?:mind|care|matter|worry|know|forget|hesitate)\b",
    re.IGNORECASE,
)
"""Words of prohibition that forbid nothing."""
_NUMBERS: Mapping[str, int] = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "twice": 2, "thrice": 3, "both": 2,
}  # fmt: skip


@dataclass(frozen=True)
class Addition:
    """A referent with words of its own description that were not said."""

    referent: Referent
    words: tuple[str, ...]

    def __str__(self) -> str:
        words = " and ".join(f"'{w}'" for w in self.words)
        return f"You did not say {words}, but the reading has {describe(self.referent)}."


def additions(formula: Formula, said: str) -> tuple[Addition, ...]:
    """The referents, nested ones too, with a noun or colour that does not occur in `said`.

    Singular and plural count as the same word. Size words and spatial relations are not
    compared: people say them in too many ways.
    """
    known = {form for word in words_of(said) for form in forms(word)}
    found: dict[Referent, Addition] = {}
    for referent in referents_of(formula, landmarks=True):
        missing = tuple(w for w in _own_words(referent) if not forms(w) & known)
        if missing:
            found.setdefault(referent, Addition(referent, missing))
    return tuple(found.values())


def unread(formula: Formula, said: str, seen: Iterable[str]) -> tuple[str, ...]:
    """Words for colours and for things that are seen which were said and the formula lacks.

    Args:
        seen: names of things, such as `red_block_2`.
    """
    nouns = {form for name in seen for word in words_of(name.replace("_", " "))
             for form in forms(word) if not word.isdecimal()}  # fmt: skip
    read = {form for r in referents_of(formula, landmarks=True)
            for word in _own_words(r) for form in forms(word)}  # fmt: skip
    read |= {word for p in walk(formula) if isinstance(p, Prop)
             for word in words_of(p.predicate.replace("_", " "))}  # fmt: skip
    tellable = nouns | set(COLORS)
    words = (w for w in words_of(said) if forms(w) & tellable and not forms(w) & read)
    return tuple(dict.fromkeys(words))


def left_out(formula: Formula, said: str, assumptions: Sequence[str] = ()) -> tuple[str, ...]:
    """Prohibitions, exceptions and numbers in `said` that have no counterpart in the formula.

    A word that the assumptions speak of has been thought of.
    """
    asking = _REMARK.sub("", said)
    forbidding = () if _forbids(formula) else (m[0].lower() for m in _FORBIDDING.finditer(asking))
    numbers = (w for w in words_of(said) if not _has_number(formula, _number(w)))
    thought_of = " ".join(assumptions).lower()
    words = dict.fromkeys((*forbidding, *numbers))
    return tuple(w for w in words if w not in thought_of)


def check_complete(formula: Formula, said: str, assumptions: Sequence[str] = ()) -> None:
    """Raises INVALID for a prohibition, an exception or a number that got lost."""
    if lost := left_out(formula, said, assumptions):
        words = " and ".join(f"'{w}'" for w in lost)
        raise SaySoError(
            Code.INVALID,
            f"the person said {words}, and the formula has nothing of the kind.",
            hint="add what they forbid, leave out or count; or, where they ask for nothing, say so "
            "in an assumption that quotes the word.",
        )


def _forbids(formula: Formula) -> bool:
    """Whether something is denied, forbidden, limited or left out."""
    return any(
        isinstance(f, Not)
        or (
            isinstance(f, Quantified)
            and (bool(f.apart_from) or f.quantity.kind in ("at most", "exactly"))
        )
        for f in walk(formula)
    )


def _number(word: str) -> int:
    return int(word) if word.isdecimal() and len(word) < 3 else _NUMBERS.get(word, 0)


def _has_number(formula: Formula, number: int) -> bool:
    """Whether so many things of a kind, or so many times, are in a formula somewhere."""
    if number < 2:
        return True
    parts = [f for f in walk(formula) if isinstance(f, Quantified)]
    if any(f.quantity.kind == "all" or f.quantity.number == number for f in parts):
        return True
    things = Counter([
        *(f.domain.noun for f in parts),
        *(r.kind for r in referents_of(formula) if r.quantifier == "the"),
    ])  # fmt: skip
    times = Counter(f for f in walk(formula) if isinstance(f, Prop))
    return max((*things.values(), *times.values()), default=0) >= number


def _own_words(referent: Referent) -> list[str]:
    colors = [a for a in referent.attributes if a not in SIZES]
    return [*colors, *(standard(w) for w in words_of(referent.kind))]
