"""Things that are not called by their names alone: by number, place in a list, kind or purpose.

thing = number nouns | "the" ordinal ["item"] ["I mentioned" | "you visited"] | "the rest"
      | "another one" | "a replacement" | "one" | "something" ("I like" | "to clean" | ...)
      | thing "except" thing
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sayso.language.flat import words
from sayso.language.flat.things import FlatThings
from sayso.language.lexicon import TIMES, Lexicon
from sayso.language.phrases import Group, Wanted
from sayso.language.tokens import Cursor
from sayso.logic.formula import Quantifier, Referent, Relation

MAX_NUMBER = 5
_HELP = ("help", "help me", "help to")
_CLEANS = words.PURPOSES["clean"]


class IndirectThings(FlatThings):
    """Reads noun phrases that refer to what remarks and earlier clauses said.

    Attributes:
        listed: what "there is ..." named, for "the second item".
        list_used: whether a later phrase referred to that list.
        liked: the kind of which the person said to like it.
        story: what something happened to.
        visited: gives the places and things that the task has named so far.
        in_order: gives them only if they are visited in the order named.
        except_for: things that "any ..." does not mean.
    """

    def __init__(self, cursor: Cursor, lexicon: Lexicon) -> None:
        super().__init__(cursor, lexicon)
        self.listed: tuple[Referent, ...] = ()
        self.list_used = False
        self.liked: Referent | None = None
        self.story: Referent | None = None
        self.visited: Callable[[], Sequence[Referent]] = tuple
        self.in_order: Callable[[], Sequence[Referent]] = tuple
        self._any = False
        self.except_for: dict[Referent, tuple[Referent, ...]] = {}

    # -- for remarks ---------------------------------------------------------------------

    def may_start(self) -> bool:
        """Whether a noun phrase may start here."""
        return self.starts() or self._open(0)

    def kind(self) -> Referent:
        """A kind of thing, of which "one" is any; it is not yet mentioned."""
        self._cursor.take(*self.determiners)
        attributes = self._adjectives()
        return Referent(self._noun()[0], attributes, (), "a")

    def relations_here(self) -> tuple[Relation, ...]:
        """Where something is, as in "it is on the table"."""
        self._cursor.take(*words.POSTURES)
        return self._relations(0)

    def last_single(self, word: str) -> Referent | None:
        """The thing that "it", or "one" for one of a kind, would be; None if that is unclear."""
        groups = [g for g in dict.fromkeys((*self._before, *self._here)) if not g.plural]
        if word == "one":
            groups = [g for g in groups if g.referents[0].quantifier == "a"]
        return groups[0].referents[0] if len(groups) == 1 else None

    def replaced(self, group: Group, better: Group) -> None:
        """What was just mentioned is said more closely: "it" is that."""
        self._here = tuple(better if g == group else g for g in self._here)

    # -- phrases -------------------------------------------------------------------------

    def starts(self, ahead: int = 0) -> bool:
        word = self._cursor.word(ahead)
        return word in ("something", "another") or super().starts(ahead)

    def many(self, wanted: Wanted | None = None) -> Group:
        self._any = False
        return super().many(wanted)

    def _coordinated(self, wanted: Wanted | None) -> Group:
        group = self._indirect() or super()._coordinated(wanted)
        self._any = group.referents[-1].quantifier == "a"
        self._cursor.take(*words.HERE)
        if self._exception_follows(group):
            self._exclude(group)
        return group

    def _nested(self, depth: int) -> Referent:
        outer, self._any = self._any, False
        found = self._ordinal() or super()._nested(depth)
        self._any = outer
        return found

    def _quantifier(self, determiner: str, plural: bool, start: int) -> Quantifier:
        """ "an apple and water bottle": the second is any, too."""
        shared = "a" if self._any and not determiner and not plural else determiner
        return super()._quantifier(shared, plural, start)

    def _indirect(self) -> Group | None:
        if self._cursor.take("something", "anything"):
            return Group((self._something(),))
        if rest := self._remaining():
            return rest
        found = self._ordinal() or self._another()
        return Group((found,)) if found else self._several()

    def _several(self) -> Group | None:
        """ "two sodas" are "a soda 1" and "a soda 2": different ones of a kind."""
        cursor = self._cursor
        number = TIMES.get(word := cursor.word()) or (int(word) if word.isdecimal() else 0)
        if not 2 <= number <= MAX_NUMBER or word in ("once", "twice", "thrice"):
            return None
        start = cursor.position
        cursor.position += 1
        cursor.take("of the", "of my", "of our")
        attributes = self._adjectives()
        noun, plural = self._noun()
        if not plural:
            raise cursor.error("a number goes with several things of one kind.", start=start)
        relations = self._relations(0)
        numbers = range(1, number + 1)
        return Group(
            tuple(Referent(f"{noun} {n}", attributes, relations, "a") for n in numbers), "and"
        )

    def _ordinal(self) -> Referent | None:
        """ "the second item I mentioned", "the first place you visited"; None for another word."""
        cursor, start = self._cursor, self._cursor.position
        cursor.take("the")
        word = cursor.take(*words.ORDINALS)
        if not word:
            cursor.position = start
            return None
        cursor.take(*words.MEMBERS)
        if self._open(0):  # "the second door" counts doors, in an order that nobody gave
            cursor.position = start
            return None
        of_places = bool(cursor.take(*words.YOU_VISITED))
        cursor.take(*words.I_NAMED)
        return self._member(word, of_places, start)

    def _member(self, word: str, of_places: bool, start: int) -> Referent:
        named = self.in_order() if of_places else self.listed or self.visited()
        self.list_used |= not of_places
        index = words.ORDINALS[word]
        if not -len(named) <= index < len(named):
            raise self._cursor.error(
                f"there is no {word} one of what was named before.",
                hint="name the thing.", start=start,
            )  # fmt: skip
        return named[index]

    def _remaining(self) -> Group | None:
        if not self.listed or not self._cursor.take(*words.THE_REST):
            return None
        self.list_used = True
        been = set(self.visited())
        rest = tuple(r for r in self.listed if r not in been)
        if not rest:
            raise self._cursor.error("all of what was named before is visited already.")
        return Group(rest, "and" if len(rest) > 1 else "")

    def _another(self) -> Referent | None:
        """ "another one", "a replacement" or "one": any of the kind that was told of."""
        cursor, start = self._cursor, self._cursor.position
        word = cursor.take(*words.ANOTHER, "one")
        if not word or self._open(0) or self._is_adjective(cursor.word()) or cursor.at("of"):
            cursor.position = start
            return None
        kind = self.liked if word == "one" and self.liked else self.story
        if kind is None:
            cursor.position = start
            raise cursor.error(f"it is not clear what '{word}' is of.", hint="name the thing.")
        return replace(kind, relations=(), quantifier="a")

    def _something(self) -> Referent:
        cursor = self._cursor
        start = cursor.position - 1
        if self.liked and cursor.take(*words.I_LIKE):
            return self.liked
        if cursor.take("to", "which can", "that can"):
            cursor.take(*_HELP)
            if purpose := cursor.take(*words.PURPOSES):
                cursor.take("it", "that", "this", "them")
                cursor.take("up", "off")
                cursor.take("with")
                return Referent(words.PURPOSES[purpose], (), (), "a")
        raise cursor.error(
            "it is not clear what this may be.", hint="name the thing.",
            choices=[f"something to {p}" for p in words.PURPOSES], start=start,
        )  # fmt: skip

    def _exception_follows(self, group: Group) -> bool:
        """Moves past "except"; "but not until ..." is a rule."""
        cursor, start = self._cursor, self._cursor.position
        word = cursor.take(*words.EXCEPT)
        if word.endswith("but not") and (group.referents[0].quantifier == "the"
                                         or not self.starts()):  # fmt: skip
            cursor.position = start
            return False
        return word != ""

    def _exclude(self, group: Group) -> None:
        start = self._cursor.position
        if len(group.referents) != 1 or group.referents[0].quantifier == "the":
            raise self._cursor.error("an exception goes with 'any' or 'all'.", start=start)
        before, self._here = self._here, (*self._here, group)
        others = super()._coordinated(None).referents
        self._here = before
        self.except_for[replace(group.referents[0], quantifier="a")] = others

    # -- what was meant ------------------------------------------------------------------

    def excluded(self, thing: Referent) -> tuple[Referent, ...]:
        """What "any ... except ..." leaves out. Raises NOT_UNDERSTOOD for "all ... except"."""
        others = self.except_for.get(replace(thing, quantifier="a"), ())
        if others and thing.quantifier == "all":
            raise self._cursor.error(
                "all but one of several cannot be asked for.", hint="name each of them."
            )
        return others

    def place_to_clean(self, group: Group) -> Referent | None:
        """Where something was spilled, if the group is what cleans it."""
        if self.story is None or not self.story.relations:
            return None
        cleans = all(r.noun == _CLEANS for r in group.referents)
        return self.story.relations[0].others[0] if cleans else None
