"""What verbs ask of their things: states that they lead to, steps of these, rules about them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from sayso.core.errors import Code, SaySoError
from sayso.core.vocabulary import SpokenAction, Vocabulary, Wanted
from sayso.language.clause_makers import INSIDE
from sayso.language.ellipsis import CONTRASTED, Ellipses
from sayso.language.entities import Entity, Group, Use, bound, is_of_many, waits
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
from sayso.language.everything import is_everything, left_out
from sayso.language.lexicon import MAX_NAMED
from sayso.language.meaning import (
    At,
    Do,
    NumberOf,
    Ordinal,
    Pronoun,
    Several,
    Tail,
    Thing,
    Things,
)
from sayso.language.thing_makers import SPEAKER, to_clean
from sayso.language.wordings import Verb
from sayso.logic.formula import (
    ALL,
    Formula,
    Prop,
    Quantified,
    Referent,
    Term,
    conjunction,
    conjuncts,
    disjunction,
    propositions,
)

_SPEAKER = "speaker"
DELIVERED = "delivered"
"""The form of what is forbidden until something: "don't bring it to X before ..." is about the
deed, as where it is asked for; "don't carry it into X before ..." is not."""
_LEADS_TO = re.compile(r"(\w+ )?to \{1\}")
_STACKING = frozenset({"stack", "pile"})
_RAISING = frozenset({"lift", "lift up"})


def wholes(things: Things, action: SpokenAction, vocabulary: Vocabulary) -> Things:
    """Things with those in place of their parts by which an action is worked, too: "the lid of the
    box", or "the box's lid", is the box; so is "the lid", with which it could not be done."""
    members = (
        replace(m, noun=_whole(m.noun, action, vocabulary)) if isinstance(m, Thing) else m
        for m in things.members
    )
    return replace(things, members=tuple(members))


def _whole(noun: str, action: SpokenAction, vocabulary: Vocabulary) -> str:
    """What a noun is a part of, by which the action is worked; the noun itself, if of nothing."""
    for part in action.parts:
        kind = action.arguments[0]
        if noun == part and not vocabulary.fits(part, kind):
            return kind
        said = re.fullmatch(rf"(.+?)(?:s|'s)? {part}|{part} of (.+)", noun)
        whole = next(filter(None, said.groups()), "") if said else ""
        if whole and vocabulary.fits(whole, kind):
            return whole
    return noun


def _off_whole(do: Do) -> Do:
    """ "the lid off the box" as "the lid of the box"; other words as they are."""
    match do.things, do.tails:
        case Things(members=(Thing() as part,)), (
            Tail(to=Things(members=(Thing() as whole,))) as t,
        ):
            if t.text in ("off {1}", "off of {1}", "from {1}"):
                named = replace(whole, noun=f"{part.noun} of {whole.noun}")
                return replace(do, things=Things((named,), at=do.at), tails=())
    return do


_OTHERWISE = "name another thing, or ask for something else."
_IMPOSSIBLE = "name another thing, or leave it out: it cannot happen."


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


class VerbPhrases(Ellipses):
    """Makes steps and prohibitions of verbs, in the light of what was said before."""

    def handled(self, do: Do, use: Use) -> Handled:
        """What a verb asks for. Raises UNSUPPORTED if the library lacks a predicate."""
        self._note_chain(do, use)
        do = _taken_out(self.placed_there(self._whole(self._of_its_whole(do))))
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
        said = wholes(do.things, action, self.lexicon.vocabulary)
        wheres_named = [tail.to for _, tail in pairs if tail.to is not None]
        everything = self._everything(said, pairs) if use == "goal" else None
        group = everything or self.discourse.group(
            said, use, action.arguments[0], beside=wheres_named
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
                self.check_type(entity, found.arguments[0], said.at, use)
            wheres.append((found, where))
        if do.verb in _STACKING and group.plural and use != "forbidden":
            raise refuse(
                do.at, "it is not clear whether these are to stand on each other.",
                hint="say 'put', or for each what it goes on.",
            )  # fmt: skip
        self._note_where(do, action, use)
        things = tuple(
            tuple(self._outcome(entity, found, where, use, do.at) for found, where in wheres)
            for entity in group.entities
        )
        named = all(not isinstance(m, Pronoun | Ordinal) for m in said.members)
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

    def check_type(self, entity: Entity, types: str, at: At, use: Use = "goal") -> None:
        """Raises UNSUPPORTED for a thing with which this cannot be done."""
        vocabulary, noun = self.lexicon.vocabulary, entity.referent.noun
        if not vocabulary.fits(noun, types):
            raise self.discourse.refuse(
                at, f"'{noun}' is not {vocabulary.described(types)}.",
                choices=vocabulary.nouns_of(types)[:MAX_NAMED], code=Code.UNSUPPORTED,
                hint=_IMPOSSIBLE if use == "forbidden" else _OTHERWISE,
            )  # fmt: skip

    def _outcome(
        self, entity: Entity, action: SpokenAction, where: Entity | None, use: Use, at: At
    ) -> Outcome:
        if where is not None and where.term == entity.term and len(action.goal) > 1:
            raise self.discourse.refuse(at, "a thing cannot be brought to itself.")
        entities = (entity,) if where is None else (entity, where)
        steps = tuple(self._step(step, entities) for step in action.goal)
        each = where is not None and where.quantity == ALL and use != "forbidden"
        if where is not None and each and is_of_many(entity):
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
        stays = all(isinstance(p, Prop) for p in conjuncts(state)) and self._lasting(state)
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
                args.append(Referent(SPEAKER))
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

    # -- actions -------------------------------------------------------------------------

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
            beside = do.form == CONTRASTED or _numbered(do.things)
            beside |= do.form == DELIVERED and _LEADS_TO.fullmatch(tail.text) is not None
            forbids = use == "forbidden" and not beside
            fitting = sorted(actions, key=lambda a: a.forbidden_only != forbids)
            found.append((self._fitting(fitting, do.things, tail.to), self._on_what(tail)))
        return found

    def _of_its_whole(self, do: Do) -> Do:
        """What is done to a part by which its whole is worked: "take the lid off the box" is done
        to "the lid of the box"; "lift the box's lid" is "open the box's lid", where that opens it.
        """
        named = _off_whole(do)
        if named.things is None or {t.text for t in named.tails} - {"", "up"}:
            return do
        own, opened = (
            self.lexicon.verbs.get(verb, Verb({})).with_thing.get("", ())
            for verb in (do.verb, "open")
        )
        if self._by_part(own, named.things) is not None:
            return named
        if do.verb in _RAISING and self._by_part(opened, named.things) is not None:
            return replace(named, verb="open", tails=())
        return do

    def _by_part(self, actions: Sequence[SpokenAction], things: Things) -> SpokenAction | None:
        """The action that is done to a part which the things are: "the lid of the box"."""
        vocabulary = self.lexicon.vocabulary
        return next((a for a in actions if wholes(things, a, vocabulary) != things), None)

    def _fitting(self, actions: Sequence[SpokenAction], *things: Things | None) -> SpokenAction:
        """Of what the same words may ask for, what the things are fit for: "to the bowl" is in it,
        "never touch the can" is never to hold it, "never touch the cat" never to be near."""
        fits = self.lexicon.vocabulary.fits
        if things[0] is not None and (found := self._by_part(actions, things[0])) is not None:
            return found
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


def _numbered(things: Things) -> bool:
    """ "never bring more than two mugs": so many are not in the hand at once."""
    named = (t.determiner for t in things.members if isinstance(t, Thing))
    return any(isinstance(d, NumberOf) for d in named)


def any_order(events: Sequence[Event]) -> Event:
    """One event, or all of them in any order."""
    return events[0] if len(events) == 1 else AnyOrder(tuple(events))
