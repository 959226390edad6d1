"""What clauses leave out and the ones before said: the verb, the things, the place."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from sayso.core.errors import Code
from sayso.core.vocabulary import SpokenAction
from sayso.language.clause_makers import SAME
from sayso.language.entities import UnfitReadingError, Use
from sayso.language.everything import ANYTHING
from sayso.language.lexicon import Lexicon
from sayso.language.meaning import (
    Do,
    Named,
    NotThose,
    NumberOf,
    Pronoun,
    Shared,
    Tail,
    Thing,
    Things,
)
from sayso.language.references import Discourse
from sayso.language.thing_makers import is_each
from sayso.language.wordings import IN_THERE, PLACING, THERE

_INTO = {
    **dict.fromkeys(("off {1}", "off of {1}", "up off {1}"), "on {1}"),
    **dict.fromkeys(("out of {1}", "from inside {1}", "from within {1}"), "in {1}"),
}
"""Where a thing was that was taken from there."""
_FROM = ("off", "out", "from", "away")
"""These lead away from a place."""
_BRINGING = ("bring", "move")
"""What "X to Y" asks for, without a verb."""
CONTRASTED = "contrasted"
"""The form of what is forbidden by naming it beside what is asked for."""


@dataclass
class Ellipses:
    """Makes verb phrases whole, in the light of what was said before.

    Attributes:
        last: the verb phrase before, which may be left out in a list.
        chain: the last deeds that were about one thing: "pick up the mug and put it on the tray".
        chain_unclear: whether the last of them is forbidden.
        brought: what was taken somewhere, and where to.
        there: where the clause before did something, as words that follow "put ...".
        there_told: the same, where it was only told that a thing is there.
        there_if: where the condition before asked for something, and what `there` was behind it.
        put_if: whether what depended on it named a thing of its own.
    """

    lexicon: Lexicon
    discourse: Discourse
    last: Do | None = field(default=None)
    chain: tuple[Do, ...] = ()
    chain_unclear: bool = False
    brought: tuple[tuple[Named, Tail], ...] = ()
    there: Tail | None = None
    there_told: Tail | None = None
    there_if: tuple[Tail | None, Tail | None] = (None, None)
    put_if: bool = False

    def _whole(self, do: Do) -> Do:
        """The verb phrase with what is left out taken from the one before."""
        if do.verb:
            self.last = do
            return do
        before = self.last
        if before is None:
            self.last = replace(do, verb=self._unsaid_verb(do))
            return self.last
        if do.things is not None and not self._goes_on_with(do.things.led, before):
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, f"'{before.verb}' does not go with '{do.things.led}'.",
                span=self.discourse.refuse(do.at, "").span,
            )  # fmt: skip
        tails = do.tails
        if any(t.text == SAME for t in tails) or self._is_no_place(do, before):
            tails = before.tails
        elif not tails and before.tails and any(t.to is not None for t in before.tails):
            raise self.discourse.refuse(
                do.at, "it is not clear what is to be done with this.", hint="say the verb again.",
            )  # fmt: skip
        elif not tails:
            tails = before.tails
        things = do.things if do.things is not None else before.things
        if do.tails and things is not None:
            things = _more_of(things, before.things)
        known = self.lexicon.verbs[before.verb].with_thing
        if any(t.text not in known for t in tails):
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, f"'{before.verb}' does not go with this.",
                span=self.discourse.refuse(do.at, "").span,
            )  # fmt: skip
        self.last = Do(before.verb, before.form, things, tails, do.at)
        return self.last

    def _goes_on_with(self, led: str, before: Do) -> bool:
        """Whether "go to the sofa" may go on "and by the bed"; not "switch off the lamp"."""
        alone = self.lexicon.verbs[before.verb].with_thing.get("", ())
        visits = any(a.unordered == "visit" for a in alone)
        return not led or visits or before.verb.endswith(led)

    def _is_no_place(self, do: Do, before: Do) -> bool:
        """Whether things without a verb can only be handled as those before them were: "put the red
        block on the tray, then the mug"."""
        if do.things is None or do.tails or before.things is None:
            return False
        if any(not isinstance(t, Thing) or t.plural for t in before.things.members):
            return False  # it may be one of those: "put them in the bowl, the red one first"
        handled = {t.noun for t in before.things.members if isinstance(t, Thing)}
        members = do.things.members
        alike = all(isinstance(t, Thing) and t.noun in (*handled, "") for t in members)
        named = all(isinstance(t, Thing) for t in members)
        return alike or (named and not self._may_be_where(do.things, before))

    def continues(self, shared: Shared) -> bool:
        """Whether the verb before may go with these things, or these places of them."""
        if self.last is None:
            return False
        known = self.lexicon.verbs[self.last.verb].with_thing
        return all(t.text in known or t.text == SAME for t in shared.tails)

    def _unsaid_verb(self, do: Do) -> str:
        """What an order without a verb asks for: "the block on the plate", "the sofa, the bed"."""
        for verb in (PLACING, *_BRINGING):
            known = self.lexicon.verbs.get(verb)
            if do.tails and known is not None and all(t.text in known.with_thing for t in do.tails):
                return verb
        visit, things = self.lexicon.vocabulary.visit, do.things
        if visit and things and not do.tails and all(map(self._stays_put, things.members)):
            return visit.wordings[0].verb
        raise UnfitReadingError(
            Code.NOT_UNDERSTOOD, "it is not clear what is to be done with this.",
            hint="begin with a verb.", span=self.discourse.refuse(do.at, "").span,
        )  # fmt: skip

    def _stays_put(self, thing: Named) -> bool:
        """Whether a thing is named that one can only go to."""
        fits = self.lexicon.vocabulary.fits
        put = self.lexicon.verbs.get(PLACING)
        carried = (
            {a.arguments[0] for found in put.with_thing.values() for a in found} if put else ()
        )
        return (
            isinstance(thing, Thing)
            and bool(thing.noun)
            and not any(fits(thing.noun, types) for types in carried)
        )

    def _refuse_elliptic(self, things: Things) -> None:
        """ "never pick up the mug before the book": before that is picked up, not visited."""
        visit = self.lexicon.vocabulary.visit
        verbs = {w.verb for w in visit.wordings} if visit else set()
        goes = self.last is None or self.last.things is None or self.last.verb in verbs
        if not goes and not all(map(self._stays_put, things.members)):
            raise self.discourse.refuse(
                things.at, "it is not clear what is done with this before or after.",
                hint="say the verb again: 'before you take the ...'.",
            )  # fmt: skip

    # -- in place of what was said ---------------------------------------------------------

    def contrasted(self, rule: NotThose) -> Do:
        """ "..., not the green one": the verb phrase before with these in place of what they
        are named like: what is handled, or where it goes; "not on the plate": with this place."""
        before, things, at = self.last, rule.things, rule.at
        if any(map(_all_of_those, things.members if things else ())):
            raise self.discourse.refuse(
                at, "it is not clear whether some of these are still meant.",
                hint="say how many, or which.",
            )  # fmt: skip
        unlike = things is None and (before is None or not before.tails)
        if before is None or before.things is None or unlike:
            raise self.discourse.refuse(at, "it is not clear what is not to be done.",
                                        hint="say 'never ...'.")  # fmt: skip
        if things is not None and _is_beside_it(things) and _is_beside_it(before.things, ""):
            raise self.discourse.refuse(
                things.at, "it is not clear what 'it' stands for here.", hint="name the thing."
            )  # fmt: skip
        beside = replace(before, form=CONTRASTED)
        if things is None:
            return replace(beside, tails=rule.tails, at=at)
        if rule.kind == "but" and _is_one_of(things, before.things):
            raise self.discourse.refuse(
                at, "it is not clear whether this is left out of all of them.",
                hint="say 'all ... except ...', or 'never put ...'.",
            )  # fmt: skip
        if things.led and not self._goes_on_with(things.led, before):
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, f"'{before.verb}' does not go with '{things.led}'.",
                span=self.discourse.refuse(at, "").span,
            )  # fmt: skip
        tail = before.tails[0] if len({t.text for t in before.tails}) == 1 else None
        where = tail.to if tail is not None else None
        handled_like = _named_like(things, before.things)
        where_like = where is not None and _named_like(things, where)
        if not handled_like and not where_like and where is not None:
            several = len(before.tails) > 1  # "on the tray or the plate, but not the bowl"
            if several and any(isinstance(t, Thing) and t.attributes for t in things.members):
                raise self.discourse.refuse(
                    at, "it is not clear in place of which thing this is.",
                    hint="say 'not on ...', or 'never put ...'.",
                )  # fmt: skip
            handled_like = not self._may_be_where(things, before)
            there = tail is not None and tail.text.split()[0] not in _FROM
            only_there = there and all(map(self._stays_put, things.members))
            where_like = not handled_like and (several or only_there)
            handled_like |= rule.kind == "but" and not several and not where_like
        if (where is None and not before.tails) or (handled_like and not where_like):
            return replace(beside, things=things, at=at)
        if where_like and not handled_like and tail is not None:
            return replace(beside, tails=(replace(tail, to=things),), at=at)
        raise self.discourse.refuse(
            at,
            "it is not clear in place of which thing this is.",
            hint="say 'not on ...', or 'never put ...'.",
        )

    def _may_be_where(self, things: Things, do: Do) -> bool:
        """Whether things may be where these of the verb go: in them, on them, ..."""
        known = self.lexicon.verbs[do.verb].with_thing.values()
        places = {types for found in known for a in found for types in a.arguments[1:2]}
        fits = self.lexicon.vocabulary.fits
        nouns = [t.noun for t in things.members if isinstance(t, Thing)]
        return any(fits(noun, types) for types in places for noun in nouns)

    # -- where that was ---------------------------------------------------------------------

    def _note_chain(self, do: Do, use: Use) -> None:
        """What is done to one thing, deed by deed; unclear where one of them is forbidden."""
        if not do.verb or use == "condition":
            return
        things = do.things.members if do.things is not None else ()
        goes_on = len(things) == 1 and isinstance(things[0], Pronoun)
        self.chain_unclear = use == "forbidden" and goes_on
        self.chain = (*self.chain, do) if goes_on and self.chain else (do,)

    def _note_where(self, do: Do, action: SpokenAction, use: Use) -> None:
        """What "there" is for the clauses to come; unclear where something was done at one place
        and nothing may be done at another."""
        before, self.there = self.there, None if use == "forbidden" else self.there
        self._note_place(do, action)
        if use == "goal" and do.tails and do.things is not None and self.there is not None:
            self.brought = (*self.brought, *((t, self.there) for t in do.things.members))
        if use == "forbidden" and before is not None and self.there != before:
            self.there = before if self.there is None else None

    def _note_place(self, do: Do, action: SpokenAction) -> None:
        if len(do.tails) == 1 and do.tails[0].to is not None:
            self.there = replace(do.tails[0], text=_INTO.get(do.tails[0].text, do.tails[0].text))
        elif action.unordered == "visit" and do.things is not None:
            self.there = Tail("at {1}", do.things)

    def placed_there(self, do: Do) -> Do:
        """ "put the mug there": where the clause before did something."""
        if not is_there(do):
            return do
        if self.there is None:
            self.there = self._where_brought(do)
        there = self._there_for(do.verb)
        if there is not None and do.tails[0].text == IN_THERE and not _holds_things(there):
            there = None
        if there is None:
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, "it is not clear where 'there' is.", hint="name the place.",
                span=self.discourse.refuse(do.at, "").span,
            )  # fmt: skip
        return replace(do, tails=(there,))

    def note_brought(self, do: Do) -> None:
        """ "put the mug in the bowl and the block on the tray; when the mug is there": in that."""
        self.there = self._where_brought(do) or self.there

    def _where_brought(self, do: Do) -> Tail | None:
        """Where the only thing of a clause was brought: "bring the towel to the basket; never go to
        the sofa; when the towel is there, ..."."""
        named = do.things.members if do.things is not None else ()
        same = [
            tail
            for thing, tail in self.brought
            if len(named) == 1 and isinstance(thing, Thing) and isinstance(named[0], Thing)
            and named[0].noun in ("", thing.noun)
            and set(named[0].attributes) <= set(thing.attributes)
        ]  # fmt: skip
        return same[0] if len(set(same)) == 1 else None

    def _there_for(self, verb: str) -> Tail | None:
        """The place of the clause before, in words that go with a verb."""
        known, there = self.lexicon.verbs[verb].with_thing, self.there
        if there is None or there.text in known:
            return there
        for text in ("at {1}", "to {1}", "on {1}", "in {1}"):
            if text in known and (text[0] not in "oi" or self._fits_there(known[text], there)):
                return replace(there, text=text)
        return None

    def _fits_there(self, actions: Sequence[SpokenAction], there: Tail) -> bool:
        fits = self.lexicon.vocabulary.fits
        nouns = [t.noun for t in there.to.members if isinstance(t, Thing)] if there.to else []
        return bool(nouns) and all(fits(n, a.arguments[1]) for n in nouns for a in actions)


def is_there(do: Do) -> bool:
    """Whether words name a place as "there"."""
    return any(t.text in (THERE, IN_THERE) for t in do.tails)


def _holds_things(there: Tail) -> bool:
    """Whether "in there" may be a place: not where a thing lies on something."""
    return not there.text.startswith(("on ", "onto ", "off "))


def _is_one_of(things: Things, whole: Things) -> bool:
    """Whether things are among several that are asked for: "the blocks, but never the red one"."""
    every = [t for t in whole.members if is_each(t) and isinstance(t, Thing)]
    nouns = {t.noun for t in things.members if isinstance(t, Thing)}
    return any(t.noun == ANYTHING or not nouns.isdisjoint({"", t.noun}) for t in every)


def _all_of_those(thing: Named) -> bool:
    """ "not all of them", "not both"."""
    kind = thing.determiner if isinstance(thing, Thing) else getattr(thing, "kind", "")
    return kind in ("all", "both", "each", "all of them", "both of them")


def _is_beside_it(things: Things, kind: str = "it") -> bool:
    """Whether things are told by where they are, or by where they are from "it"."""
    described = (t for t in things.members if isinstance(t, Thing) and t.relations)
    others = (o for t in described for r in t.relations for o in r.others)
    return any(not kind or (isinstance(o, Pronoun) and o.kind == kind) for o in others)


def _more_of(things: Things, before: Things | None) -> Things:
    """ "two blocks on the plate and one in the bowl": another block."""
    if things.members != (Pronoun("one"),) or before is None or len(before.members) != 1:
        return things
    (thing,) = before.members
    if not isinstance(thing, Thing) or not thing.noun:
        return things
    more = "a" if isinstance(thing.determiner, NumberOf) else "another"
    one = replace(thing, determiner=more, plural=False, at=things.at)
    return replace(things, members=(one,))


def _named_like(things: Things, others: Things) -> bool:
    """Whether descriptions are of the same kind; "the green one" is like what has a colour."""

    def like(thing: object, other: object) -> bool:
        if not isinstance(thing, Thing) or not isinstance(other, Thing):
            return False
        vague = bool(other.attributes) or other.determiner not in ("the", "")
        return thing.noun == other.noun if thing.noun else vague

    return all(any(like(t, o) for o in others.members) for t in things.members)
