"""What was tried and what came of it, as rows of bytes that operators are learned from.

A state becomes one row: a byte for each atom over the known predicates and the state's objects,
so that the atoms of many states are compared at once.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import accumulate, permutations

import numpy as np
import numpy.typing as npt

from sayso.core.errors import Code, SaySoError
from sayso.core.symbols import Atom, Literal, SymbolicState

FALSE, TRUE, UNKNOWN = 0, 1, 2
"""The values in a row."""

Bytes = npt.NDArray[np.uint8]
Ints = npt.NDArray[np.int64]
Bools = npt.NDArray[np.bool_]


@dataclass(frozen=True)
class Transition:
    """One action that was tried, or that the person said must not be tried.

    Attributes:
        before: the symbolic state in which it was proposed.
        skill: name of the action as performed.
        args: the objects it was performed with, all distinct.
        after: the state when it had ended; None where it was not carried out.
        feasible: False where the person, or the robot, said that it cannot be done here.
        because: ground literals that would have had to hold, from the person's explanation.
    """

    before: SymbolicState
    skill: str
    args: tuple[str, ...]
    after: SymbolicState | None = None
    feasible: bool = True
    because: tuple[Literal, ...] = ()

    def __post_init__(self) -> None:
        strangers = sorted(set(self.args) - set(self.before.objects))
        if strangers:
            raise SaySoError(
                Code.UNKNOWN_OBJECT,
                f"{self.skill} was performed with '{strangers[0]}', which the state before lacks.",
                choices=self.before.objects,
            )
        if len(set(self.args)) != len(self.args):
            raise SaySoError(Code.INVALID, f"{self.skill} was performed with one object twice.")
        if self.feasible and self.after is None:
            raise SaySoError(
                Code.INVALID,
                f"{self.skill} was carried out, but the state after it is not given.",
                hint="give the state observed after it, or say that it was not feasible.",
            )


def variable(number: int) -> str:
    """The name of an operator's parameter: `?a`, `?b`, ... `?z`, `?v26`, ..."""
    return "?" + (chr(ord("a") + number) if number < 26 else f"v{number}")


def lifted(literal: Literal, args: Sequence[str]) -> Literal | None:
    """A ground literal over an action's parameters; None if it is about other things too."""
    if not set(literal.atom.args) <= set(args):
        return None
    return literal.substitute({name: variable(i) for i, name in enumerate(args)})


@dataclass(frozen=True)
class Layout:
    """Where the atoms over some objects stand in a row.

    Attributes:
        blank: a row in which all these atoms are false, and all others unknown.
    """

    objects: tuple[str, ...]
    index: Mapping[Atom, int]
    blank: Bytes


class Codec:
    """Turns states into rows of `width` bytes, for up to `capacity` objects a state.

    The objects of a state are numbered in order of their names. Atoms of predicates that are not
    in `arities`, and atoms with one argument twice, have no place.
    """

    def __init__(self, arities: Mapping[str, int], capacity: int) -> None:
        self.arities = dict(sorted(arities.items()))
        self.capacity = capacity
        self._names = tuple(self.arities)
        ends = list(accumulate((capacity**k for k in self.arities.values()), initial=0))
        self._starts, self.width = ends[:-1], ends[-1]
        self._offsets = dict(zip(self._names, self._starts, strict=True))
        self._layouts: dict[tuple[str, ...], Layout] = {}

    def column(self, predicate: str, numbers: Sequence[int]) -> int:
        """The place of the atom over the objects with these numbers."""
        place = 0
        for number in numbers:
            place = place * self.capacity + number
        start: int = self._offsets[predicate]
        return start + place

    def atom_at(self, place: int) -> tuple[str, tuple[int, ...]]:
        """The predicate and the objects' numbers of a place in a row."""
        number = bisect_right(self._starts, place) - 1
        predicate = self._names[number]
        rest = place - self._starts[number]
        numbers = []
        for _ in range(self.arities[predicate]):
            rest, digit = divmod(rest, self.capacity)
            numbers.append(digit)
        return predicate, tuple(reversed(numbers))

    def layout(self, objects: Iterable[str]) -> Layout:
        """The places of all atoms over these objects."""
        names = tuple(sorted(objects))
        if names not in self._layouts:
            self._layouts[names] = self._laid_out(names)
        return self._layouts[names]

    def row(self, state: SymbolicState, objects: Sequence[str]) -> Bytes:
        """(width,) the truths of a state's atoms over these objects.

        A state that has as many atoms as there are over its objects is taken to have them all.
        """
        layout = self.layout(objects)
        truths = state.truths
        complete = len(truths) == len(layout.index) and set(state.objects) == set(layout.objects)
        exceptions = state.exceptions
        if not complete or None in exceptions.values():
            return self._row_with_unknowns(layout, truths)
        row = layout.blank.copy()
        places = map(layout.index.get, exceptions)
        row[[p for p in places if p is not None]] = TRUE
        return row

    def _row_with_unknowns(self, layout: Layout, truths: Mapping[Atom, bool | None]) -> Bytes:
        row = np.full(self.width, UNKNOWN, np.uint8)
        for atom, truth in truths.items():
            place = layout.index.get(atom)
            if place is not None and truth is not None:
                row[place] = truth
        return row

    def _laid_out(self, names: tuple[str, ...]) -> Layout:
        numbers = {n: i for i, n in enumerate(names)}
        index = {
            Atom(predicate, args): self.column(predicate, [numbers[a] for a in args])
            for predicate, arity in self.arities.items()
            for args in permutations(names, arity)
        }
        blank = np.full(self.width, UNKNOWN, np.uint8)
        blank[list(index.values())] = FALSE
        return Layout(names, index, blank)

    def columns(self, atoms: Sequence[Atom], bindings: Ints) -> Ints:
        """(rows, atoms) places of atoms over `?a`, ... in (rows, parameters) objects."""
        slots = {variable(i): i for i in range(bindings.shape[1])}
        strides = np.zeros((bindings.shape[1], len(atoms)), np.int64)
        for k, atom in enumerate(atoms):
            for power, arg in enumerate(reversed(atom.args)):
                strides[slots[arg], k] = self.capacity**power
        offsets = np.array([self._offsets[a.predicate] for a in atoms], np.int64)
        return bindings @ strides + offsets


def atoms_over(arities: Mapping[str, int], count: int) -> tuple[Atom, ...]:
    """Every atom over `count` parameters, in a fixed order."""
    names = [variable(i) for i in range(count)]
    return tuple(
        Atom(predicate, args)
        for predicate, arity in sorted(arities.items())
        for args in permutations(names, arity)
    )


Effect = tuple[tuple[str, tuple[int, ...], bool], ...]
"""Sorted (predicate, parameters' numbers, became true): what an action changed, lifted."""


@dataclass(frozen=True)
class Change:
    """What a transition changed, with the action's arguments first and then other objects.

    Attributes:
        binding: numbers of the objects that the parameters stand for.
    """

    effect: Effect
    binding: tuple[int, ...]


def change_of(
    codec: Codec, before: Bytes, after: Bytes, args: Sequence[int], max_context: int
) -> Change | None:
    """The lifted change between two rows; the same whatever the other objects are called.

    None if it touches more than `max_context` objects that are not arguments.
    """
    places = np.nonzero(before + after == TRUE)[0]
    ground = [(*codec.atom_at(int(p)), bool(after[p] == TRUE)) for p in places]
    others = sorted({n for _, numbers, _ in ground for n in numbers} - set(args))
    if len(others) > max_context:
        return None
    choices = []
    for order in permutations(others):
        slots = {n: i for i, n in enumerate((*args, *order))}
        effect = sorted((p, tuple(slots[n] for n in numbers), up) for p, numbers, up in ground)
        choices.append(Change(tuple(effect), (*args, *order)))
    return min(choices, key=lambda c: (c.effect, c.binding))
