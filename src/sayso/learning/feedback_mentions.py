"""The scene's objects among a person's words: `@NAME` takes the place of the words for one.

    mention = ["the" | "this" | "that"] ["object"] the name's words
            | ("the" | "this" | "that") category         of one object, or of one in question
            | "the" quality "one"                        "the green one": named before by its kind
            | "the" quality ("and" | "or" | "nor") ...   "the red and the blue block"
            | ("both" | "all" | "the") ["the"] categories    every one of them, joined by "and"
            | "neither" category                         of two
            | category, quality                          by an "on" or "in": "plate on mat"
            | categories, "a" category                   of the one in question: "pegs are fixed"

A quality is a word of the name besides its last: `green` of `green_box`.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches

from sayso.core.errors import Code, SaySoError, Span
from sayso.language.tokens import Token, spelt
from sayso.learning.feedback_words import Words, spoken

_DETERMINERS = ("the", "this", "that")
_BEFORE_NAMES = ("object", "thing", "item")
_JOINING = ("and", "or", "nor")
_PLACING = ("on", "onto", "in", "into", "under", "upon")
_NO_OTHER = ("another", "other", "more", "extra")
"""After these a noun is none of the things that are named: "another globe is on it"."""
_CLAUSES = (",", ";", ".", ":", "!", "-", "and", "because", "since", "as", "but", "so")
"""What a clause may begin after."""
_VERBS = ("can", "will", "may", "must", "is", "do")
"""Words that name a thing only after "the"."""
_MENTION = "@"
_OWN = (
    "gripper hand fingers robot table goal task top bottom object thing category kind height width "
    "size water food following breakfast same action side right left one other way"
)
_OWN_WORDS = frozenset(_OWN.split())


def read_words(
    text: str, objects: Mapping[str, str], talk_of: Collection[str] = frozenset()
) -> Words:
    """The words of a text, with the objects that they name.

    Args:
        objects: name -> category.
        talk_of: names of those that are spoken of anyway: of several cups, "the cup" is that one.

    Raises:
        SaySoError: NOT_UNDERSTOOD, see `spoken`; AMBIGUOUS for words that fit several objects.
    """
    words = spoken(text)
    return Words(tuple(_Mentions(words.words, objects, talk_of).found()), text)


@dataclass
class _Mentions:
    """Goes through the words once; `kinds` are the categories spoken of so far."""

    words: Sequence[Token]
    objects: Mapping[str, str]
    talk_of: Collection[str]

    def __post_init__(self) -> None:
        self.names = sorted(((_pieces(n), n) for n in self.objects), key=_longest)
        self.kinds: list[str] = []

    def found(self) -> Iterator[Token]:
        place = 0
        while place < len(self.words):
            names, end = self._at(place)
            first, last = self.words[place], self.words[max(place, end - 1)]
            joiner = "nor" if names and first.text == "neither" else "and"
            if joiner == "nor":
                yield first
            for i, name in enumerate(names):
                if i:
                    yield Token(joiner, first.start, first.start)
                yield Token(_MENTION + name, first.start, last.end)
                self.kinds.append(self.objects[name])
            if not names:
                self._note_kind(self.words[place].text)
                yield self.words[place]
            place = end if names else place + 1

    def _at(self, place: int) -> tuple[Sequence[str], int]:
        """The objects that the words from a place on name, and where these words end."""
        if several := self._several(place) or self._generic(place):
            return several
        start = self._skipped(place)
        for pieces, name in self.names:
            verb = start == place and pieces[0] in _VERBS and len(pieces) == 1
            if not verb and self._texts(start, len(pieces)) == pieces:
                return [name], start + len(pieces)
        determined = self._text(place) in _DETERMINERS
        if determined or self._by_placing(place) or self._as_subject(place):
            fitting = [n for n, c in self.objects.items() if c == self._text(start)]
            if fitting:
                return self._one(fitting, place, start + 1)
        return self._by_quality(place, start, determined)

    def _several(self, place: int) -> tuple[Sequence[str], int] | None:
        """ "both boxes", "all the blocks", "the boxes", "neither of the boxes", "neither box"."""
        every = self._text(place)
        if every == "neither":
            either = [n for n, c in self.objects.items() if c == self._text(place + 1)]
            if len(either) == 2:
                return either, place + 2
        neither = every == "neither" and self._text(place + 1) == "of"
        if every not in ("both", "all", "the") and not neither:
            return None
        start = place + 1
        while self._text(start) in ("of", "the", "these", "those"):
            start += 1
        fitting = [n for n, c in self.objects.items() if plural(c) == self._text(start)]
        if len(fitting) < 2 or (every not in ("all", "the") and len(fitting) != 2):
            return None
        return fitting, start + 1

    def _generic(self, place: int) -> tuple[Sequence[str], int] | None:
        """ "Pegs cannot be lifted", "a lid is not a cup": said of the one that is in question."""
        if place and self._text(place - 1) not in _CLAUSES:
            return None
        one = self._text(place) in ("a", "an")
        end = place + 1 + one
        said, follows = self._text(end - 1), self._text(end)
        if one and (follows not in ("is", "can") or self._text(end + 1) not in ("not", "no")):
            return None
        if not one and follows not in ("are", "can", "have", "do"):
            return None
        called = {n: self.objects[n] for n in self.talk_of if n in self.objects}
        fitting = [n for n, c in called.items() if said == (c if one else plural(c))]
        return (fitting, end) if len(fitting) == 1 else None

    def _by_quality(self, place: int, start: int, determined: bool) -> tuple[Sequence[str], int]:
        """ "the green one", "the red and the blue block", "green on blue"."""
        quality, after = self._text(start), self._text(start + 1)
        kinds: Collection[str] = self.kinds or {self.objects[n] for n in self.talk_of}
        end = start + 1
        if determined and after in ("one", *_BEFORE_NAMES):
            end = start + 2
        elif determined and after in _JOINING:
            kinds = self._coming_kind(start + 2)
        elif determined or not self._by_placing(place):
            return [], place
        of_quality = [n for n in self.objects if quality in _pieces(n)[:-1]]
        fitting = [n for n in of_quality if self.objects[n] in kinds]
        if not fitting and after in ("one", *_BEFORE_NAMES) and len(of_quality) == 1:
            fitting = of_quality
        return self._one(fitting, place, end) if fitting else ([], place)

    def _coming_kind(self, start: int) -> Collection[str]:
        """The category of the object that is named next."""
        for place in range(start, min(start + 3, len(self.words))):
            for pieces, name in self.names:
                if self._texts(place, len(pieces)) == pieces:
                    return (self.objects[name],)
        return ()

    def _note_kind(self, word: str) -> None:
        self.kinds += [c for c in dict.fromkeys(self.objects.values()) if word in (c, plural(c))]

    def _by_placing(self, place: int) -> bool:
        """Whether an "on" or "in" stands beside: there even bare nouns name things."""
        before = self._text(place - 1) if place else ""
        if before in _NO_OTHER:
            return False
        return self._text(place + 1) in _PLACING or before in _PLACING

    def _as_subject(self, place: int) -> bool:
        """Whether a bare noun begins a clause: "socks are dirty"."""
        begins = not place or self._text(place - 1) in _CLAUSES
        follows = self._text(place + 1) in ("is", "are", "has", "have")
        return begins and follows and self._text(place) not in _VERBS

    def _one(self, fitting: Sequence[str], place: int, end: int) -> tuple[Sequence[str], int]:
        """The only one that fits, or the only one that is spoken of anyway."""
        spoken_of = [n for n in fitting if n in self.talk_of]
        for only in (fitting, spoken_of):
            if len(only) == 1:
                return only, end
        texts = self._texts(place, end - place)
        if texts[0] not in _DETERMINERS:
            return [], place
        raise SaySoError(
            Code.AMBIGUOUS,
            f"several things are a {' '.join(texts[1:])}.",
            choices=(n.replace("_", " ") for n in fitting),
            hint="name one of them.",
            span=Span(self.words[place].start, self.words[end - 1].end),
        )

    def _skipped(self, place: int) -> int:
        """The place after a determiner and "object"."""
        for group in (_DETERMINERS, _BEFORE_NAMES):
            if self._text(place) in group:
                place += 1
        return place

    def _text(self, place: int) -> str:
        return self.words[place].text if place < len(self.words) else ""

    def _texts(self, place: int, count: int) -> list[str]:
        return [w.text for w in self.words[place : place + count]]


def _pieces(name: str) -> list[str]:
    """An object's name as the words of a text are spelt."""
    return [piece for word in name.lower().split("_") for piece in spelt(word)]


def unknown_object(words: Words, objects: Mapping[str, str]) -> SaySoError | None:
    """UNKNOWN_OBJECT for "the ..." that names nothing there is, if that is what is wrong."""
    for i, word in enumerate(words.words[:-1]):
        named = words.words[i + 1]
        if word.text == "the" and named.text.isalpha() and named.text not in _OWN_WORDS:
            last = words.words[min(i + 2, len(words.words) - 1)]
            phrase = " ".join(w.text for w in (named, last)) if last.text.isalpha() else named.text
            names = {n.replace("_", " "): n for n in objects}
            partly = [n for n in names if named.text in n.split()]
            near = get_close_matches(phrase, names, 1, 0.8) or get_close_matches(
                named.text, names, 1, 0.8
            )
            near = near or (partly if len(partly) == 1 else [])
            return SaySoError(
                Code.UNKNOWN_OBJECT,
                f"there is no '{named.text}' here.",
                choices=names,
                hint=f"is it the {near[0]}?" if near else "name something that the robot sees.",
                span=words.part(i, i + 2).span,
            )
    return None


def plural(noun: str) -> str:
    """The usual plural: "boxes", "loaves" apart."""
    if noun.endswith(("s", "x", "sh", "ch", "to")):
        return noun + "es"
    return f"{noun[:-1]}ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else f"{noun}s"


def _longest(named: tuple[list[str], str]) -> int:
    return -len(named[0])
