"""Noun phrases: words to referents, and what a pronoun stands for.

    phrase     = "it" | "them" | [determiner] {colour | size} noun {relation}
    relation   = ["that is"] comparator phrase | "between" phrase "and" phrase

A relation belongs to the nearest noun before it; "and" before a further relation goes back to
the first noun ("the block left of the mug and behind the plate" is about one block).
A pronoun stands for the only thing that the clause before it mentions, and is refused if there
are several.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import ClassVar

from sayso.language.lexicon import (
    COMPARATOR_PHRASES,
    DETERMINERS,
    ON_TOP,
    PRONOUNS,
    SIZE_WORDS,
    TIMES,
    Lexicon,
)
from sayso.language.tokens import Cursor
from sayso.logic.formula import COLORS, Quantifier, Referent, Relation

MAX_NOUN_WORDS = 3
MAX_NESTING = 6
_ALL = ("all", "all the", "all of the", "every", "each", "each of the")
_THAT_IS = ("that is", "which is", "that are", "which are")


@dataclass(frozen=True)
class Group:
    """Things mentioned together: "the red block and the mug". `joiner` is "and", "or" or ''."""

    referents: tuple[Referent, ...]
    joiner: str = ""

    @property
    def plural(self) -> bool:
        return len(self.referents) > 1 or self.referents[0].quantifier == "all"


Wanted = Callable[[Referent], bool]
Mentions = tuple[tuple[Group, ...], tuple[Group, ...], frozenset[Referent]]


class NounPhrases:
    """Reads noun phrases at a cursor and remembers what was mentioned."""

    determiners: ClassVar[tuple[str, ...]] = DETERMINERS
    comparators: ClassVar[Mapping[str, str]] = {
        **COMPARATOR_PHRASES,
        **dict.fromkeys(ON_TOP, "isabove"),
    }

    def __init__(self, cursor: Cursor, lexicon: Lexicon) -> None:
        self._cursor = cursor
        self._lexicon = lexicon
        self._before: tuple[Group, ...] = ()
        self._here: tuple[Group, ...] = ()
        self._indefinite: frozenset[Referent] = frozenset()
        self.on_describes = False
        """Whether "on ..." after a noun describes it; not where it may be a destination."""

    def remember(self, groups: Iterable[Group]) -> None:
        """Things that were mentioned earlier, outside the text."""
        self._before = tuple(groups)

    def begin_clause(self) -> None:
        """From here on, pronouns stand for what the clause just read mentions."""
        if self._here:
            self._before, self._here = self._here, ()

    def forget_indefinite(self) -> None:
        """No pronoun may stand for "a ..." mentioned so far: which one would be unclear."""
        self._here = tuple(g for g in self._here if all(r.quantifier != "a" for r in g.referents))

    def mark(self) -> Mentions:
        """What was mentioned, for `reset` after a trial."""
        return self._before, self._here, self._indefinite

    def reset(self, mentions: Mentions) -> None:
        self._before, self._here, self._indefinite = mentions

    def starts(self, ahead: int = 0) -> bool:
        """Whether a noun phrase certainly starts `ahead` words on."""
        word = self._cursor.word(ahead)
        return bool(
            self._cursor.at(*self.determiners, *PRONOUNS, ahead=ahead)
            or self._is_adjective(word)
            or word in self._lexicon.nouns
            or word in self._lexicon.singular
        )

    def one(self, wanted: Wanted | None = None) -> Referent:
        """One thing."""
        start = self._cursor.position
        group = self._coordinated(wanted)
        if len(group.referents) > 1:
            raise self._cursor.error("only one thing can be named here.", start=start)
        self._here += (group,)
        return group.referents[0]

    def description(self) -> tuple[tuple[str, ...], tuple[Relation, ...]]:
        """Colours, sizes and relations without a noun: "the red", "next to the fridge"."""
        self._cursor.take("the", "that", "that is", "it is")
        return self._adjectives(), self._relations(0)

    def many(self, wanted: Wanted | None = None) -> Group:
        """One thing or several joined by "and" or "or"."""
        marker = self._cursor.take("both", "either")
        start = self._cursor.position
        group = self._coordinated(wanted)
        referents, joiners = list(group.referents), {group.joiner}
        while joiner := self._joiner():
            group = self._coordinated(wanted)
            referents += group.referents
            joiners |= {joiner, group.joiner}
        kinds = joiners - {",", ""}
        expected = {"either": {"or"}, "both": {"and"}}.get(marker, kinds)
        if len(kinds) > 1 or kinds != expected or ("," in joiners and not kinds):
            raise self._cursor.error(
                "it is not clear how these things are joined.",
                hint="use only 'and' or only 'or' between them, before the last one at least.",
                start=start,
            )
        result = Group(tuple(dict.fromkeys(referents)), next(iter(kinds), ""))
        self._here += (result,)
        return result

    def _joiner(self) -> str:
        """Moves past a joiner that another noun phrase follows; '' if there is none."""
        for joiner in (", and", ", or", "and", "or", "nor", ","):
            words = joiner.split() if joiner != "," else [","]
            phrase = " ".join(words)
            if self._cursor.at(phrase) and self.starts(len(words)) and self._list_goes_on(words):
                self._cursor.take(phrase)
                return {"nor": "or"}.get(words[-1], words[-1])
        return ""

    def _list_goes_on(self, words: list[str]) -> bool:
        """A pronoun after a comma begins something else."""
        return words != [","] or not self._cursor.at(*PRONOUNS, ahead=1)

    def _coordinated(self, wanted: Wanted | None) -> Group:
        """A phrase whose adjectives may be joined: "the red and the blue block"."""
        if pronoun := self._cursor.at(*PRONOUNS):
            return self._antecedent(pronoun, wanted)
        start = self._cursor.position
        determiner = self._cursor.take(*self.determiners)
        variants, joiner = [self._adjectives()], ""
        while variants[-1] and self._another_adjective():
            joiner = self._cursor.take("and", "or")
            self._cursor.take("the")
            variants.append(self._adjectives())
        noun, plural = self._noun()
        quantifier = self._quantifier(determiner, plural and len(variants) == 1, start)
        relations = self._relations(0)
        referents = tuple(
            Referent(noun, attributes, relations, quantifier) for attributes in variants
        )
        self._note_indefinite(referents, start)
        return Group(referents, joiner)

    def _nested(self, depth: int) -> Referent:
        start = self._cursor.position
        if pronoun := self._cursor.at(*PRONOUNS):
            return self._antecedent(pronoun, None).referents[0]
        determiner = self._cursor.take(*self.determiners)
        attributes = self._adjectives()
        noun, plural = self._noun()
        quantifier = self._quantifier(determiner, plural, start)
        return Referent(noun, attributes, self._relations(depth), quantifier)

    def _another_adjective(self) -> bool:
        if not self._cursor.at("and", "or"):
            return False
        ahead = 2 if self._cursor.word(1) == "the" else 1
        return self._is_adjective(self._cursor.word(ahead))

    def _is_adjective(self, word: str) -> bool:
        return word in COLORS or word in SIZE_WORDS

    def _adjectives(self) -> tuple[str, ...]:
        found: set[str] = set()
        while self._is_adjective(word := self._cursor.word()):
            found.add(SIZE_WORDS.get(word, word))
            self._cursor.take(word)
        return tuple(sorted(found))

    def _quantifier(self, determiner: str, plural: bool, start: int) -> Quantifier:
        if determiner in _ALL or (plural and determiner == "the"):
            return "all"
        if determiner in ("", "the"):
            if plural:
                raise self._cursor.error(
                    "it is not clear how many are meant.",
                    hint="say 'all the ...' or 'any ...'.",
                    start=start,
                )
            return "the"
        return "a"

    def _noun(self) -> tuple[str, bool]:
        """The noun, and whether it stood in the plural."""
        cursor = self._cursor
        if cursor.at("one", "ones"):
            return self._noun_of_one()
        if cursor.word() in TIMES or cursor.word().isdigit():
            raise cursor.error(
                "a number of things cannot be asked for.", hint="say 'all the ...' or 'any ...'."
            )
        words: list[str] = []
        while self._noun_goes_on(words):
            words.append(cursor.word())
            cursor.position += 1
        if not words:
            raise cursor.unexpected((*COLORS, *self._lexicon.nouns), "where a thing is named")
        if words[-1] == "table":
            cursor.position -= 1
            raise cursor.error(
                "the table is not a thing that the robot handles.", hint="say 'on the table'."
            )
        last = self._lexicon.singular.get(words[-1])
        if last is None:
            return " ".join(words), False
        return " ".join((*words[:-1], last)), True

    def _noun_goes_on(self, words: list[str]) -> bool:
        cursor = self._cursor
        word = cursor.word()
        if not word or cursor.tokens[cursor.position].is_mark or word in self._lexicon.reserved:
            return False
        if word.isdigit():  # belongs to the noun only in an object's name, as in red_block_2
            start = cursor.tokens[cursor.position].start
            return bool(words) and cursor.text[start - 1] == "_"
        complete = bool(words) and self._known(words[-1])
        return not complete and len(words) < MAX_NOUN_WORDS

    def _known(self, word: str) -> bool:
        known = (*self._lexicon.nouns, "table")
        return word in known or word in self._lexicon.singular or word.isdigit()

    def _noun_of_one(self) -> tuple[str, bool]:
        """ "the green one" is of the kind that was mentioned with a colour or size before."""
        mentioned = [r for g in (*self._before, *self._here) for r in g.referents]
        landmarks = [o for r in mentioned for relation in r.relations for o in relation.others]
        nouns = {r.noun for r in (*mentioned, *landmarks) if r.attributes}
        nouns = nouns or {r.noun for r in mentioned}
        if len(nouns) != 1:
            raise self._cursor.error(
                "it is not clear what 'one' stands for.", hint="name the thing.", choices=nouns
            )
        return nouns.pop(), self._cursor.take("one", "ones") == "ones"

    def _relations(self, depth: int) -> tuple[Relation, ...]:
        relations: list[Relation] = []
        while phrase := self._comparator(go_on=bool(relations), nested=depth > 0):
            if depth == MAX_NESTING:
                raise self._cursor.error(
                    "this description goes on for too long.",
                    hint="describe the thing in fewer words.",
                )
            relations.append(self._relation(self.comparators[phrase], depth + 1))
        return tuple(relations)

    def _comparator(self, *, go_on: bool, nested: bool) -> str:
        """Moves past the words that introduce a relation; '' if there are none."""
        start = self._cursor.position
        if go_on and (nested or not self._cursor.take("and")):
            return ""
        self._cursor.take(*_THAT_IS)
        phrase = self._cursor.take(*self.comparators)
        if phrase and (phrase not in ON_TOP or self._on_may_describe()):
            return phrase
        self._cursor.position = start
        return ""

    def _on_may_describe(self) -> bool:
        """Whether the "on" just read may begin a description."""
        return self.on_describes

    def _relation(self, comparator: str, depth: int) -> Relation:
        first = self._nested(depth)
        if comparator != "isbetween":
            return Relation(comparator, (first,))
        self._cursor.need("and", after="'between ...'")
        return Relation(comparator, (first, self._nested(depth)))

    def _antecedent(self, pronoun: str, wanted: Wanted | None) -> Group:
        here = {r for g in self._here for r in g.referents}
        groups = [
            g
            for g in dict.fromkeys(self._before)
            if g.plural == (pronoun == "them") and not here.intersection(g.referents)
        ]
        if len(groups) > 1 and wanted is not None:
            groups = [g for g in groups if all(wanted(r) for r in g.referents)] or groups
        if len(groups) != 1:
            raise self._unclear(pronoun, groups)
        self._cursor.take(pronoun)
        return groups[0]

    def _unclear(self, pronoun: str, groups: list[Group]) -> Exception:
        choices = [str(r) for g in groups for r in g.referents]
        cause = "could stand for several things" if groups else "stands for nothing named before"
        return self._cursor.error(
            f"'{pronoun}' {cause}.", hint="name the thing instead.", choices=choices
        )

    def _note_indefinite(self, referents: tuple[Referent, ...], start: int) -> None:
        new = {r for r in referents if r.quantifier == "a"}
        if new & self._indefinite:
            raise self._cursor.error(
                "it is not clear whether this is the same one as before.",
                hint="say 'it' for the same one, or describe the things differently.",
                start=start,
            )
        self._indefinite |= new
