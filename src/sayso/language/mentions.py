"""What was spoken of so far: what pronouns may stand for, and "the other one" is not."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import TYPE_CHECKING

from sayso.language import meaning
from sayso.language.entities import Entity, Group, Refuse, nouns_of, own_words, same_thing
from sayso.logic.english import describe
from sayso.logic.formula import ALL, ONLY, Quantity, Referent, Relation, Term, Variable

if TYPE_CHECKING:  # the lexicon's grammar is made with what is here
    from sayso.language.lexicon import Lexicon


@dataclass
class Mentions:
    """What was spoken of so far.

    Attributes:
        speaker: where the person is.
        speaker_seen: whether a person that is seen is taken for who speaks.
        listed: what "there is ..." named, for "the second item".
        liked: the kind that the person likes.
        story: what something happened to.
        told: things that were spoken of without asking for anything.
        places: where things are, as remarks told.
        where: whether what is read now is where another thing is taken.
        beside: what else the clause that is read names, which a pronoun in it does not mean.
        condition_before: what the condition of the clause right before was about: "if the door is
            open, go to the sofa, and if it is closed, ...".
        compared: the same, while the next condition is read.
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
    speaker_seen: bool = False
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
    condition_before: tuple[Group, ...] = ()
    compared: tuple[Group, ...] = ()
    untrue: bool = False
    beside: tuple[Term, ...] = ()
    named_unknown: bool = False
    held: Referent | None = None
    some_chosen: bool = False

    # -- clauses -------------------------------------------------------------------------

    def begin_item(self) -> None:
        """What comes is a clause of its own: pronouns stand for what the one before named."""
        if self.item:
            self.older = (*self.older, self.item_before)
            self.item_before = self.item
        self.item, self.here, self.clause_before = (), (), ()
        self.condition_before = ()

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

    def _new(self, referent: Referent, quantity: Quantity, apart: tuple[Term, ...] = ()) -> Entity:
        self.count += 1
        apart = tuple(dict.fromkeys(apart))
        entity = Entity(referent, quantity, Variable(f"x{self.count}"), apart)
        self.made += (entity,)
        return entity

    def again(self, entity: Entity) -> Entity:
        """The same things once more: "all" of them get a variable of their own."""
        if entity.quantity == ALL:
            return self._new(entity.referent, ALL, entity.apart)
        return entity

    def only_other(self, kind: Referent, apart: tuple[Term, ...]) -> Entity:
        """The only thing of a kind other than these."""
        return self._new(kind, ONLY, apart)

    def note_own(self, entity: Entity, of: Entity) -> None:
        """Each thing of the one has another of these: "one block on each plate"."""
        assert entity.variable is not None and of.variable is not None
        self.own += ((entity.variable, of.variable),)

    def located(self, referent: Referent) -> Referent:
        """The description with the place that a remark told of."""
        known = self.places.get(replace(referent, quantifier="the"), ())
        return referent if referent.relations else replace(referent, relations=known)

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
        named = same[0] in self.told or own_words(entity.referent) >= set(same[0].attributes)
        return replace(entity, referent=same[0]) if named or cut_short else entity

    def check_inside(self, at: meaning.At, types: str) -> None:
        """Raises NOT_UNDERSTOOD where "inside" may be in several things named so far."""
        here = {e.term for g in self.here for e in g.entities}
        groups = (*self.item, *self.clause_before, *self.item_before, *chain(*self.older))
        named = {e.term for g in groups for e in g.entities
                 if self.lexicon.vocabulary.fits(e.referent.noun, types)}  # fmt: skip
        if len(named - here) > 1:
            raise self.refuse(at, "it is not clear inside of what.", hint="name the place.")

    # -- what is named once more, and what is left besides ---------------------------------

    def _recent(self) -> tuple[Group, ...]:
        return (*self.item_before, *self.clause_before)

    def _kinds_alike(self, groups: Iterable[Group]) -> set[str]:
        """The nouns that were mentioned; of several those in the same place of their clause."""
        named = tuple(groups)
        nouns = nouns_of(named)
        return nouns if len(nouns) == 1 else nouns_of(g for g in named if g.where == self.where)

    def _all_named(self) -> Iterator[tuple[Group, Entity]]:
        """Everything named so far, the oldest first, each with what it was named together with."""
        for groups in (*self.older, self.item_before, self.item):
            for group in groups:
                yield from ((group, entity) for entity in group.entities)

    def _named_before(
        self, referent: Referent, at: meaning.At, *, needed: bool = True
    ) -> tuple[Term, ...]:
        """The terms of things of this noun that were mentioned, for "another" one."""
        found: list[Term] = []
        for group, entity in self._all_named():
            if entity.referent.noun == referent.noun and entity.term not in found:
                several = entity.quantity is not None and entity.quantity.number > 1
                if several and entity in self.listed:
                    self.list_used = True
                    continue  # "there are two mugs": of these
                if needed:
                    self._require_others(group, entity, referent, at)
                of_all = self._is_of_all(group, entity)
                term = replace(entity.referent, quantifier="all") if of_all else entity.term
                found.append(term)
        if needed and not found:
            raise self.refuse(
                at, f"no {referent.noun} was named before that this could be another one than.",
                hint="name the thing.",
            )  # fmt: skip
        return tuple(found)

    def _is_of_all(self, group: Group, entity: Entity) -> bool:
        """Whether all things of a kind were named, other than in "any block on another block"."""
        return entity.quantity == ALL and not (group.each and group in self.here)

    def _require_others(
        self, group: Group, entity: Entity, referent: Referent, at: meaning.At
    ) -> None:
        """Raises NOT_UNDERSTOOD where things were named besides which it is not clear what is
        left, or nothing is."""
        several = entity.quantity is not None and entity.quantity.number > 1
        if several or group.joiner == "or":
            raise self.refuse(
                at, "it is not clear which of them are left.", hint="name the things."
            )
        if self._is_of_all(group, entity) and entity.apart and entity.referent == referent:
            raise self.refuse(
                at, "it may be what was left out before, or what was not.", hint="name the things."
            )
        if self._is_of_all(group, entity) and _takes_in(entity, referent):
            raise self.refuse(
                at, f"no {referent.noun} is left besides those named before.",
                hint="name the thing.",
            )  # fmt: skip


def _takes_in(every: Entity, referent: Referent) -> bool:
    """Whether what is described is one of all those."""
    named = every.referent
    return not (every.apart or named.relations) and set(named.attributes) <= set(
        referent.attributes
    )
