"""What descriptions stand for, in the light of what was spoken of so far."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Literal

from sayso.core.errors import Code, SaySoError
from sayso.core.vocabulary import ANY
from sayso.language import meaning
from sayso.language.entities import Entity, Group, UnfitReadingError, Use, nouns_of
from sayso.language.everything import ANYTHING
from sayso.language.meaning import (
    BUT_NOT,
    Named,
    NumberOf,
    Ordinal,
    Pronoun,
    Purpose,
    Thing,
    Things,
)
from sayso.language.nouns import nth_from
from sayso.language.pronouns import Pronouns
from sayso.language.shared_places import with_shared_places
from sayso.logic.formula import (
    ALL,
    COLORS,
    COMPARATORS,
    ONLY,
    SOME,
    Quantifier,
    Quantity,
    Referent,
    Relation,
    Term,
)

MAX_NUMBER = 20
MAX_NESTING = 6


class Discourse(Pronouns):
    """What was spoken of so far, and what descriptions and pronouns mean in that light."""

    def copy(self) -> Discourse:
        return replace(self, places=dict(self.places))

    def group(
        self, things: Things, use: Use, types: str = ANY, *, aside: bool = False,
        where: bool = False, beside: Iterable[Things] = (),
    ) -> Group:  # fmt: skip
        """What things together stand for; `types` is what they should be, for pronouns.

        `beside` are the clause's other things, which a pronoun in it does not mean: "keep it on
        the plate" is not about the plate.
        """
        if things.joiner == "list":
            raise self.refuse(
                things.at, "it is not clear how these things are joined.",
                hint="use only 'and' or only 'or' between them, before the last one at least.",
            )  # fmt: skip
        if things.some > 1 or (things.some and use == "forbidden"):
            raise self.refuse(
                things.at, "so many of these does not go with this.",
                hint="name those that are meant, or say it for each of them.",
            )  # fmt: skip
        fits = self.lexicon.vocabulary.fits
        things = with_shared_places(things, use, types, fits, self.refuse)
        found: list[Entity] = []
        self.where, self.as_place = where, aside
        self.beside = self._terms(beside, use) if any(map(_is_pronoun, things.members)) else ()
        none = things.marker == "neither"
        joiner, each = things.joiner, False
        for member in _of_kinds_beside(things.members):
            group = self.one(member, use, types)
            none, each = none | group.none, each | group.each
            if len(group.entities) > 1:
                if joiner and group.joiner and joiner != group.joiner:
                    raise self.refuse(
                        things.at, "it is not clear how these things are joined.",
                        hint="name each of them.",
                    )  # fmt: skip
                joiner = joiner or group.joiner
            found += [e for e in group.entities if e not in found]
        result = Group(tuple(found), joiner if len(found) > 1 else "", none, aside, where, each)
        return self.mention(result)

    def _terms(self, named: Iterable[Things], use: Use) -> tuple[Term, ...]:
        """What things by name stand for; nothing is mentioned by that."""
        discourse, found = self.copy(), list[Term]()
        for things in named:
            if not any(map(_is_pronoun, things.members)):
                with suppress(SaySoError):
                    found += [e.term for e in discourse.group(things, use).entities]
        return tuple(found)

    def single(
        self, things: Things, use: Use, types: str = ANY, *, aside: bool = False,
        where: bool = False,
    ) -> Entity:  # fmt: skip
        """One thing (or each of several of one kind)."""
        group = self.group(things, use, types, aside=aside, where=where)
        if len(group.entities) > 1:
            raise self.refuse(things.at, "only one thing can be named here.")
        return group.entities[0]

    def everything(self, things: Things, left_out: tuple[Term, ...]) -> Group:
        """All things but these, and but the exceptions that were said."""
        (thing,) = things.members
        assert isinstance(thing, Thing)
        referent = Referent(ANYTHING)
        apart = (*self._apart(thing, referent), *left_out)
        return self.mention(Group((self._new(referent, ALL, apart),)))

    def one(self, thing: Named, use: Use, types: str = ANY) -> Group:
        """What a single description or pronoun stands for."""
        match thing:
            case Pronoun():
                return self._of_pronoun(thing, use, types)
            case Ordinal():
                return Group((self._of_ordinal(thing, use),))
            case Purpose(noun):
                return Group((self._new(Referent(noun), SOME),))
        entity = self._described(thing, use)
        none = thing.determiner == "none"
        each = entity.quantity == ALL and not (thing.plural or none)
        return Group((entity,), none=none, each=each)

    # -- descriptions ----------------------------------------------------------------------

    def _described(self, thing: Thing, use: Use) -> Entity:
        if thing.such is not None:
            raise self.refuse(
                thing.at, "which of them are so is not known before the task begins.",
                hint="say 'all the ... that are ...' of what is to be done with them.",
            )  # fmt: skip
        thing = self._as_mentioned(thing)
        referent = self._description(thing, use)
        if isinstance(thing.determiner, NumberOf):
            return self._numbered(thing, referent, thing.determiner, use)
        apart = self._apart(thing, referent)
        found = self._quantified(thing, referent, apart, use)
        return found or self._definite(thing, referent, apart, use)

    def _description(self, thing: Thing, use: Use) -> Referent:
        """What is said of a thing, or of each of several."""
        noun = thing.noun or self._noun_of_one(thing)
        relations = tuple(self._relation(r, thing.at, 1, noun) for r in thing.relations)
        if thing.superlative is not None:
            relations += (self._outermost(thing, noun),)
        vague = noun == ANYTHING and thing.determiner in ("any", "some", "certain", "all")
        if vague and use == "goal" and not (thing.attributes or relations):
            raise self._unclear_something(thing.at)
        return Referent(noun, thing.attributes, relations)

    def _quantified(
        self, thing: Thing, referent: Referent, apart: tuple[Term, ...], use: Use
    ) -> Entity | None:
        """Things of a kind by the word before them; None where that is "the" or nothing."""
        match thing.determiner:
            case "all" | "each" | "both" | "none" | "those":
                self._refuse_single(thing)
                both = Quantity("all", there=2)
                return self._new(referent, both if thing.determiner == "both" else ALL, apart)
            case "another" | "any other" as other:
                others = (*apart, *self._named_before(referent, thing.at))
                each = use == "forbidden" or (other == "any other" and use != "goal")
                return self._new(referent, ALL if each else SOME, others)
            case "the other" | "the rest":
                others = (*apart, *self._named_before(referent, thing.at))
                single = thing.determiner == "the other" and not thing.plural
                return self._new(referent, ONLY if single else ALL, others)
            case "the same" | "that":
                return self._same(thing, referent)
            case "certain" if use == "forbidden":
                raise self.refuse(
                    thing.at, "it is not clear whether this is forbidden of each, or of some only.",
                    hint="say 'any of the ...', or which.",
                )  # fmt: skip
            case "a" | "any" | "some" | "certain":
                if use == "forbidden":
                    return self._new(referent, ALL, apart)
                self._note_indefinite(thing, referent, apart, use)
                return self._new(referent, SOME, apart)
        return None

    def _definite(
        self, thing: Thing, referent: Referent, apart: tuple[Term, ...], use: Use
    ) -> Entity:
        """ "the block", "the blocks" and "blocks"."""
        if use == "goal" and self._is_in_hand(thing, referent):
            assert self.held is not None
            return Entity(self.held)
        if thing.plural:
            if thing.determiner == "the" or use == "forbidden":
                return self._new(referent, ALL, apart)
            raise self.refuse(
                thing.at, "it is not clear how many are meant.",
                hint="say 'all the ...' or 'any ...'.",
            )  # fmt: skip
        if apart:
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, "an exception goes with 'any' or 'all'.",
                span=self.refuse(thing.at, "").span,
            )  # fmt: skip
        return Entity(referent)

    def _is_in_hand(self, thing: Thing, referent: Referent) -> bool:
        """ "pick up the white mug, then bring the mug to the bed"."""
        plain = thing.determiner == "the" and not thing.plural and not thing.apart
        return plain and self.held is not None and referent == Referent(self.held.noun)

    def _outermost(self, thing: Thing, noun: str) -> Relation:
        """ "the leftmost block": left of all the blocks, but itself."""
        assert thing.superlative is not None
        if thing.plural:
            raise self.refuse(
                thing.at, "it is not clear how many of them are meant.",
                hint="say 'the leftmost ...', or 'the ... left of' another thing.",
            )  # fmt: skip
        kind = thing.superlative.kind
        moves = self.lexicon.vocabulary.visit is not None
        if kind not in COMPARATORS or (moves and kind in ("isinfrontof", "isbehind")):
            raise self.refuse(
                thing.at, "which one that is changes while the robot moves, or cannot be seen.",
                hint="say 'nearest to' another thing, 'next to', 'left of' or another place.",
                code=Code.UNSUPPORTED,
            )  # fmt: skip
        if thing.superlative.vague and self._near_something():
            raise self.refuse(
                thing.at, "it is not clear what it is nearest to, or farthest from.",
                hint="say 'nearest to ...', or 'nearest to you'.",
            )  # fmt: skip
        nth = nth_from(kind, thing.superlative.nth, noun, thing.attributes)
        if nth is None:
            raise self.refuse(
                thing.at, "only the first five from either side can be counted.",
                hint="count from the other side.",
            )  # fmt: skip
        return nth

    def _near_something(self) -> bool:
        """Whether something was the nearest to, or the farthest from, another thing before."""
        kinds = {r.comparator for _, entity in self._all_named() for r in entity.referent.relations}
        return not kinds.isdisjoint(("isnearest", "isfarthest"))

    def _as_mentioned(self, thing: Thing) -> Thing:
        """An unknown noun that adds an "s" to one that was mentioned is its plural."""
        if not thing.noun.endswith("s") or self.lexicon.vocabulary.types_of(thing.noun):
            return thing
        if thing.noun[:-1] in {entity.referent.noun for _, entity in self._all_named()}:
            return replace(thing, noun=thing.noun[:-1], plural=True)
        return thing

    def _numbered(self, thing: Thing, referent: Referent, number: NumberOf, use: Use) -> Entity:
        if not 1 <= number.number <= MAX_NUMBER:
            raise self.refuse(thing.at, f"a number of things must be from 1 to {MAX_NUMBER}.")
        if not thing.plural and number.number > 1 and thing.noun:
            raise self.refuse(thing.at, "a number goes with several things of one kind.")
        apart = self._apart(thing, referent)
        if number.different:
            apart = (
                *apart,
                *self._named_before(referent, thing.at, needed=number.definite or number.other),
            )
        if number.definite:
            whole = ONLY if number.number == 1 else Quantity("all", there=number.number)
            return self._new(referent, whole, apart)
        n = number.number
        match number.limit:
            case "exactly":
                quantity = Quantity("exactly", n)
            case "at most" if use == "goal":
                raise self.refuse(
                    thing.at,
                    "a limit is nothing to be done.",
                    hint="say 'never ... more than ...'.",
                )
            case "at most":
                quantity = Quantity("at most", n)
            case "more than":
                quantity = Quantity("at least", n + 1)
            case _:
                quantity = Quantity("at least", n)
        if use == "forbidden" and number.limit not in ("more than", "at least"):
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, "this number does not go with what is forbidden.",
                span=self.refuse(thing.at, "").span,
            )  # fmt: skip
        return self._new(referent, quantity, apart)

    def _refuse_single(self, thing: Thing) -> None:
        if thing.determiner in ("all", "both", "those") and not thing.plural:
            raise self.refuse(
                thing.at, f"'{thing.determiner}' goes with several things of one kind.",
                hint="name each of them.",
            )  # fmt: skip

    def _same(self, thing: Thing, referent: Referent) -> Entity:
        mentioned = {
            e.term: e
            for _, e in self._all_named()
            if f" {e.referent.noun}".endswith(f" {referent.noun}")  # "that lamp": the desk lamp
            and set(referent.attributes) <= set(e.referent.attributes)
        }
        spared = any(e.apart and e.quantity == ALL for e in mentioned.values())
        if len(mentioned) == 1 and not spared:
            return next(iter(mentioned.values()))
        raise self.refuse(
            thing.at, "it is not clear which one this is.", hint="describe the thing.",
            choices=[e.words for e in mentioned.values()],
        )  # fmt: skip

    def _note_indefinite(
        self, thing: Thing, referent: Referent, apart: tuple[Term, ...], use: Use
    ) -> None:
        if use != "goal":
            return
        key = (referent, apart)
        if key in self.indefinite:
            raise self.refuse(
                thing.at, "it is not clear whether this is the same one as before.",
                hint="say 'it' for the same one, or 'another ...'.",
            )  # fmt: skip
        self.indefinite |= {key}

    # -- kinds of "one", and exceptions ------------------------------------------------------

    def _noun_of_one(self, thing: Thing) -> str:
        """ "the green one" is of the kind that was mentioned with a colour or size before.

        Of several the one that stood in the same place of its clause: what is handled, or where.
        """
        if self.named_unknown:
            raise self.refuse(thing.at, "it is not clear what 'one' stands for.", hint="name it.")
        told = thing.determiner == "another" and self.story is not None and not thing.attributes
        nouns: set[str] = set()
        for named in () if told else ((*self._recent(), *self.here), *reversed(self.older)):
            alike = tuple(g for g in named if g.where == self.where)
            groups = named if len(nouns_of(named)) == 1 else alike or named
            mentioned = [e.referent for g in groups for e in g.entities]
            landmarks = [o for r in mentioned for relation in r.relations for o in relation.others]
            nouns = {r.noun for r in (*mentioned, *landmarks) if r.attributes}
            every = [e.referent for g in named for e in g.entities]
            nouns = nouns or {r.noun for r in every if set(r.attributes) >= set(thing.attributes)}
            if not thing.attributes:
                nouns = set()
            nouns = nouns or {r.noun for r in mentioned if self._may_be(thing, r.noun)}
            if len(nouns) == 1:
                return nouns.pop()
            if nouns:
                break
        single = thing.determiner in ("the", "") and not thing.plural
        if not nouns and single and _is_color(thing.attributes):
            return "thing"  # "the blue one", said of nothing: the only blue thing there is
        unclear = self.refuse(thing.at, "")
        raise UnfitReadingError(
            Code.NOT_UNDERSTOOD, "it is not clear what 'one' stands for.", hint="name the thing.",
            choices=sorted(nouns), span=unclear.span,
        )  # fmt: skip

    def _may_be(self, thing: Thing, noun: str) -> bool:
        """Whether a colour may tell which of this kind is meant: no red drawer is put on a tray."""
        moves = self.lexicon.vocabulary.visit is not None
        if moves or not _is_color(thing.attributes) or "holding" not in self.lexicon.predicates:
            return True
        types = self.lexicon.vocabulary.types_of(noun)
        return types is None or not types.isdisjoint(self.lexicon.types_of("holding", 1))

    def _apart(self, thing: Thing, referent: Referent) -> tuple[Term, ...]:
        """What "except X and Y" leaves out."""
        if thing.apart is None:
            return ()
        if thing.apart.joiner == "list" or thing.apart.some:
            raise self.refuse(thing.apart.at, "it is not clear how these things are joined.")
        terms: list[Term] = []
        for member in thing.apart.members:
            if isinstance(member, Pronoun):
                terms += [e.referent for e in self._of_pronoun(member, "forbidden", "").entities]
                continue
            if not isinstance(member, Thing):
                raise self.refuse(thing.at, "this exception is not understood.")
            noun = member.noun
            bare = not (member.determiner or member.plural or member.attributes)
            if bare and self.lexicon.vocabulary.types_of(noun) is not None:
                raise UnfitReadingError(
                    Code.NOT_UNDERSTOOD, "it is not clear which one is left out.",
                    hint="say 'except the ...'.", span=self.refuse(member.at, "").span,
                )  # fmt: skip
            if _leaves_open(member.determiner, thing.determiner):
                raise UnfitReadingError(
                    Code.NOT_UNDERSTOOD, "it is not clear which ones are left out.",
                    hint="name them, or say how many are meant.",
                    span=self.refuse(member.at, "").span,
                )  # fmt: skip
            if not noun:
                noun = referent.noun if referent.noun != ANYTHING else self._noun_left_out(member)
            if thing.apart.marker == BUT_NOT and noun not in (referent.noun, thing.noun):
                raise UnfitReadingError(
                    Code.NOT_UNDERSTOOD, "this is no exception from what was named before.",
                    span=self.refuse(member.at, "").span,
                )  # fmt: skip
            entity = self._described(replace(member, noun=noun, apart=None), "forbidden")
            quantifier: Literal["the", "all"] = "the" if entity.variable is None else "all"
            terms.append(replace(entity.referent, quantifier=quantifier))
            if terms[-1] == replace(referent, quantifier="all"):
                raise UnfitReadingError(
                    Code.NOT_UNDERSTOOD, "every one of them is left out: nothing remains.",
                    hint="say which ones by what can be seen; whose they are cannot.",
                    span=self.refuse(member.at, "").span,
                )  # fmt: skip
        return tuple(terms)

    def _noun_left_out(self, member: Thing) -> str:
        """ "anything but the red ones": of what was named with a colour, or of all there is."""
        with suppress(UnfitReadingError):
            return self._noun_of_one(member)
        return ANYTHING

    # -- where things are ------------------------------------------------------------------

    def relation(self, relation: meaning.Relation, at: meaning.At) -> Relation:
        return self._relation(relation, at, 1)

    def _relation(
        self, relation: meaning.Relation, at: meaning.At, depth: int, noun: str = ""
    ) -> Relation:
        """`noun`: what is described, which "the red one" may stand for."""
        if depth > MAX_NESTING:
            raise self.refuse(
                at, "this description goes on for too long.",
                hint="describe the thing in fewer words.",
            )  # fmt: skip
        others = tuple(
            self._landmark(replace(o, noun=noun), at, depth)
            if isinstance(o, Thing) and not o.noun and noun != ANYTHING
            else self._landmark(o, at, depth)
            for o in relation.others
        )
        kind = relation.kind
        if kind in ("isnearest", "isfarthest") and others[0].quantifier != "the":
            raise self.refuse(
                at, "only one thing can be the nearest to another.", hint="name one thing."
            )
        if kind == "from":
            types = self.lexicon.vocabulary.types_of(others[0].noun) or frozenset()
            carried = "container" in types and bool(types & {"movable", "openable"})
            if not (carried or types & {"surface", "lidded", "room"}):
                raise self.refuse(
                    at, "'from' does not say whether it is on, in or next to that.",
                    hint="say 'off the ...', 'out of the ...' or 'the ... on the ...'.",
                )  # fmt: skip
            kind = "isabove" if "surface" in types else "isin"
        types = self.lexicon.vocabulary.types_of(others[0].noun) or frozenset()
        if kind == "isabove" and types & {"room", "fixture"}:
            raise self.refuse(at, "this is not something to lie on top of.")
        return Relation(kind, others)

    def _landmark(self, other: Named, at: meaning.At, depth: int) -> Referent:
        if isinstance(other, Thing):
            noun = other.noun or self._noun_of_one(other)
            relations = tuple(self._relation(r, other.at, depth + 1) for r in other.relations)
            if other.determiner == "each":
                raise self.refuse(
                    other.at, "it is not clear whether one thing or one for each of them is meant.",
                    hint="say 'all the ...', or name each of them.",
                )  # fmt: skip
            if other.determiner in ("all", "both") or (other.plural and other.determiner == "the"):
                quantifier: Quantifier = "all"
            elif other.determiner == "none":
                quantifier = "no"
            elif other.determiner in ("a", "any", "some", "certain"):
                quantifier = "a"
            elif other.determiner in ("", "the"):
                quantifier = "the"
            else:
                raise self.refuse(other.at, "it is not clear which thing this is next to.")
            return Referent(noun, other.attributes, relations, quantifier)
        entity = self.one(other, "goal").entities[0]
        if entity.variable is not None:
            raise self.refuse(at, "a place next to any of several things is not clear.")
        return entity.referent


def _of_kinds_beside(members: Iterable[Named]) -> Iterator[Named]:
    """ "the red block and the blue one": that is a block, whatever was named before them; not in
    "the red and the blue block, the blue one", which names one twice."""
    kind, named = "", set[tuple[str, ...]]()
    for member in members:
        if not isinstance(member, Thing):
            yield member
            continue
        plain = member.attributes and member.determiner == "the"
        alike = not member.noun and kind and plain and member.attributes not in named
        thing = replace(member, noun=kind) if alike else member
        kind = thing.noun if thing.attributes else ""
        named.add(thing.attributes)
        yield thing


def _leaves_open(determiner: str | NumberOf, of: str | NumberOf) -> bool:
    """Whether it is not said which ones are left out: "all the blocks but one block", other than
    "no block but a red one"."""
    single = determiner == "a" and of not in ("any", "none", "any other")
    return single or determiner in ("some", "certain", "none") or isinstance(determiner, NumberOf)


def _is_pronoun(thing: Named) -> bool:
    return isinstance(thing, Pronoun)


def _is_color(attributes: tuple[str, ...]) -> bool:
    return bool(attributes) and set(attributes) <= set(COLORS)
