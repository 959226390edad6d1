"""What pronouns stand for, and "the second one", in the light of what was spoken of so far."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import chain

from sayso.core.errors import SaySoError
from sayso.language import meaning
from sayso.language.entities import Entity, Group, Use
from sayso.language.everything import ANYTHING
from sayso.language.meaning import Ordinal, Pronoun
from sayso.language.mentions import Mentions
from sayso.logic.formula import ALL, ONLY, SOME, Quantity, Referent


class Pronouns(Mentions):
    """What was spoken of so far, and what pronouns mean in that light."""

    def _of_pronoun(self, pronoun: Pronoun, use: Use, types: str) -> Group:
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
                apart = tuple(entity.term for _, entity in self._all_named())
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
            groups = [*groups, *self._where_taken(groups, types)]
        if pronoun.kind != "them":
            groups = self._as_compared(groups, types)
            groups = self._whatever_is_there(types) or groups
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
        self._refuse_all_but_first(pronoun, group)
        return replace(group, entities=tuple(map(self.again, group.entities)), none=False)

    def _refuse_all_but_first(self, pronoun: Pronoun, group: Group) -> None:
        """ "all blocks in the bowl, the red one first, and never touch them again": the red one,
        too. Raises NOT_UNDERSTOOD."""
        done = {e.term for e in self.handled}
        for entity in group.entities:
            apart = entity.apart if entity.quantity is not None else ()
            if apart and entity.quantity != SOME and done.issuperset(apart):
                raise self.refuse(
                    pronoun.at, "it is not clear whether this is all of them, or the others only.",
                    hint="name the things.",
                )  # fmt: skip

    def _as_compared(self, groups: list[Group], types: str) -> list[Group]:
        """With what the condition before was about: "if the door is open, go to the sofa; if it is
        closed, ..." is of the door, and of the fridge, had that been gone to, as well."""

        def fits(group: Group) -> bool:
            nouns = (e.referent.noun for e in group.entities)
            return all(self.lexicon.vocabulary.fits(n, types) for n in nouns)

        compared = [g for g in self.compared if not g.plural and fits(g)]
        if not compared:
            return groups
        return list({g.entities: g for g in (*compared, *filter(fits, groups))}.values())

    def _whatever_is_there(self, types: str) -> list[Group]:
        """ "take off whatever is on the tray, put that in the box": all of it, not the tray."""
        if self.where or not self._is_moved(types):
            return []
        latest = self.clause_before or self.item_before
        return [g for g in latest if not (g.where or g.aside) and _is_whatever(g)]

    def _is_moved(self, types: str) -> bool:
        return self.lexicon.vocabulary.is_a(types, "movable")

    def _where_taken(self, groups: list[Group], types: str) -> list[Group]:
        """What "it" may be rather than the thing that is in the hand: "put the block on the plate,
        take it off and put the mug on it": on the plate."""
        named = [e.referent for g in groups for e in g.entities]
        if not self.where or self.held is None or named != [self.held]:
            return []
        fits = self.lexicon.vocabulary.fits
        last = (*self.item_before, *chain(*self.older[-2:]))
        places = (g for g in last if g.where and len(g.entities) == 1)
        return [g for g in places if fits(g.entities[0].referent.noun, types)]

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
        if self.listed and not any(map(_is_counted, self.listed)):
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
        named = self._named_before(referent, pronoun.at)
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
            return Group((self._new(referent, SOME, self._named_before(referent, pronoun.at)),))
        raise self.refuse(
            pronoun.at, f"it is not clear what '{pronoun.kind}' is of.", hint="name the thing."
        )

    def _kind_of(self, entity: Entity) -> Entity:
        return self._new(replace(entity.referent, relations=()), SOME)

    # -- by number -----------------------------------------------------------------------

    def _of_ordinal(self, ordinal: Ordinal, use: Use) -> Entity:
        self.list_used |= not ordinal.of_places
        if ordinal.of_places:
            named = self.visited if self.in_order else ()
        else:
            named = self.listed or (self.visited if ordinal.listed else self.handled)
        if ordinal.of_two and len(named) != 2:
            raise self.refuse(
                ordinal.at, "it is not clear of which two this is one.", hint="name the thing."
            )
        told = ordinal.of_places or bool(self.listed) or ordinal.of_two
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


def _are_more_than_two(entities: Sequence[Entity]) -> bool:
    """Whether they may be: "the mug, the plate and the bowl", "all the blocks and the mug"."""
    return len(entities) > 2 or (len(entities) == 2 and any(e.quantity == ALL for e in entities))


def _is_whatever(group: Group) -> bool:
    """ "whatever is on the tray", "everything in the drawer"."""
    (entity, *more) = group.entities
    told = entity.referent.noun == ANYTHING and bool(entity.referent.relations)
    return not more and entity.quantity == ALL and told


def _is_counted(entity: Entity) -> bool:
    """ "There are two mugs": these are all that "the other one" may be of."""
    return entity.quantity is not None and entity.quantity.number > 1
