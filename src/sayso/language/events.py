"""What an instruction asks to happen, and the LTLf formula that says so.

An event is built from *states* (formulas without temporal operators, such as
`on(red_block, plate)`). `achieve` turns it into a formula in continuation-passing style: the
formula for an event takes the formula for what comes after it. All those formulas are of the
form "sooner or later ...", so holding at some step implies holding at every step before; that
is why `AnyOrder` may hand the same continuation to each of its members without listing the
permutations: the member that happens last is still before the continuation.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from collections.abc import Sequence as Seq
from dataclasses import dataclass
from itertools import combinations
from typing import TypeAlias

from sayso.logic.formula import (
    ALL,
    Always,
    And,
    Eventually,
    Formula,
    Not,
    Or,
    Quantified,
    Quantity,
    Referent,
    Term,
    Top,
    Until,
    Variable,
    conjunction,
    disjunction,
    propositions,
    walk,
)

MAX_STEPS = 30
MAX_STATES = 500


@dataclass(frozen=True)
class State:
    """Some step satisfies the formula."""

    formula: Formula


@dataclass(frozen=True)
class Repeated:
    """The formula becomes true `times` times: that many separate intervals of truth, or more."""

    formula: Formula
    times: int


@dataclass(frozen=True)
class Sequence:
    """One after the other."""

    events: tuple[Event, ...]


@dataclass(frozen=True)
class AnyOrder:
    """Each of them, in whatever order."""

    events: tuple[Event, ...]


@dataclass(frozen=True)
class Either:
    """At least one of them."""

    events: tuple[Event, ...]


@dataclass(frozen=True)
class Guarded:
    """The event, with `guard` holding at every step before it is done.

    Attributes:
        from_start: `guard` holds during what comes earlier in the task too, unless that asks for
            what it forbids.
    """

    event: Event
    guard: Formula
    from_start: bool = False


@dataclass(frozen=True)
class Again:
    """The formula is true again and again, for ever. Only a member of the outermost sequence."""

    formula: Formula


@dataclass(frozen=True)
class Holds:
    """A rule, as an alternative to something that is done."""

    rule: Formula


@dataclass(frozen=True)
class Each:
    """The event for each thing of a domain, in whatever order; it calls the thing `variable`."""

    variable: Variable
    domain: Referent
    event: Event
    apart: tuple[Term, ...] = ()
    quantity: Quantity = ALL


@dataclass(frozen=True)
class Conditioned:
    """The event, if a condition holds as things stand at the start; else nothing. Only a member of
    a sequence that is a task of its own: `achieve_by_cases` says what that means.

    Attributes:
        follows: whether it comes after the conditioned events that stand right before it, which
            otherwise may be done in any order.
    """

    condition: Formula
    event: Event
    follows: bool = False


Event: TypeAlias = (
    "State | Repeated | Sequence | AnyOrder | Either | Guarded | Again | Holds | Each | Conditioned"
)


def achieve(event: Event, rest: Formula = Top(), guard: Formula = Top()) -> Formula:  # noqa: B008
    """The formula: the event happens, then `rest`; `guard` holds until the event is done."""
    match event:
        case State(formula):
            return _sooner_or_later(conjunction(formula, rest), guard)
        case Repeated(formula, times):
            return _repeat(formula, times, rest, guard)
        case Again(formula):
            return conjunction(Always(Eventually(formula)), rest)
        case Holds(rule):
            return conjunction(rule, rest)
        case Sequence(events):
            # F(a & G(F(p))) says F(a) & G(F(p)): what has no end stands beside what has.
            again = [e for e in events if isinstance(e, Again)]
            ending, _ = _guarded_early([e for e in events if not isinstance(e, Again)])
            for later in reversed(ending):
                rest = achieve(later, rest, guard)
            return conjunction(rest, *map(achieve, again))
        case AnyOrder(events):
            return conjunction(*(achieve(e, rest, guard) for e in events))
        case Either(events):
            states = [e.formula for e in events if isinstance(e, State)]
            if len(states) == len(events):
                return achieve(State(disjunction(*states)), rest, guard)
            return disjunction(*(achieve(e, rest, guard) for e in events))
        case Guarded(inner, own_guard):
            return achieve(inner, rest, conjunction(guard, own_guard))
        case Each(variable, domain, inner, apart, quantity):
            return Quantified(quantity, variable, domain, achieve(inner, rest, guard), apart)
        case Conditioned(condition, inner):
            return disjunction(negation(condition), achieve(inner, rest, guard))


def achieve_by_cases(event: Event) -> Formula:
    """As `achieve`, of all that is to happen: conditions are judged at the start.

    The steps without those that depend on a condition are asked for in any case, and for each
    condition the same steps with those that depend on it, in their places. Where these follow
    each other, so for every choice of conditions.
    """
    match event:
        case Sequence(events) if any(isinstance(e, Conditioned) for e in events):
            cases = [achieve(_chosen(events, ()))]
            for chosen in _choices(events):
                told = [negation(e.condition) for e in chosen]
                cases.append(disjunction(*told, achieve(_chosen(events, chosen))))
            return conjunction(*cases)
        case Sequence((AnyOrder() as tasks, *others)) if all(isinstance(e, Again) for e in others):
            return conjunction(achieve_by_cases(tasks), *map(achieve, others))
        case AnyOrder(events):
            return conjunction(*map(achieve_by_cases, events))
    return achieve(event)


def _choices(events: Seq[Event]) -> Iterator[tuple[Conditioned, ...]]:
    """Which conditions are looked at together."""
    conditioned = [e for e in events if isinstance(e, Conditioned)]
    most = len(conditioned) if any(e.follows for e in conditioned) else 1
    for number in range(1, most + 1):
        yield from combinations(conditioned, number)


def _chosen(events: Seq[Event], chosen: Seq[Conditioned]) -> Sequence:
    """The steps with those that depend on the chosen conditions, and on no others."""
    found: list[Event] = []
    together = False
    for event in events:
        if not isinstance(event, Conditioned):
            found.append(event)
        elif any(event is c for c in chosen):
            beside = together and not event.follows
            found.append(AnyOrder((found.pop(), event.event)) if beside else event.event)
            together = True
            continue
        together = together and isinstance(event, Conditioned)
    return Sequence(tuple(found))


def _guarded_early(events: Seq[Event]) -> tuple[list[Event], tuple[Formula, ...]]:
    """A sequence's events, each with those guards of later ones that hold from the start on; and
    those that hold before the whole sequence as well."""
    found: list[Event] = []
    early: tuple[Formula, ...] = ()
    for event in reversed(events):
        asked = set(propositions(achieve(event))) if early else set()
        early = tuple(g for g in early if not asked & set(propositions(g)))
        found.append(Guarded(event, conjunction(*early)) if early else event)
        early += _early_guards(event)
    return found[::-1], early


def _early_guards(event: Event) -> tuple[Formula, ...]:
    match event:
        case Guarded(inner, guard, from_start):
            return (*((guard,) if from_start else ()), *_early_guards(inner))
        case Sequence(events):
            return _guarded_early(events)[1]
    return ()


def too_long(event: Event) -> bool:
    """Whether the formula would be too deep to be written down, or too large to be useful."""
    size, depth = extent(event)
    conditioned = [e for e in _members(event) if isinstance(e, Conditioned)]
    number = len(conditioned)
    cases = 2**number if any(e.follows for e in conditioned) else 1 + number  # as of `_choices`
    return depth > MAX_STEPS or size * cases > MAX_STATES


def _members(event: Event) -> tuple[Event, ...]:
    """The steps of all tasks."""
    match event:
        case Sequence(events) | AnyOrder(events):
            return tuple(m for e in events for m in _members(e))
    return (event,)


def extent(event: Event, rest: tuple[int, int] = (0, 0)) -> tuple[int, int]:
    """How many states the formula of `achieve` would have, in all and along its deepest path."""
    match event:
        case State(_) | Again(_) | Holds(_):
            return rest[0] + 1, rest[1] + 1
        case Repeated(_, times):
            return rest[0] + 2 * times - 1, rest[1] + 2 * times - 1
        case Sequence(events):
            for later in reversed(events):
                rest = extent(later, rest)
            return rest
        case AnyOrder(events) | Either(events):
            parts = [extent(e, rest) for e in events]
            return sum(size for size, _ in parts), max(depth for _, depth in parts)
        case Guarded(inner, _) | Each(event=inner) | Conditioned(event=inner):
            return extent(inner, rest)


def at_least(formula: Formula, times: int) -> Formula:
    """The formula is true in at least `times` maximal intervals of the trace.

    Two intervals are separate when a step between them falsifies the formula. An interval that
    begins with the trace counts.
    """
    return _repeat(formula, times, Top(), Top())


def at_most(formula: Formula, times: int) -> Formula:
    """The formula is true in at most `times` maximal intervals of the trace."""
    return Not(at_least(formula, times + 1))


def together(events: Iterable[Event], lasting: frozenset[str]) -> Event:
    """What "and" means: all at the same time if they can be, one after the other if not.

    They can be when all are single lasting states about different things: the first argument
    of a proposition is what it is about. One hand cannot hold two things.

    Args:
        lasting: predicates that stay true while the robot does something else.
    """
    members = tuple(events)
    if len(members) == 1:
        return members[0]
    states = [e.formula for e in members if isinstance(e, State)]
    if len(states) < len(members) or not _compatible(states, lasting):
        return Sequence(members)
    return State(conjunction(*states))


def _compatible(states: Iterable[Formula], lasting: frozenset[str]) -> bool:
    states = tuple(states)
    if _empties(states):
        return False
    seen: set[Term] = set()
    for state in states:
        props = propositions(state)
        if not all(p.predicate in lasting and p.args for p in props):
            return False
        about = {p.args[0] for p in props}
        if about & seen:
            return False
        seen |= about
    return True


def _empties(states: Seq[Formula]) -> bool:
    """Whether one of the states is that nothing is where another one wants something: "empty the
    bowl and put the mug in it"."""
    denied = [
        p for f in states for part in walk(f) if isinstance(part, Not) for p in propositions(part)
    ]
    empty = [p for p in denied if p.args and isinstance(p.args[0], Variable)]
    wanted = [p for f in states for p in propositions(f) if p not in denied]
    return any(
        (p.predicate, p.args[1:]) == (e.predicate, e.args[1:]) for e in empty for p in wanted
    )


def _repeat(formula: Formula, times: int, rest: Formula, guard: Formula) -> Formula:
    if times < 1:
        raise ValueError("times must be at least 1")
    result = _sooner_or_later(conjunction(formula, rest), guard)
    for _ in range(times - 1):
        gap = _sooner_or_later(conjunction(negation(formula), result), guard)
        result = _sooner_or_later(conjunction(formula, gap), guard)
    return result


def _sooner_or_later(formula: Formula, guard: Formula) -> Formula:
    return Eventually(formula) if guard == Top() else Until(guard, formula)


def negation(formula: Formula) -> Formula:
    """Not the formula, without double negation."""
    return formula.arg if isinstance(formula, Not) else Not(formula)


def end_of(event: Event) -> Formula | None:
    """The state with which steps end, if that is one."""
    while isinstance(event, Sequence) and event.events:
        event = event.events[-1]
    return event.formula if isinstance(event, State) else None


def contains_patrol(event: Event) -> bool:
    """Whether anything in it is done again and again."""
    match event:
        case Again():
            return True
        case Sequence(events) | AnyOrder(events) | Either(events):
            return any(map(contains_patrol, events))
        case Guarded(inner, _):
            return contains_patrol(inner)
    return False


def one_of(events: list[Event]) -> Event:
    """One event, or alternatives."""
    return events[0] if len(events) == 1 else Either(tuple(events))


def leaves_open(event: Event) -> bool:
    """Whether a thing, a step or an order may be chosen in it."""
    match event:
        case Sequence(events):
            return any(map(leaves_open, events))
        case Guarded(inner, _):
            return leaves_open(inner)
        case State(formula):
            return isinstance(formula, Or)
    return isinstance(event, AnyOrder | Either | Each)


def has_order(event: Event) -> bool:
    """Whether its parts come one after the other, if it has several."""
    match event:
        case Sequence(events) | Either(events):
            return all(map(has_order, events))
        case Guarded(inner, _):
            return has_order(inner)
        case State(formula):
            return not isinstance(formula, And)
    return not isinstance(event, AnyOrder | Each)
