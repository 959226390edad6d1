"""A person's feedback as words with their places, and the scene's objects found among them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from sayso.core.errors import Code, SaySoError, Span

_PIECES = re.compile(
    r"(?P<word>\d+(?:\.\d+)?|[^\W\d_]+(?:['\u2019][^\W\d_]+)?)|(?P<mark>[.,;:!?()])|(?P<skip>[\s_\-\"\u201c\u201d]+)"
)
_LONG_FORMS = {
    "can't": "can not",
    "cannot": "can not",
    "couldn't": "could not",
    "don't": "do not",
    "doesn't": "does not",
    "didn't": "did not",
    "hasn't": "has not",
    "haven't": "have not",
    "hadn't": "had not",
    "isn't": "is not",
    "aren't": "are not",
    "mustn't": "must not",
    "shouldn't": "should not",
    "wasn't": "was not",
    "won't": "will not",
    "it's": "it is",
    "that's": "that is",
    "there's": "there is",
    "you're": "you are",
    "you've": "you have",
}
_FILLERS = frozenset(
    ["already", "yet", "still", "currently", "now", "just", "really", "please", "actually", "sorry"]
)
_DETERMINERS = ("the", "this", "that")
_BEFORE_NAMES = ("object", "thing", "item")
_MENTION = "@"


@dataclass(frozen=True)
class Word:
    """A lower-case word or mark; `@NAME` for an object that words name. `text[start:end]`."""

    text: str
    start: int
    end: int


@dataclass(frozen=True)
class Words:
    """A run of words of one text."""

    words: tuple[Word, ...]
    whole: str

    @property
    def text(self) -> str:
        """The words with single spaces between them."""
        return " ".join(w.text for w in self.words)

    @property
    def span(self) -> Span:
        if not self.words:
            return Span(len(self.whole), len(self.whole))
        return Span(self.words[0].start, self.words[-1].end)

    def part(self, start: int, end: int | None = None) -> Words:
        return Words(self.words[start:end], self.whole)

    def after(self, length: int) -> Words:
        """What follows the first `length` characters of `text`."""
        return self.part(len(self.text[:length].split()))

    def refused(self, message: str, choices: Iterable[str] = (), hint: str = "") -> SaySoError:
        """NOT_UNDERSTOOD pointing at these words."""
        return SaySoError(Code.NOT_UNDERSTOOD, message, choices=choices, hint=hint, span=self.span)


def read_words(text: str, objects: Mapping[str, str]) -> Words:
    """The words of a text, with the objects that they name.

    An object is named by its name's words, or by its category if no other object has that.

    Args:
        objects: name -> category.

    Raises:
        SaySoError: NOT_UNDERSTOOD for an empty text or a character that is no part of English
            sentences; AMBIGUOUS for a category of several objects.
    """
    words = _spoken(text)
    if not any(w.text[0].isalnum() for w in words):
        raise SaySoError(
            Code.NOT_UNDERSTOOD,
            "nothing was said.",
            hint="say what is wrong, such as 'the can is not on the shelf'.",
            span=Span(0, len(text)),
        )
    return Words(tuple(_with_mentions(words, objects)), text)


def _spoken(text: str) -> list[Word]:
    found: list[Word] = []
    place = 0
    while place < len(text):
        match = _PIECES.match(text, place)
        if match is None:
            raise SaySoError(
                Code.NOT_UNDERSTOOD,
                f"the character '{text[place]}' is not part of a sentence.",
                hint="use words, full stops and commas.",
                span=Span(place, place + 1),
            )
        if match.lastgroup != "skip":
            word = match[0].lower().replace("\u2019", "'")
            for piece in _LONG_FORMS.get(word, word).split():
                found.append(Word(piece, match.start(), match.end()))
        place = match.end()
    return [w for w in found if w.text not in _FILLERS]


def _with_mentions(words: Sequence[Word], objects: Mapping[str, str]) -> Iterable[Word]:
    names = sorted(((n.lower().split("_"), n) for n in objects), key=lambda p: -len(p[0]))
    place = 0
    while place < len(words):
        start = _skipped(words, place)
        found = _named(words, start, names) or _by_category(words, start, place, objects)
        if found is None:
            yield words[place]
            place += 1
        else:
            name, end = found
            yield Word(_MENTION + name, words[place].start, words[end - 1].end)
            place = end


def _skipped(words: Sequence[Word], place: int) -> int:
    """The place after a determiner and "object"."""
    for group in (_DETERMINERS, _BEFORE_NAMES):
        if place < len(words) and words[place].text in group:
            place += 1
    return place


def _named(
    words: Sequence[Word], place: int, names: Sequence[tuple[list[str], str]]
) -> tuple[str, int] | None:
    for pieces, name in names:
        if [w.text for w in words[place : place + len(pieces)]] == pieces:
            return name, place + len(pieces)
    return None


def _by_category(
    words: Sequence[Word], start: int, place: int, objects: Mapping[str, str]
) -> tuple[str, int] | None:
    """An object by its category, with "the" before it."""
    if start == place or words[place].text != "the" or start >= len(words):
        return None
    fitting = [n for n, category in objects.items() if category == words[start].text]
    if len(fitting) > 1:
        raise SaySoError(
            Code.AMBIGUOUS,
            f"several things are a {words[start].text}.",
            choices=(n.replace("_", " ") for n in fitting),
            hint="name one of them.",
            span=Span(words[place].start, words[start].end),
        )
    return (fitting[0], start + 1) if fitting else None


def plain(english: str) -> str:
    """A predicate's English as the words of a text are, its `{0}` kept."""
    long = " ".join(_LONG_FORMS.get(w, w) for w in english.lower().split())
    return " ".join(w for w in long.split() if w not in _FILLERS)


def split_at(words: Words, joiners: Sequence[str]) -> list[Words]:
    """The runs between joining words and marks, without empty ones."""
    runs: list[Words] = []
    start = 0
    for i, word in enumerate(words.words):
        if word.text in joiners:
            runs.append(words.part(start, i))
            start = i + 1
    runs.append(words.part(start))
    return [r for r in runs if r.words]
