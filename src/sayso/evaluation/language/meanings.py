"""Meanings of instructions as trees, apart from any formula or grammar.

Where English leaves something open, a meaning has several readings: a node names what it leaves
open (`OPEN`), and a reading decides it for the whole tree. A sentence is read rightly if what was
understood is true of the same courses of events as one of the readings.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, fields
from itertools import product
from typing import Literal, TypeAlias

Atom: TypeAlias = "tuple[str, ...]"
"""A predicate and the names of things: ("on", "red_block", "plate")."""
Step: TypeAlias = "frozenset[Atom]"
"""All atoms that are true at one moment."""
Trace: TypeAlias = "tuple[Step, ...]"
"""A course of events; at least one step."""
Reading: TypeAlias = "Mapping[str, str]"
"""What is open -> how it is decided."""


@dataclass(frozen=True)
class Fact:
    """An atom that is true at a moment, or is not."""

    atom: Atom
    true: bool = True


@dataclass(frozen=True)
class Facts:
    """So many of some facts at one moment: all of them, at least one ("any"), or none."""

    facts: tuple[State, ...]
    how: Literal["all", "any", "none"] = "all"


State: TypeAlias = Fact | Facts


@dataclass(frozen=True)
class Goal:
    """A state that is to come about.

    Attributes:
        carried: the thing that is brought there, where a robot that drives does so: it has to be
            held before, or the outcome alone counts.
        beside: what also counts as put there, by the convention of LIMP's instructions.
    """

    state: State
    carried: str = ""
    beside: State | None = None


@dataclass(frozen=True)
class Collect:
    """Some goals of one kind: each of them, or at least `least` of them, in any order."""

    goals: tuple[Goal, ...]
    least: int = 0
    """0 stands for all."""


@dataclass(frozen=True)
class Ordered:
    """One goal after the other.

    Attributes:
        held_back: which goal on must not come about before the one before it has ("before", "only
            after"), the first one being 0; 0 stands for none ("then").
    """

    goals: tuple[Meaning, ...]
    held_back: int = 0


@dataclass(frozen=True)
class Both:
    """All of some instructions. Goals side by side may be meant one after the other."""

    parts: tuple[Meaning, ...]


@dataclass(frozen=True)
class Either:
    """At least one of some instructions."""

    parts: tuple[Meaning, ...]


@dataclass(frozen=True)
class Never:
    """None of some states, ever."""

    states: tuple[State, ...]


@dataclass(frozen=True)
class NotUntil:
    """None of some states until another one has come about."""

    states: tuple[State, ...]
    until: State


@dataclass(frozen=True)
class NotAfter:
    """None of some states from the moment on at which another one has come about."""

    states: tuple[State, ...]
    since: State


@dataclass(frozen=True)
class HoldUntil:
    """A state that is to come about and then to last until another one has come about."""

    state: State
    until: State


@dataclass(frozen=True)
class If:
    """As things stand at the beginning: one instruction or the other."""

    state: State
    then: Meaning
    otherwise: Meaning | None = None


@dataclass(frozen=True)
class Whenever:
    """Each time that a state holds; `once`: "as soon as", which may mean the first time alone."""

    state: State
    then: Meaning
    once: bool = False


@dataclass(frozen=True)
class Keep:
    """A state that holds at all times, or while a goal is being reached."""

    state: State
    during: Goal | None = None


@dataclass(frozen=True)
class Without:
    """A goal, and on the way none of some states."""

    goal: Meaning
    states: tuple[State, ...]


@dataclass(frozen=True)
class Leg:
    """From one place to another one, and on that way none of some states."""

    start: State
    end: State
    states: tuple[State, ...]


@dataclass(frozen=True)
class Finally:
    """A state in which things are left."""

    state: State


@dataclass(frozen=True)
class Times:
    """How often a state begins to hold: exactly, at least or at most so many times."""

    state: State
    count: int
    how: Literal["exactly", "at least", "at most"]


@dataclass(frozen=True)
class Number:
    """Of how many things something becomes true: exactly or at most so many.

    "at most in all" counts those of which it is true at different moments.
    """

    states: tuple[State, ...]
    count: int
    how: Literal["exactly", "at most", "at most in all"]


@dataclass(frozen=True)
class Open:
    """What is truly ambiguous: any one of some meanings."""

    name: str
    options: tuple[Meaning, ...]


Meaning: TypeAlias = (
    Goal | Collect | Ordered | HoldUntil | Leg | Both | Either | Never | NotUntil | NotAfter | If
    | Whenever | Keep | Without | Finally | Times | Number | Open
)  # fmt: skip

_CARRY = ("as said", "held, then as said", "beside", "held, then beside")
_THEN = ("not earlier", "not before", "later")
_BEFORE = ("not before", "later", "outcome not before", "outcome later")
_GATHER = ("each at some time", "at one time", "in the order said", "the first one first")


def open_questions(meaning: Meaning) -> dict[str, tuple[str, ...]]:
    """What a meaning leaves open, with the ways of deciding it, the commonest first."""
    found: dict[str, tuple[str, ...]] = {}
    for node in parts(meaning):
        for name, ways in _opened_by(node).items():
            found[name] = max(found.get(name, ()), ways, key=len)
    return found


def is_reached(meaning: Meaning) -> bool:
    """Whether it is something to get done, not something to keep to."""
    match meaning:
        case Goal() | Collect() | Ordered() | HoldUntil() | Leg():
            return True
        case Both(members) | Either(members) | Open(_, members):
            return all(map(is_reached, members))
    return False


def _opened_by(node: Meaning) -> dict[str, tuple[str, ...]]:
    match node:
        case Goal(_, carried, beside) if carried:
            return {"carry": _CARRY if beside else _CARRY[:2]}
        case Collect():
            return {"collect": _GATHER[:2]}
        case Ordered():
            return _opened_by_order(node)
        case Both(members) if sum(map(is_reached, members)) > 1:
            return {"and": _GATHER}
        case NotUntil() | HoldUntil():
            return {"until": ("may never come", "must come", "still then", "must come, still then")}
        case NotAfter():
            return {"after": ("from then on", "later")}
        case Whenever(_, _, True):
            return {"when": ("always", "must come", "once", "if it comes")}
        case Keep(_, during) if during:
            return {"while": ("until then", "then too", "always")}
        case Without():
            return {"without": ("never", "until done")}
        case Finally():
            return {"finally": ("at the end", "at some time")}
        case Number(_, _, how):
            kinds = ("at one time", "ever", "at the end", "reached and never more")
            return {"number": kinds if how == "exactly" else kinds[:2]} if "all" not in how else {}
        case Open(name, options):
            return {name: tuple(map(str, range(len(options))))}
    return {}


def _opened_by_order(node: Ordered) -> dict[str, tuple[str, ...]]:
    loaded = any(isinstance(g, Goal) and g.carried for g in node.goals)
    found: dict[str, tuple[str, ...]] = {}
    if node.held_back:
        found["before"] = _BEFORE if loaded else _BEFORE[:2]
    if node.held_back != 1:
        found["then"] = _THEN
    return found


def readings(meaning: Meaning) -> Iterator[Reading]:
    """All ways of deciding what is open, the commonest first."""
    questions = open_questions(meaning)
    for choice in product(*questions.values()):
        yield dict(zip(questions, choice, strict=True))


def parts(meaning: Meaning) -> Iterator[Meaning]:
    """The meaning and all meanings within it."""
    yield meaning
    for value in _values(meaning):
        if isinstance(value, Meaning):
            yield from parts(value)


def states(meaning: Meaning) -> Iterator[State]:
    """All states of a meaning, in the order in which they are said."""
    for value in _values(meaning):
        if isinstance(value, Meaning):
            yield from states(value)
        elif isinstance(value, State):
            yield value


def forbidden(meaning: Meaning) -> frozenset[Atom]:
    """What is forbidden somewhere in a meaning."""
    bans = (n for n in parts(meaning) if isinstance(n, Never | NotUntil | NotAfter | Without | Leg))
    return frozenset(f.atom for ban in bans for s in ban.states for f in facts(s))


def facts(state: State) -> Iterator[Fact]:
    """The single facts of a state."""
    if isinstance(state, Fact):
        yield state
        return
    for part in state.facts:
        yield from facts(part)


def _values(meaning: Meaning) -> Iterator[object]:
    for field in fields(meaning):
        value = getattr(meaning, field.name)
        if isinstance(value, tuple):
            yield from value
        else:
            yield value
