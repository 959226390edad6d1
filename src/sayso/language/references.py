"""What words refer to: descriptions to terms of a formula, pronouns to what was mentioned.

A thing that is "the ..." stands in a formula as its description. "A ...", "all ..." and numbers
become variables; where their quantifiers stand is decided by `sayso.logic.scope` and by the clause
that they are part of.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING, Literal, TypeAlias

from sayso.core.errors import Code, SaySoError
from sayso.core.vocabulary import ANY
from sayso.language import meaning
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
from sayso.logic.english import describe
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
    Variable,
)
from sayso.logic.scope import Unbound

if TYPE_CHECKING:  # the lexicon's grammar is made with what is here
    from sayso.language.lexicon import Lexicon

MAX_NUMBER = 20
MAX_NESTING = 6
Use: TypeAlias = Literal["goal", "forbidden", "condition"]
Refuse: TypeAlias = Callable[..., SaySoError]


class UnfitReadingError(SaySoError):
    """What was left out does not go with the verb before: the words are to be read otherwise."""


class UnclearRoleError(UnfitReadingError):
    """The words are clear, but not what they do to those before them; they may be read otherwise,
    but only as a whole."""


@dataclass(frozen=True)
class Entity:
    """What one description stands for.

    Attributes:
        referent: the description, without quantifier.
        quantity: how many such things; None for "the" one.
        variable: their name in formulas, if there is a quantity.
        apart: things that are left out.
    """

    referent: Referent
    quantity: Quantity | None = None
    variable: Variable | None = None
    apart: tuple[Term, ...] = ()

    @property
    def term(self) -> Term:
        return self.referent if self.variable is None else self.variable

    @property
    def unbound(self) -> Unbound | None:
        """What of it has to be bound in a formula; None for "the" one."""
        if self.variable is None or self.quantity is None:
            return None
        return Unbound(self.variable, self.quantity, self.referent, self.apart)

    @property
    def plural(self) -> bool:
        return self.quantity is not None and self.quantity.kind not in ("some", "only")

    @property
    def words(self) -> str:
        article = {None: "the", "some": "a", "only": "the other", "all": "all"}.get(
            self.quantity.kind if self.quantity else None, str(self.quantity)
        )
        return f"{article} {describe(self.referent).removeprefix('the ')}"


@dataclass(frozen=True)
class Group:
    """Things mentioned together.

    Attributes:
        joiner: "and", "or" or ''.
        none: whether "none of them" was said.
        aside: whether they only say where another thing is: "it" is rather that one.
        where: whether they stand where another thing is taken to or from.
        each: whether each of several is spoken of as one: "a block" that must not be touched.
    """

    entities: tuple[Entity, ...]
    joiner: str = ""
    none: bool = False
    aside: bool = False
    where: bool = False
    each: bool = False

    @property
    def plural(self) -> bool:
        return len(self.entities) > 1 or self.entities[0].plural


@dataclass
class Discourse:
    """What was spoken of so far, and what descriptions and pronouns mean in that light.

    Attributes:
        speaker: where the person is.
        listed: what "there is ..." named, for "the second item".
        liked: the kind that the person likes.
        story: what something happened to.
        told: things that were spoken of without asking for anything.
        places: where things are, as remarks told.
        where: whether what is read now is where another thing is taken.
        beside: what else the clause that is read names, which a pronoun in it does not mean.
        untrue: whether what was named last was named as what is not so: "unless it is on the tray".
        held: what is in the hand by the steps so far: "the mug" is that one.
        named_unknown: whether a remark came last that may name things: "it" may be one of them.
        visited: the places and things of the steps so far, in the order named.
        handled: of these what the steps are about, not where it is taken.
        in_order: those of them whose order is as named.
        some_chosen: whether some of several things were asked for: which are left is not known.
        own: variables of which each thing of another variable has its own: no word after that
            may stand for them.
    """

    lexicon: Lexicon
    refuse: Refuse
    count: int = 0
    item_before: tuple[Group, ...] = ()
    older: tuple[tuple[Group, ...], ...] = ()
    item: tuple[Group, ...] = ()
    here: tuple[Group, ...] = ()
    clause_before: tuple[Group, ...] = ()
    speaker: Entity | None = None
    listed: tuple[Entity, ...] = ()
    list_used: bool = False
    liked: Entity | None = None
    story: Entity | None = None
    told: tuple[Referent, ...] = ()
    places: dict[Referent, tuple[Relation, ...]] = field(default_factory=dict)
    visited: tuple[Entity, ...] = ()
    handled: tuple[Entity, ...] = ()
    in_order: bool = True
    indefinite: frozenset[tuple[Referent, tuple[Term, ...]]] = frozenset()
    made: tuple[Entity, ...] = ()
    own: tuple[tuple[Variable, Variable], ...] = ()
    where: bool = False
    as_place: bool = False
    untrue: bool = False
    beside: tuple[Term, ...] = ()
    named_unknown: bool = False
    held: Referent | None = None
    some_chosen: bool = False

    def copy(self) -> Discourse:
        return replace(self, places=dict(self.places))

    # -- clauses -------------------------------------------------------------------------

    def begin_item(self) -> None:
        """What comes is a clause of its own: pronouns stand for what the one before named."""
        if self.item:
            self.older = (*self.older, self.item_before)
            self.item_before = self.item
        self.item, self.here, self.clause_before = (), (), ()

    def begin_clause(self) -> None:
        """What comes belongs to the clause before it: pronouns may stand for its things."""
        if self.here:
            self.clause_before, self.here = self.here, ()

    def mentioned(self) -> tuple[tuple[Group, ...], ...]:
        """What pronouns may stand for at this place; see `recall`."""
        return self.item_before, self.item, self.here, self.clause_before

    def recall(self, mentioned: tuple[tuple[Group, ...], ...]) -> None:
        """Pronouns may stand for what they stood for at an earlier place."""
        self.item_before, self.item, self.here, self.clause_before = mentioned

    def go_back_to(self, mentioned: tuple[tuple[Group, ...], ...]) -> None:
        """Pronouns may stand for what they stood for at an earlier place, and for what was named
        since: "if it is free, put the mug on it, otherwise put it on the tray"."""
        since = (g for groups in self.mentioned() for g in groups if not g.where)
        self.recall(mentioned)
        self.item = tuple(dict.fromkeys((*self.item, *since)))

    def mention(self, group: Group) -> Group:
        self.named_unknown = False
        self.here += (group,)
        self.item += (group,)
        return group

    def forget_indefinite(self) -> None:
        """No pronoun may stand for "a ..." mentioned so far: which one would be unclear."""

        def kept(groups: tuple[Group, ...]) -> tuple[Group, ...]:
            clear = tuple(
                g
                for g in groups
                if all(e.quantity is None or e.quantity == ALL for e in g.entities)
            )  # else "it" is rather what is left out here than what says where that is
            return tuple(g for g in clear if len(clear) == len(groups) or not g.aside)

        self.here, self.item = kept(self.here), kept(self.item)

    # -- things --------------------------------------------------------------------------

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
        found: list[Entity] = []
        self.where, self.as_place = where, aside
        self.beside = self._terms(beside, use) if any(map(_is_pronoun, things.members)) else ()
        none = things.marker == "neither"
        joiner, each = things.joiner, False
        for member in things.members:
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
                return self._pronoun(thing, use, types)
            case Ordinal():
                return Group((self._member(thing, use),))
            case Purpose(noun):
                return Group((self._new(Referent(noun), SOME),))
        entity = self._described(thing, use)
        none = thing.determiner == "none"
        each = entity.quantity == ALL and not (thing.plural or none)
        return Group((entity,), none=none, each=each)

    def _described(self, thing: Thing, use: Use) -> Entity:
        if thing.such is not None:
            raise self.refuse(
                thing.at, "which of them are so is not known before the task begins.",
                hint="say 'all the ... that are ...' of what is to be done with them.",
            )  # fmt: skip
        thing = self._as_mentioned(thing)
        noun = thing.noun or self._noun_of_one(thing)
        relations = tuple(self._relation(r, thing.at, 1, noun) for r in thing.relations)
        if thing.superlative is not None:
            relations += (self._outermost(thing, noun),)
        vague = noun == ANYTHING and thing.determiner in ("any", "some", "certain", "all")
        if vague and use == "goal" and not (thing.attributes or relations):
            raise self._unclear_something(thing.at)
        referent = Referent(noun, thing.attributes, relations)
        determiner = thing.determiner
        if isinstance(determiner, NumberOf):
            return self._numbered(thing, referent, determiner, use)
        apart = self._apart(thing, referent)
        match determiner:
            case "all" | "each" | "both" | "none" | "those":
                self._refuse_single(thing)
                both = Quantity("all", there=2)
                return self._new(referent, both if determiner == "both" else ALL, apart)
            case "another" | "any other":
                others = (*apart, *self._mentioned(referent, thing.at))
                kind = (
                    ALL
                    if use == "forbidden" or (determiner == "any other" and use != "goal")
                    else SOME
                )
                return self._new(referent, kind, others)
            case "the other" | "the rest":
                others = (*apart, *self._mentioned(referent, thing.at))
                single = determiner == "the other" and not thing.plural
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
        if use == "goal" and self._is_in_hand(thing, referent):
            assert self.held is not None
            return Entity(self.held)
        if thing.plural:
            if determiner == "the" or use == "forbidden":
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
        kind = thing.superlative.kind
        moves = self.lexicon.vocabulary.visit is not None
        if kind not in COMPARATORS or (moves and kind in ("isinfrontof", "isbehind")):
            raise self.refuse(
                thing.at, "which one that is changes while the robot moves, or cannot be seen.",
                hint="say 'nearest to' another thing, 'next to', 'left of' or another place.",
                code=Code.UNSUPPORTED,
            )  # fmt: skip
        nth = nth_from(kind, thing.superlative.nth, noun, thing.attributes)
        if nth is None:
            raise self.refuse(
                thing.at, "only the first five from either side can be counted.",
                hint="count from the other side.",
            )  # fmt: skip
        return nth

    def _as_mentioned(self, thing: Thing) -> Thing:
        """An unknown noun that adds an "s" to one that was mentioned is its plural."""
        if not thing.noun.endswith("s") or self.lexicon.vocabulary.types_of(thing.noun):
            return thing
        groups = (g for groups in (*self.older, self.item_before, self.item) for g in groups)
        if thing.noun[:-1] in _nouns(groups):
            return replace(thing, noun=thing.noun[:-1], plural=True)
        return thing

    def _numbered(self, thing: Thing, referent: Referent, number: NumberOf, use: Use) -> Entity:
        if not 1 <= number.number <= MAX_NUMBER:
            raise self.refuse(thing.at, f"a number of things must be from 1 to {MAX_NUMBER}.")
        if not thing.plural and number.number > 1 and thing.noun:
            raise self.refuse(thing.at, "a number goes with several things of one kind.")
        apart = self._apart(thing, referent)
        if number.different:
            apart = (*apart, *self._mentioned(referent, thing.at, needed=number.definite))
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

    def _new(self, referent: Referent, quantity: Quantity, apart: tuple[Term, ...] = ()) -> Entity:
        self.count += 1
        apart = tuple(dict.fromkeys(apart))
        entity = Entity(referent, quantity, Variable(f"x{self.count}"), apart)
        self.made += (entity,)
        return entity

    def only_other(self, kind: Referent, apart: tuple[Term, ...]) -> Entity:
        """The only thing of a kind other than these."""
        return self._new(kind, ONLY, apart)

    def note_own(self, entity: Entity, of: Entity) -> None:
        """Each thing of the one has another of these: "one block on each plate"."""
        assert entity.variable is not None and of.variable is not None
        self.own += ((entity.variable, of.variable),)

    def again(self, entity: Entity) -> Entity:
        """The same things once more: "all" of them get a variable of their own."""
        if entity.quantity == ALL:
            return self._new(entity.referent, ALL, entity.apart)
        return entity

    def located(self, referent: Referent) -> Referent:
        """The description with the place that a remark told of."""
        known = self.places.get(replace(referent, quantifier="the"), ())
        return referent if referent.relations else replace(referent, relations=known)

    # -- descriptions ----------------------------------------------------------------------

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
            if not types & {"surface", "lidded", "room"}:
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
            groups = named if len(_nouns(named)) == 1 else alike or named
            mentioned = [e.referent for g in groups for e in g.entities]
            landmarks = [o for r in mentioned for relation in r.relations for o in relation.others]
            nouns = {r.noun for r in (*mentioned, *landmarks) if r.attributes}
            every = [e.referent for g in named for e in g.entities]
            nouns = nouns or {r.noun for r in every if set(r.attributes) >= set(thing.attributes)}
            if not thing.attributes:
                nouns = set()
            nouns = nouns or {r.noun for r in mentioned}
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

    def _kinds_alike(self, groups: Iterable[Group]) -> set[str]:
        """The nouns that were mentioned; of several those in the same place of their clause."""
        named = tuple(groups)
        nouns = _nouns(named)
        return nouns if len(nouns) == 1 else _nouns(g for g in named if g.where == self.where)

    def _recent(self) -> tuple[Group, ...]:
        return (*self.item_before, *self.clause_before)

    def _apart(self, thing: Thing, referent: Referent) -> tuple[Term, ...]:
        """What "except X and Y" leaves out."""
        if thing.apart is None:
            return ()
        if thing.apart.joiner == "list" or thing.apart.some:
            raise self.refuse(thing.apart.at, "it is not clear how these things are joined.")
        terms: list[Term] = []
        for member in thing.apart.members:
            if isinstance(member, Pronoun):
                terms += [e.referent for e in self._pronoun(member, "forbidden", "").entities]
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
        return tuple(terms)

    def _noun_left_out(self, member: Thing) -> str:
        """ "anything but the red ones": of what was named with a colour, or of all there is."""
        with suppress(UnfitReadingError):
            return self._noun_of_one(member)
        return ANYTHING

    def _mentioned(
        self, referent: Referent, at: meaning.At, *, needed: bool = True
    ) -> tuple[Term, ...]:
        """The terms of things of this noun that were mentioned, for "another" one."""
        found: list[Term] = []
        for groups in (*self.older, self.item_before, self.item):
            for group, entity in ((g, e) for g in groups for e in g.entities):
                if entity.referent.noun == referent.noun and entity.term not in found:
                    several = entity.quantity is not None and entity.quantity.number > 1
                    if needed and (several or group.joiner == "or"):
                        raise self.refuse(
                            at, "it is not clear which of them are left.", hint="name the things."
                        )
                    if entity.quantity == ALL and group.each and group in self.here:
                        found.append(entity.term)  # "any block on another block"
                    elif entity.quantity == ALL:
                        if needed and _takes_in(entity, referent):
                            raise self.refuse(
                                at, f"no {referent.noun} is left besides those named before.",
                                hint="name the thing.",
                            )  # fmt: skip
                        found.append(replace(entity.referent, quantifier="all"))
                    else:
                        found.append(entity.term)
        if needed and not found:
            raise self.refuse(
                at, f"no {referent.noun} was named before that this could be another one than.",
                hint="name the thing.",
            )  # fmt: skip
        return tuple(found)

    def _same(self, thing: Thing, referent: Referent) -> Entity:
        mentioned = {
            e.term: e
            for groups in (*self.older, self.item_before, self.item)
            for g in groups
            for e in g.entities
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

    # -- pronouns --------------------------------------------------------------------------

    def _pronoun(self, pronoun: Pronoun, use: Use, types: str) -> Group:
        match pronoun.kind:
            case "it" | "it moved" | "it put" | "them":
                return self._antecedent(pronoun, types)
            case "all of them" | "both of them" | "none of them" | "one of them":
                return self._of_them(pronoun, use, types)
            case "all listed" | "visited":
                return self._all_of_list(pronoun)
            case "the other" | "the rest":
                return self._the_rest(pronoun)
            case "everything else":
                apart = tuple(self._all_mentioned())
                if not apart:
                    raise self.refuse(
                        pronoun.at, "nothing was named before that this is not.",
                        hint="say 'anything', or 'anything but' what is meant.",
                    )  # fmt: skip
                return Group((self._new(Referent(ANYTHING), ALL, apart),))
            case "liked":
                if self.liked is not None:
                    return Group((self._kind_of(self.liked),))
            case "one" | "another":
                return self._one_of_kind(pronoun)
        raise self._unclear_something(pronoun.at)

    def _unclear_something(self, at: meaning.At) -> SaySoError:
        return self.refuse(
            at, "it is not clear what this may be.", hint="name the thing.",
            choices=[f"something to {p}" for p, _ in self.lexicon.vocabulary.purposes],
        )  # fmt: skip

    def _candidates(self, plural: bool, types: str) -> list[Group]:
        here = {e.term for g in self.here for e in g.entities} | {*self.beside}
        for groups in (self.clause_before, self.item_before, *reversed(self.older)):
            found = [
                g
                for g in dict.fromkeys(groups)
                if g.plural == plural and not here & {e.term for e in g.entities}
            ]
            fitting = [
                g
                for g in found
                if all(self.lexicon.vocabulary.fits(e.referent.noun, types) for e in g.entities)
            ]
            if fitting:
                if self.as_place or (self.where and self.untrue):
                    return fitting  # "until the bowl is on it": on either of them
                return [g for g in fitting if not g.aside] or fitting
            if found and groups is not self.clause_before:
                return found
        return []

    def _antecedent(self, pronoun: Pronoun, types: str) -> Group:
        groups = [] if self.named_unknown else self._candidates(pronoun.kind == "them", types)
        if pronoun.kind in ("it moved", "it put"):
            groups = self._moved(groups, types, put=pronoun.kind == "it put")
        if groups and pronoun.kind != "them":
            groups = [*groups, *self._either_of(types), *self._each_of(types)]
        if len({g.entities for g in groups}) != 1:
            cause = (
                "could stand for several things" if groups else "stands for nothing named before"
            )
            raise self.refuse(
                pronoun.at, f"'{pronoun.kind.split()[0]}' {cause}.", hint="name the thing instead.",
                choices=[e.words for g in groups for e in g.entities],
            )  # fmt: skip
        group = groups[0]
        if pronoun.kind != "them" and any(e.apart and e.quantity == ALL for e in group.entities):
            raise self.refuse(  # "every block but the red one on the tray; that one ..."
                pronoun.at, "it is not clear whether this is the exception.",
                hint="name the thing.",
            )  # fmt: skip
        return replace(group, entities=tuple(map(self.again, group.entities)), none=False)

    def _moved(self, groups: list[Group], types: str, *, put: bool) -> list[Group]:
        """Of what a pronoun may stand for what was handled, rather than where it was taken; `put`
        where that was one thing, right before."""
        moved = [g for g in groups if not g.where]
        if not put:
            return moved or [*groups, *self._moved_together()]
        fits = self.lexicon.vocabulary.fits
        named = (*self.clause_before, *self.item_before, *chain(*self.older[-1:]))
        handled = (e for g in named if not g.where for e in g.entities)
        one = len({e.term for e in handled if fits(e.referent.noun, types)}) == 1
        return moved if one else [*groups, *(self._moved_together() if groups else ())]

    def _moved_together(self) -> list[Group]:
        """What "it" is hardly said of, but the place where they were taken still less: "put the
        block and the mug in the bowl, then take it out"."""
        return [g for g in self.clause_before or self.item_before if g.plural and not g.where]

    def _either_of(self, types: str) -> list[Group]:
        """What "it" may be one of: "if the mug or the bowl is on the tray, take it away"."""
        fits = self.lexicon.vocabulary.fits
        latest = self.clause_before or self.item_before
        several = (g for g in latest if g.joiner == "or" and len(g.entities) > 1)
        return [g for g in several if any(fits(e.referent.noun, types) for e in g.entities)]

    def _each_of(self, types: str) -> list[Group]:
        """What "it" may be said of, each by itself: "never put a block on the tray before touching
        it"."""
        fits = self.lexicon.vocabulary.fits
        latest = self.clause_before or self.item_before
        each = (g for g in latest if g.each and not {*self.beside} & {e.term for e in g.entities})
        return [g for g in each if any(fits(e.referent.noun, types) for e in g.entities)]

    def _of_them(self, pronoun: Pronoun, use: Use, types: str) -> Group:
        if pronoun.kind in ("all of them", "both of them") and self.listed:
            return self._all_of_list(pronoun)
        group = self._antecedent(Pronoun("them", pronoun.at), types)
        if pronoun.kind == "none of them":
            return replace(group, none=True)
        if pronoun.kind == "both of them" and [e.quantity for e in group.entities] == [ALL]:
            (entity,) = group.entities
            both = self._new(entity.referent, Quantity("all", there=2), entity.apart)
            return replace(group, entities=(both,))
        if pronoun.kind == "both of them" and _are_more_than_two(group.entities):
            raise self.refuse(pronoun.at, "'both' is of two things.", hint="say 'all of them'.")
        if pronoun.kind != "one of them":
            return replace(group, joiner="and" if len(group.entities) > 1 else "")
        if len(group.entities) > 1:
            return replace(group, joiner="or")
        entity = group.entities[0]
        if entity.quantity is not None and entity.quantity != ALL:
            raise self.refuse(
                pronoun.at, "it is not clear which of them are meant here, if not all are.",
                hint="say which one, or 'all of them'.",
            )  # fmt: skip
        kind = ALL if use == "forbidden" else SOME
        return Group((self._new(entity.referent, kind, entity.apart),))

    def _all_of_list(self, pronoun: Pronoun) -> Group:
        named = self.listed if pronoun.kind != "visited" else self.visited
        if not named:
            raise self.refuse(pronoun.at, "no places were named before.", hint="name the places.")
        self.list_used = True
        return Group(named, "and" if len(named) > 1 else "")

    def _the_rest(self, pronoun: Pronoun) -> Group:
        if self.listed:
            self.list_used = True
            been = {e.referent for e in self.visited}
            rest = tuple(e for e in self.listed if e.referent not in been)
            if not rest:
                raise self.refuse(pronoun.at, "all of what was named before is visited already.")
            return Group(rest, "and" if len(rest) > 1 else "")
        nouns = self._kinds_alike((*self._recent(), *self.here))
        if len(nouns) != 1 or self.some_chosen:
            raise self.refuse(
                pronoun.at, "it is not clear which others these are.", hint="name them."
            )
        referent = Referent(nouns.pop())
        quantity = ONLY if pronoun.kind == "the other" else ALL
        named = self._mentioned(referent, pronoun.at)
        if pronoun.kind == "the rest" and named == (referent,):
            raise self.refuse(  # "the bathroom, then the rest": of the rooms
                pronoun.at, f"there is only one {referent.noun} that could be meant before.",
                hint="say which others.",
            )  # fmt: skip
        return Group((self._new(referent, quantity, named),))

    def _one_of_kind(self, pronoun: Pronoun) -> Group:
        """ "another one", "a replacement" or "one": any of the kind that was told of."""
        kind = self.liked if pronoun.kind == "one" and self.liked else self.story
        if kind is not None:
            return Group((self._kind_of(kind),))
        nouns = self._kinds_alike(self._recent())
        if pronoun.kind == "another" and len(nouns) == 1:
            referent = Referent(nouns.pop())
            return Group((self._new(referent, SOME, self._mentioned(referent, pronoun.at)),))
        raise self.refuse(
            pronoun.at, f"it is not clear what '{pronoun.kind}' is of.", hint="name the thing."
        )

    def _kind_of(self, entity: Entity) -> Entity:
        return self._new(replace(entity.referent, relations=()), SOME)

    def _member(self, ordinal: Ordinal, use: Use) -> Entity:
        self.list_used |= not ordinal.of_places
        if ordinal.of_places:
            named = self.visited if self.in_order else ()
        else:
            named = self.listed or (self.visited if ordinal.listed else self.handled)
        told = ordinal.of_places or bool(self.listed)
        if not told and (self.some_chosen or any(e.variable is not None for e in named)):
            raise self._one_or_another(ordinal)
        index = ordinal.index
        if not (told or ordinal.listed or use == "condition") and index in (-1, len(named)):
            return self._one_left(ordinal)
        if not -len(named) <= index < len(named):
            raise self.refuse(
                ordinal.at, "there is no such one of what was named before.", hint="name the thing."
            )
        return named[index]

    def _one_left(self, ordinal: Ordinal) -> Entity:
        """ "the red block in the bowl, the green one on the plate, the last one on the tray": the
        only one of the kind that is left; elsewhere it may be the one that was named last."""
        nouns = {e.referent.noun for e in self.handled}
        if len(nouns) != 1 or len(set(self.handled)) < 2:
            raise self._one_or_another(ordinal)
        apart = tuple(dict.fromkeys(e.term for e in self.handled))
        return self._new(Referent(nouns.pop()), ONLY, apart)

    def _one_or_another(self, ordinal: Ordinal) -> SaySoError:
        return self.refuse(
            ordinal.at, "it may be one of those named before, or what is left of them.",
            hint="name the thing, or say 'the other one'.",
        )  # fmt: skip

    def _all_mentioned(self) -> Iterable[Term]:
        for groups in (*self.older, self.item_before, self.item):
            for entity in (e for g in groups for e in g.entities):
                yield entity.term

    def check_inside(self, at: meaning.At, types: str) -> None:
        """Raises NOT_UNDERSTOOD where "inside" may be in several things named so far."""
        here = {e.term for g in self.here for e in g.entities}
        groups = (*self.item, *self.clause_before, *self.item_before, *chain(*self.older))
        named = {e.term for g in groups for e in g.entities
                 if self.lexicon.vocabulary.fits(e.referent.noun, types)}  # fmt: skip
        if len(named - here) > 1:
            raise self.refuse(at, "it is not clear inside of what.", hint="name the place.")

    # -- a shorter name for what was named before -------------------------------------------

    def known(self, entity: Entity, at: meaning.At) -> Entity:
        """The thing named before that a shorter name repeats: "the counter" the kitchen counter.

        A description that lacks only the colour repeats what a remark told of, and nothing else:
        "the block" may be another than the red one, so where there are several, the person is
        asked. The last word of a name of several words is that name, cut short.
        """
        if entity.variable is not None or entity.referent.relations:
            return entity
        mentioned = [*(e.referent for e in self.visited if e.variable is None), *self.told]
        same = same_thing(entity.referent, mentioned)
        if len(same) > 1:
            raise self.refuse(
                at, "it is not clear which of the places named before this is.",
                hint="describe it in full.", choices=list(map(describe, same)),
            )  # fmt: skip
        cut_short = same[0].noun != entity.referent.noun
        named = same[0] in self.told or _words(entity.referent) >= set(same[0].attributes)
        return replace(entity, referent=same[0]) if named or cut_short else entity


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


def _takes_in(every: Entity, referent: Referent) -> bool:
    """Whether what is described is one of all those."""
    named = every.referent
    return not (every.apart or named.relations) and set(named.attributes) <= set(
        referent.attributes
    )


def _are_more_than_two(entities: Sequence[Entity]) -> bool:
    """Whether they may be: "the mug, the plate and the bowl", "all the blocks and the mug"."""
    return len(entities) > 2 or (len(entities) == 2 and any(e.quantity == ALL for e in entities))


def _leaves_open(determiner: str | NumberOf, of: str | NumberOf) -> bool:
    """Whether it is not said which ones are left out: "all the blocks but one block", other than
    "no block but a red one"."""
    single = determiner == "a" and of not in ("any", "none", "any other")
    return single or determiner in ("some", "certain", "none") or isinstance(determiner, NumberOf)


def _is_pronoun(thing: Named) -> bool:
    return isinstance(thing, Pronoun)


def _nouns(groups: Iterable[Group]) -> set[str]:
    return {e.referent.noun for g in groups for e in g.entities}


def _words(thing: Referent) -> frozenset[str]:
    return frozenset((*thing.attributes, *thing.noun.split()))


def _is_color(attributes: tuple[str, ...]) -> bool:
    return bool(attributes) and set(attributes) <= set(COLORS)
