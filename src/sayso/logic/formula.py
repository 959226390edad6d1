"""Linear temporal logic over finite traces (LTLf) whose propositions are predicates.

A proposition's arguments are either names of objects in the scene (grounded) or `Referent`s:
descriptions in words that still have to be found in the scene (LIMP's composable referent
descriptors, section IV-A of the paper).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

COLORS = (
    "red", "green", "blue", "yellow", "orange", "purple", "pink", "brown", "black", "white",
    "grey",
)  # fmt: skip
SIZES = ("small", "big")
ATTRIBUTES = frozenset((*COLORS, *SIZES))
COMPARATORS: Mapping[str, int] = {
    "isbetween": 2,
    "isabove": 1,
    "isbelow": 1,
    "isleftof": 1,
    "isrightof": 1,
    "isnextto": 1,
    "isinfrontof": 1,
    "isbehind": 1,
}
"""LIMP's eight comparators and how many other referents each takes."""

Quantifier: TypeAlias = Literal["the", "a", "all"]


@dataclass(frozen=True, order=True)
class Relation:
    """One comparator of a descriptor: `isleftof(mug)`."""

    comparator: str
    others: tuple[Referent, ...]

    def __str__(self) -> str:
        return f"{self.comparator}({', '.join(map(str, self.others))})"


@dataclass(frozen=True, order=True)
class Referent:
    """A thing described in words.

    Attributes:
        noun: the kind of thing, lower case, such as "block" or "plush toy".
        attributes: colour and size words, sorted.
        relations: spatial conditions that must all hold.
        quantifier: "the" one such thing, "a"ny one of them, or "all" of them.
    """

    noun: str
    attributes: tuple[str, ...] = ()
    relations: tuple[Relation, ...] = ()
    quantifier: Quantifier = "the"

    @property
    def kind(self) -> str:
        """The noun without the number that tells different ones apart: "soda" of "a soda 2"."""
        stem, _, last = self.noun.rpartition(" ")
        return stem if stem and last.isdecimal() else self.noun

    @property
    def number(self) -> int:
        """Which of several different ones, from 1; 0 if that is not said."""
        return int(self.noun.rpartition(" ")[2]) if self.kind != self.noun else 0

    def __str__(self) -> str:
        """The descriptor as text: `red_block::isleftof(mug)`, `a red_block`, `all block`."""
        words = "_".join((*self.attributes, *self.noun.split()))
        text = "::".join((words, *map(str, self.relations)))
        return text if self.quantifier == "the" else f"{self.quantifier} {text}"


Term: TypeAlias = "Referent | str"


@dataclass(frozen=True)
class Top:
    """True."""


@dataclass(frozen=True)
class Bottom:
    """False."""


@dataclass(frozen=True)
class Prop:
    """A predicate applied to referents or to object names."""

    predicate: str
    args: tuple[Term, ...] = ()

    @property
    def grounded(self) -> bool:
        return all(isinstance(a, str) for a in self.args)


@dataclass(frozen=True)
class Not:
    arg: Formula


@dataclass(frozen=True)
class And:
    args: tuple[Formula, ...]


@dataclass(frozen=True)
class Or:
    args: tuple[Formula, ...]


@dataclass(frozen=True)
class Next:
    """X: there is a next step and it satisfies the argument."""

    arg: Formula


@dataclass(frozen=True)
class WeakNext:
    """WX: there is no next step, or it satisfies the argument."""

    arg: Formula


@dataclass(frozen=True)
class Until:
    """left holds at every step before some step at which right holds."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Release:
    """right holds up to and including the step at which left does, or to the end."""

    left: Formula
    right: Formula


@dataclass(frozen=True)
class Eventually:
    """F: at some step from now on."""

    arg: Formula


@dataclass(frozen=True)
class Always:
    """G: at every step from now on."""

    arg: Formula


Formula: TypeAlias = (
    Top | Bottom | Prop | Not | And | Or | Next | WeakNext | Until | Release | Eventually | Always
)


def children(formula: Formula) -> tuple[Formula, ...]:
    """The direct subformulas, left to right."""
    match formula:
        case Not(a) | Next(a) | WeakNext(a) | Eventually(a) | Always(a):
            return (a,)
        case And(args) | Or(args):
            return args
        case Until(left, right) | Release(left, right):
            return (left, right)
        case _:
            return ()


def walk(formula: Formula) -> Iterator[Formula]:
    """The formula and all its subformulas, outermost first."""
    yield formula
    for child in children(formula):
        yield from walk(child)


def propositions(formula: Formula) -> tuple[Prop, ...]:
    """The distinct propositions, in order of appearance."""
    return tuple(dict.fromkeys(f for f in walk(formula) if isinstance(f, Prop)))


def clauses(formula: Formula) -> tuple[Formula, ...]:
    """The top-level conjuncts, nested ones flattened; (Top(),) for an empty conjunction."""
    if not isinstance(formula, And):
        return (formula,)
    members = tuple(c for a in formula.args for c in clauses(a))
    return members or (Top(),)


def map_propositions(formula: Formula, change: Callable[[Prop], Formula]) -> Formula:
    """The formula with each proposition replaced."""
    match formula:
        case Prop():
            return change(formula)
        case Not(a):
            return Not(map_propositions(a, change))
        case Next(a):
            return Next(map_propositions(a, change))
        case WeakNext(a):
            return WeakNext(map_propositions(a, change))
        case Eventually(a):
            return Eventually(map_propositions(a, change))
        case Always(a):
            return Always(map_propositions(a, change))
        case And(args):
            return And(tuple(map_propositions(a, change) for a in args))
        case Or(args):
            return Or(tuple(map_propositions(a, change) for a in args))
        case Until(left, right):
            return Until(map_propositions(left, change), map_propositions(right, change))
        case Release(left, right):
            return Release(map_propositions(left, change), map_propositions(right, change))
        case _:
            return formula


def conjunction(*args: Formula) -> Formula:
    """And without nesting, duplicates or a single member."""
    return _flat(And, Top(), Bottom(), args)


def disjunction(*args: Formula) -> Formula:
    """Or without nesting, duplicates or a single member."""
    return _flat(Or, Bottom(), Top(), args)


def _flat(
    kind: type[And] | type[Or], unit: Formula, zero: Formula, args: tuple[Formula, ...]
) -> Formula:
    members: dict[Formula, None] = {}
    for arg in args:
        for member in arg.args if isinstance(arg, kind) else (arg,):
            members[member] = None
    members.pop(unit, None)
    if zero in members:
        return zero
    if not members:
        return unit
    return next(iter(members)) if len(members) == 1 else kind(tuple(members))
