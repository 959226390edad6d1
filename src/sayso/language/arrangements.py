"""Clauses about where things stand when a task begins: "swap", "back where it was", "empty".

Where that is, grounding finds out: what a thing stands on is "the thing below it".
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from itertools import pairwise

from sayso.language import meaning as m
from sayso.language.clauses import Clauses
from sayso.language.entities import Entity
from sayso.language.events import Event, State, negation, together
from sayso.language.everything import ANYTHING
from sayso.language.wordings import PLACING
from sayso.logic.formula import (
    ALL,
    SOME,
    Formula,
    Quantified,
    Referent,
    Relation,
    Variable,
    conjunction,
)

MOST_STACKED = 6


@dataclass(frozen=True)
class Arrangements:
    """Makes events of such clauses. Raises NOT_UNDERSTOOD for things that are not single ones."""

    clauses: Clauses

    def swapped(self, swap: m.Swap) -> Event:
        """Each of two things goes where the other one is."""
        one = self._single(m.Things((swap.one,), at=swap.at), "swap")
        other = self._single(m.Things((swap.other,), at=swap.at), "swap")
        states = (self._placed(one, other), self._placed(other, one))
        return together(map(State, states), self.clauses.lexicon.vocabulary.lasting)

    def put_back(self, back: m.PutBack) -> Event:
        """A thing goes where it is when the task begins."""
        (named, *_) = back.thing.members
        if isinstance(named, m.Pronoun) and named.kind == "it":
            named = replace(named, kind="it moved")
        thing = self._single(replace(back.thing, members=(named,)), "put back")
        return State(self._placed(thing, thing))

    def put_where(self, put: m.PutWhere) -> Event:
        """A thing goes where another one is when the task begins."""
        thing = self._single(put.thing, "put")
        return State(self._placed(thing, self._single(put.other, "put")))

    def emptied(self, empty: m.Empty) -> Event:
        """Nothing is on a thing, or in it if it is a container."""
        return State(self._none_there(empty.thing, negation))

    def kept_empty(self, keep: m.KeepEmpty, ruling: Callable[[Formula], Formula]) -> Formula:
        """A rule about whatever may be on a thing, or in it if it is a container."""
        return self._none_there(keep.thing, ruling)

    def _none_there(self, things: m.Things, ruling: Callable[[Formula], Formula]) -> Formula:
        thing = self._single(things, "empty")
        contains = self.clauses.lexicon.vocabulary.takes_in(thing.referent.noun)
        variable = Variable(f"x{self.clauses.discourse.count + 1}")
        self.clauses.discourse.count += 1
        lies = self.clauses.prop("in" if contains else "on", variable, thing.term)
        apart = (thing.term,)
        return Quantified(ALL, variable, Referent(ANYTHING), ruling(lies), apart)

    def stacked(self, tower: m.Tower) -> Event:
        """So many things of a kind are one on the other, whichever comes where."""
        thing, number = tower.thing, tower.thing.determiner
        named = isinstance(number, m.NumberOf) and not number.limit and thing.plural
        if (
            not named
            or not isinstance(number, m.NumberOf)
            or not 2 <= number.number <= MOST_STACKED
        ):
            raise self.clauses.discourse.refuse(
                tower.at, f"a tower is of two to {MOST_STACKED} things of a kind.",
                hint="say how many, or 'put X on Y' of each.",
            )  # fmt: skip
        first = self.clauses.discourse.count
        self.clauses.discourse.count += number.number
        places = [Variable(f"x{first + i + 1}") for i in range(number.number)]
        on = [self.clauses.prop("on", upper, lower) for upper, lower in pairwise(places)]
        state: Formula = conjunction(*on)
        for i in reversed(range(number.number)):
            kind = Referent(thing.noun, thing.attributes)
            state = Quantified(SOME, places[i], kind, state, tuple(places[:i]))
        return State(state)

    def layered(self, layers: m.Layers) -> Event:
        """Things that are named stand one on the other."""
        discourse = self.clauses.discourse
        found = [self._single(m.Things((t,), at=layers.at), "stack") for t in layers.things]
        if layers.between is not None:
            kind = Referent(layers.between.noun, layers.between.attributes)
            apart = tuple(e.term for e in found)
            found.insert(1, discourse.only_other(kind, apart))
        if layers.base is not None:
            found.insert(0, self._single(layers.base, "stack"))
        put = self.clauses.lexicon.verbs.get(PLACING)
        for action in (put.with_thing.get("on {1}", ()) if put else ())[:1]:
            for upper in found[1:]:
                self.clauses.check_type(upper, action.arguments[0], layers.at)
        on = [self.clauses.prop("on", upper.term, lower.term) for lower, upper in pairwise(found)]
        return State(conjunction(*on))

    def _placed(self, thing: Entity, where: Entity) -> Formula:
        """The state of a thing that was put on what another one stands on."""
        put = self.clauses.lexicon.verbs.get(PLACING)
        actions = put.with_thing.get("on {1}", ()) if put else ()
        predicate = actions[0].goal[-1][0].predicate if actions else "on"
        below = Referent(ANYTHING, (), (Relation("isbelow", (where.referent,)),))
        return self.clauses.prop(predicate, thing.term, below)

    def _single(self, things: m.Things, verb: str) -> Entity:
        entity = self.clauses.discourse.single(things, "goal")
        if entity.variable is not None:
            raise self.clauses.discourse.refuse(
                things.at, f"'{verb}' needs things that are named one by one.",
                hint=f"say '{verb} the ...' of each of them.",
            )  # fmt: skip
        return entity
