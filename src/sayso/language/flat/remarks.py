"""What an instruction tells of the world, without asking for anything.

    remark = "I am" ["sitting" | ...] ("at" | "by" | "on" | ...) thing        where the person is
           | ("there is" | "I have") ["a couple of things here ,"] things ["in this room"]
           | "I" [adverb] ("spilled" | "dropped" | "left" | ...) thing [place] [tail]
           | "I like" things | thing "is my favourite" noun | "my favourite" noun "is" thing
           | thing ("is" | "are") relation {"and" relation}                   where a thing is
           | ("you can find" | "you will find") ("it" | "one") relation

Nothing of this is a step. It gives later words something to refer to: "it", "one", "a
replacement", "the second item", "the table"; and where a thing is, which describes it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field, replace

from sayso.core.errors import SaySoError
from sayso.language.flat import words
from sayso.language.flat.indirect import IndirectThings
from sayso.language.tokens import Cursor
from sayso.logic.formula import Formula, Prop, Referent, Relation, Term, map_propositions

_MARKS = (",", ".", "!", ";", ":")
_FAVORITE = ("my favorite", "my favourite")
_FAR = 8
"""Within how many words "is" follows its subject."""


@dataclass
class Remarks:
    """Reads remarks at a cursor and keeps what they told.

    Attributes:
        speaker: where the person is.
        told: things that were spoken of, landmarks too, in the order named.
    """

    cursor: Cursor
    things: IndirectThings
    speaker: Referent | None = None
    told: list[Referent] = field(default_factory=list)
    _places: dict[Referent, tuple[Relation, ...]] = field(default_factory=dict)

    def read(self) -> bool:
        """Moves past a remark; False if none comes next.

        Raises:
            SaySoError: NOT_UNDERSTOOD for one that begins as a remark and goes on otherwise.
        """
        found = self._where_i_am() or self._listing() or self._liking() or self._story()
        return found or self._place_of_it() or self._place()

    def located(self, formula: Formula) -> Formula:
        """The formula with each thing described by the place that was told of it."""
        if not self._places:
            return formula

        def described(term: Term) -> Term:
            if not isinstance(term, Referent) or term.relations:
                return term
            return replace(term, relations=self._places.get(replace(term, quantifier="the"), ()))

        return map_propositions(formula, lambda p: Prop(p.predicate, tuple(map(described, p.args))))

    # -- kinds of remarks ----------------------------------------------------------------

    def _where_i_am(self) -> bool:
        cursor = self.cursor
        if cursor.take(*words.MOODS):
            return True
        if not cursor.take(*words.I_AM):
            return False
        if self.speaker is not None:
            raise cursor.error("where you are was said before.")
        cursor.need(*words.NEXT_TO_ME, after="'I am'")
        self.speaker = self.things.one()
        return True

    def _listing(self) -> bool:
        """ "there is a sofa and a bed": what "all the places" and "the second one" are of."""
        cursor = self.cursor
        if not cursor.take("there is", "there are", "there", "i have"):
            return False
        if cursor.take(*words.SOME_THINGS):
            cursor.take(*words.HERE)
            cursor.take(",", ":")
        group = self.things.many()
        cursor.take(*words.HERE)
        self.things.listed = tuple(replace(r, quantifier="the") for r in group.referents)
        self._tell(group.referents)
        return True

    def _liking(self) -> bool:
        """ "I like fruits", "cola is my favourite drink": what "one" is of."""
        cursor = self.cursor
        if cursor.take("i like", "i love"):
            self.things.liked = self.things.kind()
            return True
        if cursor.take(*_FAVORITE):
            cursor.position += 1
            cursor.need("is", "are", after="'my favourite ...'")
            self.things.liked = self.things.kind()
            return True
        return self._is_favorite()

    def _is_favorite(self) -> bool:
        cursor, start = self.cursor, self.cursor.position
        verb = self._verb_ahead()
        if not verb or not cursor.at(*_FAVORITE, ahead=verb + 1) or not self.things.may_start():
            return False
        kind = self.things.kind()
        if cursor.position != start + verb:
            cursor.position = start
            return False
        cursor.position += 4  # "is my favourite drink"
        self.things.liked = kind
        return True

    def _story(self) -> bool:
        """ "I spilled my coke on the desk earlier"."""
        cursor, start = self.cursor, self.cursor.position
        if not cursor.take("i", "i have", "i think i", "someone", "somebody", "we"):
            return False
        cursor.take(*words.ADVERBS)
        if not cursor.take(*words.HAPPENED):
            cursor.position = start
            return False
        self.things.begin_clause()
        cursor.take("that")
        thing = self.things.one()
        self.things.story = thing
        self._tell((thing,))
        cursor.take(*words.ADVERBS)
        if cursor.take("after"):  # "after eating it"
            cursor.position += 1
            cursor.need("it", "them", after="'after ...'")
        if not (cursor.ended or cursor.at(*_MARKS, "so", "and")):
            raise cursor.unexpected((",", "."), "after what happened")
        return True

    def _place(self) -> bool:
        """ "my cat is on the brown table"."""
        cursor, start, before = self.cursor, self.cursor.position, self.things.mark()
        try:
            told = self._subject()
            found = told is not None and self._place_follows(told)
        except SaySoError:  # the words are judged again, as what else they may be
            found = False
        if not found:
            cursor.position = start
            self.things.reset(before)
        return found

    def _place_of_it(self) -> bool:
        cursor, start = self.cursor, self.cursor.position
        if not cursor.take(*words.YOU_FIND):
            return False
        told = self._antecedent()
        if told is None or not self._relations_of(told):
            cursor.position = start
            raise cursor.error("it is not clear what is there.", hint="name the thing.")
        return True

    # -- parts ---------------------------------------------------------------------------

    def _subject(self) -> Referent | None:
        """The thing before "is"; None if no such clause comes next."""
        verb = self._verb_ahead()
        if not verb:
            return None
        if self.cursor.at("it", "they"):
            return self._antecedent()
        if not self.things.may_start():
            return None
        limit = self.cursor.position + verb
        self.things.begin_clause()
        thing = self.things.one()
        return thing if self.cursor.position == limit else None

    def _antecedent(self) -> Referent | None:
        self.cursor.position += 1
        return self.things.last_single(self.cursor.word(-1))

    def _verb_ahead(self) -> int:
        """How many words stand before "is" or "are" in this clause; 0 if it has none."""
        for ahead in range(1, _FAR):
            word = self.cursor.word(ahead)
            if word in ("is", "are"):
                return ahead
            if not word or word in _MARKS or word in ("that", "which"):
                return 0
        return 0

    def _place_follows(self, thing: Referent) -> bool:
        self.cursor.take("is", "are")
        return self._relations_of(thing)

    def _relations_of(self, thing: Referent) -> bool:
        relations = self.things.relations_here()
        if not relations:
            return False
        plain = replace(thing, quantifier="the")
        if not thing.relations:
            self._places[plain] = relations
        self._tell((replace(plain, relations=relations),))
        return True

    def _tell(self, things: Iterable[Referent]) -> None:
        for thing in things:
            self.told.append(thing)
            self._tell(o for r in thing.relations for o in r.others)
