"""A person's feedback as words with their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from sayso.core.errors import Code, SaySoError, Span

_PIECES = re.compile(
    r"(?P<ie>\b[ie]\.[eg]\.,?)|(?P<word>\d+(?:\.\d+)?|[^\W\d_]+(?:['\u2019][^\W\d_]+)?)|(?P<mark>[.,;:!?()])|(?P<skip>[\s_\-\"\u201c\u201d]+)"
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
    "wouldn't": "would not",
    "it's": "it is",
    "that's": "that is",
    "there's": "there is",
    "what's": "what is",
    "you're": "you are",
    "you've": "you have",
    "you'd": "you would",
    "i'm": "i am",
    "i'd": "i would",
    "i've": "i have",
}
_SLIPS = {w.replace("'", ""): long for w, long in _LONG_FORMS.items() if w not in ("i'd", "it's")}
_SLIPS |= {"teh": "the", "hte": "the"}
"""Written without the apostrophe; "its" is decided by what follows."""
_LONG_WORDS = ("because", "something", "nothing", "already", "another", "anything", "gripper")
"""What is so long that a slip in it is no other word."""
_FILLERS_TEXT = (
    "already yet still currently now just really please actually sorry very super quite pretty "
    "extremely totally completely definitely obviously unfortunately sadly simply besides also "
    "instead"
)
_FILLERS = frozenset(_FILLERS_TEXT.split())
_MEASURED = ("height", "width", "depth", "thickness", "size", "hand", "hands", "top", "gripper")


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


def spoken(text: str) -> Words:
    """The words of a text, lower-case, in their long forms, without what means nothing.

    Raises:
        SaySoError: NOT_UNDERSTOOD for an empty text or a character that is no part of English
            sentences.
    """
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
        if match.lastgroup == "ie":
            found.append(Word(",", match.start(), match.end()))
        elif match.lastgroup != "skip":
            for piece in _long(match[0].lower().replace("\u2019", "'")):
                found.append(Word(piece, match.start(), match.end()))
        place = match.end()
    words = _telling(list(_with_its(found)))
    if not any(w.text[0].isalnum() for w in words):
        raise SaySoError(
            Code.NOT_UNDERSTOOD,
            "nothing was said.",
            hint="say what is wrong, such as 'the can is not on the shelf'.",
            span=Span(0, len(text)),
        )
    return Words(tuple(words), text)


def _long(word: str) -> Sequence[str]:
    """A word in its long form, with slips of the fingers mended where only one word is near."""
    if word.endswith("'s") and word not in _LONG_FORMS:
        return word.removesuffix("'s"), "'s"
    if len(word) > 5 and (near := get_close_matches(word, _LONG_WORDS, 1, 0.85)):
        return near
    return (_LONG_FORMS.get(word) or _SLIPS.get(word) or word).split()


def _telling(words: Sequence[Word]) -> list[Word]:
    """The words without fillers; "not just" is none, for it turns round what follows."""
    return [
        w
        for i, w in enumerate(words)
        if w.text not in _FILLERS or (w.text in ("just", "simply") and words[i - 1].text == "not")
    ]


def _with_its(words: Sequence[Word]) -> Iterator[Word]:
    """ "its height" stays; "its too wide" is "it is too wide", and "the can's wide" likewise."""
    for i, word in enumerate(words):
        owner = i + 1 < len(words) and words[i + 1].text in _MEASURED
        if word.text == "its" and not owner:
            yield Word("it", word.start, word.end)
            yield Word("is", word.start, word.end)
        elif word.text == "'s":
            yield Word("s" if owner else "is", word.start, word.end)
        else:
            yield word


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
