"""What controlled English can speak about: a library's words, and the grammar made with them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from importlib import resources
from typing import Any

from sayso.core.library import Library
from sayso.core.predicates import Predicate
from sayso.core.vocabulary import SpokenAction, Vocabulary
from sayso.language import meaning
from sayso.language.chart import Grammar, Slot, Value
from sayso.language.inflection import gerund, participle, third
from sayso.language.nouns import SIZE_WORDS, Nouns, sets_of_words
from sayso.logic.english import plural
from sayso.logic.formula import COLORS

NUMBERS: Mapping[str, int] = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9,
    "ten": 10, "eleven": 11, "twelve": 12,
}  # fmt: skip
ORDINALS: Mapping[str, int] = {
    "first": 0, "second": 1, "third": 2, "fourth": 3, "fifth": 4, "sixth": 5, "last": -1,
}  # fmt: skip
COMPARATORS: Mapping[str, str] = {
    **dict.fromkeys(
        ("left of", "to the left of", "on the left of", "on the left side of",
         "to the left side of", "at the left side of", "from the left side of"), "isleftof"),
    **dict.fromkeys(
        ("right of", "to the right of", "on the right of", "on the right side of",
         "to the right side of", "at the right side of", "from the right side of"), "isrightof"),
    **dict.fromkeys(("next to", "beside", "near", "close to", "by", "adjacent to"), "isnextto"),
    **dict.fromkeys(("behind", "in back of"), "isbehind"),
    **dict.fromkeys(("in front of", "infront of"), "isinfrontof"),
    **dict.fromkeys(("above", "over", "on", "on top of", "upon"), "isabove"),
    **dict.fromkeys(("below", "under", "underneath", "beneath"), "isbelow"),
}  # fmt: skip
PLACING = "put"
"""The verb that is meant where a thing "should go" somewhere."""
INSIDE = ("in", "inside", "inside of", "within")
"""What describes a thing by what it is in; there is no such relation between referents."""

_NOT_CLOSED = frozenset(
    "can stand lift hand top front drink light place set bin store left right back side "
    "trash end object item thing items things turn start bump hit run check".split()
)
"""Words of the grammar or of verbs that may as well be part of a noun."""


@dataclass(frozen=True)
class Wordings:
    """The actions of a verb by what follows the thing it is done to: "" for nothing."""

    with_thing: Mapping[str, tuple[SpokenAction, ...]]
    alone: tuple[SpokenAction, ...] = ()


@dataclass(frozen=True)
class Lexicon:
    """A library's predicates and vocabulary, and further nouns.

    Attributes:
        predicates: by name; what they are in English can be said as soon as they are here.
        nouns: single words at which a noun phrase may end, such as categories of the scene.
    """

    predicates: Mapping[str, Predicate]
    vocabulary: Vocabulary = field(default_factory=Vocabulary)
    nouns: tuple[str, ...] = ()

    @staticmethod
    def of(library: Library, nouns: Iterable[str] = ()) -> Lexicon:
        """A library's lexicon, with further nouns (such as categories of the scene)."""
        more = {w.split()[-1].lower() for n in nouns for w in (n.replace("_", " "),) if w.split()}
        return Lexicon(library.predicates, library.vocabulary, tuple(sorted(more)))

    def __hash__(self) -> int:
        return id(self)

    # -- verbs ---------------------------------------------------------------------------

    @cached_property
    def verbs(self) -> Mapping[str, Wordings]:
        found: dict[str, tuple[dict[str, list[SpokenAction]], list[SpokenAction]]] = {}
        for action in self.vocabulary.actions:
            for wording in action.wordings:
                tails, alone = found.setdefault(wording.verb, ({}, []))
                if wording.things:
                    actions = tails.setdefault(wording.tail, [])
                    if action not in actions:
                        actions.append(action)
                else:
                    alone.append(action)
        return {
            verb: Wordings({t: tuple(a) for t, a in tails.items()}, tuple(alone))
            for verb, (tails, alone) in found.items()
        }

    @cached_property
    def kinds_of_noun(self) -> Mapping[str, frozenset[str]]:
        """Noun -> its types."""
        return {n: kind.types for kind in self.vocabulary.kinds for n in kind.nouns}

    def fits(self, noun: str, types: str) -> bool:
        """Whether a thing of this noun can be one of these types; unknown nouns can be any."""
        known = self.kinds_of_noun.get(noun.split()[-1]) if noun else None
        return not types or known is None or bool(set(types.split("|")) & known)

    # -- grammar -------------------------------------------------------------------------

    @cached_property
    def grammar(self) -> Grammar:
        """English with this library's words."""
        texts = (_english(), *self._generated())
        words: dict[str, tuple[Slot, frozenset[str] | None]] = {
            "verb": _phrases({v: v for v in self.verbs}),
            "doing": _phrases({gerund(v): v for v in self.verbs}),
            "done": _phrases({participle(v): v for v in self.verbs}),
            "does": _phrases({third(v): v for v in self.verbs}),
            "comparator": _phrases(COMPARATORS),
            "inside": _phrases(dict.fromkeys(INSIDE, "isin")),
            "adjective": _phrases({**{c: c for c in COLORS}, **SIZE_WORDS}),
            "ordinal": _phrases(ORDINALS),
            "purpose": _phrases({k: v for k, v in self.vocabulary.purposes.items()}),
            "number": (_number, None),
            "rest": (_rest, None),
            "noun": (_nothing, None),
            "known_noun": (_nothing, None),
            "kind": (_nothing, None),
        }
        grammar = Grammar(texts, words, {**meaning.MAKERS, "Do": self._do, "Placed": self._placed, "Done": self._done})
        nouns = self._nouns(grammar, words)
        words["noun"] = (nouns.any, None)
        words["known_noun"] = (nouns.known_only, None)
        words["kind"] = (nouns.kind, None)
        return grammar

    def _do(self, **parts: Any) -> meaning.Do | None:
        """A verb with its things, if the library has such a wording."""
        do = meaning.do(**parts)
        known = self.verbs[do.verb]
        if do.things is None:
            return do if known.alone else None
        if not do.tails and meaning.to_clean(do.things):
            return do
        tails = [t.text for t in do.tails] or [""]
        return do if all(t in known.with_thing for t in tails) else None

    def _placed(self, start: int, end: int, **parts: Any) -> meaning.Act | None:
        """ "the mug should go on the plate": as if it had been said with "put"."""
        if PLACING not in self.verbs:
            return None
        do = self._do(start=start, end=end, verb=PLACING, **parts)
        return None if do is None else meaning.Act(do, at=(start, end))

    def _done(self, start: int, end: int, **parts: Any) -> meaning.Act | None:
        """ "the mug should be put on the plate"."""
        do = self._do(start=start, end=end, **parts)
        return None if do is None else meaning.Act(do, at=(start, end))

    def _nouns(
        self, grammar: Grammar, words: Mapping[str, tuple[Slot, frozenset[str] | None]]
    ) -> Nouns:
        singular: dict[str, str] = {}
        always: set[str] = set()
        known: set[str] = set(self.nouns)
        refused: set[str] = set()
        for kind in self.vocabulary.kinds:
            known.update(kind.nouns)
            refused.update(() if kind.handled else kind.nouns)
            if kind.plural_only:
                always.update(kind.nouns)
            else:
                singular.update((plural(n), n) for n in kind.nouns)
        singular.update((plural(n), n) for n in self.nouns if n not in singular.values())
        said = sets_of_words(
            (*self.verbs, *map(gerund, self.verbs), *COMPARATORS, *NUMBERS, *COLORS, *SIZE_WORDS,
             *map(participle, self.verbs))
        )  # fmt: skip
        closed = (grammar.words | said) - _NOT_CLOSED - known
        return Nouns(frozenset(known - refused), frozenset(refused), singular,
                     frozenset(always), closed)  # fmt: skip

    @cached_property
    def states(self) -> tuple[tuple[str, str, bool], ...]:
        """(clause, predicate, whether it says that it holds)."""
        own = [
            (text, p.name, holds)
            for p in self.predicates.values()
            for text, holds in ((p.english, True), (p.english_not, False))
            if text
        ]
        more = (s for s in self.vocabulary.states if s[1] in self.predicates)
        return tuple(dict.fromkeys((*own, *more)))

    def _generated(self) -> Iterable[str]:
        tails = {t for w in self.verbs.values() for t in w.with_thing if t}
        yield "tail = " + " | ".join(
            f"{_pattern(t, {1: 'to:<one>'})} -> Tail text={t.replace(' ', '_')}" for t in sorted(tails)
        ) if tails else "tail = nothing_follows -> Tail text=none"
        particles = {w for t in tails for w in (t,) if "{" not in t}
        yield "particle = " + (
            " | ".join(f"{p} -> Word kind={p.replace(' ', '_')}" for p in sorted(particles)) or "nothing_follows"
        )
        being, fact = [], []
        for text, predicate, holds in self.states:
            words = re.findall(r"\{\d+\}|[\w']+", text.lower())
            constants = f"predicate={predicate} holds={'yes' if holds else 'no'}"
            if words[:2] == ["{0}", "is"] and words[2:3] != ["not"]:
                being.append(f"{_pattern(' '.join(words[2:]), {1: 'to:<one>'})} -> Being {constants}")
            elif words[:3] == ["{0}", "is", "not"] and len(words) > 3:
                being.append(f"not {_pattern(' '.join(words[3:]), {1: 'to:<one>'})} -> Being {constants}")
            else:
                slots = {0: "about:<things>", 1: "to:<one>", 2: "third:<one>"}
                spoken = _pattern(" ".join(words), slots)
                fact.append(f"{spoken} -> Clause {constants}")
                if words[:1] == ["you"]:
                    robot = re.sub(r"^you have", "the robot has", re.sub(r"^you are", "the robot is", spoken))
                    if not robot.startswith("you"):
                        fact.append(f"{robot} -> Clause {constants}")
        yield "being = " + (" | ".join(dict.fromkeys(being)) or "nothing_follows -> Being predicate=none holds=no")
        yield "fact = " + (" | ".join(dict.fromkeys(fact)) or "nothing_follows -> Clause predicate=none holds=no")


def _pattern(text: str, slots: Mapping[int, str]) -> str:
    """A wording as a part of a rule: "on {1}" with {1} as a rule."""
    words = []
    for word in text.split():
        if match := re.fullmatch(r"\{(\d+)\}", word):
            words.append(slots[int(match[1])])
        else:
            words.append({"is": "( is | are )", "cannot": "( cannot | can not )"}.get(word, word))
    return " ".join(words)


def _english() -> str:
    return (resources.files("sayso.language") / "english.grammar").read_text(encoding="utf-8")


def _phrases(meanings: Mapping[str, Value]) -> tuple[Slot, frozenset[str] | None]:
    """A slot for phrases, each with its meaning; all lengths that fit are found."""
    index: dict[str, list[tuple[tuple[str, ...], Value]]] = {}
    for phrase, value in meanings.items():
        words = tuple(phrase.split())
        index.setdefault(words[0], []).append((words, value))

    def slot(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
        for phrase, value in index.get(words[at], ()):
            if tuple(words[at : at + len(phrase)]) == phrase:
                yield at + len(phrase), value

    return slot, frozenset(index)


def _number(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    word = words[at]
    if word in NUMBERS:
        yield at + 1, NUMBERS[word]
    elif word == "one" or (word.isdecimal() and len(word) < 5):
        yield at + 1, 1 if word == "one" else int(word)


def _rest(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    """All that is left."""
    if len(words) - 1 > at:
        yield len(words) - 1, "rest"


def _nothing(words: Sequence[str], at: int) -> Iterable[tuple[int, Value]]:
    return ()
