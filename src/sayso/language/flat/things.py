"""Noun phrases in a flat: words to referents.

thing    = "it" | "them" | [determiner] {colour | size} noun [tail] {relation}
noun     = one to four words; if one of them is a known noun, the last one is
tail     = ("of" | "with") words          part of the noun: "bag of chips"
relation = ["that is"] comparator thing | "on" thing | "between" thing "and" thing
"""

from __future__ import annotations

from collections.abc import Iterable

from sayso.language.flat import words
from sayso.language.lexicon import TIMES, Lexicon
from sayso.language.phrases import NounPhrases
from sayso.language.tokens import Cursor
from sayso.logic.formula import COLORS, Quantifier, Referent, Relation

MAX_NOUN_WORDS = 4
MAX_TAIL_WORDS = 6
_TAIL_MAY_HOLD = frozenset({"of", "the", "a", "an", "most", "many", "some"})
_ALL_OF = ("all of the", "each of the")
_TAIL_DROPS = frozenset({"the", "a", "an"})
_HAS = ("that has", "that have", "which has", "which have")
_IS_ABOUT = ("that are about", "that is about", "which are about", "which is about")
_NAMING = frozenset({"the", "a", "an", "my", "our", "some", "any", "one"})


class FlatThings(NounPhrases):
    """Reads noun phrases at a cursor and remembers what was mentioned."""

    determiners = words.ARTICLES
    comparators = words.COMPARATORS

    def __init__(self, cursor: Cursor, lexicon: Lexicon) -> None:
        super().__init__(cursor, lexicon)
        self._more = frozenset(n.split()[-1] for n in lexicon.nouns)
        self.describes: tuple[str, ...] = words.MAY_BE_WHERE
        """Of the relations that may as well say where something is put, those that describe."""

    def starts(self, ahead: int = 0) -> bool:
        cursor = self._cursor
        if cursor.at(*self.determiners, "it", "them", ahead=ahead):
            return True
        while self._is_adjective(cursor.word(ahead)):
            ahead += 1
        end = ahead
        while self._open(end) and end - ahead < MAX_NOUN_WORDS:
            end += 1
        return end > ahead and (self._known(cursor.word(end - 1)) or self._tail_at(end))

    def _tail_at(self, ahead: int) -> bool:
        return self._cursor.word(ahead) == "of"

    def _known(self, word: str) -> bool:
        return word in words.NOUNS or word in words.singular() or word in self._more

    def _open(self, ahead: int) -> bool:
        """Whether a word may be part of a noun."""
        word = self._cursor.word(ahead)
        return word != "" and word[0].isalnum() and not self._is_number(word) and (
            word not in words.reserved()
        )  # fmt: skip

    def _is_number(self, word: str) -> bool:
        return word in TIMES or word.isdigit()

    def _joiner(self) -> str:
        joiner = super()._joiner()
        # "the sink the door and the bed": a further "the" goes on with a list.
        return "," if not joiner and self._cursor.at("the") else joiner

    def _quantifier(self, determiner: str, plural: bool, start: int) -> Quantifier:
        if determiner in _ALL_OF and not plural:
            raise self._cursor.error(
                "'all' and 'each' go with several things of one kind.",
                hint="name each of them.",
                start=start,
            )
        return super()._quantifier("the" if determiner in words.THE else determiner, plural, start)

    def _noun(self) -> tuple[str, bool]:
        cursor = self._cursor
        start = cursor.position
        if cursor.at("one", "ones"):
            return self._noun_of_one()
        if self._is_number(cursor.word()):
            raise cursor.error("a number of things cannot be asked for.", hint="name each of them.")
        found = self._head()
        last = found[-1]
        plural = words.singular().get(last) if last not in self._more else None
        named = self._known(last) or cursor.word(-len(found) - 1) in _NAMING
        if plural:
            found[-1] = plural
        tail = self._tail()
        if tail and not named:
            raise cursor.error("the name of this thing is not understood.", start=start)
        noun = " ".join((*found, *tail)).replace("'", "")
        if any(w.endswith("ly") for w in found[1:]):
            raise cursor.error("a manner of doing is not understood.", start=start)
        return noun, bool(plural)

    def _head(self) -> list[str]:
        cursor = self._cursor
        start = cursor.position
        found: list[str] = cursor.take(*words.STATES).split()
        while self._open(0):
            found.append(cursor.word())
            cursor.position += 1
        if not found:
            raise cursor.unexpected((*COLORS, *sorted(words.NOUNS)), "where a thing is named")
        if len(found) > MAX_NOUN_WORDS:
            raise cursor.error("this is too long for the name of a thing.", start=start)
        known = [i for i, w in enumerate(found) if self._known(w)]
        if not known and (whole := self._cut_off(found[-1])):
            raise cursor.error(
                f"'{found[-1]}' is not understood.", start=start, hint=f"did you mean '{whole}'?"
            )
        if known and known[-1] != len(found) - 1:
            cursor.position = start + known[-1] + 1
            raise cursor.unexpected((), f"after '{found[known[-1]]}'")
        return found

    def _cut_off(self, word: str) -> str:
        """The known noun of which a word lacks only the last letter, or ''."""
        return next((n for n in sorted(words.NOUNS) if len(word) > 2 and n[:-1] == word), "")

    def _tail(self) -> list[str]:
        cursor = self._cursor
        if cursor.take(*_IS_ABOUT):
            return ["about", *self._about()]
        start = cursor.position
        if cursor.take(*_HAS):  # "slippers that have holes on them"
            tail = ["with"]
        elif cursor.at("of", "with") and not cursor.at("with you"):
            tail = [cursor.word()]
            cursor.position += 1
        else:
            return []
        while self._open(0) or cursor.word() in _TAIL_MAY_HOLD or self._is_adjective(cursor.word()):
            tail.append(cursor.word())
            cursor.position += 1
        kept = [w for w in tail if w not in _TAIL_DROPS]
        if not 2 <= len(kept) <= MAX_TAIL_WORDS or kept[-1] in _TAIL_MAY_HOLD:
            raise cursor.error(f"what follows '{tail[0]}' is not understood.", start=start)
        cursor.take(*words.ON_IT)
        return kept

    def _about(self) -> list[str]:
        """ "the apple that is about to rot": part of its name."""
        self._cursor.need("to", after="'about'")
        if not self._open(0):
            raise self._cursor.unexpected((), "after 'about to'")
        self._cursor.position += 1
        return ["to", self._cursor.word(-1)]

    def _comparator(self, *, go_on: bool, nested: bool) -> str:
        start = self._cursor.position
        if self._cursor.at(*words.ENDLESS):  # "over and over" is no relation
            return ""
        if self._cursor.take(*words.THAT_STANDS):
            self._cursor.position = start + 2
            self._cursor.take(*words.POSTURES)
            if phrase := self._cursor.take(*self.comparators):
                return phrase
            self._cursor.position = start
        phrase = super()._comparator(go_on=go_on, nested=nested)
        if phrase in words.BESIDE and phrase not in self.describes:
            self._cursor.position = start
            return ""
        return phrase

    def _on_may_describe(self) -> bool:
        """Not where it begins "on two occasions" or "on the way"."""
        others = ("at least", "at most", "exactly", "the way", "your way")
        other = self._is_number(self._cursor.word()) or bool(self._cursor.at(*others))
        return "on" in self.describes and not other

    def whereabouts(self, phrase: str, start: int) -> Relation:
        """The relation after "from": with a comparator's words, or "the table" and its like."""
        if phrase:
            plain = phrase.removeprefix("the ")
            known = self.comparators.get(phrase) or self.comparators[f"on the {plain}"]
            return self._relation(known, 1)
        place = self._nested(1)
        if place.noun.split()[-1] not in words.TOPS:
            raise self._cursor.error(
                "'from' does not say whether it is on, in or next to that.", start=start,
                hint="say 'the ... on the ...' or 'out of the ...'.",
            )  # fmt: skip
        return Relation("isabove", (place,))

    def _relation(self, comparator: str, depth: int) -> Relation:
        start = self._cursor.position
        on = self._cursor.word(-1) == "on" or comparator == "isabove"
        relation = super()._relation(comparator, depth)
        if on and relation.others[0].noun.split()[-1] in words.NOT_TOPS:
            raise self._cursor.error("this is not something to lie on top of.", start=start)
        return relation


def same_thing(thing: Referent, mentioned: Iterable[Referent]) -> list[Referent]:
    """The referents that a shorter description may repeat: "the counter" the kitchen counter.

    Those of the same last word that have all the words of the description; itself, if it was
    mentioned in just these words.
    """
    known = list(dict.fromkeys(mentioned))
    if thing in known or thing.relations or thing.quantifier != "the":
        return [thing]
    said = _words(thing)
    return [
        r
        for r in known
        if r.quantifier != "all"
        and r.noun.split()[-1] == thing.noun.split()[-1]
        and said <= _words(r)
    ] or [thing]


def _words(thing: Referent) -> frozenset[str]:
    return frozenset((*thing.attributes, *thing.noun.split()))
