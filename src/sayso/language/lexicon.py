"""The words of controlled English, and clauses from the library's own predicates."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from sayso.core.library import Library
from sayso.core.predicates import Predicate
from sayso.logic.english import plural

NOUNS = (
    "block", "cube", "brick", "box", "plate", "dish", "saucer", "mug", "cup", "bowl", "basin",
    "drawer", "cabinet", "cupboard", "coaster", "mat", "shelf", "tray",
)  # fmt: skip
"""Nouns at which a noun phrase ends; other nouns are understood too, at most three words long."""

OPENING_NOUNS = frozenset({"drawer", "cabinet", "cupboard", "box", "door", "lid"})

VerbKind: TypeAlias = Literal["place", "hold", "touch", "open", "close"]

VERBS: Mapping[str, tuple[VerbKind, str]] = {
    "put": ("place", "putting"),
    "place": ("place", "placing"),
    "set": ("place", "setting"),
    "stack": ("place", "stacking"),
    "move": ("place", "moving"),
    "bring": ("place", "bringing"),
    "lay": ("place", "laying"),
    "pick": ("hold", "picking"),
    "pick up": ("hold", "picking up"),
    "grasp": ("hold", "grasping"),
    "grab": ("hold", "grabbing"),
    "take": ("hold", "taking"),
    "lift": ("hold", "lifting"),
    "lift up": ("hold", "lifting up"),
    "hold": ("hold", "holding"),
    "touch": ("touch", "touching"),
    "open": ("open", "opening"),
    "close": ("close", "closing"),
    "shut": ("close", "shutting"),
}
"""Imperative -> what it asks for, and its -ing form."""

GERUNDS: Mapping[str, str] = {gerund: verb for verb, (_, gerund) in VERBS.items()}
STATE_OF_VERB: Mapping[VerbKind, str] = {
    "hold": "holding",
    "touch": "touching",
    "open": "open",
    "close": "closed",
}
ON = ("on", "onto", "on top of", "upon")
IN = ("in", "into", "inside", "inside of")
COMPARATOR_PHRASES: Mapping[str, str] = {
    "left of": "isleftof",
    "to the left of": "isleftof",
    "on the left of": "isleftof",
    "right of": "isrightof",
    "to the right of": "isrightof",
    "on the right of": "isrightof",
    "next to": "isnextto",
    "beside": "isnextto",
    "near": "isnextto",
    "close to": "isnextto",
    "behind": "isbehind",
    "in front of": "isinfrontof",
    "above": "isabove",
    "over": "isabove",
    "below": "isbelow",
    "under": "isbelow",
    "underneath": "isbelow",
    "beneath": "isbelow",
    "between": "isbetween",
}
ON_TOP = ("on", "on top of")
"""As part of a description, the same as "above"."""

SIZE_WORDS: Mapping[str, str] = {
    "small": "small",
    "little": "small",
    "tiny": "small",
    "smaller": "small",
    "smallest": "small",
    "big": "big",
    "large": "big",
    "bigger": "big",
    "biggest": "big",
    "larger": "big",
    "largest": "big",
}
THEN = (
    "then", "after that", "afterwards", "afterward", "next", "finally", "lastly", "subsequently",
)  # fmt: skip
NEVER = (
    "never", "never ever", "do not", "do not ever", "you must not", "you should not",
)  # fmt: skip
ENSURE = ("make sure", "make sure that", "ensure", "ensure that")
POLITE = (
    "please", "ok", "okay", "now", "can you", "could you", "would you", "will you",
    "i want you to", "i would like you to", "you should", "you must", "you have to", "robot",
)  # fmt: skip
TIMES: Mapping[str, int] = {
    "once": 1, "twice": 2, "thrice": 3, "one": 1, "two": 2, "three": 3, "four": 4, "five": 5,
    "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10,
}  # fmt: skip
MAX_TIMES = 10
PRONOUNS = ("it", "them")
DETERMINERS = (
    "the", "a", "an", "any", "any of the", "any one of the", "some", "one",
    "one of the", "all", "all the", "all of the", "every", "each", "each of the",
)  # fmt: skip

_OTHER_WORDS = (
    "and or nor but either neither both first firstly before after until unless if whenever when "
    "while without avoid always keep not must should you is are was has have been exactly at "
    "least most more than times time order from off out up down to with for of which who there "
    "else otherwise again quickly slowly carefully gently immediately together no none only just "
    "does do done let go going get i we he she his her its their my your by as so too also ever "
    "this that these those other another same different back"
)
_Piece: TypeAlias = "str | int"


@dataclass(frozen=True)
class Template:
    """A clause of a predicate: literal words, and argument numbers for noun phrases."""

    predicate: str
    positive: bool
    pieces: tuple[_Piece, ...]

    @property
    def literals(self) -> int:
        return sum(isinstance(p, str) for p in self.pieces)

    @property
    def text(self) -> str:
        return " ".join(p if isinstance(p, str) else "..." for p in self.pieces)


@dataclass(frozen=True)
class Lexicon:
    """What controlled English can speak about: a library's predicates and some nouns.

    Attributes:
        predicates: by name; their `english` clauses can be used in conditions, in "make sure
            that ...", "until ..." and "keep ...", so learned predicates can be spoken about too.
        nouns: at which a noun phrase ends.
    """

    predicates: Mapping[str, Predicate]
    nouns: tuple[str, ...] = NOUNS

    @staticmethod
    def of(library: Library, nouns: Iterable[str] = ()) -> Lexicon:
        """A library's lexicon, with further nouns (such as categories of the scene)."""
        return Lexicon(library.predicates, tuple(dict.fromkeys((*NOUNS, *nouns))))

    @cached_property
    def templates(self) -> tuple[Template, ...]:
        """Clauses, most literal words first, so that "on the table" goes before "on ..."."""
        found = [
            Template(p.name, positive, _pieces(english))
            for p in self.predicates.values()
            for english, positive in ((p.english, True), (p.english_not, False))
            if english
        ]
        return tuple(sorted(found, key=lambda t: -t.literals))

    @cached_property
    def singular(self) -> Mapping[str, str]:
        """Plural of each noun -> the noun."""
        return {plural(n): n for n in self.nouns}

    @cached_property
    def reserved(self) -> frozenset[str]:
        """Words that no noun is made of."""
        phrases = (
            *VERBS, *GERUNDS, *ON, *IN, *COMPARATOR_PHRASES, *THEN, *NEVER, *TIMES, *PRONOUNS,
            *DETERMINERS, "please", *SIZE_WORDS, _OTHER_WORDS,
        )  # fmt: skip
        words = {w for phrase in phrases for w in phrase.split()} - {"top", "front"}
        after_slot = {
            p
            for t in self.templates
            for before, p in zip(t.pieces, t.pieces[1:], strict=False)
            if isinstance(before, int) and isinstance(p, str)
        }
        return frozenset(words | after_slot)


def _pieces(english: str) -> tuple[_Piece, ...]:
    words = re.findall(r"\{\d+\}|[\w']+", english.lower())
    return tuple(int(w[1:-1]) if w.startswith("{") else w for w in words)
