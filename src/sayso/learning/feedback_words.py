"""A person's feedback as words with their places."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from sayso.core.errors import Code, SaySoError, Span
from sayso.language.tokens import Token, spelt, tokenize

_LONG_WORDS = ("because", "something", "nothing", "already", "another", "anything", "gripper")
"""What is so long that a slip in it is no other word."""
_FILLERS_TEXT = (
    "already yet still currently now just really please actually sorry very super quite pretty "
    "extremely totally completely definitely obviously unfortunately sadly simply besides also "
    "instead pls plz quickly soon immediately swiftly carefully gently cautiously"
)
COMPARATIVE = (
    "(?:wid|narrow|bigg|small|larg|tall|short|high|low|heavi|light|thick|thinn|long|deep|broad|hott|"
    "cold|old|new|hard|soft|slimm|flatt)er"
)
_FILLERS = frozenset(_FILLERS_TEXT.split())
_CALLED = frozenset({"dear", "love", "sweetheart", "darling", "mate", "buddy"})
"""How the robot may be called between marks; what may be a thing, as honey may, is not here."""
_ENDS = (",", ".", ";", ":", "!", "?")
_TAGS = ("see", "right", "ok", "okay", "you see", "you know")
"""What asks nothing where it ends a text: see "it is on the tray now, see?" and the like."""
_MEASURED = ("height", "width", "depth", "thickness", "size", "hand", "hands", "top", "gripper")


@dataclass(frozen=True)
class Words:
    """A run of words of one text."""

    words: tuple[Token, ...]
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
    found = [
        Token(piece, token.start, token.end)
        for token in tokenize(text)
        for piece in _long(token.text.removeprefix("#"))
    ]
    words = _plainly(_telling(list(_with_its(found))))
    if not any(w.text[0].isalnum() for w in words):
        raise SaySoError(
            Code.NOT_UNDERSTOOD,
            "nothing was said.",
            hint="say what is wrong, such as 'the can is not on the shelf'.",
            span=Span(0, len(text)),
        )
    return Words(tuple(words), text)


def _long(word: str) -> Sequence[str]:
    """A word without "'s", with slips of the fingers mended where only one word is near."""
    if word.endswith("'s"):
        return word.removesuffix("'s"), "'s"
    if len(word) > 5 and (near := get_close_matches(word, _LONG_WORDS, 1, 0.85)):
        return near
    return (word,)


def _telling(words: Sequence[Token]) -> list[Token]:
    """The words without fillers; "not just" is none, for it turns round what follows."""
    return [
        w
        for i, w in enumerate(words)
        if w.text not in _FILLERS or (w.text in ("just", "simply") and words[i - 1].text == "not")
    ]


def _plainly(words: Sequence[Token]) -> list[Token]:
    """The words without a tag at the end and what the robot is called; "taller then" is "than"."""
    texts = [w.text for w in words]
    for tag in _TAGS:
        end = [",", *tag.split(), "?"]
        if texts[-len(end) :] == end:
            words, texts = words[: -len(end)], texts[: -len(end)]
    found: list[Token] = []
    for i, word in enumerate(words):
        called = word.text in _CALLED and found and found[-1].text == ","
        if called and (i + 1 == len(words) or texts[i + 1] in _ENDS):
            found.pop()
        elif word.text == "then" and i and re.fullmatch(COMPARATIVE, texts[i - 1]):
            found.append(Token("than", word.start, word.end))
        else:
            found.append(word)
    return found


def _with_its(words: Sequence[Token]) -> Iterator[Token]:
    """ "its height" stays; "its too wide" is "it is too wide", and "the can's wide" likewise."""
    for i, word in enumerate(words):
        owner = i + 1 < len(words) and words[i + 1].text in _MEASURED
        # "It has its cap on": nothing is said of "it" after what it has.
        owner = owner or (word.text == "its" and i > 0 and words[i - 1].text in ("has", "have"))
        if word.text == "its" and not owner:
            yield Token("it", word.start, word.end)
            yield Token("is", word.start, word.end)
        elif word.text == "'s":
            yield Token("s" if owner else "is", word.start, word.end)
        else:
            yield word


def plain(english: str) -> str:
    """A predicate's English as the words of a text are, its `{0}` kept."""
    words = (piece for word in english.lower().split() for piece in spelt(word))
    return " ".join(w for w in words if w not in _FILLERS)


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
