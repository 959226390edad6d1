"""What is left of the steps of a task when a thing is left out of them, or made an exception."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

from sayso.language.events import (
    Again,
    AnyOrder,
    Conditioned,
    Each,
    Either,
    Event,
    Guarded,
    Holds,
    Repeated,
    Sequence,
    State,
    achieve,
)
from sayso.language.everything import ANYTHING
from sayso.language.lexicon import Lexicon
from sayso.language.meaning import Thing, Things
from sayso.language.thing_makers import one_of
from sayso.logic.formula import (
    ALL,
    Always,
    And,
    Formula,
    Not,
    Prop,
    Quantified,
    Referent,
    Term,
    Variable,
    children,
    conjunction,
    propositions,
    walk,
)


def spared(things: Things, out: Things) -> Things | None:
    """What is left of things that are named one by one without some of them; None where these are
    not among them, or none would be left."""
    chosen = _chosen(things, out)
    kept = tuple(t for t in things.members if all(t is not c for c in chosen))
    if not chosen or not kept:
        return None
    return replace(things, members=kept, joiner=things.joiner if kept[1:] else "")


def only_those(things: Things, said: Things) -> Things | None:
    """Of things that are named one by one those that are named once more; None for others."""
    chosen = _chosen(things, said)
    kept = tuple(t for t in things.members if any(t is c for c in chosen))
    if not kept:
        return None
    return replace(things, members=kept, joiner=things.joiner if kept[1:] else "")


def _chosen(things: Things, said: Things) -> tuple[Thing, ...]:
    """The members that words name, each of them one; nothing where one is not clear."""
    listed = things.joiner == "and" or len(things.members) == 1
    if not listed or things.led or things.marker or said.joiner == "or":
        return ()
    found = [one_of(t, things) if isinstance(t, Thing) else None for t in said.members]
    named = tuple(t for t in found if t is not None)
    return named if len(named) == len(found) == len({id(t) for t in named}) else ()


Takes = Callable[[Prop], bool]


class UnclearLeftoverError(Exception):
    """It is not clear what is left of a step."""


def handles(thing: Referent) -> Takes:
    """What a step does with a thing; raises UnclearLeftoverError where it is a place for others."""

    def takes(prop: Prop) -> bool:
        if thing in prop.args[1:]:
            raise UnclearLeftoverError
        return prop.args[:1] == (thing,)

    return takes


def without(events: Iterable[Event], takes: Takes) -> tuple[Event, ...]:
    """The events without the states of which something is true.

    Raises:
        UnclearLeftoverError: a state is taken back of which others depend.
    """
    return tuple(left for e in events if (left := _left_of(e, takes)) is not None)


def all_but(events: Iterable[Event], thing: Referent, kinds: Collection[str]) -> tuple[Event, ...]:
    """The events, with what is done with all of a kind done with all but one thing.

    Args:
        kinds: nouns of which the thing may be one.
    """
    return tuple(_but(e, thing, kinds) for e in events)


@dataclass(frozen=True)
class Excluding:
    """What of all that is asked for a rule excludes."""

    lexicon: Lexicon
    asked_for: Formula

    @property
    def asked(self) -> tuple[Prop, ...]:
        """The states that are to come about."""
        return tuple(dict.fromkeys(_wanted(self.asked_for)))

    def excludes(self, rule: Formula, asked: Prop) -> bool:
        """Whether a state can never be while a rule holds: it is forbidden, by itself or with all
        of a kind, or something else is to stay so."""
        forbidden = forbidden_by((rule,))
        if any(self._is_one_of(p, asked, domains_of(rule)) for p in forbidden):
            return True
        kept = rule.arg if isinstance(rule, Always) else None
        lasting = self.lexicon.vocabulary.lasting
        return (
            isinstance(kept, Prop)
            and len(kept.args) == 1
            and kept.args == asked.args
            and kept.predicate != asked.predicate
            and {kept.predicate, asked.predicate} <= lasting
        )

    def has_among_all(self, thing: Referent) -> bool:
        """Whether something is asked of all of a kind that a thing is of."""
        wholes = (q for q in domains_of(self.asked_for).values() if q.quantity == ALL)
        return any(self._fits(q, thing) for q in wholes)

    def speaks_of_same(self, rule: Formula) -> bool:
        """Whether a rule speaks of any thing of which something is asked."""
        theirs = domains_of(rule)
        said = [a for p in propositions(rule) for a in p.args]
        asked = [a for p in propositions(self.asked_for) for a in p.args]
        return any(self._may_be(a, b, theirs) for a in said for b in asked)

    def _is_one_of(self, forbidden: Prop, asked: Prop, domains: Domains) -> bool:
        same = forbidden.predicate == asked.predicate and len(forbidden.args) == len(asked.args)
        pairs = zip(forbidden.args, asked.args, strict=False)
        return same and all(self._may_be(a, b, domains) for a, b in pairs)

    def _may_be(self, ruled: Term, asked: Term, domains: Domains) -> bool:
        """Whether a thing of a rule, or one of those that it speaks of, is one that is asked of."""
        if ruled == asked:
            return True
        ours = domains_of(self.asked_for)
        whole = domains.get(ruled) if isinstance(ruled, Variable) else None
        other = ours.get(asked) if isinstance(asked, Variable) else None
        if whole is not None and other is not None:
            return self._fits(whole, other.domain) or self._fits(other, whole.domain)
        if whole is not None and isinstance(asked, Referent):
            return self._fits(whole, asked)
        return other is not None and isinstance(ruled, Referent) and self._fits(other, ruled)

    def _fits(self, whole: Quantified, thing: Referent) -> bool:
        types = self.lexicon.vocabulary.types_of(thing.noun) or ()
        of_kind = whole.domain.noun in {thing.noun, ANYTHING, *types}
        alike = set(whole.domain.attributes) <= set(thing.attributes)
        return of_kind and alike and thing not in whole.apart_from


Domains = Mapping[Variable, Quantified]


def domains_of(formula: Formula) -> Domains:
    """Of what things a formula speaks by each variable."""
    return {q.variable: q for q in walk(formula) if isinstance(q, Quantified)}


def forbidden_by(rules: Iterable[Formula]) -> tuple[Prop, ...]:
    """The states that rules forbid, from the first step to the last; also of all of a kind."""
    return tuple(dict.fromkeys(p for rule in rules for p in _forbidden(rule)))


def _forbidden(rule: Formula) -> Iterator[Prop]:
    match rule:
        case Always(Not(Prop() as prop)):
            yield prop
        case Always(Quantified(quantity=quantity, body=body)) if quantity == ALL:
            yield from _forbidden(Always(body))
        case Quantified(quantity=quantity, body=body) if quantity == ALL:
            yield from _forbidden(body)
        case And(args):
            for arg in args:
                yield from _forbidden(arg)


def _wanted(formula: Formula) -> Iterator[Prop]:
    if isinstance(formula, Prop):
        yield formula
    elif not isinstance(formula, Not):
        for part in children(formula):
            yield from _wanted(part)


def _left_of(event: Event, takes: Takes) -> Event | None:
    match event:
        case State(formula) | Repeated(formula):
            left = _state_left(formula, takes)
            return None if left is None else replace(event, formula=left)
        case Sequence(events) | AnyOrder(events):
            kept = without(events, takes)
            return replace(event, events=kept) if kept else None
        case Guarded(inner, guard):
            _refuse(guard, takes)
            left_inner = _left_of(inner, takes)
            return None if left_inner is None else replace(event, event=left_inner)
        case Either() | Again() | Holds() | Each() | Conditioned():
            _refuse(achieve(event), takes)
    return event


def _state_left(formula: Formula, takes: Takes) -> Formula | None:
    match formula:
        case Prop() as prop:
            return None if takes(prop) else formula
        case Not(Prop() as prop):
            return None if takes(prop) else formula
        case And(args):
            kept = [k for a in args if (k := _state_left(a, takes)) is not None]
            return conjunction(*kept) if kept else None
    _refuse(formula, takes)
    return formula


def _refuse(formula: Formula, takes: Takes) -> None:
    if any(map(takes, propositions(formula))):
        raise UnclearLeftoverError


def _but(event: Event, thing: Referent, kinds: Collection[str]) -> Event:
    match event:
        case State(formula) | Repeated(formula):
            return replace(event, formula=_state_but(formula, thing, kinds))
        case Sequence(events) | AnyOrder(events) | Either(events):
            return replace(event, events=all_but(events, thing, kinds))
        case Guarded(inner):
            return replace(event, event=_but(inner, thing, kinds))
        case Each(domain=domain, apart=apart) if domain.noun in kinds and thing not in apart:
            return replace(event, apart=(*apart, thing))
    return event


def _state_but(formula: Formula, thing: Referent, kinds: Collection[str]) -> Formula:
    match formula:
        case And(args):
            return conjunction(*(_state_but(a, thing, kinds) for a in args))
        case Quantified(quantity, _, domain, _, apart) if quantity == ALL and domain.noun in kinds:
            left_out = thing in apart
            return formula if left_out else replace(formula, apart_from=(*apart, thing))
    return formula
