"""What is left of the steps of a task when a thing is left out of them, or made an exception."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from dataclasses import replace

from sayso.language.events import (
    Again,
    AnyOrder,
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
from sayso.logic.formula import (
    ALL,
    And,
    Formula,
    Not,
    Prop,
    Quantified,
    Referent,
    conjunction,
    propositions,
)

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
        case Either() | Again() | Holds() | Each():
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
