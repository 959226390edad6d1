"""What a formula means: its truth on one finite trace, straight from the definition.

This is the reference that automata are tested against (De Giacomo and Vardi, "Linear temporal
logic and linear dynamic logic on finite traces", IJCAI 2013, section 2).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from functools import reduce
from operator import and_, or_

from sayso.core.errors import Code, SaySoError
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

Trace = Sequence[Collection[Prop]]
"""The propositions that are true at each step; all others are false."""


def satisfies(formula: Formula, trace: Trace) -> bool:
    """Whether a trace satisfies a formula. Raises INVALID for an empty trace."""
    if not trace:
        raise SaySoError(Code.INVALID, "a trace has at least one step, this one has none.")
    return bool(_Truths(trace).of(formula) & 1)


class _Truths:
    """The truths of formulas at every step of a trace: bit i of a number is that at step i."""

    def __init__(self, trace: Trace) -> None:
        self._trace = trace
        self._last = 1 << (len(trace) - 1)
        self._always = 2 * self._last - 1
        self._observed: dict[Prop, int] = {}

    def of(self, formula: Formula) -> int:
        match formula:
            case Prop():
                return self._at(formula)
            case Not(a):
                return self._not(self.of(a))
            case And(args):
                return reduce(and_, map(self.of, args), self._always)
            case Or(args):
                return reduce(or_, map(self.of, args), 0)
            case Eventually(a):
                return self._until(self._always, self.of(a))
            case Always(a):
                return self._release(0, self.of(a))
            case Until(left, right):
                return self._until(self.of(left), self.of(right))
            case Release(left, right):
                return self._release(self.of(left), self.of(right))
            case Next(a):
                return self.of(a) >> 1
            case WeakNext(a):
                return self.of(a) >> 1 | self._last
            case Top():
                return self._always
            case Bottom():
                return 0
            case Quantified():
                raise not_grounded(formula)

    def _at(self, prop: Prop) -> int:
        if prop not in self._observed:
            true = (1 << i for i, step in enumerate(self._trace) if prop in step)
            self._observed[prop] = sum(true)
        return self._observed[prop]

    def _not(self, truths: int) -> int:
        return self._always ^ truths

    def _until(self, left: int, right: int) -> int:
        """The least truths that are right's, and left's where they hold at the next step."""
        before, now = 0, right
        while now != before:
            before, now = now, right | left & now >> 1
        return now

    def _release(self, left: int, right: int) -> int:
        return self._not(self._until(self._not(left), self._not(right)))
