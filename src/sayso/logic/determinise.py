"""From a formula to a deterministic automaton, in pure Python.

Reading a letter turns a formula into a Boolean combination of what must hold from the next
step on (progression: Bacchus and Kabanza, "Using temporal logics to express search control
knowledge for planning", 2000). Such combinations are the states, kept canonical as decision
diagrams, and a state's transitions are one decision diagram over the propositions. Top-level
conjuncts and disjuncts are determinised and minimised on their own and multiplied.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import reduce

from sayso.logic.diagrams import FALSE, TRUE, Budget, Diagrams, leaf, value
from sayso.logic.formula import (
    Always,
    And,
    Bottom,
    Eventually,
    Formula,
    Next,
    Not,
    Or,
    Prop,
    Quantified,
    Release,
    Top,
    Until,
    WeakNext,
    not_grounded,
)


@dataclass(frozen=True)
class Draft:
    """A deterministic automaton being built; state 0 is initial.

    Attributes:
        roots: for each state the diagram over propositions whose leaves are next states.
        accepting: for each state whether a trace may end there.
    """

    diagrams: Diagrams
    roots: tuple[int, ...]
    accepting: tuple[bool, ...]


def determinise(formula: Formula, index: Mapping[Prop, int], budget: Budget | None = None) -> Draft:
    """A minimal automaton for the formula; `index` orders the propositions.

    Raises:
        SaySoError: UNSUPPORTED where that takes more than the budget of diagrams.
    """
    letters = Diagrams(budget)
    return _compile(negation_normal(formula), index, letters)


def _compile(formula: Formula, index: Mapping[Prop, int], letters: Diagrams) -> Draft:
    match formula:
        case And(args) | Or(args) if args:
            parts = (_compile(a, index, letters) for a in args)
            every = isinstance(formula, And)
            return reduce(lambda a, b: minimise(_product(a, b, every)), parts)
        case _:
            return minimise(_Progression(index, letters).draft(formula))


# -- negation normal form --------------------------------------------------------------------


def negation_normal(formula: Formula, positive: bool = True) -> Formula:
    """An equivalent of the formula (or of its negation) that negates propositions only."""
    match formula:
        case Not(a):
            return negation_normal(a, not positive)
        case Prop():
            return formula if positive else Not(formula)
        case Top() | Bottom():
            return Top() if positive == isinstance(formula, Top) else Bottom()
        case And(args) | Or(args):
            kind = And if positive == isinstance(formula, And) else Or
            return kind(tuple(negation_normal(a, positive) for a in args))
        case Next(a) | WeakNext(a):
            step = Next if positive == isinstance(formula, Next) else WeakNext
            return step(negation_normal(a, positive))
        case Eventually(a) | Always(a):
            when = Eventually if positive == isinstance(formula, Eventually) else Always
            return when(negation_normal(a, positive))
        case Until(left, right) | Release(left, right):
            fix = Until if positive == isinstance(formula, Until) else Release
            return fix(negation_normal(left, positive), negation_normal(right, positive))
        case Quantified():
            raise not_grounded(formula)


# -- progression -----------------------------------------------------------------------------


class _Progression:
    """States as Boolean diagrams ("residuals") over pairs (formula, strong).

    A pair stands for "the formula holds at the next step", where strong demands that there is
    a next step and weak does not. In the diagrams over letters a leaf stands for a residual.
    """

    def __init__(self, index: Mapping[Prop, int], letters: Diagrams) -> None:
        self.index = index
        self.letters = letters
        self.residuals = Diagrams(letters.budget)
        self.pairs: list[tuple[Formula, bool]] = []
        self._variables: dict[tuple[Formula, bool], int] = {}
        self._progressed: dict[Formula, int] = {}
        self._stepped: dict[int, int] = {}
        self._conj: dict[tuple[int, int], int] = {}
        self._disj: dict[tuple[int, int], int] = {}

    def draft(self, formula: Formula) -> Draft:
        """Every state that can be reached from "the formula holds at the next step"."""
        numbers = {self.residuals.literal(self._variable(formula, True)): 0}
        order, roots, seen = list(numbers), [], set[int]()
        for residual in order:
            step = self.step(residual)
            for v in self.letters.leaves(step, seen):
                if v - 2 not in numbers:
                    numbers[v - 2] = len(order)
                    order.append(v - 2)
            roots.append(step)
        memo: dict[int, int] = {}
        renamed = (
            self.letters.relabel(r, lambda v: numbers[v - 2], memo, self.letters) for r in roots
        )
        return Draft(self.letters, tuple(renamed), tuple(map(self.may_end, order)))

    def may_end(self, residual: int) -> bool:
        """Whether the residual allows that there is no next step."""
        while residual >= 0:
            variable, low, high = self.residuals.nodes[residual]
            residual = low if self.pairs[variable][1] else high
        return residual == TRUE

    def step(self, residual: int) -> int:
        """The diagram from letters to the residuals that follow.

        Residuals never negate a pair, so `low` implies `high` and "low or (pair and high)" is
        the whole function.
        """
        if residual < 0:
            return _of(residual)
        done = self._stepped.get(residual)
        if done is None:
            variable, low, high = self.residuals.nodes[residual]
            taken = self.conj(self.progress(self.pairs[variable][0]), self.step(high))
            done = self._stepped[residual] = self.disj(self.step(low), taken)
        return done

    def progress(self, formula: Formula) -> int:
        """The diagram from letters to what the formula then demands of the next step."""
        done = self._progressed.get(formula)
        if done is None:
            done = self._progressed[formula] = self._progress(formula)
        return done

    def _progress(self, formula: Formula) -> int:
        match formula:
            case Prop():
                return self.letters.node(self.index[formula], _of(FALSE), _of(TRUE))
            case Not(Prop() as p):
                return self.letters.node(self.index[p], _of(TRUE), _of(FALSE))
            case And(args):
                return reduce(self.conj, map(self.progress, args), _of(TRUE))
            case Or(args):
                return reduce(self.disj, map(self.progress, args), _of(FALSE))
            case Next(a):
                return self._later(a, True)
            case WeakNext(a):
                return self._later(a, False)
            case Eventually(a):
                return self.disj(self.progress(a), self._later(formula, True))
            case Always(a):
                return self.conj(self.progress(a), self._later(formula, False))
            case Until(left, right):
                waits = self.conj(self.progress(left), self._later(formula, True))
                return self.disj(self.progress(right), waits)
            case Release(left, right):
                freed = self.disj(self.progress(left), self._later(formula, False))
                return self.conj(self.progress(right), freed)
            case _:
                return _of(TRUE if isinstance(formula, Top) else FALSE)

    def _later(self, formula: Formula, strong: bool) -> int:
        return _of(self.residuals.literal(self._variable(formula, strong)))

    def _variable(self, formula: Formula, strong: bool) -> int:
        pair = (formula, strong)
        if pair not in self._variables:
            self._variables[pair] = len(self.pairs)
            self.pairs.append(pair)
        return self._variables[pair]

    def conj(self, a: int, b: int) -> int:
        combine = _combiner(self.residuals.conj, unit=TRUE, zero=FALSE)
        return self.letters.apply(combine, a, b, self._conj)

    def disj(self, a: int, b: int) -> int:
        combine = _combiner(self.residuals.disj, unit=FALSE, zero=TRUE)
        return self.letters.apply(combine, a, b, self._disj)


def _of(residual: int) -> int:
    """The leaf for a residual; residuals are at least -2."""
    return leaf(residual + 2)


def _combiner(
    join: Callable[[int, int], int], unit: int, zero: int
) -> Callable[[int, int], int | None]:
    one, none = _of(unit), _of(zero)

    def combine(a: int, b: int) -> int | None:
        if none in (a, b):
            return none
        if a in (one, b):
            return b
        if b == one:
            return a
        if a < 0 and b < 0:
            return _of(join(value(a) - 2, value(b) - 2))
        return None

    return combine


# -- products and minimisation ---------------------------------------------------------------


def _product(a: Draft, b: Draft, every: bool) -> Draft:
    """Both automata side by side; accepts where both do (`every`), or either."""
    letters = a.diagrams
    decided_a, decided_b = _sinks(a, not every), _sinks(b, not every)
    numbers: dict[tuple[int, int], int] = {(0, 0): 0}
    order = [(0, 0)]

    def number(pair: tuple[int, int]) -> int:
        if pair not in numbers:
            numbers[pair] = len(order)
            order.append(pair)
        return numbers[pair]

    def combine(x: int, y: int) -> int | None:
        if x < 0 and value(x) in decided_a:
            return leaf(number((value(x), -1)))
        if y < 0 and value(y) in decided_b:
            return leaf(number((-1, value(y))))
        return leaf(number((value(x), value(y)))) if x < 0 and y < 0 else None

    memo: dict[tuple[int, int], int] = {}
    roots, accepting = [], []
    for x, y in order:
        if -1 in (x, y):
            roots.append(leaf(numbers[x, y]))
            accepting.append(not every)
        else:
            roots.append(letters.apply(combine, a.roots[x], b.roots[y], memo))
            ends = (a.accepting[x], b.accepting[y])
            accepting.append(all(ends) if every else any(ends))
    return Draft(letters, tuple(roots), tuple(accepting))


def _sinks(draft: Draft, accepting: bool) -> frozenset[int]:
    return frozenset(
        s
        for s, (root, ends) in enumerate(zip(draft.roots, draft.accepting, strict=True))
        if root == leaf(s) and ends == accepting
    )


def minimise(draft: Draft) -> Draft:
    """The smallest equivalent automaton, by partition refinement (Moore 1956).

    States are equal when they agree on acceptance and, all leaves renamed to their classes,
    have the same diagram. Every state of the draft must be reachable.
    """
    classes: list[int] = [int(ends) for ends in draft.accepting]
    count = len(set(classes))
    while True:
        table, memo = Diagrams(draft.diagrams.budget), dict[int, int]()
        roots = [draft.diagrams.relabel(r, classes.__getitem__, memo, table) for r in draft.roots]
        keys: dict[tuple[int, int], int] = {}
        classes = [keys.setdefault(k, len(keys)) for k in zip(classes, roots, strict=True)]
        if len(keys) == count:
            break
        count = len(keys)
    first: dict[int, int] = {}
    for state, c in enumerate(classes):
        first.setdefault(c, state)
    memo = {}
    merged = (
        draft.diagrams.relabel(draft.roots[s], classes.__getitem__, memo, draft.diagrams)
        for s in first.values()
    )
    return Draft(draft.diagrams, tuple(merged), tuple(draft.accepting[s] for s in first.values()))
