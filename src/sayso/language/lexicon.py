"""What controlled English can speak about: the words of a library and of what is seen."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property

from sayso.core.library import Library
from sayso.core.predicates import Predicate
from sayso.core.vocabulary import ANY, Vocabulary
from sayso.language.asides import MATTERS, Asides
from sayso.language.chart import Attempt, Chart, TooMuchError
from sayso.language.grammar import Grammar
from sayso.language.mishaps import mishap
from sayso.language.nouns import ALWAYS_CLOSED, Noun, Nouns
from sayso.language.rule_parts import Slot
from sayso.language.wordings import States, Verb, Wordings, wordings
from sayso.logic.english import Phrase, clause, plural
from sayso.logic.formula import COLORS, Prop, Referent

HOLDING = "holding"
"""The predicate of what the hand holds, in every library that has one."""
_BODY = frozenset({"hand", "hands", "gripper", "grippers", "finger", "fingers"})
"""Parts of the robot: no things unless a library lists them."""
_HAND = ("the hand", "your hand", "the gripper", "your gripper")
_PLACES = ("on {1}", "in {1}", "at {1}")
"""Where "there" may be after "if the mug is not on the plate"."""
MAX_NAMED = 6
"""How many nouns of a type a refusal names."""
_MOST_REMEMBERED = 512
"""How many attempts at reading some words are remembered."""
_MAX_PARTS = 1_000
"""Of derivations that are looked at for a phrase."""
_CHARTS = 4
"""How many charts of the last ones are."""


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
        last = {n.replace("_", " ").split()[-1].lower() for n in nouns if n.strip("_ ")}
        return Lexicon(library.predicates, library.vocabulary, tuple(sorted(last)))

    @property
    def verbs(self) -> Mapping[str, Verb]:
        """What each verb asks for."""
        return self._wordings.verbs

    @property
    def grammar(self) -> Grammar:
        """English with this library's words."""
        return self._wordings.grammar

    def attempt(self, rule: str, words: Sequence[str], limit: int) -> Attempt:
        """What becomes of reading words by a rule of the grammar.

        The last attempts are remembered: one text is read whole, in parts, as it may be mended and
        once more when it is corrected.

        Raises:
            TooMuchError: there are more than `limit` derivations to look at.
        """
        known, key = self._attempts, (rule, *words)
        found = known.get(key)
        if self._too_much.get(key, 0) >= limit:
            raise TooMuchError
        if found is None:
            chart = Chart(self.grammar, words, self.slots, limit)
            try:
                found = Attempt.of(chart, rule)
            except TooMuchError:
                self._too_much.clear()
                self._too_much[key] = limit
                raise
            if len(known) >= _MOST_REMEMBERED:
                known.clear()
            known[key] = found
            self._charts.append((tuple(words), chart))
        return found

    def chart(self, words: Sequence[str], limit: int) -> Chart:
        """A chart of words: where they were attempted just now, with what was derived then.

        What it has missed of them is not to be told from it. It is its taker's alone.
        """
        for entry in tuple(self._charts):
            if entry[0] == tuple(words):
                with suppress(ValueError):  # another thread may have taken it
                    self._charts.remove(entry)
                    entry[1].left = limit
                    return entry[1]
        return Chart(self.grammar, words, self.slots, limit)

    def begins(self, rule: str, words: Sequence[str], at: int) -> bool:
        """Whether what a rule derives begins at a place of the words."""
        return bool(Chart(self.grammar, words[at:], self.slots, _MAX_PARTS).ends(rule, 0))

    @cached_property
    def _charts(self) -> deque[tuple[tuple[str, ...], Chart]]:
        return deque(maxlen=_CHARTS)

    @cached_property
    def _too_much(self) -> dict[tuple[str, ...], int]:
        """The last attempt that was too much, with its limit."""
        return {}

    @cached_property
    def _attempts(self) -> dict[tuple[str, ...], Attempt]:
        return {}

    def types_of(self, predicate: str, arity: int) -> tuple[str, ...]:
        """What each argument of a predicate should be."""
        known = self.predicates.get(predicate)
        return known.types if known and known.types else (ANY,) * arity

    def unknown(self, word: str) -> bool:
        """Whether a word is none of the grammar's, and no noun that is known."""
        return self._nouns.open(word) and not self._nouns.is_known(word)

    def names(self, word: str) -> bool:
        """Whether a noun that is known may end with the word."""
        return self._nouns.is_known(word)

    def asks_nothing(self, words: Sequence[str]) -> bool:
        """Whether a clause certainly neither asks for, limits nor names anything."""
        return self._asides.asks_nothing(words)

    def told_of(self, words: Sequence[str]) -> Iterable[Referent]:
        """The things that a clause tells of by name."""
        return self._asides.told_of(words)

    def told_on(self, words: Sequence[str]) -> int | None:
        """Where what somebody did may go on, or an order begin."""
        return self._asides.told_on(words)

    def says_something(self, word: str) -> bool:
        """Whether a word names a thing, or says how one looks or is."""
        return self.names(word) or word in COLORS or self.is_state(word)

    def is_state(self, word: str) -> bool:
        """Whether a word tells how a thing of the task is, such as "open"."""
        return word in self._wordings.state_words

    @cached_property
    def words(self) -> frozenset[str]:
        """Every single word that the grammar or the library knows."""
        return self._wordings.closed | self.grammar.words | self._naming

    @cached_property
    def content_words(self) -> frozenset[str]:
        """Those that name a thing, how it looks or what is done, and are no words of order."""
        return (self._wordings.content | self._naming) - MATTERS - ALWAYS_CLOSED

    @cached_property
    def _naming(self) -> frozenset[str]:
        """The single words that may be part of the name of a thing that is known."""
        nouns = self._nouns
        return frozenset((*nouns.known, *nouns.refused, *nouns.singular, *nouns.modifiers))

    @cached_property
    def slots(self) -> Mapping[str, Slot]:
        """What fills the grammar's places for nouns and asides."""
        nouns, asides = self._nouns, self._asides
        return {
            "noun": nouns.any,
            "known_noun": nouns.known_only,
            "kind": nouns.kind,
            "name": nouns.name,
            "report": asides.report,
            "own_aim": asides.own_aim,
            "premise": asides.premise,
            "statement": asides.statement,
            "reason": asides.reason,
            "heading": asides.heading,
            "aim": asides.aim,
            "mishap": mishap,
            "trail": asides.trail,
            "concession": asides.concession,
            "since": asides.since,
            "describing": asides.describing,
            "vague_order": asides.vague_order,
        }

    def state_of(self, place: str) -> str | None:
        """The predicate of things that are at a place, by the words for it: of "on {1}" and of
        "onto {1}" it is `on`."""
        lying = place.replace("onto ", "on ").replace("into ", "in ")
        said = (p for text, p, holds in self._states if holds and text == f"{{0}} is {lying}")
        return next(said, None)

    @cached_property
    def places(self) -> Mapping[str, str]:
        """The words for a place, by the predicate of things that are there."""
        said = {text: self.state_of(text) for text in _PLACES}
        return {predicate: text for text, predicate in said.items() if predicate is not None}

    @cached_property
    def _states(self) -> States:
        own: States = tuple(
            (text, p.name, holds)
            for p in self.predicates.values()
            for text, holds in ((p.english, True), (p.english_not, False))
            if text
        )
        more = (s for s in self.vocabulary.states if s[1] in self.predicates)
        if HOLDING in self.predicates:
            own += (
                ("{0} is in the hand", HOLDING, True),
                ("{0} is not in the hand", HOLDING, False),
            )
        return tuple(dict.fromkeys(s for said in (*own, *more) for s in _of_hand(said)))

    @cached_property
    def _wordings(self) -> Wordings:
        literals = tuple(
            (_clause_of(p, holds), p.name, holds)
            for p in self.predicates.values()
            for holds in (True, False)
        )
        return wordings(self.vocabulary, self._states, literals)

    @cached_property
    def _asides(self) -> Asides:
        verbs = frozenset(v.split()[0] for v in self.verbs)
        return Asides(self._nouns, verbs, self._wordings.state_words)

    @cached_property
    def _nouns(self) -> Nouns:
        kinds = self.vocabulary.kinds
        known = {*self.nouns, *(n for k in kinds for n in k.nouns)}
        refused = frozenset(n for k in kinds if not k.handled for n in k.nouns) | (_BODY - known)
        no_singular = {n for k in kinds if k.plural_only for n in k.nouns}
        nouns = {*known, "thing"} - no_singular  # "the red things", whatever the kinds are
        singular = {plural(n): n for n in sorted(nouns)}
        closed = self._wordings.closed - known
        modifiers = frozenset(self.vocabulary.modifiers)
        found = Nouns(frozenset(known) - refused, refused, singular, closed, modifiers)
        return replace(found, phrases=_phrases(known - refused, singular, found))


def _phrases(
    known: Collection[str], singular: Mapping[str, str], nouns: Nouns
) -> dict[tuple[str, ...], Noun]:
    """Those of the known names, by their words, that hold words of the grammar."""
    forms = {n: Noun(_apart(n)) for n in known}
    forms |= {p: Noun(_apart(n), plural=True) for p, n in singular.items() if n in known}
    split = {tuple(_apart(form).split()): noun for form, noun in forms.items()}
    return {
        words: noun
        for words, noun in split.items()
        if (len(words) > 1 or noun.plural) and not all(map(nouns.open, words))  # "two stands"
    }


def _of_hand(state: tuple[str, str, bool]) -> Iterable[tuple[str, str, bool]]:
    """A state of the hand in all the words for it: "your gripper is free"."""
    text, predicate, holds = state
    texts = [text.replace("the hand", hand) for hand in _HAND] if "the hand" in text else [text]
    for said in texts:
        yield said, predicate, holds
        if "{0}" not in said and said.endswith(" empty"):
            yield f"{said.removesuffix('empty')}free", predicate, holds


def _apart(name: str) -> str:
    return name.replace("-", " ")


def _clause_of(predicate: Predicate, holds: bool) -> str:
    """How a predicate is read back of "{0}" and "{1}"."""
    places = tuple(Phrase(f"{{{i}}}") for i in range(predicate.arity))
    return clause(Prop(predicate.name, places), {predicate.name: predicate}, positive=holds)
