"""What the events of a task ask for: the states in them, what of them can be repeated, and what is
held back where one comes before another."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from collections.abc import Sequence as Seq
from dataclasses import replace
from typing import TypeAlias

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
    negation,
)
from sayso.logic.formula import (
    SOME,
    And,
    Formula,
    Prop,
    Quantified,
    Top,
    Variable,
    conjunction,
    conjuncts,
    propositions,
)


def shares_state(event: Event, guard: Formula) -> bool:
    """Whether a guard speaks of a state that an event asks for."""
    return bool(set(propositions(achieve(event))) & set(propositions(guard)))


def states_of(event: Event) -> tuple[Formula, ...]:
    """The states that all have to come about, in the order said."""
    match event:
        case State(formula):
            return (formula,)
        case Sequence(events) | AnyOrder(events):
            return tuple(s for e in events for s in states_of(e))
        case Guarded(inner, _):
            return states_of(inner)
    return ()


def is_taken_singly(before: Event, after: Event) -> bool:
    """Whether several things are taken at one after the other, each of which is then to be taken
    and put somewhere: "fetch the book and the cup and put them on the desk". One hand holds one
    thing: the first of the two asks for nothing of its own."""
    if isinstance(before, Each) and isinstance(after, Each):
        return _takes_each(before, after)
    if not (isinstance(before, Sequence) and isinstance(after, AnyOrder) and before.events[1:]):
        return False
    first = [e.events[0] for e in after.events if isinstance(e, Sequence) and e.events[1:]]
    singly = all(isinstance(e, State) for e in before.events)
    return singly and len(first) == len(after.events) and list(before.events) == first


def _takes_each(before: Each, after: Each) -> bool:
    steps = after.event.events if isinstance(after.event, Sequence) else ()
    taken = before.event.formula if isinstance(before.event, State) else None
    again = steps[0].formula if steps[1:] and isinstance(steps[0], State) else None
    if not isinstance(taken, Prop) or not isinstance(again, Prop):
        return False
    alike = (before.domain, before.apart, before.quantity) == (
        after.domain, after.apart, after.quantity,
    )  # fmt: skip
    return (
        alike
        and taken.predicate == again.predicate
        and (taken.args, again.args) == ((before.variable,), (after.variable,))
    )


def asks_for(events: Seq[Event], condition: Formula) -> bool:
    """Whether all that a condition tells has come about when the events are done."""
    told = {_unnamed(f) for f in conjuncts(condition)}
    return told <= {_unnamed(p) for e in events for s in _wanted(e) for p in conjuncts(s)}


def _wanted(event: Event) -> Iterator[Formula]:
    """The states that an event asks for; of several things as one formula."""
    match event:
        case Sequence(events) | AnyOrder(events):
            for one in events:
                yield from _wanted(one)
        case Guarded(inner, _):
            yield from _wanted(inner)
        case Each(variable, domain, State(formula), apart, quantity):
            yield Quantified(quantity, variable, domain, formula, apart)
        case _:
            yield from states_of(event)


def _unnamed(formula: Formula) -> Formula:
    """A formula about each of several things, whatever it calls them."""
    if not isinstance(formula, Quantified) or not isinstance(formula.body, Prop):
        return formula
    one = Variable("x")
    args = tuple(one if a == formula.variable else a for a in formula.body.args)
    return replace(formula, variable=one, body=replace(formula.body, args=args))


def is_one_by_one(event: Event) -> bool:
    """Whether it is a state, or states one after the other: what comes then comes after them."""
    members = event.events if isinstance(event, Sequence) else (event,)
    return all(isinstance(e, State) for e in members)


_Parts: TypeAlias = "list[tuple[Formula, Callable[[Formula], Formula], Callable[[Event], Event]]]"


def repeatable(event: Event) -> _Parts | None:
    """(state, what quantifies a rule about it, what quantifies an event of it) for each thing;
    None where it is not clear what would be repeated."""
    match event:
        case State(formula):
            return [(formula, lambda f: f, lambda e: e)]
        case Each(variable, domain, State(formula), apart, quantity):
            return [(
                formula,
                lambda f: Quantified(quantity, variable, domain, f, apart),
                lambda e: Each(variable, domain, e, apart, quantity),
            )]  # fmt: skip
    return None


def held_back(
    first: Event, later: Event, any_of: Callable[[Formula], Formula] = lambda f: f
) -> Sequence:
    """ "A before B": nothing that B is for, and A does not ask for, comes about until A is done.

    From the start of the task on: who says it last wants it no less.

    Args:
        any_of: makes a state one of any of the things that B speaks of first: "before touching a
            bowl" is before touching any.
    """
    needed = _asked(first)
    guard = conjunction(*(negation(any_of(s)) for s in outcomes(later) if s not in needed))
    return Sequence((first if guard == Top() else Guarded(first, guard, from_start=True), later))


def outcomes(event: Event) -> tuple[Formula, ...]:
    """What an event is for: its states but those on the way there, of several things each."""
    asked = _asked(event)
    return tuple(s for s in asked if not _is_on_the_way(s, asked))


def _is_on_the_way(state: Formula, states: Seq[Formula]) -> bool:
    """Whether a thing is held only to be taken somewhere: it may be picked up earlier."""
    return (
        isinstance(state, Prop)
        and state.predicate == "holding"
        and any(
            isinstance(s, Prop) and s.args[:1] == state.args and s.predicate != state.predicate
            for s in states
        )
    )


def _asked(event: Event) -> tuple[Formula, ...]:
    """The states that an event asks for, of several things each for itself."""
    match event:
        case State(formula) | Again(formula) | Repeated(formula):
            return tuple(_singly(formula))
        case Sequence(events) | AnyOrder(events) | Either(events):
            return tuple(s for e in events for s in _asked(e))
        case Holds():
            return ()
        case Guarded(event=inner) | Conditioned(event=inner):
            return _asked(inner)
        case Each(variable, domain, inner, apart):
            return tuple(Quantified(SOME, variable, domain, s, apart) for s in _asked(inner))


def _singly(formula: Formula) -> Iterator[Formula]:
    """What a state says of one thing: of none of them is it true while all are held back."""
    match formula:
        case And(args):
            for arg in args:
                yield from _singly(arg)
        case Quantified(body=body):
            yield from (replace(formula, quantity=SOME, body=s) for s in _singly(body))
        case _:
            yield formula
