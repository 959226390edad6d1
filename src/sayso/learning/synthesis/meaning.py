"""How close a program is in meaning to what a person said."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from sayso.core.ports import Embedder
from sayso.core.predicates import Predicate
from sayso.learning.priors import Priors, Words
from sayso.learning.synthesis.measures import measure, named
from sayso.learning.synthesis.programs import (
    OTHER,
    All,
    Compare,
    Either,
    Exists,
    Flag,
    Holds,
    Kind,
    Not,
    Program,
)

_EMPTY = (
    "a an the is are was be been it its this that there to of you your had do does object thing "
    "another some already yet so too very as because and"
)
_EMPTY_WORDS = frozenset(_EMPTY.split())
"""Words that say nothing of a program's meaning."""
_SOMETHING = ("something {}", "another object {}", "something {} it", "anything {} it")
_NOTHING = ("nothing {}", "nothing {} it", "no other object {}", "free of things {}")
_TO_SOMETHING = ("{} something", "{} another object", "{} other things")
_TO_NOTHING = ("{} nothing", "not {} anything", "free")
_OTHER_SIDE = 0.5
"""What is said of the opposite says this much of a program that denies it."""
_SECOND = 0.6
"""A condition on one of two objects says only this much of their relation."""

NAMED = 0.4
"""Likeness from which words name something that is seen; by letters, others come to 0.36."""
_SAME = 0.95
"""Likeness from which words are taken to name a kind."""
_IS_A = re.compile(r"\bis an? (\w+)$")
_NEGATED = re.compile(r"\b(?:not?|nothing|none|cannot)\b|n't\b")
_AUXILIARY = re.compile(r"\bcan(?:not)?(?=[ _](?:be|not)[ _])")
"""In "it can be moved" no can is meant."""


def cleaned(text: str) -> str:
    """The words that carry meaning, in order."""
    words = re.sub(r"\{\d\}|[^\w\s]|_", " ", text.lower()).split()
    kept = [w for w in words if w not in _EMPTY_WORDS]
    return " ".join(kept) or " ".join(words)


class Meaning:
    """Likeness of programs to words, from 0 to 1.

    Args:
        embedder: makes the vectors.
        words: what was said of the predicate where it holds; without the objects' names.
        denied: what is said of it where it does not hold.
        predicates: that programs may use.
        priors: what people call what programs compare.
    """

    def __init__(
        self,
        embedder: CachedEmbedder,
        words: Sequence[str],
        parameters: Sequence[str],
        predicates: Mapping[str, Predicate],
        priors: Priors,
        denied: str = "",
    ) -> None:
        self.priors = priors
        self._embedder = embedder
        self._raw = tuple(words)
        self._said = tuple(dict.fromkeys(filter(None, map(cleaned, words))))
        self._denied = "" if _NEGATED.search(denied) else cleaned(denied)
        nominal = (cleaned(_AUXILIARY.sub(" ", w)) for w in words)
        self._nominal = tuple(dict.fromkeys(filter(None, nominal)))
        self._parameters = tuple(parameters)
        self._predicates = predicates
        self._cache: dict[Program, float] = {}

    def of(self, program: Program) -> float:
        """How close the program is to the words."""
        if program not in self._cache:
            self._cache[program] = self._judged(program)
        return self._cache[program]

    def set(self, program: Program, likeness: float) -> None:
        """Say it for a program whose meaning was given otherwise."""
        self._cache[program] = max(likeness, self.of(program))

    def phrase(self, phrases: Sequence[str]) -> float:
        """Likeness of the closest of the phrases."""
        return self._embedder.closest(self._said, tuple(map(cleaned, phrases)))

    def _judged(self, program: Program) -> float:
        if isinstance(program, All | Either):
            return max(self.of(p) for p in program.parts)
        if isinstance(program, Not):
            denied = program.part
            if isinstance(denied, Exists):
                plain = denied.least == 1 and not isinstance(denied.part, All)
                return (1.0 if plain else _SECOND) * self._of_some(denied.part, False)
            return max(self.phrase(self._denials(denied)), _OTHER_SIDE * self.of(denied))
        if isinstance(program, Exists):
            plain = program.least == 1 and not isinstance(program.part, All)
            return (1.0 if plain else _SECOND) * self._of_some(program.part, True)
        if isinstance(program, Kind):
            return self._of_kind(program)
        return self._share(program.args) * max(
            self.phrase(self._phrases(program)), self._of_the_opposite(program)
        )

    def _of_the_opposite(self, program: Compare | Flag | Holds) -> float:
        """Likeness of a limit's other side to what is said where the predicate does not hold."""
        if not isinstance(program, Compare) or not self._denied:
            return 0.0
        other = self._phrases(replace(program, below=not program.below))
        return self._embedder.closest((self._denied,), tuple(map(cleaned, other)))

    def _share(self, args: Sequence[str]) -> float:
        return 1.0 if len(args) == len(self._parameters) else _SECOND

    def _phrases(self, program: Compare | Flag | Holds) -> tuple[str, ...]:
        if isinstance(program, Holds):
            known = self._predicates[program.predicate]
            straight = program.args == tuple(sorted(program.args))
            return (known.name, known.english) if straight else ()
        if isinstance(program, Flag):
            condition = self.priors.condition(program.name)
            return (*condition.outright, *condition.phrases, *named(program.name))
        words = self.priors.words(program.measure, program.below)
        in_order = tuple(p for p in self._parameters if p in program.args)
        if program.args != in_order:
            return words.swapped
        kin = self.priors.words(measure(program.measure).kin, program.below)
        return (*words.phrases, *kin.phrases, *named(program.measure, program.below))

    def _denials(self, program: Program) -> tuple[str, ...]:
        if isinstance(program, Holds):
            return (self._predicates[program.predicate].english_not,)
        if isinstance(program, Compare):
            words = self.priors.words(program.measure, not program.below)
            return (*words.phrases, *named(program.measure, not program.below))
        if isinstance(program, Flag):
            names = named(program.name)
            others = (re.sub(r"^same", "another", p) for p in names if p[:4] == "same")
            return (*others, *(p for name in names for p in self.priors.opposites(name)))
        return ()

    def _of_some(self, part: Program, positive: bool) -> float:
        """Likeness of "something is so" (or nothing)."""
        if isinstance(part, All | Either):
            return max(self._of_some(p, positive) for p in part.parts)
        if isinstance(part, Not | Exists | Kind):
            return 0.0
        first = part.args[:1] == (OTHER,)
        phrases, extra = self._relation(part)
        frames: tuple[str, ...]
        if first:
            frames = _SOMETHING if positive else _NOTHING
        else:
            frames = _TO_SOMETHING if positive else _TO_NOTHING
        own = (p for words in extra for p in _special(words, first, positive))
        share = self._share([a for a in part.args if a != OTHER])
        return share * self.phrase((*own, *(f.format(p) for p in phrases for f in frames)))

    def _relation(self, part: Compare | Flag | Holds) -> tuple[tuple[str, ...], tuple[Words, ...]]:
        """Phrases for a relation, and the words of the measures that mean the same."""
        if isinstance(part, Compare):
            words = self.priors.words(part.measure, part.below)
            return words.phrases[:4], (words,)
        if isinstance(part, Flag):
            words = self.priors.condition(part.name)
            return words.phrases[:4], (words,)
        known = self._predicates[part.predicate]
        said = {cleaned(known.name), cleaned(known.english)}
        sides = (*self.priors.below.values(), *self.priors.above.values())
        kin = tuple(w for w in sides if said & set(map(cleaned, w.phrases)))
        return (cleaned(known.english or known.name),), kin

    def _of_kind(self, program: Kind) -> float:
        likeness = [
            self._embedder.closest(self._nominal, (cleaned(n.replace("_", " ")),))
            for n in program.names
        ]
        return float(np.mean(likeness)) * (1.0 if len(self._parameters) == 1 else _SECOND)

    def groups(self) -> tuple[tuple[str, tuple[str, ...], float], ...]:
        """Common kinds of household things that were mentioned: name, members, likeness."""
        found = (
            (name, members, self.phrase((name,))) for name, members in self.priors.kinds.items()
        )
        return tuple(g for g in found if g[2] > _SAME)

    def nouns(self, categories: Sequence[str]) -> tuple[str, ...]:
        """Single kinds that were named: "... is a plate", or a known category."""
        named = [m[1] for text in self._raw if (m := _IS_A.search(text))]
        return tuple(dict.fromkeys((*named, *(c for c in categories if self.phrase((c,)) > _SAME))))


def _special(words: Words, first: bool, positive: bool) -> tuple[str, ...]:
    if not first:
        return words.into if positive else ()
    return words.something if positive else words.nothing


class CachedEmbedder:
    """An embedder that embeds each text once."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._vectors: dict[str, np.ndarray[tuple[int], np.dtype[np.float32]]] = {}
        self._closest: dict[tuple[tuple[str, ...], tuple[str, ...]], float] = {}

    def closest(self, texts: tuple[str, ...], others: tuple[str, ...]) -> float:
        """The highest cosine between a text and another, 0 at least."""
        if not texts or not others:
            return 0.0
        key = (texts, others)
        if key not in self._closest:
            self._learn((*texts, *others))
            one = np.stack([self._vectors[t] for t in texts])
            two = np.stack([self._vectors[t] for t in others])
            self._closest[key] = max(0.0, float((one @ two.T).max()))
        return self._closest[key]

    def _learn(self, texts: Sequence[str]) -> None:
        new = list(dict.fromkeys(t for t in texts if t not in self._vectors))
        if new:
            self._vectors.update(zip(new, self._embedder.embed(new), strict=True))
