"""Clauses to formulas: what is asked for, and states of the world.

Where a quantifier stands in the formula depends on what its clause is for, as the table in
`docs/controlled-english.md` says; a variable of "a ..." is bound at the end, around everything
that speaks of it.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from sayso.core.errors import Code, SaySoError
from sayso.core.vocabulary import SpokenAction, Wanted
from sayso.language.entities import Entity, Group, UnfitReadingError, Use
from sayso.language.events import (
    AnyOrder,
    Each,
    Either,
    Event,
    State,
    negation,
)
from sayso.language.events import (
    Sequence as Steps,
)
from sayso.language.everything import ANYTHING, is_everything, left_out
from sayso.language.lexicon import MAX_NAMED, Lexicon
from sayso.language.makers import INSIDE, SAME
from sayso.language.meaning import (
    ActState,
    At,
    Condition,
    Do,
    Fact,
    Named,
    NotState,
    NotThose,
    NumberOf,
    Occasion,
    Ordinal,
    PlaceNamed,
    Pronoun,
    Several,
    Shared,
    Tail,
    Thing,
    Things,
)
from sayso.language.references import Discourse
from sayso.language.thing_makers import choices, is_each, to_clean
from sayso.language.wordings import IN_THERE, PLACING, THERE
from sayso.logic.formula import (
    ALL,
    SOME,
    And,
    Formula,
    Prop,
    Quantified,
    Referent,
    Term,
    conjunction,
    disjunction,
    map_referents,
    propositions,
)

_SPEAKER = "speaker"
_INTO = {
    **dict.fromkeys(("off {1}", "off of {1}", "up off {1}"), "on {1}"),
    **dict.fromkeys(("out of {1}", "from inside {1}", "from within {1}"), "in {1}"),
}
"""Where a thing was that was taken from there."""
_BRINGING = ("bring", "move")
"""What "X to Y" asks for, without a verb."""
_CONTRASTED = "contrasted"
"""The form of what is forbidden by naming it beside what is asked for."""
DELIVERED = "delivered"
"""The form of what is forbidden until something: "don't bring it to X before ..." is about the
deed, as where it is asked for; "don't carry it into X before ..." is not."""
_LEADS_TO = re.compile(r"(\w+ )?to \{1\}")
_STACKING = frozenset({"stack", "pile"})


def _is_one_of(things: Things, whole: Things) -> bool:
    """Whether things are among several that are asked for: "the blocks, but never the red one"."""
    every = [t for t in whole.members if is_each(t) and isinstance(t, Thing)]
    nouns = {t.noun for t in things.members if isinstance(t, Thing)}
    return any(t.noun == ANYTHING or not nouns.isdisjoint({"", t.noun}) for t in every)


def is_there(do: Do) -> bool:
    """Whether words name a place as "there"."""
    return any(t.text in (THERE, IN_THERE) for t in do.tails)


def _holds_things(there: Tail) -> bool:
    """Whether "in there" may be a place: not where a thing lies on something."""
    return not there.text.startswith(("on ", "onto ", "off "))


@dataclass(frozen=True)
class Outcome:
    """What a verb asks of one combination of its things.

    Attributes:
        steps: formulas without time, one after the other.
        entities: the things that they speak of, first the one that is handled.
    """

    steps: tuple[Formula, ...]
    entities: tuple[Entity, ...]


@dataclass(frozen=True)
class Handled:
    """What a clause asks for: alternatives for each thing that is handled.

    Attributes:
        things: for each thing the outcomes of which one is enough.
        joiner: of the things: "and", "or" or ''.
        none: whether the words say "none of them".
        action: the first of the actions that the words name.
        named: whether all things are named rather than called "it".
    """

    things: tuple[tuple[Outcome, ...], ...]
    joiner: str
    none: bool
    action: SpokenAction
    named: bool


@dataclass
class Clauses:
    """Makes formulas of clauses, in the light of what was spoken of.

    Attributes:
        last: the verb phrase before, which may be left out in a list.
        there: where the clause before did something, as words that follow "put ...".
        there_if: where the condition before asked for something, and what `there` was behind it.
        put_if: whether what depended on it named a thing of its own.
    """

    lexicon: Lexicon
    discourse: Discourse
    last: Do | None = field(default=None)
    there: Tail | None = None
    there_if: tuple[Tail | None, Tail | None] = (None, None)
    put_if: bool = False

    # -- actions -------------------------------------------------------------------------

    def handled(self, do: Do, use: Use) -> Handled:
        """What a verb asks for. Raises UNSUPPORTED if the library lacks a predicate."""
        do = _taken_out(self.placed_there(self._whole(do)))
        pairs = self._actions(do, use)
        action = pairs[0][0]
        if use == "forbidden" and any(
            a.goal[-1][0].predicate in self.lexicon.places for a, _ in pairs
        ):
            do = replace(do, things=do.things and of_what_was_put(do.things))
        refuse = self.discourse.refuse
        if action.forbidden_only and use == "goal":
            raise refuse(do.at, f"'{do.verb}' only says what must not be done.")
        if do.things is None:
            steps = tuple(self._step(step, ()) for step in action.goal)
            return Handled(((Outcome(steps, ()),),), "", False, action, True)
        wheres_named = [tail.to for _, tail in pairs if tail.to is not None]
        everything = self._everything(do.things, pairs) if use == "goal" else None
        group = everything or self.discourse.group(
            do.things, use, action.arguments[0], beside=wheres_named
        )
        wheres: list[tuple[SpokenAction, Entity | None]] = []
        for found, tail in pairs:
            where = None
            if tail.to is not None:
                if tail.to.marker == INSIDE:
                    self.discourse.check_inside(tail.to.at, found.arguments[1])
                left = any(1 in w.arguments and not w.positive for w in found.goal[-1])
                where = self.discourse.single(
                    tail.to, use, found.arguments[1], aside=left, where=True
                )
                self.check_type(where, found.arguments[1], tail.to.at)
            for entity in group.entities:
                self.check_type(entity, found.arguments[0], do.things.at)
            wheres.append((found, where))
        if do.verb in _STACKING and group.plural and use != "forbidden":
            raise refuse(
                do.at, "it is not clear whether these are to stand on each other.",
                hint="say 'put', or for each what it goes on.",
            )  # fmt: skip
        self._note_where(do, action)
        things = tuple(
            tuple(self._outcome(entity, found, where, use, do.at) for found, where in wheres)
            for entity in group.entities
        )
        named = all(not isinstance(m, Pronoun | Ordinal) for m in do.things.members)
        return Handled(things, group.joiner, group.none, action, named)

    def _everything(self, things: Things, pairs: list[tuple[SpokenAction, Tail]]) -> Group | None:
        """ "put everything on the tray": all that can be carried there; None for other words."""
        (action, tail), *others = pairs
        goes = len(action.goal) == len(action.goal[0]) == 1 and not others
        if not goes or tail.to is None or not is_everything(things):
            return None
        (wanted,) = action.goal[0]
        if wanted.predicate not in self.lexicon.places or not wanted.positive:
            return None
        aside = self.discourse.copy()
        place = aside.single(tail.to, "goal", action.arguments[1], where=True)
        if place.quantity is not None:
            return None
        apart = left_out(place.referent, action.arguments[0], self.lexicon.vocabulary)
        return self.discourse.everything(things, apart)

    def _note_where(self, do: Do, action: SpokenAction) -> None:
        """What "there" is for the clauses to come."""
        if len(do.tails) == 1 and do.tails[0].to is not None:
            self.there = replace(do.tails[0], text=_INTO.get(do.tails[0].text, do.tails[0].text))
        elif action.unordered == "visit" and do.things is not None:
            self.there = Tail("at {1}", do.things)

    def placed_there(self, do: Do) -> Do:
        """ "put the mug there": where the clause before did something."""
        if not is_there(do):
            return do
        there = self._there_for(do.verb)
        if there is not None and do.tails[0].text == IN_THERE and not _holds_things(there):
            there = None
        if there is None:
            raise UnfitReadingError(
                Code.NOT_UNDERSTOOD, "it is not clear where 'there' is.", hint="name the place.",
                span=self.discourse.refuse(do.at, "").span,
            )  # fmt: skip
        return replace(do, tails=(there,))

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

    def check_type(self, entity: Entity, types: str, at: At) -> None:
        """Raises UNSUPPORTED for a thing with which this cannot be done."""
        vocabulary, noun = self.lexicon.vocabulary, entity.referent.noun
        if not vocabulary.fits(noun, types):
            raise self.discourse.refuse(
                at, f"'{noun}' is not {vocabulary.described(types)}.",
                choices=vocabulary.nouns_of(types)[:MAX_NAMED], code=Code.UNSUPPORTED,
                hint="name another thing, or ask for something else.",
            )  # fmt: skip

    def _outcome(
        self, entity: Entity, action: SpokenAction, where: Entity | None, use: Use, at: At
    ) -> Outcome:
        if where is not None and where.term == entity.term and len(action.goal) > 1:
            raise self.discourse.refuse(at, "a thing cannot be brought to itself.")
        entities = (entity,) if where is None else (entity, where)
        steps = tuple(self._step(step, entities) for step in action.goal)
        each = where is not None and where.quantity == ALL and use != "forbidden"
        if where is not None and each and _of_many(entity):
            return Outcome((self._for_each(steps[-1], entity, where, at),), ())
        if (
            each
            and use == "goal"
            and any(w.predicate in self.lexicon.places for w in action.goal[-1])
        ):
            raise self.discourse.refuse(
                at, "one thing cannot be in each of these places.",
                hint="say 'one ... on each ...', 'each ... on any ...', or name the place.",
            )  # fmt: skip
        if where is not None and waits(where) and entity.quantity == ALL:
            self.discourse.note_own(where, entity)
        return Outcome(steps, entities)

    def _for_each(self, state: Formula, entity: Entity, place: Entity, at: At) -> Formula:
        """ "one block on each plate": for each place some thing, all at one moment, so that each
        place has its own."""
        stays = all(isinstance(p, Prop) for p in _members(state)) and self._lasting(state)
        if place.quantity != ALL or not stays:
            raise self.discourse.refuse(
                at, "it is not clear whether it is the same one for each of them.",
                hint="name the thing, or say it for each place.",
            )  # fmt: skip
        self.discourse.note_own(entity, place)
        return bound(state, [place, entity])

    def _step(self, step: Iterable[Wanted], entities: Sequence[Entity]) -> Formula:
        return conjunction(*(self._literal(w, entities) for w in step))

    def _literal(self, wanted: Wanted, entities: Sequence[Entity]) -> Formula:
        args: list[Term] = []
        for a in wanted.arguments:
            if isinstance(a, int):
                args.append(entities[a].term)
            elif a == _SPEAKER:
                args.append(Referent(_SPEAKER))
            else:
                args.append(Referent(a))
        prop = self.prop(wanted.predicate, *args)
        return prop if wanted.positive else negation(prop)

    def prop(self, predicate: str, *args: Term) -> Prop:
        """A proposition. Raises UNSUPPORTED if the library lacks the predicate."""
        if predicate not in self.lexicon.predicates:
            raise SaySoError(
                Code.UNSUPPORTED,
                f"the library has no predicate '{predicate}', which these words ask for.",
                hint="load a library that has it.",
                choices=self.lexicon.predicates,
            )
        return Prop(predicate, args)

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
        beside = replace(before, form=_CONTRASTED)
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
            where_like = several and not handled_like
            handled_like |= rule.kind == "but" and not several
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

    def _actions(self, do: Do, use: Use) -> list[tuple[SpokenAction, Tail]]:
        """For each tail the action that the verb with it names."""
        known = self.lexicon.verbs[do.verb]
        if do.things is None:
            return [(known.alone[0], Tail(""))] if known.alone else self._incomplete(do)
        if not do.tails and "" not in known.with_thing and to_clean(do.things):
            return self._where_wanted(do)
        found = []
        for tail in do.tails or (Tail(""),):
            actions = known.with_thing.get(tail.text)
            if not actions:
                return self._incomplete(do)
            beside = do.form == _CONTRASTED or _numbered(do.things)
            beside |= do.form == DELIVERED and _LEADS_TO.fullmatch(tail.text) is not None
            forbids = use == "forbidden" and not beside
            fitting = sorted(actions, key=lambda a: a.forbidden_only != forbids)
            found.append((self._fitting(fitting, do.things, tail.to), self._on_what(tail)))
        return found

    def _fitting(self, actions: Sequence[SpokenAction], *things: Things | None) -> SpokenAction:
        """Of what the same words may ask for, what the things are fit for: "to the bowl" is in it,
        "never touch the can" is never to hold it, "never touch the cat" never to be near."""
        fits = self.lexicon.vocabulary.fits
        nouns = [
            (m.noun, i)
            for i, several in enumerate(things)
            for m in (several.members if several else ())
            if isinstance(m, Thing)
        ]
        for action in actions:
            if all(fits(noun, action.arguments[i]) for noun, i in nouns):
                return action
        return actions[0]

    def _on_what(self, tail: Tail) -> Tail:
        """ "on top of it": of what was put somewhere before, not of where it was put."""
        if tail.text != "on top of {1}" or tail.to is None or len(tail.to.members) != 1:
            return tail
        (thing,) = tail.to.members
        if not isinstance(thing, Pronoun) or thing.kind != "it":
            return tail
        return replace(tail, to=replace(tail.to, members=(replace(thing, kind="it moved"),)))

    def _where_wanted(self, do: Do) -> list[tuple[SpokenAction, Tail]]:
        """ "bring something to clean": to where something was spilled."""
        story, actions = self.discourse.story, self.lexicon.verbs[do.verb].with_thing
        if story is None or not story.referent.relations or "to {1}" not in actions:
            return self._incomplete(do)
        place = story.referent.relations[0].others[0]
        thing = Thing("the", place.attributes, place.noun, at=do.at)
        return [(actions["to {1}"][0], Tail("to {1}", Things((thing,), at=do.at)))]

    def _incomplete(self, do: Do) -> list[tuple[SpokenAction, Tail]]:
        tails = sorted({t.split(" {")[0] for t in self.lexicon.verbs[do.verb].with_thing if t})
        raise self.discourse.refuse(
            (do.at[1], do.at[1]), f"'{do.verb} ...' does not say where to."
            if do.things is not None else f"'{do.verb}' does not say what.", choices=tails,
        )  # fmt: skip

    # -- events --------------------------------------------------------------------------

    def event(self, handled: Handled) -> tuple[Event, ...]:
        """What is to happen, one event for each thing."""
        return tuple(self._event(outcomes) for outcomes in handled.things)

    def _event(self, outcomes: tuple[Outcome, ...]) -> Event:
        outcomes = tuple(map(self._at_one_moment, outcomes))
        singles = [o.steps[0] for o in outcomes if len(o.steps) == 1]
        if len(singles) == len(outcomes):
            first = outcomes[0]
            state = disjunction(*singles)
            return self._quantified(State(state), first.entities, state)
        events: list[Event] = [
            self._quantified(Steps(tuple(map(State, o.steps))), o.entities, None) for o in outcomes
        ]
        return events[0] if len(events) == 1 else Either(tuple(events))

    def _at_one_moment(self, outcome: Outcome) -> Outcome:
        """ "exactly one mug should be on the desk": when that is so is all that counts."""
        exact = any(e.quantity and e.quantity.kind == "exactly" for e in outcome.entities)
        lasts = exact and self._lasting(outcome.steps[-1])
        return replace(outcome, steps=outcome.steps[-1:]) if lasts else outcome

    def _quantified(
        self, event: Event, entities: tuple[Entity, ...], state: Formula | None
    ) -> Event:
        """The event with the quantifiers of its things, except those that are bound at the end."""
        local = [e for e in entities if e.variable is not None and not waits(e)]
        if not local:
            return event
        if state is not None and self._lasting(state):
            return State(bound(state, local))
        for entity in reversed(local):
            assert entity.variable is not None and entity.quantity is not None
            if entity.quantity == ALL:
                event = Each(entity.variable, entity.referent, event, entity.apart, entity.quantity)
            elif state is not None:
                return State(bound(state, local))
            else:
                raise self.discourse.refuse(
                    (0, 0), f"{entity.words} cannot be asked for in several steps.",
                    hint="say 'at least', or name each of them.",
                )  # fmt: skip
        return event

    def _lasting(self, state: Formula) -> bool:
        return all(p.predicate in self.lexicon.vocabulary.lasting for p in propositions(state))

    # -- what is forbidden -----------------------------------------------------------------

    def forbidden(self, acts: Several, rule: Callable[[Formula], Formula]) -> list[Formula]:
        """For each thing of each action a rule about the state that it leads to."""
        rules: list[Formula] = []
        for index, do in enumerate(acts.members):
            if index:
                self.discourse.begin_clause()
            handled = self.handled(do, "forbidden")
            if handled.none:
                raise self.twice_negated(do.at)
            for outcomes in handled.things:
                for outcome in outcomes:
                    rules.append(self.ruled(outcome.steps[-1], outcome.entities, rule))
        return rules

    def twice_negated(self, at: At) -> SaySoError:
        """NOT_UNDERSTOOD for "no block may not be moved", by which some mean one negation."""
        return self.discourse.refuse(
            at, "two negations in one clause are not clear.", hint="say it with one of them."
        )

    def ruled(
        self, state: Formula, entities: Sequence[Entity], rule: Callable[[Formula], Formula]
    ) -> Formula:
        """The rule about each of the things. A number of them limits how many at once."""
        counted = [e for e in entities if e.quantity is not None and e.quantity.kind == "at least"]
        for entity in counted:
            assert entity.quantity is not None and entity.variable is not None
            state = Quantified(
                entity.quantity, entity.variable, entity.referent, state, entity.apart
            )
        formula = rule(state)
        rest = [e for e in entities if e.variable is not None and e not in counted and not waits(e)]
        return bound(formula, rest)

    # -- states --------------------------------------------------------------------------

    def condition(self, condition: Condition, use: Use) -> Formula:
        """States joined by "and" or by "or", their quantifiers inside."""
        found = []
        for index, state in enumerate(condition.states):
            if index:
                self.discourse.begin_clause()
            found.append(self.state(state, use))
        return disjunction(*found) if condition.joiner == "or" else conjunction(*found)

    def state(self, state: Fact | NotState | ActState, use: Use) -> Formula:
        match state:
            case Fact(things=(things, *more)) if things.some > 1:
                each = (replace(state, things=(some, *more)) for some in choices(things))
                return disjunction(*(self.fact(fact, use) for fact in each))
            case Fact():
                return self.fact(state, use)
            case NotState(inner):
                return negation(self.state(inner, "condition"))
            case ActState(act, positive):
                formula = self.reached(Several((act,)), "condition")
                if state.idle and self._lasting(formula):
                    raise self.discourse.refuse(
                        act.at, "when this is not being done cannot be observed.",
                        hint="say what is, or is not, so then.",
                    )  # fmt: skip
                return formula if positive else negation(formula)

    def fact(self, fact: Fact, use: Use) -> Formula:
        """A clause's proposition for each thing, with the quantifiers around it."""
        groups, none = self.groups(fact, use)
        if fact.predicate in self.lexicon.places and len(fact.things) == 2:
            self.there = Tail(self.lexicon.places[fact.predicate], fact.things[1])
        states = []
        for entities in product_of(groups):
            prop: Formula = self.prop(fact.predicate, *(e.term for e in entities))
            prop = prop if fact.positive and not none else negation(prop)
            keep = use == "goal" and fact.positive and not none
            local = [e for e in entities if e.variable is not None and not (keep and waits(e))]
            if not fact.positive and not none and use != "condition":
                local = [replace(e, quantity=ALL) if e.quantity == SOME else e for e in local]
            states.append(self._in_scope(prop, local, fact.at))
        joiner = next((g.joiner for g in groups if g.joiner), "")
        if none or joiner != "or" or (not fact.positive and use != "condition"):
            return conjunction(*states)
        return disjunction(*states)

    def _in_scope(self, prop: Formula, entities: list[Entity], at: At) -> Formula:
        """The state with its quantifiers: "if a block is on each plate" is one for each plate."""
        match entities:
            case [one, Entity(quantity=quantity) as place] if _of_many(one) and quantity == ALL:
                return self._for_each(prop, one, place, at)
        return bound(prop, entities)

    def groups(self, fact: Fact, use: Use) -> tuple[list[Group], bool]:
        arity = self.lexicon.predicates[fact.predicate].arity if (
            fact.predicate in self.lexicon.predicates) else len(fact.things)  # fmt: skip
        if arity != len(fact.things):
            raise self.discourse.refuse(fact.at, "this clause lacks a thing.")
        types = self.lexicon.types_of(fact.predicate, arity)
        groups = [
            self.discourse.group(
                things, use, kind, aside=index > 0, beside=fact.things[1:] if index == 0 else ()
            )
            for index, (things, kind) in enumerate(zip(fact.things, types, strict=True))
        ]
        for group, things, kind in zip(groups, fact.things, types, strict=True):
            for entity in group.entities:
                self.check_type(entity, kind, things.at)
        return groups, any(g.none for g in groups)

    # -- occasions -------------------------------------------------------------------------

    def occasion(self, occasion: Occasion, use: Use = "condition") -> Formula:
        """The state that bounds a rule or comes before a step; an action stands for its outcome."""
        match occasion:
            case Condition():
                return self.condition(occasion, use)
            case Several():
                return self.reached(occasion, use)
            case PlaceNamed(things):
                group = self.discourse.group(things, use)
                if group.joiner == "and":
                    raise self.discourse.refuse(
                        things.at, "it is not clear whether all of these are meant at once.",
                        hint="name one place, or say it for each of them.",
                    )  # fmt: skip
                visit = self._visiting(things.at)
                self._refuse_elliptic(things)
                states = [
                    bound(self.prop(visit, self.discourse.known(e, things.at).term), [e])
                    for e in group.entities
                ]
                return disjunction(*states)

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

    def _visiting(self, at: At) -> str:
        if (visit := self.lexicon.vocabulary.visit) is not None:
            return visit.goal[-1][0].predicate
        raise self.discourse.refuse(
            at, "this does not say what happens to it.", hint="say 'until ... is ...'."
        )

    def reached(self, acts: Several, use: Use) -> Formula:
        """The state in which the actions are done."""
        found: list[Formula] = []
        joiner = acts.joiner
        for index, do in enumerate(acts.members):
            if index:
                self.discourse.begin_clause()
            handled = self.handled(do, use)
            joiner = joiner or handled.joiner
            for outcomes in handled.things:  # of which one is enough
                states = [
                    bound(self._known_again(o, do.at), [e for e in o.entities if e.variable])
                    for o in outcomes
                ]
                found.append(disjunction(*states))
        if joiner == "or":
            return disjunction(*found)
        self.refuse_at_once(found, acts.members[0].at)
        return conjunction(*found)

    def _known_again(self, outcome: Outcome, at: At) -> Formula:
        """The last step's state, with shorter names understood as what was named before."""
        known = {
            e.referent: self.discourse.known(e, at).referent
            for e in outcome.entities
            if e.variable is None
        }
        return map_referents(outcome.steps[-1], lambda r: known.get(r, r))

    def refuse_at_once(self, states: Sequence[Formula], at: At) -> None:
        """Raises NOT_UNDERSTOOD for states that pass, one after the other or at one moment."""
        passing = [s for s in states if isinstance(s, Prop) and s.args
                   and s.predicate not in self.lexicon.vocabulary.lasting]  # fmt: skip
        for one in passing:
            if any(o is not one and o.predicate == one.predicate for o in passing):
                raise self.discourse.refuse(
                    at, "it is not clear whether all of these are meant at once.",
                    hint="name one of them, or say it for each of them.",
                )  # fmt: skip


def of_what_was_put(things: Things) -> Things:
    """ "put the block on the tray, but never put it on the plate": the block, not the tray."""
    return _for_it(things, "it put")


def _for_it(things: Things, kind: str) -> Things:
    members = tuple(
        replace(t, kind=kind) if isinstance(t, Pronoun) and t.kind == "it" else t
        for t in things.members
    )
    return replace(things, members=members)


def _taken_out(do: Do) -> Do:
    """ "put the block in the bowl, then take it out": what was put there, not the bowl."""
    words = {*do.verb.split()[1:], *(t.text for t in do.tails if t.to is None)}
    if do.things is None or words.isdisjoint(("out", "off")):
        return do
    return replace(do, things=_for_it(do.things, "it moved"))


def _all_of_those(thing: Named) -> bool:
    """ "not all of them", "not both"."""
    kind = thing.determiner if isinstance(thing, Thing) else getattr(thing, "kind", "")
    return kind in ("all", "both", "each", "all of them", "both of them")


def _numbered(things: Things) -> bool:
    """ "never bring more than two mugs": so many are not in the hand at once."""
    named = (t.determiner for t in things.members if isinstance(t, Thing))
    return any(isinstance(d, NumberOf) for d in named)


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


def _members(state: Formula) -> tuple[Formula, ...]:
    return state.args if isinstance(state, And) else (state,)


def waits(entity: Entity) -> bool:
    """Whether the quantifier is put around everything that speaks of the thing, at the end."""
    return entity.quantity is not None and entity.quantity.kind in ("some", "only", "at least")


def _of_many(entity: Entity) -> bool:
    """Whether it is some of several things, or a number of them: other ones for each place."""
    return entity.quantity is not None and entity.quantity != ALL


def bound(formula: Formula, entities: Iterable[Entity]) -> Formula:
    """The formula with the quantifiers of things around it, the first outermost."""
    for entity in reversed(list(entities)):
        if entity.variable is None or entity.quantity is None:
            continue
        formula = Quantified(
            entity.quantity, entity.variable, entity.referent, formula, entity.apart
        )
    return formula


def product_of(groups: Sequence[Group]) -> Iterable[tuple[Entity, ...]]:
    """One entity of each group, in every combination."""
    if not groups:
        yield ()
        return
    for entity in groups[0].entities:
        for rest in product_of(groups[1:]):
            yield (entity, *rest)


def any_order(events: Sequence[Event]) -> Event:
    """One event, or all of them in any order."""
    return events[0] if len(events) == 1 else AnyOrder(tuple(events))
