"""Decision diagrams: functions from truth assignments to small integers, shared and reduced.

A diagram is an integer. Leaves are negative, `leaf(value) = -1 - value`; other integers index
nodes `(variable, low, high)`, variables increasing towards the leaves. Equal functions are
equal integers (Bryant, "Graph-based algorithms for Boolean function manipulation", 1986).
Boolean diagrams have the leaves FALSE and TRUE.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from sayso.core.errors import Code, SaySoError

FALSE = -1
TRUE = -2
MOST_WORK = 150_000
"""Decisions looked at for the automata of one task: half a second or so."""

Cube = tuple[tuple[int, bool], ...]
"""A conjunction of literals: variables, increasing, each with the value it must have."""


def leaf(value: int) -> int:
    """The diagram of a constant; `value` >= 0."""
    return -1 - value


def value(diagram: int) -> int:
    """The constant of a leaf."""
    return -1 - diagram


class Budget:
    """How much work may still be done, counted in decisions looked at.

    Bounds by count, not by the clock: what is refused is refused on every machine.
    """

    def __init__(self, work: int = MOST_WORK) -> None:
        self.left = work

    def spend(self, work: int = 1) -> None:
        """Raises UNSUPPORTED where nothing is left."""
        self.left -= work
        if self.left < 0:
            raise SaySoError(
                Code.UNSUPPORTED,
                "the task is too large or too nested to be worked out.",
                hint="split the task into smaller ones.",
            )


class Diagrams:
    """A table of diagram nodes.

    Args:
        budget: of the work on it, and on others that share it; a whole one by default.
    """

    def __init__(self, budget: Budget | None = None) -> None:
        self.budget = budget or Budget()
        self.nodes: list[tuple[int, int, int]] = []
        self._index: dict[tuple[int, int, int], int] = {}
        self._conj: dict[tuple[int, int], int] = {}
        self._negations: dict[int, int] = {}

    def node(self, variable: int, low: int, high: int) -> int:
        """The function that is `low` where the variable is false and `high` where it is true."""
        if low == high:
            return low
        key = (variable, low, high)
        found = self._index.get(key)
        if found is None:
            found = self._index[key] = len(self.nodes)
            self.nodes.append(key)
        return found

    def literal(self, variable: int, positive: bool = True) -> int:
        """The Boolean diagram of a variable or its negation."""
        return self.node(variable, FALSE, TRUE) if positive else self.node(variable, TRUE, FALSE)

    def cofactors(self, variable: int, diagram: int) -> tuple[int, int]:
        """The diagram with the variable false, and true; nothing above the variable in it."""
        if diagram >= 0 and self.nodes[diagram][0] == variable:
            return self.nodes[diagram][1:]
        return diagram, diagram

    def top(self, diagrams: Iterable[int]) -> int:
        """The first variable that any of the diagrams asks for; one of them is no leaf."""
        return min(self.nodes[d][0] for d in diagrams if d >= 0)

    def apply(
        self,
        combine: Callable[[int, int], int | None],
        a: int,
        b: int,
        memo: dict[tuple[int, int], int],
    ) -> int:
        """Both functions combined pointwise.

        `combine` gets two diagrams and answers their combination, or None to be asked for the
        parts; for two leaves it must answer. `memo` belongs to one `combine`.
        """
        done = memo.get((a, b))
        if done is None:
            self.budget.spend()
            done = combine(a, b)
            if done is None:
                v = self.top((a, b))
                (a0, a1), (b0, b1) = self.cofactors(v, a), self.cofactors(v, b)
                low = self.apply(combine, a0, b0, memo)
                done = self.node(v, low, self.apply(combine, a1, b1, memo))
            memo[a, b] = done
        return done

    def relabel(
        self, diagram: int, rename: Callable[[int], int], memo: dict[int, int], into: Diagrams
    ) -> int:
        """The diagram with each leaf's value renamed, in another table; `memo` per renaming."""
        if diagram < 0:
            return leaf(rename(value(diagram)))
        done = memo.get(diagram)
        if done is None:
            into.budget.spend()
            variable, low, high = self.nodes[diagram]
            done = memo[diagram] = into.node(
                variable,
                self.relabel(low, rename, memo, into),
                self.relabel(high, rename, memo, into),
            )
        return done

    def conj(self, a: int, b: int) -> int:
        """Both Boolean diagrams."""
        return self.apply(_conj, a, b, self._conj)

    def disj(self, a: int, b: int) -> int:
        """Either Boolean diagram."""
        return self.negation(self.conj(self.negation(a), self.negation(b)))

    def negation(self, a: int) -> int:
        """Not the Boolean diagram."""
        return self.relabel(a, lambda v: 1 - v, self._negations, self)

    def leaves(self, diagram: int, seen: set[int] | None = None) -> tuple[int, ...]:
        """The distinct values of the function, in order of a low-first walk.

        Args:
            seen: diagrams to leave out, to which those that were walked through are added.
        """
        values: dict[int, None] = {}
        seen = set() if seen is None else seen
        todo = [diagram]
        while todo:
            d = todo.pop()
            if d < 0:
                values[value(d)] = None
            elif d not in seen:
                seen.add(d)
                todo += (self.nodes[d][2], self.nodes[d][1])
        return tuple(values)

    def cubes(self, lower: int, upper: int) -> tuple[Cube, ...]:
        """Few short cubes that cover `lower` and stay within `upper` (both Boolean).

        Minato, "Fast generation of irredundant sum-of-products forms from binary decision
        diagrams", SASIMI 1992.
        """
        return self._cover(lower, upper)[0]

    def _cover(self, lower: int, upper: int) -> tuple[tuple[Cube, ...], int]:
        if lower == FALSE:
            return (), FALSE
        if upper == TRUE:
            return ((),), TRUE
        self.budget.spend()
        v = self.top((lower, upper))
        (l0, l1), (u0, u1) = self.cofactors(v, lower), self.cofactors(v, upper)
        cubes0, f0 = self._cover(self.conj(l0, self.negation(u1)), u0)
        cubes1, f1 = self._cover(self.conj(l1, self.negation(u0)), u1)
        rest = self.disj(self.conj(l0, self.negation(f0)), self.conj(l1, self.negation(f1)))
        cubes, f = self._cover(rest, self.conj(u0, u1))
        both = (
            *(((v, False), *c) for c in cubes0),
            *(((v, True), *c) for c in cubes1),
            *cubes,
        )
        return both, self.node(v, self.disj(f0, f), self.disj(f1, f))


def _conj(a: int, b: int) -> int | None:
    if FALSE in (a, b):
        return FALSE
    if a in (TRUE, b):
        return b
    return a if b == TRUE else None
