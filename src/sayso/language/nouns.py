"""Nouns: the words that may name a thing, which no grammar can list.

A noun is one to four words that are none of the grammar's own and no number. Where some of them
are known nouns, it ends with the last of these; else it is the whole run. Then part of the name
may follow: "of tea", "with yellow stickers", "that have holes on them", "that is about to rot".
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from sayso.language.rule_parts import Value
from sayso.logic.english import ORDINALS
from sayso.logic.formula import COLORS, SO_MANY, Referent, Relation

SIZE_WORDS: Mapping[str, str] = {
    **dict.fromkeys(("small", "little", "tiny", "smaller", "smallest"), "small"),
    **dict.fromkeys(("big", "large", "bigger", "biggest", "larger", "largest", "huge"), "big"),
}
_SAID_OF = frozenset({"stay", "remain", "be", "go", "come", "wait", "stand", "lie", "keep", "sit"})
"""Behind a thing and "can", these say what it may do."""
MAX_WORDS = 4
MAX_TAIL_WORDS = 6
_TAIL_MAY_HOLD = frozenset({"of", "the", "a", "an", "most", "many", "some"})
_NAME_MAY_HOLD = frozenset({"of", "with", "about", "to"})
_ORDINAL = re.compile("|".join((*ORDINALS, r"\d+th")))
_TAIL_DROPS = frozenset({"the", "a", "an"})
_HAS = (("that", "has"), ("that", "have"), ("which", "has"), ("which", "have"))
_ABOUT = (("that", "is", "about"), ("which", "is", "about"), ("that", "are", "about"))
_LEVELS = (("at", "the", "bottom"), ("in", "the", "middle"), ("on", "top"), ("at", "the", "top"))
_ON_IT = (
    ("on", "it"), ("in", "it"), ("on", "them"), ("in", "them"), ("on", "its", "top"),
)  # fmt: skip
_SIDES = frozenset(["top", "front", "left", "right", "side", "back", "bottom", "middle", "end"])
"""Words that name no thing by themselves: "on top of", "to the left of"."""
_STATES = (("up", "side", "down"), ("upside", "down"))
ALWAYS_CLOSED = frozenset(
    [
        "and",
        "or",
        "nor",
        "but",
        "not",
        "no",
        "never",
        "if",
        "unless",
        "until",
        "while",
        "before",
        "after",
        "then",
        "without",
        "except",
        "only",
        "all",
        "every",
        "each",
        "both",
        "either",
        "neither",
        "none",
        "any",
        "some",
        "another",
        "other",
        "otherwise",
        "instead",
        "else",
        "first",
        "last",
        "twice",
        "once",
        "again",
        "always",
        "keep",
        "avoid",
        "is",
        "are",
        "was",
        "were",
        "be",
        "been",
        "the",
        "a",
        "an",
        "my",
        "our",
        "your",
        "his",
        "her",
        "its",
        "their",
        "it",
        "them",
        "they",
        "he",
        "she",
        "him",
        "i",
        "you",
        "we",
        "me",
        "us",
        "who",
        "which",
        "what",
        "that",
        "this",
        "these",
        "those",
        "to",
        "of",
        "with",
        "from",
        "for",
        "at",
        "as",
        "so",
        "than",
        "too",
        "also",
        "just",
        "now",
        "please",
        "quickly",
        "slowly",
        "carefully",
        "gently",
        "soon",
    ]
)


@dataclass(frozen=True)
class Noun:
    """A name in the singular, and whether it was said in the plural.

    Attributes:
        perhaps: of an unknown noun that looks like a plural, what its singular would be.
    """

    text: str
    plural: bool = False
    perhaps: str = ""


@dataclass(frozen=True)
class Nouns:
    """Finds nouns among words.

    Attributes:
        known: single words at which a noun may end.
        refused: such words that name nothing which the robot handles.
        singular: plural -> noun.
        closed: words that no noun is made of.
        modifiers: words that are known to stand before nouns: "metal", "front".
        phrases: the words of names that hold words of the grammar, such as "stop sign" or
            "all-purpose cleaner", in the singular or plural.
    """

    known: frozenset[str]
    refused: frozenset[str]
    singular: Mapping[str, str]
    closed: frozenset[str]
    modifiers: frozenset[str] = frozenset()
    phrases: Mapping[tuple[str, ...], Noun] = field(default_factory=dict)

    def any(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """The nouns that may stand at a place: (end, Noun)."""
        return self._found(words, at, known_only=False)

    def known_only(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """Those that are made of known words only, so that they are certainly names of things."""
        return self._found(words, at, known_only=True)

    def kind(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """A kind of thing with its colours: "fruits", "red apples"."""
        attributes = []
        while words[at] in COLORS:
            attributes.append(words[at])
            at += 1
        for end, noun in self._found(words, at, known_only=False):
            assert isinstance(noun, Noun)
            yield end, (tuple(sorted(attributes)), noun)

    def name(self, words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        """The names that may begin at a place, of any number of words: what follows decides."""
        listed = self._listed(words, at)
        if listed is not None:
            yield listed
            return
        head = at
        while self._goes_on(words[head], at, head):
            head += 1
            yield from self._named(words, at, head, head)
        end = head
        while head > at and end - at < MAX_WORDS + MAX_TAIL_WORDS and self._in_tail(words[end]):
            end += 1
            yield from self._named(words, at, head, end)

    def _listed(self, words: Sequence[str], at: int) -> tuple[int, Noun] | None:
        """The longest of the phrases that begins at a place: (end, noun)."""
        found = [p for p in self.phrases if tuple(words[at : at + len(p)]) == p]
        if not found:
            return None
        phrase = max(found, key=len)
        end, noun = at + len(phrase), self.phrases[phrase]
        if words[end].startswith("#"):  # stop_sign_2
            return end + 1, Noun(f"{noun.text} {words[end].removeprefix('#')}")
        return end, noun

    def _within_listed(self, words: Sequence[str], at: int) -> bool:
        """Whether a place is inside one of the phrases: "purpose cleaner" is no noun then."""
        return any(
            tuple(words[begin : begin + len(p)]) == p
            for p in self.phrases
            for begin in range(max(0, at - len(p) + 1), at)
        )

    def _goes_on(self, word: str, at: int, here: int) -> bool:
        if here == at:
            return self.open(word) and not _ORDINAL.fullmatch(word)
        return here - at < MAX_WORDS and (
            self.open(word) or word.startswith("#") or word.isdecimal()
        )

    def _in_tail(self, word: str) -> bool:
        return self.open(word) or word in _NAME_MAY_HOLD or word in COLORS

    def _named(
        self, words: Sequence[str], at: int, head: int, end: int
    ) -> Iterable[tuple[int, Value]]:
        if words[end - 1] in _NAME_MAY_HOLD | self.refused:
            return
        noun, tail = self._noun(words, at, head), " ".join(words[head:end])
        perhaps = f"{noun.perhaps} {tail}".strip() if noun.perhaps else ""
        yield end, Noun(f"{noun.text} {tail}".strip(), noun.plural, perhaps)

    def open(self, word: str) -> bool:
        """Whether a word may be part of a noun."""
        return (
            word != ""
            and (word[0].isalpha() or (word[0].isdigit() and not word.isdecimal()))
            and word not in self.closed
            and word not in ALWAYS_CLOSED
        )

    def is_known(self, word: str) -> bool:
        """Whether a noun may end with the word, in the singular or plural."""
        return word in self.known or word in self.singular

    def _all_known(self, words: Sequence[str]) -> bool:
        return all(w in self.known or w in self.modifiers for w in words)

    def _cut_off(self, word: str) -> bool:
        """Whether only its last letter lacks a known noun."""
        return len(word) > 2 and any(n[:-1] == word for n in self.known)

    def _found(
        self, words: Sequence[str], at: int, *, known_only: bool
    ) -> Iterable[tuple[int, Noun]]:
        listed = self._listed(words, at)
        if listed is not None or self._within_listed(words, at):
            yield from [listed] if listed else []
            return
        start = at
        for state in _STATES:
            if tuple(words[at : at + len(state)]) == state:
                at += len(state)
        end = at
        while self.open(words[end]) and end - at <= MAX_WORDS:
            end += 1
        while end > at and words[end].startswith("#"):  # red_block_2
            end += 1
        while end > at and words[end - 1] in _SIDES:  # "the toy left of ..."
            end -= 1
        run = list(words[at:end])
        known = [i for i, w in enumerate(run) if self.is_known(w) or w.startswith("#")]
        if not run or (known_only and not (known and self._all_known(run[: known[-1]]))):
            return
        said = len(known) > 1 and run[known[-1]] == "can" and words[at + known[-1] + 1] in _SAID_OF
        if said and known[-2] == known[-1] - 1:
            known.pop()  # "the mug | can stay there"
        if known:
            end = at + known[-1] + 1
        elif len(run) > MAX_WORDS or run[-1].endswith("ly") or self._cut_off(run[-1]):
            return
        last = words[end - 1]
        if last in self.refused or last in _SIDES:
            return
        noun = self._noun(words, start, end)
        tail_end, tail = self._tail(words, end)
        if tail:
            if words[end] == "with" and self.is_known(tail.split()[-1]):
                yield end, noun  # "swap the mug with the bowl"
            perhaps = f"{noun.perhaps} {tail}" if noun.perhaps else ""
            yield tail_end, Noun(f"{noun.text} {tail}", noun.plural, perhaps)
        else:
            yield end, noun

    def _noun(self, words: Sequence[str], start: int, end: int) -> Noun:
        said = [w.removeprefix("#") for w in words[start:end]]
        one = self.singular.get(said[-1])
        if one is not None and said[-1] not in self.known:
            return Noun(" ".join((*said[:-1], one)).replace("'", ""), True)
        name = " ".join(said).replace("'", "")
        unknown = said[-1] not in self.known
        looks_plural = unknown and said[-1].endswith("s") and not said[-1].endswith("ss")
        return Noun(name, False, name[:-1] if looks_plural else "")

    def _names(self, word: str) -> bool:
        return self.open(word) and word != "color"

    def _tail(self, words: Sequence[str], at: int) -> tuple[int, str]:
        """What belongs to the name after the noun."""
        for about in _ABOUT:
            if (
                tuple(words[at : at + 3]) == about
                and words[at + 3] == "to"
                and self.open(words[at + 4])
            ):
                return at + 5, f"about to {words[at + 4]}"
        begin = at
        if any(tuple(words[at : at + 2]) == has for has in _HAS):
            tail, at = ["with"], at + 2
        elif words[at] == "of" and words[at + 1] in COLORS and not self._names(words[at + 2]):
            return begin, ""  # "the plate of blue color"
        elif words[at] in ("of", "with") and words[at + 1] not in ("you", "it", "them"):
            tail, at = [words[at]], at + 1
        else:
            return begin, ""
        while self.open(words[at]) or words[at] in _TAIL_MAY_HOLD or words[at] in COLORS:
            tail.append(words[at])
            at += 1
        kept = [w for w in tail if w not in _TAIL_DROPS]
        if not 2 <= len(kept) <= MAX_TAIL_WORDS or kept[-1] in _TAIL_MAY_HOLD:
            return begin, ""
        level = any(tuple(words[at : at + len(where)]) == where for where in _LEVELS)
        if words[at] in ("one", "ones") or level:
            return begin, ""  # "three blocks with the red one at the bottom"
        for on_it in _ON_IT:
            if tuple(words[at : at + len(on_it)]) == on_it:
                if self.is_known(kept[-1]):
                    return begin, ""  # "the plate with the red block on it": what stands there
                at += len(on_it)
        return at, " ".join(kept)


def words_of(phrases: Iterable[str]) -> frozenset[str]:
    """All words of phrases."""
    return frozenset(w for phrase in phrases for w in phrase.split())


def nth_from(kind: str, nth: int, noun: str, attributes: tuple[str, ...]) -> Relation | None:
    """ "the third block from the left": to the right of exactly two; "the leftmost": left of all.

    None for what cannot be counted so.

    Args:
        kind: the comparator of the outermost one.
        nth: from 0; -1 for the last.
    """
    other = {"isleftof": "isrightof", "isrightof": "isleftof"}.get(kind)
    if nth in (0, -1):
        kind = kind if nth == 0 else other or ""
        return Relation(kind, (Referent(noun, attributes, (), "all"),)) if kind else None
    number = next((q for q, n in SO_MANY.items() if n == nth), None)
    if other is None or number is None:
        return None
    return Relation(other, (Referent(noun, attributes, (), number),))
