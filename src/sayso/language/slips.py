"""Slips of the keyboard: "blok", "plaet", "pickk up".

A word that nobody knows is taken for the only word of the library that is one slip away. Words
that order, forbid or bound ("never", "until", "the") are neither invented nor passed over: what is
one letter from any of those is left to the person. What was taken for granted is told with the
reading, and confirmed with it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from sayso.language.lexicon import Lexicon
from sayso.language.tokens import Token, tokenize

LEAST_LETTERS = 4
"""Shorter words are too much like others, but for two letters that changed places."""
_KEYS = {
    letter: (column + row / 2, row)
    for row, letters in enumerate(("qwertyuiop", "asdfghjkl", "zxcvbnm"))
    for column, letter in enumerate(letters)
}
"""Where each key is: each row begins half a key farther right."""


@dataclass(frozen=True)
class Slip:
    """A word as it was typed, and the one that was meant."""

    token: Token
    meant: str

    def __str__(self) -> str:
        return f"'{self.token.text}' is read as '{self.meant}'"


def slips(text: str, lexicon: Lexicon, seen: Iterable[str] = ()) -> tuple[Slip, ...]:
    """The slips in a text of which it is clear what was meant.

    Args:
        seen: names of the things that are there, whose words are no slips.

    Raises:
        SaySoError: NOT_UNDERSTOOD as `tokenize` does.
    """
    there = {w for name in seen for w in name.lower().split("_") if w.isalpha()}
    content, known = lexicon.content_words | there, lexicon.words | there
    found = []
    for token in tokenize(text):
        if token.text in known or not lexicon.unknown(token.text):
            continue
        near = [w for w in known if is_near(token.text, w)]
        if len(near) == 1 and near[0] in content and is_slip(token.text, near[0]):
            found.append(Slip(token, near[0]))
    return tuple(found)


def mended(text: str, found: Sequence[Slip]) -> str:
    """The text with what was meant in place of what was typed."""
    for slip in reversed(found):
        text = text[: slip.token.start] + slip.meant + text[slip.token.end :]
    return text


def is_slip(typed: str, meant: str) -> bool:
    """Whether fingers easily type the one for the other.

    Two neighbours changed places, a letter is missing, is doubled, or a neighbouring key was struck
    in its place or with it. Other letters rather make other words: "tablet", "boot".
    """
    at = _first_difference(typed, meant)
    if len(typed) == len(meant) and typed[at : at + 2] == meant[at : at + 2][::-1]:
        return True
    if len(typed) < LEAST_LETTERS or at == 0:
        return False
    if len(typed) == len(meant):
        return _are_neighbours(typed[at], meant[at])
    if len(typed) < len(meant):
        return True
    beside = typed[at - 1 : at] + typed[at + 1 : at + 2]
    return any(typed[at] == key or _are_neighbours(typed[at], key) for key in beside)


def is_near(typed: str, word: str) -> bool:
    """Whether one letter is missing, too many or another, or two neighbours changed places."""
    if abs(len(typed) - len(word)) > 1 or typed == word:
        return False
    at = _first_difference(typed, word)
    if len(typed) == len(word):
        swapped = typed[:at] + typed[at + 1 : at + 2] + typed[at] + typed[at + 2 :]
        return swapped == word or typed[at + 1 :] == word[at + 1 :]
    longer, shorter = sorted((typed, word), key=len, reverse=True)
    return longer[at + 1 :] == shorter[at:]


def _first_difference(one: str, other: str) -> int:
    pairs = enumerate(zip(one, other, strict=False))
    return next((i for i, (a, b) in pairs if a != b), min(len(one), len(other)))


def _are_neighbours(one: str, other: str) -> bool:
    """Whether two keys touch each other."""
    if one not in _KEYS or other not in _KEYS:
        return False
    (x, y), (u, v) = _KEYS[one], _KEYS[other]
    return abs(x - u) <= 1 and abs(y - v) <= 1
