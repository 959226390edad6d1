"""Small programs over scenes: what they are, when they hold, and how large they are.

    program = Compare | Flag | Kind | Holds        (over the predicate's parameters and OTHER)
            | Not(program) | All(programs) | Either(programs)
            | Exists(program, least)               so many other objects, no arguments, called OTHER

"For all" is `Not(Exists(Not(...)))`. A program's truth for a scene of n objects is an array with
one axis of length n (or 1, where it does not matter) for each variable.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import reduce
from math import log2
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from sayso.learning.priors import Priors
from sayso.learning.synthesis.guards import flag
from sayso.learning.synthesis.measures import measure as measured
from sayso.learning.synthesis.tables import Bools, SceneTable

OTHER = "other"
"""The variable of `Exists`."""


@dataclass(frozen=True)
class Compare:
    """A measure below or above a limit, where its guards hold.

    Attributes:
        stated: whether a person named the limit, so that it is not fitted.
    """

    measure: str
    args: tuple[str, ...]
    below: bool
    limit: float
    stated: bool = False


@dataclass(frozen=True)
class Flag:
    """A condition without a limit."""

    name: str
    args: tuple[str, ...]


@dataclass(frozen=True)
class Kind:
    """An object's category, colour or other attribute is one of these words.

    Attributes:
        spelled: how many of the names have to be told; fewer where a common word covers the rest.
    """

    arg: str
    names: tuple[str, ...]
    attribute: str = "category"
    spelled: int = -1


@dataclass(frozen=True)
class Holds:
    """Another predicate."""

    predicate: str
    args: tuple[str, ...]


@dataclass(frozen=True)
class Not:
    part: Program


@dataclass(frozen=True)
class All:
    parts: tuple[Program, ...]


@dataclass(frozen=True)
class Either:
    parts: tuple[Program, ...]


@dataclass(frozen=True)
class Exists:
    """At least so many objects that are no arguments, called OTHER in the part."""

    part: Program
    least: int = 1


Atomic: TypeAlias = "Compare | Flag | Kind | Holds"
Program: TypeAlias = "Compare | Flag | Kind | Holds | Not | All | Either | Exists"


def atoms(program: Program) -> Iterator[Atomic]:
    """The program's atomic parts, in order."""
    if isinstance(program, Not | Exists):
        yield from atoms(program.part)
    elif isinstance(program, All | Either):
        for part in program.parts:
            yield from atoms(part)
    else:
        yield program


def size(program: Program, priors: Priors, usual: bool = True) -> float:
    """How much there is to say: about the number of binary choices that single the program out.

    Args:
        usual: whether a limit far from the usual one takes more to say.
    """
    if isinstance(program, Compare):
        limit = priors.words(program.measure, program.below).usual if usual else None
        return 4.0 + 0.3 * len(measured(program.measure).guards) + _surprise(program, limit)
    if isinstance(program, Holds):
        return 4.0
    if isinstance(program, Flag):
        return 4.5
    if isinstance(program, Kind):
        return 3.0 + (len(program.names) if program.spelled < 0 else program.spelled)
    if isinstance(program, Not):
        return 0.5 + size(program.part, priors, usual)
    if isinstance(program, Exists):
        return 1.0 + 1.5 * (program.least > 1) + size(program.part, priors, usual)
    return sum(1.5 + size(p, priors, usual) for p in program.parts) - 1.5


_SURPRISE = 1.5
_MOST_SURPRISE = 6.0


def _surprise(part: Compare, usual: float | None) -> float:
    """How far a limit is from the usual one, in doublings: one wrong label is likelier."""
    if part.stated or not usual:
        return 0.0
    ratio = part.limit / usual
    if ratio <= 0.0:
        return _MOST_SURPRISE
    return min(_MOST_SURPRISE, _SURPRISE * abs(log2(ratio)))


def truth(program: Program, table: SceneTable, variables: Sequence[str]) -> Bools:
    """Where the program holds; broadcasts to one axis of n for each variable."""
    if isinstance(program, Not):
        return ~truth(program.part, table, variables)
    if isinstance(program, All):
        return reduce(np.logical_and, (truth(p, table, variables) for p in program.parts))
    if isinstance(program, Either):
        return reduce(np.logical_or, (truth(p, table, variables) for p in program.parts))
    if isinstance(program, Exists):
        inner = truth(program.part, table, (*variables, OTHER))
        found = inner & others(program.part, table, variables)
        return np.asarray(found.sum(-1) >= program.least)
    return _atom(program, table, variables)


def _atom(program: Atomic, table: SceneTable, variables: Sequence[str]) -> Bools:
    if isinstance(program, Compare):
        numbers = quantity(program.measure, program.args, program.below, table, variables)
        return np.asarray(numbers < program.limit if program.below else numbers > program.limit)
    if isinstance(program, Flag):
        return spread(flag(program.name).truth(table), program.args, variables)
    if isinstance(program, Holds):
        return spread(table.holds(program.predicate), program.args, variables)
    held = np.array([v in program.names for v in table.words(program.attribute)], bool)
    return spread(held, (program.arg,), variables)


def quantity(
    measure: str, args: Sequence[str], below: bool, table: SceneTable, variables: Sequence[str]
) -> npt.NDArray[np.float64]:
    """A measure's values over the variables; beyond any limit where its guards fail."""
    known = measured(measure)
    numbers = spread(known.value(table), args, variables)
    for guard, places in known.guards:
        allowed = spread(guard.truth(table), [args[p] for p in places], variables)
        numbers = np.where(allowed, numbers, np.inf if below else -np.inf)
    return np.asarray(numbers, float)


def others(part: Program, table: SceneTable, variables: Sequence[str]) -> Bools:
    """Over the variables and OTHER: whether OTHER is none of the arguments that the part uses."""
    axes = (*variables, OTHER)
    distinct = np.ones((1,) * len(variables) + (table.count,), bool)
    for name in used(part):
        distinct = distinct & ~spread(table.same, (name, OTHER), axes)
    return np.asarray(distinct)


def used(part: Program) -> tuple[str, ...]:
    """The predicate's parameters that a part is about, sorted."""
    found = {a for atom in atoms(part) for a in arguments(atom)}
    return tuple(sorted(found - {OTHER}))


def arguments(atom: Atomic) -> tuple[str, ...]:
    """The variables that an atomic part is about."""
    return (atom.arg,) if isinstance(atom, Kind) else atom.args


_Scalar = TypeVar("_Scalar", bound=np.generic)


def spread(
    values: npt.NDArray[_Scalar], args: Sequence[str], variables: Sequence[str]
) -> npt.NDArray[_Scalar]:
    """An array over the arguments as one over the variables, with axes of length 1 for others."""
    places = [variables.index(a) for a in args]
    order = sorted(range(len(places)), key=places.__getitem__)
    shape = [1] * len(variables)
    for axis, place in enumerate(places):
        shape[place] = values.shape[axis]
    return values.transpose(order).reshape(shape)
