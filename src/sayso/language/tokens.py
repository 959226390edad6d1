"""Words with their places in the text, and a cursor over them that reports what it expected."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache

from sayso.core.errors import Code, SaySoError, Span

_PIECES = re.compile(
    r"(?P<word>\d*[^\W\d_]+(?:['\u2019][^\W\d_]+|\d+)?|\d+)|(?P<mark>[.,;:!?])|(?P<skip>[\s_\-\"\u201c\u201d]+)"
)
_CONTRACTIONS = {
    "don't": ("do", "not"),
    "dont": ("do", "not"),
    "mustn't": ("must", "not"),
    "shouldn't": ("should", "not"),
    "isn't": ("is", "not"),
    "aren't": ("are", "not"),
    "doesn't": ("does", "not"),
    "it's": ("it", "is"),
    "that's": ("that", "is"),
    "thats": ("that", "is"),
    "haven't": ("have", "not"),
    "havent": ("have", "not"),
    "can't": ("can", "not"),
    "i'm": ("i", "am"),
    "i'll": ("i", "will"),
    "i've": ("i", "have"),
    "you're": ("you", "are"),
    "you've": ("you", "have"),
    "there's": ("there", "is"),
    "mustnt": ("must", "not"),
}
_SPELLINGS = {"gray": "grey", "colour": "color"}


@dataclass(frozen=True)
class Token:
    """A lower-case word or a punctuation mark, at `text[start:end]`."""

    text: str
    start: int
    end: int

    @property
    def is_mark(self) -> bool:
        return not self.text[0].isalnum()


def tokenize(text: str) -> tuple[Token, ...]:
    """The words and marks of a text. Raises NOT_UNDERSTOOD for any other character."""
    tokens: list[Token] = []
    position = 0
    while position < len(text):
        match = _PIECES.match(text, position)
        if match is None:
            raise SaySoError(
                Code.NOT_UNDERSTOOD,
                f"the character '{text[position]}' is not part of an instruction.",
                hint="use words, full stops and commas.",
                span=Span(position, position + 1),
            )
        if match.lastgroup != "skip":
            tokens += _tokens(match[0].lower().replace("\u2019", "'"), match.start(), match.end())
        position = match.end()
    return tuple(tokens)


def _tokens(word: str, start: int, end: int) -> list[Token]:
    words = _CONTRACTIONS.get(word, (_SPELLINGS.get(word, word),))
    return [Token(w, start, end) for w in words]


class Cursor:
    """A place in a tokenised text.

    A *phrase* is one or more words separated by spaces, such as "on top of".
    """

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokenize(text)
        self.position = 0

    def word(self, ahead: int = 0) -> str:
        """The word `ahead` places on, or '' past the end."""
        index = self.position + ahead
        return self.tokens[index].text if index < len(self.tokens) else ""

    @property
    def ended(self) -> bool:
        return self.position >= len(self.tokens)

    def at(self, *phrases: str, ahead: int = 0) -> str:
        """The longest of the phrases that comes next, or ''."""
        for words, phrase in _by_first_word(phrases).get(self.word(ahead), ()):
            if all(self.word(ahead + i) == w for i, w in enumerate(words)):
                return phrase
        return ""

    def take(self, *phrases: str) -> str:
        """Like `at`, and moves past it."""
        phrase = self.at(*phrases)
        self.position += len(_words(phrase))
        return phrase

    def need(self, *phrases: str, after: str) -> str:
        """Like `take`, but raises NOT_UNDERSTOOD if none comes next."""
        return self.take(*phrases) or self._need(phrases, after)

    def _need(self, phrases: Sequence[str], after: str) -> str:
        raise self.unexpected(phrases, f"after {after}")

    def span(self, start: int, end: int | None = None) -> Span:
        """The characters of the tokens from `start` up to `end` (default: the present one)."""
        stop = self.position if end is None else end
        if start >= len(self.tokens):
            return Span(len(self.text), len(self.text))
        return Span(self.tokens[start].start, self.tokens[max(stop - 1, start)].end)

    def unexpected(self, expected: Iterable[str], where: str = "") -> SaySoError:
        """NOT_UNDERSTOOD pointing at the present word, or at the end of the text."""
        valid = tuple(dict.fromkeys(expected))
        place = f" {where}" if where else ""
        if self.ended:
            return self.error(f"the instruction ends too early{place}.", choices=valid)
        word = self.word()
        close = get_close_matches(word, [w for v in valid for w in v.split()], n=1, cutoff=0.75)
        hint = f"did you mean '{close[0]}'?" if close else ""
        return self.error(f"'{word}' is not understood{place}.", choices=valid, hint=hint)

    def error(
        self,
        message: str,
        *,
        hint: str = "",
        choices: Iterable[str] = (),
        start: int | None = None,
    ) -> SaySoError:
        """NOT_UNDERSTOOD pointing at the words from token `start` (default: the present one)."""
        first = self.position if start is None else start
        span = self.span(first, max(self.position, first + 1))
        return SaySoError(Code.NOT_UNDERSTOOD, message, hint=hint, choices=choices, span=span)


@cache
def _words(phrase: str) -> tuple[str, ...]:
    return tuple(phrase.split())


@cache
def _by_first_word(
    phrases: tuple[str, ...],
) -> dict[str, list[tuple[tuple[str, ...], str]]]:
    """Phrases by their first word, the longest of each first."""
    index: dict[str, list[tuple[tuple[str, ...], str]]] = {}
    for phrase in sorted(phrases, key=lambda p: -len(_words(p))):
        index.setdefault(_words(phrase)[0], []).append((_words(phrase), phrase))
    return index
