"""What clauses say of the world: states and occasions, as formulas without time.

Where a quantifier stands in the formula depends on what its clause is for, as the table in
`docs/controlled-english.md` says; a variable of "a ..." is bound at the end, around everything
that speaks of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from sayso.language.ellipsis import is_there
from sayso.language.entities import (
    Entity,
    Group,
    Use,
    bound,
    is_of_many,
    product_of,
    waits,
)
from sayso.language.events import (
    negation,
)
from sayso.language.meaning import (
    ActState,
    At,
    Condition,
    Do,
    Fact,
    NotState,
    Occasion,
    PlaceNamed,
    Several,
    Tail,
)
from sayso.language.thing_makers import choices
from sayso.language.verb_phrases import Outcome, VerbPhrases
from sayso.logic.formula import (
    ALL,
    SOME,
    Formula,
    Prop,
    conjunction,
    disjunction,
    map_propositions,
    map_referents,
)


class Clauses(VerbPhrases):
    """Makes formulas of clauses, in the light of what was spoken of."""

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
                told, places = self._told_there(act), self.lexicon.places
                if is_there(act) and not told:
                    self.note_brought(act)
                formula = self.reached(Several((act,)), "condition")
                if told:
                    formula = map_propositions(
                        formula, lambda p: Prop(told, p.args) if p.predicate in places else p
                    )
                if state.idle and self._lasting(formula):
                    raise self.discourse.refuse(
                        act.at, "when this is not being done cannot be observed.",
                        hint="say what is, or is not, so then.",
                    )  # fmt: skip
                return formula if positive else negation(formula)

    def _told_there(self, do: object) -> str:
        """The predicate by which a thing was told to be "there": "if it is on the desk, ...; if it
        is not there, ..." is the same state; "" of any other place."""
        told = self.there if self.there is self.there_told else None
        if told is None or not isinstance(do, Do) or not is_there(do):
            return ""
        return next(p for p, text in self.lexicon.places.items() if text == told.text)

    def fact(self, fact: Fact, use: Use) -> Formula:
        """A clause's proposition for each thing, with the quantifiers around it."""
        groups, none = self.groups(fact, use)
        if fact.predicate in self.lexicon.places and len(fact.things) == 2:
            self.there = Tail(self.lexicon.places[fact.predicate], fact.things[1])
            self.there_told = self.there
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
            case [one, Entity(quantity=quantity) as place] if is_of_many(one) and quantity == ALL:
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

    # -- occasions ------------------------------------------------------------------------

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
