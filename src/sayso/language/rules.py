"""Rules: what must hold, or must not come about, from the first step of a task to the last.

Under a prohibition "a", "any", "all" and plurals cover each thing; the quantifier stands around
the rule about one of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from sayso.core.vocabulary import SpokenAction
from sayso.language import meaning as m
from sayso.language.arrangements import Arrangements
from sayso.language.entities import Entity, bound, product_of
from sayso.language.events import at_most, negation
from sayso.language.everything import ANYTHING, bare_everything
from sayso.language.limits import ANY_OR_AT_ONCE, Limits, Ruling
from sayso.language.thing_makers import names_none
from sayso.language.verb_phrases import DELIVERED, of_what_was_put
from sayso.logic.formula import (
    ALL,
    Always,
    Formula,
    Or,
    Referent,
    conjunction,
    disjunction,
    map_referents,
    propositions,
)

_OF_STATES = (m.NeverState, m.Keep, m.KeepEmpty)
_EACH_OR_ALL = "it is not clear whether each of these is forbidden, or only all of them."
_AND_AT_ONCE = "'at once' needs 'and' between the things."


class Rules(Limits):
    """Makes formulas of rules."""

    def rule(
        self, rule: m.Rule, after: Formula | None = None, during: Formula | None = None,
        latest: Formula | None = None,
    ) -> list[Formula]:  # fmt: skip
        """A rule, which holds only from `after` on, or only in states of `during`, if given.

        `latest` is what "after that" refers to.
        """
        limit = getattr(rule, "limit", None)
        if limit is not None and (during is not None or (after and limit.kind != "from then")):
            raise self.discourse.refuse(
                rule.at, "this rule has two limits.", hint="say them one by one."
            )
        if limit is not None and limit.kind == "finally" and not isinstance(rule, _OF_STATES):
            raise self.discourse.refuse(
                limit.at, "it is not clear whether this is forbidden before the end, too.",
                hint="say what must not be so at the end, or 'never ...'.",
            )  # fmt: skip
        if isinstance(rule, m.Avoid | m.LeaveAlone) and names_none(rule.things):
            raise self.clauses.twice_negated(rule.at)
        match rule:
            case m.Never(acts, limit):
                return self._forbidden(acts, limit, after, during, latest)
            case m.Avoid():
                return self._avoided(rule, after, during, latest)
            case m.LeaveAlone():
                return self._left_alone(
                    rule, self._ruling(rule.at, rule.limit, after, during, latest)
                )
            case m.NotThose():
                return self._not_those(rule, self._ruling(rule.at, None, after, during, latest))
            case m.NeverState():
                return self._never_state(
                    rule, lambda limit: self._ruling(rule.at, limit, after, during, latest)
                )
            case m.KeepEmpty():
                ruling = self._ruling(rule.at, rule.limit, after, during, latest)
                return [Arrangements(self.clauses).kept_empty(rule, ruling)]
            case m.NothingBut():
                return self._nothing_but(rule, self._ruling(rule.at, None, after, during, latest))
            case m.Revisit(things):
                return self._revisit(rule, things)
            case m.Keep(state, limit):
                return self._kept(state, limit, after, during)
        raise self.discourse.refuse(
            rule.at, "what is done is nothing that holds.",
            hint="say 'keep ...' for what is to stay so, or leave out 'make sure'.",
        )  # fmt: skip

    def states(self, rule: m.Never | m.Avoid | m.Keep) -> list[Formula]:
        """What the rule wants at each step, without "always"."""
        if isinstance(rule, m.Keep):
            return [bound(state, entities) for state, entities in self._kept_states(rule.state)]
        if isinstance(rule, m.Never):
            return self._known(rule.acts, negation)
        return self._each_avoided(rule, negation)

    # -- prohibitions ------------------------------------------------------------------------

    def _not_those(self, rule: m.NotThose, ruling: Ruling) -> list[Formula]:
        """ "take the red mug, not the blue one, to the desk": the verb goes on with the red one."""
        last = self.clauses.last
        two = _of_which_not_both(rule, last)
        if last is not None and two is not None:
            return [self._never_both(replace(last, things=replace(two, joiner="and", marker="")))]
        found = self.clauses.forbidden(m.Several((self.clauses.contrasted(rule),)), ruling)
        self.clauses.last = last
        return found

    def _never_both(self, do: m.Do) -> Formula:
        """Of what lasts, never both at one moment; of what passes, one of them never."""
        handled = self.clauses.handled(do, "condition")
        states = [bound(o.steps[-1], o.entities) for outcomes in handled.things for o in outcomes]
        lasting = self.clauses.lexicon.vocabulary.lasting
        if all(p.predicate in lasting for s in states for p in propositions(s)):
            return Always(negation(conjunction(*states)))
        return disjunction(*(Always(negation(s)) for s in states))

    def _never_state(
        self, rule: m.NeverState, ruling: Callable[[m.Bound | None], Ruling]
    ) -> list[Formula]:
        """ "the mug must never be on the plate"; "... and the bowl ... at the same time"."""
        fact, limit = rule.fact, rule.limit
        if any(map(names_none, fact.things)):
            raise self.clauses.twice_negated(rule.at)
        if limit is not None and limit.kind in m.AT_ONE_TIME:
            at_once = [self._are_at_once(things, limit) for things in fact.things]
            if any(at_once):
                if any(t.joiner == "or" for t in fact.things):
                    raise self.discourse.refuse(limit.at, _AND_AT_ONCE)
                return [Always(negation(self.clauses.state(fact, "condition")))]
            self._require_number(fact.things, limit)
            limit = None
        self._refuse_all_states(fact)
        if len(fact.things) > 1:
            first, *places = fact.things
            fact = replace(fact, things=(of_what_was_put(first), *places))
        return self._facts(fact, ruling(limit))

    def _forbidden(
        self, acts: m.Several, limit: m.Bound | None, after: Formula | None,
        during: Formula | None, latest: Formula | None,
    ) -> list[Formula]:  # fmt: skip
        if limit is not None and limit.kind in m.AT_ONE_TIME:
            named = [do.things for do in acts.members if do.things is not None]
            at_once = [self._are_at_once(things, limit) for things in named]
            if any(at_once):
                return [self._never_at_once(acts, limit)]
            self._require_number(named, limit)
            limit = None
        self.refuse_not_all(acts)
        for do in acts.members:
            if do.things is not None and any(map(_holds_something, do.things.members)):
                raise self.discourse.refuse(
                    do.things.at, "it is not clear whether this says which one, or when.",
                    hint="say 'while ... is in it', or name the thing otherwise.",
                )  # fmt: skip
        if any(map(self.lets_go, acts.members)):
            if limit is not None or after is not None or during is not None:
                raise self.discourse.refuse(acts.members[0].at, "this has no clear limit.",
                                            hint="say 'hold ... until ...'.")  # fmt: skip
            return self._known(acts, lambda s: Always(disjunction(s, Always(negation(s)))))
        if after is None and during is None and limit is not None:
            if limit.kind in ("until", "before"):
                acts = replace(
                    acts, members=tuple(replace(d, form=DELIVERED) for d in acts.members)
                )
            return self._limited(lambda rule: self._known(acts, rule), limit, latest)
        return self._known(acts, self._ruling(acts.members[0].at, limit, after, during, latest))

    def _never_at_once(self, acts: m.Several, limit: m.Bound) -> Formula:
        """ "never hold both mugs at once": one of them may be held."""
        if len(acts.members) > 1:
            raise self.discourse.refuse(limit.at, "'at once' goes with one prohibition.")
        handled = self.clauses.handled(acts.members[0], "condition")
        if handled.joiner == "or" or handled.none:
            raise self.discourse.refuse(limit.at, _AND_AT_ONCE)
        states = [bound(o.steps[-1], o.entities) for outcomes in handled.things for o in outcomes]
        return Always(negation(conjunction(*states)))

    def _are_at_once(self, things: m.Things, limit: m.Bound) -> bool:
        """Whether these are what must not be so at one time. Raises NOT_UNDERSTOOD for "never have
        the blocks on the tray at once": no two of them, or not all of them."""
        several = _all_of(things)
        if limit.kind == m.BOTH_AT_ONCE and len(things.members) > 2:
            raise self.discourse.refuse(limit.at, "'both' is of two things.")
        if several or not any(map(_may_be_several, things.members)):
            return several
        entities = self.discourse.copy().group(things, "condition").entities
        if len(entities) > 1:
            return True
        raise self.discourse.refuse(
            limit.at, "it is not clear whether no two of these may be so at once, or only not "
            "all of them.", hint="say 'more than one ...', or 'all the ... at once'.",
        )  # fmt: skip

    def _require_number(self, named: Sequence[m.Things], limit: m.Bound) -> None:
        """ "never hold more than one block at once"; "never hold the mug at once" says nothing."""
        numbers = [n for things in named for n in _numbers(things)]
        both = limit.kind == m.BOTH_AT_ONCE
        if not numbers or (both and any(n.number != 2 or n.limit == "more than" for n in numbers)):
            raise self.discourse.refuse(
                limit.at, "it is not clear what must not be so at once.",
                hint="name the things with 'and' between them, or say 'more than one ...'.",
            )  # fmt: skip

    def _refuse_all_states(self, fact: m.Fact) -> None:
        """ "never have both doors open": neither of them, or not the one and the other."""
        if any(map(_names_all, fact.things)):
            raise self.discourse.refuse(fact.at, _EACH_OR_ALL, hint=ANY_OR_AT_ONCE)

    def lets_go(self, do: m.Do) -> bool:
        """ "never let go of the mug": once it is held, it is held to the end."""
        lexicon = self.discourse.lexicon
        tails = [t.text for t in do.tails] or [""]
        known = lexicon.verbs[do.verb].with_thing if do.verb in lexicon.verbs else {}
        meant = [_if_forbidden(known.get(t, ())) for t in tails]
        wanted = [w for actions in meant for a in actions for w in a.goal[-1]]
        return bool(wanted) and all(
            not w.positive and w.predicate not in lexicon.vocabulary.lasting for w in wanted
        )

    def refuse_not_all(self, acts: m.Several) -> None:
        """ "never visit both desks": none of them, or not the one and the other."""
        for do in acts.members:
            if do.verb == "leave" and do.form != "done":
                raise self.discourse.refuse(
                    do.at, "it is not clear whether it may be there at first.",
                    hint="say 'never put ...', or what should be so at the end.",
                )  # fmt: skip
            if do.form != "done" and do.things is not None and _names_all(do.things):
                raise self.discourse.refuse(do.at, _EACH_OR_ALL, hint=ANY_OR_AT_ONCE)

    def _avoided(
        self, rule: m.Avoid, after: Formula | None, during: Formula | None,
        latest: Formula | None,
    ) -> list[Formula]:  # fmt: skip
        if after is None and during is None and rule.limit is not None:
            return self._limited(lambda r: self._each_avoided(rule, r), rule.limit, latest)
        return self._each_avoided(rule, self._ruling(rule.at, None, after, during, latest))

    def _known(self, acts: m.Several, rule: Ruling) -> list[Formula]:
        """For each thing that the actions name a rule about it, shorter names understood."""

        def known(state: Formula) -> Formula:
            return rule(self._renamed(state, acts.members[0].at))

        return self.clauses.forbidden(acts, known)

    def _renamed(self, state: Formula, at: m.At) -> Formula:
        def change(referent: Referent) -> Referent:
            return self.discourse.known(Entity(referent), at).referent

        return map_referents(state, change)

    def _each_avoided(self, rule: m.Avoid, ruling: Ruling) -> list[Formula]:
        predicate = self.discourse.lexicon.vocabulary.avoid
        if not predicate:
            raise self.discourse.refuse(rule.at, "this library does not say what 'avoid' is.")
        group = self.discourse.group(rule.things, "forbidden")
        rules = []
        for entity in group.entities:
            known = self.discourse.known(entity, rule.at)
            state = self.clauses.prop(predicate, known.term)
            rules.append(self.clauses.ruled(state, (known,), ruling))
        return rules

    def _left_alone(self, rule: m.LeaveAlone, ruling: Ruling) -> list[Formula]:
        """Not touched. Where the library knows no touching: not held, and what can be worked
        where it stands, such as a door or a lamp, stays as it is."""
        lexicon = self.discourse.lexicon
        predicate = "touching" if "touching" in lexicon.predicates else "holding"
        rest = any(isinstance(t, m.Pronoun) and t.kind == "the rest" for t in rule.things.members)
        if rule.standing == "it is" and rest:
            raise self.discourse.refuse(
                rule.at, "it is not clear what is left alone.", hint="name the things."
            )
        rules = []
        for entity in self.discourse.group(rule.things, "forbidden").entities:
            known = self.discourse.known(entity, rule.at)
            stays = predicate == "touching" or rule.standing
            states = () if stays else self._own_states(known, rule)
            for own in states:
                if rule.limit is not None:
                    raise self.discourse.refuse(
                        rule.limit.at, "how long something stays as it is cannot be limited.",
                        hint="say 'never open ...', 'never switch on ...' with the limit.",
                    )  # fmt: skip
                prop = self.clauses.prop(own, known.term)
                rules.append(self.clauses.ruled(prop, (known,), _unchanged))
            if not states or self._is_carried(known):
                state = self.clauses.prop(predicate, known.term)
                rules.append(self.clauses.ruled(state, (known,), ruling))
        return rules

    def _own_states(self, thing: Entity, rule: m.LeaveAlone) -> tuple[str, ...]:
        """The lasting states of a thing by itself, such as open or lit."""
        lexicon = self.discourse.lexicon
        lasting = sorted(lexicon.vocabulary.lasting)
        own = [p for p in lasting if len(lexicon.predicates[p].types) == 1]
        if own and thing.referent.noun == ANYTHING:
            raise self.discourse.refuse(
                rule.at, "not all that may be changed here can be said at once.",
                hint="say which things are to be left alone.",
            )  # fmt: skip
        types = lexicon.vocabulary.types_of(thing.referent.noun) or frozenset()
        return tuple(p for p in own if not types.isdisjoint(lexicon.types_of(p, 1)))

    def _is_carried(self, thing: Entity) -> bool:
        lexicon = self.discourse.lexicon
        types = lexicon.vocabulary.types_of(thing.referent.noun) or frozenset()
        return not types.isdisjoint(lexicon.types_of("holding", 1))

    def _facts(self, fact: m.Fact, ruling: Ruling) -> list[Formula]:
        groups, _ = self.clauses.groups(fact, "forbidden")
        rules = []
        for entities in product_of(groups):
            state: Formula = self.clauses.prop(fact.predicate, *(e.term for e in entities))
            rules.append(self.clauses.ruled(state if fact.positive else negation(state),
                                            entities, ruling))  # fmt: skip
        return rules

    def _nothing_but(self, rule: m.NothingBut, ruling: Ruling) -> list[Formula]:
        """ "touch nothing but the red block": nothing else may be touched."""
        things = rule.things
        if any(map(bare_everything, things.members)):
            raise self.discourse.refuse(
                rule.at, "it is not clear what 'only' leaves out.", hint="say it without 'only'."
            )
        kinds = {t.noun for t in things.members if isinstance(t, m.Thing)}
        apart = m.Things(things.members, things.joiner, "", things.at)
        noun = ANYTHING if rule.form != "done" or len(kinds) != 1 else kinds.pop()
        everything = m.Thing("all", (), noun, True, (), apart, at=rule.at)
        do = m.Do(rule.verb, rule.form, m.Things((everything,), at=rule.at), rule.tails, rule.at)
        return self.clauses.forbidden(m.Several((do,)), ruling)

    def _revisit(self, rule: m.Revisit, things: m.Things | m.Pronoun) -> list[Formula]:
        if isinstance(things, m.Pronoun):
            things = m.Things((things,), at=things.at)
        predicate = self.discourse.lexicon.vocabulary.avoid
        group = self.discourse.group(things, "forbidden")
        return [
            bound(
                at_most(self.clauses.prop(predicate, self.discourse.known(e, rule.at).term), 1), [e]
            )
            for e in group.entities
        ]

    # -- what has to hold --------------------------------------------------------------------

    def _kept(
        self, condition: m.Condition, limit: m.Bound | None, after: Formula | None,
        during: Formula | None,
    ) -> list[Formula]:  # fmt: skip
        states = self._kept_states(condition)
        ruling = self._keeping(limit, after, during)
        return [bound(ruling(state), entities) for state, entities in states]

    def _kept_states(self, condition: m.Condition) -> list[tuple[Formula, list[Entity]]]:
        states = [self._kept_state(s) for s in condition.states]
        if condition.joiner == "or":
            entities = [e for _, es in states for e in es]
            if entities:
                raise self.discourse.refuse(condition.at, "it is not clear what has to stay so.")
            states = [(disjunction(*(s for s, _ in states)), [])]
        return states

    def _kept_state(self, state: m.Fact | m.NotState | m.ActState) -> tuple[Formula, list[Entity]]:
        if not isinstance(state, m.Fact):
            return self.clauses.state(state, "condition"), []
        groups, none = self.clauses.groups(state, "condition" if state.positive else "forbidden")
        groups = [
            replace(g, entities=tuple(self.discourse.known(e, state.at) for e in g.entities))
            for g in groups
        ]
        found, all_entities = [], []
        for entities in product_of(groups):
            prop: Formula = self.clauses.prop(state.predicate, *(e.term for e in entities))
            prop = prop if state.positive and not none else negation(prop)
            inner = [e for e in entities if e.variable and e.quantity != ALL]
            found.append(bound(prop, inner))
            all_entities += [e for e in entities if e.quantity == ALL and e not in all_entities]
        joiner = next((g.joiner for g in groups if g.joiner), "")
        whole = disjunction(*found) if joiner == "or" else conjunction(*found)
        return whole, all_entities


def _unchanged(state: Formula) -> Formula:
    return Or((Always(state), Always(negation(state))))


def _if_forbidden(actions: Sequence[SpokenAction]) -> Sequence[SpokenAction]:
    """Of what the same words may ask for, what is meant where it is forbidden."""
    return [a for a in actions if a.forbidden_only] or actions


def _all_of(things: m.Things) -> bool:
    """Whether what must not be so at once is told: "the mug and the bowl", "both", "all three"."""
    return (
        len(things.members) > 1
        or _names_all(things)
        or any(n.definite and n.number > 1 for n in _numbers(things))
    )


def _numbers(things: m.Things) -> list[m.NumberOf]:
    named = (t.determiner for t in things.members if isinstance(t, m.Thing))
    return [n for n in named if isinstance(n, m.NumberOf)]


def _may_be_several(thing: m.Named) -> bool:
    """ "the blocks", "them", of which it is not said how many."""
    if isinstance(thing, m.Pronoun):
        return thing.kind == "them"
    return isinstance(thing, m.Thing) and thing.plural and thing.determiner in ("", "the", "any")


def _holds_something(thing: m.Named) -> bool:
    """ "never close the drawer with the mug in it"."""
    relations = thing.relations if isinstance(thing, m.Thing) else ()
    return any(r.kind == "contains" or any(map(_is_nothing, r.others)) for r in relations)


def _is_nothing(thing: m.Named) -> bool:
    return isinstance(thing, m.Thing) and thing.determiner == "none"


def _names_all(things: m.Things) -> bool:
    """Whether it is "both" or "all the" of a kind, of which some may be left."""
    return things.marker == "both" or any(
        (t.determiner in ("both", "all", "each") or getattr(t.determiner, "whole", False))
        and t.noun != ANYTHING
        and t.apart is None
        if isinstance(t, m.Thing)
        else t.kind in ("both of them", "all of them")
        for t in things.members
        if isinstance(t, m.Thing | m.Pronoun)
    )


def _of_which_not_both(rule: m.NotThose, last: m.Do | None) -> m.Things | None:
    """The two of "put the red or the blue one in the bowl, but not both"; None for other words."""
    kinds = [getattr(t, "kind", "") for t in rule.things.members] if rule.things else []
    things = last.things if last is not None else None
    of_two = things is not None and things.joiner == "or" and len(things.members) == 2
    if last is not None and len(last.tails) > 1:
        return None  # "on the tray or the plate, but not both": of the things or of the places
    return things if of_two and kinds == ["both of them"] else None
