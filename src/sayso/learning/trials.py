"""All transitions of one skill side by side, and every way to apply an operator to them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from sayso.core.symbols import Atom, Literal
from sayso.learning.transitions import (
    FALSE,
    TRUE,
    UNKNOWN,
    Bools,
    Bytes,
    Change,
    Codec,
    Effect,
    Ints,
    Transition,
    change_of,
    lifted,
    variable,
)


class Trials:
    """Transitions of one skill in the order they came, as arrays that grow.

    Attributes:
        size: how many transitions there are.
        changes: for each, what it changed; None where that is nothing, unknown, or too much.
        because: for each, the explanation's literals over the skill's parameters.
        clusters: the transitions that changed the same, by effect.
    """

    def __init__(self, codec: Codec, arity: int, max_context: int) -> None:
        self.codec = codec
        self.arity = arity
        self.max_context = max_context
        self.size = 0
        self.changes: list[Change | None] = []
        self.because: list[frozenset[Literal]] = []
        self.clusters: dict[Effect, list[int]] = {}
        self._before = np.empty((0, codec.width), np.uint8)
        self._after = np.empty((0, codec.width), np.uint8)
        self._args = np.empty((0, arity), np.int64)
        self._objects = np.empty(0, np.int64)
        self._feasible = np.empty(0, np.bool_)
        self._changed = np.empty(0, np.int64)

    @property
    def before(self) -> Bytes:
        """(size, width) the rows before."""
        return self._before[: self.size]

    @property
    def after(self) -> Bytes:
        """(size, width) the rows after; unknown where the action was not carried out."""
        return self._after[: self.size]

    @property
    def args(self) -> Ints:
        """(size, arity) numbers of the action's objects."""
        return self._args[: self.size]

    @property
    def objects(self) -> Ints:
        """(size,) how many objects there were."""
        return self._objects[: self.size]

    @property
    def feasible(self) -> Bools:
        """(size,) whether the action was carried out."""
        return self._feasible[: self.size]

    @property
    def changed(self) -> Ints:
        """(size,) how many atoms changed."""
        return self._changed[: self.size]

    def append(self, transition: Transition, before: Bytes, after: Bytes | None) -> None:
        """One more transition, with its rows."""
        if self.size == len(self._before):
            self._grow(max(16, 2 * self.size))
        i = self.size
        names = self.codec.layout(transition.before.objects).objects
        args = [names.index(a) for a in transition.args]
        self._before[i] = before
        self._after[i] = UNKNOWN if after is None else after
        self._args[i] = args
        self._objects[i] = len(names)
        self._feasible[i] = transition.feasible
        self._changed[i] = np.count_nonzero(before + self._after[i] == TRUE)
        self.size += 1
        literals = (lifted(x, transition.args) for x in transition.because)
        self.because.append(frozenset(x for x in literals if x is not None))
        self._note_change(i, args)

    def _note_change(self, i: int, args: Sequence[int]) -> None:
        change = None
        if self._changed[i]:
            change = change_of(self.codec, self._before[i], self._after[i], args, self.max_context)
        self.changes.append(change)
        if change is not None:
            self.clusters.setdefault(change.effect, []).append(i)

    def _grow(self, length: int) -> None:
        for name in ("_before", "_after", "_args", "_objects", "_feasible", "_changed"):
            old = getattr(self, name)
            new = np.empty((length, *old.shape[1:]), old.dtype)
            new[: self.size] = old[: self.size]
            setattr(self, name, new)


@dataclass(frozen=True)
class Ways:
    """Ways to apply an operator: a transition, and objects for all of its parameters.

    Attributes:
        index: (ways,) numbers of the transitions.
        binding: (ways, parameters) numbers of the objects.
    """

    index: Ints
    binding: Ints

    def values(self, codec: Codec, rows: Bytes, atoms: Sequence[Atom]) -> Bytes:
        """(ways, atoms) the lifted atoms' values in the transitions' rows."""
        columns = codec.columns(atoms, self.binding)
        return np.asarray(rows[self.index[:, None], columns])


def all_ways(trials: Trials, count: int, anchors: Mapping[int, Sequence[Atom]]) -> Ways:
    """Every way to apply an operator with `count` parameters.

    `anchors` are atoms that must hold, by the parameter that they bind, in the order in which
    the parameters beyond the skill's own are to be bound.
    """
    ways = Ways(np.arange(trials.size), np.zeros((trials.size, count), np.int64))
    ways.binding[:, : trials.arity] = trials.args
    bound = list(range(trials.arity))
    for parameter, atoms in anchors.items():
        ways = _with_parameter(trials, ways, bound, parameter, atoms)
        bound.append(parameter)
    return ways


def _with_parameter(
    trials: Trials, ways: Ways, bound: Sequence[int], parameter: int, atoms: Sequence[Atom]
) -> Ways:
    """The ways with one more parameter bound, to each object that it can stand for."""
    fits = []
    for number in range(trials.codec.capacity):
        fit = number < trials.objects[ways.index]
        fit &= (ways.binding[:, list(bound)] != number).all(axis=1)
        ways.binding[:, parameter] = number
        if atoms:
            values = ways.values(trials.codec, trials.before, atoms)
            fit &= (values == TRUE).all(axis=1)
        fits.append(fit)
    rows, numbers = np.nonzero(np.stack(fits, axis=1))
    binding = ways.binding[rows]
    binding[:, parameter] = numbers
    return Ways(ways.index[rows], binding)


def outcomes(trials: Trials, ways: Ways, effect: Effect) -> Bools:
    """(ways,) whether the effect, and nothing else, came about; never where not carried out."""
    atoms = [Atom(p, tuple(map(variable, numbers))) for p, numbers, _ in effect]
    wanted = np.array([TRUE if up else FALSE for _, _, up in effect], np.uint8)
    before = ways.values(trials.codec, trials.before, atoms)
    after = ways.values(trials.codec, trials.after, atoms)
    as_said = ((after == wanted) | (after == UNKNOWN)).all(axis=1)
    expected = ((before + after == TRUE) & (after == wanted)).sum(axis=1)
    complete = expected == trials.changed[ways.index]
    return np.asarray(as_said & complete & trials.feasible[ways.index])
